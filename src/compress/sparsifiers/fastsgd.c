/*
 * fastsgd: what is kept of an entry is its sign and q = floor(log_base(1/|x_i|) + 1/2); kept are those with q <= tau,
 * as base^-q. With tau=auto, tau is the q of the entry that ends the wanted share of largest ones.
 *
 * A kept entry is off by a factor of at most sqrt(base), and what is dropped is below base^-(tau + 1/2). With a share
 * of the entries, k of d, contractive with delta = (k/d) (1 - (sqrt(base) - 1)^2).
 *
 * A message is u32 dimension, u32 count, f32 base, i32 least q, u8 bits of a q, u8 classes of gaps (0: a bitmap),
 * then widths of the classes, keys, and a value for each, q less the least one and the sign. Streams go most
 * significant bit first, and each ends at a byte boundary.
 *
 * Yang, Chen, Zeng, Gao, arXiv:2112.04291.
 */
#include "base/cursor.h"
#include "base/fail.h"
#include "compress/coding/bits.h"
#include "compress/coding/gap_classes.h"
#include "compress/frames/reals_frame.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/top_selection.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"

#include <float.h>
#include <math.h>

enum { HEAD = 18, VALUE_BITS_MAX = 31, POWERS = 1024 };
enum { KEYS_AUTO, KEYS_DELTA, KEYS_BITMAP };

typedef struct {
    double base;
    int64_t tau, keys;
    p2p_count share;
} fastsgd_param;

typedef struct {
    const fastsgd_param *o;
    float base;
    double log_base;
    int64_t least, most; /* q of the largest and of the smallest entry of the type */
    size_t k;            /* of the wanted share; 0: tau is given */
    p2pi_top top;
    p2p_vec x; /* clean */
    uint32_t *index;
    int32_t *q;
    uint8_t *negative;
    double *power; /* of the first POWERS exponents of a message */
} logarithms;

/* What a message holds; keys and values are in the scratch. */
typedef struct {
    size_t count;
    int32_t least;
    unsigned width;           /* of a q less the least */
    p2pi_gap_classes classes; /* count 0: a bitmap */
} content;

static double
power(const logarithms *w, int64_t q)
{
    double v = pow((double)w->base, -(double)q);

    return w->x.type == P2P_F32 ? (double)(float)v : v;
}

static int64_t
exponent(const logarithms *w, double v)
{
    int64_t q = (int64_t)floor(-log(fabs(v)) / w->log_base + 0.5);

    return q < w->least ? w->least : q;
}

/* ---- opening */

static size_t
bytes_of(uint64_t bits)
{
    return (size_t)((bits + 7) / 8);
}

static size_t
bound_of(const logarithms *w, size_t d)
{
    const uint64_t longest = (uint64_t)d * (2 + 32), keys = w->o->keys == KEYS_DELTA ? longest : d;
    const uint64_t value = 1 + p2pi_bit_length((uint64_t)(w->most > w->least ? w->most - w->least : 0));

    return HEAD + bytes_of(P2PI_GAP_CLASSES_MAX * P2PI_GAP_CLASS_BITS) + bytes_of(keys) + bytes_of(value * d);
}

static p2p_status
set_range(logarithms *w, p2p_dtype type)
{
    const double largest = type == P2P_F32 ? FLT_MAX : DBL_MAX, smallest = type == P2P_F32 ? FLT_MIN : DBL_MIN;

    if (!((double)w->base >= 1 + 0x1p-20))
        return p2p_fail(P2P_EINVAL, "compressor \"fastsgd\": base=%g: expected at least 1 + 2^-20", w->o->base);
    w->log_base = log((double)w->base);
    w->least = (int64_t)ceil(-log(largest) / w->log_base);
    while (!isfinite(power(w, w->least)))
        w->least++;
    w->most = exponent(w, smallest);
    if (w->o->tau != P2P_AUTO_INT && w->o->tau < w->most)
        w->most = w->o->tau;
    return P2P_OK;
}

