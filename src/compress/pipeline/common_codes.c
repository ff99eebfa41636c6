/* What several quantisers do alike: symbols that are signs, and values that are codes times the scale. */
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

void
p2pi_quantise_signs(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                    uint32_t *symbol)
{
    (void)self;
    (void)env;
    (void)scale;
    (void)at;
    p2pi_signs(y, symbol);
}

void
p2pi_dequantise_codes(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                      size_t at, p2p_vec y)
{
    (void)self;
    (void)env;
    (void)at;
    p2pi_dequantise(symbol, *scale, 1, y);
}
