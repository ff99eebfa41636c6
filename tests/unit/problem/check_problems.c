/* Unit tests of src/problem. */
#include "runner.h"

Suite *models_suite(void);

int
main(void)
{
    Suite *suites[] = { models_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
