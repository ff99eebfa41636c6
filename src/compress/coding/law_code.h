/*
 * The value section's codes of a law: Huffman codes from the counts of the law about a centre.
 *
 * Behind the mode byte: u8 shape, i8 scale, varint alphabet A, varint centre + 1 (0: zigzag symbols, A odd), u32 CRC
 * of the code lengths, the stream. A receiver whose mathematical library gives other counts sees it from the CRC.
 */
#ifndef P2PI_LAW_CODE_H
#define P2PI_LAW_CODE_H

#include "compress/coding/value_section.h"

/** Fit the law that `code` names to the counts, and its code lengths; bits behind the mode byte. */
uint64_t p2pi_law_size(p2pi_value_code *out, const p2pi_symbol_counts *c, p2pi_code code);

/** Most bits of a section of n symbols. */
uint64_t p2pi_law_bound(size_t n);

uint8_t *p2pi_law_write(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol,
                        const p2pi_value_code *code);

/** P2P_EPROTO; symbols are compared with `largest` by the caller. */
p2p_status p2pi_law_read(const uint8_t **at, const uint8_t *end, size_t n, uint32_t *symbol);

#endif
