/* One run of `p2popt tune`: a swarm in this process on the simulated network, watched until its bits decide. */
#ifndef TUNE_TRIAL_H
#define TUNE_TRIAL_H

#include "monitor.h"

enum { TUNE_TEXT = 512 };

/** How a trial came to an end. */
typedef enum {
    TRIAL_REACHED,  /* the gap is at most the target */
    TRIAL_COSTLIER, /* it had sent as many bits as the best so far, or as it may */
    TRIAL_ROUNDS,   /* all rounds, and not there */
    TRIAL_DIVERGED,
    TRIAL_LATE,    /* out of time */
    TRIAL_STOPPED, /* by a signal */
    TRIAL_REFUSED  /* method, compressor, topology or problem do not go together */
} trial_end;

/** What all trials share. */
typedef struct {
    const p2p_swarm *swarm; /* every key but method, compressor, tolerance and report-every */
    size_t nodes;
    objective *objective;
    double optimum;     /* f*; NaN for a game */
    double target;      /* gap to be reached */
    double deadline;    /* of command_clock() */
    volatile int *stop; /* set by a signal */
} tune_setting;

typedef struct {
    char method[TUNE_TEXT], compressor[TUNE_TEXT];
    trial_end end;
    double bits, gap; /* a node's bits, and the gap, at the end */
    uint32_t rounds;
    double seconds;             /* of the wall clock */
    char parameters[TUNE_TEXT]; /* of the method, as in force; "" if it was refused */
    char why[TUNE_TEXT];        /* it was refused */
} tune_trial;

/**
 * Run trial->method with trial->compressor until it is decided; fills the rest.
 *
 * @param most_bits bits of a node from which on the trial is lost; infinite: never
 * @return P2P_OK, whatever the trial's end; P2P_ENOMEM, P2P_EIO.
 */
p2p_status tune_run(const tune_setting *setting, double most_bits, tune_trial *trial);

/** "reached", "costlier", ... */
const char *tune_end_name(trial_end end);

#endif
