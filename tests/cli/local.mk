# A case is a folder of tests/cli/cases; run-cases.sh says what it may hold.
dist_check_SCRIPTS += %D%/run-cases.sh
TESTS += %D%/run-cases.sh
EXTRA_DIST += %D%/cases

check_PROGRAMS += json_value
json_value_SOURCES = %D%/json_value.c
json_value_CFLAGS = $(P2P_CFLAGS) $(JANSSON_CFLAGS)
json_value_LDADD = $(JANSSON_LIBS)

check_PROGRAMS += notify_listen
notify_listen_SOURCES = %D%/notify_listen.c
notify_listen_CFLAGS = $(P2P_CFLAGS)
