/* Pictures of topologies, made by Graphviz' programs. */
#ifndef TOPOLOGY_DRAW_H
#define TOPOLOGY_DRAW_H

#include <p2popt.h>

/** Layout programs that may be asked for, ended by NULL. */
extern const char *const topology_draw_engines[];

/**
 * Write a picture; the file appears whole or not at all.
 *
 * @param engine one of topology_draw_engines, run without a shell; it gets DOT on its standard input.
 * @param path   ends with .svg, .png or .pdf: the format.
 * @return P2P_OK; P2P_EINVAL another ending; P2P_EIO the program is not installed or failed, or the file cannot be
 *         written.
 */
p2p_status topology_draw(const p2p_topology *topology, const char *engine, const char *path);

#endif
