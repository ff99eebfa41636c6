#include "exchange/pool.h"

#include "base/fail.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>
#include <string.h>

typedef struct member {
    struct member *next;
    p2p_compressor *compressor;
    p2p_shape shape;
    double error; /* as measured; NaN: not yet */
    char spec[];  /* as asked for */
} member;

struct p2pi_pool {
    member *members;
    void *scratch;
    size_t bytes;
};

p2p_status
p2pi_pool_new(p2pi_pool **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? P2P_OK : p2pi_fail_memory("pool", sizeof **out);
}

void
p2pi_pool_destroy(p2pi_pool **self)
{
    member *m, *next;

    if (*self == NULL)
        return;
    for (m = (*self)->members; m != NULL; m = next) {
        next = m->next;
        p2p_compressor_destroy(&m->compressor);
        free(m);
    }
    free((*self)->scratch);
    free(*self);
    *self = NULL;
}

static int
is_stateful(const member *m)
{
    return (p2p_compressor_constants_of(m->compressor)->traits & P2P_STATEFUL) != 0;
}

static member *
find(p2pi_pool *self, const char *spec, const p2p_shape *shape)
{
    for (member *m = self->members; m != NULL; m = m->next)
        if (strcmp(m->spec, spec) == 0 && m->shape.dim == shape->dim && m->shape.type == shape->type &&
            m->shape.nodes == shape->nodes)
            return m;
    return NULL;
}

static p2p_status
add(p2pi_pool *self, const char *spec, const p2p_shape *shape, member **out)
{
    size_t bytes = sizeof(member) + strlen(spec) + 1;
    member *m = calloc(1, bytes);
    p2p_status st;

    if (m == NULL)
        return p2pi_fail_memory("pool", bytes);
    if ((st = p2p_compressor_new(&m->compressor, spec, shape)) != P2P_OK) {
        free(m);
        return st;
    }
    memcpy(m->spec, spec, strlen(spec) + 1);
    m->shape = *shape;
    m->error = NAN;
    m->next = self->members;
    self->members = *out = m;
    return P2P_OK;
}

p2p_status
p2pi_pool_compressor(p2pi_pool *self, const char *spec, const p2p_shape *shape, p2p_compressor **out)
{
    member *m = find(self, spec, shape);
    p2p_status st;

    if ((m == NULL || is_stateful(m)) && (st = add(self, spec, shape, &m)) != P2P_OK)
        return st;
    *out = m->compressor;
    return P2P_OK;
}

p2p_status
p2pi_pool_reserve(p2pi_pool *self, size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64;
    void *scratch;

    if (bytes <= self->bytes)
        return P2P_OK;
    if (rounded < bytes || (scratch = aligned_alloc(64, rounded)) == NULL)
        return p2pi_fail_memory("scratch", bytes);
    free(self->scratch);
    self->scratch = scratch;
    self->bytes = rounded;
    return P2P_OK;
}

void *
p2pi_pool_scratch(p2pi_pool *self)
{
    return self->scratch;
}

/* One draw: v Gaussian, error += ||C(v) - v||^2, norm += ||v||^2. The vectors are from another stream than any run's.
 */
static p2p_status
measure_draw(p2p_compressor *c, const p2p_shape *shape, uint32_t draw, double *normals, p2p_vec v, p2p_vec decoded,
             uint8_t *buf, double *error, double *norm)
{
    p2p_random random = p2p_random_open(0, P2P_NODE_SHARED, draw, P2P_STREAM_METHOD);
    p2p_env env = { .node = P2P_NODE_SHARED, .round = draw, .scale = 1 };
    double distance, length;
    p2p_status st;
    size_t len;

    p2p_random_normal(&random, shape->dim, normals);
    for (size_t i = 0; i < shape->dim; i++)
        p2p_vec_set(v, i, normals[i]);
    if ((st = p2p_compressor_encode(c, p2p_view_of(v), &env, buf, p2p_compressor_bound(c), &len)) != P2P_OK ||
        (st = p2p_compressor_decode(c, &env, buf, len, decoded)) != P2P_OK)
        return st;
    distance = p2p_vec_distance(p2p_view_of(decoded), p2p_view_of(v));
    length = p2p_vec_norm2(p2p_view_of(v));
    *error += distance * distance;
    *norm += length * length;
    return P2P_OK;
}

static p2p_status
measure(p2p_compressor *c, const p2p_shape *shape, double *ratio)
{
    size_t vector = shape->dim * p2p_dtype_size(shape->type), bound = p2p_compressor_bound(c);
    size_t bytes = shape->dim * sizeof(double) + 2 * vector + bound;
    uint32_t draws = shape->dim < 4096 ? (uint32_t)(4096 / shape->dim) : 1;
    char *memory = malloc(bytes);
    double *normals = (double *)memory, error = 0, norm = 0;
    p2p_status st = P2P_OK;

    if (memory == NULL)
        return p2pi_fail_memory("compressor measurement", bytes);
    for (uint32_t draw = 0; draw < draws && st == P2P_OK; draw++) {
        char *at = memory + shape->dim * sizeof(double);
        p2p_vec v = { at, shape->dim, shape->type }, decoded = { at + vector, shape->dim, shape->type };

        st = measure_draw(c, shape, draw, normals, v, decoded, (uint8_t *)at + 2 * vector, &error, &norm);
    }
    free(memory);
    *ratio = error / norm;
    return st;
}

p2p_status
p2pi_pool_compressor_error(p2pi_pool *self, const char *spec, const p2p_shape *shape, double *error)
{
    member *m = find(self, spec, shape);
    p2p_status st;

    if ((m == NULL || (isnan(m->error) && is_stateful(m))) && (st = add(self, spec, shape, &m)) != P2P_OK)
        return st; /* one that is in use keeps its state */
    if (isnan(m->error) && (st = measure(m->compressor, shape, &m->error)) != P2P_OK)
        return st;
    *error = m->error;
    return P2P_OK;
}
