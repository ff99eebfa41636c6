#include "method/optimiser_kernels.h"

#include "base/clones.h"

#include <math.h>

#define REAL float
#define ROOT(x) sqrtf(x)
#define FN(name) optimiser_##name##_f32
#include "method/optimiser_kernels.inc"
#undef REAL
#undef ROOT
#undef FN
#define REAL double
#define ROOT(x) sqrt(x)
#define FN(name) optimiser_##name##_f64
#include "method/optimiser_kernels.inc"

void
p2pi_moments(double b1, double b2, p2p_view g, p2p_vec m, p2p_vec v)
{
    if (g.type == P2P_F32)
        optimiser_moments_f32(g.dim, (float)b1, (float)b2, g.data, m.data, v.data);
    else
        optimiser_moments_f64(g.dim, b1, b2, g.data, m.data, v.data);
}

void
p2pi_largest_moment(double c, p2p_view v, p2p_vec top)
{
    if (v.type == P2P_F32)
        optimiser_largest_moment_f32(v.dim, (float)c, v.data, top.data);
    else
        optimiser_largest_moment_f64(v.dim, c, v.data, top.data);
}

void
p2pi_over_root(double a, p2p_view m, double b, p2p_view v, double inside, double outside, p2p_vec r)
{
    if (m.type == P2P_F32)
        optimiser_direction_f32(m.dim, (float)a, m.data, (float)b, v.data, (float)inside, (float)outside, r.data);
    else
        optimiser_direction_f64(m.dim, a, m.data, b, v.data, inside, outside, r.data);
}

void
p2pi_raise(double least, p2p_vec v)
{
    if (v.type == P2P_F32)
        optimiser_raise_f32(v.dim, (float)least, v.data);
    else
        optimiser_raise_f64(v.dim, least, v.data);
}

void
p2pi_clip_entries(double most, p2p_vec x)
{
    if (x.type == P2P_F32)
        optimiser_clip_entries_f32(x.dim, (float)most, x.data);
    else
        optimiser_clip_entries_f64(x.dim, most, x.data);
}
