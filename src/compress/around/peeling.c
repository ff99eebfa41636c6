#include "compress/around/peeling.h"

#include <string.h>

enum { NOWHERE = P2PI_PEEL_TABLES };

p2p_status
p2pi_peeling_open(p2pi_peeling *self, size_t entries, size_t cells, p2pi_arena *arena)
{
    self->place = p2pi_arena_array(arena, entries, P2PI_PEEL_TABLES * sizeof *self->place);
    self->order = p2pi_arena_array(arena, entries, sizeof *self->order);
    self->table = p2pi_arena_array(arena, entries, sizeof *self->table);
    self->load = p2pi_arena_array(arena, cells, sizeof *self->load);
    self->left = p2pi_arena_array(arena, entries, sizeof *self->left);
    return self->place && self->order && self->table && self->load && self->left ? P2P_OK : P2P_ENOMEM;
}

/* The finaliser of MurmurHash3. */
static uint32_t
mix(uint32_t h)
{
    h = (h ^ h >> 16) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13) * UINT32_C(0xC2B2AE35);
    return h ^ h >> 16;
}

static uint32_t
place_of(p2pi_peel_tables t, uint32_t table, uint32_t x)
{
    const uint32_t block = x / (uint32_t)t.lanes, lane = x % (uint32_t)t.lanes;
    const uint32_t seed = mix(t.seed + UINT32_C(0x9E3779B9) * (table + 1)), hash = mix(mix(block ^ seed) + seed);
    const size_t row = table * t.rows + (hash & INT32_MAX) % t.rows;

    return (uint32_t)(2 * (row * t.lanes + lane)) | hash >> 31;
}

static const uint32_t *
places_of(const p2pi_peeling *self, uint32_t entry)
{
    return self->place + (size_t)P2PI_PEEL_TABLES * entry;
}

static unsigned
alone_in(const p2pi_peeling *self, uint32_t entry)
{
    const uint32_t *place = places_of(self, entry);
    unsigned table = 0;

    while (table < P2PI_PEEL_TABLES && self->load[place[table] / 2] != 1)
        table++;
    return table;
}

static void
unload(p2pi_peeling *self, uint32_t entry)
{
    for (unsigned t = 0; t < P2PI_PEEL_TABLES; t++)
        self->load[places_of(self, entry)[t] / 2]--;
}

/* One pass over the first `count` of what is left; returns how many are left then. */
static size_t
pass(p2pi_peeling *self, size_t count)
{
    size_t left = 0;

    for (size_t j = 0; j < count; j++) {
        const uint32_t entry = self->left[j];
        const unsigned table = alone_in(self, entry);

        if (table == NOWHERE) {
            self->left[left++] = entry;
            continue;
        }
        unload(self, entry);
        self->order[self->peeled] = entry;
        self->table[self->peeled++] = (uint8_t)table;
    }
    return left;
}

size_t
p2pi_peeling_plan(p2pi_peeling *self, p2pi_peel_tables tables, const uint32_t *index, size_t count)
{
    size_t left = count, before;

    self->count = count;
    self->peeled = 0;
    memset(self->load, 0, p2pi_peel_cells(tables) * sizeof *self->load);
    for (size_t j = 0; j < count; j++) {
        self->left[j] = (uint32_t)j;
        for (unsigned t = 0; t < P2PI_PEEL_TABLES; t++) {
            uint32_t place = place_of(tables, t, index[j]);

            self->place[P2PI_PEEL_TABLES * j + t] = place;
            self->load[place / 2]++;
        }
    }
    do {
        before = left;
        left = pass(self, before);
    } while (left > 0 && left < before);
    memcpy(self->order + self->peeled, self->left, left * sizeof *self->left);
    return left;
}

/* ---- reals */

void
p2pi_peeling_add_reals(const p2pi_peeling *self, const double *value, double *cell)
{
    for (unsigned t = 0; t < P2PI_PEEL_TABLES; t++)
        for (size_t j = 0; j < self->count; j++) {
            const uint32_t place = self->place[P2PI_PEEL_TABLES * j + t];

            cell[place / 2] += place & 1 ? -value[j] : value[j];
        }
}

static double
median(const double v[P2PI_PEEL_TABLES])
{
    const double low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];

    return v[2] < low ? low : v[2] > high ? high : v[2];
}

void
p2pi_peeling_take_reals(const p2pi_peeling *self, double *cell, double *value)
{
    for (size_t i = 0; i < self->count; i++) {
        const uint32_t *place = places_of(self, self->order[i]);
        double seen[P2PI_PEEL_TABLES], v;

        for (unsigned t = 0; t < P2PI_PEEL_TABLES; t++)
            seen[t] = place[t] & 1 ? -cell[place[t] / 2] : cell[place[t] / 2];
        value[self->order[i]] = v = i < self->peeled ? seen[self->table[i]] : median(seen);
        for (unsigned t = 0; i < self->peeled && t < P2PI_PEEL_TABLES; t++)
            cell[place[t] / 2] -= place[t] & 1 ? -v : v;
    }
}

/* ---- integers */

void
p2pi_peeling_add_integers(const p2pi_peeling *self, const int64_t *value, uint64_t *cell)
{
    for (size_t i = 0; i < P2PI_PEEL_TABLES * self->count; i++) {
        const uint64_t v = (uint64_t)value[i / P2PI_PEEL_TABLES];

        cell[self->place[i] / 2] += self->place[i] & 1 ? -v : v;
    }
}

static int64_t
integer_median(const uint64_t v[P2PI_PEEL_TABLES])
{
    const int64_t a = (int64_t)v[0], b = (int64_t)v[1], c = (int64_t)v[2];
    const int64_t low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

void
p2pi_peeling_take_integers(const p2pi_peeling *self, uint64_t *cell, int64_t *value)
{
    for (size_t i = 0; i < self->count; i++) {
        const uint32_t *place = places_of(self, self->order[i]);
        uint64_t seen[P2PI_PEEL_TABLES], v;

        for (unsigned t = 0; t < P2PI_PEEL_TABLES; t++)
            seen[t] = place[t] & 1 ? -cell[place[t] / 2] : cell[place[t] / 2];
        v = i < self->peeled ? seen[self->table[i]] : (uint64_t)integer_median(seen);
        value[self->order[i]] = (int64_t)v;
        for (unsigned t = 0; i < self->peeled && t < P2PI_PEEL_TABLES; t++)
            cell[place[t] / 2] -= place[t] & 1 ? -v : v;
    }
}
