/* Checkpoints of a node. */
#include "node/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    double x[4];
    uint32_t count, round;
    const p2pi_checkpoint_part parts[] = { { "x", x, sizeof x }, { "count", &count, sizeof count } };
    const p2pi_checkpoint ours = { .fingerprint = 1, .node = 2, .parts = parts, .count = 2 };

    p2pi_checkpoint_decode(&ours, "checkpoint", bytes, len, &round);
    return 0;
}
