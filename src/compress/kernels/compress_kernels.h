/* Loops over the entries of a vector, for both element types. Entries are given by the start of an array. */
#ifndef P2PI_COMPRESS_KERNELS_H
#define P2PI_COMPRESS_KERNELS_H

#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

/** Entries that a loop over a long vector handles at a time, in buffers on the stack; a multiple of 16. */
enum { P2PI_CHUNK = 1024 };

/** A buffer for a chunk of either type. */
typedef union {
    float f32[P2PI_CHUNK];
    double f64[P2PI_CHUNK];
} p2pi_chunk;

/** n entries from entry `at` on. */
static inline p2p_view
p2pi_part_of(p2p_view x, size_t at, size_t n)
{
    p2p_view part = { (const char *)x.data + at * p2p_dtype_size(x.type), n, x.type };
    return part;
}

/** The first n entries of a chunk as a vector. */
static inline p2p_vec
p2pi_chunk_vec(p2pi_chunk *chunk, size_t n, p2p_dtype type)
{
    p2p_vec v = { chunk, n, type };
    return v;
}

/** Findings of a scan; 0: every entry is zero or a normal number. */
enum { P2PI_SCAN_NONFINITE = 1, P2PI_SCAN_UNCLEAN = 2 /* denormals or -0 */ };
int p2pi_scan(p2p_view x);

/** y = x with denormals and -0 as +0. */
void p2pi_clean(p2p_view x, p2p_vec y);

/** y_j = factor x_(index_j), j < y.dim, in the element type. */
void p2pi_gather(p2p_view x, const uint32_t *index, double factor, p2p_vec y);

/** Indices of the entries that are not 0 and of magnitude at least `least`, ascending; returns how many. */
size_t p2pi_reaching(p2p_view x, double least, uint32_t *index);

/** y_(index_j) = v_j and y_(index_j) += a v_j. */
void p2pi_scatter(p2p_vec y, const uint32_t *index, p2p_view v);
void p2pi_scatter_add(p2p_vec y, const uint32_t *index, double a, p2p_view v);

/** Zigzag symbols of codes sign(y) min(floor((|y| / scale) levels + u), levels); scale > 0, every u in [0, 1). */
void p2pi_quantise(p2p_view y, double scale, uint32_t levels, p2p_view u, uint32_t *symbol);

/** y_j = (scale / levels) c_j of zigzag symbols. */
void p2pi_dequantise(const uint32_t *symbol, double scale, uint32_t levels, p2p_vec y);

/** symbol_j = [y_j < 0]; y_j = one of two values by symbol 0 or 1. */
void p2pi_signs(p2p_view y, uint32_t *symbol);
void p2pi_select(const uint32_t *symbol, double zero, double one, p2p_vec y);

/** y = x, with what is beyond +-limit at the limit. */
void p2pi_clip(p2p_view x, double limit, p2p_vec y);

/** Zigzag symbols of sign(y) where |y| >= limit, else of 0. */
void p2pi_ternary(p2p_view y, double limit, uint32_t *symbol);

/** Zigzag symbols of clip(floor(y / step + u), -limit, limit), in double; limit below 2^30. */
void p2pi_steps(p2p_view y, double step, const double *u, uint32_t limit, uint32_t *symbol);

/** Levels 0 = level[0] < level[1] < .. < level[count] = 1. */
typedef struct {
    uint32_t count;
    double level[64];
} p2pi_ladder;

/** Zigzag symbols of sign(y) c: level c <= |y|/scale, or the next where u is below the share of the gap; in double.
 */
void p2pi_climb(const p2pi_ladder *ladder, p2p_view y, double scale, const double *u, uint32_t *symbol);

/** y_j = scale times the level of a symbol, with its sign. */
void p2pi_from_ladder(const p2pi_ladder *ladder, const uint32_t *symbol, double scale, p2p_vec y);

/** Zigzag symbols of sign(y) floor(|y| / step + u), in double; the results are below 2^30. */
void p2pi_magnitude_steps(p2p_view y, double step, const double *u, uint32_t *symbol);

/** symbol_j = clip(floor(y_j / scale / w), -h, h - 1) + h, w = 2^(1-bits), h = 2^(bits-1), in double. */
void p2pi_cells(p2p_view y, double scale, unsigned bits, uint32_t *symbol);
/** y_j = (symbol_j - h + 1/2) w scale. */
void p2pi_from_cells(const uint32_t *symbol, double scale, unsigned bits, p2p_vec y);

/**
 * At most P2PI_CHUNK dithers u_j in [0, 1) from words, which are scratch afterwards: bits = 24, (w >> 8) 2^-24; 16 or
 * 8, (h + 1/2) 2^-bits of the parts h of a word, low ones first.
 */
void p2pi_dithers(uint32_t *words, unsigned bits, p2p_vec u);

#endif
