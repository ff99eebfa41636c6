/* Identities: CURVE key pairs in czmq's certificate files, read by a small reader of the part of ZPL they use. */
#include <p2popt/node.h>

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { CERTIFICATE_MAX = 16384, KEY_LEN = 40 };

void
p2p_identity_clear(p2p_identity *self)
{
    sodium_memzero(self, sizeof *self);
}

p2p_status
p2p_identity_new(p2p_identity *out)
{
    if (zmq_curve_keypair(out->public_key, out->secret_key) == 0)
        return P2P_OK;
    p2p_identity_clear(out);
    return p2p_fail(P2P_EIO, "a key pair cannot be made: %s", zmq_strerror(zmq_errno()));
}

/* The file's text; only its owner may have access. */
static p2p_status
read_private(const char *path, char text[CERTIFICATE_MAX + 1])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    p2p_status st = P2P_OK;
    struct stat info;
    ssize_t got = 0;
    size_t used = 0;

    if (fd < 0)
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    if (fstat(fd, &info) != 0)
        st = p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        st = p2p_fail(P2P_EIO, "%s: expected a file", path);
    else if (info.st_mode & 077)
        st = p2p_fail(P2P_EREFUSED, "%s: mode %04o lets others read a secret key; chmod 600 it", path,
                      (unsigned)info.st_mode & 07777);
    while (st == P2P_OK && used < CERTIFICATE_MAX && (got = read(fd, text + used, CERTIFICATE_MAX - used)) > 0)
        used += (size_t)got;
    if (st == P2P_OK && got < 0)
        st = p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    if (st == P2P_OK && used == CERTIFICATE_MAX)
        st = p2p_fail(P2P_EPARSE, "%s: too long for a certificate", path);
    text[used] = '\0';
    if (st == P2P_OK && strlen(text) != used)
        st = p2p_fail(P2P_EPARSE, "%s: not a text", path);
    close(fd);
    return st;
}

/* A quoted Z85 key behind "name =". The secret never goes into a message. */
static int
take_key(const char *line, const char *name, char key[KEY_LEN + 1])
{
    const char *at = line + strlen(name);
    char quote;

    at += strspn(at, " \t");
    if (*at++ != '=')
        return 0;
    at += strspn(at, " \t");
    quote = *at++;
    if ((quote != '"' && quote != '\'') || memchr(at, quote, strlen(at)) != at + KEY_LEN)
        return 0;
    memcpy(key, at, KEY_LEN);
    key[KEY_LEN] = '\0';
    return 1;
}

static p2p_status
parse(p2p_identity *out, const char *path, char *text)
{
    static const char *const names[] = { "public-key", "secret-key" };
    char *const keys[] = { out->public_key, out->secret_key };
    char *line = text, *end, check[41];
    unsigned number = 0;

    for (; line != NULL && *line != '\0'; line = end) {
        if ((end = strchr(line, '\n')) != NULL)
            *end++ = '\0';
        number++;
        line += strspn(line, " \t");
        for (size_t i = 0; i < 2; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0 && !take_key(line, names[i], keys[i]))
                return p2p_fail(P2P_EPARSE, "%s:%u: expected %s = \"40 characters of Z85\"", path, number, names[i]);
    }
    for (size_t i = 0; i < 2; i++)
        if (keys[i][0] == '\0')
            return p2p_fail(P2P_EPARSE, "%s: has no %s; expected a secret certificate (the file NAME_secret)", path,
                            names[i]);
    if (zmq_curve_public(check, out->secret_key) != 0)
        return p2p_fail(P2P_EPARSE, "%s: secret-key is not Z85", path);
    if (strcmp(check, out->public_key) != 0)
        return p2p_fail(P2P_EPARSE, "%s: public-key does not belong to secret-key", path);
    return P2P_OK;
}

p2p_status
p2p_identity_read(p2p_identity *out, const char *path)
{
    char text[CERTIFICATE_MAX + 1];
    p2p_status st;

    memset(out, 0, sizeof *out);
    if ((st = read_private(path, text)) == P2P_OK)
        st = parse(out, path, text);
    sodium_memzero(text, sizeof text);
    if (st != P2P_OK)
        p2p_identity_clear(out);
    return st;
}
