#include "wire/header.h"

#include "base/cursor.h"
#include "base/fail.h"

#include <zlib.h>

static const char magic[4] = { 'P', '2', 'P', 'O' };

const char *
p2pi_kind_name(p2pi_kind kind)
{
    static const char *const names[] = { "",      "hello", "welcome", "refuse", "agree", "agreed", "data",  "late",
                                         "offer", "state", "edge",    "alive",  "bye",   "ask",    "answer" };

    return kind < P2PI_KIND_END ? names[kind] : "unknown";
}

static uint64_t
check_of(const uint8_t *bytes)
{
    return crc32(0, bytes, P2PI_HEADER_BYTES - 4);
}

void
p2pi_header_write(const p2pi_header *h, uint8_t bytes[P2PI_HEADER_BYTES])
{
    p2pi_writer w = p2pi_writer_of(bytes, P2PI_HEADER_BYTES);

    p2pi_write_bytes(&w, magic, sizeof magic);
    p2pi_write_uint(&w, P2PI_PROTOCOL, 1);
    p2pi_write_uint(&w, h->kind, 1);
    p2pi_write_uint(&w, h->type, 1);
    p2pi_write_uint(&w, h->flags, 1);
    p2pi_write_uint(&w, h->fingerprint, 8);
    p2pi_write_uint(&w, h->sender, 4);
    p2pi_write_uint(&w, h->session, 4);
    p2pi_write_uint(&w, h->round, 4);
    p2pi_write_uint(&w, h->stage, 1);
    p2pi_write_uint(&w, h->doublings, 1);
    p2pi_write_uint(&w, h->slot, 2);
    p2pi_write_uint(&w, h->sequence, 8);
    p2pi_write_uint(&w, h->dim, 8);
    p2pi_write_uint(&w, h->payload, 4);
    p2pi_write_uint(&w, h->calm, 4);
    p2pi_write_uint(&w, h->stop, 4);
    p2pi_write_uint(&w, check_of(bytes), 4);
}

p2p_status
p2pi_header_read(p2pi_header *out, const uint8_t *bytes, size_t len)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    uint64_t version, kind, type, payload;

    if (len < P2PI_HEADER_BYTES)
        return p2p_fail(P2P_EPROTO, "message of %zu bytes: expected a header of %d", len, P2PI_HEADER_BYTES);
    if (memcmp(p2pi_read_bytes(&r, sizeof magic), magic, sizeof magic) != 0)
        return p2p_fail(P2P_EPROTO, "message does not begin with \"P2PO\"");
    if ((version = p2pi_read_uint(&r, 1)) != P2PI_PROTOCOL)
        return p2p_fail(P2P_EPROTO, "message of protocol %u: expected %d", (unsigned)version, P2PI_PROTOCOL);
    kind = p2pi_read_uint(&r, 1);
    type = p2pi_read_uint(&r, 1);
    out->flags = (unsigned)p2pi_read_uint(&r, 1);
    out->fingerprint = p2pi_read_uint(&r, 8);
    out->sender = (uint32_t)p2pi_read_uint(&r, 4);
    out->session = (uint32_t)p2pi_read_uint(&r, 4);
    out->round = (uint32_t)p2pi_read_uint(&r, 4);
    out->stage = (uint8_t)p2pi_read_uint(&r, 1);
    out->doublings = (uint8_t)p2pi_read_uint(&r, 1);
    out->slot = (uint16_t)p2pi_read_uint(&r, 2);
    out->sequence = p2pi_read_uint(&r, 8);
    out->dim = p2pi_read_uint(&r, 8);
    payload = p2pi_read_uint(&r, 4);
    out->calm = (uint32_t)p2pi_read_uint(&r, 4);
    out->stop = (uint32_t)p2pi_read_uint(&r, 4);
    if (p2pi_read_uint(&r, 4) != check_of(bytes))
        return p2p_fail(P2P_EPROTO, "message with a damaged header");
    if (kind == 0 || kind >= P2PI_KIND_END)
        return p2p_fail(P2P_EPROTO, "message of kind %u: expected 1 to %d", (unsigned)kind, P2PI_KIND_END - 1);
    if (type > P2P_F64)
        return p2p_fail(P2P_EPROTO, "%s: element type %u: expected 0 or 1", p2pi_kind_name(kind), (unsigned)type);
    if (out->flags & ~(unsigned)(P2PI_FLAG_ASKED | (kind == P2PI_DATA ? P2PI_FLAG_SQUEEZED : 0)))
        return p2p_fail(P2P_EPROTO, "%s: flags %#x: expected 0 or 1%s", p2pi_kind_name(kind), out->flags,
                        kind == P2PI_DATA ? ", 2 or 3" : "");
    if (payload != len - P2PI_HEADER_BYTES)
        return p2p_fail(P2P_EPROTO, "%s: payload of %llu bytes in a message of %zu: expected %zu",
                        p2pi_kind_name(kind), (unsigned long long)payload, len, len - P2PI_HEADER_BYTES);
    out->kind = (p2pi_kind)kind;
    out->type = (p2p_dtype)type;
    out->payload = (size_t)payload;
    return P2P_OK;
}
