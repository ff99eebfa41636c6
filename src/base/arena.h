/* One zeroed block per object: sizes are added up first, then parts are handed out, 64-byte aligned. */
#ifndef P2PI_ARENA_H
#define P2PI_ARENA_H

#include <p2popt/status.h>
#include <stddef.h>

typedef struct p2pi_arena p2pi_arena;

/** An arena that grows by blocks while an object is made. */
p2p_status p2pi_arena_new(p2pi_arena **out);
/** bytes zeroed bytes, 64-byte aligned, owned by the arena; NULL without memory (sentence set). */
void *p2pi_arena_take(p2pi_arena *self, size_t bytes);
/** count entries of size bytes; refuses an overflowing product. */
void *p2pi_arena_array(p2pi_arena *self, size_t count, size_t size);
/** A copy of a text. */
char *p2pi_arena_text(p2pi_arena *self, const char *text);
void p2pi_arena_destroy(p2pi_arena **self);

#endif
