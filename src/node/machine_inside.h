/*
 * The machine's parts, shared by its files:
 *
 *     machine.c     making it, the dispatch of messages, time
 *     opening.c     hello and welcome
 *     agreement.c   numbers that all nodes must hold alike
 *     rounds.c      stages and rounds, the end
 *     members.c     neighbours that are lost and come back
 *     saving.c      checkpoints, and resuming from them
 *     pairing.c     the place of stages and rounds with an asynchronous method
 *     outbox.c      building and sending messages; the log
 *     lying.c       the same for nodes that lie in a test
 */
#ifndef P2PI_MACHINE_INSIDE_H
#define P2PI_MACHINE_INSIDE_H

#include "method/engine.h"
#include "node/checkpoint.h"
#include "node/description.h"
#include "node/live_view.h"
#include "node/machine.h"
#include "node/squeeze.h"
#include "node/stop.h"
#include "node/byzantine.h"
#include "wire/control.h"
#include "wire/header.h"
#include "wire/hello.h"

enum {
    P2PI_QUEUE = 16,           /* vectors of a neighbour that are held: those of two stages */
    P2PI_STRIKES = 8,          /* bad messages after which a neighbour is not heard any more */
    P2PI_WHY = 200,            /* bytes of a reason */
    P2PI_MARGIN = 2,           /* rounds ahead of a first offer, */
    P2PI_MARGIN_MAX = 1 << 20, /* and of the last */
    P2PI_FAR = 8,              /* rounds behind, beyond the diameter, that are left out rather than made up for */
    P2PI_ESTIMATES = 16        /* vectors of 8-byte entries that a message may hold */
};

typedef enum {
    P2PI_OPENING,  /* not every neighbour has said hello */
    P2PI_AGREEING, /* numbers go up and down the tree */
    P2PI_RUNNING,  /* stages */
    P2PI_ENDED
} p2pi_phase;

typedef enum {
    P2PI_ABSENT, /* its weight is on the diagonal */
    P2PI_LIVE,   /* takes part in the current round */
    P2PI_GONE,   /* said bye */
    P2PI_BANNED  /* sent too much that does not decode */
} p2pi_standing;

/** A vector that waits for its stage. */
typedef struct {
    p2pi_packet *packet;
    p2pi_header header;
} p2pi_queued;

typedef struct {
    uint32_t rank;
    uint32_t session; /* of the last hello; 0: none yet */
    p2pi_standing standing;
    unsigned char greeted, welcomed; /* its hello was accepted; it accepted ours */
    unsigned char heard;             /* since the last tick */
    unsigned char refused;           /* it refused us */
    unsigned char leaving;           /* its bye is behind what is queued */
    unsigned char agreed;            /* bit p: its numbers of phase p are in */
    unsigned char complete;          /* everything of the current stage is in */
    unsigned char awaited;           /* the edge is up again from this round, its state not yet in */
    double hello_at;                 /* when our last hello left */
    double heard_at, down_at;        /* down_at: when the way was lost; NaN: it is there */
    uint32_t restore;                /* round from which the edge is up again; P2PI_NEVER: none agreed */
    uint32_t margin;                 /* rounds ahead that the next offer names */
    uint32_t absent_since;           /* round */
    uint64_t sequence;               /* of the vector that comes next */
    p2pi_packet *state;              /* its shared estimates, for the round restore */
    p2pi_queued queue[P2PI_QUEUE];
    unsigned queued, delivered; /* queue[0 .. delivered) belong to the current stage */
    unsigned strikes;
    uint64_t bad;
    unsigned char asked;    /* asynchronous: an answer is due; */
    uint32_t asked_round;   /* to the ask of this round */
    uint32_t progress;      /* how far it is */
    double asked_at, delay; /* when the ask left; what answers take, 0: none yet */
    char why[P2PI_WHY];     /* it is missing, absent or gone */
} p2pi_peer;

/** A packet of the largest length, behind whose header the engine writes a message. */
typedef struct {
    p2pi_packet *packet; /* or NULL */
    int sent;            /* as it is; the engine still reads it until the stage is absorbed */
} p2pi_room;

