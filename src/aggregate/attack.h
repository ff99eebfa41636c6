/* What liars send: the attacks that rules are tested against, as functions of what the liars see. */
#ifndef P2PI_ATTACK_H
#define P2PI_ATTACK_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

/** One lie, from one liar to one receiver. An attack uses what it needs; all vectors have one shape. */
typedef struct {
    p2p_view own;  /* what the liar would send if it were honest */
    size_t honest; /* what honest nodes send: dissensus takes those next to the receiver, without itself */
    const p2p_view *vectors;
    const double *weights; /* dissensus: the receiver's weights of those */
    p2p_view target;       /* dissensus: the receiver's own vector */
    double liar_weight;    /* dissensus: the receiver's weight of all liars */
    size_t nodes, liars;   /* alie:z=auto: of the whole swarm */
    uint32_t receiver;     /* equivocate */
    uint64_t seed;         /* noise, with the liar's number and the round */
    uint32_t node, round;
} p2pi_attack_scene;

typedef struct p2pi_attack p2pi_attack;

/** Where the lie is told. */
typedef enum {
    P2PI_LIE_VALUE,  /* in the vector, before it is coded: p2pi_attack_apply */
    P2PI_LIE_DATA,   /* in the labels, from which the node computes honestly */
    P2PI_LIE_NAN,    /* in the coded bytes: what should be the first real */
    P2PI_LIE_SILENT, /* no message leaves */
    P2PI_LIE_REPLAY, /* the first vector leaves in place of every later one */
    P2PI_LIE_GARBAGE /* random bytes leave in place of the coded ones */
} p2pi_lie;

/** Entry i of the attacks; NULL past the last. */
const p2p_entry *p2pi_attack_entry(size_t i);

/** Open an attack: "sign-flip:scale=5". P2P_EPARSE, P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_attack_new(p2pi_attack **out, const char *spec);
void p2pi_attack_destroy(p2pi_attack **self);

/** out = what the liar sends. P2P_EINVAL: the scene lacks what the attack needs. */
p2p_status p2pi_attack_apply(const p2pi_attack *self, const p2pi_attack_scene *scene, p2p_vec out);

p2pi_lie p2pi_attack_lie(const p2pi_attack *self);
/** Whose vectors scene.vectors must have, and whether receivers are told different things. */
enum { P2PI_SEES_NOTHING, P2PI_SEES_ALL, P2PI_SEES_NEAR };
int p2pi_attack_sees(const p2pi_attack *self);
int p2pi_attack_divides(const p2pi_attack *self);
/** nan: write what is no number where a real of the type should be. */
void p2pi_attack_poison(const p2pi_attack *self, p2p_dtype type, uint8_t *bytes);

#endif
