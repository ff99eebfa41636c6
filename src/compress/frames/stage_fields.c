#include "compress/frames/stage_fields.h"

#include "compress/coding/bits.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/fixed_width.h"

#include <string.h>

static size_t
bytes_of(size_t n, unsigned width)
{
    return (n * width + 7) / 8;
}

/* Through a copy: the packer may touch bytes behind what it writes. */
void
p2pi_fields_put(const p2pi_stage *stage, size_t at, size_t n, const uint32_t *value, uint8_t *bytes)
{
    uint8_t packed[4 * P2PI_CHUNK + P2PI_BITS_SPARE];

    p2pi_fixed_pack(packed, value, n, stage->width);
    memcpy(bytes + at / 8 * stage->width, packed, bytes_of(n, stage->width));
}

void
p2pi_fields_get(const p2pi_stage *stage, size_t at, size_t n, const uint8_t *bytes, uint32_t *value)
{
    p2pi_fixed_unpack(bytes + at / 8 * stage->width, bytes_of(n, stage->width), n, stage->width, value);
}

p2pi_stage
p2pi_fields_stage(p2pi_reduction reduction, size_t count, uint32_t largest)
{
    const unsigned width = p2pi_bit_length(largest);

    return (p2pi_stage){ reduction, count, width, bytes_of(count, width) };
}
