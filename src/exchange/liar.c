/*
 * A node that lies, for tests of a swarm: its method goes on honestly, and what neighbours are told is something
 * else.
 *
 *     vectors:      C(lie)          in place of  C(x)
 *     innovations:  C(lie - e_j)    in place of  C(y - e), e_j what neighbour j holds of this node, kept here
 *
 * What honest nodes send is known from the board of the process; else from what neighbours have sent before: their
 * estimates, or their vectors of the stage before. Where that is not enough to lie from, the node is honest.
 */
#include "aggregate/attack.h"
#include "base/fail.h"
#include "exchange/exchange_state.h"

#include <string.h>

/* One message of a stage. */
typedef struct {
    int said; /* in this stage */
    size_t slot;
    const p2p_estimate *e; /* NULL: the vector itself is sent */
    p2p_vec own;           /* what the method says */
    p2p_compressor *compressor;
    uint8_t *bytes;     /* `bound` for each neighbour */
    size_t bound, *len; /* 0: it is told what the method says */
    char *heard;        /* the neighbours' vectors of the stage before, */
    uint8_t *has_heard; /* where there are any */
} saying;

/* What each neighbour holds of this node in place of an estimate. */
typedef struct claim {
    struct claim *next;
    const p2p_estimate *e;
    char *vectors;
} claim;

struct p2pi_liar {
    p2pi_attack *attack;
    saying sayings[P2PI_SLOTS_MAX];
    claim *claims;
    p2p_vec lie, change;
    char *known;       /* a vector of each node, */
    uint8_t *is_known; /* where it is honest and its vector known */
    p2p_view *vectors; /* scratch for the scene */
    double *weights;
};

typedef struct p2pi_liar liar;

/* ---- making */

p2p_status
p2pi_liar_open(p2p_exchange *self)
{
    const p2pi_trial *trial = self->trial;
    const size_t nodes = self->shape.nodes, stride = exchange_stride(self);
    p2pi_attack *attack;
    p2p_status st;
    liar *l;

    if (trial == NULL || !trial->lies[self->rank])
        return P2P_OK;
    if ((st = p2pi_attack_new(&attack, trial->attack)) != P2P_OK)
        return st;
    if (p2pi_attack_lie(attack) != P2PI_LIE_VALUE || (l = p2pi_arena_take(self->arena, sizeof *l)) == NULL) {
        st = p2pi_attack_lie(attack) == P2PI_LIE_VALUE ? P2P_ENOMEM : P2P_OK;
        p2pi_attack_destroy(&attack);
        return st;
    }
    self->liar = l;
    l->attack = attack;
    l->lie = exchange_vec(self, p2pi_arena_take(self->arena, stride));
    l->change = exchange_vec(self, p2pi_arena_take(self->arena, stride));
    if (l->lie.data == NULL || l->change.data == NULL)
        return P2P_ENOMEM;
    if (!p2pi_attack_sees(attack))
        return P2P_OK;
    l->known = p2pi_arena_array(self->arena, nodes, stride);
    l->is_known = p2pi_arena_array(self->arena, nodes, 1);
    l->vectors = p2pi_arena_array(self->arena, nodes, sizeof *l->vectors);
    l->weights = p2pi_arena_array(self->arena, nodes, sizeof *l->weights);
    return l->known && l->is_known && l->vectors && l->weights ? P2P_OK : P2P_ENOMEM;
}

void
p2pi_liar_close(p2p_exchange *self)
{
    if (self->liar != NULL)
        p2pi_attack_destroy(&self->liar->attack);
}

/* Memory of a message that was not said before. */
static p2p_status
open_saying(p2p_exchange *self, saying *s, size_t slot, size_t dim)
{
    const size_t degree = self->at.degree, stride = exchange_stride(self);
    const p2p_shape shape = { dim, self->shape.type, self->shape.nodes };
    p2p_compressor *used = self->slots[slot].compressor;
    p2p_status st = p2pi_pool_compressor(self->pool, p2p_compressor_spec(used), &shape, &s->compressor);

    if (st != P2P_OK)
        return st;
    s->slot = slot;
    s->bound = p2p_compressor_bound(s->compressor);
    s->own = (p2p_vec){ p2pi_arena_take(self->arena, stride), dim, self->shape.type };
    s->bytes = p2pi_arena_array(self->arena, degree + 1, s->bound);
    s->len = p2pi_arena_array(self->arena, degree + 1, sizeof *s->len);
    s->heard = p2pi_arena_array(self->arena, degree + 1, stride);
    s->has_heard = p2pi_arena_array(self->arena, degree + 1, 1);
    return s->own.data && s->bytes && s->len && s->heard && s->has_heard ? P2P_OK : P2P_ENOMEM;
}

static claim *
find_claim(const liar *l, const p2p_estimate *e)
{
    claim *c = l->claims;

    while (c != NULL && c->e != e)
        c = c->next;
    return c;
}

