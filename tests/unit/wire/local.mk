check_PROGRAMS += check_wire
TESTS += check_wire
check_wire_SOURCES = %D%/check_wire.c %D%/check_header.c %D%/check_hello.c %D%/check_identity.c
check_wire_CPPFLAGS = $(unit_cppflags)
check_wire_CFLAGS = $(unit_cflags)
check_wire_LDADD = $(unit_ldadd)
