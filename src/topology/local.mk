# src/topology
