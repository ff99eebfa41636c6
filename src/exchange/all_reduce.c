#include "exchange/all_reduce.h"

#include "base/fail.h"
#include "compress/collective.h"
#include "compress/frames/frame_head.h"
#include "exchange/exchange_state.h"

#include <string.h>

enum { SPARE = 64 /* codecs may touch some bytes behind what they write */ };

struct p2pi_all_reduce {
    p2p_exchange *exchange;
    p2p_compressor *compressor;
    uint32_t stream;
    size_t from, dim; /* its entries of a vector */
    size_t slot, steps_a_stage, stages_most;
    size_t room;                      /* bytes of a buffer */
    uint8_t *buffer[P2PI_STAGES_MAX]; /* own part of a stage, then what it was reduced to */
    uint8_t *scratch, *total;
    const p2pi_stage *stage; /* of the round */
    size_t stages, step;
};

/* A part of a stage: elements, and where they are in its buffer. */
typedef struct {
    size_t from, count, at, bytes;
} segment;

static p2p_env
env_of(const p2pi_all_reduce *self)
{
    p2p_env env = exchange_env(self->exchange, &self->exchange->slots[self->slot], self->exchange->rank, 0);

    env.slot = self->stream;
    return env;
}

static size_t
nodes_of(const p2pi_all_reduce *self)
{
    return self->exchange->shape.nodes;
}

/* ---- making */

/* Node i between i - 1 and i + 1. Looked at where it matters: it takes a pass over all nodes. */
static int
is_ring(const p2p_topology *topology)
{
    const size_t nodes = topology != NULL ? p2p_topology_size(topology) : 0;

    if (topology == NULL || p2p_topology_traits(topology) != 0 || p2p_topology_edges(topology) != nodes)
        return 0;
    for (size_t i = 0; i < nodes; i++) {
        p2p_neighbourhood at = p2p_topology_at(topology, i);

        for (size_t j = 0; j < at.degree; j++)
            if ((at.peers[j] + 1) % nodes != i && (i + 1) % nodes != at.peers[j])
                return 0;
    }
    return 1;
}

static size_t
steps_of(const p2p_exchange *e)
{
    const size_t n = e->shape.nodes;

    return e->pattern == P2PI_PATTERN_HUB ? 2 : e->pattern == P2PI_PATTERN_RING ? 2 * (n - 1) : 1;
}

static p2p_status
check(const p2p_exchange *e, const char *spec, const p2pi_stage *stage)
{
    if (e->pattern == P2PI_PATTERN_GOSSIP)
        return p2p_fail(P2P_ENOTSUP, "an all-reduce needs topology ring, star or complete, the same in every round");
    if (stage->reduction == P2PI_REDUCE_NONE)
        return p2p_fail(P2P_ENOTSUP,
                        "compressor \"%s\": its messages do not add up over an all-reduce: use a linear or additive "
                        "one, such as powersgd, maxnorm, clt or randk:shared=1",
                        spec);
    return P2P_OK;
}

static p2p_status
take_buffers(p2pi_all_reduce *self)
{
    p2p_exchange *e = self->exchange;

    self->room = p2p_compressor_bound(self->compressor);
    for (size_t s = 0; s < self->stages; s++)
        self->room = self->stage[s].bytes > self->room ? self->stage[s].bytes : self->room;
    for (size_t s = 0; s < self->stages_most; s++)
        if ((self->buffer[s] = p2pi_arena_take(e->arena, self->room + SPARE)) == NULL)
            return P2P_ENOMEM;
    self->scratch = p2pi_arena_take(e->arena, self->room + SPARE);
    self->total = p2pi_arena_take(e->arena, self->room + SPARE);
    return self->scratch != NULL && self->total != NULL ? p2pi_exchange_reduced_slot(e, self, self->room, &self->slot)
                                                        : P2P_ENOMEM;
}

