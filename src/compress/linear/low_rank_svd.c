/* Singular vectors, by LAPACK: a matrix that is stored row by row is the transpose of one stored column by column. */
#include "compress/linear/low_rank.h"

#include <lapacke.h>
#include <math.h>

static size_t
least_side(const p2pi_low_rank *m)
{
    return m->rows < m->cols ? m->rows : m->cols;
}

p2p_status
p2pi_svd_open(p2pi_svd *self, const p2pi_low_rank *m, p2pi_arena *arena)
{
    lapack_int rows = (lapack_int)m->rows, cols = (lapack_int)m->cols, k = (lapack_int)least_side(m);
    double wanted = 0, none = 0;

    self->value = p2pi_arena_array(arena, (size_t)k, sizeof *self->value);
    self->left = p2pi_arena_array(arena, m->rows * (size_t)k, sizeof *self->left);
    self->left_t = p2pi_arena_array(arena, m->rows * (size_t)k, sizeof *self->left_t);
    self->right_t = p2pi_arena_array(arena, m->cols * (size_t)k, sizeof *self->right_t);
    self->iwork = p2pi_arena_array(arena, 8 * (size_t)k, sizeof *self->iwork);
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', cols, rows, &none, cols, &none, &none, cols, &none, k, &wanted, -1,
                            self->iwork) != 0)
        return p2p_fail(P2P_EINVAL, "compressor: a matrix of %zu x %zu is too large for LAPACK", m->rows, m->cols);
    self->lwork = (int)wanted;
    self->work = p2pi_arena_array(arena, (size_t)self->lwork, sizeof *self->work);
    return self->value && self->left && self->left_t && self->right_t && self->iwork && self->work ? P2P_OK
                                                                                                   : P2P_ENOMEM;
}

/* Turn pairs of vectors so that the largest entry of the one that decides is positive. */
static void
settle_signs(double *decides, size_t n, double *other, size_t m, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double *v = decides + j * n, *u = other + j * m;
        size_t largest = 0;

        for (size_t i = 1; i < n; i++)
            largest = fabs(v[i]) > fabs(v[largest]) ? i : largest;
        for (size_t i = 0; v[largest] < 0 && i < m; i++)
            u[i] = -u[i];
        for (size_t i = n; v[largest] < 0 && i-- > 0;)
            if (i != largest)
                v[i] = -v[i];
        v[largest] = fabs(v[largest]);
    }
}

void
p2pi_svd_of(p2pi_svd *self, const p2pi_low_rank *m, int by_left)
{
    lapack_int rows = (lapack_int)m->rows, cols = (lapack_int)m->cols;
    size_t k = least_side(m);

    /* V' = right value left'; a failure to converge leaves vectors that are not singular but span something. */
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', cols, rows, m->v, cols, self->value, self->right_t, cols, self->left,
                        (lapack_int)k, self->work, self->lwork, self->iwork);
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < k; j++)
            self->left_t[j * m->rows + i] = self->left[i * k + j];
    if (by_left)
        settle_signs(self->left_t, m->rows, self->right_t, m->cols, k);
    else
        settle_signs(self->right_t, m->cols, self->left_t, m->rows, k);
}
