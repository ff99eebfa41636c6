/* Blocks chained by a header; small requests share one, large ones get their own. */
#include "base/arena.h"

#include "base/fail.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, BLOCK = 4096 };

typedef struct block {
    struct block *next;
    size_t used, size; /* of what follows the header */
} block;

struct p2pi_arena {
    block *blocks; /* the first is the one being filled */
};

p2p_status
p2pi_arena_new(p2pi_arena **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? P2P_OK : p2pi_fail_memory("arena", sizeof **out);
}

static block *
add_block(p2pi_arena *self, size_t bytes)
{
    size_t size = bytes > BLOCK - ALIGN ? bytes : BLOCK - ALIGN;
    block *b = aligned_alloc(ALIGN, size + ALIGN);

    if (b == NULL)
        return NULL;
    memset(b, 0, size + ALIGN);
    b->size = size;
    b->next = self->blocks;
    self->blocks = b;
    return b;
}

void *
p2pi_arena_take(p2pi_arena *self, size_t bytes)
{
    size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    block *b = self->blocks;
    void *taken;

    if (rounded < bytes || rounded > SIZE_MAX / 2) {
        p2pi_fail_memory("arena", bytes);
        return NULL;
    }
    if ((b == NULL || b->size - b->used < rounded) && (b = add_block(self, rounded)) == NULL) {
        p2pi_fail_memory("arena", bytes);
        return NULL;
    }
    taken = (char *)b + ALIGN + b->used;
    b->used += rounded;
    return taken;
}

void *
p2pi_arena_array(p2pi_arena *self, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        p2pi_fail_memory("arena", SIZE_MAX);
        return NULL;
    }
    return p2pi_arena_take(self, bytes);
}

char *
p2pi_arena_text(p2pi_arena *self, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = p2pi_arena_take(self, bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

void
p2pi_arena_destroy(p2pi_arena **self)
{
    block *b, *next;

    if (*self == NULL)
        return;
    for (b = (*self)->blocks; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    free(*self);
    *self = NULL;
}
