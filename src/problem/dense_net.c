#include "problem/dense_net.h"

#include "base/sum.h"
#include "problem/dataset.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static int
next_block(const p2pi_net *net, p2pi_pick *pick, size_t all)
{
    const size_t rest = all - (pick->first + pick->count);

    pick->first += pick->count;
    pick->count = rest < net->most ? rest : net->most;
    return pick->count > 0;
}

#define REAL float
#define FN(name) name##_f32
#define GEMM cblas_sgemm
#include "problem/dense_net_passes.inc"
#undef REAL
#undef FN
#undef GEMM
#define REAL double
#define FN(name) name##_f64
#define GEMM cblas_dgemm
#include "problem/dense_net_passes.inc"
#undef REAL
#undef FN
#undef GEMM

/* log sum exp(z) - z_c of row j's k scores, or half the square. */
static double
loss_of(const p2pi_net *net, size_t j, const double *z)
{
    const size_t k = net->widths[net->count];
    double largest = z[0], sum = 0;

    if (net->classes == NULL)
        return 0.5 * (z[0] - net->numbers[j]) * (z[0] - net->numbers[j]);
    for (size_t c = 1; c < k; c++)
        largest = fmax(largest, z[c]);
    for (size_t c = 0; c < k; c++)
        sum += exp(z[c] - largest);
    return largest + log(sum) - z[net->classes[j]];
}

static double
regulariser(const p2pi_net *net, const double *x)
{
    double sum = 0;

    for (size_t l = 0; l < net->count; l++) {
        const size_t weights = net->widths[l] * net->widths[l + 1];
        double squares;

        P2PI_SUM(squares, weights, i, x[i] * x[i]);
        sum += squares;
        x += weights + net->widths[l + 1];
    }
    return 0.5 * net->lambda * sum;
}

double
p2pi_net_value(const p2pi_net *net, const size_t *index, size_t m, const double *x)
{
    double sum = 0;

    for (p2pi_pick pick = { index, 0, 0 }; next_block(net, &pick, m);) {
        const double *z = net->a[net->count];

        forward_f64(net, pick, x);
        for (size_t i = 0; i < pick.count; i++)
            sum += loss_of(net, p2pi_pick_at(&pick, i), z + i * net->widths[net->count]);
    }
    return sum / (double)m + regulariser(net, x);
}

size_t
p2pi_net_right(const p2pi_net *net, const double *x)
{
    const size_t k = net->widths[net->count];
    size_t right = 0;

    for (p2pi_pick pick = { NULL, 0, 0 }; next_block(net, &pick, net->rows->rows);) {
        const double *z = net->a[net->count];

        forward_f64(net, pick, x);
        for (size_t i = 0; i < pick.count; i++, z += k) {
            size_t best = 0;

            for (size_t c = 1; c < k; c++)
                if (z[c] > z[best])
                    best = c;
            right += best == net->classes[p2pi_pick_at(&pick, i)];
        }
    }
    return right;
}
