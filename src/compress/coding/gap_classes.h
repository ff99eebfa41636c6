/*
 * Ascending indices as gaps in 1, 2 or 4 widths: each gap takes the narrowest class it fits, behind a flag of 0, 1 or
 * 2 bits that names the class. Gap j is i_j - i_(j-1) - 1, i_(-1) = -1; 0 takes one bit.
 */
#ifndef P2PI_GAP_CLASSES_H
#define P2PI_GAP_CLASSES_H

#include "compress/coding/msb_bits.h"

enum { P2PI_GAP_CLASSES_MAX = 4, P2PI_GAP_CLASS_BITS = 6 /* of a width, where classes are sent */ };

typedef struct {
    unsigned count;                       /* 1, 2 or 4 */
    unsigned width[P2PI_GAP_CLASSES_MAX]; /* bits, not decreasing */
    uint64_t bits;                        /* of the list: flags and gaps */
} p2pi_gap_classes;

/** The classes with the fewest bits for k >= 1 indices; of those that tie, the fewest classes. */
p2pi_gap_classes p2pi_gap_classes_of(const uint32_t *index, size_t k);

/** Whether a sender can have chosen these: 1, 2 or 4 widths of 1 to 32 bits, not decreasing. */
int p2pi_gap_classes_valid(const p2pi_gap_classes *c);

void p2pi_gap_classes_write(const p2pi_gap_classes *c, const uint32_t *index, size_t k, p2pi_msb_writer *w);

/** Read k indices below d; 0 for any bits that no list of these has. */
int p2pi_gap_classes_read(const p2pi_gap_classes *c, p2pi_msb_reader *r, size_t k, size_t d, uint32_t *index);

#endif
