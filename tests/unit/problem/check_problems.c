/* Unit tests of src/problem. */
#include "runner.h"

Suite *models_suite(void);
Suite *oracle_suite(void);
Suite *readers_suite(void);
Suite *shards_suite(void);

int
main(void)
{
    Suite *suites[] = { models_suite(), oracle_suite(), readers_suite(), shards_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
