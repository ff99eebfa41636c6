/*
 * Flattened one-bit votes. With D the power of two from d on, H the orthonormal Walsh-Hadamard transform and s the
 * round's random signs, which all draw alike:
 *
 *     lam   the largest entry of all z_i = H (s o [v_i; 0]), unless it is given
 *     up    b_i = sign(z_i + lam (2 u - 1));   y = mean b_i
 *     down  r = sign(y + 2 u' - 1);   out = the first d of s o H (lam r)
 *
 * Unbiased where |z_i| <= lam. Stollenwerk, Jacques, arXiv:2405.11095, 2024.
 */
#include "base/fail.h"
#include "compress/kernels/hadamard.h"
#include "method/engine_state.h"
#include "method/training.h"
#include "method/training_kernels.h"

#include <p2popt/random.h>

#include <math.h>
#include <string.h>

enum { LAM_UP, LAM_DOWN, BITS_UP, BITS_DOWN, DOWN_STREAM = 64, SLOT = 256 };

static const double SMALLEST = 1e-300; /* of a number that is sent */

struct p2pi_flat_onebit {
    size_t D, lam_up, lam_down, bits_up, bits_down;
    double lam, *z, *u;
    p2p_vec b; /* D entries */
};

/* On a complete graph nothing goes down but for the node itself; a given lam needs no telling. */
static int
phase_of(const p2pi_training *self, const p2p_method_context *m, size_t stage)
{
    const int knows = !p2p_is_auto(self->p.lam);

    if (p2pi_has_hub(m))
        return (int)stage + (knows ? BITS_UP : LAM_UP);
    return knows ? BITS_UP + (int)stage : stage == 0 ? LAM_UP : BITS_UP + (int)stage - 1;
}

static p2p_status
flat_start(p2pi_training *self, p2p_method_context *m)
{
    static const char signs[] = "sign:norm=none";
    p2pi_arena *arena = engine_of(m)->arena;
    struct p2pi_flat_onebit *flat = p2pi_arena_take(arena, sizeof *flat);
    p2p_status st = p2pi_need_hub(m);

    if (st != P2P_OK || flat == NULL)
        return st != P2P_OK ? st : P2P_ENOMEM;
    self->flat = flat;
    self->stages = p2p_is_auto(self->p.lam) ? (p2pi_has_hub(m) ? 4 : 3) : 2;
    for (flat->D = 2; flat->D < m->setting->dim; flat->D *= 2)
        ;
    flat->z = p2pi_arena_array(arena, flat->D, sizeof *flat->z);
    flat->u = p2pi_arena_array(arena, flat->D, sizeof *flat->u);
    if (flat->z == NULL || flat->u == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_exchange_vector_of(m->exchange, NULL, flat->D, &flat->b)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_SCALAR, &flat->lam_up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_SCALAR, &flat->lam_down)) != P2P_OK ||
        (st = p2pi_exchange_slot_wide(m->exchange, 0, signs, 0, flat->D, &flat->bits_up)) != P2P_OK)
        return st;
    return p2pi_exchange_slot_wide(m->exchange, P2PI_SLOT_FROM_HUB, signs, 0, flat->D, &flat->bits_down);
}

/* ---- flattening */

static p2p_random
signs_of(const p2p_method_context *m)
{
    return p2p_random_open(engine_of(m)->seed, P2P_NODE_SHARED, m->round, P2P_STREAM_SHARED);
}

static void
flatten(p2pi_training *self, const p2p_method_context *m)
{
    const struct p2pi_flat_onebit *flat = self->flat;
    p2p_random r = signs_of(m);

    memset(flat->z, 0, flat->D * sizeof *flat->z);
    p2p_vec_convert((p2p_vec){ flat->z, self->v.dim, P2P_F64 }, p2p_view_of(self->v));
    p2pi_random_signs(&r, 1 / sqrt((double)flat->D), flat->D, flat->z);
    p2pi_hadamard(flat->D, flat->z);
}

/* out of what is in b. */
static void
raise(p2pi_training *self, const p2p_method_context *m)
{
    const struct p2pi_flat_onebit *flat = self->flat;
    const p2p_vec z = { flat->z, flat->D, P2P_F64 };
    p2p_random r = signs_of(m);

    p2p_vec_convert(z, p2p_view_of(flat->b));
    p2p_vec_scale(z, flat->lam / sqrt((double)flat->D));
    p2pi_hadamard(flat->D, flat->z);
    p2pi_random_signs(&r, 1, flat->D, flat->z);
    p2p_vec_convert(self->out, (p2p_view){ flat->z, self->out.dim, P2P_F64 });
}

