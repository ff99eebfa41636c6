#include "compress/linear/low_rank.h"

#include "compress/coding/bits.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>
#include <p2popt/random.h>
#include <string.h>

/* ---- opening */

static void
choose_shape(p2pi_low_rank *self, const p2pi_low_rank_param *o)
{
    size_t d = self->shape.dim, side = (size_t)ceil(sqrt((double)d)), least;

    self->rows = o->rows > 0 ? (size_t)o->rows : (d - 1) / side + 1;
    self->rows = self->rows < d ? self->rows : d;
    self->cols = (d - 1) / self->rows + 1;
    least = self->rows < self->cols ? self->rows : self->cols;
    self->rank = (size_t)o->rank < least ? (size_t)o->rank : least;
}

static p2p_status
take_memory(p2pi_low_rank *self, const p2pi_codec *c, p2pi_arena *arena)
{
    size_t longest = self->factors.count > self->dense.count ? self->factors.count : self->dense.count;

    self->v = p2pi_arena_array(arena, self->rows * self->cols, sizeof *self->v);
    self->p = p2pi_arena_array(arena, self->rows * self->rank, sizeof *self->p);
    self->q = p2pi_arena_array(arena, self->cols * self->rank, sizeof *self->q);
    self->got_p = p2pi_arena_array(arena, self->rows * self->rank, sizeof *self->got_p);
    self->got_q = p2pi_arena_array(arena, self->cols * self->rank, sizeof *self->got_q);
    self->reals = p2pi_arena_array(arena, longest, sizeof *self->reals);
    self->mine = p2pi_arena_array(arena, longest, sizeof *self->mine);
    self->value = p2pi_arena_array(arena, c->shape.dim, sizeof(double));
    self->e = (p2p_vec){ p2pi_arena_array(arena, c->shape.dim, p2p_dtype_size(c->shape.type)), c->shape.dim,
                         c->shape.type };
    return self->v && self->p && self->q && self->got_p && self->got_q && self->reals && self->mine && self->value &&
                   self->e.data
               ? P2P_OK
               : P2P_ENOMEM;
}

p2p_status
p2pi_low_rank_plan(p2pi_codec *c, p2pi_arena *arena, uint8_t family, p2pi_low_rank **out)
{
    const p2pi_low_rank_param *o = c->part[0].param;
    p2pi_low_rank *self = p2pi_arena_take(arena, sizeof *self);
    size_t d = c->shape.dim, factors, dense;

    if ((*out = self) == NULL)
        return P2P_ENOMEM;
    c->work = self;
    self->param = o;
    self->shape = c->shape;
    self->memory = (p2pi_low_rank_memory)o->memory;
    choose_shape(self, o);
    self->factors = (p2pi_reals_frame){ .family = family,
                                        .type = c->shape.type,
                                        .real = p2pi_real_of(c->shape.type),
                                        .dim = d,
                                        .params = 3,
                                        .param = { (uint32_t)self->rows, (uint32_t)self->cols, (uint32_t)self->rank },
                                        .count = self->rank * (self->rows + self->cols) };
    if (o->vt != 0)
        self->factors.real = (p2pi_real)(o->vt - 1);
    self->dense = self->factors;
    self->dense.param[2] = 0;
    self->dense.count = d;
    factors = p2pi_reals_frame_bytes(&self->factors);
    dense = p2pi_reals_frame_bytes(&self->dense);
    self->whole = self->factors.count >= d;
    c->plan.bound = (factors > dense ? factors : dense) + P2PI_BITS_SPARE;
    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    c->plan.moment = c->plan.gain = NAN;
    c->plan.constants =
        (p2p_compressor_constants){ .traits = P2P_STATEFUL, .omega = NAN, .delta = NAN, .error2 = NAN, .range = NAN };
    c->plan.constants.bits_nominal = NAN;
    c->plan.states = 1;
    if (take_memory(self, c, arena) != P2P_OK)
        return P2P_ENOMEM;
    c->plan.state[0] = (p2pi_codec_state){ "e", self->e };
    return P2P_OK;
}

