# golden-run sees the internals: it drives the engine in lockstep.
noinst_PROGRAMS += %D%/golden-run
tests_golden_golden_run_SOURCES = \
	%D%/golden.h \
	%D%/collective_round.c %D%/collective_round.h \
	%D%/golden_affine.c %D%/golden_affine.h \
	%D%/golden_codes.c \
	%D%/golden_blocks.c \
	%D%/golden_coding.c \
	%D%/golden_collective.c %D%/golden_collective.h \
	%D%/golden_compressors.c \
	%D%/golden_hex.c %D%/golden_hex.h \
	%D%/golden_diagonal.c %D%/golden_diagonal.h \
	%D%/golden_estimators.c \
	%D%/golden_gossip.c \
	%D%/golden_kinds.def \
	%D%/golden_problems.c \
	%D%/golden_robust.c \
	%D%/golden_rosdhb.c \
	%D%/golden_rules.c \
	%D%/golden_run.c \
	%D%/golden_training.c \
	%D%/golden_vi.c \
	%D%/lockstep.c %D%/lockstep.h
tests_golden_golden_run_CPPFLAGS = $(AM_CPPFLAGS)
tests_golden_golden_run_LDADD = libcore.la $(JANSSON_LIBS)
dist_check_SCRIPTS += %D%/golden.sh
EXTRA_DIST += \
	%D%/byzantine \
	%D%/compressors \
	%D%/estimators \
	%D%/gossip \
	%D%/problems \
	%D%/systems \
	%D%/training \
	%D%/vi
TESTS += %D%/golden.sh
