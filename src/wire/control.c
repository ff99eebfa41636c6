#include "wire/control.h"

#include "base/cursor.h"
#include "base/fail.h"

#include <math.h>

static void
write_numbers(p2pi_writer *w, const p2pi_numbers *numbers)
{
    p2pi_write_uint(w, numbers->count, 1);
    for (size_t i = 0; i < numbers->count; i++)
        p2pi_write_double(w, numbers->values[i]);
}

static p2p_status
read_numbers(p2pi_reader *r, p2pi_numbers *out)
{
    out->count = (size_t)p2pi_read_uint(r, 1);
    if (out->count > P2PI_AGREE_MAX)
        return p2p_fail(P2P_EPROTO, "agreement: %zu numbers: expected at most %d", out->count, P2PI_AGREE_MAX);
    for (size_t i = 0; i < out->count; i++) {
        out->values[i] = p2pi_read_double(r);
        if (!isfinite(out->values[i]))
            return p2p_fail(P2P_EPROTO, "agreement: number %zu is not finite", i);
    }
    return P2P_OK;
}

static p2p_status
finished(const p2pi_reader *r, const char *what)
{
    if (r->failed || p2pi_reader_left(r) > 0)
        return p2p_fail(P2P_EPROTO, "%s: its length does not fit its content", what);
    return P2P_OK;
}

static size_t
written(const p2pi_writer *w, const uint8_t *out)
{
    return (size_t)(w->at - out);
}

size_t
p2pi_agree_write(uint8_t *out, unsigned phase, const p2pi_numbers *numbers)
{
    p2pi_writer w = p2pi_writer_of(out, P2PI_CONTROL_MAX);

    p2pi_write_uint(&w, phase, 1);
    write_numbers(&w, numbers);
    return written(&w, out);
}

p2p_status
p2pi_agree_read(const uint8_t *bytes, size_t len, unsigned *phase, p2pi_numbers *out)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    p2p_status st;

    *phase = (unsigned)p2pi_read_uint(&r, 1);
    if (*phase >= P2PI_AGREE_PHASES)
        return p2p_fail(P2P_EPROTO, "agreement: phase %u: expected less than %d", *phase, P2PI_AGREE_PHASES);
    if ((st = read_numbers(&r, out)) != P2P_OK)
        return st;
    return finished(&r, "agreement");
}

size_t
p2pi_welcome_write(uint8_t *out, const p2pi_welcome *welcome)
{
    p2pi_writer w = p2pi_writer_of(out, P2PI_CONTROL_MAX);

    p2pi_write_uint(&w, welcome->session, 4);
    p2pi_write_uint(&w, welcome->phases, 1);
    for (unsigned i = 0; i < welcome->phases; i++)
        write_numbers(&w, &welcome->agreed[i]);
    return written(&w, out);
}

p2p_status
p2pi_welcome_read(const uint8_t *bytes, size_t len, p2pi_welcome *out)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    p2p_status st;

    out->session = (uint32_t)p2pi_read_uint(&r, 4);
    out->phases = (unsigned)p2pi_read_uint(&r, 1);
    if (out->phases > P2PI_AGREE_PHASES)
        return p2p_fail(P2P_EPROTO, "welcome: %u phases: expected at most %d", out->phases, P2PI_AGREE_PHASES);
    for (unsigned i = 0; i < out->phases; i++)
        if ((st = read_numbers(&r, &out->agreed[i])) != P2P_OK)
            return st;
    return finished(&r, "welcome");
}

size_t
p2pi_notice_write(uint8_t *out, const p2pi_notice *notice)
{
    p2pi_writer w = p2pi_writer_of(out, P2PI_CONTROL_MAX);

    p2pi_write_uint(&w, notice->session, 4);
    p2pi_write_uint(&w, (uint64_t)notice->end, 1);
    p2pi_write_uint(&w, (uint64_t)-notice->status, 1);
    p2pi_write_bytes(&w, notice->reason, strlen(notice->reason));
    return written(&w, out);
}

/* Reasons come from peers and go to logs: one line of printable characters. */
static void
clean(char *out, const uint8_t *text, size_t len)
{
    if (len > P2PI_REASON_MAX)
        len = P2PI_REASON_MAX;
    for (size_t i = 0; i < len; i++)
        out[i] = text[i] < ' ' || text[i] >= 0x7f ? '?' : (char)text[i];
    out[len] = '\0';
}

p2p_status
p2pi_notice_read(const uint8_t *bytes, size_t len, p2pi_notice *out)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    size_t left;

    out->session = (uint32_t)p2pi_read_uint(&r, 4);
    out->end = (int)p2pi_read_uint(&r, 1);
    out->status = -(int)p2pi_read_uint(&r, 1);
    left = p2pi_reader_left(&r);
    if (r.failed)
        return p2p_fail(P2P_EPROTO, "notice of %zu bytes: too short", len);
    clean(out->reason, r.at, left);
    return P2P_OK;
}

size_t
p2pi_edge_write(uint8_t *out, const p2pi_edge *edge)
{
    p2pi_writer w = p2pi_writer_of(out, P2PI_CONTROL_MAX);

    p2pi_write_uint(&w, edge->low, 4);
    p2pi_write_uint(&w, edge->high, 4);
    p2pi_write_uint(&w, edge->version, 4);
    p2pi_write_uint(&w, edge->up != 0, 1);
    return written(&w, out);
}

p2p_status
p2pi_edge_read(const uint8_t *bytes, size_t len, size_t nodes, p2pi_edge *out)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    uint64_t up;

    out->low = (uint32_t)p2pi_read_uint(&r, 4);
    out->high = (uint32_t)p2pi_read_uint(&r, 4);
    out->version = (uint32_t)p2pi_read_uint(&r, 4);
    up = p2pi_read_uint(&r, 1);
    out->up = up != 0;
    if (out->low >= out->high || out->high >= nodes || up > 1)
        return p2p_fail(P2P_EPROTO, "edge %u-%u: no edge of %zu nodes", out->low, out->high, nodes);
    return finished(&r, "edge");
}
