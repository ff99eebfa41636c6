# Unit programs print TAP through Check; scripts print TAP themselves. Every test may use these variables.
AM_TESTS_ENVIRONMENT = CK_TAP=1; export CK_TAP; \
	P2POPT=$(abs_top_builddir)/p2popt; export P2POPT; \
	P2POPT_DATADIR=$(abs_top_srcdir)/share:$(abs_top_srcdir); export P2POPT_DATADIR; \
	SRCDIR=$(abs_top_srcdir); export SRCDIR; \
	BUILDDIR=$(abs_top_builddir); export BUILDDIR;
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)

# One program a room: NAME_SOURCES, then TESTS. They see the internals through libcore.la.
check_LTLIBRARIES += libunit.la
libunit_la_SOURCES = %D%/unit/runner.c %D%/unit/runner.h
libunit_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit
libunit_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
unit_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit
unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS)
unit_ldadd = libunit.la libcore.la $(CHECK_LIBS)

# Programs in which the library's n-th allocation fails.
failing_memory_sources = %D%/unit/failing_memory.c %D%/unit/failing_memory.h
failing_memory_ldflags = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc

dist_check_SCRIPTS += %D%/layers.sh
TESTS += %D%/layers.sh

# Unit programs under valgrind, those that it can finish in minutes. CK_FORK=no keeps each in one process.
VALGRIND = valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect
valgrind_units = check_base check_compress check_method check_problems check_tool check_topology_memory check_transport check_wire
.PHONY: check-valgrind
check-valgrind: $(check_LTLIBRARIES) $(check_PROGRAMS)
	CK_FORK=no $(MAKE) check TESTS="$(valgrind_units)" \
		LOG_COMPILER="$(LIBTOOL) --silent --mode=execute $(VALGRIND)"

# The front door: pages, completion.
dist_check_SCRIPTS += %D%/man.sh %D%/completion.sh %D%/setup.sh %D%/examples.sh
TESTS += %D%/man.sh %D%/completion.sh %D%/setup.sh %D%/examples.sh
# Not called tests/man: make would build that from man.sh, by its built-in rule, and distribute it.
EXTRA_DIST += %D%/page-checks

# Swarms of processes.
dist_check_SCRIPTS += %D%/swarm/run.sh %D%/swarm/faults.sh %D%/swarm/liars.sh %D%/swarm/resume.sh %D%/swarm/tune.sh
TESTS += %D%/swarm/run.sh %D%/swarm/faults.sh %D%/swarm/liars.sh %D%/swarm/resume.sh %D%/swarm/tune.sh
EXTRA_DIST += %D%/swarm_lib.sh
