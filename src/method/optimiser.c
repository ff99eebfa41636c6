#include "method/optimiser.h"

#include "exchange/exchange.h"
#include "method/optimiser_kernels.h"

#include <math.h>

enum { SGD, HEAVY_BALL, NESTEROV, ADD, ADAM, ADAMW, AMSGRAD, LAMB, LANS };

typedef struct {
    int first, second, largest, scratch; /* what state it has */
    int apart;                           /* the decay of weights is not part of g */
    double eps, wd;                      /* defaults */
    void (*step)(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr);
} row;

/* ---- momentum */

static void
step_sgd(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    (void)self;
    p2p_vec_axpy(x, -lr, p2p_view_of(g));
}

static void
step_heavy_ball(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    p2p_vec_axpby(self->m, 1 - self->p.damp, p2p_view_of(g), self->p.beta);
    p2p_vec_axpy(x, -lr, p2p_view_of(self->m));
}

/* g counts once more beside the momentum. */
static void
step_ahead(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    const double weight = self->p.kind == NESTEROV ? self->p.beta : 1;

    p2p_vec_axpby(self->m, 1 - self->p.damp, p2p_view_of(g), self->p.beta);
    p2p_vec_axpy(g, weight, p2p_view_of(self->m));
    p2p_vec_axpy(x, -lr, p2p_view_of(g));
}

/* ---- moments */

/* What the moments' start at 0 has made them too small by. */
static double
unbiased(double beta, double took)
{
    return 1 / (1 - pow(beta, took));
}

static void
step_adam(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    const p2pi_optimiser_param *p = &self->p;

    p2pi_moments(p->beta, p->beta2, p2p_view_of(g), self->m, self->v);
    if (p->kind == ADAMW)
        p2p_vec_scale(x, 1 - lr * p->wd);
    p2pi_over_root(unbiased(p->beta, self->took), p2p_view_of(self->m), unbiased(p->beta2, self->took),
                   p2p_view_of(self->v), 0, p->eps, g);
    p2p_vec_axpy(x, -lr, p2p_view_of(g));
}

static void
step_amsgrad(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    p2pi_moments(self->p.beta, self->p.beta2, p2p_view_of(g), self->m, self->v);
    p2pi_largest_moment(1, p2p_view_of(self->v), self->top);
    p2pi_over_root(1, p2p_view_of(self->m), 1, p2p_view_of(self->top), self->p.eps, 0, g);
    p2p_vec_axpy(x, -lr, p2p_view_of(g));
}

/* ---- layers */

static p2p_vec
part(p2p_vec v, const p2p_layer *layer)
{
    return (p2p_vec){ (char *)v.data + layer->offset * p2p_dtype_size(v.type), layer->rows * layer->cols, v.type };
}

/* Steps along r are measured by the layer's norm. */
static double
ratio(const p2pi_optimiser_param *p, p2p_vec x, p2p_vec r)
{
    const double of_x = p2p_vec_norm2(p2p_view_of(x)), of_r = p2p_vec_norm2(p2p_view_of(r));

    return of_x > 0 && of_r > 0 ? fmin(fmax(of_x, p->least), p->most) / of_r : 1;
}

static void
normalise(double eps, p2p_vec g)
{
    const double norm = p2p_vec_norm2(p2p_view_of(g));

    if (norm > 0)
        p2p_vec_scale(g, 1 / (norm + eps));
}

static void
step_layer(p2pi_optimiser *self, const p2p_layer *layer, p2p_vec x, p2p_vec g, double lr)
{
    const p2pi_optimiser_param *p = &self->p;
    const p2p_vec m = part(self->m, layer), v = part(self->v, layer), r = part(self->r, layer);
    const double b = unbiased(p->beta2, self->took), newest = p->kind == LANS ? 1 - p->beta : 0;
    double along_r, along_g = 0;

    if (newest > 0)
        normalise(p->eps, g);
    p2pi_moments(p->beta, p->beta2, p2p_view_of(g), m, v);
    p2pi_over_root(unbiased(p->beta, self->took), p2p_view_of(m), b, p2p_view_of(v), 0, p->eps, r);
    p2p_vec_axpy(r, p->wd, p2p_view_of(x));
    along_r = lr * (1 - newest) * ratio(p, x, r);
    if (newest > 0) {
        p2pi_over_root(1, p2p_view_of(g), b, p2p_view_of(v), 0, p->eps, g);
        p2p_vec_axpy(g, p->wd, p2p_view_of(x));
        along_g = lr * newest * ratio(p, x, g);
    }
    p2p_vec_axpy(x, -along_r, p2p_view_of(r));
    if (newest > 0)
        p2p_vec_axpy(x, -along_g, p2p_view_of(g));
}

static void
step_layers(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    for (size_t l = 0; l < self->layers; l++)
        step_layer(self, &self->layer[l], part(x, &self->layer[l]), part(g, &self->layer[l]), lr);
}

/* ---- */

static const row rows[] = {
    [SGD] = { .step = step_sgd },
    [HEAVY_BALL] = { .first = 1, .step = step_heavy_ball },
    [NESTEROV] = { .first = 1, .step = step_ahead },
    [ADD] = { .first = 1, .step = step_ahead },
    [ADAM] = { .first = 1, .second = 1, .eps = 1e-8, .step = step_adam },
    [ADAMW] = { .first = 1, .second = 1, .apart = 1, .eps = 1e-8, .wd = 0.01, .step = step_adam },
    [AMSGRAD] = { .first = 1, .second = 1, .largest = 1, .eps = 1e-8, .step = step_amsgrad },
    [LAMB] = { .first = 1, .second = 1, .scratch = 1, .apart = 1, .eps = 1e-6, .wd = 0.01, .step = step_layers },
    [LANS] = { .first = 1, .second = 1, .scratch = 1, .apart = 1, .eps = 1e-6, .wd = 0.01, .step = step_layers },
};

p2p_status
p2pi_optimiser_start(p2pi_optimiser *self, p2p_method_context *m, p2pi_optimiser_param *p)
{
    const row *r = &rows[p->kind];
    p2p_status st = P2P_OK;

    if (p2p_is_auto(p->eps))
        p->eps = r->eps;
    if (p2p_is_auto(p->wd))
        p->wd = r->wd;
    self->p = *p;
    p2p_problem_layers(m->problem, &self->layers, &self->layer);
    if (r->first)
        st = p2p_method_vector(m, "m", &self->m);
    if (st == P2P_OK && r->second)
        st = p2p_method_vector(m, "v", &self->v);
    if (st == P2P_OK && r->largest)
        st = p2p_method_vector(m, "top", &self->top);
    if (st == P2P_OK && r->scratch)
        st = p2p_method_scratch(m, &self->r);
    return st == P2P_OK && r->second ? p2p_method_scalar(m, "took", &self->took) : st;
}

void
p2pi_optimiser_step(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr)
{
    const row *r = &rows[self->p.kind];

    self->took++;
    if (!r->apart && self->p.wd > 0)
        p2p_vec_axpy(g, self->p.wd, p2p_view_of(x));
    r->step(self, x, g, lr);
}

double
p2pi_optimiser_factor(const p2pi_optimiser_param *p)
{
    switch (p->kind) {
    case SGD:
        return 1;
    case HEAVY_BALL:
    case NESTEROV:
    case ADD:
        return (1 - p->beta) / (1 - p->damp);
    default:
        return 0;
    }
}
