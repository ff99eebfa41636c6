libcore_la_SOURCES += \
	%D%/distances.c \
	%D%/edges.c %D%/edges.h \
	%D%/generator.h \
	%D%/graph.h \
	%D%/lattice_graphs.c \
	%D%/mixing.c \
	%D%/simple_graphs.c \
	%D%/spectrum.c \
	%D%/topologies.def \
	%D%/topology.c \
	%D%/topology_registry.c \
	%D%/topology_rows.c
