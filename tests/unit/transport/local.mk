check_PROGRAMS += check_transport
TESTS += check_transport
check_transport_SOURCES = %D%/check_transport.c %D%/check_sim_network.c %D%/check_zmq_link.c
check_transport_CPPFLAGS = $(unit_cppflags)
check_transport_CFLAGS = $(unit_cflags)
check_transport_LDADD = $(unit_ldadd)
