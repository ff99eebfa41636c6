#include "runner.h"

Suite *allreduce_suite(void);
Suite *engine_suite(void);
Suite *parameters_suite(void);
Suite *movement_suite(void);
Suite *prox_suite(void);

int
main(void)
{
    Suite *suites[] = { allreduce_suite(), engine_suite(), parameters_suite(), movement_suite(), prox_suite() };

    return run_suites(sizeof suites / sizeof suites[0], suites);
}
