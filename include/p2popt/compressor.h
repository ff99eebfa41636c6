/* Compressors: a vector to bytes and back, with loss or without. */
#ifndef P2POPT_COMPRESSOR_H
#define P2POPT_COMPRESSOR_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Properties that methods and the engine ask for. */
enum {
    P2P_UNBIASED = 1,     /* E C(x) = x, E||C(x) - x||^2 <= omega ||x||^2 */
    P2P_CONTRACTIVE = 2,  /* E||C(x) - x||^2 <= (1 - delta) ||x||^2 */
    P2P_ABSOLUTE = 4,     /* E||C(x) - x||^2 <= error2 within its range: needs the round's scale */
    P2P_LINEAR = 8,       /* payloads of several nodes add */
    P2P_ADDITIVE = 16,    /* integer codes under a shared scale add */
    P2P_SHARED = 32,      /* the support, or what else a message is relative to, follows from the seed */
    P2P_STATEFUL = 64,    /* keeps memory between rounds */
    P2P_SPARSE = 128,     /* axpy costs O(entries sent) */
    P2P_RANDOM = 256,     /* draws random numbers */
    P2P_LOSSLESS = 512,   /* C(x) = x */
    P2P_ADAPTIVE = 2048,  /* its memory is what it has learnt of the data, not what it owes: it may go inside others */
    P2P_TRACKED = 1024    /* receivers keep memory too: a receiver opens one compressor for each sender */
};

/** Shape of the vector a compressor is opened for. */
typedef struct {
    size_t dim;
    p2p_dtype type;
    size_t nodes; /* of the swarm; 1 where it does not matter */
} p2p_shape;

/** What both ends of a message know beside its bytes. */
typedef struct {
    uint64_t seed;
    uint32_t node, round, slot;
    double scale; /* the round's absolute scale s_k of methods with dynamic scaling; else 1 */
} p2p_env;

/**
 * Constants of a compressor on its shape; NaN where it has none. Those of a P2P_STATEFUL compressor are of the one
 * inside it: they bound the error of a message, and its traits promise nothing about a sequence.
 */
typedef struct {
    unsigned traits;
    double omega, delta; /* as in P2P_UNBIASED, P2P_CONTRACTIVE */
    double error2;       /* P2P_ABSOLUTE, for scale 1 */
    double range;        /* P2P_ABSOLUTE: largest |x_i| that error2 holds for, for scale 1 */
    double bits_nominal; /* of a message that is not zero, as papers count; NaN if it depends on the data */
} p2p_compressor_constants;

/** A compressor opened for one shape; holds scratch, so one thread at a time. */
typedef struct p2p_compressor p2p_compressor;

/**
 * Open a compressor.
 *
 * @param spec "topk:k=1%", "qinf:bits=2", "topk:k=1%+qinf:bits=4", "scaled(randk:k=10%)", "ef14(sign)", ...
 * @return P2P_OK; P2P_EPARSE or P2P_EINVAL (the sentence lists what is allowed); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_compressor_new(p2p_compressor **out, const char *spec, const p2p_shape *shape);
P2P_API void p2p_compressor_destroy(p2p_compressor **self);

/** Canonical spec text with every option that is not its default; owned by self. */
P2P_API const char *p2p_compressor_spec(const p2p_compressor *self);
P2P_API const p2p_compressor_constants *p2p_compressor_constants_of(const p2p_compressor *self);

/** Bytes that encode's buffer must have: the longest message and a few that encode may touch behind it. */
P2P_API size_t p2p_compressor_bound(const p2p_compressor *self);

/**
 * Memory between rounds (P2P_STATEFUL), for checkpoints and resynchronisation.
 *
 * @return 1, *name (static) and *value (owned by self, may be written); 0 for an index past the last.
 */
P2P_API int p2p_compressor_state(const p2p_compressor *self, size_t index, const char **name, p2p_vec *value);

/** Bits of a message as papers count them: scales, codes and indices in their fixed widths, no flags, no padding. */
P2P_API double p2p_compressor_nominal_bits(const p2p_compressor *self, const uint8_t *lean, size_t len);

/**
 * Encode: buf[0..*len) = C(x) in the lean form, for receivers that hold the same configuration.
 *
 * @param x   dim entries of the shape's type; every entry finite.
 * @param env seed, this node's number, round, slot, scale.
 * @param buf cap bytes, at least p2p_compressor_bound(self); must not overlap x.
 * @return P2P_OK; P2P_EINVAL x does not fit, is not finite (the sentence has the first index), has a norm beyond the
 *         wire format of reals, or env->scale is not positive where it is used; P2P_ENOSPC.
 * Cost: O(dim), no allocation. Same env, same bytes, on any machine.
 */
P2P_API p2p_status p2p_compressor_encode(p2p_compressor *self, p2p_view x, const p2p_env *env, uint8_t *buf,
                                         size_t cap, size_t *len);

/**
 * Decode lean bytes of the sender described by env: y = C(x). Nothing is written unless all of it is accepted.
 *
 * @return P2P_OK; P2P_EPROTO for any byte string that encode cannot have written within its bounds.
 */
P2P_API p2p_status p2p_compressor_decode(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len,
                                         p2p_vec y);

/**
 * y += a C(x) straight from lean bytes; O(entries sent) for P2P_SPARSE. Equal to decode and add, bit for bit.
 * Bytes that p2p_compressor_check has accepted need no second check: then trusted is 1.
 */
P2P_API p2p_status p2p_compressor_axpy(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len,
                                       int trusted, double a, p2p_vec y);

/** Whether decode would accept the bytes; touches no output. */
P2P_API p2p_status p2p_compressor_check(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len);

/**
 * Lean bytes to the self-describing frame and back (files, tools). A frame has at most P2P_FRAME_EXTRA bytes more than
 * its lean form, never fewer; cap is at least len + P2P_FRAME_EXTRA for frame, len for unframe (else P2P_ENOSPC).
 * P2P_EPROTO for bytes that decode would refuse, and for frames of another configuration.
 */
enum { P2P_FRAME_EXTRA = 64 };
P2P_API p2p_status p2p_compressor_frame(p2p_compressor *self, const p2p_env *env, const uint8_t *lean, size_t len,
                                        uint8_t *buf, size_t cap, size_t *frame_len);
P2P_API p2p_status p2p_compressor_unframe(p2p_compressor *self, const p2p_env *env, const uint8_t *frame, size_t len,
                                          uint8_t *buf, size_t cap, size_t *lean_len);

#ifdef __cplusplus
}
#endif
#endif
