/* Why nodes were lost, so that a reason many share is told once. */
#ifndef LOSSES_H
#define LOSSES_H

#include <stddef.h>

typedef struct losses losses;

/** NULL: no memory. */
losses *losses_new(size_t nodes);
void losses_destroy(losses **self);

/**
 * Take why a node was lost: its own reason, or "node 4: " and the reason node 4 gave.
 *
 * @return the node that was lost for this reason before; rank itself if none was, or if self is NULL.
 */
size_t losses_take(losses *self, size_t rank, const char *why);

#endif
