/* Problems: what is minimised (or solved), as an oracle on a node's own data. */
#ifndef P2POPT_PROBLEM_H
#define P2POPT_PROBLEM_H

#include <p2popt/data.h>
#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A part of the parameter vector: rows x cols entries, row-major, from offset; cols = 1 for vectors. */
typedef struct {
    const char *name;
    size_t rows, cols, offset;
    unsigned flags;
} p2p_layer;
enum {
    P2P_LAYER_DECAY = 1, /* weight decay and regularisation apply */
    P2P_LAYER_MAX = 2    /* of a game: the value is maximised over it, and grad has the negative gradient */
};

enum {
    P2P_PROBLEM_GAME = 1, /* grad is a monotone operator F, not a gradient: sought is its zero, see below */
    P2P_PROBLEM_ZERO = 2, /* f = 0: methods need not ask for gradients */
    P2P_PROBLEM_PROX = 4  /* it has a set or a common regulariser: methods that do not keep to it refuse */
};

/*
 * A problem is a minimisation, or a game: a variational inequality. Its solution z* lies in a set Z and has
 *
 *     F(z*)'(z - z*) >= 0 for all z in Z,    F(z) = (1/n) sum_i F_i(z).
 *
 * Without a set that is F(z*) = 0. For min over u, max over v of f(u, v) it is z = (u, v), F = (df/du, -df/dv). What
 * is said below of gradients, Hessians, smoothness and strong convexity is said of operators, their derivatives,
 * Lipschitz constants and strong monotonicity as well.
 */

/**
 * A user's problem: fill this table and give it to p2p_problem_callback.
 *
 * Vectors have the node's element type. idx lists local samples (NULL: all of them). Every function is called from
 * the node's thread only.
 */
typedef struct {
    size_t size; /* sizeof(p2p_problem_vt) */
    const p2p_layer *layers;
    size_t layer_count;
    size_t samples; /* local; 0: no notion of a sample */
    unsigned flags;
    /** g = gradient (or operator) at x. Required. Not P2P_OK stops the node with p2p_fail's sentence. */
    p2p_status (*grad)(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g);
    /** Value at x. NULL: not reported. */
    p2p_status (*value)(void *user, p2p_view x, const size_t *idx, size_t count, double *value);
    double smoothness, convexity; /* L_i and mu; 0: unknown, step=auto refuses an unknown L */
    /**
     * The set, the same at all nodes, in the words of p2popt-problems(7): "simplex", "(box:lo=0,hi=1)", or one for
     * each layer, "simplex|ball:r=2". NULL: none. The text is not kept.
     */
    const char *set;
    /** Instead of set: x = the nearest point of Z, or prox_{step r}(x) of a common regulariser. */
    p2p_status (*prox)(void *user, double step, p2p_vec x);
    /** psi(x), where prox is that of a common regulariser. NULL: a set. */
    p2p_status (*regulariser)(void *user, p2p_view x, double *psi);
    /** s_i = sum over the samples z of ((1/count) d_i f_z(x))^2. NULL: methods that need it refuse. */
    p2p_status (*persample_sumsq)(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec s);
    /** h = Hessian of f_i over all samples at x, times v. NULL: methods that need it refuse. */
    p2p_status (*hvp)(void *user, p2p_view x, p2p_view v, p2p_vec h);
} p2p_problem_vt;

/** An oracle on local data. One thread at a time. */
typedef struct p2p_problem p2p_problem;

/**
 * Open a built-in problem on a shard: f_i of f(x) = (1/n) sum_i f_i(x). p2popt-problems(7) has the formulas.
 *
 * @param out  set to the new problem, owned by the caller; NULL on error.
 * @param spec "logistic:lambda=1e-3,weights=samples", "softmax:classes=10", "quadratic:mu=1,L=10,dim=20", ...
 * @param data borrowed until the problem is destroyed; NULL, and nothing else, for problems that draw their own;
 * consensus takes either.
 * @param type element type of the vectors that the oracles take and give. Everything is computed in double.
 * @param node, nodes, seed for problems that draw their data; nodes also for weights=samples.
 * @return P2P_OK; P2P_EPARSE (unknown problem or option); P2P_EINVAL (a value out of range, labels that do not fit,
 *         data missing or not wanted); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_problem_new(p2p_problem **out, const char *spec, const p2p_data *data, p2p_dtype type,
                                   size_t node, size_t nodes, uint64_t seed);

/** A user's problem; the table is copied, its layers too; user is passed back unchanged. */
P2P_API p2p_status p2p_problem_callback(p2p_problem **out, const p2p_problem_vt *table, void *user, p2p_dtype type);
P2P_API void p2p_problem_destroy(p2p_problem **self);

P2P_API size_t p2p_problem_dim(const p2p_problem *self);
P2P_API p2p_dtype p2p_problem_type(const p2p_problem *self);
P2P_API size_t p2p_problem_samples(const p2p_problem *self);
P2P_API unsigned p2p_problem_flags(const p2p_problem *self);
P2P_API const char *p2p_problem_spec(const p2p_problem *self);
P2P_API void p2p_problem_layers(const p2p_problem *self, size_t *count, const p2p_layer **layers);

