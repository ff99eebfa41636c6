#include "runner.h"

Suite *coding_suite(void);
Suite *collective_suite(void);
Suite *compress_draws_suite(void);
Suite *compressor_suite(void);
Suite *compressor_specs_suite(void);
Suite *pipeline_fields_suite(void);
Suite *reals_suite(void);
Suite *system_codes_suite(void);
Suite *top_selection_suite(void);

int
main(void)
{
    Suite *suites[] = { coding_suite(),           reals_suite(),      compress_draws_suite(), top_selection_suite(),
                        compressor_specs_suite(), compressor_suite(), collective_suite(),     pipeline_fields_suite(),
                        system_codes_suite() };

    return run_suites(9, suites);
}
