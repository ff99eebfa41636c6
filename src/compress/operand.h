/* Calls through to a codec, and a wrapper's functions that are those of the compressor inside it. */
#ifndef P2PI_OPERAND_H
#define P2PI_OPERAND_H

#include "compress/compressor_table.h"

/** Frame and back; a scheme without these writes frames in the first place. */
p2p_status p2pi_codec_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                            size_t *frame_len);
p2p_status p2pi_codec_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                              size_t *lean_len);

/** For tables: the frame is the head of every frame, of the scheme's family, and the lean message. */
p2p_status p2pi_wrapped_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                              size_t *frame_len);
p2p_status p2pi_wrapped_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                                size_t *lean_len);

p2p_status p2pi_operand_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len);
p2p_status p2pi_operand_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len,
                               const p2pi_target *t);
p2p_status p2pi_operand_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                              size_t *frame_len);
p2p_status p2pi_operand_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                                size_t *lean_len);
double p2pi_operand_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len);

#endif
