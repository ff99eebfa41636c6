/* Each loop twice, from compress_kernels.inc. */
#include "compress/kernels/compress_kernels.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

#define REAL float
#define BITS uint32_t
#define EXPONENT UINT32_C(0x7F800000)
#define FN(name) compress_##name##_f32
#include "compress/kernels/compress_kernels.inc"
#undef REAL
#undef BITS
#undef EXPONENT
#undef FN
#define REAL double
#define BITS uint64_t
#define EXPONENT UINT64_C(0x7FF0000000000000)
#define FN(name) compress_##name##_f64
#include "compress/kernels/compress_kernels.inc"

#define BOTH(type, f32_call, f64_call) ((type) == P2P_F32 ? (f32_call) : (f64_call))

int
p2pi_scan(p2p_view x)
{
    return BOTH(x.type, compress_scan_f32(x.dim, x.data), compress_scan_f64(x.dim, x.data));
}

void
p2pi_clean(p2p_view x, p2p_vec y)
{
    BOTH(x.type, compress_clean_f32(x.dim, x.data, y.data), compress_clean_f64(x.dim, x.data, y.data));
}

void
p2pi_gather(p2p_view x, const uint32_t *index, double factor, p2p_vec y)
{
    BOTH(x.type, compress_gather_f32(y.dim, x.data, index, (float)factor, y.data),
         compress_gather_f64(y.dim, x.data, index, factor, y.data));
}

size_t
p2pi_reaching(p2p_view x, double least, uint32_t *index)
{
    return BOTH(x.type, compress_reaching_f32(x.dim, x.data, (float)least, index),
                compress_reaching_f64(x.dim, x.data, least, index));
}

void
p2pi_scatter(p2p_vec y, const uint32_t *index, p2p_view v)
{
    BOTH(y.type, compress_scatter_f32(v.dim, v.data, index, y.data),
         compress_scatter_f64(v.dim, v.data, index, y.data));
}

void
p2pi_scatter_add(p2p_vec y, const uint32_t *index, double a, p2p_view v)
{
    BOTH(y.type, compress_scatter_add_f32(v.dim, (float)a, v.data, index, y.data),
         compress_scatter_add_f64(v.dim, a, v.data, index, y.data));
}

void
p2pi_quantise(p2p_view y, double scale, uint32_t levels, p2p_view u, uint32_t *symbol)
{
    BOTH(y.type, compress_quantise_f32(y.dim, y.data, (float)scale, (float)levels, u.data, symbol),
         compress_quantise_f64(y.dim, y.data, scale, levels, u.data, symbol));
}

void
p2pi_dequantise(const uint32_t *symbol, double scale, uint32_t levels, p2p_vec y)
{
    BOTH(y.type, compress_dequantise_f32(y.dim, symbol, (float)scale / (float)levels, y.data),
         compress_dequantise_f64(y.dim, symbol, scale / levels, y.data));
}

void
p2pi_signs(p2p_view y, uint32_t *symbol)
{
    BOTH(y.type, compress_signs_f32(y.dim, y.data, symbol), compress_signs_f64(y.dim, y.data, symbol));
}

void
p2pi_select(const uint32_t *symbol, double zero, double one, p2p_vec y)
{
    BOTH(y.type, compress_select_f32(y.dim, symbol, (float)zero, (float)one, y.data),
         compress_select_f64(y.dim, symbol, zero, one, y.data));
}

void
p2pi_clip(p2p_view x, double limit, p2p_vec y)
{
    BOTH(y.type, compress_clip_f32(y.dim, x.data, (float)limit, y.data),
         compress_clip_f64(y.dim, x.data, limit, y.data));
}

void
p2pi_ternary(p2p_view y, double limit, uint32_t *symbol)
{
    BOTH(y.type, compress_trits_f32(y.dim, y.data, limit, symbol), compress_trits_f64(y.dim, y.data, limit, symbol));
}

void
p2pi_steps(p2p_view y, double step, const double *u, uint32_t limit, uint32_t *symbol)
{
    BOTH(y.type, compress_steps_f32(y.dim, y.data, step, u, limit, symbol),
         compress_steps_f64(y.dim, y.data, step, u, limit, symbol));
}

void
p2pi_climb(const p2pi_ladder *l, p2p_view y, double scale, const double *u, uint32_t *symbol)
{
    BOTH(y.type, compress_climb_f32(y.dim, y.data, scale, l->level, l->count, u, symbol),
         compress_climb_f64(y.dim, y.data, scale, l->level, l->count, u, symbol));
}

void
p2pi_from_ladder(const p2pi_ladder *l, const uint32_t *symbol, double scale, p2p_vec y)
{
    BOTH(y.type, compress_from_ladder_f32(y.dim, l->level, symbol, (float)scale, y.data),
         compress_from_ladder_f64(y.dim, l->level, symbol, scale, y.data));
}

void
p2pi_magnitude_steps(p2p_view y, double step, const double *u, uint32_t *symbol)
{
    BOTH(y.type, compress_magnitude_steps_f32(y.dim, y.data, step, u, symbol),
         compress_magnitude_steps_f64(y.dim, y.data, step, u, symbol));
}

void
p2pi_cells(p2p_view y, double scale, unsigned bits, uint32_t *symbol)
{
    BOTH(y.type, compress_cells_f32(y.dim, y.data, scale, bits, symbol),
         compress_cells_f64(y.dim, y.data, scale, bits, symbol));
}

void
p2pi_from_cells(const uint32_t *symbol, double scale, unsigned bits, p2p_vec y)
{
    BOTH(y.type, compress_from_cells_f32(y.dim, symbol, (float)scale, bits, y.data),
         compress_from_cells_f64(y.dim, symbol, scale, bits, y.data));
}

/* The parts of a word in order of significance: memory order, where the machine is little-endian. */
static void
order_parts(uint32_t *words, size_t count, unsigned bits)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < count; i++)
        words[i] = bits == 8 ? __builtin_bswap32(words[i]) : words[i] << 16 | words[i] >> 16;
#else
    (void)words;
    (void)count;
    (void)bits;
#endif
}

void
p2pi_dithers(uint32_t *words, unsigned bits, p2p_vec u)
{
    uint16_t half[P2PI_CHUNK];

    if (bits == 24) {
        BOTH(u.type, compress_dithers_24_f32(words, u.dim, u.data), compress_dithers_24_f64(words, u.dim, u.data));
        return;
    }
    order_parts(words, (u.dim * bits + 31) / 32, bits);
    if (bits == 16) {
        memcpy(half, words, u.dim * sizeof *half);
        BOTH(u.type, compress_dithers_16_f32(half, u.dim, u.data), compress_dithers_16_f64(half, u.dim, u.data));
    } else
        BOTH(u.type, compress_dithers_8_f32((const uint8_t *)words, u.dim, u.data),
             compress_dithers_8_f64((const uint8_t *)words, u.dim, u.data));
}
