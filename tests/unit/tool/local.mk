# Parts of the tool, with the installed library alone.
check_PROGRAMS += check_tool
TESTS += check_tool
check_tool_SOURCES = %D%/check_tool.c %D%/check_losses.c %D%/check_monitor.c %D%/check_output_file.c %D%/check_report_pipe.c \
	apps/p2popt/equilibrium.c apps/p2popt/losses.c apps/p2popt/monitor.c apps/p2popt/objective.c apps/p2popt/optimum.c apps/p2popt/proximal_optimum.c \
	apps/p2popt/output_file.c apps/p2popt/report_pipe.c
check_tool_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/apps/p2popt
check_tool_CFLAGS = $(unit_cflags)
check_tool_LDADD = libunit.la libp2popt.la $(LAPACKE_LIBS) $(CHECK_LIBS)
