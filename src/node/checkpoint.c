#include "node/checkpoint.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "base/file.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 40, PART_HEAD = 12, SUM = 32 };
enum { AT_VERSION = 8, AT_NODE = 12, AT_FINGERPRINT = 16, AT_PARTS = 28, AT_LENGTH = 32 };

static const char magic[8] = { 'p', '2', 'p', 'c', 'h', 'e', 'c', 'k' };

size_t
p2pi_checkpoint_size(const p2pi_checkpoint *self)
{
    size_t size = HEAD + SUM;

    for (size_t i = 0; i < self->count; i++)
        size += PART_HEAD + strlen(self->parts[i].name) + self->parts[i].bytes;
    return size;
}

/* ---- writing */

/* Errors stay in the stream, where the commit finds them. */
static void
put(FILE *stream, crypto_generichash_state *sum, const void *bytes, size_t len)
{
    if (len == 0)
        return;
    fwrite(bytes, 1, len, stream);
    crypto_generichash_update(sum, bytes, len);
}

static void
write_file(const p2pi_checkpoint *self, FILE *stream, uint32_t round)
{
    crypto_generichash_state sum;
    uint8_t bytes[HEAD];
    p2pi_writer w = p2pi_writer_of(bytes, HEAD);

    crypto_generichash_init(&sum, NULL, 0, SUM);
    p2pi_write_bytes(&w, magic, sizeof magic);
    p2pi_write_uint(&w, P2PI_CHECKPOINT_VERSION, 4);
    p2pi_write_uint(&w, self->node, 4);
    p2pi_write_uint(&w, self->fingerprint, 8);
    p2pi_write_uint(&w, round, 4);
    p2pi_write_uint(&w, self->count, 4);
    p2pi_write_uint(&w, p2pi_checkpoint_size(self), 8);
    put(stream, &sum, bytes, HEAD);
    for (size_t i = 0; i < self->count; i++) {
        const p2pi_checkpoint_part *part = &self->parts[i];
        size_t name = strlen(part->name);

        w = p2pi_writer_of(bytes, PART_HEAD);
        p2pi_write_uint(&w, name, 4);
        p2pi_write_uint(&w, part->bytes, 8);
        put(stream, &sum, bytes, PART_HEAD);
        put(stream, &sum, part->name, name);
        put(stream, &sum, part->data, part->bytes);
    }
    crypto_generichash_final(&sum, bytes, SUM);
    fwrite(bytes, 1, SUM, stream);
}

p2p_status
p2pi_checkpoint_previous(char previous[P2PI_CHECKPOINT_PATH], const char *path)
{
    int len = snprintf(previous, P2PI_CHECKPOINT_PATH, "%s.previous", path);

    if (len < 0 || len >= P2PI_CHECKPOINT_PATH)
        return p2p_fail(P2P_EIO, "%.60s...: the path is longer than %d bytes", path, P2PI_CHECKPOINT_PATH - 1);
    return P2P_OK;
}

p2p_status
p2pi_checkpoint_save(const p2pi_checkpoint *self, const char *path, uint32_t round)
{
    char previous[P2PI_CHECKPOINT_PATH];
    p2pi_new_file file;
    p2p_status st;

    if ((st = p2pi_checkpoint_previous(previous, path)) != P2P_OK ||
        (st = p2pi_file_begin(&file, path, 0600)) != P2P_OK)
        return st;
    write_file(self, file.stream, round);
    /* The older file may go only when the newer one is on the disk. */
    if (ferror(file.stream) || fflush(file.stream) != 0 || fsync(fileno(file.stream)) != 0 ||
        (rename(path, previous) != 0 && errno != ENOENT)) {
        st = p2p_fail(P2P_EIO, "%s: no checkpoint of round %u: %s", path, (unsigned)round, strerror(errno));
        p2pi_file_abandon(&file);
        return st;
    }
    return p2pi_file_commit(&file);
}

/* ---- reading */

static p2p_status
check_whole(const char *path, const uint8_t *bytes, size_t len)
{
    p2pi_reader r = p2pi_reader_of(bytes, len);
    const uint8_t *start = p2pi_read_bytes(&r, sizeof magic);
    uint8_t sum[SUM];
    uint64_t length;

    if (start != NULL && memcmp(start, magic, sizeof magic) != 0)
        return p2p_fail(P2P_EPARSE, "%s: offset 0: no checkpoint: expected \"%.8s\"", path, magic);
    if (len < HEAD + SUM)
        return p2p_fail(P2P_EPARSE, "%s: offset %zu: truncated: expected at least %d bytes", path, len, HEAD + SUM);
    r = p2pi_reader_of(bytes + AT_VERSION, 4);
    if (p2pi_read_uint(&r, 4) != P2PI_CHECKPOINT_VERSION)
        return p2p_fail(P2P_EREFUSED, "%s: offset %d: a checkpoint of another version: expected %d", path, AT_VERSION,
                        P2PI_CHECKPOINT_VERSION);
    r = p2pi_reader_of(bytes + AT_LENGTH, 8);
    if ((length = p2pi_read_uint(&r, 8)) != len)
        return p2p_fail(P2P_EPARSE, "%s: offset %zu: the file ends here: expected %llu bytes", path, len,
                        (unsigned long long)length);
    crypto_generichash(sum, SUM, bytes, len - SUM, NULL, 0);
    if (memcmp(sum, bytes + len - SUM, SUM) != 0)
        return p2p_fail(P2P_EPARSE, "%s: offset %zu: corrupted: the checksum is that of other bytes", path,
                        len - SUM);
    return P2P_OK;
}

