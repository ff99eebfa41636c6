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