static p2p_status
fastsgd_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const size_t d = c->shape.dim;
    logarithms *w = p2pi_arena_take(arena, sizeof *w);
    double off;
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    w->o = c->part[0].param;
    w->base = (float)w->o->base;
    w->k = w->o->tau == P2P_AUTO_INT ? p2p_count_of(w->o->share, d) : 0;
    w->index = p2pi_arena_array(arena, d, sizeof *w->index);
    w->q = p2pi_arena_array(arena, d, sizeof *w->q);
    w->negative = p2pi_arena_array(arena, d, 1);
    w->power = p2pi_arena_array(arena, POWERS, sizeof *w->power);
    if (w->index == NULL || w->q == NULL || w->negative == NULL || w->power == NULL ||
        p2pi_take_vector(&w->x, c, arena) != P2P_OK || p2pi_top_open(&w->top, d, arena) != P2P_OK)
        return P2P_ENOMEM;
    if ((st = set_range(w, c->shape.type)) != P2P_OK)
        return st;
    c->plan.bound = bound_of(w, d);
    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    c->plan.moment = c->plan.gain = NAN;
    c->plan.constants = (p2p_compressor_constants){ P2P_SPARSE, NAN, NAN, NAN, NAN, NAN };
    off = (sqrt((double)w->base) - 1) * (1 + 0x1p-20);
    if (w->k > 0 && off < 1) {
        c->plan.constants.traits |= P2P_CONTRACTIVE;
        c->plan.constants.delta = (double)w->k / (double)d * (1 - off * off);
    }
    return P2P_OK;
}

/* ---- encoding */

/* The q up to which entries are kept. */
static int64_t
last_exponent(logarithms *w)
{
    double least = INFINITY;

    if (w->k == 0)
        return w->o->tau;
    p2pi_top_select(&w->top, p2p_view_of(w->x), w->k, w->index);
    for (size_t j = 0; j < w->k; j++)
        least = fmin(least, fabs(p2p_vec_get(p2p_view_of(w->x), w->index[j])));
    return least > 0 ? exponent(w, least) : w->most;
}

static content
choose(logarithms *w)
{
    const int64_t tau = last_exponent(w);
    /* Roughly the smallest entry to be kept; which side of it an entry is on is for its q to say. */
    const size_t n =
        p2pi_reaching(p2p_view_of(w->x), pow((double)w->base, -(double)tau - 0.5) * (1 - 1e-6), w->index);
    content m = { 0, 0, 0, { 0 } };
    int64_t least = INT32_MAX, most = INT32_MIN;

    for (size_t j = 0; j < n; j++) {
        double v = p2p_vec_get(p2p_view_of(w->x), w->index[j]);
        int64_t q = exponent(w, v);

        if (q > tau)
            continue;
        w->index[m.count] = w->index[j];
        w->q[m.count] = (int32_t)q;
        w->negative[m.count++] = v < 0;
        least = q < least ? q : least;
        most = q > most ? q : most;
    }
    if (m.count == 0)
        return m;
    m.least = (int32_t)least;
    m.width = p2pi_bit_length((uint64_t)(most - least));
    m.classes = p2pi_gap_classes_of(w->index, m.count);
    if (w->o->keys == KEYS_BITMAP ||
        (w->o->keys == KEYS_AUTO && m.classes.bits + m.classes.count * P2PI_GAP_CLASS_BITS > w->x.dim))
        m.classes.count = 0;
    return m;
}

static uint8_t *
write_bitmap(uint8_t *at, size_t d, const uint32_t *index, size_t k)
{
    memset(at, 0, bytes_of(d));
    for (size_t j = 0; j < k; j++)
        at[index[j] / 8] |= (uint8_t)(0x80 >> index[j] % 8);
    return at + bytes_of(d);
}

static uint8_t *
write_keys(const logarithms *w, const content *m, uint8_t *at)
{
    p2pi_msb_writer bits = p2pi_msb_writer_of(at);

    if (m->classes.count == 0)
        return write_bitmap(at, w->x.dim, w->index, m->count);
    for (unsigned i = 0; i < m->classes.count; i++)
        p2pi_msb_put(&bits, m->classes.width[i], P2PI_GAP_CLASS_BITS);
    bits = p2pi_msb_writer_of(p2pi_msb_end(&bits));
    p2pi_gap_classes_write(&m->classes, w->index, m->count, &bits);
    return p2pi_msb_end(&bits);
}

