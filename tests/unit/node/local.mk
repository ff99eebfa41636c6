check_PROGRAMS += check_node
TESTS += check_node
check_node_SOURCES = %D%/check_node.c %D%/check_byzantine.c %D%/check_checkpoint.c %D%/check_live_view.c %D%/check_sim.c %D%/check_squeeze.c %D%/check_stop.c \
	%D%/check_swarm.c %D%/swarms.c %D%/swarms.h
check_node_CPPFLAGS = $(unit_cppflags)
check_node_CFLAGS = $(unit_cflags)
check_node_LDADD = $(unit_ldadd)
