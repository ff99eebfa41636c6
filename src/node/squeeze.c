#include "node/squeeze.h"

#include "base/fail.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 1 };

struct p2pi_squeeze {
    ZSTD_CCtx *packer;
    ZSTD_DCtx *unpacker;
    uint8_t *scratch;
    size_t room;
};

/* The contexts, and room for what `len` bytes may become at worst. */
static p2pi_squeeze *
prepare(p2pi_squeeze **out, size_t len)
{
    const size_t room = ZSTD_compressBound(len);
    p2pi_squeeze *self = *out;
    uint8_t *larger;

    if (self == NULL) {
        if ((self = calloc(1, sizeof *self)) == NULL)
            return NULL;
        *out = self;
        self->packer = ZSTD_createCCtx();
        self->unpacker = ZSTD_createDCtx();
    }
    if (self->packer == NULL || self->unpacker == NULL)
        return NULL;
    if (room > self->room) {
        if ((larger = realloc(self->scratch, room)) == NULL)
            return NULL;
        self->scratch = larger;
        self->room = room;
    }
    return self;
}

size_t
p2pi_squeeze_pack(p2pi_squeeze **out, const uint8_t *bytes, size_t len, const uint8_t **packed)
{
    p2pi_squeeze *self = prepare(out, len);
    size_t length;

    if (self == NULL || len == 0)
        return 0;
    length = ZSTD_compressCCtx(self->packer, self->scratch, self->room, bytes, len, LEVEL);
    *packed = self->scratch;
    return ZSTD_isError(length) || length >= len ? 0 : length;
}

size_t
p2pi_squeeze_length(const uint8_t *packed, size_t len, size_t most)
{
    const unsigned long long length = ZSTD_getFrameContentSize(packed, len);

    return length == ZSTD_CONTENTSIZE_UNKNOWN || length == ZSTD_CONTENTSIZE_ERROR || length > most ? 0
                                                                                                   : (size_t)length;
}

p2p_status
p2pi_squeeze_unpack(p2pi_squeeze **out, const uint8_t *packed, size_t len, uint8_t *bytes, size_t length)
{
    p2pi_squeeze *self = prepare(out, 0);
    size_t got;

    if (self == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for unpacking a message");
    got = ZSTD_decompressDCtx(self->unpacker, bytes, length, packed, len);
    if (ZSTD_isError(got) || got != length)
        return p2p_fail(P2P_EPROTO, "packed data of %zu bytes that does not unpack to %zu", len, length);
    return P2P_OK;
}

void
p2pi_squeeze_destroy(p2pi_squeeze **out)
{
    if (*out == NULL)
        return;
    ZSTD_freeCCtx((*out)->packer);
    ZSTD_freeDCtx((*out)->unpacker);
    free((*out)->scratch);
    free(*out);
    *out = NULL;
}
