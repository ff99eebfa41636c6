#include "runner.h"

Suite *swarm_suite(void);
Suite *squeeze_suite(void);
Suite *stop_suite(void);
Suite *live_view_suite(void);
Suite *byzantine_suite(void);
Suite *sim_suite(void);
Suite *checkpoint_suite(void);

int
main(void)
{
    Suite *suites[] = { swarm_suite(), squeeze_suite(), stop_suite(), live_view_suite(), sim_suite(), byzantine_suite(),
                        checkpoint_suite() };

    return run_suites(sizeof suites / sizeof *suites, suites);
}
