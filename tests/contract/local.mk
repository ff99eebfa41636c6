# What every member of a family promises, over its registry.
check_PROGRAMS += check_contract_compressors
TESTS += check_contract_compressors
check_contract_compressors_SOURCES = \
	%D%/check_contract_compressors.c \
	%D%/compressor_specs.c %D%/compressor_specs.h
check_contract_compressors_CPPFLAGS = $(unit_cppflags)
check_contract_compressors_CFLAGS = $(unit_cflags)
check_contract_compressors_LDADD = $(unit_ldadd)
