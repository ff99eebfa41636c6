check_PROGRAMS += check_problems
TESTS += check_problems
check_problems_SOURCES = \
	%D%/check_models.c \
	%D%/check_oracle.c \
	%D%/check_problems.c \
	%D%/check_readers.c \
	%D%/check_shards.c
check_problems_CPPFLAGS = $(unit_cppflags)
check_problems_CFLAGS = $(unit_cflags)
check_problems_LDADD = $(unit_ldadd) $(ZLIB_LIBS)

check_PROGRAMS += check_problem_memory
TESTS += check_problem_memory
check_problem_memory_SOURCES = %D%/check_problem_memory.c $(failing_memory_sources)
check_problem_memory_CPPFLAGS = $(unit_cppflags)
check_problem_memory_CFLAGS = $(unit_cflags)
check_problem_memory_LDFLAGS = $(failing_memory_ldflags)
check_problem_memory_LDADD = $(unit_ldadd)
