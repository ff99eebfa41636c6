/*
 * Neighbours may be a round apart, so nodes at a distance may be many: rounds that some nodes have reported and
 * others not are kept open, in ascending order, each with the iterates that are in. A round that every node still
 * in the run has reported is measured and closed.
 */
#include "monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct open_round {
    struct open_round *next;
    uint32_t round;
    size_t count, going; /* nodes that have reported it; those of them that will report further rounds */
    unsigned char *in;   /* a flag a node */
    double *iterates;    /* nodes x dim */
    figures sums;
} open_round;

struct monitor {
    monitor_config config;
    open_round *open, *spare;
    unsigned char *lost, *ended;
    size_t going, finished; /* nodes that will report further rounds; that have sent their last report */
    double *final;          /* nodes x dim */
    double *mean;
    p2p_end end;
    figures last;
};

static void
free_rounds(open_round *round)
{
    while (round != NULL) {
        open_round *next = round->next;

        free(round->in);
        free(round->iterates);
        free(round);
        round = next;
    }
}

p2p_status
monitor_new(monitor **out, const monitor_config *config)
{
    monitor *self = calloc(1, sizeof *self);

    *out = NULL;
    if (self == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory to watch the run");
    self->config = *config;
    self->going = config->nodes;
    for (size_t rank = 0; config->ignored != NULL && rank < config->nodes; rank++)
        self->going -= config->ignored[rank] != 0;
    self->last = (figures){ .value = NAN, .gap = NAN, .consensus_distance = NAN, .residual = NAN };
    self->lost = calloc(config->nodes, 1);
    self->ended = calloc(config->nodes, 1);
    self->final = calloc(config->nodes * config->dim, sizeof(double));
    self->mean = calloc(config->dim, sizeof(double));
    if (self->lost == NULL || self->ended == NULL || self->final == NULL || self->mean == NULL) {
        monitor_destroy(&self);
        return p2p_fail(P2P_ENOMEM, "no memory to watch %zu nodes of dimension %zu", config->nodes, config->dim);
    }
    *out = self;
    return P2P_OK;
}

void
monitor_destroy(monitor **self)
{
    if (*self == NULL)
        return;
    free_rounds((*self)->open);
    free_rounds((*self)->spare);
    free((*self)->lost);
    free((*self)->ended);
    free((*self)->final);
    free((*self)->mean);
    free(*self);
    *self = NULL;
}

/* A cleared round, from the spare ones if there is one. */
static open_round *
take_round(monitor *self)
{
    open_round *round = self->spare;

    if (round != NULL) {
        self->spare = round->next;
        memset(round->in, 0, self->config.nodes);
    } else {
        if ((round = calloc(1, sizeof *round)) == NULL)
            return NULL;
        round->in = calloc(self->config.nodes, 1);
        round->iterates = calloc(self->config.nodes * self->config.dim, sizeof(double));
        if (round->in == NULL || round->iterates == NULL) {
            round->next = NULL;
            free_rounds(round);
            return NULL;
        }
    }
    round->count = round->going = 0;
    round->sums = (figures){ .residual = NAN };
    return round;
}

/* The open round of that number, opened if need be; NULL: no memory, or the round is closed already. */
static open_round *
find_round(monitor *self, uint32_t number)
{
    open_round **at = &self->open, *round;

    while (*at != NULL && (*at)->round < number)
        at = &(*at)->next;
    if (*at != NULL && (*at)->round == number)
        return *at;
    if (!isnan(self->last.consensus_distance) && number <= self->last.round)
        return NULL;
    if ((round = take_round(self)) == NULL)
        return NULL;
    round->round = number;
    round->next = *at;
    *at = round;
    return round;
}

static void
mean_of(const monitor *self, const double *iterates, const unsigned char *in, double *mean)
{
    size_t dim = self->config.dim, count = 0;
    p2p_vec y = { mean, dim, P2P_F64 };

    p2p_vec_zero(y);
    for (size_t rank = 0; rank < self->config.nodes; rank++)
        if (in[rank]) {
            p2p_vec_axpy(y, 1, (p2p_view){ iterates + rank * dim, dim, P2P_F64 });
            count++;
        }
    if (count > 0)
        p2p_vec_scale(y, 1 / (double)count);
}

static double
distance_from_mean(const monitor *self, const open_round *round)
{
    size_t dim = self->config.dim;
    p2p_view mean = { self->mean, dim, P2P_F64 };
    double sum = 0;

    for (size_t rank = 0; rank < self->config.nodes; rank++)
        if (round->in[rank]) {
            double d = p2p_vec_distance((p2p_view){ round->iterates + rank * dim, dim, P2P_F64 }, mean);

            sum += d * d;
        }
    return sqrt(sum);
}

static void
measure(monitor *self, const open_round *round)
{
    figures *f = &self->last;
    double count = (double)round->count;

    *f = round->sums;
    f->round = round->round;
    f->nodes = round->count;
    f->bits /= count;
    f->bytes /= count;
    f->vectors /= count;
    mean_of(self, round->iterates, round->in, self->mean);
    f->consensus_distance = distance_from_mean(self, round);
    if (self->config.objective == NULL || objective_value(self->config.objective, self->mean, &f->value) != P2P_OK)
        f->value = NAN;
    if (self->config.objective != NULL && objective_is_game(self->config.objective))
        f->gap = objective_error(self->config.objective, self->mean);
    else
        f->gap = f->value - self->config.optimum;
    if (self->config.on_round != NULL)
        self->config.on_round(self->config.user, f);
}

static int
has_survivors(const monitor *self, const open_round *round)
{
    for (size_t rank = 0; rank < self->config.nodes; rank++)
        if (round->in[rank] && !self->lost[rank])
            return 1;
    return 0;
}

/* Rounds close in order: a later one cannot be whole before an earlier one is. */
static void
close_whole_rounds(monitor *self)
{
    while (self->open != NULL && self->open->going == self->going) {
        open_round *round = self->open;

        self->open = round->next;
        if (has_survivors(self, round))
            measure(self, round);
        round->next = self->spare;
        self->spare = round;
    }
}

static void
add_report(monitor *self, open_round *round, const p2p_report *report)
{
    size_t dim = self->config.dim;
    figures *sums = &round->sums;

    p2p_vec_convert((p2p_vec){ round->iterates + report->rank * dim, dim, P2P_F64 }, report->x);
    if (round->in[report->rank])
        return;
    round->in[report->rank] = 1;
    round->count++;
    round->going += !self->lost[report->rank] && !self->ended[report->rank];
    sums->bits += (double)report->bits_sent;
    sums->vectors += (double)report->vectors_sent;
    sums->bytes += (double)report->bytes_out;
    sums->absent += report->absent;
    sums->seconds = fmax(sums->seconds, report->seconds);
    sums->residual = fmax(sums->residual, report->residual); /* NaN counts as nothing */
}

/* A node that will not report again: no round waits for it. */
static void
leave(monitor *self, size_t rank, unsigned char *flags)
{
    if (self->lost[rank] || self->ended[rank])
        return;
    flags[rank] = 1;
    self->going--;
    for (open_round *round = self->open; round != NULL; round = round->next)
        round->going -= round->in[rank];
}

static void
finish(monitor *self, const p2p_report *report)
{
    size_t dim = self->config.dim;

    if (self->lost[report->rank] || self->ended[report->rank])
        return;
    p2p_vec_convert((p2p_vec){ self->final + report->rank * dim, dim, P2P_F64 }, report->x);
    leave(self, report->rank, self->ended);
    self->finished++;
    self->end = report->end;
}

static int
is_ignored(const monitor *self, size_t rank)
{
    return self->config.ignored != NULL && self->config.ignored[rank];
}

void
monitor_report(monitor *self, const p2p_report *report)
{
    open_round *round;

    if (report->rank >= self->config.nodes || report->x.dim != self->config.dim || is_ignored(self, report->rank))
        return;
    if (report->end == P2P_END_FAILED)
        leave(self, report->rank, self->lost);
    else if ((round = find_round(self, report->round)) != NULL)
        add_report(self, round, report);
    if (report->end != P2P_END_NONE && report->end != P2P_END_FAILED)
        finish(self, report);
    close_whole_rounds(self);
}

void
monitor_lose(monitor *self, size_t rank, double optimum_without)
{
    leave(self, rank, self->lost);
    self->config.optimum = optimum_without;
    close_whole_rounds(self);
}

const figures *
monitor_last(const monitor *self)
{
    return &self->last;
}

p2p_end
monitor_end(const monitor *self)
{
    return self->end;
}

size_t
monitor_finished(const monitor *self)
{
    return self->finished;
}

int
monitor_solution(const monitor *self, double *mean)
{
    mean_of(self, self->final, self->ended, mean);
    return self->finished > 0;
}
