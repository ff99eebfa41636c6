#include "lockstep.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdlib.h>

static void
agree_max(lockstep *self)
{
    double *const *values;
    size_t count = p2pi_engine_agreement(self->engines[0], &values);

    for (size_t v = 0; v < count; v++) {
        double largest = -INFINITY;

        for (size_t i = 0; i < self->count; i++) {
            p2pi_engine_agreement(self->engines[i], &values);
            largest = fmax(largest, *values[v]);
        }
        for (size_t i = 0; i < self->count; i++) {
            p2pi_engine_agreement(self->engines[i], &values);
            *values[v] = largest;
        }
    }
}

p2p_status
lockstep_new(lockstep *out, const p2pi_engine_config *common, p2p_problem *const *problems, const void *start)
{
    p2pi_engine_config config = *common;
    p2p_status st;

    *out = (lockstep){ .count = p2p_topology_size(common->topology),
                       .topology = common->topology,
                       .seed = common->seed };
    if ((out->engines = calloc(out->count, sizeof *out->engines)) == NULL)
        return P2P_ENOMEM;
    st = p2pi_pool_new(&out->pool);
    for (size_t i = 0; i < out->count && st == P2P_OK; i++) {
        size_t dim = p2p_problem_dim(problems[i]);
        p2p_dtype type = p2p_problem_type(problems[i]);

        config.rank = i;
        config.problem = problems[i];
        config.pool = out->pool;
        if (start != NULL)
            config.start = (p2p_view){ (const char *)start + i * dim * p2p_dtype_size(type), dim, type };
        st = p2pi_engine_new(&out->engines[i], &config);
    }
    if (st != P2P_OK)
        lockstep_clear(out);
    else
        agree_max(out);
    return st;
}

void
lockstep_clear(lockstep *self)
{
    for (size_t i = 0; i < self->count && self->engines != NULL; i++)
        p2pi_engine_destroy(&self->engines[i]);
    free(self->engines);
    self->engines = NULL;
    p2pi_pool_destroy(&self->pool);
}

/* Index of node j among the neighbours of i; the degree if it is none. */
static size_t
index_of(const lockstep *self, size_t i, size_t j)
{
    p2p_neighbourhood at = p2p_topology_at(self->topology, i);
    size_t k = 0;

    while (k < at.degree && at.peers[k] != j)
        k++;
    return k;
}

static p2p_status
emit(lockstep *self, size_t i, uint32_t round, size_t stage)
{
    double before = p2pi_engine_bits_nominal(self->engines[i]), sent;
    p2p_status st = p2pi_engine_emit(self->engines[i], round, stage);

    sent = p2pi_engine_bits_nominal(self->engines[i]) - before;
    self->bits_encoded += sent;
    if (p2p_topology_at(self->topology, 0).degree > 0)
        *(p2pi_engine_sends(self->engines[0], 0) ? &self->bits_down : &self->bits_up) += sent;
    for (size_t k = 0; k < p2p_topology_at(self->topology, i).degree; k++)
        self->bits_sent += p2pi_engine_sends(self->engines[i], k) ? sent : 0;
    return st;
}

p2p_status
lockstep_hand(p2pi_engine *to, size_t neighbour, uint32_t slot, const uint8_t *bytes, size_t len)
{
    return p2pi_engine_deliver(to, neighbour, slot, (p2pi_message){ bytes, len, 0 });
}

static p2p_status
deliver(lockstep *self, size_t from, size_t to, uint32_t round)
{
    const p2pi_outgoing *messages;
    size_t count = p2pi_engine_outgoing(self->engines[from], &messages), at = index_of(self, to, from);
    int carried = p2pi_engine_sends(self->engines[from], index_of(self, from, to));
    p2p_status st = P2P_OK;

    if (self->arrives != NULL && !self->arrives(self->user, round, from, to))
        return P2P_OK;
    for (size_t m = 0; m < count && st == P2P_OK; m++) {
        p2pi_message message = { messages[m].bytes, carried ? messages[m].len : 0, messages[m].doublings };

        if (self->said != NULL)
            st = self->said(self->user, round, from, to, &message);
        if (st == P2P_OK)
            st = p2pi_engine_deliver(self->engines[to], at, messages[m].slot, message);
    }
    return st;
}

