check_PROGRAMS += check_aggregate
TESTS += check_aggregate
check_aggregate_SOURCES = %D%/check_aggregate.c %D%/check_attacks.c %D%/check_columns.c %D%/check_rules.c \
	%D%/cloud.c %D%/cloud.h
check_aggregate_CPPFLAGS = $(unit_cppflags)
check_aggregate_CFLAGS = $(unit_cflags)
check_aggregate_LDADD = $(unit_ldadd)
