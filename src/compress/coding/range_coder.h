/*
 * A range coder (rANS) with 12-bit frequencies and 16-bit words.
 *
 * Duda, "Asymmetric numeral systems", arXiv:1311.2540. The state starts at 2^16, symbols are taken last to first; the
 * decoder gets the final state, then the words in reverse order of emission, and must end at 2^16 with none left.
 */
#ifndef P2PI_RANGE_CODER_H
#define P2PI_RANGE_CODER_H

#include <stddef.h>
#include <stdint.h>

enum { P2PI_RANGE_SHIFT = 12, P2PI_RANGE_TOTAL = 1 << P2PI_RANGE_SHIFT };

/** Counts to frequencies that add up to 4096 and are at least 1 where the count is not 0. Some count is not 0. */
void p2pi_range_frequencies(const uint32_t *count, size_t alphabet, uint16_t *frequency);

/**
 * Code n symbols; words go downwards from `end`.
 *
 * @param end where the last word ends; NULL: only count.
 * @return the number of 16-bit words; *state is the final state.
 */
size_t p2pi_range_encode(const uint32_t *symbol, size_t n, const uint16_t *frequency, size_t alphabet, uint8_t *end,
                         uint32_t *state);

/** Whether `words` words at `bytes` decode to exactly n symbols. The frequencies add up to 4096. */
int p2pi_range_decode(const uint8_t *bytes, size_t words, uint32_t state, const uint16_t *frequency, size_t alphabet,
                      size_t n, uint32_t *symbol);

#endif
