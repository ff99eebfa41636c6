/* CURVE certificates in czmq's format: NAME holds the public key, NAME_secret (mode 0600) both. */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include "command.h"

/**
 * Write both files of a key pair; each appears whole or not at all.
 *
 * @param path  of the public file.
 * @param name  goes into the certificate as its metadata "name".
 * @param force replace files that exist; otherwise they are an error.
 * @return P2P_OK; P2P_EIO (the sentence names the file).
 */
p2p_status certificate_write(const char *path, const char *name, const p2p_identity *identity, int force);

/**
 * Replace a key pair by a new one and keep the old one as PATH.old and PATH.old_secret, in place of any kept before.
 *
 * PATH has a whole pair, the old or the new one, whatever fails.
 * @return as certificate_write; P2P_EPARSE, P2P_EREFUSED as p2p_identity_read of the pair that is there.
 */
p2p_status certificate_rotate(const char *path, const char *name, const p2p_identity *identity);

/** Remove both files. */
void certificate_remove(const char *path);

/** The secret file behind what a user names: FILE_secret where there is one, else FILE itself. */
void certificate_secret_path(const char *file, char *path, size_t cap);

#endif