static uint8_t *
write_values(const logarithms *w, const content *m, uint8_t *at)
{
    p2pi_msb_writer bits = p2pi_msb_writer_of(at);

    for (size_t j = 0; j < m->count; j++)
        p2pi_msb_put(&bits, (uint64_t)(w->q[j] - m->least) << 1 | w->negative[j], m->width + 1);
    return p2pi_msb_end(&bits);
}

static p2p_status
fastsgd_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    logarithms *w = c->work;
    p2pi_writer head = p2pi_writer_of(buf, HEAD);
    size_t bad = p2p_vec_first_nonfinite(x);
    uint8_t *at = buf + HEAD;
    uint32_t base;
    content m;

    (void)env;
    if (bad < x.dim)
        return p2p_fail(P2P_EINVAL, "entry %zu is not finite (%g)", bad, p2p_vec_get(x, bad));
    p2pi_clean(x, w->x);
    m = choose(w);
    memcpy(&base, &w->base, sizeof base);
    p2pi_write_uint(&head, x.dim, 4);
    p2pi_write_uint(&head, m.count, 4);
    p2pi_write_uint(&head, base, 4);
    p2pi_write_uint(&head, (uint32_t)m.least, 4);
    p2pi_write_uint(&head, m.width, 1);
    p2pi_write_uint(&head, m.classes.count, 1);
    if (m.count > 0)
        at = write_values(w, &m, write_keys(w, &m, at));
    *len = (size_t)(at - buf);
    return P2P_OK;
}

/* ---- decoding */

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "message: %s", what);
}

static p2p_status
read_head(const logarithms *w, const uint8_t *buf, size_t len, content *m)
{
    p2pi_reader r = p2pi_reader_of(buf, len);
    const size_t d = (size_t)p2pi_read_uint(&r, 4), count = (size_t)p2pi_read_uint(&r, 4);
    const uint32_t base = (uint32_t)p2pi_read_uint(&r, 4);

    m->count = count;
    m->least = (int32_t)(uint32_t)p2pi_read_uint(&r, 4);
    m->width = (unsigned)p2pi_read_uint(&r, 1);
    m->classes.count = (unsigned)p2pi_read_uint(&r, 1);
    if (r.failed)
        return refuse("shorter than its head of 18 bytes");
    if (d != w->x.dim || memcmp(&base, &w->base, sizeof base) != 0)
        return refuse("dimension or base is not that of the configuration");
    if (count > d)
        return p2p_fail(P2P_EPROTO, "message: %zu entries of %zu", count, d);
    if (m->least < w->least || m->least > w->most || m->width > VALUE_BITS_MAX || m->classes.count > 4)
        return refuse("least exponent, width or classes out of range");
    return P2P_OK;
}

static int
read_bitmap(const uint8_t **at, const uint8_t *end, size_t d, size_t k, uint32_t *index)
{
    const size_t bytes = bytes_of(d);
    size_t n = 0;

    if (bytes > (size_t)(end - *at))
        return 0;
    for (size_t byte = 0; byte < bytes; byte++)
        for (unsigned left = (*at)[byte]; left != 0;) {
            unsigned bit = (unsigned)__builtin_clz(left) - 24;
            size_t i = 8 * byte + bit;

            left &= ~(0x80u >> bit);
            if (i >= d || n == k)
                return 0;
            index[n++] = (uint32_t)i;
        }
    *at += bytes;
    return n == k;
}

static int
read_keys(const logarithms *w, content *m, const uint8_t **at, const uint8_t *end)
{
    p2pi_msb_reader bits = p2pi_msb_reader_of(*at, end);

    if (m->classes.count == 0)
        return read_bitmap(at, end, w->x.dim, m->count, w->index);
    for (unsigned i = 0; i < m->classes.count; i++)
        m->classes.width[i] = (unsigned)p2pi_msb_get(&bits, P2PI_GAP_CLASS_BITS);
    if (!p2pi_msb_close(&bits, at) || !p2pi_gap_classes_valid(&m->classes))
        return 0;
    bits = p2pi_msb_reader_of(*at, end);
    return p2pi_gap_classes_read(&m->classes, &bits, m->count, w->x.dim, w->index) && p2pi_msb_close(&bits, at);
}

