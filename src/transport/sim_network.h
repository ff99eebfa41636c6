/*
 * The simulated network: a queue of events on a virtual clock. Events of one time come in the order they were made,
 * so a run is a function of its inputs. Packets are shared by counting.
 */
#ifndef P2PI_SIM_NETWORK_H
#define P2PI_SIM_NETWORK_H

#include <p2popt/node.h>

#include "transport/transport.h"

typedef struct p2pi_sim p2pi_sim;

/**
 * What happens to a packet on its way, beside its link's latency and bandwidth.
 *
 * @param packet may be changed: it is this receiver's own copy.
 * @param delay  seconds to add, 0 on entry.
 * @return how often it arrives: 0 is lost, 2 is doubled.
 */
typedef int p2pi_sim_fate(void *user, uint32_t from, uint32_t to, p2pi_packet *packet, double *delay);

/** links: copied. */
p2p_status p2pi_sim_new(p2pi_sim **out, size_t nodes, const p2p_sim_links *links);
void p2pi_sim_destroy(p2pi_sim **self);

/**
 * Bring a node onto the network, for the first time or again; its neighbours see the way to it come up.
 *
 * @param peers count numbers of neighbours, borrowed.
 * @return its link, owned by the network; NULL without memory (sentence set).
 */
p2pi_link *p2pi_sim_join(p2pi_sim *self, uint32_t node, size_t count, const uint32_t *peers,
                         const p2pi_link_client *client);
/** Take a node off the network: what is under way to it is lost, and its neighbours see the way to it go down. */
void p2pi_sim_leave(p2pi_sim *self, uint32_t node);
/** Let nothing happen at a node before a time: its events wait. */
void p2pi_sim_freeze(p2pi_sim *self, uint32_t node, double until);
void p2pi_sim_set_fate(p2pi_sim *self, p2pi_sim_fate *fate, void *user);

double p2pi_sim_now(const p2pi_sim *self);

enum { P2PI_SIM_OVER = 0, P2PI_SIM_ARRIVAL = 1, P2PI_SIM_WAKE = 2 /* and above */ };

/** Wake a node at a time: then p2pi_sim_next returns reason, P2PI_SIM_WAKE or more. P2P_ENOMEM. */
p2p_status p2pi_sim_wake(p2pi_sim *self, uint32_t node, int reason, double time);

/**
 * Let the next event happen: the clock moves, and a packet is handed to its receiver's client, or a node is to wake.
 *
 * @return what it was, and in *node where; P2PI_SIM_OVER if no events are left.
 */
int p2pi_sim_next(p2pi_sim *self, uint32_t *node);

/** Whether memory ran out on the way, so that a packet was lost. */
int p2pi_sim_failed(const p2pi_sim *self);

#endif
