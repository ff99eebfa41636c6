/*
 * The index section: a strictly increasing list of k >= 1 indices below d, in the shortest of six codes.
 *
 * Layout: u8 mode, a u8 parameter for gaps and rice, then a bit stream. Gap j is i_j - i_(j-1) - 1, i_(-1) = -1.
 */
#ifndef P2PI_INDEX_SECTION_H
#define P2PI_INDEX_SECTION_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    P2PI_INDEX_ALL,    /* nothing: k = d */
    P2PI_INDEX_FIXED,  /* each index in bitlen(d - 1) bits */
    P2PI_INDEX_BITMAP, /* d bits */
    P2PI_INDEX_GAPS,   /* each gap in as many bits as the largest needs */
    P2PI_INDEX_GAMMA,  /* gamma(gap + 1) */
    P2PI_INDEX_RICE,   /* rice(gap, p) */
    P2PI_INDEX_MODES,
    P2PI_INDEX_AUTO = P2PI_INDEX_MODES /* fewest bits, ties to the lowest mode */
} p2pi_index_mode;

/** A mode with its parameter, and what the section costs. */
typedef struct {
    p2pi_index_mode mode;
    unsigned parameter;
    uint64_t bits; /* parameter byte included, mode byte and padding not */
} p2pi_index_code;

/** Bits of every mode in one pass over the list; UINT64_MAX for P2PI_INDEX_ALL where k < d. */
void p2pi_index_sizes(const uint32_t *index, size_t k, size_t d, p2pi_index_code sizes[P2PI_INDEX_MODES]);

/** The code that `mode` asks for. ALL must fit (k = d). */
p2pi_index_code p2pi_index_choose(const uint32_t *index, size_t k, size_t d, p2pi_index_mode mode);

/** Bytes of the section. */
size_t p2pi_index_bytes(const p2pi_index_code *code);

/** Most bytes of a section of at most k indices in the given mode; P2PI_BITS_SPARE not included. */
size_t p2pi_index_bound(size_t k, size_t d, p2pi_index_mode mode);

/** Write the section; returns the byte behind it. May touch P2PI_BITS_SPARE bytes more. */
uint8_t *p2pi_index_write(uint8_t *at, const uint32_t *index, size_t k, size_t d, const p2pi_index_code *code);

/**
 * Read a section of k indices below d, 1 <= k <= d, from the bytes *at .. end.
 *
 * @return P2P_OK, *at behind the section; P2P_EPROTO for anything but a strictly increasing list in a known mode.
 */
p2p_status p2pi_index_read(const uint8_t **at, const uint8_t *end, size_t k, size_t d, uint32_t *index);

#endif