static p2p_status
check_owner(const p2pi_checkpoint *self, const char *path, p2pi_reader *r, uint32_t *round, uint64_t *parts)
{
    uint64_t node = p2pi_read_uint(r, 4), fingerprint = p2pi_read_uint(r, 8);

    *round = (uint32_t)p2pi_read_uint(r, 4);
    *parts = p2pi_read_uint(r, 4);
    p2pi_read_uint(r, 8);
    if (fingerprint != self->fingerprint)
        return p2p_fail(P2P_EREFUSED, "%s: offset %d: of the swarm with fingerprint %016llx: expected %016llx", path,
                        AT_FINGERPRINT, (unsigned long long)fingerprint, (unsigned long long)self->fingerprint);
    if (node != self->node)
        return p2p_fail(P2P_EREFUSED, "%s: offset %d: of node %llu: expected node %u", path, AT_NODE,
                        (unsigned long long)node, (unsigned)self->node);
    return P2P_OK;
}

/* Its data, or NULL if the next part is not this one. */
static const uint8_t *
next_part(p2pi_reader *r, const p2pi_checkpoint_part *part)
{
    size_t expected = strlen(part->name);
    uint64_t name = p2pi_read_uint(r, 4), data = p2pi_read_uint(r, 8);
    const uint8_t *text = name == expected ? p2pi_read_bytes(r, expected) : NULL;

    if (text == NULL || memcmp(text, part->name, expected) != 0 || data != part->bytes)
        return NULL;
    return p2pi_read_bytes(r, part->bytes);
}

p2p_status
p2pi_checkpoint_decode(const p2pi_checkpoint *self, const char *path, const uint8_t *bytes, size_t len,
                       uint32_t *round)
{
    p2p_status st = check_whole(path, bytes, len);
    p2pi_reader r, again;
    uint32_t after;
    uint64_t parts;

    if (st != P2P_OK)
        return st;
    r = p2pi_reader_of(bytes + AT_NODE, len - AT_NODE - SUM);
    if ((st = check_owner(self, path, &r, &after, &parts)) != P2P_OK)
        return st;
    if (parts != self->count)
        return p2p_fail(P2P_EREFUSED, "%s: offset %d: %llu parts of state: expected %zu", path, AT_PARTS,
                        (unsigned long long)parts, self->count);
    again = r;
    for (size_t i = 0; i < self->count; i++) {
        size_t at = (size_t)(r.at - bytes);

        if (next_part(&r, &self->parts[i]) == NULL)
            return p2p_fail(P2P_EREFUSED, "%s: offset %zu: expected part \"%s\" of %zu bytes", path, at,
                            self->parts[i].name, self->parts[i].bytes);
    }
    if (p2pi_reader_left(&r) > 0)
        return p2p_fail(P2P_EREFUSED, "%s: offset %zu: %zu bytes behind the last part", path, (size_t)(r.at - bytes),
                        p2pi_reader_left(&r));
    for (size_t i = 0; i < self->count; i++) {
        const uint8_t *data = next_part(&again, &self->parts[i]);

        if (self->parts[i].bytes > 0)
            memcpy(self->parts[i].data, data, self->parts[i].bytes);
    }
    *round = after;
    return P2P_OK;
}

p2p_status
p2pi_checkpoint_load(const p2pi_checkpoint *self, const char *path, uint32_t *round)
{
    uint8_t *bytes;
    size_t len;
    p2p_status st = p2pi_file_read(path, SIZE_MAX / 2, &bytes, &len);

    if (st != P2P_OK)
        return st;
    st = p2pi_checkpoint_decode(self, path, bytes, len, round);
    free(bytes);
    return st;
}

p2p_status
p2pi_checkpoint_look(const p2pi_checkpoint *self, const char *path, uint32_t *round)
{
    uint64_t parts;
    uint8_t *bytes;
    p2pi_reader r;
    size_t len;
    p2p_status st = p2pi_file_read(path, SIZE_MAX / 2, &bytes, &len);

    if (st != P2P_OK)
        return st;
    if ((st = check_whole(path, bytes, len)) == P2P_OK) {
        r = p2pi_reader_of(bytes + AT_NODE, len - AT_NODE - SUM);
        st = check_owner(self, path, &r, round, &parts);
    }
    free(bytes);
    return st;
}
