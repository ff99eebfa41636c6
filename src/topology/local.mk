libcore_la_SOURCES += \
	%D%/barabasi_albert.c \
	%D%/barbell.c \
	%D%/contraction.c \
	%D%/directed.c \
	%D%/distances.c \
	%D%/draws.c %D%/draws.h \
	%D%/edge_list.c \
	%D%/edges.c %D%/edges.h \
	%D%/erdos_renyi.c \
	%D%/generator.h \
	%D%/graph_files.c %D%/graph_files.h \
	%D%/graphml.c \
	%D%/graph.h \
	%D%/lattice_graphs.c \
	%D%/matchings.c \
	%D%/mixing.c \
	%D%/mixing_file.c \
	%D%/one_peer.c \
	%D%/pair_set.c %D%/pair_set.h \
	%D%/periodic.c \
	%D%/random_regular.c \
	%D%/schedule.c %D%/schedule.h \
	%D%/simple_graphs.c \
	%D%/small_world.c \
	%D%/spectrum.c \
	%D%/topologies.def \
	%D%/topology.c \
	%D%/topology_print.c \
	%D%/topology_registry.c \
	%D%/topology_rows.c \
	%D%/vertex_cut.c
