/*
 * A second, general compression of what compressors make (zstd, level 1), for those whose codes leave something to
 * it: codes of fixed width, floats of narrow formats, sparse vectors sent as they are.
 */
#ifndef P2PI_SQUEEZE_H
#define P2PI_SQUEEZE_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

/** Contexts and scratch of one node, made when they are first needed. */
typedef struct p2pi_squeeze p2pi_squeeze;

/**
 * Pack bytes.
 *
 * @param packed what they become, in the scratch until the next call; only if that is shorter
 * @return its length; 0: it is not shorter, or there is no memory for trying.
 */
size_t p2pi_squeeze_pack(p2pi_squeeze **self, const uint8_t *bytes, size_t len, const uint8_t **packed);

/** Bytes that packed ones say they stand for: 1 to most; 0 for any others. */
size_t p2pi_squeeze_length(const uint8_t *packed, size_t len, size_t most);

/** Unpack to exactly so many bytes. P2P_EPROTO; P2P_ENOMEM. */
p2p_status p2pi_squeeze_unpack(p2pi_squeeze **self, const uint8_t *packed, size_t len, uint8_t *bytes, size_t length);

void p2pi_squeeze_destroy(p2pi_squeeze **self);

#endif
