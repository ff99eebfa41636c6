/*
 * Sketches that give back what went in. Each entry is added, under a sign, to one cell in each of three tables, and
 * sketches of several vectors add up. Where the entries are known, one that is alone in a cell is read from it and
 * taken off its other cells, and so on: with about 1.23 cells for each entry nothing is left in the end.
 *
 * Which entry is read where depends on the entries alone: a plan is made first, then carried out on any numbers.
 *
 * Li, Xu, Chen, Dwivedula, Wu, He, Akella, Kim, arXiv:2402.07529.
 */
#ifndef P2PI_PEELING_H
#define P2PI_PEELING_H

#include "base/arena.h"

#include <stdint.h>

enum { P2PI_PEEL_TABLES = 3 };

/** Entry x is lane x mod lanes of block x / lanes; a table has rows x lanes cells. */
typedef struct {
    uint32_t seed;
    size_t rows, lanes;
} p2pi_peel_tables;

static inline size_t
p2pi_peel_cells(p2pi_peel_tables t)
{
    return P2PI_PEEL_TABLES * t.rows * t.lanes;
}

/** Entries, their places, and the plan. */
typedef struct {
    uint32_t *place; /* three for each entry: 2 cell + [the sign is -] */
    uint32_t *order; /* entries as they are read: numbers in the list; what is never alone stands last, ascending */
    uint8_t *table;  /* where each of these is read */
    uint32_t *load;  /* scratch: entries of each cell, */
    uint32_t *left;  /* and those that are not read yet */
    size_t count, peeled;
} p2pi_peeling;

/** Room for so many entries and cells; P2P_ENOMEM. */
p2p_status p2pi_peeling_open(p2pi_peeling *self, size_t entries, size_t cells, p2pi_arena *arena);

/** Place `count` entries, ascending, and plan; returns how many are left. */
size_t p2pi_peeling_plan(p2pi_peeling *self, p2pi_peel_tables tables, const uint32_t *index, size_t count);

/*
 * Reals: add the entries to the cells; read them back, which empties the cells. Entries that are left are estimated
 * by the median of their three cells. Integers are those modulo 2^64: exact in any order.
 */
void p2pi_peeling_add_reals(const p2pi_peeling *self, const double *value, double *cell);
void p2pi_peeling_take_reals(const p2pi_peeling *self, double *cell, double *value);
void p2pi_peeling_add_integers(const p2pi_peeling *self, const int64_t *value, uint64_t *cell);
void p2pi_peeling_take_integers(const p2pi_peeling *self, uint64_t *cell, int64_t *value);

#endif