p2p_status
p2pi_all_reduce_new(p2pi_all_reduce **out, p2p_exchange *exchange, const char *spec, uint32_t stream, size_t from,
                    size_t dim)
{
    const p2p_shape shape = { dim, exchange->shape.type, exchange->shape.nodes };
    p2pi_all_reduce *self = p2pi_arena_take(exchange->arena, sizeof *self);
    p2p_env first = { .seed = exchange->seed, .node = exchange->rank, .scale = 1 };
    p2p_status st;

    if (self == NULL)
        return P2P_ENOMEM;
    *out = self;
    if (exchange->pattern == P2PI_PATTERN_GOSSIP && is_ring(exchange->topology))
        exchange->pattern = P2PI_PATTERN_RING;
    self->exchange = exchange;
    self->stream = stream;
    self->from = from;
    self->dim = dim;
    if ((st = p2p_compressor_new(&self->compressor, spec, &shape)) != P2P_OK)
        return st;
    self->stages = p2pi_collective_stages(self->compressor, &first, &self->stage);
    self->stages_most = p2pi_collective_most(self->compressor);
    self->steps_a_stage = steps_of(exchange);
    if ((st = check(exchange, p2p_compressor_spec(self->compressor), &self->stage[0])) != P2P_OK ||
        (st = take_buffers(self)) != P2P_OK)
        p2p_compressor_destroy(&self->compressor);
    return st;
}

p2p_compressor *
p2pi_all_reduce_compressor(const p2pi_all_reduce *self)
{
    return self->compressor;
}

void
p2pi_all_reduce_close(p2pi_all_reduce *self)
{
    p2p_compressor_destroy(&self->compressor);
}

size_t
p2pi_all_reduce_steps(const p2pi_all_reduce *self)
{
    return self->stages_most * self->steps_a_stage;
}

/* ---- who sends which part of a stage in which step */

static segment
whole(const p2pi_stage *stage)
{
    return (segment){ 0, stage->count, 0, stage->bytes };
}

/* Part k of n of a stage, in whole bytes. */
static segment
part(const p2pi_all_reduce *self, const p2pi_stage *stage, size_t k)
{
    const size_t n = nodes_of(self), real = p2p_dtype_size(self->exchange->shape.type);
    const size_t from = stage->count * k / n / 8 * 8,
                 to = k + 1 == n ? stage->count : stage->count * (k + 1) / n / 8 * 8;
    const size_t at = stage->width > 0 ? from / 8 * stage->width : from * real;
    const size_t end = stage->width > 0 ? (to * stage->width + 7) / 8 : to * real;

    return (segment){ from, to - from, at, end - at };
}

/* On a ring, in its step t: sums in the first n - 1 steps, what was summed in the others. */
static segment
ring_part(const p2pi_all_reduce *self, const p2pi_stage *stage, size_t t, uint32_t node)
{
    const size_t n = nodes_of(self), leader = self->exchange->round % n;

    if (stage->reduction == P2PI_REDUCE_BCAST)
        return t < n - 1 && node == (leader + t) % n ? whole(stage) : (segment){ 0, 0, 0, 0 };
    return part(self, stage, t < n - 1 ? (node + n - t) % n : (node + 1 + n - (t - (n - 1))) % n);
}

/* What the node sends in the step. */
static segment
sent_by(const p2pi_all_reduce *self, uint32_t node)
{
    const p2pi_stage *stage = &self->stage[self->step / self->steps_a_stage];
    const size_t t = self->step % self->steps_a_stage, n = nodes_of(self);
    const int leads = stage->reduction != P2PI_REDUCE_BCAST || node == self->exchange->round % n;

    switch (self->exchange->pattern) {
    case P2PI_PATTERN_RING:
        return ring_part(self, stage, t, node);
    case P2PI_PATTERN_HUB:
        if (t == 0 ? node != 0 && leads : node == 0)
            return whole(stage);
        break;
    default:
        if (leads)
            return whole(stage);
    }
    return (segment){ 0, 0, 0, 0 };
}

static const p2pi_stage *
current(const p2pi_all_reduce *self)
{
    const size_t s = self->step / self->steps_a_stage;

    return s < self->stages ? &self->stage[s] : NULL;
}

