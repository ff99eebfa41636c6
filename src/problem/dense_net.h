/* A fully connected network: value and gradient of its loss over rows of data, in floats or in doubles. */
#ifndef P2PI_DENSE_NET_H
#define P2PI_DENSE_NET_H

#include "problem/rows.h"

/**
 * Layer l = 0 .. count - 1 maps widths[l] numbers to widths[l + 1]: z = W a + b, then the activation, but behind the
 * last. A vector of parameters is W (widths[l + 1] x widths[l], row-major) and b of each layer in turn.
 *
 * Rows are visited in blocks of at most `most`, whose matrices are multiplied by BLAS.
 */
typedef struct {
    size_t count;
    const size_t *widths;
    int tanh;                /* else the positive part, whose slope at 0 is 0 */
    const uint32_t *classes; /* of the rows: cross-entropy of the last layer's scores; NULL: squares */
    const double *numbers;   /* without classes: half the square of the one output's distance from it */
    double lambda;           /* lambda/2 |W|^2 of all layers */
    const p2pi_rows *rows;
    size_t most;
    void **a;   /* a[l], count + 1 of them: most x widths[l] doubles, what layer l - 1 gives; a[0] are rows */
    void *back; /* most x the largest of widths[1 ..]: what comes back from the layer above */
} p2pi_net;

/** Mean loss over m rows, index (NULL: the first m), and the regulariser. */
double p2pi_net_value(const p2pi_net *net, const size_t *index, size_t m, const double *x);
/** g = its gradient. */
void p2pi_net_grad_f32(const p2pi_net *net, const size_t *index, size_t m, const float *x, float *g);
void p2pi_net_grad_f64(const p2pi_net *net, const size_t *index, size_t m, const double *x, double *g);
/** How many of all rows have the largest score at their class; ties go to the lower class. */
size_t p2pi_net_right(const p2pi_net *net, const double *x);

#endif