/** Checkpoints of a node: there are at most two. */
enum { P2PI_CHECKPOINTS = 2 };

typedef struct {
    uint32_t every; /* rounds; 0: only at the end */
    int resume;
    uint32_t last; /* round of the last one */
    char *path[P2PI_CHECKPOINTS]; /* the newest file, and the one before; NULL: no checkpoints */
    size_t which[P2PI_CHECKPOINTS];
    uint32_t round[P2PI_CHECKPOINTS]; /* of those that were found, the newest first */
    size_t found;
} p2pi_saving;

struct p2pi_machine {
    /* given */
    p2p_swarm *swarm;
    const p2pi_description *values;
    const p2pi_plan *plan;
    p2p_neighbourhood near;
    uint32_t rank, session;
    p2p_report_fn *on_report;
    p2p_log_fn *on_log;
    void *user;
    uint32_t report_every;
    p2pi_link *link;
    p2pi_pool *pool; /* borrowed, or NULL */
    p2p_data *data;  /* owned; NULL: the problem came from outside */
    p2p_problem *problem, *own_problem;
    size_t dim;
    p2p_dtype type;
    uint8_t *hello; /* the fields, hello_len bytes */
    size_t hello_len;
    uint64_t fingerprint;
    uint64_t kinship; /* of a run that is the same but for where it ends */
    p2pi_saving saving;

    /* time */
    double now, started, due, round_zero, moved_at;
    double reassured_at; /* when the neighbours that are there were last told that this node waits */
    double patience;      /* seconds after which it is said who is waited for */

    p2pi_phase phase;
    p2pi_peer *peers; /* in the order of the neighbourhood */
    p2pi_live_view view;
    size_t reach; /* nodes in reach */

    /* agreement */
    unsigned agreeing; /* phase of it */
    size_t children, reported[P2PI_AGREE_PHASES];
    p2pi_numbers numbers[P2PI_AGREE_PHASES]; /* own, then with the children's, then the swarm's */
    p2pi_numbers heard[P2PI_AGREE_PHASES];   /* the children's */
    unsigned phases;                         /* finished */

    /* rounds */
    p2pi_engine *engine;
    uint32_t round; /* rounds finished, and number of the current one */
    size_t stage, stages, expected;
    int emitted, paused; /* paused: nobody is left to talk to */
    double paused_at;
    size_t live, complete;
    uint64_t sequence;               /* of the next vector */
    p2pi_room rooms[P2PI_QUEUE / 2]; /* by number of the message in a stage */
    p2pi_stop stop;
    p2pi_stop told; /* as told in this round's headers */
    int asked;
    int pairing, done; /* the method is asynchronous; this node has finished its rounds */
    int restless;      /* and has been moved since */
    p2pi_peer *latest; /* whom it asked last; NULL: nobody */
    uint8_t *shared;   /* scratch for shared estimates */

    p2pi_squeeze *squeeze; /* NULL: nothing was packed yet */

    /* a test with liars */
    p2pi_trial_spec trial; /* lies NULL: all are honest */
    int lies;              /* this one does, in this way: */
    p2pi_attack *attack;
    p2pi_packet *first; /* replay */

    uint64_t vectors_sent /* without rounds */, bytes_out, bytes_in, bad, strangers;
    uint64_t saved; /* bytes of vectors, by packing them */
    p2p_end end;
    p2p_status status;
    char sentence[1024];
};

