/* Unit tests of the parts of the tool that stand on their own: the report pipe, the monitor, result files. */
#include "runner.h"

Suite *losses_suite(void);
Suite *monitor_suite(void);
Suite *output_file_suite(void);
Suite *report_pipe_suite(void);

int
main(void)
{
    Suite *suites[] = { losses_suite(), monitor_suite(), output_file_suite(), report_pipe_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
