/*
 * NIDS = exact diffusion, and D2: the uncompressed methods whose step does not depend on the graph.
 *
 *     h^k = x^k - step grad f(x^k)
 *     round 0:  x^1 = prox(h^0), nothing is sent           (mixed, or a node that joins late: u = h -> sent, as
 * below) then:     u^k = x^k + h^k - h^{k-1}  -> sent p^{k+1} = p^k + lazy sum_j w_ij (u_i - u_j);  x^{k+1} =
 * prox_{step r}(h^k - p^{k+1})
 *
 * This is the textbook recursion z^{k+1} = z^k - x^k + (1 - lazy) u^k + lazy W u^k, x = prox(z), summed up over k:
 * z^{k+1} = h^k - p^{k+1}. The sum p is kept per edge, so that its total over the swarm is zero whatever edges go.
 *
 * lazy = 1/2 is NIDS, lazy = 1 D2 (faster, but it needs lambda_min(W) > -1/3).
 *
 * Sources: Li, Shi, Yan, IEEE TSP 2019, arXiv:1704.07807; Yuan, Ying, Zhao, Sayed, IEEE TSP 2019; Tang et al., "D2",
 * ICML 2018, arXiv:1803.07068.
 */
#include "method/automatic.h"
#include "method/composite.h"

typedef struct {
    double step, lazy;
    int64_t mixed;
    p2p_text prox;
} nids_param;

typedef struct {
    nids_param p;
    p2pi_prox prox;
    double begun; /* 0 in the first round of this node: state "begun" */
    size_t slot;
    p2p_vec h, u; /* h: of the round before until emit has used it */
    p2p_edge_duals *duals;
} nids;

/* (1 - lazy) I + lazy W must have no eigenvalue at or below -1/3. */
static p2p_status
check_lazy(const nids *self, const p2p_method_context *m)
{
    const p2p_setting *at = m->setting;
    double least = 1 - self->p.lazy * at->beta;

    if (at->beta > 0 && least <= -1.0 / 3 + 1e-9)
        return p2p_fail(P2P_ENOTSUP,
                        "lazy=%g: the smallest eigenvalue of (1 - lazy) I + lazy W is %.4f, expected above "
                        "-1/3: use lazy below %.4f, or mixing weights with a larger diagonal (lazy)",
                        self->p.lazy, least, 4 / (3 * at->beta));
    return P2P_OK;
}

static p2p_status
nids_start(void *instance, p2p_method_context *m)
{
    nids *self = instance;
    p2p_status st;

    if ((st = p2pi_composite_start(&self->prox, &self->p.prox, m)) != P2P_OK ||
        (st = p2pi_auto_step(m, 1, 2, &self->p.step)) != P2P_OK || (st = check_lazy(self, m)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot)) != P2P_OK ||
        (st = p2p_method_scalar(m, "begun", &self->begun)) != P2P_OK ||
        (st = p2p_method_vector(m, "h", &self->h)) != P2P_OK || (st = p2p_method_scratch(m, &self->u)) != P2P_OK)
        return st;
    return p2p_method_edge_duals(m, "p", &self->duals);
}

/* Round 0 needs no exchange, unless the first step is to be mixed too. */
static int
is_quiet(const nids *self, const p2p_method_context *m)
{
    return m->round == 0 && !self->p.mixed;
}

static p2p_status
nids_emit(void *instance, p2p_method_context *m, size_t stage)
{
    nids *self = instance;
    p2p_vec h = self->h, u = self->u;
    p2p_status st;

    (void)stage;
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), u)) != P2P_OK)
        return st;
    if (self->begun == 0) {
        p2p_vec_combine(h, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(u));
        self->begun = 1;
        return is_quiet(self, m) ? P2P_OK : p2p_method_send(m, self->slot, p2p_view_of(h), 1);
    }
    p2p_vec_combine3(u, 2, p2p_view_of(m->x), -self->p.step, p2p_view_of(u), -1, p2p_view_of(h));
    /* h^k = u^k - x^k + h^{k-1} */
    p2p_vec_combine3(h, 1, p2p_view_of(u), -1, p2p_view_of(m->x), 1, p2p_view_of(h));
    return p2p_method_send(m, self->slot, p2p_view_of(u), 1);
}

static p2p_status
nids_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    nids *self = instance;
    const p2p_vec no_s = { NULL, m->x.dim, m->x.type };

    (void)stage;
    if (!is_quiet(self, m))
        p2p_method_laplacian_dual(m, self->slot, self->p.lazy, self->duals, no_s);
    p2p_vec_sub(m->x, p2p_view_of(self->h), p2p_edge_duals_sum(m, self->duals));
    return p2pi_composite_step(&self->prox, m, self->p.step, m->x);
}

/* The members differ in their names and in the default of lazy. */
#define STEP                                                                                                         \
    {                                                                                                                \
        "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 2/L", offsetof(nids_param, step)                 \
    }
#define LAZY(value)                                                                                                  \
    {                                                                                                                \
        "lazy", P2P_OPT_REAL, value, "(0", "1", "share of W in the mixing", offsetof(nids_param, lazy)               \
    }
#define MIXED                                                                                                        \
    {                                                                                                                \
        "mixed", P2P_OPT_BOOL, "no", NULL, NULL, "mix in the first round too", offsetof(nids_param, mixed)           \
    }
#define PROX                                                                                                         \
    {                                                                                                                \
        "prox", P2P_OPT_TEXT, "none", NULL, NULL, P2PI_PROX_HELP, offsetof(nids_param, prox)                         \
    }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

static const p2p_option nids_options[] = { STEP, LAZY("1/2"), MIXED, PROX, END };
static const p2p_option d2_options[] = { STEP, LAZY("1"), MIXED, PROX, END };

#define NIDS_TABLE(name, help, source, options)                                                                      \
    {                                                                                                                \
        .size = sizeof(p2p_method_vt), .entry = { name, help, source, options, sizeof(nids_param) },                 \
        .traits = P2P_METHOD_DUAL | P2P_METHOD_RAW | P2P_METHOD_EXACT | P2P_METHOD_PROX,                             \
        .instance_size = sizeof(nids), .stages = 1, .start = nids_start, .emit = nids_emit, .absorb = nids_absorb    \
    }
const p2p_method_vt p2pi_method_nids = NIDS_TABLE(
    "nids", "NIDS: exact and linear, uncompressed; step independent of the graph", "arXiv:1704.07807", nids_options);
const p2p_method_vt p2pi_method_exact_diffusion = NIDS_TABLE(
    "exact-diffusion", "exact diffusion: the same recursion as nids", "Yuan et al., IEEE TSP 2019", nids_options);
const p2p_method_vt p2pi_method_d2 =
    NIDS_TABLE("d2", "D2: nids with full mixing; needs lambda_min(W) > -1/3", "arXiv:1803.07068", d2_options);
