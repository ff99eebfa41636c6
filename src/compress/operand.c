#include "compress/operand.h"

#include "compress/frames/frame_head.h"

#include <string.h>

p2p_status
p2pi_codec_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf, size_t *frame_len)
{
    if (c->scheme->frame != NULL)
        return c->scheme->frame(c, env, lean, len, buf, frame_len);
    memcpy(buf, lean, len);
    *frame_len = len;
    return P2P_OK;
}

p2p_status
p2pi_codec_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                   size_t *lean_len)
{
    if (c->scheme->unframe != NULL)
        return c->scheme->unframe(c, env, frame, len, buf, lean_len);
    memcpy(buf, frame, len);
    *lean_len = len;
    return P2P_OK;
}

static p2pi_frame_head
head_of(const p2pi_codec *c)
{
    return (p2pi_frame_head){ .family = c->part[0].member->family,
                              .type = c->shape.type,
                              .real = p2pi_real_of(c->shape.type),
                              .dim = c->shape.dim };
}

p2p_status
p2pi_wrapped_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                   size_t *frame_len)
{
    const p2pi_frame_head head = head_of(c);

    (void)env;
    p2pi_frame_wrap(&head, lean, len, buf, frame_len);
    return P2P_OK;
}

p2p_status
p2pi_wrapped_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                     size_t *lean_len)
{
    const p2pi_frame_head head = head_of(c);

    (void)env;
    return p2pi_frame_unwrap(&head, frame, len, buf, lean_len);
}

p2p_status
p2pi_operand_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    return c->operand[0]->scheme->encode(c->operand[0], x, env, buf, len);
}

p2p_status
p2pi_operand_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    return c->operand[0]->scheme->decode(c->operand[0], env, buf, len, t);
}

p2p_status
p2pi_operand_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                   size_t *frame_len)
{
    return p2pi_codec_frame(c->operand[0], env, lean, len, buf, frame_len);
}

p2p_status
p2pi_operand_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                     size_t *lean_len)
{
    return p2pi_codec_unframe(c->operand[0], env, frame, len, buf, lean_len);
}

double
p2pi_operand_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    return c->operand[0]->scheme->nominal(c->operand[0], buf, len);
}
