#include "runner.h"

Suite *convergence_suite(void);
Suite *engine_suite(void);
Suite *edges_suite(void);
Suite *parameters_suite(void);
Suite *movement_suite(void);
Suite *prox_suite(void);

int
main(void)
{
    Suite *suites[] = { engine_suite(),   edges_suite(), parameters_suite(),
                        movement_suite(), prox_suite(),  convergence_suite() };

    return run_suites(sizeof suites / sizeof suites[0], suites);
}
