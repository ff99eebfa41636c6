# A case is a folder of tests/cli/cases; run-cases.sh says what it may hold.
dist_check_SCRIPTS += %D%/run-cases.sh
TESTS += %D%/run-cases.sh
EXTRA_DIST += %D%/cases
