#include "runner.h"

Suite *header_suite(void);
Suite *hello_suite(void);
Suite *identity_suite(void);

int
main(void)
{
    Suite *suites[] = { header_suite(), hello_suite(), identity_suite() };

    return run_suites(3, suites);
}