/* ---- oracles. Vectors have the problem's dimension and type, sample indices lie below its samples, else P2P_EINVAL.
 * Means over samples; the regulariser counts once. With weights=samples everything is multiplied by n m_i / N.
 * No allocation in grad and value. */

/**
 * g = gradient of f_i over the samples idx[0 .. count) (NULL: all); a sample may occur more than once.
 *
 * @return P2P_OK; P2P_EDIVERGED (not finite: the sentence names layer and index); P2P_EINVAL; a callback's status.
 */
P2P_API p2p_status p2p_problem_grad(p2p_problem *self, p2p_view x, const size_t *idx, size_t count, p2p_vec g);
/** f_i(x) over the samples idx (NULL: all); infinite where it overflows. P2P_ENOTSUP if the problem has no value. */
P2P_API p2p_status p2p_problem_value(p2p_problem *self, p2p_view x, const size_t *idx, size_t count, double *value);
/**
 * s_i = sum over the samples z in idx (NULL: all) of ((1/count) d_i f_z(x))^2, each f_z with the regulariser: what is
 * known of the variance of a batch's gradient, entry by entry.
 *
 * Built-in models with samples offer it; at the first call some take a vector's memory. P2P_ENOTSUP where not
 * offered, P2P_EDIVERGED, P2P_EINVAL, P2P_ENOMEM.
 */
P2P_API p2p_status p2p_problem_persample_sumsq(p2p_problem *self, p2p_view x, const size_t *idx, size_t count,
                                               p2p_vec s);
/** Hessian of f_i at x over all samples, dim x dim row-major doubles; dim <= 4096. P2P_ENOTSUP where not offered. */
P2P_API p2p_status p2p_problem_hessian(p2p_problem *self, p2p_view x, double *hessian);
/** h = Hessian times v. P2P_ENOTSUP where not offered. */
P2P_API p2p_status p2p_problem_hvp(p2p_problem *self, p2p_view x, p2p_view v, p2p_vec h);
/**
 * L_i, the smoothness constant of f_i, and mu_i, that of strong convexity; 0 where unknown.
 *
 * L_i is not below the true bound and at most 1e-9 above it (relative), so that a step of 1/L_i is safe; mu_i is not
 * above. Computed at the first call, then kept. P2P_ENOMEM.
 */
P2P_API p2p_status p2p_problem_constants(p2p_problem *self, double *smoothness, double *convexity);
/** Share of local samples classified correctly at x, in [0, 1]. P2P_ENOTSUP where there are no classes. */
P2P_API p2p_status p2p_problem_accuracy(p2p_problem *self, p2p_view x, double *accuracy);
/** x_0: zero, or its nearest point of the set, except for consensus, whose nodes start apart. */
P2P_API p2p_status p2p_problem_start(p2p_problem *self, p2p_vec x);

/* ---- sets and regularisers, flag P2P_PROBLEM_PROX */

/**
 * x = argmin_z r(z) + ||z - x||^2 / (2 step), r the common regulariser: for a set the nearest point, whatever the
 * step. x stays as it is where there is neither.
 */
P2P_API p2p_status p2p_problem_prox(p2p_problem *self, double step, p2p_vec x);
/** psi(x), the value of the common regulariser, which is in no f_i: f(x) + psi(x) is minimised. 0 for a set, or none.
 */
P2P_API p2p_status p2p_problem_regulariser(p2p_problem *self, p2p_view x, double *psi);
/**
 * How far z is from the solution of a game on a bounded set: the largest F'(z - w) over w in Z. It is 0 at a solution
 * and above elsewhere; for a bilinear f it is the duality gap, max_v f(u, v) - min_u f(u, v).
 *
 * @param z a point of the set.
 * @param f F at z, the mean over all nodes.
 * @return P2P_OK; P2P_ENOTSUP: no bounded set; P2P_EINVAL.
 */
P2P_API p2p_status p2p_problem_duality_gap(p2p_problem *self, p2p_view z, p2p_view f, double *gap);

/** Minibatch rule: "replace" draws with replacement, "shuffle" walks permutations (spec: problems). */
typedef struct {
    size_t size; /* 0: full gradient */
    int shuffle;
} p2p_batch;

/**
 * Indices of step t of a node, from stream P2P_STREAM_BATCH.
 *
 * With m local samples and u = uniform(seed, node, round t): replace takes idx[j] = floor(u_j m). shuffle has
 * K = floor(m / size) batches an epoch; batch t is part t mod K of permutation(seed, node, round floor(t / K)).
 *
 * @param idx   room for batch->size entries.
 * @param count set to the number of indices; 0 means the full sum (size 0, or by replacement at least m).
 * @return P2P_OK; P2P_EINVAL: by shuffle more than m, or a problem without samples.
 */
P2P_API p2p_status p2p_problem_batch(p2p_problem *self, const p2p_batch *batch, uint64_t seed, uint32_t node,
                                     uint32_t t, size_t *idx, size_t *count);

/**
 * Worst error of the gradient against central differences of step h on 20 random coordinates, relative to the largest
 * entry of the gradient or 1. About 1e-8 is right for doubles and h = 1e-6. Needs a value.
 */
P2P_API p2p_status p2p_problem_check(p2p_problem *self, p2p_view x, double h, double *worst);

#ifdef __cplusplus
}
#endif
#endif
