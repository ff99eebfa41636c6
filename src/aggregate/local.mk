libcore_la_SOURCES += \
	%D%/aggregator.c %D%/aggregators.def \
	%D%/aggregator_family.h %D%/aggregator_registry.c \
	%D%/attack.c %D%/attack.h \
	%D%/chain.c %D%/chain.h \
	%D%/clip_rules.c \
	%D%/covariance_filter.c \
	%D%/geometric_median.c \
	%D%/krum_rules.c \
	%D%/liar_weight.h \
	%D%/mean_rule.c \
	%D%/mixing_rules.c \
	%D%/nearest_rules.c \
	%D%/ordering.c %D%/ordering.h \
	%D%/rule.h \
	%D%/subset_rules.c \
	%D%/trimmed_rules.c

# Kernels over blocks of coordinates.
libkernels_la_SOURCES += \
	%D%/columns.c %D%/columns.h %D%/columns.inc \
	%D%/paired_columns.c %D%/paired_columns.h %D%/paired_columns.inc \
	%D%/sorted_columns.c %D%/sorted_columns.h %D%/sorted_columns.inc
