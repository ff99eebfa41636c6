#include "certificate.h"

#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, TEMPORARY_SIZE = PATH_SIZE + 32 };

/* Claim the final name with an empty file, so that no one else's certificate is ever replaced. */
static p2p_status
claim(const char *path, int force)
{
    int fd;

    if (force)
        return P2P_OK;
    if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
        return p2p_fail(P2P_EIO, "%s: %s%s", path, strerror(errno), errno == EEXIST ? "; --force replaces it" : "");
    close(fd);
    return P2P_OK;
}

/* A full disk shows here: czmq does not look whether its writes succeeded. */
static p2p_status
verify(const char *temporary, const p2p_identity *identity, const char *path)
{
    p2p_identity read;

    if (p2p_identity_read(&read, temporary) != P2P_OK || strcmp(read.public_key, identity->public_key) != 0 ||
        strcmp(read.secret_key, identity->secret_key) != 0)
        return p2p_fail(P2P_EIO, "%s: what was written does not read back: is the disk full?", path);
    return P2P_OK;
}

/* Write both files under temporary names, then rename; the secret first, so that a public file has its secret. */
static p2p_status
save(zcert_t *certificate, const p2p_identity *identity, const char *path, const char *secret)
{
    char temporary[TEMPORARY_SIZE], temporary_secret[TEMPORARY_SIZE + 8];
    p2p_status st = P2P_OK;

    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    snprintf(temporary_secret, sizeof temporary_secret, "%s_secret", temporary);
    if (zcert_save(certificate, temporary) != 0)
        st = p2p_fail(P2P_EIO, "%s: %s", path, strerror(errno));
    else
        st = verify(temporary_secret, identity, secret);
    if (st == P2P_OK && (rename(temporary_secret, secret) != 0 || rename(temporary, path) != 0))
        st = p2p_fail(P2P_EIO, "%s: %s", path, strerror(errno));
    if (st != P2P_OK) {
        unlink(temporary);
        unlink(temporary_secret);
    }
    return st;
}

p2p_status
certificate_write(const char *path, const char *name, const p2p_identity *identity, int force)
{
    char secret[PATH_SIZE];
    uint8_t public_key[32], secret_key[32];
    zcert_t *certificate;
    p2p_status st;

    if (strlen(path) > PATH_SIZE - 16)
        return p2p_fail(P2P_EIO, "%.60s...: the name is too long", path);
    snprintf(secret, sizeof secret, "%s_secret", path);
    if ((st = claim(path, force)) != P2P_OK)
        return st;
    if ((st = claim(secret, force)) != P2P_OK) {
        unlink(path);
        return st;
    }
    zsys_handler_set(NULL); /* czmq would take SIGINT */
    zmq_z85_decode(public_key, identity->public_key);
    zmq_z85_decode(secret_key, identity->secret_key);
    certificate = zcert_new_from(public_key, secret_key);
    zcert_set_meta(certificate, "name", "%s", name);
    st = save(certificate, identity, path, secret);
    zcert_destroy(&certificate);
    if (st != P2P_OK && !force)
        certificate_remove(path);
    return st;
}

/* The file under a second name, which replaces what had it. */
static p2p_status
keep(const char *path, const char *kept)
{
    char temporary[TEMPORARY_SIZE + 8];
    p2p_status st = P2P_OK;

    snprintf(temporary, sizeof temporary, "%s.%ld", kept, (long)getpid());
    if (link(path, temporary) != 0 || rename(temporary, kept) != 0)
        st = p2p_fail(P2P_EIO, "%s: %s", kept, strerror(errno));
    unlink(temporary); /* still there where both names were the same file already */
    return st;
}

p2p_status
certificate_rotate(const char *path, const char *name, const p2p_identity *identity)
{
    char secret[PATH_SIZE], old[PATH_SIZE], old_secret[PATH_SIZE + 8];
    p2p_identity before;
    p2p_status st;

    if (strlen(path) > PATH_SIZE - 16)
        return p2p_fail(P2P_EIO, "%.60s...: the name is too long", path);
    snprintf(secret, sizeof secret, "%s_secret", path);
    snprintf(old, sizeof old, "%s.old", path);
    snprintf(old_secret, sizeof old_secret, "%s_secret", old);
    st = p2p_identity_read(&before, secret);
    p2p_identity_clear(&before);
    if (st == P2P_OK && (st = keep(secret, old_secret)) == P2P_OK && (st = keep(path, old)) == P2P_OK)
        st = certificate_write(path, name, identity, 1);
    return st;
}

void
certificate_remove(const char *path)
{
    char secret[PATH_SIZE + 8];

    snprintf(secret, sizeof secret, "%s_secret", path);
    unlink(path);
    unlink(secret);
}

void
certificate_secret_path(const char *file, char *path, size_t cap)
{
    snprintf(path, cap, "%s_secret", file);
    if (access(path, F_OK) != 0)
        snprintf(path, cap, "%s", file);
}
