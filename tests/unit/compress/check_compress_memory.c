/*
 * Without memory: opening fails cleanly at every allocation, and a compressor once opened needs no more, whatever it
 * encodes or is sent.
 */
#include "compressor_specs.h"
#include "failing_memory.h"
#include "runner.h"

#include <p2popt/compressor.h>
#include <p2popt/random.h>

enum { D = 300, CAP = 1 << 16 };

static const p2p_env env = { 1, 0, 0, 0, 1 };
static uint8_t lean[CAP], frame[CAP];
static double x[D], y[D];

START_TEST(every_allocation_may_fail)
{
    const p2p_shape shape = { D, P2P_F64, 4 };
    const char *spec = compressor_spec_at((size_t)_i);
    p2p_compressor *c = NULL;
    p2p_status st = P2P_ENOMEM;
    long n;

    for (n = 0; st != P2P_OK; n++) {
        failing_memory_after(n);
        st = p2p_compressor_new(&c, spec, &shape);
        failing_memory_after(-1);
        if (st == P2P_OK)
            break;
        ck_assert_msg(st == P2P_ENOMEM, "%s, allocation %ld: %s", spec, n, p2p_last_error());
        ck_assert_msg(strstr(p2p_last_error(), "no memory") != NULL, "%s", p2p_last_error());
        ck_assert_ptr_null(c);
        ck_assert_int_lt(n, 100);
    }
    ck_assert_int_ge(n, 3);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(rounds_allocate_nothing)
{
    const p2p_shape shape = { D, P2P_F64, 4 };
    p2p_random r = p2p_random_open(2, 0, 0, 0);
    p2p_vec out = { y, D, P2P_F64 };
    p2p_status st[6];
    size_t len, frame_len, lean_len;
    p2p_compressor *c;

    p2p_random_normal(&r, D, x);
    ck_ok(p2p_compressor_new(&c, compressor_spec_at((size_t)_i), &shape));
    failing_memory_after(0);
    st[0] = p2p_compressor_encode(c, (p2p_view){ x, D, P2P_F64 }, &env, lean, CAP, &len);
    st[1] = p2p_compressor_frame(c, &env, lean, len, frame, CAP, &frame_len);
    st[2] = p2p_compressor_unframe(c, &env, frame, frame_len, lean, CAP, &lean_len);
    st[3] = p2p_compressor_check(c, &env, lean, len);
    st[4] = p2p_compressor_decode(c, &env, lean, len, out);
    st[5] = p2p_compressor_axpy(c, &env, lean, len, 1, 1, out);
    failing_memory_after(-1);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(st[i] == P2P_OK, "%s, call %d: %s", p2p_compressor_spec(c), i, p2p_last_error());
    p2p_compressor_destroy(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("compressors without memory");
    TCase *tc = tcase_create("memory");
    int specs = (int)compressor_spec_count();

    tcase_add_loop_test(tc, every_allocation_may_fail, 0, specs);
    tcase_add_loop_test(tc, rounds_allocate_nothing, 0, specs);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
