#include "transport/transport.h"

#include <p2popt/node.h>

static const p2p_option sim_options[] = { { "latency", P2P_OPT_REAL, "0", "0", "86400",
                                            "seconds from one node to another", offsetof(p2p_sim_links, latency) },
                                          { "bandwidth", P2P_OPT_REAL, "0", "0", NULL,
                                            "bytes a second of each link and direction; 0: unbounded",
                                            offsetof(p2p_sim_links, bandwidth) },
                                          { "compute", P2P_OPT_REAL, "0", "0", "86400",
                                            "seconds a node needs for a stage", offsetof(p2p_sim_links, compute) },
                                          { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };

static const p2pi_transport transport_tcp = {
    .size = sizeof(p2pi_transport),
    .entry = { "tcp", "ZeroMQ over TCP, encrypted and authenticated by CURVE", "libzmq", NULL, 0 },
    .scheme = "tcp://",
};

static const p2pi_transport transport_ipc = {
    .size = sizeof(p2pi_transport),
    .entry = { "ipc", "ZeroMQ over local sockets, between processes of one machine", "libzmq", NULL, 0 },
    .scheme = "ipc://",
};

static const p2pi_transport transport_inproc = {
    .size = sizeof(p2pi_transport),
    .entry = { "inproc", "ZeroMQ within one process, a thread a node", "libzmq", NULL, 0 },
};

static const p2pi_transport transport_sim = {
    .size = sizeof(p2pi_transport),
    .entry = { "sim", "one thread runs all nodes on a virtual clock", "discrete events", sim_options,
               sizeof(p2p_sim_links) },
};

static const p2pi_transport *const table[] = {
#define P2P_TRANSPORT(name) &transport_##name,
#include "transport/transports.def"
#undef P2P_TRANSPORT
};

const p2pi_transport *
p2pi_transport_table(size_t i)
{
    return i < sizeof table / sizeof *table ? table[i] : NULL;
}

const p2p_entry *
p2pi_transport_entry(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i]->entry : NULL;
}
