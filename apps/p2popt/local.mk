bin_PROGRAMS += p2popt
p2popt_SOURCES = \
	%D%/command.c %D%/command.h \
	%D%/commands.def \
	%D%/main.c
# The tool sees the installed headers only.
p2popt_CPPFLAGS = -I$(top_srcdir)/include
p2popt_CFLAGS = $(P2P_CFLAGS) $(JANSSON_CFLAGS) $(CZMQ_CFLAGS) $(LAPACKE_CFLAGS)
p2popt_LDADD = libp2popt.la $(JANSSON_LIBS) $(CZMQ_LIBS) $(LAPACKE_LIBS)
