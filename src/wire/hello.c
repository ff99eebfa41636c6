#include "wire/hello.h"

#include "base/cursor.h"
#include "base/fail.h"

#include <p2popt/random.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DRAWS = 64 };

p2p_status
p2pi_hello_add(p2pi_hello *self, const char *key, const char *format, ...)
{
    char value[P2PI_FIELD_VALUE_MAX + 1];
    size_t key_len = strlen(key);
    p2pi_writer w;
    va_list args;
    int len;

    if (self->len == 0)
        self->bytes[self->len++] = 0;
    va_start(args, format);
    len = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    w = p2pi_writer_of(self->bytes + self->len, sizeof self->bytes - self->len);
    if (len < 0 || (size_t)len >= sizeof value || key_len > P2PI_FIELD_KEY_MAX || self->bytes[0] == P2PI_FIELDS_MAX)
        w.failed = 1;
    p2pi_write_uint(&w, key_len, 1);
    p2pi_write_bytes(&w, key, key_len);
    p2pi_write_uint(&w, (uint64_t)len, 2);
    p2pi_write_bytes(&w, value, (size_t)len);
    if (w.failed)
        return p2p_fail(P2P_ENOSPC, "handshake: field \"%s\": longer than %d characters", key, P2PI_FIELD_VALUE_MAX);
    self->len = (size_t)(w.at - self->bytes);
    self->bytes[0]++;
    return P2P_OK;
}

static uint64_t
hash64(const void *bytes, size_t len)
{
    uint8_t hash[crypto_generichash_BYTES_MIN];
    p2pi_reader r = p2pi_reader_of(hash, sizeof hash);

    crypto_generichash(hash, sizeof hash, bytes, len, NULL, 0);
    return p2pi_read_uint(&r, 8);
}

uint64_t
p2pi_hello_fingerprint(const p2pi_hello *self)
{
    return hash64(self->bytes, self->len);
}

typedef struct {
    const char *key, *value; /* not terminated */
    int key_len, value_len;
} field;

/* The next field of a list, its count already read. */
static int
next_field(p2pi_reader *r, field *out)
{
    out->key_len = (int)p2pi_read_uint(r, 1);
    out->key = (const char *)p2pi_read_bytes(r, (size_t)out->key_len);
    out->value_len = (int)p2pi_read_uint(r, 2);
    out->value = (const char *)p2pi_read_bytes(r, (size_t)out->value_len);
    return !r->failed && out->key_len <= P2PI_FIELD_KEY_MAX && out->value_len <= P2PI_FIELD_VALUE_MAX;
}

/* What a peer wrote goes into our messages: printable characters only. */
static int
printable(const char *text, int len)
{
    for (int i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
            return 0;
    return 1;
}

static int
same(const char *a, int a_len, const char *b, int b_len)
{
    return a_len == b_len && memcmp(a, b, (size_t)a_len) == 0;
}

static p2p_status
differ(const field *f, const char *us, const char *them, const field *theirs)
{
    return p2p_fail(P2P_EREFUSED, "%.*s differs: %s has \"%.*s\", %s has \"%.*s\"", f->key_len, f->key, us,
                    f->value_len, f->value, them, theirs->value_len, theirs->value);
}

/* The lists are in one order where the versions are the same, so they are walked together. */
p2p_status
p2pi_hello_compare(const uint8_t *ours, size_t ours_len, const char *us, const uint8_t *theirs, size_t theirs_len,
                   const char *them)
{
    p2pi_reader a = p2pi_reader_of(ours, ours_len), b = p2pi_reader_of(theirs, theirs_len);
    size_t count = (size_t)p2pi_read_uint(&a, 1), count_b = (size_t)p2pi_read_uint(&b, 1);
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < count_b; i++) {
        static const field none = { "", "", 0, 0 };
        field f = none, g;

        if (!next_field(&b, &g) || !printable(g.key, g.key_len) || !printable(g.value, g.value_len))
            return p2p_fail(P2P_EPROTO, "hello: field %zu does not decode", i);
        if (st != P2P_OK)
            continue;
        if (i < count)
            next_field(&a, &f);
        if (!same(f.key, f.key_len, g.key, g.key_len))
            st = p2p_fail(P2P_EREFUSED, "handshake differs: where %s has \"%.*s\", %s has \"%.*s\"", us, f.key_len,
                          f.key, them, g.key_len, g.key);
        else if (!same(f.value, f.value_len, g.value, g.value_len))
            st = differ(&f, us, them, &g);
    }
    if (b.failed || p2pi_reader_left(&b) > 0)
        return p2p_fail(P2P_EPROTO, "hello: its length does not fit its %zu fields", count_b);
    if (st == P2P_OK && count_b < count)
        st = p2p_fail(P2P_EREFUSED, "handshake differs: %s has %zu fields, %s has %zu", us, count, them, count_b);
    return st;
}

void
p2pi_draws_text(char text[17])
{
    p2p_random r = p2p_random_open(0, 0, 0, P2P_STREAM_INIT);
    double draws[DRAWS];
    uint8_t bytes[8 * DRAWS];
    p2pi_writer w = p2pi_writer_of(bytes, sizeof bytes);

    p2p_random_normal(&r, DRAWS, draws);
    for (size_t i = 0; i < DRAWS; i++)
        p2pi_write_double(&w, draws[i]);
    snprintf(text, 17, "%016llx", (unsigned long long)hash64(bytes, sizeof bytes));
}
