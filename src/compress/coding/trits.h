/*
 * Ternary symbols, five a byte, from five equal parts of the list so that both directions are vector loops; runs of
 * zero bytes may be shortened.
 *
 * Lim, Andersen, Kaminsky, "3LC", arXiv:1802.07389 (quartic and zero-run coding).
 */
#ifndef P2PI_TRITS_H
#define P2PI_TRITS_H

#include <stddef.h>
#include <stdint.h>

/** Bytes for n symbols. */
static inline size_t
p2pi_trit_bytes(size_t n)
{
    return (n + 4) / 5;
}

/** Pack n symbols 0, 1, 2 (zigzag of 0, -1, +1) into p2pi_trit_bytes(n) bytes of 0 .. 242. */
void p2pi_trits_pack(const uint32_t *symbol, size_t n, uint8_t *bytes);

/** Whether the bytes are trits whose padding is zero; symbols are written in any case. */
int p2pi_trits_unpack(const uint8_t *bytes, size_t n, uint32_t *symbol);

/** Shorten runs of 2 to 14 zero bytes in place; returns the bytes that are left. */
size_t p2pi_trits_shorten(uint8_t *bytes, size_t count);

/** Bytes that `count` shortened bytes stand for; stops counting above limit. */
size_t p2pi_trits_length(const uint8_t *bytes, size_t count, size_t limit);

/** Whether n symbols come out of `count` shortened bytes with zero padding. p2pi_trits_length must be right. */
int p2pi_trits_expand(const uint8_t *bytes, size_t count, size_t n, uint32_t *symbol);

#endif
