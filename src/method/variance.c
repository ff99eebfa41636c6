/*
 * variance: what is certain. Sums of gradients wait until their sign is beyond doubt by the gradients of single
 * samples:
 *
 *     e += g;  s += sum_z (g_z / B)^2;   send e_j where e_j^2 > alpha s_j, then e_j = s_j = 0;   elsewhere s_j *=
 * zeta
 *
 * values=pow2 sends the nearest power of two, if it is not more than 7 doublings below the largest sent of the layer;
 * what is lost of it is lost. Every sample's gradient is asked for by itself.
 *
 * Tsuzuku, Imachi, Akiba, ICLR workshop 2018, arXiv:1802.06058.
 */
#include "base/fail.h"
#include "base/text.h"
#include "method/engine_state.h"
#include "method/training.h"
#include "method/training_kernels.h"

#include <math.h>

enum { POW2, EXACT, DOUBLINGS = 7 };

static p2p_status
certain_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    if (p2p_problem_samples(m->problem) == 0)
        return p2p_fail(P2P_ENOTSUP, "method \"%s\" needs a problem with samples: \"%s\" has none",
                        m->setting->method, p2p_problem_spec(m->problem));
    /* What is sent passes through these as it is. */
    p2pi_text_append(self->p.up.s, sizeof self->p.up.s, "threshold:lambda=1e-37%s",
                     self->p.values == POW2 ? "+cnat" : "");
    if ((st = p2p_method_vector(m, "e", &self->e)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "s", &self->second);
}

/* e and s take in the gradient of sample z, one of `count`. */
static p2p_status
take_sample(p2pi_training *self, p2p_method_context *m, size_t z, size_t count)
{
    const double share = 1 / (double)count;
    p2p_status st = p2p_problem_grad(m->problem, p2p_view_of(m->x), &z, 1, self->q);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpy(self->e, share, p2p_view_of(self->q));
    p2pi_add_squares(share * share, p2p_view_of(self->q), self->second);
    return P2P_OK;
}

static p2p_status
take_batch(p2pi_training *self, p2p_method_context *m)
{
    const p2pi_engine *engine = engine_of(m);
    size_t count = 0;
    p2p_status st = P2P_OK;

    if (engine->batch.size > 0)
        st = p2p_problem_batch(m->problem, &engine->batch, engine->seed, (uint32_t)m->setting->rank, m->round,
                               engine->samples, &count);
    if (count > 0) {
        for (size_t i = 0; i < count && st == P2P_OK; i++)
            st = take_sample(self, m, engine->samples[i], count);
        return st;
    }
    count = p2p_problem_samples(m->problem);
    for (size_t z = 0; z < count && st == P2P_OK; z++)
        st = take_sample(self, m, z, count);
    return st;
}

/* Of the power of two nearest to |x|. */
static int
exponent_of(double x)
{
    int e;
    const double fraction = frexp(fabs(x), &e);

    return e - 1 + (fraction >= 0.75);
}

static int
is_certain(const p2pi_training *self, size_t j)
{
    const double e = p2p_vec_get(p2p_view_of(self->e), j);

    return e * e > self->p.alpha * p2p_vec_get(p2p_view_of(self->second), j);
}

static int
largest_exponent(const p2pi_training *self, const p2p_layer *layer)
{
    int largest = INT32_MIN / 2;

    for (size_t j = layer->offset; j < layer->offset + layer->rows * layer->cols; j++)
        if (is_certain(self, j)) {
            const int e = exponent_of(p2p_vec_get(p2p_view_of(self->e), j));

            largest = e > largest ? e : largest;
        }
    return largest;
}

static void
decide(p2pi_training *self, const p2p_layer *layer)
{
    const int pow2 = self->p.values == POW2, largest = pow2 ? largest_exponent(self, layer) : 0;

    for (size_t j = layer->offset; j < layer->offset + layer->rows * layer->cols; j++) {
        const double e = p2p_vec_get(p2p_view_of(self->e), j), s = p2p_vec_get(p2p_view_of(self->second), j);
        const int sent = is_certain(self, j) && (!pow2 || exponent_of(e) >= largest - DOUBLINGS);

        p2p_vec_set(self->v, j, !sent ? 0 : pow2 ? copysign(ldexp(1, exponent_of(e)), e) : e);
        p2p_vec_set(self->e, j, sent ? 0 : e);
        p2p_vec_set(self->second, j, sent ? 0 : self->p.zeta * s);
    }
}

static p2p_status
certain_emit(p2pi_training *self, p2p_method_context *m)
{
    const p2p_layer *layer;
    size_t layers;
    p2p_status st = take_batch(self, m);

    p2p_problem_layers(m->problem, &layers, &layer);
    for (size_t l = 0; l < layers && st == P2P_OK; l++)
        decide(self, &layer[l]);
    return st;
}

static const p2pi_source certain = { .start = certain_start, .emit = certain_emit };

static const p2p_option variance_options[] = {
    P2PI_TRAINING_STEP("auto"),
    { "alpha", P2P_OPT_REAL, "1.5", "0.5", "16", "how certain a sign must be", offsetof(p2pi_training_param, alpha) },
    { "zeta", P2P_OPT_REAL, "0.999", "0", "1", "decay of the second moment where nothing is sent",
      offsetof(p2pi_training_param, zeta) },
    { "values", P2P_OPT_CHOICE, "pow2", "pow2|exact", NULL, "powers of two, or what is owed",
      offsetof(p2pi_training_param, values) },
    P2PI_TRAINING_OPTIMISER("heavy-ball"),
    P2PI_TRAINING_DOWN("none"),
    P2PI_TRAINING_END
};

P2PI_TRAINING_ROW(variance, "variance",
                  "sums until they are certain, their own, hub(few entries), heavy-ball: delayed", "arXiv:1802.06058",
                  variance_options, &certain, &p2pi_feedback_none, &p2pi_combine_hub);