/* Event t of asynchronous gossip: node i asks neighbour j, both drawn. */
static p2p_status
meet(lockstep *self, uint32_t round, uint32_t t, uint8_t *answer)
{
    p2p_random draw = p2p_random_open(self->seed, 0, t, P2P_STREAM_TOPOLOGY);
    const p2pi_outgoing *asks;
    p2p_neighbourhood at;
    size_t i, k, j, len;
    double u[2];
    p2p_status st;

    p2p_random_uniform(&draw, 2, u);
    i = (size_t)(u[0] * (double)self->count);
    at = p2p_topology_at(self->topology, i);
    k = (size_t)(u[1] * (double)at.degree);
    j = at.peers[k];
    if ((st = p2pi_engine_emit(self->engines[i], round, 0)) != P2P_OK)
        return st;
    p2pi_engine_outgoing(self->engines[i], &asks);
    if ((st = p2pi_engine_meet(self->engines[j], index_of(self, j, i), 0.5, asks[0].bytes, asks[0].len, answer,
                               &len)) != P2P_OK ||
        (st = p2pi_engine_settle(self->engines[i], k, answer, len)) != P2P_OK)
        return st;
    return p2pi_engine_absorb(self->engines[i], 0);
}

/* As many events as there are nodes. */
static p2p_status
meetings(lockstep *self, uint32_t round)
{
    uint8_t *answer = malloc(p2pi_engine_bound(self->engines[0]));
    p2p_status st = answer ? P2P_OK : P2P_ENOMEM;

    for (uint32_t e = 0; e < self->count && st == P2P_OK; e++)
        st = meet(self, round, round * (uint32_t)self->count + e, answer);
    free(answer);
    self->bits_encoded = 0;
    for (size_t i = 0; i < self->count; i++)
        self->bits_encoded += p2pi_engine_bits_nominal(self->engines[i]);
    self->bits_sent = self->bits_encoded;
    return st;
}

p2p_status
lockstep_round(lockstep *self, uint32_t round)
{
    p2p_status st = P2P_OK;

    if (p2pi_engine_is_asynchronous(self->engines[0]))
        return meetings(self, round);
    for (size_t stage = 0; stage < p2pi_engine_stages(self->engines[0]) && st == P2P_OK; stage++) {
        for (size_t i = 0; i < self->count && st == P2P_OK; i++)
            st = emit(self, i, round, stage);
        for (size_t i = 0; i < self->count && st == P2P_OK; i++) {
            p2p_neighbourhood at = p2p_topology_at(self->topology, i);

            for (size_t k = 0; k < at.degree && st == P2P_OK; k++)
                st = deliver(self, at.peers[k], i, round);
        }
        for (size_t i = 0; i < self->count && st == P2P_OK; i++)
            st = p2pi_engine_absorb(self->engines[i], stage);
    }
    return st;
}

p2p_status
lockstep_rounds(lockstep *self, uint32_t first, uint32_t last)
{
    p2p_status st = P2P_OK;

    for (uint32_t k = first; k < last && st == P2P_OK; k++)
        st = lockstep_round(self, k);
    return st;
}

double
lockstep_error(const lockstep *self, const double *x)
{
    double difference = 0, norm = 0;

    for (size_t i = 0; i < self->count; i++) {
        p2p_view row = p2pi_engine_iterate(self->engines[i]);

        for (size_t k = 0; k < row.dim; k++) {
            difference += (p2p_vec_get(row, k) - x[k]) * (p2p_vec_get(row, k) - x[k]);
            norm += x[k] * x[k];
        }
    }
    return sqrt(difference / norm);
}

static void
tell(lockstep *self)
{
    for (size_t i = 0; i < self->count; i++)
        p2pi_engine_changed(self->engines[i]);
}

void
lockstep_drop(lockstep *self, size_t i, size_t j)
{
    tell(self);
    p2pi_engine_drop(self->engines[i], index_of(self, i, j));
    p2pi_engine_drop(self->engines[j], index_of(self, j, i));
}

static p2p_status
take_state(lockstep *self, size_t from, size_t to)
{
    size_t bytes = p2pi_engine_shared_size(self->engines[from]);
    uint8_t *shared = malloc(bytes + 1);
    p2p_status st;

    if (shared == NULL)
        return P2P_ENOMEM;
    p2pi_engine_shared_export(self->engines[from], shared);
    st = p2pi_engine_restore(self->engines[to], index_of(self, to, from), shared, bytes);
    free(shared);
    return st;
}

p2p_status
lockstep_restore(lockstep *self, size_t i, size_t j)
{
    p2p_status st = take_state(self, i, j);

    tell(self);
    return st == P2P_OK ? take_state(self, j, i) : st;
}
