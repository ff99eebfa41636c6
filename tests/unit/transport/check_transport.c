#include "runner.h"

Suite *sim_network_suite(void);
Suite *zmq_link_suite(void);

int
main(void)
{
    Suite *suites[] = { sim_network_suite(), zmq_link_suite() };

    return run_suites(2, suites);
}
