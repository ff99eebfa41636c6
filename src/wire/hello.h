/*
 * The handshake: a list of named texts that two nodes must hold alike, so that a difference can be named. The
 * fingerprint, a hash of the list, is in every later message.
 *
 *     count (1 byte), then per field: key length (1), key, value length (2), value
 */
#ifndef P2PI_HELLO_H
#define P2PI_HELLO_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

enum { P2PI_FIELDS_MAX = 32, P2PI_FIELD_KEY_MAX = 32, P2PI_FIELD_VALUE_MAX = 512, P2PI_HELLO_MAX = 8192 };

/** Fields being collected. Zero it first. */
typedef struct {
    uint8_t bytes[P2PI_HELLO_MAX];
    size_t len;
} p2pi_hello;

/** Append a field. P2P_ENOSPC if it does not fit: the sentence names it. */
p2p_status p2pi_hello_add(p2pi_hello *self, const char *key, const char *format, ...) P2P_PRINTF(3, 4);

/** 64 bits of BLAKE2b of the fields. */
uint64_t p2pi_hello_fingerprint(const p2pi_hello *self);

/**
 * Compare our fields with those of a peer.
 *
 * @param ours     made by p2pi_hello_add.
 * @param us, them how the sentence calls the two.
 * @return P2P_OK; P2P_EREFUSED: the sentence names the first field that differs and both values; P2P_EPROTO: theirs
 * is no list of fields.
 */
p2p_status p2pi_hello_compare(const uint8_t *ours, size_t ours_len, const char *us, const uint8_t *theirs,
                              size_t theirs_len, const char *them);

/**
 * 64 bits, as hex text, over 64 normal draws: two machines whose log, sin or cos round differently do not run the
 * same swarm, and this shows it.
 */
void p2pi_draws_text(char text[17]);

#endif
