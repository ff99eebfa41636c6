/* Specs of compressors that go by the layers of a vector. */
#ifndef P2PI_LAYERED_SPEC_H
#define P2PI_LAYERED_SPEC_H

#include <p2popt/status.h>
#include <stddef.h>

/**
 * Canonical text of a spec for a vector of these layers, "784x128/128": schemes by layers that have no sizes get
 * them.
 *
 * @return P2P_OK; P2P_EPARSE, P2P_EINVAL as p2p_compressor_new; P2P_ENOMEM; P2P_EINVAL if the list of sizes is too
 * long for an option.
 */
p2p_status p2pi_compressor_layered(const char *spec, const char *sizes, char *text, size_t cap);

#endif
