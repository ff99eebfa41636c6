check_PROGRAMS += check_base
TESTS += check_base
check_base_SOURCES = \
	%D%/check_array.c \
	%D%/check_base.c \
	%D%/check_decimal.c \
	%D%/check_file.c \
	%D%/check_lanczos.c \
	%D%/check_random.c \
	%D%/check_spec.c \
	%D%/check_symmetric.c \
	%D%/check_vector.c
check_base_CPPFLAGS = $(unit_cppflags)
check_base_CFLAGS = $(unit_cflags)
check_base_LDADD = $(unit_ldadd)
