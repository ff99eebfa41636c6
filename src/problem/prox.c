#include "problem/prox.h"

#include <math.h>

#define REAL float
#define FN(name) name##_f32
#include "problem/prox_kernels.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "problem/prox_kernels.inc"
#undef REAL
#undef FN

enum { NONE, L1, BOX, ORTHANT, BALL, L1_BALL, SIMPLEX };

static const p2p_option l1_options[] = { { "lambda", P2P_OPT_REAL, "0.01", "0", NULL, "weight of the 1-norm",
                                           offsetof(p2pi_prox, a) },
                                         { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
static const p2p_option box_options[] = {
    { "lo", P2P_OPT_REAL, "0", NULL, NULL, "lower bound of every entry", offsetof(p2pi_prox, a) },
    { "hi", P2P_OPT_REAL, "1", NULL, NULL, "upper bound of every entry", offsetof(p2pi_prox, b) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
static const p2p_option ball_options[] = { { "r", P2P_OPT_REAL, "1", "(0", NULL, "radius in the 2-norm",
                                             offsetof(p2pi_prox, a) },
                                           { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
static const p2p_option l1_ball_options[] = { { "r", P2P_OPT_REAL, "1", "(0", NULL, "radius in the 1-norm",
                                                offsetof(p2pi_prox, a) },
                                              { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
static const p2p_option simplex_options[] = { { "total", P2P_OPT_REAL, "1", "(0", NULL, "sum of the entries",
                                                offsetof(p2pi_prox, a) },
                                              { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
static const p2p_entry regularisers[] = {
    [NONE] = { "none", "no regulariser", "", NULL, sizeof(p2pi_prox) },
    [L1] = { "l1", "lambda ||x||_1", "", l1_options, sizeof(p2pi_prox) },
    [BOX] = { "box", "lo <= x_i <= hi", "", box_options, sizeof(p2pi_prox) },
    [ORTHANT] = { "orthant", "x_i >= 0", "", NULL, sizeof(p2pi_prox) },
    [BALL] = { "ball", "||x||_2 <= r", "", ball_options, sizeof(p2pi_prox) },
    [L1_BALL] = { "l1-ball", "||x||_1 <= r", "", l1_ball_options, sizeof(p2pi_prox) },
    [SIMPLEX] = { "simplex", "x_i >= 0, sum x_i = total", "", simplex_options, sizeof(p2pi_prox) },
};

static const p2p_entry *
regulariser(size_t i)
{
    return i < sizeof regularisers / sizeof regularisers[0] ? &regularisers[i] : NULL;
}

p2p_status
p2pi_prox_parse(p2pi_prox *out, p2pi_span text)
{
    p2pi_span name, options;
    p2p_status st;
    size_t i;

    if (text.len >= 2 && text.at[0] == '(' && text.at[text.len - 1] == ')')
        text = (p2pi_span){ text.at + 1, text.len - 2 };
    p2pi_spec_split(text, &name, &options);
    if ((st = p2pi_spec_find("regulariser", name, regulariser, &i)) != P2P_OK ||
        (st = p2pi_spec_parse("regulariser", &regularisers[i], options, out)) != P2P_OK)
        return st;
    out->kind = (int)i;
    if (i == BOX && out->a > out->b)
        return p2p_fail(P2P_EINVAL, "regulariser \"box\": lo=%g is above hi=%g", out->a, out->b);
    return P2P_OK;
}

void
p2pi_prox_apply(const p2pi_prox *self, double step, p2p_vec x)
{
    double norm;

    switch (self->kind) {
    case L1:
        if (x.type == P2P_F32)
            shrink_f32(x.dim, (float)(step * self->a), x.data);
        else
            shrink_f64(x.dim, step * self->a, x.data);
        break;
    case BOX:
        if (x.type == P2P_F32)
            clip_f32(x.dim, (float)self->a, (float)self->b, x.data);
        else
            clip_f64(x.dim, self->a, self->b, x.data);
        break;
    case ORTHANT:
        if (x.type == P2P_F32)
            clip_f32(x.dim, 0, INFINITY, x.data);
        else
            clip_f64(x.dim, 0, INFINITY, x.data);
        break;
    case BALL:
        if ((norm = p2p_vec_norm2(p2p_view_of(x))) > self->a)
            p2p_vec_scale(x, self->a / norm);
        break;
    case L1_BALL:
        if (p2p_vec_norm1(p2p_view_of(x)) <= self->a)
            break;
        if (x.type == P2P_F32)
            sphere_f32(x.dim, self->a, x.data);
        else
            sphere_f64(x.dim, self->a, x.data);
        break;
    case SIMPLEX:
        if (x.type == P2P_F32)
            simplex_f32(x.dim, self->a, x.data);
        else
            simplex_f64(x.dim, self->a, x.data);
        break;
    }
}

double
p2pi_prox_value(const p2pi_prox *self, p2p_view x)
{
    return self->kind == L1 ? self->a * p2p_vec_norm1(x) : 0;
}

int
p2pi_prox_is_free(const p2pi_prox *self)
{
    return self->kind == NONE;
}

int
p2pi_prox_is_bounded(const p2pi_prox *self)
{
    return self->kind == BOX || self->kind == BALL || self->kind == L1_BALL || self->kind == SIMPLEX;
}

static double
lowest_in_box(double lo, double hi, p2p_view g)
{
    double sum = 0;

    for (size_t i = 0; i < g.dim; i++) {
        double at = p2p_vec_get(g, i);

        sum += at * (at > 0 ? lo : hi);
    }
    return sum;
}

static double
smallest(p2p_view g)
{
    double least = INFINITY;

    for (size_t i = 0; i < g.dim; i++)
        least = fmin(least, p2p_vec_get(g, i));
    return least;
}

double
p2pi_prox_lowest(const p2pi_prox *self, p2p_view g)
{
    switch (self->kind) {
    case BOX:
        return lowest_in_box(self->a, self->b, g);
    case BALL:
        return -self->a * p2p_vec_norm2(g);
    case L1_BALL:
        return -self->a * p2p_vec_norminf(g);
    case SIMPLEX:
        return self->a * smallest(g);
    }
    return -INFINITY;
}
