#include "method/training_kernels.h"

#include "base/clones.h"

#define REAL float
#define FN(name) training_##name##_f32
#include "method/training_kernels.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) training_##name##_f64
#include "method/training_kernels.inc"

void
p2pi_clear_where_sent(p2p_view q, p2p_vec x)
{
    if (q.type == P2P_F32)
        training_clear_where_sent_f32(q.dim, q.data, x.data);
    else
        training_clear_where_sent_f64(q.dim, q.data, x.data);
}

void
p2pi_majority(const uint32_t *coins, p2p_vec s)
{
    if (s.type == P2P_F32)
        training_majority_f32(s.dim, coins, s.data);
    else
        training_majority_f64(s.dim, coins, s.data);
}
