/*
 * Canonical Huffman codes of symbols below P2PI_ALPHABET, no code longer than 15 bits.
 *
 * Huffman, "A method for the construction of minimum-redundancy codes", Proc. IRE 1952. Nodes of smallest count are
 * joined, ties by node number (leaves in symbol order, then joined nodes in order of creation); a length above 15
 * halves every count, (c + 1) >> 1, and builds again. Absent symbols have length 0, a lone symbol length 1.
 */
#ifndef P2PI_HUFFMAN_H
#define P2PI_HUFFMAN_H

#include "compress/coding/bits.h"

enum { P2PI_ALPHABET = 1024, P2PI_HUFFMAN_LONGEST = 15 };

/** Code lengths of symbols 0 .. alphabet-1 from their counts, at least one of which is not 0. */
void p2pi_huffman_lengths(const uint32_t *count, size_t alphabet, uint8_t *length);

/** Codes as a bit stream takes them: the code's most significant bit is the lowest bit of the word. */
typedef struct {
    unsigned longest;
    uint16_t bits[P2PI_ALPHABET];
    uint8_t length[P2PI_ALPHABET];
} p2pi_huffman_encoder;

/** From lengths already in e->length. */
void p2pi_huffman_encoder_fill(p2pi_huffman_encoder *e, size_t alphabet);

/** Every word of `longest` bits leads to its symbol: table[word] = length << 10 | symbol. */
typedef struct {
    unsigned longest;
    uint16_t table[1 << P2PI_HUFFMAN_LONGEST];
} p2pi_huffman_decoder;

/** Whether the lengths are a complete code whose last symbol is used, or one symbol of length 1; fills the table. */
int p2pi_huffman_decoder_fill(p2pi_huffman_decoder *d, const uint8_t *length, size_t alphabet);

/** Whether n codes follow; as many as fit are read from one word. */
int p2pi_huffman_read(const p2pi_huffman_decoder *d, p2pi_bit_reader *r, size_t n, uint32_t *symbol);

/** Append the codes of n symbols. */
void p2pi_huffman_write(const p2pi_huffman_encoder *e, p2pi_bit_writer *w, const uint32_t *symbol, size_t n);

#endif
