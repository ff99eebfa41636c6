#include "runner.h"

#include <math.h>
#include <stdlib.h>

int
run_suites(int count, Suite **suites)
{
    SRunner *runner = srunner_create(suites[0]);
    int failed;

    for (int i = 1; i < count; i++)
        srunner_add_suite(runner, suites[i]);
    if (getenv("CK_TAP") != NULL) {
        srunner_set_tap(runner, "-");
        srunner_run_all(runner, CK_SILENT);
    } else
        srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

double
relative_error(size_t count, const double *x, const double *y)
{
    double difference = 0, norm = 0;

    for (size_t i = 0; i < count; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(difference) / fmax(sqrt(norm), 1e-300);
}
