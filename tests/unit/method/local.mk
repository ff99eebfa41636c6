check_PROGRAMS += check_method
TESTS += check_method
check_method_SOURCES = \
	%D%/check_convergence.c \
	%D%/check_engine.c \
	%D%/check_edges.c \
	%D%/check_method.c \
	%D%/check_parameters.c \
	%D%/check_movement.c \
	%D%/check_prox.c \
	%D%/trial.c %D%/trial.h \
	tests/golden/lockstep.c tests/golden/lockstep.h
check_method_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/tests/golden -I$(top_srcdir)/tests/unit/method
check_method_CFLAGS = $(unit_cflags)
check_method_LDADD = $(unit_ldadd)