/* ---- products; every sum in one order */

void
p2pi_low_rank_times(const p2pi_low_rank *self, const double *q, double *p)
{
    for (size_t j = 0; j < self->rank; j++)
        for (size_t i = 0; i < self->rows; i++)
            p[j * self->rows + i] = p2p_vec_dot((p2p_view){ self->v + i * self->cols, self->cols, P2P_F64 },
                                                (p2p_view){ q + j * self->cols, self->cols, P2P_F64 });
}

void
p2pi_low_rank_transposed_times(const p2pi_low_rank *self, const double *p, double *q)
{
    memset(q, 0, self->rank * self->cols * sizeof *q);
    for (size_t j = 0; j < self->rank; j++)
        for (size_t i = 0; i < self->rows; i++)
            p2p_vec_axpy((p2p_vec){ q + j * self->cols, self->cols, P2P_F64 }, p[j * self->rows + i],
                         (p2p_view){ self->v + i * self->cols, self->cols, P2P_F64 });
}

void
p2pi_low_rank_multiply(const p2pi_low_rank *self, const double *p, const double *q, p2p_vec value)
{
    for (size_t i = 0; i < self->rows; i++) {
        size_t begin = i * self->cols, n;

        if (begin >= value.dim)
            return;
        n = value.dim - begin < self->cols ? value.dim - begin : self->cols;
        for (size_t c = 0; c < n; c++) {
            double sum = 0;

            for (size_t j = 0; j < self->rank; j++)
                sum += p[j * self->rows + i] * q[j * self->cols + c];
            p2p_vec_set(value, begin + c, sum);
        }
    }
}

void
p2pi_orthonormalise(double *m, size_t n, size_t columns)
{
    double largest = 0;

    for (size_t j = 0; j < columns; j++) {
        p2p_vec column = { m + j * n, n, P2P_F64 };
        double length;

        for (int again = 0; again < 2; again++)
            for (size_t k = 0; k < j; k++) {
                p2p_view before = { m + k * n, n, P2P_F64 };

                p2p_vec_axpy(column, -p2p_vec_dot(before, p2p_view_of(column)), before);
            }
        length = p2p_vec_norm2(p2p_view_of(column));
        largest = length > largest ? length : largest;
        if (length > 0x1p-40 * largest)
            for (size_t i = 0; i < n; i++)
                m[j * n + i] /= length;
        else
            p2p_vec_zero(column);
    }
}

/* Drawn row by row, kept column by column. */
void
p2pi_low_rank_normals(const p2p_env *env, uint32_t node, uint32_t round, size_t rows, size_t columns, double *m)
{
    p2p_random r = p2p_random_open(env->seed, node, round, P2P_STREAM_INIT);
    double pair[2];

    for (size_t i = 0; i < rows * columns; i++) {
        if (i % 2 == 0)
            p2p_random_normal(&r, 2, pair);
        m[i % columns * rows + i / columns] = pair[i % 2];
    }
}

/* ---- messages */

int
p2pi_low_rank_is_whole(const p2pi_low_rank *self, const p2p_env *env)
{
    return self->whole || (self->tau > 0 && env->round % self->tau == 0);
}

/* Factors travel row by row, P then Q: entry `at` of the message is this one of the columns. */
static double *
placed(const p2pi_low_rank *self, size_t at, double *p, double *q)
{
    size_t of_p = self->rows * self->rank, i = at < of_p ? at : at - of_p;

    return at < of_p ? &p[i % self->rank * self->rows + i / self->rank]
                     : &q[i % self->rank * self->cols + i / self->rank];
}

p2p_status
p2pi_low_rank_take(p2pi_low_rank *self, p2p_view x, const p2p_env *env)
{
    p2p_vec clean = { self->value, x.dim, x.type };
    size_t bad = p2p_vec_first_nonfinite(x);

    if (bad < x.dim)
        return p2p_fail(P2P_EINVAL, "entry %zu is not finite (%g)", bad, p2p_vec_get(x, bad));
    p2pi_clean(x, clean);
    memset(self->v, 0, self->rows * self->cols * sizeof *self->v);
    for (size_t i = 0; i < x.dim; i++)
        self->v[i] = p2p_vec_get(p2p_view_of(clean), i) + p2p_vec_get(p2p_view_of(self->e), i);
    if (!self->started && self->vt->start != NULL)
        self->vt->start(self, env);
    self->started = 1;
    return P2P_OK;
}

