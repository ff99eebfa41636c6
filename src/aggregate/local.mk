libcore_la_SOURCES += \
	%D%/aggregator.c %D%/aggregators.def \
	%D%/aggregator_family.h %D%/aggregator_registry.c \
	%D%/mean_rule.c \
	%D%/rule.h

# Kernels over blocks of coordinates want the vectoriser.
noinst_LTLIBRARIES += libcolumns.la
libcolumns_la_SOURCES = %D%/columns.c %D%/columns.h %D%/columns.inc
libcolumns_la_CFLAGS = $(AM_CFLAGS) -O3
libcore_la_LIBADD += libcolumns.la
