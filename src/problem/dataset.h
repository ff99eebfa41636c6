/* Data sets: rows with labels, and what is known of the labels. */
#ifndef P2PI_DATASET_H
#define P2PI_DATASET_H

#include "base/arena.h"
#include "problem/rows.h"

#include <p2popt/data.h>

enum { P2PI_CLASSES_MAX = 1000 };

/** The distinct labels of a whole set; count 0: too many, or not all of them integers. */
typedef struct {
    size_t count;
    double low, high;
} p2pi_classes;

struct p2p_data {
    p2pi_arena *arena; /* holds everything below */
    p2pi_rows rows;
    const double *labels;
    size_t total; /* rows of the whole set */
    size_t first; /* rows that were dealt to the nodes before */
    p2pi_classes classes;
    char notice[96];
};

p2pi_classes p2pi_classes_of(const double *labels, size_t count);

/** Labels as +-1 by two-class problems: +-1, 0/1 and 1/2 are taken; b = label * scale + shift. P2P_EINVAL. */
p2p_status p2pi_classes_signs(const p2pi_classes *self, double *scale, double *shift);

/**
 * Labels as 0 .. K-1: 0..K-1, 1..K, and for two classes +-1.
 *
 * @param count wanted number of classes; 0: as many as the set has, none missing in between.
 * @return P2P_OK, *count and class = label * scale + shift; P2P_EINVAL says what the labels are.
 */
p2p_status p2pi_classes_numbers(const p2pi_classes *self, size_t *count, double *scale, double *shift);

/** Whether rows of this many stored entries are kept dense: above 40 %. */
int p2pi_dense_pays(size_t rows, size_t cols, size_t entries);

/**
 * A data set with room for its rows: values, columns and starts (sparse only) and labels are the caller's to fill.
 *
 * @param entries stored entries of a sparse set; a dense set has rows * cols.
 */
typedef struct {
    double *values;
    uint32_t *columns;
    size_t *starts;
    double *labels;
} p2pi_data_room;
p2p_status p2pi_data_make(p2p_data **out, p2pi_data_room *room, size_t rows, size_t cols, int dense, size_t entries);
/** What is known of the whole set and of the place in it, and the notice that follows from it. */
void p2pi_data_describe(p2p_data *self, size_t total, size_t first, const p2pi_classes *classes);

/** Wrong labels, for tests of swarms with liars: class c of 0 .. K-1 becomes K-1-c, others change sign. P2P_ENOMEM.
 */
p2p_status p2pi_data_flip_labels(p2p_data *self);

#endif
