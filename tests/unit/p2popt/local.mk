# The tool's reference solver, against the known optima in share/optima.
check_PROGRAMS += check_optimum
TESTS += check_optimum
check_optimum_SOURCES = %D%/check_optimum.c apps/p2popt/optimum.c apps/p2popt/optimum.h \
	apps/p2popt/proximal_optimum.c apps/p2popt/proximal_optimum.h
check_optimum_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/apps/p2popt
check_optimum_CFLAGS = $(unit_cflags)
check_optimum_LDADD = $(unit_ldadd)
