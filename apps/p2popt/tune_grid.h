/* What `p2popt tune` tries: methods with compressors, then numbers of the best ones. */
#ifndef TUNE_GRID_H
#define TUNE_GRID_H

#include <stddef.h>

/** A pair of specs; a list ends with NULL. */
typedef struct {
    const char *method, *compressor;
} tune_pair;

/** Pairs worth a trial, the most likely first, for a sum of functions or a game. */
const tune_pair *tune_pairs(int is_game);

/** Compressors worth a trial with a method that the user names; ends with NULL. */
const char *const *tune_compressors(void);

/** A number of a method that is worth a trial at more and at less than it is; NULL past the last. */
const char *tune_number(size_t i);

/**
 * The spec with the number behind a key times a factor.
 *
 * @param method as in force: "cold:step=0.39,gossip=0.5"; what follows " over " is not the method's
 * @return 1; 0 if it has no such key, or the text does not fit.
 */
int tune_scaled(const char *method, const char *key, double factor, char *text, size_t size);

#endif
