/*
 * Fully connected networks of any depth: a_0 a row of data, a_l = act(W_l a_{l-1} + b_l), scores from the last layer
 * without act. Cross-entropy of K classes as for softmax, or half the squared distance of one output from the label;
 * lambda/2 sum |W_l|^2, biases are free. Weights start uniform in +-sqrt(6 / (fan_in + fan_out)), biases at 0.
 *
 * Source: Glorot, Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "problem/dense_net.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdio.h>

enum { WIDTH_MAX = 1000000, BLOCK = 128 };

typedef struct {
    p2p_text hidden;
    int64_t tanh, squares, classes;
    double lambda;
    int64_t weights;
} mlp_param;

typedef struct {
    mlp_param param; /* first: options are parsed into it */
    p2pi_net net;
} mlp;

/* ---- the oracle */

static double
mlp_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const mlp *s = self->state;

    return p2pi_net_value(&s->net, idx, idx ? count : self->samples, x);
}

static void
mlp_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const mlp *s = self->state;

    p2pi_net_grad_f64(&s->net, idx, idx ? count : self->samples, x, g);
}

static void
mlp_grad_f32(p2p_problem *self, const float *x, const size_t *idx, size_t count, float *g)
{
    const mlp *s = self->state;

    p2pi_net_grad_f32(&s->net, idx, idx ? count : self->samples, x, g);
}

static double
mlp_accuracy(p2p_problem *self, const double *x)
{
    const mlp *s = self->state;

    if (s->param.squares)
        return NAN;
    return (double)p2pi_net_right(&s->net, x) / (double)self->samples;
}

/* The same at every node. */
static void
mlp_start(p2p_problem *self, double *x)
{
    const mlp *s = self->state;

    for (size_t l = 0; l < s->net.count; l++) {
        const size_t in = s->net.widths[l], out = s->net.widths[l + 1];
        const double bound = sqrt(6.0 / (double)(in + out));
        p2p_random r = p2p_random_open(self->seed, (uint32_t)l + 1, 0, P2P_STREAM_INIT);

        p2p_random_uniform(&r, in * out, x);
        for (size_t i = 0; i < in * out; i++)
            x[i] = (2 * x[i] - 1) * bound;
        x += in * out;
        for (size_t i = 0; i < out; i++)
            x[i] = 0;
        x += out;
    }
}

/* ---- opening */

/* A number of 1 to WIDTH_MAX; else 0. */
static size_t
width_of(p2pi_span text)
{
    size_t width = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return 0;
        width = 10 * width + (size_t)(text.at[i] - '0');
        if (width > WIDTH_MAX)
            return 0;
    }
    return width;
}

/* The features, the widths of hidden=, and one more for the outputs. */
static p2p_status
take_widths(p2p_problem *self)
{
    mlp *s = self->state;
    const char *text = s->param.hidden.s;
    p2pi_span rest = p2pi_span_of(text), piece;
    size_t *widths, hidden = 0;

    for (const char *c = text; *c != '\0'; c++)
        hidden += *c == '/';
    if ((widths = p2pi_arena_array(self->arena, hidden + 3, sizeof *widths)) == NULL)
        return P2P_ENOMEM;
    s->net.widths = widths;
    *widths++ = s->net.rows->cols;
    while (p2pi_span_next(&rest, '/', &piece))
        if ((*widths++ = width_of(piece)) == 0)
            return p2p_fail(P2P_EINVAL, "hidden=%s: expected widths of 1 to %d, such as 64 or 128/64", text,
                            WIDTH_MAX);
    s->net.count = (size_t)(widths - s->net.widths);
    *widths = 1;
    return s->param.squares ? P2P_OK : p2pi_problem_classes(self, s->param.classes, widths, &s->net.classes);
}

static p2p_status
add_layer(p2p_problem *self, char kind, size_t l, size_t rows, size_t cols, unsigned flags)
{
    char text[32], *name;

    snprintf(text, sizeof text, "%c%zu", kind, l + 1);
    if ((name = p2pi_arena_text(self->arena, text)) == NULL)
        return P2P_ENOMEM;
    return p2pi_problem_layer(self, name, rows, cols, flags);
}

/* Every matrix has room for doubles, which is enough for floats. */
static p2p_status
take_room(p2p_problem *self)
{
    mlp *s = self->state;
    p2pi_net *net = &s->net;
    size_t widest = 1;

    net->most = self->samples < BLOCK ? self->samples : BLOCK;
    if ((net->a = p2pi_arena_array(self->arena, net->count + 1, sizeof *net->a)) == NULL)
        return P2P_ENOMEM;
    for (size_t l = 0; l <= net->count; l++) {
        if ((net->a[l] = p2pi_arena_array(self->arena, net->most * net->widths[l], sizeof(double))) == NULL)
            return P2P_ENOMEM;
        if (l > 0 && net->widths[l] > widest)
            widest = net->widths[l];
    }
    net->back = p2pi_arena_array(self->arena, net->most * widest, sizeof(double));
    return net->back != NULL ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
mlp_open(p2p_problem *self)
{
    mlp *s = self->state;
    p2p_status st;

    s->net.rows = &self->data->rows;
    s->net.tanh = (int)s->param.tanh;
    s->net.numbers = self->data->labels;
    s->net.lambda = s->param.lambda;
    p2pi_problem_weigh(self, s->param.weights);
    if ((st = take_widths(self)) != P2P_OK)
        return st;
    for (size_t l = 0; l < s->net.count; l++) {
        const size_t in = s->net.widths[l], out = s->net.widths[l + 1];

        if ((st = add_layer(self, 'W', l, out, in, P2P_LAYER_DECAY)) != P2P_OK ||
            (st = add_layer(self, 'b', l, out, 1, 0)) != P2P_OK)
            return st;
    }
    return take_room(self);
}

static const p2p_option mlp_options[] = {
    { "hidden", P2P_OPT_TEXT, "64", NULL, NULL, "widths of the hidden layers, first to last, as in 128/64",
      offsetof(mlp_param, hidden) },
    { "act", P2P_OPT_CHOICE, "relu", "relu|tanh", NULL, "activation of the hidden layers",
      offsetof(mlp_param, tanh) },
    { "loss", P2P_OPT_CHOICE, "cross-entropy", "cross-entropy|squares", NULL,
      "of classes, or of one output against numbers as labels", offsetof(mlp_param, squares) },
    { "classes", P2P_OPT_INT, "auto", "2", "1000", "number of classes; auto: as in the data",
      offsetof(mlp_param, classes) },
    { "lambda|lam", P2P_OPT_REAL, "1e-4", "0", NULL, "weight of the regulariser", offsetof(mlp_param, lambda) },
    P2PI_WEIGHTS_OPTION(mlp_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_mlp = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "mlp", "fully connected network of any depth + lambda/2 |W|^2", "Glorot, Bengio, AISTATS 2010",
               mlp_options, sizeof(mlp_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(mlp),
    .open = mlp_open,
    .value = mlp_value,
    .grad = mlp_grad,
    .grad_f32 = mlp_grad_f32,
    .constants = p2pi_problem_unbounded,
    .accuracy = mlp_accuracy,
    .start = mlp_start,
};
