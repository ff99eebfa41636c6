/* Watches a run: gathers the nodes' reports into rounds, and each whole round into figures. */
#ifndef MONITOR_H
#define MONITOR_H

#include "objective.h"

typedef struct monitor monitor;

/** What is known of a round that all nodes have reported. NaN where unknown. */
typedef struct {
    uint32_t round;
    size_t nodes, absent;      /* nodes that reported; edges that are down */
    double value, gap;         /* f at the mean of the iterates; f - f*, or the measure of a game */
    double consensus_distance; /* Frobenius norm of X - 1 mean */
    double residual;           /* the largest of the nodes' own estimates */
    double bits, bytes;        /* sent so far, mean over the nodes: payload once a message; on the wire */
    double vectors;            /* broadcast so far, mean over the nodes */
    double seconds;            /* as the nodes count: virtual in sim */
} figures;

/** Called for each whole round, in ascending order. */
typedef void monitor_fn(void *user, const figures *f);

typedef struct {
    size_t nodes, dim;
    p2p_dtype type;
    const unsigned char *ignored; /* a node each: not 0 where reports are passed over; NULL: nowhere. Borrowed */
    objective *objective;         /* borrowed; NULL: values are unknown */
    double optimum;               /* f*; NaN: unknown */
    monitor_fn *on_round;
    void *user;
} monitor_config;

p2p_status monitor_new(monitor **out, const monitor_config *config);
void monitor_destroy(monitor **self);

/** Take a node's report. Without memory for it the round is not shown. */
void monitor_report(monitor *self, const p2p_report *report);

/** A node that will not report again: rounds no longer wait for it; f* of the others. */
void monitor_lose(monitor *self, size_t rank, double optimum_without);

/** The last whole round; round 0 with NaN before the first. */
const figures *monitor_last(const monitor *self);
/** How the run ended: what most of the nodes' last reports say; P2P_END_NONE if none did. */
p2p_end monitor_end(const monitor *self);
/** Nodes that have sent their last report. */
size_t monitor_finished(const monitor *self);

/** Mean of the final iterates in rank order, dim doubles; 0 if no node finished. */
int monitor_solution(const monitor *self, double *mean);

#endif