static void
direct(const p2pi_all_reduce *self)
{
    if (self->exchange->pattern == P2PI_PATTERN_RING)
        p2pi_exchange_direct(self->exchange, P2PI_TO_NEXT);
    else if (self->exchange->pattern == P2PI_PATTERN_HUB)
        p2pi_exchange_direct(self->exchange, self->step % 2 == 0 ? P2PI_TO_HUB : P2PI_FROM_HUB);
}

/* ---- sending */

/* Vectors that a node would send in a round without a compressor. */
static double
vectors_of(const p2pi_all_reduce *self)
{
    const double n = (double)nodes_of(self);

    return self->exchange->pattern == P2PI_PATTERN_RING ? 2 * (n - 1) / n : 1;
}

static p2p_view
own_entries(const p2pi_all_reduce *self, p2p_view x)
{
    return (p2p_view){ (const char *)x.data + self->from * p2p_dtype_size(x.type), self->dim, x.type };
}

p2p_status
p2pi_all_reduce_emit(p2pi_all_reduce *self, size_t step, p2p_view x)
{
    const p2p_env env = env_of(self);
    const size_t s = step / self->steps_a_stage;
    const p2pi_stage *stage;
    segment own;
    p2p_status st;

    self->step = step;
    if (step == 0) {
        self->stages = p2pi_collective_stages(self->compressor, &env, &self->stage);
        self->exchange->vectors += vectors_of(self) * (double)self->dim / (double)x.dim;
    }
    if ((stage = current(self)) == NULL)
        return P2P_OK;
    if (step % self->steps_a_stage == 0 &&
        (st = p2pi_collective_emit(self->compressor, s, own_entries(self, x), &env, self->buffer[s])) != P2P_OK)
        return st;
    direct(self);
    own = sent_by(self, self->exchange->rank);
    /* A leader's bytes are a frame, which tells its length. */
    if (stage->reduction == P2PI_REDUCE_BCAST && own.bytes > 0)
        own.bytes = p2pi_frame_head_length(self->buffer[s]);
    p2pi_exchange_send_reduced(self->exchange, self->slot, self->buffer[s] + own.at, own.bytes);
    return P2P_OK;
}

/* ---- receiving */

/* Reals can be told to be bad before they are summed, and whose they are. */
static p2p_status
check_reals(const p2pi_all_reduce *self, segment s, const uint8_t *bytes)
{
    const p2p_dtype type = self->exchange->shape.type;
    size_t bad = p2pi_reals_first_bad(p2pi_real_of(type), bytes, s.count, type);

    if (bad < s.count)
        return p2p_fail(P2P_EPROTO, "all-reduce: real %zu is not finite", s.from + bad);
    return P2P_OK;
}

p2p_status
p2pi_all_reduce_accept(const p2pi_all_reduce *self, uint32_t node, p2pi_message message)
{
    const p2pi_stage *stage = current(self);
    const segment s = sent_by(self, node);
    const int frame = stage->reduction == P2PI_REDUCE_BCAST && s.bytes > 0;

    if (frame ? message.len < P2PI_FRAME_HEAD || message.len > s.bytes : message.len != s.bytes)
        return p2p_fail(P2P_EPROTO, "all-reduce: %zu bytes: expected %s%zu", message.len,
                        frame ? "a frame of at most " : "", s.bytes);
    return stage->width == 0 && !frame ? check_reals(self, s, message.bytes) : P2P_OK;
}

static p2p_status
check_heard(const p2pi_all_reduce *self)
{
    const p2p_exchange *e = self->exchange;

    for (size_t j = 0; j < e->at.degree; j++)
        if (p2pi_exchange_hears(e, j) && !e->heard[j])
            return p2p_fail(P2P_EIO, "node %u is lost: an all-reduce has no rounds without all of its nodes",
                            e->at.peers[j]);
    return P2P_OK;
}

