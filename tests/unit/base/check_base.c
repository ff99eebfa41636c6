/* Unit tests of src/base. */
#include "runner.h"

Suite *array_suite(void);
Suite *decimal_suite(void);
Suite *file_suite(void);
Suite *lanczos_suite(void);
Suite *random_suite(void);
Suite *spec_suite(void);
Suite *symmetric_suite(void);
Suite *vector_suite(void);

int
main(void)
{
    Suite *suites[] = { random_suite(), spec_suite(), vector_suite(), file_suite(),
                        array_suite(),  decimal_suite(), lanczos_suite(), symmetric_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
