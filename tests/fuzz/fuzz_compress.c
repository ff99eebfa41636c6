/*
 * Decoders of compressors: the first byte picks a compressor of tests/contract/compressor_specs.c, the second a shape
 * (bits 0 and 1: dimension, bit 2: element type) and the form (bit 3: frame instead of lean bytes). The rest is what a
 * peer sent: it must be refused as its fault, or decode to a finite vector that a check accepts too.
 */
#include "compressor_specs.h"

#include <p2popt/compressor.h>
#include <stdlib.h>

enum { MOST = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
demand(int holds)
{
    if (!holds)
        abort();
}

static void
receive(p2p_compressor *c, p2p_vec y, const uint8_t *bytes, size_t len)
{
    static const p2p_env env = { 17, 2, 9, 1, 0.75 };
    p2p_status checked = p2p_compressor_check(c, &env, bytes, len);
    p2p_status decoded = p2p_compressor_decode(c, &env, bytes, len, y);
    /* A receiver's memory adds up, and may refuse what is a message by itself. */
    int tracked = (p2p_compressor_constants_of(c)->traits & P2P_TRACKED) != 0;

    demand(decoded == P2P_OK || decoded == P2P_EPROTO);
    demand(checked == decoded || tracked);
    if (decoded == P2P_OK) {
        demand(p2p_vec_first_nonfinite(p2p_view_of(y)) == y.dim);
        demand(p2p_compressor_axpy(c, &env, bytes, len, 1, 0, y) == P2P_OK || tracked);
        demand(p2p_compressor_nominal_bits(c, bytes, len) >= 0);
    }
}

static void
receive_frame(p2p_compressor *c, p2p_vec y, const uint8_t *bytes, size_t len)
{
    static const p2p_env env = { 17, 2, 9, 1, 0.75 };
    uint8_t *lean = malloc(len + 1);
    size_t lean_len;
    p2p_status st = p2p_compressor_unframe(c, &env, bytes, len, lean, len, &lean_len);

    demand(st == P2P_OK || st == P2P_EPROTO);
    if (st == P2P_OK)
        receive(c, y, lean, lean_len);
    free(lean);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const size_t dims[] = { 1, 40, MOST, 33 };
    static double storage[MOST];
    p2p_compressor *c;
    p2p_shape shape = { 0, P2P_F32, 4 };
    p2p_vec y;

    if (len < 2)
        return 0;
    shape.dim = dims[bytes[1] & 3];
    shape.type = bytes[1] & 4 ? P2P_F64 : P2P_F32;
    demand(p2p_compressor_new(&c, compressor_spec_at(bytes[0] % compressor_spec_count()), &shape) == P2P_OK);
    y = (p2p_vec){ storage, shape.dim, shape.type };
    if (bytes[1] & 8)
        receive_frame(c, y, bytes + 2, len - 2);
    else
        receive(c, y, bytes + 2, len - 2);
    p2p_compressor_destroy(&c);
    return 0;
}
