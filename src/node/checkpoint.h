/*
 * A node's state in a file.
 *
 *     head    40 bytes: "p2pcheck", version (4), node (4), fingerprint (8), round (4), parts (4), bytes of the file
 * (8) part    each: bytes of its name (4), bytes of its data (8), the name, the data as they are in memory sum     32
 * bytes: BLAKE2b of everything before
 *
 * Numbers are little-endian. The file appears whole or not at all, and the one before it stays as PATH.previous.
 */
#ifndef P2PI_CHECKPOINT_H
#define P2PI_CHECKPOINT_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

enum { P2PI_CHECKPOINT_VERSION = 1 };

/** An array that is state; its name and its size are the same in every start of the node. */
typedef struct {
    const char *name;
    void *data;
    size_t bytes;
} p2pi_checkpoint_part;

/** Whose state it is, and of which parts; borrowed. */
typedef struct {
    uint64_t fingerprint;
    uint32_t node;
    const p2pi_checkpoint_part *parts;
    size_t count;
} p2pi_checkpoint;

/** Bytes of the file. */
size_t p2pi_checkpoint_size(const p2pi_checkpoint *self);

/** Write the parts as they are after `round` rounds. P2P_EIO: what was there before is still there. */
p2p_status p2pi_checkpoint_save(const p2pi_checkpoint *self, const char *path, uint32_t round);

/**
 * Set the parts from the bytes of a file; none is touched unless all are accepted.
 *
 * @param path of the sentence, which names it, the offset and the reason.
 * @return P2P_OK; P2P_EPARSE (truncated, corrupted); P2P_EREFUSED (of another version, swarm, node or set of parts).
 */
p2p_status p2pi_checkpoint_decode(const p2pi_checkpoint *self, const char *path, const uint8_t *bytes, size_t len,
                                  uint32_t *round);

/** The same from a file; P2P_EIO, P2P_ENOMEM too. */
p2p_status p2pi_checkpoint_load(const p2pi_checkpoint *self, const char *path, uint32_t *round);

/** The round of a file that is whole and of this swarm and node, whatever its parts. Errors as load. */
p2p_status p2pi_checkpoint_look(const p2pi_checkpoint *self, const char *path, uint32_t *round);

/** PATH.previous. P2P_EIO: too long for a path. */
enum { P2PI_CHECKPOINT_PATH = 4096 };
p2p_status p2pi_checkpoint_previous(char previous[P2PI_CHECKPOINT_PATH], const char *path);

#endif
