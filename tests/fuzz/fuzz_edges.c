/* Edge lists. */
#include "fuzz_topology.h"

#include "topology/graph_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_round_trip(p2pi_edge_list_parse, P2P_TOPOLOGY_EDGES, bytes, len);
    return 0;
}
