check_PROGRAMS += check_base
TESTS += check_base
check_base_SOURCES = %D%/check_base.c %D%/check_random.c %D%/check_spec.c %D%/check_vector.c %D%/check_file.c
check_base_CPPFLAGS = $(unit_cppflags)
check_base_CFLAGS = $(unit_cflags)
check_base_LDADD = $(unit_ldadd)
