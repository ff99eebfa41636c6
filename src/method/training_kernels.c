#include "method/training_kernels.h"

#include "base/clones.h"
#include "base/sum.h"

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

void
p2pi_signed_means(p2p_view x, double mean[2])
{
    double count, others;

    if (x.type == P2P_F32)
        training_signed_sums_f32(x.dim, x.data, mean, &count);
    else
        training_signed_sums_f64(x.dim, x.data, mean, &count);
    others = (double)x.dim - count;
    mean[0] = count > 0 ? mean[0] / count : 0;
    mean[1] = others > 0 ? mean[1] / others : 0;
}

void
p2pi_shift_by_sign(double up, double down, p2p_vec x)
{
    if (x.type == P2P_F32)
        training_shift_by_sign_f32(x.dim, (float)up, (float)down, x.data);
    else
        training_shift_by_sign_f64(x.dim, up, down, x.data);
}

void
p2pi_add_squares(double a, p2p_view x, p2p_vec s)
{
    if (x.type == P2P_F32)
        training_add_squares_f32(x.dim, (float)a, x.data, s.data);
    else
        training_add_squares_f64(x.dim, a, x.data, s.data);
}

P2PI_CLONES static void
training_dithered_signs(size_t n, double lam, const double *u, double *z)
{
    P2PI_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        z[i] = z[i] + lam * (2 * u[i] - 1) >= 0 ? 1 : -1;
}

void
p2pi_dithered_signs(size_t n, double lam, const double *u, double *z)
{
    training_dithered_signs(n, lam, u, z);
}

void
p2pi_magnitudes(p2p_vec x)
{
    if (x.type == P2P_F32)
        training_magnitudes_f32(x.dim, x.data);
    else
        training_magnitudes_f64(x.dim, x.data);
}
