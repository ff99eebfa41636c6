/*
 * Schemes that are a linear map to a few reals, shared by all nodes, and one back: what is sent adds up, so
 * collective execution is one sum of reals; and one more where some reals depend on the sum of the others.
 */
#ifndef P2PI_PROJECTION_H
#define P2PI_PROJECTION_H

#include "compress/frames/reals_frame.h"

typedef struct p2pi_projection p2pi_projection;

/** The maps; their own memory is `own`. Entries and reals are doubles. */
typedef struct {
    void (*project)(p2pi_projection *self, const p2p_env *env, const double *x, double *out);
    void (*restore)(p2pi_projection *self, const p2p_env *env, const double *in, double *y);
    /** The last `late` reals, from x and from the others, which are those of the message. NULL: there are none. */
    void (*project_late)(p2pi_projection *self, const p2p_env *env, const double *x, double *reals);
    /**
     * Memory: what travels or was summed becomes what is restored from; then what was restored is taken off. NULL:
     * none.
     */
    void (*gather)(p2pi_projection *self, double *reals);
    void (*settle)(p2pi_projection *self, const p2p_env *env, const double *restored);
} p2pi_projection_vt;

/** A codec's work. The member's plan fills vt, own, param and the frame, and then calls p2pi_projection_plan. */
struct p2pi_projection {
    const p2pi_projection_vt *vt;
    const void *param;
    p2p_shape shape;
    unsigned comp;
    void *own;
    p2pi_reals_frame frame;
    size_t late;       /* of frame.count */
    double *x, *reals; /* dim; frame.count */
    void *value;       /* dim entries of the type */
    size_t reduced;    /* stages */
};

p2p_status p2pi_projection_plan(p2pi_codec *c, p2pi_arena *arena, p2pi_projection *self);

/* The scheme's other functions. */
p2p_status p2pi_projection_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len);
p2p_status p2pi_projection_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len,
                                  const p2pi_target *t);
double p2pi_projection_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len);
p2p_status p2pi_projection_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
p2p_status p2pi_projection_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
p2p_status p2pi_projection_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);

#endif
