/* Lists of symbols in a fixed number of bits each, and their maximum: the loops that every message runs. */
#ifndef P2PI_FIXED_WIDTH_H
#define P2PI_FIXED_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/** 0 for an empty list. */
uint32_t p2pi_largest_symbol(const uint32_t *symbol, size_t n);

/** How many are v. */
uint32_t p2pi_symbols_equal(const uint32_t *symbol, size_t n, uint32_t v);

/** How many have the bit; how many are v or more. */
uint32_t p2pi_symbols_with_bit(const uint32_t *symbol, size_t n, unsigned bit);
uint32_t p2pi_symbols_from(const uint32_t *symbol, size_t n, uint32_t v);

/** n symbols below 2^width, width 0 .. 32, as a bit stream; returns its end. May touch P2PI_BITS_SPARE bytes more. */
uint8_t *p2pi_fixed_pack(uint8_t *at, const uint32_t *symbol, size_t n, unsigned width);

/** n packed symbols below 2^to in place from `from` to fewer bits each; returns their end. `from` is at most 16. */
uint8_t *p2pi_fixed_narrow(uint8_t *bytes, size_t n, unsigned from, unsigned to);

/** The reverse of packing; len is at least the stream's bytes. */
void p2pi_fixed_unpack(const uint8_t *bytes, size_t len, size_t n, unsigned width, uint32_t *symbol);

#endif