/* b = the dithered signs of z, by a node's draws. */
static void
quantise(p2pi_training *self, const p2p_method_context *m, double lam, uint32_t node, uint32_t slot)
{
    const struct p2pi_flat_onebit *flat = self->flat;
    p2p_random r = p2p_random_open(engine_of(m)->seed, node, m->round, P2P_STREAM_COMPRESS + SLOT * slot);

    p2p_random_uniform(&r, flat->D, flat->u);
    p2pi_dithered_signs(flat->D, lam, flat->u, flat->z);
    p2p_vec_convert(flat->b, (p2p_view){ flat->z, flat->D, P2P_F64 });
}

/* ---- stages */

static p2p_status
send_lam_up(p2pi_training *self, p2p_method_context *m)
{
    const struct p2pi_flat_onebit *flat = self->flat;
    const double largest = p2p_vec_norminf((p2p_view){ flat->z, flat->D, P2P_F64 });

    if (!isfinite(largest))
        return p2p_fail(P2P_EDIVERGED, "a gradient is not finite");
    p2p_method_send_scalar(m, flat->lam_up, fmax(largest, SMALLEST));
    return P2P_OK;
}

static p2p_status
send_lam_down(p2pi_training *self, p2p_method_context *m)
{
    if (p2pi_is_hub(m))
        p2p_method_send_scalar(m, self->flat->lam_down, self->flat->lam);
    else
        p2pi_exchange_hold(m->exchange, self->flat->lam_down);
    return P2P_OK;
}

static p2p_status
send_bits_down(p2pi_training *self, p2p_method_context *m)
{
    struct p2pi_flat_onebit *flat = self->flat;

    if (!p2pi_is_hub(m)) {
        p2pi_exchange_hold(m->exchange, flat->bits_down);
        return P2P_OK;
    }
    p2p_vec_convert((p2p_vec){ flat->z, flat->D, P2P_F64 }, p2p_view_of(flat->b));
    quantise(self, m, 1, (uint32_t)m->setting->nodes, DOWN_STREAM);
    return p2p_method_send(m, flat->bits_down, p2p_view_of(flat->b), 1);
}

static p2p_status
flat_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    const int phase = phase_of(self, m, stage);

    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, phase == LAM_UP || phase == BITS_UP ? P2PI_TO_HUB : P2PI_FROM_HUB);
    if (stage == 0) {
        self->flat->lam = self->p.lam;
        flatten(self, m);
    }
    switch (phase) {
    case LAM_UP:
        return send_lam_up(self, m);
    case LAM_DOWN:
        return send_lam_down(self, m);
    case BITS_UP:
        quantise(self, m, self->flat->lam, (uint32_t)m->setting->rank, 0);
        return p2p_method_send(m, self->flat->bits_up, p2p_view_of(self->flat->b), 1);
    default:
        return send_bits_down(self, m);
    }
}

static p2p_status
flat_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    struct p2pi_flat_onebit *flat = self->flat;
    p2p_status st = P2P_OK;
    size_t count;

    switch (phase_of(self, m, stage)) {
    case LAM_UP:
        if (p2pi_is_hub(m))
            flat->lam = p2pi_exchange_largest_scalar(m->exchange, flat->lam_up);
        return P2P_OK;
    case LAM_DOWN:
        return p2pi_is_hub(m) ? P2P_OK : p2pi_exchange_scalar_from_hub(m->exchange, flat->lam_down, &flat->lam);
    case BITS_UP:
        if (p2pi_is_hub(m) && (st = p2pi_exchange_sum(m->exchange, flat->bits_up, flat->b, &count)) == P2P_OK)
            p2p_vec_scale(flat->b, 1 / (double)count);
        return st;
    default:
        st = p2pi_is_hub(m) ? p2p_method_sent(m, flat->bits_down, flat->b)
                            : p2pi_exchange_take_from_hub(m->exchange, flat->bits_down, flat->b);
        if (st == P2P_OK)
            raise(self, m);
        return st;
    }
}

const p2pi_combination p2pi_combine_flat_onebit = { flat_start, flat_emit, flat_absorb, 0 };