static int
read_values(const logarithms *w, const content *m, const uint8_t **at, const uint8_t *end)
{
    p2pi_msb_reader bits = p2pi_msb_reader_of(*at, end);

    for (size_t j = 0; j < m->count; j++) {
        uint64_t code = p2pi_msb_get(&bits, m->width + 1);
        int64_t q = m->least + (int64_t)(code >> 1);

        if (bits.failed || q > w->most)
            return 0;
        w->q[j] = (int32_t)q;
        w->negative[j] = code & 1;
    }
    return p2pi_msb_close(&bits, at);
}

static p2p_status
read_message(const logarithms *w, const uint8_t *buf, size_t len, content *m)
{
    const uint8_t *at = buf + HEAD, *end = buf + len;
    p2p_status st = read_head(w, buf, len, m);

    if (st != P2P_OK)
        return st;
    if (m->count > 0 && !read_keys(w, m, &at, end))
        return refuse("keys are cut short, or are none that a list has");
    if (m->count > 0 && !read_values(w, m, &at, end))
        return refuse("values are cut short or out of range");
    return at == end ? P2P_OK : refuse("bytes are left over");
}

/* Where many values have few exponents, each power is computed once. */
static size_t
tabulate(const logarithms *w, const content *m)
{
    const size_t span = (size_t)1 << m->width;

    if (span > POWERS || span > m->count)
        return 0;
    for (size_t i = 0; i < span; i++)
        w->power[i] = power(w, m->least + (int64_t)i);
    return span;
}

static void
give(const logarithms *w, const content *m, const p2pi_target *t)
{
    const size_t known = tabulate(w, m);
    p2pi_chunk chunk;

    if (!t->add)
        p2p_vec_zero(t->y);
    for (size_t at = 0; at < m->count; at += P2PI_CHUNK) {
        p2p_vec v = p2pi_chunk_vec(&chunk, m->count - at < P2PI_CHUNK ? m->count - at : P2PI_CHUNK, t->y.type);

        for (size_t j = 0; j < v.dim; j++) {
            double magnitude = known ? w->power[w->q[at + j] - m->least] : power(w, w->q[at + j]);

            p2p_vec_set(v, j, w->negative[at + j] ? -magnitude : magnitude);
        }
        p2pi_target_scatter(t, w->index + at, v);
    }
}

static p2p_status
fastsgd_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    const logarithms *w = c->work;
    content m;
    p2p_status st = read_message(w, buf, len, &m);

    (void)env;
    if (st == P2P_OK && t->y.data != NULL)
        give(w, &m, t);
    return st;
}

/* Bits of the streams before they are padded. */
static double
fastsgd_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    const logarithms *w = c->work;
    content m;
    double keys = (double)c->shape.dim;

    if (read_message(w, buf, len, &m) != P2P_OK || m.count == 0)
        return 8 * HEAD;
    if (m.classes.count > 0) {
        p2pi_gap_classes classes = p2pi_gap_classes_of(w->index, m.count);

        keys = (double)classes.bits + classes.count * P2PI_GAP_CLASS_BITS;
    }
    return 8 * HEAD + keys + (double)m.count * (m.width + 1);
}

static const p2pi_scheme fastsgd_scheme = {
    .plan = fastsgd_plan,
    .encode = fastsgd_encode,
    .decode = fastsgd_decode,
    .frame = p2pi_wrapped_frame,
    .unframe = p2pi_wrapped_unframe,
    .nominal = fastsgd_nominal,
};

static const p2p_option fastsgd_options[] = {
    { "base", P2P_OPT_REAL, "1.5", "(1", "16", "base of the logarithm: what is kept is off by at most its root",
      offsetof(fastsgd_param, base) },
    { "tau", P2P_OPT_INT, "auto", "-1000", "1000", "largest exponent kept; auto: that of the share",
      offsetof(fastsgd_param, tau) },
    { "share", P2P_OPT_COUNT, "1%", "1", "100%", "entries that tau=auto keeps at least",
      offsetof(fastsgd_param, share) },
    { "keys", P2P_OPT_CHOICE, "auto", "auto|delta|bitmap", NULL, "code of the support",
      offsetof(fastsgd_param, keys) },
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_fastsgd = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "fastsgd", "logarithms of the large entries, gaps in fitted widths", "arXiv:2112.04291",
               fastsgd_options, sizeof(fastsgd_param) },
    .family = 72,
    .scheme = &fastsgd_scheme,
};
