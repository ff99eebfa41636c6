/* Collecting with AVX2 and with AVX-512: a comparison gives a mask, and only its set bits are walked. */
#include "compress/kernels/top_collect.h"

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi")))
#define AVX512 __attribute__((target("avx512f,bmi")))

/* Lanes [8 part, 8 part + 8) of 32 floats, and so on. */
AVX2 static inline uint32_t
reached_f32_avx2(const float *x, int32_t least)
{
    const __m256i magnitude = _mm256_set1_epi32(INT32_MAX), below = _mm256_set1_epi32(least - 1);
    uint32_t bits = 0;

    for (int part = 0; part < 4; part++) {
        __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(x + 8 * part)), magnitude);
        __m256i reached = _mm256_cmpgt_epi32(v, below);

        bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(reached)) << (8 * part);
    }
    return bits;
}

AVX2 static inline uint32_t
reached_f64_avx2(const double *x, int64_t least)
{
    const __m256i magnitude = _mm256_set1_epi64x(INT64_MAX), below = _mm256_set1_epi64x(least - 1);
    uint32_t bits = 0;

    for (int part = 0; part < 8; part++) {
        __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(x + 4 * part)), magnitude);
        __m256i reached = _mm256_cmpgt_epi64(v, below);

        bits |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(reached)) << (4 * part);
    }
    return bits;
}

AVX512 static inline uint32_t
reached_f32_avx512(const float *x, int32_t least)
{
    const __m512i magnitude = _mm512_set1_epi32(INT32_MAX), t = _mm512_set1_epi32(least);
    uint32_t low = _mm512_cmpge_epi32_mask(_mm512_and_si512(_mm512_loadu_si512(x), magnitude), t);
    uint32_t high = _mm512_cmpge_epi32_mask(_mm512_and_si512(_mm512_loadu_si512(x + 16), magnitude), t);

    return low | high << 16;
}

AVX512 static inline uint32_t
reached_f64_avx512(const double *x, int64_t least)
{
    const __m512i magnitude = _mm512_set1_epi64(INT64_MAX), t = _mm512_set1_epi64(least);
    uint32_t bits = 0;

    for (int part = 0; part < 4; part++) {
        __m512i v = _mm512_and_si512(_mm512_loadu_si512(x + 8 * part), magnitude);

        bits |= (uint32_t)_mm512_cmpge_epi64_mask(v, t) << (8 * part);
    }
    return bits;
}

#define REAL float
#define PATTERN int32_t
#define KEY p2pi_top_key_f32
#define FN(name) name##_f32_avx2
#define REACHED reached_f32_avx2
#define TARGET AVX2
#include "compress/kernels/top_collect.inc"
#undef FN
#undef REACHED
#undef TARGET
#define FN(name) name##_f32_avx512
#define REACHED reached_f32_avx512
#define TARGET AVX512
#include "compress/kernels/top_collect.inc"
#undef REAL
#undef PATTERN
#undef KEY
#undef FN
#undef REACHED
#undef TARGET

#define REAL double
#define PATTERN int64_t
#define KEY p2pi_top_key_f64
#define FN(name) name##_f64_avx2
#define REACHED reached_f64_avx2
#define TARGET AVX2
#include "compress/kernels/top_collect.inc"
#undef FN
#undef REACHED
#undef TARGET
#define FN(name) name##_f64_avx512
#define REACHED reached_f64_avx512
#define TARGET AVX512
#include "compress/kernels/top_collect.inc"
#endif
