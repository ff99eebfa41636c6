#include "compress_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Memory of one measurement. */
typedef struct {
    p2p_compressor *compressor;
    p2p_view x;
    p2p_vec y;    /* decoded */
    double *mean; /* of decoded entries */
    uint8_t *lean, *frame;
    size_t cap, len;
    p2p_env env;
} session;

static double
square(double v)
{
    return v * v;
}

/* What errors are relative to: 1 for the zero vector, which has none. */
static double
size_of(double norm)
{
    return norm > 0 ? norm : 1;
}

static void
close_session(session *s)
{
    p2p_compressor_destroy(&s->compressor);
    free(s->y.data);
    free(s->mean);
    free(s->lean);
    free(s->frame);
}

static p2p_status
open_session(session *s, const char *spec, p2p_view x, const compress_setting *setting)
{
    p2p_shape shape = { x.dim, x.type, setting->nodes };
    p2p_status st;

    memset(s, 0, sizeof *s);
    s->x = x;
    s->y = (p2p_vec){ NULL, x.dim, x.type };
    s->env = setting->env;
    if (s->env.scale == 0)
        s->env.scale = size_of(p2p_vec_norminf(x));
    if ((st = p2p_compressor_new(&s->compressor, spec, &shape)) != P2P_OK)
        return st;
    s->cap = p2p_compressor_bound(s->compressor) + P2P_FRAME_EXTRA;
    s->y.data = malloc(x.dim * p2p_dtype_size(x.type));
    s->mean = calloc(x.dim, sizeof *s->mean);
    s->lean = malloc(s->cap);
    s->frame = malloc(s->cap);
    if (s->y.data != NULL && s->mean != NULL && s->lean != NULL && s->frame != NULL)
        return P2P_OK;
    close_session(s);
    return p2p_fail(P2P_ENOMEM, "compressor %s: no memory for vectors of %zu entries", spec, x.dim);
}

static p2p_status
encode(session *s)
{
    return p2p_compressor_encode(s->compressor, s->x, &s->env, s->lean, s->cap, &s->len);
}

/* ---- errors */

static double
largest_difference(p2p_view x, p2p_view y)
{
    double largest = 0;

    for (size_t i = 0; i < x.dim; i++)
        largest = fmax(largest, fabs(p2p_vec_get(x, i) - p2p_vec_get(y, i)));
    return largest;
}

/* One message: sums of what the figures average. */
static p2p_status
draw(session *s, compress_figures *f, double *squares, double *variance)
{
    double norm = size_of(p2p_vec_norm2(s->x)), share = 1.0 / (double)f->draws, error;
    size_t frame_len;
    p2p_status st;

    if ((st = encode(s)) != P2P_OK ||
        (st = p2p_compressor_frame(s->compressor, &s->env, s->lean, s->len, s->frame, s->cap, &frame_len)) !=
            P2P_OK ||
        (st = p2p_compressor_decode(s->compressor, &s->env, s->lean, s->len, s->y)) != P2P_OK)
        return st;
    error = square(p2p_vec_distance(s->x, p2p_view_of(s->y)) / norm);
    f->error += share * error;
    *squares += share * square(error);
    f->error_largest += share * largest_difference(s->x, p2p_view_of(s->y)) / size_of(p2p_vec_norminf(s->x));
    f->bits_lean += share * 8 * (double)s->len;
    f->bits_frame += share * 8 * (double)frame_len;
    f->bits_nominal += share * p2p_compressor_nominal_bits(s->compressor, s->lean, s->len);
    for (size_t i = 0; i < s->x.dim; i++) {
        double v = p2p_vec_get(p2p_view_of(s->y), i);

        s->mean[i] += share * v;
        *variance += share * square(v / norm);
    }
    return P2P_OK;
}

static double
allowed_error(const session *s, const p2p_compressor_constants *k)
{
    double allowed = INFINITY;

    if (k->traits & P2P_STATEFUL)
        return NAN;
    if (k->traits & P2P_UNBIASED)
        allowed = fmin(allowed, k->omega);
    if (k->traits & P2P_CONTRACTIVE)
        allowed = fmin(allowed, 1 - k->delta);
    if ((k->traits & P2P_ABSOLUTE) && p2p_vec_norminf(s->x) <= k->range * s->env.scale)
        allowed = fmin(allowed, k->error2 * square(s->env.scale / size_of(p2p_vec_norm2(s->x))));
    return isinf(allowed) ? NAN : allowed;
}

