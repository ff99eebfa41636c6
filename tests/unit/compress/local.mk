check_PROGRAMS += check_compress
TESTS += check_compress
check_compress_SOURCES = \
	tests/golden/collective_round.c tests/golden/collective_round.h \
	%D%/check_coding.c \
	%D%/check_collective.c \
	%D%/check_compress.c \
	%D%/check_compressor.c \
	%D%/check_compressor_specs.c \
	%D%/check_compress_draws.c \
	%D%/check_pipeline_fields.c \
	%D%/check_reals.c \
	%D%/check_system_codes.c \
	%D%/check_top_selection.c
check_compress_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/tests/golden
check_compress_CFLAGS = $(unit_cflags)
check_compress_LDADD = $(unit_ldadd)

check_PROGRAMS += check_compress_memory
TESTS += check_compress_memory
check_compress_memory_SOURCES = %D%/check_compress_memory.c $(failing_memory_sources) \
	tests/contract/compressor_specs.c tests/contract/compressor_specs.h
check_compress_memory_CPPFLAGS = $(unit_cppflags) -I$(top_srcdir)/tests/contract
check_compress_memory_CFLAGS = $(unit_cflags)
check_compress_memory_LDFLAGS = $(failing_memory_ldflags)
check_compress_memory_LDADD = $(unit_ldadd)
