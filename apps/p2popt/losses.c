#include "losses.h"

#include <stdlib.h>
#include <string.h>

struct losses {
    size_t nodes;
    char **reasons; /* a node each; NULL: not lost */
};

losses *
losses_new(size_t nodes)
{
    losses *self = calloc(1, sizeof *self);

    if (self == NULL || (self->reasons = calloc(nodes, sizeof *self->reasons)) == NULL) {
        free(self);
        return NULL;
    }
    self->nodes = nodes;
    return self;
}

void
losses_destroy(losses **self)
{
    if (*self == NULL)
        return;
    for (size_t i = 0; i < (*self)->nodes; i++)
        free((*self)->reasons[i]);
    free((*self)->reasons);
    free(*self);
    *self = NULL;
}

/* The reason without the name of the node that gave it. */
static const char *
reason_in(const char *why)
{
    size_t digits = strncmp(why, "node ", 5) == 0 ? strspn(why + 5, "0123456789") : 0;

    return digits > 0 && strncmp(why + 5 + digits, ": ", 2) == 0 ? why + 5 + digits + 2 : why;
}

size_t
losses_take(losses *self, size_t rank, const char *why)
{
    if (self == NULL)
        return rank;
    for (size_t i = 0; i < self->nodes; i++)
        if (self->reasons[i] != NULL && strcmp(self->reasons[i], reason_in(why)) == 0)
            return i;
    if (rank < self->nodes && self->reasons[rank] == NULL)
        self->reasons[rank] = strdup(reason_in(why));
    return rank;
}