static p2p_status
open_claim(p2p_exchange *self, const p2p_estimate *e)
{
    claim *c;

    if (e == NULL || find_claim(self->liar, e) != NULL)
        return P2P_OK;
    if ((c = p2pi_arena_take(self->arena, sizeof *c)) == NULL ||
        (c->vectors = p2pi_arena_array(self->arena, self->at.degree + 1, exchange_stride(self))) == NULL)
        return P2P_ENOMEM;
    c->e = e;
    c->next = self->liar->claims;
    self->liar->claims = c;
    for (size_t j = 0; j < self->at.degree; j++)
        memcpy(c->vectors + j * exchange_stride(self), e->vectors, exchange_bytes(self));
    return P2P_OK;
}

static p2p_vec
claimed(const p2p_exchange *self, const claim *c, size_t neighbour)
{
    return exchange_vec(self, c->vectors + neighbour * exchange_stride(self));
}

/* ---- what the method says */

void
p2pi_exchange_stage(p2p_exchange *self, uint64_t stage)
{
    self->stage_number = stage;
    for (size_t i = 0; self->liar != NULL && i < P2PI_SLOTS_MAX; i++)
        self->liar->sayings[i].said = 0;
}

p2p_status
p2pi_liar_note(p2p_exchange *self, size_t slot, p2p_view value, const p2p_estimate *e)
{
    const size_t index = self->stage_count - 1;
    saying *s;
    p2p_status st;

    if (self->stage_count == 0 || self->stage[index] != slot || value.dim > self->shape.dim)
        return P2P_OK;
    if (self->trial->board != NULL && !self->trial->lies[self->rank])
        p2pi_board_post(self->trial->board, self->rank, self->stage_number, index, value);
    if (self->liar == NULL)
        return P2P_OK;
    s = &self->liar->sayings[index];
    if ((s->compressor == NULL || s->slot != slot) && (st = open_saying(self, s, slot, value.dim)) != P2P_OK)
        return st;
    s->said = 1;
    s->e = e;
    p2p_vec_copy(s->own, value);
    return open_claim(self, e);
}

/* ---- what others say */

static p2p_vec
as_long_as(const saying *s, void *data)
{
    return (p2p_vec){ data, s->own.dim, s->own.type };
}

static p2p_vec
known(const p2p_exchange *self, const saying *s, size_t node)
{
    return as_long_as(s, self->liar->known + node * exchange_stride(self));
}

static void
look_at_board(p2p_exchange *self, size_t index)
{
    for (size_t i = 0; i < self->shape.nodes; i++)
        self->liar->is_known[i] =
            !self->trial->lies[i] && p2pi_board_read(self->trial->board, i, self->stage_number, index,
                                                     known(self, &self->liar->sayings[index], i));
}

static void
remember_neighbours(p2p_exchange *self, const saying *s)
{
    for (size_t j = 0; j < self->at.degree; j++) {
        const size_t node = self->at.peers[j];
        const p2p_vec last = s->e != NULL ? exchange_neighbour_estimate(self, s->e, j)
                                          : as_long_as(s, s->heard + j * exchange_stride(self));

        self->liar->is_known[node] = !self->trial->lies[node] && (s->e != NULL ? self->round > 0 : s->has_heard[j]);
        p2p_vec_copy(known(self, s, node), p2p_view_of(last));
    }
}

p2p_status
p2pi_liar_overhear(p2p_exchange *self)
{
    p2p_status st = P2P_OK;

    if (self->trial->board != NULL || !p2pi_attack_sees(self->liar->attack))
        return P2P_OK;
    for (size_t i = 0; i < self->stage_count; i++) {
        saying *s = &self->liar->sayings[i];

        for (size_t j = 0; s->said && s->e == NULL && j < self->at.degree && st == P2P_OK; j++) {
            const p2p_vec v = as_long_as(s, s->heard + j * exchange_stride(self));

            s->has_heard[j] = self->heard[j];
            p2p_vec_zero(v);
            if (self->heard[j])
                st = p2pi_exchange_add_message(self, &self->slots[s->slot], j, 1, v);
        }
    }
    return st;
}

/* ---- lies */

static void
add_to_scene(const p2p_exchange *self, const saying *s, p2pi_attack_scene *scene, size_t node, double weight)
{
    self->liar->vectors[scene->honest] = p2p_view_of(known(self, s, node));
    self->liar->weights[scene->honest++] = weight;
}