/* into op= other, or into = other, for the segment. */
static void
reduce(p2pi_all_reduce *self, const p2pi_stage *stage, segment s, uint8_t *into, p2pi_message other)
{
    if (other.len == 0)
        return;
    memcpy(self->scratch + s.at, other.bytes, other.len);
    p2pi_stage_reduce(stage, self->exchange->shape.type, s.from, s.count, into, self->scratch);
}

static void
copy(segment s, uint8_t *into, p2pi_message other)
{
    memset(into + s.at, 0, other.len > 0 ? s.bytes : 0);
    memcpy(into + s.at, other.bytes, other.len);
}

/* The parts of all, in ascending order of node. */
static void
reduce_all(p2pi_all_reduce *self, const p2pi_stage *stage, uint8_t *buffer)
{
    const p2p_exchange *e = self->exchange;
    const exchange_slot *slot = &e->slots[self->slot];
    uint8_t *total = self->total;

    if (stage->reduction == P2PI_REDUCE_BCAST) {
        for (size_t j = 0; j < e->at.degree; j++)
            copy(whole(stage), buffer, slot->received[j]);
        return;
    }
    if (e->rank != 0)
        copy(whole(stage), total, slot->received[0]);
    else
        memcpy(total, buffer, stage->bytes);
    for (size_t j = 0; j <= e->at.degree; j++) {
        if (j == e->before && e->rank != 0)
            reduce(self, stage, whole(stage), total, (p2pi_message){ buffer, stage->bytes, 0 });
        if (j < e->at.degree && e->at.peers[j] != 0)
            reduce(self, stage, whole(stage), total, slot->received[j]);
    }
    memcpy(buffer, total, stage->bytes);
}

/* From the node before this one. */
static void
take_from_ring(p2pi_all_reduce *self, const p2pi_stage *stage, uint8_t *buffer)
{
    const p2p_exchange *e = self->exchange;
    const size_t n = nodes_of(self);

    for (size_t j = 0; j < e->at.degree; j++) {
        const segment s = sent_by(self, e->at.peers[j]);
        const p2pi_message message = e->slots[self->slot].received[j];

        if (!p2pi_exchange_hears(e, j))
            continue;
        if (stage->reduction == P2PI_REDUCE_BCAST || self->step % self->steps_a_stage >= n - 1)
            copy(s, buffer, message);
        else
            reduce(self, stage, s, buffer, message);
    }
}

static void
take(p2pi_all_reduce *self, const p2pi_stage *stage, uint8_t *buffer)
{
    const p2p_exchange *e = self->exchange;

    if (e->pattern == P2PI_PATTERN_RING)
        take_from_ring(self, stage, buffer);
    else if (e->pattern == P2PI_PATTERN_REPLICATED || (e->rank == 0 && self->step % 2 == 0))
        reduce_all(self, stage, buffer);
    else if (e->rank != 0 && self->step % 2 == 1)
        copy(whole(stage), buffer, e->slots[self->slot].received[0]);
}

p2p_status
p2pi_all_reduce_absorb(p2pi_all_reduce *self, size_t step)
{
    const p2p_env env = env_of(self);
    const p2pi_stage *stage = current(self);
    const size_t s = step / self->steps_a_stage;
    p2p_status st;

    if (stage == NULL)
        return P2P_OK;
    if ((st = check_heard(self)) != P2P_OK)
        return st;
    if (nodes_of(self) > 1)
        take(self, stage, self->buffer[s]);
    return (step + 1) % self->steps_a_stage == 0 ? p2pi_collective_absorb(self->compressor, s, &env, self->buffer[s])
                                                 : P2P_OK;
}

static p2p_vec
entries_of(const p2pi_all_reduce *self, p2p_vec x)
{
    return (p2p_vec){ (char *)x.data + self->from * p2p_dtype_size(x.type), self->dim, x.type };
}

p2p_status
p2pi_all_reduce_finish(p2pi_all_reduce *self, p2p_vec y, p2p_vec residual)
{
    const p2p_env env = env_of(self);

    return p2pi_collective_finish(self->compressor, &env, entries_of(self, y), entries_of(self, residual));
}
