#include "golden_diagonal.h"

p2p_status
golden_diagonal_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    const double *D = *(const double *const *)user, *centre = D + x.dim, *at = x.data;

    (void)idx;
    (void)count;
    for (size_t k = 0; k < x.dim; k++)
        ((double *)g.data)[k] = D[k] * (at[k] - centre[k]);
    return P2P_OK;
}
