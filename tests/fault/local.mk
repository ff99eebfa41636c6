check_PROGRAMS += check_swarms
TESTS += check_swarms
check_swarms_SOURCES = %D%/check_swarms.c %D%/processes.c %D%/processes.h tests/unit/node/swarms.c tests/unit/node/swarms.h
check_swarms_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/tests/unit/node
check_swarms_CFLAGS = $(unit_cflags)
check_swarms_LDADD = $(unit_ldadd)