/* Any compressor of error a ||x||^2 spends at least (d/2) log2(1/a) bits; an unbiased one counts as a contractive one
 * of omega/(1 + omega). Safaryan, Shulgin, Richtarik, arXiv:2002.08958. */
static double
bits_bound(const compress_figures *f, size_t dim)
{
    double a = f->constants.traits & P2P_UNBIASED ? f->error / (1 + f->error) : f->error;

    return a > 0 && a < 1 ? 0.5 * (double)dim * log2(1 / a) : NAN;
}

static p2p_status
measure_errors(session *s, compress_figures *f, const compress_setting *setting)
{
    const int stateful = (f->constants.traits & P2P_STATEFUL) != 0;
    const int repeats = stateful || (f->constants.traits & (P2P_RANDOM | P2P_SHARED)) != 0;
    double squares = 0, variance = 0, norm = size_of(p2p_vec_norm2(s->x));
    p2p_status st = P2P_OK;

    f->draws = repeats ? setting->draws : 1;
    /* Tables that follow the seed alone are drawn anew, too, where no state of the compressor depends on the seed. */
    for (size_t i = 0; i < f->draws && st == P2P_OK; i++, s->env.round++, s->env.seed += !stateful)
        st = draw(s, f, &squares, &variance);
    f->error_allowed = allowed_error(s, &f->constants);
    f->error_room = 5 * sqrt(fmax(0, squares - square(f->error)) / (double)f->draws);
    f->bias = 0;
    for (size_t i = 0; i < s->x.dim; i++) {
        variance -= square(s->mean[i] / norm);
        f->bias += square((s->mean[i] - p2p_vec_get(s->x, i)) / norm);
    }
    f->bias = sqrt(f->bias);
    f->bias_allowed = (f->constants.traits & (P2P_UNBIASED | P2P_STATEFUL)) == P2P_UNBIASED
                          ? 5 * sqrt(fmax(0, variance) / (double)f->draws)
                          : NAN;
    f->bits_bound = bits_bound(f, s->x.dim);
    return st;
}

int
compress_verdict(const compress_figures *f)
{
    /* Rounding of the last place, and of dithers and scales in short formats. */
    const double slack = 1e-6;

    if (isnan(f->error_allowed) || isnan(f->error))
        return -1;
    if (f->error > f->error_allowed * (1 + slack) + f->error_room + slack * slack)
        return 0;
    return isnan(f->bias_allowed) || f->draws < 2 || f->bias <= f->bias_allowed + slack;
}

/* ---- speed */

static double
seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { TIME_ENCODE, TIME_DECODE, TIME_ADD, TIME_COPY };

static p2p_status
run_once(session *s, int what)
{
    switch (what) {
    case TIME_ENCODE:
        return encode(s);
    case TIME_DECODE:
        return p2p_compressor_decode(s->compressor, &s->env, s->lean, s->len, s->y);
    case TIME_ADD:
        return p2p_compressor_axpy(s->compressor, &s->env, s->lean, s->len, 1, 1e-9, s->y);
    default:
        memcpy(s->y.data, s->x.data, s->x.dim * p2p_dtype_size(s->x.type));
        return P2P_OK;
    }
}

/* GB of vector a second; at least three runs. */
static p2p_status
time_it(session *s, int what, double seconds, double *speed)
{
    double start = seconds_now(), passed = 0;
    size_t runs = 0;
    p2p_status st = P2P_OK;

    while (st == P2P_OK && (runs < 3 || passed < seconds)) {
        st = run_once(s, what);
        runs++;
        passed = seconds_now() - start;
    }
    *speed = (double)runs * (double)(s->x.dim * p2p_dtype_size(s->x.type)) / passed * 1e-9;
    return st;
}

p2p_status
compress_measure(compress_figures *out, const char *spec, p2p_view x, const compress_setting *setting)
{
    compress_figures *f = out;
    double *const speeds[] = { &f->encode, &f->decode, &f->add, &f->copy };
    session s;
    p2p_status st = open_session(&s, spec, x, setting);

    memset(f, 0, sizeof *f);
    f->encode = f->decode = f->add = f->copy = NAN;
    if (st != P2P_OK)
        return st;
    strncat(f->spec, p2p_compressor_spec(s.compressor), sizeof f->spec - 1);
    f->constants = *p2p_compressor_constants_of(s.compressor);
    st = measure_errors(&s, f, setting);
    /* Encoding comes first: the others repeat its message. */
    for (int what = 0; what < 4 && st == P2P_OK && setting->seconds > 0; what++)
        st = time_it(&s, what, setting->seconds, speeds[what]);
    close_session(&s);
    return st;
}
