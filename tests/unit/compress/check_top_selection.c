/* The selected entries against a full sort, where ties, samples that mislead and every k matter. */
#include "runner.h"

#include "compress/kernels/top_selection.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>

enum { MOST = 50000 };

static double values[MOST];
static float floats[MOST];
static uint32_t order[MOST], found[MOST];

static int
by_magnitude(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = fabs(values[i]), y = fabs(values[j]);

    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

static int
by_index(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    return (i > j) - (i < j);
}

enum { GAUSS, EQUAL, FEW_VALUES, SPARSE, RISING, SPIKES_OFF_THE_SAMPLE, SPIKES_ON_THE_SAMPLE, KINDS };

static void
fill(int kind, size_t d)
{
    p2p_random r = p2p_random_open(3, (uint32_t)kind, 0, 0);

    p2p_random_normal(&r, d, values);
    for (size_t i = 0; i < d; i++) {
        switch (kind) {
        case EQUAL:
            values[i] = i % 2 ? 1 : -1;
            break;
        case FEW_VALUES:
            values[i] = round(values[i]);
            break;
        case SPARSE:
            values[i] = fabs(values[i]) > 2 ? values[i] : 0;
            break;
        case RISING:
            values[i] = (double)i;
            break;
        /* The sampled places are multiples of 4: nothing there is large, or everything is. */
        case SPIKES_OFF_THE_SAMPLE:
            values[i] = i % 4 == 1 ? 5 : 1e-3;
            break;
        case SPIKES_ON_THE_SAMPLE:
            values[i] = i % 4 == 0 ? 5 : 1e-3;
            break;
        default:
            break;
        }
        values[i] = (float)values[i] + 0.0;
        floats[i] = (float)values[i];
    }
}

static void
check_selection(p2pi_top *top, size_t d, size_t k)
{
    uint32_t *wanted = malloc(k * sizeof *wanted);

    memcpy(wanted, order, k * sizeof *wanted);
    qsort(wanted, k, sizeof *wanted, by_index);
    for (const p2pi_top_collect_kernel *kernel = p2pi_top_collect_kernels; kernel->name != NULL; kernel++) {
        if (!kernel->runs_here())
            continue;
        top->collect = kernel;
        p2pi_top_select(top, (p2p_view){ values, d, P2P_F64 }, k, found);
        ck_assert_mem_eq(found, wanted, k * sizeof *wanted);
        p2pi_top_select(top, (p2p_view){ floats, d, P2P_F32 }, k, found);
        ck_assert_mem_eq(found, wanted, k * sizeof *wanted);
    }
    free(wanted);
}

START_TEST(selection_equals_sorting)
{
    static const size_t dims[] = { 1, 2, 33, 1000, 16384, MOST };
    static const double shares[] = { 0, 0.001, 0.01, 0.1, 0.5, 0.97, 1 };
    int kind = _i % KINDS;
    size_t d = dims[_i / KINDS];
    p2pi_arena *arena;
    p2pi_top top;

    fill(kind, d);
    ck_ok(p2pi_arena_new(&arena));
    ck_ok(p2pi_top_open(&top, d, arena));
    for (size_t i = 0; i < d; i++)
        order[i] = (uint32_t)i;
    qsort(order, d, sizeof *order, by_magnitude);
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        size_t k = (size_t)ceil(shares[s] * (double)d);

        check_selection(&top, d, k < 1 ? 1 : k);
    }
    p2pi_arena_destroy(&arena);
}
END_TEST

Suite *
top_selection_suite(void)
{
    Suite *suite = suite_create("top selection");
    TCase *tc = tcase_create("select");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, selection_equals_sorting, 0, 6 * KINDS);
    suite_add_tcase(suite, tc);
    return suite;
}
