check_PROGRAMS += check_topology
TESTS += check_topology
check_topology_SOURCES = %D%/check_topology.c %D%/check_shapes.c %D%/check_spectrum.c
check_topology_CPPFLAGS = $(unit_cppflags)
check_topology_CFLAGS = $(unit_cflags)
check_topology_LDADD = $(unit_ldadd)
