check_PROGRAMS += check_topology
TESTS += check_topology
check_topology_SOURCES = \
	%D%/check_distances.c \
	%D%/check_cut.c %D%/check_draws.c \
	%D%/check_graph_files.c \
	%D%/check_mixing.c \
	%D%/check_schedules.c \
	%D%/check_shapes.c \
	%D%/check_spectrum.c \
	%D%/check_topology.c \
	%D%/topology_helper.c %D%/topology_helper.h
check_topology_CPPFLAGS = $(unit_cppflags) -I$(srcdir)/%D%
check_topology_CFLAGS = $(unit_cflags)
check_topology_LDADD = $(unit_ldadd)
EXTRA_DIST += %D%/data

check_PROGRAMS += check_topology_memory
TESTS += check_topology_memory
check_topology_memory_SOURCES = %D%/check_topology_memory.c $(failing_memory_sources)
check_topology_memory_CPPFLAGS = $(unit_cppflags)
check_topology_memory_CFLAGS = $(unit_cflags)
check_topology_memory_LDFLAGS = $(failing_memory_ldflags)
check_topology_memory_LDADD = $(unit_ldadd)
