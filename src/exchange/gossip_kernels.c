#include "exchange/gossip_kernels.h"

#include "base/clones.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 1024 };

#define REAL float
#define FN(name) name##_f32
#include "exchange/gossip_kernels.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "exchange/gossip_kernels.inc"
#undef REAL
#undef FN

int
p2pi_gossip_mix(double a, p2p_view y, double b, size_t count, const void *const *source, const double *weight,
                p2p_vec z)
{
    if (z.type == P2P_F32)
        return gossip_mix_f32((float)a, y.data, (float)b, count, source, weight, z.dim, z.data);
    return gossip_mix_f64(a, y.data, b, count, source, weight, z.dim, z.data);
}

void
p2pi_gossip_laplacian(const void *own, size_t count, const void *const *source, const double *weight, p2p_vec s)
{
    if (s.type == P2P_F32)
        gossip_laplacian_f32(own, count, source, weight, s.dim, s.data);
    else
        gossip_laplacian_f64(own, count, source, weight, s.dim, s.data);
}

void
p2pi_gossip_laplacian_dual(const void *own, size_t count, const void *const *source, const double *weight, double c,
                           void *const *dual, p2p_vec sum, p2p_vec s)
{
    if (sum.type == P2P_F32)
        gossip_laplacian_dual_f32(own, count, source, weight, (float)c, dual, sum.dim, sum.data, s.data);
    else
        gossip_laplacian_dual_f64(own, count, source, weight, c, dual, sum.dim, sum.data, s.data);
}

void
p2pi_gossip_sum(size_t count, void *const *dual, p2p_vec sum)
{
    if (sum.type == P2P_F32)
        gossip_sum_f32(count, dual, sum.dim, sum.data);
    else
        gossip_sum_f64(count, dual, sum.dim, sum.data);
}

void
p2pi_gossip_update(p2p_vec e, double a, const void *q)
{
    if (e.type == P2P_F32)
        gossip_update_f32(e.dim, e.data, (float)a, q);
    else
        gossip_update_f64(e.dim, e.data, a, q);
}

size_t
p2pi_gossip_copy(p2p_view x, void *q)
{
    return x.type == P2P_F32 ? gossip_copy_f32(x.dim, x.data, q) : gossip_copy_f64(x.dim, x.data, q);
}

size_t
p2pi_gossip_innovation(p2p_view y, p2p_view e, void *q)
{
    return y.type == P2P_F32 ? gossip_innovation_f32(y.dim, y.data, e.data, q)
                             : gossip_innovation_f64(y.dim, y.data, e.data, q);
}

int
p2pi_gossip_is_finite(size_t dim, p2p_dtype type, const void *q)
{
    return type == P2P_F32 ? gossip_is_finite_f32(dim, q) : gossip_is_finite_f64(dim, q);
}

size_t
p2pi_gossip_outside(p2p_view x, double limit)
{
    return x.type == P2P_F32 ? gossip_outside_f32(x.dim, x.data, (float)limit)
                             : gossip_outside_f64(x.dim, x.data, limit);
}
