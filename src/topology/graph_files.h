/* Graphs from files: parsers of bytes in memory, and the reader that picks one by the content. */
#ifndef P2PI_GRAPH_FILES_H
#define P2PI_GRAPH_FILES_H

#include "topology/edges.h"

/** Longest name of a node in bytes. */
enum { P2PI_NAME_MAX = 255 };

/**
 * Parse into a zeroed list. path is for messages.
 *
 * @return P2P_OK; P2P_EPARSE (path:line, what was found, what is expected); P2P_EINVAL; P2P_ENOMEM.
 */
p2p_status p2pi_edge_list_parse(p2pi_edges *out, const char *path, const uint8_t *bytes, size_t len);
p2p_status p2pi_graphml_parse(p2pi_edges *out, const char *path, const uint8_t *bytes, size_t len);

/**
 * Read a file of any format into a zeroed list. P2P_EIO besides.
 *
 * @param largest keep the largest component only.
 */
p2p_status p2pi_graph_read(p2pi_edges *out, const char *path, int largest);

#endif