/* ---- outbox.c */
void p2pi_machine_log(p2pi_machine *self, int level, const char *format, ...) P2P_PRINTF(3, 4);
/** The neighbour of this number, or NULL. */
p2pi_peer *p2pi_machine_peer(p2pi_machine *self, uint32_t rank);
/** Its place in the neighbourhood. */
size_t p2pi_machine_index(const p2pi_machine *self, const p2pi_peer *peer);
/** A packet with a header, and room for payload bytes behind it; NULL without memory (logged). */
p2pi_packet *p2pi_outbox_packet(p2pi_machine *self, p2pi_kind kind, uint32_t round, size_t payload);
/** The same with a slot. */
p2pi_packet *p2pi_outbox_packet_in(p2pi_machine *self, p2pi_kind kind, uint32_t round, uint16_t slot, size_t payload);
p2pi_header p2pi_outbox_header(const p2pi_machine *self, p2pi_kind kind, uint32_t round, size_t payload);
/** A packet with this header, as above. */
p2pi_packet *p2pi_outbox_packet_of(p2pi_machine *self, const p2pi_header *h);
/** Share a packet with a neighbour. 0: there is no way. */
int p2pi_outbox_share(p2pi_machine *self, p2pi_peer *peer, p2pi_packet *packet);
/** Send and release. 0: there is no way. */
int p2pi_outbox_send(p2pi_machine *self, p2pi_peer *peer, p2pi_packet *packet);
int p2pi_outbox_control(p2pi_machine *self, p2pi_peer *peer, p2pi_kind kind, uint32_t round, const uint8_t *payload,
                        size_t len);
/** LATE, OFFER: a notice for the neighbour's present session. */
void p2pi_outbox_notice(p2pi_machine *self, p2pi_peer *peer, p2pi_kind kind, uint32_t round, const char *reason);
/** A vector of the current stage to every live neighbour; those that cannot be reached are dropped. P2P_ENOMEM. */
p2p_status p2pi_outbox_broadcast(p2pi_machine *self, const p2pi_outgoing *message);
/** Before a stage is emitted: let the engine write as many messages as the last stage had into packets. */
void p2pi_outbox_furnish(p2pi_machine *self);
/** The engine writes into none of them any more. */
void p2pi_outbox_empty(p2pi_machine *self);

/* ---- lying.c */
/** Take the part of the description's test that falls to this node. */
p2p_status p2pi_lying_open(p2pi_machine *self, const char *byzantine);
void p2pi_lying_close(p2pi_machine *self);
/** Whether no message leaves this node. */
int p2pi_lying_mute(const p2pi_machine *self);
/** Whether lies about vectors are told in its messages, and then the broadcast. P2P_ENOMEM. */
int p2pi_lying_speaks(const p2pi_machine *self);
p2p_status p2pi_lying_broadcast(p2pi_machine *self, const p2pi_outgoing *message, p2pi_header h);
/** Whether the honest nodes have sent what this one must know to emit its next stage. */
int p2pi_lying_informed(const p2pi_machine *self);

