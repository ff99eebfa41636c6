# topologies