static p2pi_attack_scene
set_scene(const p2p_exchange *self, const saying *s, uint32_t receiver)
{
    const liar *l = self->liar;
    const int sees = p2pi_attack_sees(l->attack);
    p2pi_attack_scene scene = { .own = p2p_view_of(s->own),
                                .vectors = l->vectors,
                                .weights = l->weights,
                                .nodes = self->shape.nodes,
                                .liars = self->trial->liars,
                                .receiver = receiver,
                                .seed = self->seed,
                                .node = self->rank,
                                .round = self->round };
    p2p_neighbourhood near;

    for (size_t i = 0; sees == P2PI_SEES_ALL && i < self->shape.nodes; i++)
        if (l->is_known[i])
            add_to_scene(self, s, &scene, i, 1);
    if (sees != P2PI_SEES_NEAR || self->topology == NULL || !l->is_known[receiver])
        return scene;
    near = p2p_topology_at(self->topology, receiver);
    scene.target = p2p_view_of(known(self, s, receiver));
    for (size_t k = 0; k < near.degree; k++)
        if (self->trial->lies[near.peers[k]])
            scene.liar_weight += near.weights[k];
        else if (l->is_known[near.peers[k]])
            add_to_scene(self, s, &scene, near.peers[k], near.weights[k]);
    return scene;
}

/* What no rule takes is not worth coding: it stays where sums of squares are finite. */
static void
keep_finite(p2p_vec lie)
{
    const double most = lie.type == P2P_F64 ? 1e150 : 1e18;

    for (size_t i = 0; i < lie.dim; i++) {
        const double x = p2p_vec_get(p2p_view_of(lie), i);

        if (!(fabs(x) <= most))
            p2p_vec_set(lie, i, x < 0 ? -most : most);
    }
}

/* The lie for a receiver is made; what it is told follows. Not codable: it is told what the method says. */
static void
tell(const p2p_exchange *self, saying *s, size_t neighbour)
{
    const exchange_slot *slot = &self->slots[s->slot];
    const p2p_env env = exchange_env(self, slot, self->rank, slot->own.doublings);
    const liar *l = self->liar;
    p2p_view x = p2p_view_of(as_long_as(s, l->lie.data));

    if (s->e != NULL) {
        p2p_vec_sub(l->change, x, p2p_view_of(claimed(self, find_claim(l, s->e), neighbour)));
        x = p2p_view_of(l->change);
    }
    if (p2p_compressor_encode(s->compressor, x, &env, s->bytes + neighbour * s->bound, s->bound,
                              &s->len[neighbour]) != P2P_OK)
        s->len[neighbour] = 0;
}

static void
make_lies(p2p_exchange *self, size_t index)
{
    const liar *l = self->liar;
    saying *s = &self->liar->sayings[index];
    int made = 0;

    if (p2pi_attack_sees(l->attack)) {
        memset(l->is_known, 0, self->shape.nodes);
        if (self->trial->board != NULL)
            look_at_board(self, index);
        else
            remember_neighbours(self, s);
    }
    for (size_t j = 0; j < self->at.degree; j++) {
        s->len[j] = 0;
        if (j == 0 || p2pi_attack_divides(l->attack)) {
            const p2pi_attack_scene scene = set_scene(self, s, self->at.peers[j]);

            made = p2pi_attack_apply(l->attack, &scene, as_long_as(s, l->lie.data)) == P2P_OK;
            keep_finite(as_long_as(s, l->lie.data));
        }
        if (made)
            tell(self, s, j);
    }
}

void
p2pi_exchange_emitted(p2p_exchange *self)
{
    if (self->trial != NULL && self->trial->board != NULL && !self->trial->lies[self->rank])
        p2pi_board_close(self->trial->board, self->rank, self->stage_number);
    for (size_t i = 0; self->liar != NULL && i < self->stage_count; i++)
        if (self->liar->sayings[i].said)
            make_lies(self, i);
}

int
p2pi_exchange_lies(const p2p_exchange *self)
{
    return self->liar != NULL;
}

p2pi_message
p2pi_exchange_told(const p2p_exchange *self, size_t index, size_t neighbour)
{
    const saying *s = &self->liar->sayings[index];
    const p2pi_message own = p2pi_exchange_message(self, index);

    if (!s->said || s->len[neighbour] == 0)
        return own;
    return (p2pi_message){ s->bytes + neighbour * s->bound, s->len[neighbour], own.doublings };
}

/* ---- what neighbours hold */

p2p_status
p2pi_liar_update(p2p_exchange *self, const p2p_estimate *e, size_t slot, double a)
{
    const exchange_slot *at = &self->slots[slot];
    const claim *c = find_claim(self->liar, e);
    p2p_status st = P2P_OK;

    for (size_t i = 0; c != NULL && i < self->stage_count; i++)
        for (size_t j = 0; self->stage[i] == slot && j < self->at.degree && st == P2P_OK; j++) {
            const p2pi_message told = p2pi_exchange_told(self, i, j);
            const p2p_env env = exchange_env(self, at, self->rank, told.doublings);

            if (told.len > 0)
                st = p2p_compressor_axpy(at->compressor, &env, told.bytes, told.len, 1, a, claimed(self, c, j));
        }
    return st;
}

void
p2pi_liar_restored(p2p_exchange *self, size_t neighbour)
{
    for (const claim *c = self->liar->claims; c != NULL; c = c->next)
        p2p_vec_copy(claimed(self, c, neighbour), p2pi_exchange_own(self, c->e));
}
