/* Philox4x32-10 with AVX2 and with AVX-512: one source, two sets of instructions. */
#include "base/philox.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#define FN(name) name##_avx2
#define TARGET __attribute__((target("avx2")))
#define VEC __m256i
#define LANES 8
#define SET1(x) _mm256_set1_epi32((int)(x))
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define ADD(a, b) _mm256_add_epi32(a, b)
#define XOR3(a, b, c) _mm256_xor_si256(a, _mm256_xor_si256(b, c))
#define MUL(a, b) _mm256_mul_epu32(a, b)
#define TO_EVEN(a) _mm256_shuffle_epi32(a, 0xF5)
#define TO_ODD(a) _mm256_shuffle_epi32(a, 0xA0)
#define MERGE(a, b) _mm256_blend_epi32(a, b, 0xAA)
#define LOW32(a, b) _mm256_unpacklo_epi32(a, b)
#define HIGH32(a, b) _mm256_unpackhi_epi32(a, b)
#define LOW64(a, b) _mm256_unpacklo_epi64(a, b)
#define HIGH64(a, b) _mm256_unpackhi_epi64(a, b)
#define ORDER { 0, 2, 4, 6, 1, 3, 5, 7 }
#include "base/philox_lanes.inc"
#undef FN
#undef TARGET
#undef VEC
#undef LANES
#undef SET1
#undef LOAD
#undef STORE
#undef ADD
#undef XOR3
#undef MUL
#undef TO_EVEN
#undef TO_ODD
#undef MERGE
#undef LOW32
#undef HIGH32
#undef LOW64
#undef HIGH64
#undef ORDER

#define FN(name) name##_avx512
#define TARGET __attribute__((target("avx512f")))
#define VEC __m512i
#define LANES 16
#define SET1(x) _mm512_set1_epi32((int)(x))
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define ADD(a, b) _mm512_add_epi32(a, b)
#define XOR3(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0x96)
#define MUL(a, b) _mm512_mul_epu32(a, b)
#define TO_EVEN(a) _mm512_shuffle_epi32(a, 0xF5)
#define TO_ODD(a) _mm512_shuffle_epi32(a, 0xA0)
#define MERGE(a, b) _mm512_mask_blend_epi32(0xAAAA, a, b)
#define LOW32(a, b) _mm512_unpacklo_epi32(a, b)
#define HIGH32(a, b) _mm512_unpackhi_epi32(a, b)
#define LOW64(a, b) _mm512_unpacklo_epi64(a, b)
#define HIGH64(a, b) _mm512_unpackhi_epi64(a, b)
#define ORDER { 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15 }
#include "base/philox_lanes.inc"
#endif