/* A sender alone: its own part is the mean. */
static void
factor(p2pi_low_rank *self, const p2p_env *env)
{
    if (self->vt->factor != NULL) {
        self->vt->factor(self, env);
        return;
    }
    for (size_t stage = 0; self->vt->count(self, env, stage) > 0; stage++) {
        self->vt->emit(self, env, stage, self->reals);
        self->vt->absorb(self, env, stage, self->reals);
    }
}

/* What every receiver holds, from the bytes. */
static p2p_status
read_message(p2pi_low_rank *self, int whole, const uint8_t *buf, size_t len)
{
    const p2pi_reals_frame *f = whole ? &self->dense : &self->factors;
    p2p_vec reals = { self->reals, f->count, P2P_F64 }, value = { self->value, self->shape.dim, self->shape.type };
    p2p_status st = p2pi_reals_frame_read(f, buf, len, reals);
    size_t bad;

    if (st != P2P_OK)
        return st;
    if (whole)
        for (size_t i = 0; i < value.dim; i++)
            p2p_vec_set(value, i, self->reals[i]);
    else {
        for (size_t i = 0; i < f->count; i++)
            *placed(self, i, self->got_p, self->got_q) = self->reals[i];
        p2pi_low_rank_multiply(self, self->got_p, self->got_q, value);
    }
    if ((bad = p2p_vec_first_nonfinite(p2p_view_of(value))) < value.dim)
        return p2p_fail(P2P_EPROTO, "message: entry %zu of the product would not be finite", bad);
    return P2P_OK;
}

p2p_status
p2pi_low_rank_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    p2pi_low_rank *self = c->work;
    int whole = p2pi_low_rank_is_whole(self, env);
    const p2pi_reals_frame *f = whole ? &self->dense : &self->factors;
    p2p_status st = p2pi_low_rank_take(self, x, env);

    if (st != P2P_OK)
        return st;
    if (whole)
        memcpy(self->reals, self->v, x.dim * sizeof *self->v);
    else {
        factor(self, env);
        for (size_t i = 0; i < f->count; i++)
            self->reals[i] = *placed(self, i, self->p, self->q);
    }
    if ((st = p2pi_reals_frame_write(f, (p2p_view){ self->reals, f->count, P2P_F64 }, buf, len)) != P2P_OK ||
        (st = read_message(self, whole, buf, *len)) != P2P_OK)
        return st;
    for (size_t i = 0; i < x.dim && self->memory != P2PI_MEMORY_NONE; i++)
        p2p_vec_set(self->e, i, self->v[i] - p2p_vec_get((p2p_view){ self->value, x.dim, x.type }, i));
    if (!whole) {
        /* As rounded to the wire format: what the next round starts from. */
        memcpy(self->p, self->got_p, self->rows * self->rank * sizeof *self->p);
        memcpy(self->q, self->got_q, self->cols * self->rank * sizeof *self->q);
    } else if (self->vt->refresh != NULL && !self->whole)
        self->vt->refresh(self);
    return P2P_OK;
}

p2p_status
p2pi_low_rank_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    p2pi_low_rank *self = c->work;
    p2p_status st = read_message(self, p2pi_low_rank_is_whole(self, env), buf, len);

    if (st == P2P_OK)
        p2pi_target_give(t, (p2p_vec){ self->value, self->shape.dim, self->shape.type });
    return st;
}

double
p2pi_low_rank_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    const p2pi_low_rank *self = c->work;
    double factors = (double)self->factors.count, dense = (double)self->shape.dim;

    (void)buf;
    return 8 * (double)p2pi_real_bytes(self->factors.real) *
           (len == p2pi_reals_frame_bytes(&self->dense) ? dense : factors);
}
