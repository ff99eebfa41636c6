#include "fuzz_topology.h"

#include "topology/graph.h"

#include <stdio.h>
#include <stdlib.h>

/* The topology of the bytes, or NULL; large ones cost too much time. */
static p2p_topology *
topology_of(graph_parser *parse, const uint8_t *bytes, size_t len)
{
    p2pi_edges edges = { 0 };
    p2p_topology *t = NULL;

    if (parse(&edges, "fuzz", bytes, len) == P2P_OK && edges.nodes <= 64 &&
        p2pi_topology_assemble(&t, &edges) == P2P_OK && p2pi_topology_mix(t, NULL) != P2P_OK)
        abort();
    p2pi_edges_clear(&edges);
    return t;
}

void
fuzz_round_trip(graph_parser *parse, p2p_topology_format format, const uint8_t *bytes, size_t len)
{
    p2p_topology *first = topology_of(parse, bytes, len), *second;
    char *text = NULL;
    size_t text_len = 0;
    FILE *stream;

    if (first == NULL)
        return;
    if ((stream = open_memstream(&text, &text_len)) == NULL)
        abort();
    p2p_topology_print(first, format, stream);
    fclose(stream);
    second = topology_of(parse, (const uint8_t *)text, text_len);
    if (second == NULL || p2p_topology_hash(first) != p2p_topology_hash(second))
        abort();
    p2p_topology_destroy(&second);
    p2p_topology_destroy(&first);
    free(text);
}
