/* Reading the options that sparsifiers and quantisers share. The words stand in pipeline_parts.h. */
#include "compress/pipeline/pipeline_parts.h"

p2pi_real
p2pi_option_real(int64_t vt, p2p_dtype type)
{
    return vt == 0 ? p2pi_real_of(type) : (p2pi_real)(vt - 1);
}

p2pi_index_mode
p2pi_option_index(int64_t index)
{
    return index == 0 ? P2PI_INDEX_AUTO : (p2pi_index_mode)index;
}

p2p_status
p2pi_option_code(int64_t code, const char *member, uint32_t largest, p2pi_code *out)
{
    *out = (p2pi_code)code;
    if ((code == P2PI_CODE_TRIT || code == P2PI_CODE_TRITZ) && largest > 2)
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": code=%s takes symbols up to 2, not %u", member,
                        code == P2PI_CODE_TRIT ? "trit" : "tritz", largest);
    if ((code == P2PI_CODE_HUFFMAN || code == P2PI_CODE_RANGE) && largest >= P2PI_ALPHABET)
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": code=%s takes symbols up to %d, not %u", member,
                        code == P2PI_CODE_HUFFMAN ? "huffman" : "range", P2PI_ALPHABET - 1, largest);
    if (code >= P2PI_CODE_GENNORM && largest >= P2PI_ALPHABET - 1)
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": the code of a law takes symbols up to %d, not %u", member,
                        P2PI_ALPHABET - 2, largest);
    return P2P_OK;
}

unsigned
p2pi_option_dither(int64_t dither)
{
    return 24 - 8 * (unsigned)dither;
}