/* ---- opening.c */
void p2pi_opening_start(p2pi_machine *self);
void p2pi_opening_tick(p2pi_machine *self);
/** Say hello, unless that was done lately or answered. */
void p2pi_opening_greet(p2pi_machine *self, p2pi_peer *peer);
void p2pi_opening_hello(p2pi_machine *self, const p2pi_header *h, const uint8_t *payload);
void p2pi_opening_welcome(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
void p2pi_opening_refuse(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
/** The neighbour does not want this node (peer->why): the end if all say so, or if one in a running swarm does. */
void p2pi_opening_turned_away(p2pi_machine *self, p2pi_peer *peer, int at_once);

/* ---- agreement.c */
void p2pi_agreement_start(p2pi_machine *self);
/** Say the numbers of this part of the tree once they are complete. */
void p2pi_agreement_report(p2pi_machine *self);
void p2pi_agreement_take(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
void p2pi_agreement_join(p2pi_machine *self, const p2pi_welcome *w);

/* ---- saving.c */
/** Take the folder; to resume, see which checkpoints are there. P2P_EREFUSED: those of another run; P2P_EIO: none. */
p2p_status p2pi_saving_open(p2pi_machine *self, const p2p_node_config *config);
void p2pi_saving_close(p2pi_machine *self);
/** P2P_ENOTSUP: the method has no rounds to be saved. */
p2p_status p2pi_saving_ready(const p2pi_machine *self);
/** The round of the newest checkpoint to resume from; 0: from the start. */
double p2pi_saving_newest(const p2pi_machine *self);
/** Go on from the round that all nodes have. */
p2p_status p2pi_saving_resume(p2pi_machine *self, uint32_t round);
/** After a round, and at an orderly end. */
void p2pi_saving_round(p2pi_machine *self);
void p2pi_saving_end(p2pi_machine *self, p2p_end end);

/* ---- rounds.c */
/** Make the engine with the constants of the swarm. */
p2p_status p2pi_rounds_engine(p2pi_machine *self, double smoothness, double convexity);
void p2pi_rounds_start(p2pi_machine *self, int joining);
int p2pi_rounds_ready(const p2pi_machine *self);
void p2pi_rounds_step(p2pi_machine *self);
/** A vector arrived; takes the packet. */
void p2pi_rounds_data(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, p2pi_packet *packet);
/** Hand what is queued for the current stage to the engine. */
void p2pi_rounds_deliver(p2pi_machine *self, p2pi_peer *peer);
/** Release the first count packets of a queue. */
void p2pi_rounds_release(p2pi_machine *self, p2pi_peer *peer, unsigned count);
/** Empty a queue but for what the engine holds. */
void p2pi_rounds_forget(p2pi_machine *self, p2pi_peer *peer);
/** Release everything that is held. */
void p2pi_rounds_empty(p2pi_machine *self);
/** Tell the caller how this node stands. */
void p2pi_rounds_report(p2pi_machine *self);
void p2pi_machine_finish(p2pi_machine *self, p2p_end end);
/** End with the last sentence. */
void p2pi_machine_fail(p2pi_machine *self, p2p_status status);

/* ---- pairing.c */
void p2pi_pairing_start(p2pi_machine *self);
int p2pi_pairing_ready(const p2pi_machine *self);
void p2pi_pairing_step(p2pi_machine *self);
/** A message in the rounds; 0: it is none that pairing has anything to do with. */
int p2pi_pairing_take(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
/** The neighbour has greeted this node and is welcome. */
void p2pi_pairing_returned(p2pi_machine *self, p2pi_peer *peer);
void p2pi_pairing_stop(p2pi_machine *self);
void p2pi_pairing_tick(p2pi_machine *self);
/** When patience with the latest ask is over; infinite: nothing depends on it. */
double p2pi_pairing_due(const p2pi_machine *self);

/* ---- members.c    */
/** The edge is down from now, and why; tell: the neighbour does not know. */
void p2pi_member_drop(p2pi_machine *self, p2pi_peer *peer, int tell, const char *format, ...) P2P_PRINTF(4, 5);
/** The edge counts again. */
void p2pi_member_raise(p2pi_machine *self, p2pi_peer *peer);
/** Something it sent did not arrive. */
void p2pi_member_gap(p2pi_machine *self, p2pi_peer *peer);
/** Count a bad message; the last sentence says what is wrong with it. A neighbour in the rounds is dropped. */
void p2pi_member_bad(p2pi_machine *self, p2pi_peer *peer, uint32_t sender);
/** What happens again and again is logged at first, then ever more rarely: whether the count-th time is. */
int p2pi_member_worth_a_line(uint64_t count);
/** A node was refused; the last sentence says why. */
void p2pi_member_refused(p2pi_machine *self, uint32_t sender);
/** Greeted and welcome: if the swarm is in its rounds, set up the edge. */
void p2pi_member_returned(p2pi_machine *self, p2pi_peer *peer);
void p2pi_member_late(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
void p2pi_member_offer(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
/** Shared estimates arrived; takes the packet. */
void p2pi_member_state(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, p2pi_packet *packet);
void p2pi_member_edge(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
void p2pi_member_alive(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h);
void p2pi_member_bye(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload);
/** At the start of a round: edges that are up from it, rounds left out, pauses. 0: the round cannot begin. */
int p2pi_member_round(p2pi_machine *self);
/** Whether a neighbour counts as lost, and why. */
int p2pi_member_silent(const p2pi_machine *self, const p2pi_peer *peer, char why[P2PI_WHY]);
void p2pi_member_tick(p2pi_machine *self);

#endif
