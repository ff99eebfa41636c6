/*
 * The value section: n >= 1 unsigned symbols in one of nine codes.
 *
 * Layout: u8 mode, parameters, a stream. Signed codes c become symbols by zigzag: c >= 0 -> 2 c, c < 0 -> -2 c - 1.
 */
#ifndef P2PI_VALUE_SECTION_H
#define P2PI_VALUE_SECTION_H

#include "compress/coding/generalised_normal.h"
#include "compress/coding/huffman.h"

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

/** How codes are sent, in the order of the option's words; a mode byte is the number less P2PI_CODE_MODE. */
typedef enum {
    P2PI_CODE_AUTO, /* fewest bits among fixed, gamma, rice, huffman */
    P2PI_CODE_BEST, /* fewest bytes among fixed to range, each tried */
    P2PI_CODE_FIXED,
    P2PI_CODE_GAMMA,
    P2PI_CODE_DELTA,
    P2PI_CODE_RICE,
    P2PI_CODE_HUFFMAN,
    P2PI_CODE_RANGE,
    P2PI_CODE_TRIT,    /* symbols 0, 1, 2 */
    P2PI_CODE_TRITZ,   /* trit with runs of zero bytes shortened */
    P2PI_CODE_ELIAS,   /* another word for gamma; never left in a parameter struct */
    P2PI_CODE_GENNORM, /* Huffman codes of a law that is fitted to the symbols: generalised normal, */
    P2PI_CODE_LAPLACE,
    P2PI_CODE_NORMAL,
    P2PI_CODE_MODE = 1
} p2pi_code;

#define P2PI_CODE_WORDS "auto|best|fixed|gamma|delta|rice|huffman|range|trit|tritz|elias|gennorm|laplace|normal"

/** How often each symbol occurs. */
typedef struct {
    size_t n;
    uint32_t largest;
    int sized;   /* whether more is wanted than these */
    int counted; /* whether count holds all; if not, what follows it tells the sizes of integer codes */
    uint32_t count[P2PI_ALPHABET];
    uint64_t with_bit[32];  /* symbols that have this bit */
    uint64_t of_length[34]; /* symbols one less than a number of so many bits */
} p2pi_symbol_counts;

/** Count, if symbols are below P2PI_ALPHABET and the code needs it; of a list, or of one part after the other. */
void p2pi_symbols_count(p2pi_symbol_counts *c, const uint32_t *symbol, size_t n, p2pi_code code);
void p2pi_symbols_start(p2pi_symbol_counts *c, p2pi_code code);
void p2pi_symbols_add(p2pi_symbol_counts *c, const uint32_t *symbol, size_t n);

/** The chosen mode, with what is needed to write it. */
typedef struct {
    p2pi_code code;
    unsigned parameter;            /* width of fixed, p of rice */
    size_t bytes;                  /* of the whole section */
    uint8_t length[P2PI_ALPHABET]; /* huffman, and codes of a law */
    p2pi_gennorm_wire law;
    uint32_t centre;                   /* of the law: a symbol plus 1; 0: symbols are zigzag */
    uint16_t frequency[P2PI_ALPHABET]; /* range */
} p2pi_value_code;

/**
 * Choose among the codes that `code` allows.
 *
 * @param symbol the list itself; it is read only for best, range and tritz.
 * @param code   huffman, range and those of a law need symbols below P2PI_ALPHABET, trit and tritz below 3.
 */
void p2pi_value_choose(p2pi_value_code *out, const p2pi_symbol_counts *c, const uint32_t *symbol, p2pi_code code);

/** Most bytes of a section of at most n symbols not above largest; P2PI_BITS_SPARE not included. */
size_t p2pi_value_bound(size_t n, uint32_t largest, p2pi_code code);

/** Write the section; returns the byte behind it. May touch P2PI_BITS_SPARE bytes more. */
uint8_t *p2pi_value_write(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol,
                          const p2pi_value_code *code);

/** Bytes before the stream of a section of fixed width, and these bytes. */
enum { P2PI_FIELDS_HEAD = 2 };
void p2pi_value_head(uint8_t *at, unsigned width);

/** A section of fixed width that is left as it is. */
typedef struct {
    const uint8_t *stream; /* NULL: it is in another code, or its fields are wide */
    size_t len;
    unsigned width;
} p2pi_fields;

/** Read a section as p2pi_value_read would, if it is of fixed width; symbols are not compared if it is trusted. */
p2p_status p2pi_value_fields(const uint8_t **at, const uint8_t *end, size_t n, uint32_t largest, int trusted,
                             p2pi_fields *fields);

/** Symbols from .. from + n - 1; from is a multiple of 8. */
void p2pi_fields_symbols(const p2pi_fields *fields, size_t from, size_t n, uint32_t *symbol);

/**
 * Read a section of n >= 1 symbols from the bytes *at .. end.
 *
 * @param largest what a symbol may be; Rice codes of larger ones are refused before their zeros are counted.
 * @return P2P_OK, *at behind the section; P2P_EPROTO for anything but n symbols in a known mode, or one that is
 * larger.
 */
p2p_status p2pi_value_read(const uint8_t **at, const uint8_t *end, size_t n, uint32_t largest, uint32_t *symbol);

#endif
