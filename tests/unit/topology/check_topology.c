/* Unit tests of src/topology. */
#include "runner.h"

Suite *cut_suite(void);
Suite *distances_suite(void);
Suite *draws_suite(void);
Suite *graph_files_suite(void);
Suite *mixing_suite(void);
Suite *schedules_suite(void);
Suite *shapes_suite(void);
Suite *spectrum_suite(void);

int
main(void)
{
    Suite *suites[] = { cut_suite(), shapes_suite(),    draws_suite(),       mixing_suite(),   spectrum_suite(),
                        distances_suite(), graph_files_suite(), schedules_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
