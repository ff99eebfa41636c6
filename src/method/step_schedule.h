/*
 * Step sizes by round, from lr = step:
 *
 *     const    lr                                       inv    lr / (1 + decay t)
 *     step     lr factor^floor(t / every)               sqrt   lr / sqrt(1 + decay t)
 *     cosine   least + (lr - least) (1 + cos(pi s)) / 2 poly   least + (lr - least) (1 - s)^power,  s = min(t, total)
 * / total
 *
 * and in the first `warmup` rounds (t + 1) / warmup of that.
 */
#ifndef P2PI_STEP_SCHEDULE_H
#define P2PI_STEP_SCHEDULE_H

#include <p2popt/option.h>

typedef struct {
    int64_t kind, warmup, every, total;
    double factor, least, decay, power;
} p2pi_schedule;

double p2pi_schedule_at(const p2pi_schedule *self, double lr, uint32_t round);

/* Options at `member`, a p2pi_schedule of struct `type`. */
#define P2PI_SCHEDULE_OPTIONS(type, member)                                                                          \
    { "schedule",                                                                                                    \
      P2P_OPT_CHOICE,                                                                                                \
      "const",                                                                                                       \
      "const|step|cosine|inv|sqrt|poly",                                                                             \
      NULL,                                                                                                          \
      "how the step goes on",                                                                                        \
      offsetof(type, member.kind) },                                                                                 \
        { "warmup",                                                                                                  \
          P2P_OPT_INT,                                                                                               \
          "0",                                                                                                       \
          "0",                                                                                                       \
          "1e9",                                                                                                     \
          "rounds in which the step grows to its size",                                                              \
          offsetof(type, member.warmup) },                                                                           \
        { "every", P2P_OPT_INT, "100", "1", "1e9", "rounds between steps down", offsetof(type, member.every) },      \
        { "factor", P2P_OPT_REAL, "0.1", "(0", "1", "of a step down", offsetof(type, member.factor) },               \
        { "total", P2P_OPT_INT, "1000", "1", "1e9", "rounds until the least", offsetof(type, member.total) },        \
        { "least", P2P_OPT_REAL, "0", "0", NULL, "step in the end", offsetof(type, member.least) },                  \
        { "decay", P2P_OPT_REAL, "0.01", "0", NULL, "of inv and sqrt", offsetof(type, member.decay) },               \
    {                                                                                                                \
        "power", P2P_OPT_REAL, "1", "(0", "16", "of poly", offsetof(type, member.power)                              \
    }

#endif
