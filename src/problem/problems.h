/* Problem families: the table every built-in problem fills, and the instance behind p2p_problem. */
#ifndef P2PI_PROBLEMS_H
#define P2PI_PROBLEMS_H

#include "base/arena.h"
#include "problem/dataset.h"
#include "problem/domain.h"

#include <p2popt/problem.h>

enum {
    P2PI_PROBLEM_DATA = 1,  /* needs a data set; the others draw their own */
    P2PI_PROBLEM_VALUES = 2 /* takes a data set if there is one, as values instead of samples */
};

/**
 * A built-in problem, once per entry of problems.def.
 *
 * Everything is computed in double: a node of floats has its vectors converted at the door, so that its gradient is
 * the exact one, rounded once. Pointers marked NULL-able say "not offered".
 */
typedef struct {
    size_t size;
    p2p_entry entry;
    unsigned traits;
    size_t state_size; /* of the instance's own part; starts with the parameter struct (entry.param_size) */
    const void *model; /* whatever the members of one file share: a row of their table */
    /** Parameters are parsed, data is set: check both, set layers (p2pi_problem_layer), fill the own part. */
    p2p_status (*open)(p2p_problem *self);
    /** f_i over the samples idx (NULL: all), its gradient; regularisers once. g is overwritten. */
    double (*value)(p2p_problem *self, const double *x, const size_t *idx, size_t count);
    void (*grad)(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g);
    void (*hvp)(p2p_problem *self, const double *x, const double *v, double *h); /* NULL-able */
    /** h is zeroed, dim x dim. NULL: column by column of hvp. */
    p2p_status (*hessian)(p2p_problem *self, const double *x, double *h);
    p2p_status (*constants)(p2p_problem *self, double *smoothness, double *convexity);
    double (*accuracy)(p2p_problem *self, const double *x); /* NULL-able */
    void (*start)(p2p_problem *self, double *x);            /* NULL: zero */
    /** grad of a node of floats, in floats: for models where the double's exactness costs twice the time. */
    void (*grad_f32)(p2p_problem *self, const float *x, const size_t *idx, size_t count, float *g); /* NULL-able */
} p2pi_problem_vt;

struct p2p_problem {
    const p2pi_problem_vt *vt; /* NULL: a user's */
    p2p_problem_vt user;
    void *user_data;
    p2pi_arena *arena; /* holds everything pointed at, but the data */
    void *state;
    const char *spec;
    p2p_layer *layers;
    size_t layer_count, layer_room, dim, samples;
    unsigned flags;
    p2pi_domain domain;
    p2p_dtype type;
    const p2p_data *data;
    size_t node, nodes;
    uint64_t seed;
    double weight; /* f_i is multiplied by it: weights=samples */
    double *x, *g; /* a float node's vectors as doubles */
    double *one;   /* the gradient of one sample, where sums of squares were asked for */
    int have_constants;
    double smoothness, convexity;
    size_t *permutation; /* of the epoch below, for minibatches by shuffle */
    uint64_t epoch_seed;
    uint32_t epoch_node, epoch;
    int have_epoch;
};

/** Index function of the family. */
const p2p_entry *p2pi_problem_entry(size_t i);

/** Append a layer; dim grows. The name is not copied. */
p2p_status p2pi_problem_layer(p2p_problem *self, const char *name, size_t rows, size_t cols, unsigned flags);

/** "784x128/128": rows, and columns unless there is one, of each layer. */
void p2pi_problem_layer_sizes(const p2p_problem *self, char *text, size_t cap);

/** Take the set, once all layers are there: the flag P2P_PROBLEM_PROX says that there is one. P2P_EPARSE, P2P_EINVAL.
 */
p2p_status p2pi_problem_set(p2p_problem *self, const char *text);

/** weights=nodes|samples, for members with data: the option's row, and what it does once parsed. */
#define P2PI_WEIGHTS_OPTION(type, field)                                                                             \
    {                                                                                                                \
        "weights", P2P_OPT_CHOICE, "nodes", "nodes|samples", NULL, "what counts as one vote: a node, or a sample",   \
            offsetof(type, field)                                                                                    \
    }
void p2pi_problem_weigh(p2p_problem *self, int64_t weights);

/** What members whose constants no bound holds for, and whose gradient is 0 at zero, have in common. */
p2p_status p2pi_problem_unbounded(p2p_problem *self, double *smoothness, double *convexity);
/** 0.1 times normal numbers of the seed, the same at all nodes. */
void p2pi_problem_small_start(p2p_problem *self, double *x);

/**
 * The samples' classes as 0 .. *count - 1, for members with data.
 *
 * @param wish the option classes: P2P_AUTO_INT, or how many. At least two. P2P_EINVAL, P2P_ENOMEM.
 */
p2p_status p2pi_problem_classes(p2p_problem *self, int64_t wish, size_t *count, const uint32_t **labels);

#endif
