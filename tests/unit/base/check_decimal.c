/* Decimal numbers: correctly rounded, the same in every locale, and nothing but decimal. */
#include "base/decimal.h"
#include "runner.h"

#include <locale.h>
#include <math.h>
#include <p2popt/random.h>
#include <stdio.h>
#include <stdlib.h>

START_TEST(numbers_and_where_they_end)
{
    static const struct {
        const char *text;
        double value;
        size_t len;
    } cases[] = {
        { "0", 0, 1 },           { "-0", -0.0, 2 },       { "+12.5x", 12.5, 5 },  { ".5", 0.5, 2 },
        { "5.", 5, 2 },          { "1e3", 1000, 3 },      { "1e", 1, 1 },         { "1e+", 1, 1 },
        { "2E-2 ", 0.02, 4 },    { "1:2", 1, 1 },         { "", 0, 0 },           { "-", 0, 0 },
        { ".", 0, 0 },           { "e5", 0, 0 },          { "nan", 0, 0 },        { "inf", 0, 0 },
        { "0x10", 0, 1 },        { "1e400", INFINITY, 5 }, { "-1e400", -INFINITY, 6 }, { "1e-400", 0, 6 },
        { "1e999999999999", INFINITY, 14 },
        { "0.000000000000000000000000000001", 1e-30, 32 },
        { "00000000000000000000000000012", 12, 29 },
        { "9007199254740993", 9007199254740992, 16 },
        { "123456789012345678901234567890", 123456789012345678901234567890.0, 30 },
        { "0.1000000000000000055511151231257827", 0.1, 36 },
        { "1.7976931348623157e308", 1.7976931348623157e308, 22 },
        { "4.9406564584124654e-324", 4.9406564584124654e-324, 23 },
    };
    const char *end;
    double value = p2pi_decimal(cases[_i].text, &end);

    ck_assert_msg(value == cases[_i].value && signbit(value) == signbit(cases[_i].value), "%s: %.17g", cases[_i].text,
                  value);
    ck_assert_uint_eq((size_t)(end - cases[_i].text), cases[_i].len);
}
END_TEST

/* Random doubles printed with every number of digits read as strtod reads them. */
START_TEST(agrees_with_strtod)
{
    p2p_random r = p2p_random_open(11, 0, 0, P2P_STREAM_DATA);

    for (int k = 0; k < 20000; k++) {
        char text[64];
        const char *end;
        double u[2];

        p2p_random_normal(&r, 2, u);
        snprintf(text, sizeof text, "%.*e", k % 20, u[0] * pow(10, k % 3 ? 4 * u[1] : 60 * u[1]));
        ck_assert_msg(p2pi_decimal(text, &end) == strtod(text, NULL), "%s", text);
        ck_assert(*end == '\0');
    }
}
END_TEST

START_TEST(locale_does_not_matter)
{
    const char *end;

    /* Where the locale is not installed this checks the same as the others. */
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    ck_assert(p2pi_decimal("0.12345678901234567890123", &end) == 0.12345678901234567890123);
    ck_assert(*end == '\0');
    setlocale(LC_NUMERIC, "C");
}
END_TEST

Suite *
decimal_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *tc = tcase_create("read");

    tcase_add_loop_test(tc, numbers_and_where_they_end, 0, 28);
    tcase_add_test(tc, agrees_with_strtod);
    tcase_add_test(tc, locale_does_not_matter);
    suite_add_tcase(suite, tc);
    return suite;
}
