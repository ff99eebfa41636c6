/* Unit tests of src/topology. */
#include "runner.h"

Suite *shapes_suite(void);
Suite *spectrum_suite(void);

int
main(void)
{
    Suite *suites[] = { shapes_suite(), spectrum_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
