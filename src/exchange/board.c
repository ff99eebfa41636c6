#include "exchange/board.h"

#include "base/fail.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 8 }; /* of a stage */

/* One stage of one node. */
typedef struct {
    uint64_t stage;
    p2p_vec message[MESSAGES];
    unsigned posted; /* bit i: message i */
} page;

typedef struct {
    uint64_t closed; /* stages posted whole */
    int gone;
} poster;

struct p2pi_board {
    pthread_mutex_t lock;
    size_t nodes, depth;
    unsigned char *lies;
    poster *posters;
    page *pages; /* depth of each node */
};

p2p_status
p2pi_board_new(p2pi_board **out, size_t nodes, size_t depth, const unsigned char *lies)
{
    p2pi_board *self = calloc(1, sizeof *self);

    *out = NULL;
    if (self == NULL)
        return p2pi_fail_memory("board", sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    self->nodes = nodes;
    self->depth = depth;
    self->lies = malloc(nodes);
    self->posters = calloc(nodes, sizeof *self->posters);
    self->pages = calloc(nodes * depth, sizeof *self->pages);
    if (self->lies == NULL || self->posters == NULL || self->pages == NULL) {
        p2pi_board_destroy(&self);
        return p2pi_fail_memory("board", nodes * depth * sizeof(page));
    }
    memcpy(self->lies, lies, nodes);
    *out = self;
    return P2P_OK;
}

void
p2pi_board_destroy(p2pi_board **out)
{
    p2pi_board *self = *out;

    if (self == NULL)
        return;
    for (size_t i = 0; self->pages != NULL && i < self->nodes * self->depth; i++)
        for (size_t k = 0; k < MESSAGES; k++)
            free(self->pages[i].message[k].data);
    pthread_mutex_destroy(&self->lock);
    free(self->lies);
    free(self->posters);
    free(self->pages);
    free(self);
    *out = NULL;
}

static page *
page_of(p2pi_board *self, size_t node, uint64_t stage)
{
    return &self->pages[node * self->depth + stage % self->depth];
}

/* Room that is taken at the first visit and kept. */
static int
has_room(p2p_vec *message, p2p_view value)
{
    if (message->data != NULL && message->dim == value.dim && message->type == value.type)
        return 1;
    free(message->data);
    *message = (p2p_vec){ malloc(value.dim * p2p_dtype_size(value.type)), value.dim, value.type };
    return message->data != NULL;
}

void
p2pi_board_post(p2pi_board *self, size_t node, uint64_t stage, size_t index, p2p_view value)
{
    page *p = page_of(self, node, stage);

    if (index >= MESSAGES)
        return;
    pthread_mutex_lock(&self->lock);
    if (p->stage != stage)
        p->posted = 0;
    p->stage = stage;
    if (has_room(&p->message[index], value)) {
        p2p_vec_copy(p->message[index], value);
        p->posted |= 1u << index;
    }
    pthread_mutex_unlock(&self->lock);
}

void
p2pi_board_close(p2pi_board *self, size_t node, uint64_t stage)
{
    pthread_mutex_lock(&self->lock);
    self->posters[node].closed = stage + 1;
    pthread_mutex_unlock(&self->lock);
}

void
p2pi_board_leave(p2pi_board *self, size_t node)
{
    pthread_mutex_lock(&self->lock);
    self->posters[node].gone = 1;
    pthread_mutex_unlock(&self->lock);
}

int
p2pi_board_complete(p2pi_board *self, uint64_t stage)
{
    int complete = 1;

    pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->nodes && complete; i++)
        complete = self->lies[i] || self->posters[i].gone || self->posters[i].closed > stage;
    pthread_mutex_unlock(&self->lock);
    return complete;
}

int
p2pi_board_read(p2pi_board *self, size_t node, uint64_t stage, size_t index, p2p_vec out)
{
    const page *p = page_of(self, node, stage);
    int there;

    pthread_mutex_lock(&self->lock);
    there = index < MESSAGES && p->stage == stage && (p->posted >> index & 1) && p->message[index].dim == out.dim &&
            p->message[index].type == out.type;
    if (there)
        p2p_vec_copy(out, p2p_view_of(p->message[index]));
    pthread_mutex_unlock(&self->lock);
    return there;
}
