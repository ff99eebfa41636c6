libcore_la_SOURCES += \
	%D%/aggregator.c %D%/aggregators.def \
	%D%/aggregator_family.h %D%/aggregator_registry.c \
	%D%/mean_rule.c \
	%D%/rule.h

# Loops over blocks of coordinates.
libkernels_la_SOURCES += %D%/columns.c %D%/columns.h %D%/columns.inc
