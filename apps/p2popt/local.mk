bin_PROGRAMS += p2popt
p2popt_SOURCES = \
	%D%/certificate.c %D%/certificate.h \
	%D%/command.c %D%/command.h \
	%D%/commands.def \
	%D%/init_command.c \
	%D%/keygen_command.c \
	%D%/list_command.c \
	%D%/main.c \
	%D%/optimum.c %D%/optimum.h \
	%D%/solve_command.c \
	%D%/swarm_arguments.c %D%/swarm_arguments.h \
	%D%/topology_command.c \
	%D%/topology_draw.c %D%/topology_draw.h
# The tool sees the installed headers only.
p2popt_CPPFLAGS = -I$(top_srcdir)/include
p2popt_CFLAGS = $(P2P_CFLAGS) $(JANSSON_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(LAPACKE_CFLAGS)
p2popt_LDADD = libp2popt.la $(JANSSON_LIBS) $(CZMQ_LIBS) $(ZMQ_LIBS) $(LAPACKE_LIBS)
