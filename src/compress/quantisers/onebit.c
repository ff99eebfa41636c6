/*
 * onebit: [x < 0], and two magnitudes: the mean of the entries that are not negative and that of those that are. The
 * best approximation by two values for this split, so its contraction is at least that of sign:norm=l1. 1-bit SGD is
 * ef14(onebit). With columns=c two magnitudes for each column of a matrix of rows of c entries.
 *
 * Seide, Fu, Droppo, Li, Yu, Interspeech 2014.
 */
#include "base/sum.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    int64_t columns, code, vt;
} onebit_param;

static size_t
columns_of(const p2pi_quantiser *self)
{
    const onebit_param *o = self->param;

    if (o->columns == 0)
        return 1;
    return (size_t)o->columns < self->shape.dim ? (size_t)o->columns : self->shape.dim;
}

static p2p_status
onebit_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const onebit_param *o = self->param;

    (void)arena;
    self->largest = 1;
    self->params = columns_of(self) > 1;
    self->param_value[0] = (uint32_t)columns_of(self);
    self->signed_scales = 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_CONTRACTIVE, NAN, 1 / (double)self->shape.dim, NAN, NAN };
    return p2pi_option_code(o->code, "onebit", self->largest, &self->code);
}

static size_t
onebit_scales(const p2pi_quantiser *self, size_t k)
{
    return 2 * (k < columns_of(self) ? k : columns_of(self));
}

/* Canonical sums of a column's two parts, each numbered by itself. */
static void
measure_column(p2pi_quantiser *self, p2p_view y, size_t column, double *scale)
{
    double sum[2][16] = { { 0 } };
    size_t count[2] = { 0, 0 };

    for (size_t i = column; i < y.dim; i += columns_of(self)) {
        double v = p2p_vec_get(y, i);
        int side = v < 0;

        sum[side][count[side]++ % 16] += v;
    }
    for (int side = 0; side < 2; side++)
        scale[side] =
            p2pi_real_near(self->real, count[side] > 0 ? p2pi_sum_fold(sum[side]) / (double)count[side] : 0);
}

static void
onebit_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    (void)env;
    for (size_t c = 0; c < columns_of(self) && c < y.dim; c++)
        measure_column(self, y, c, scale + 2 * c);
}

static void
onebit_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    const size_t columns = columns_of(self);

    (void)env;
    if (columns == 1) {
        p2pi_select(symbol, scale[0], scale[1], y);
        return;
    }
    for (size_t i = 0; i < y.dim; i++)
        p2p_vec_set(y, i, scale[2 * ((at + i) % columns) + (symbol[i] & 1)]);
}

static double
onebit_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k + 8 * (double)onebit_scales(self, k) * (double)p2pi_real_bytes(self->real);
}

static const p2pi_quantiser_vt onebit_quantiser = {
    .open = onebit_open,
    .scales = onebit_scales,
    .measure = onebit_measure,
    .quantise = p2pi_quantise_signs,
    .dequantise = onebit_dequantise,
    .nominal = onebit_nominal,
};

static const p2p_option onebit_options[] = {
    { "columns", P2P_OPT_INT, "0", "0", "4294967295",
      "entries of a row of the matrix, whose columns have magnitudes of their "
      "own; 0: one column",
      offsetof(onebit_param, columns) },
    P2PI_OPTION_CODE(onebit_param, code),
    P2PI_OPTION_VT(onebit_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_onebit = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "onebit", "one bit an entry, and the means of both signs", "Interspeech 2014", onebit_options,
               sizeof(onebit_param) },
    .family = 21,
    .quantiser = &onebit_quantiser,
};
