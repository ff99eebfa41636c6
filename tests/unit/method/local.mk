# Whole swarms in lockstep: check_method tells what engines and methods do, check_hub
# those with a hub, check_rates how fast they converge.
trial_sources = %D%/trial.c %D%/trial.h tests/golden/lockstep.c tests/golden/lockstep.h
trial_cppflags = $(unit_cppflags) -I$(top_srcdir)/tests/golden -I$(top_srcdir)/tests/unit/method

check_PROGRAMS += check_hub check_method check_rates check_training
TESTS += check_hub check_method check_rates check_training
check_hub_SOURCES = %D%/check_hub.c %D%/check_liars.c $(trial_sources)
check_hub_CPPFLAGS = $(trial_cppflags)
check_hub_CFLAGS = $(unit_cflags)
check_hub_LDADD = $(unit_ldadd)
check_method_SOURCES = \
	%D%/check_allreduce.c \
	%D%/check_engine.c \
	%D%/check_method.c \
	%D%/check_movement.c \
	%D%/check_parameters.c \
	%D%/check_prox.c \
	$(trial_sources)
check_method_CPPFLAGS = $(trial_cppflags)
check_method_CFLAGS = $(unit_cflags)
check_method_LDADD = $(unit_ldadd)
check_rates_SOURCES = %D%/check_edges.c %D%/check_games.c %D%/check_rates.c %D%/check_rounds.c $(trial_sources)
check_rates_CPPFLAGS = $(trial_cppflags)
check_rates_CFLAGS = $(unit_cflags)
check_rates_LDADD = $(unit_ldadd)
check_training_SOURCES = %D%/check_training.c $(trial_sources)
check_training_CPPFLAGS = $(trial_cppflags)
check_training_CFLAGS = $(unit_cflags)
check_training_LDADD = $(unit_ldadd)
