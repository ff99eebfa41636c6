/*
 * Without memory: the n-th allocation fails for n = 0, 1, 2, ... until the call succeeds. Each failure is P2P_ENOMEM
 * and leaves nothing behind (which the sanitizers and valgrind see).
 */
#include "failing_memory.h"
#include "runner.h"

#include <p2popt/topology.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static const struct {
    const char *spec, *mixing, *text; /* of the file, if the spec is NULL */
    size_t nodes;
} calls[] = {
    { "ring", NULL, NULL, 9 },
    { "torus", "lazy", NULL, 12 },
    { "barbell", "best-constant", NULL, 9 },
    { "erdos-renyi:p=0.1", NULL, NULL, 30 },
    { "random-regular:degree=3", NULL, NULL, 10 },
    { "random-regular:degree=7", NULL, NULL, 10 },
    { "small-world", NULL, NULL, 20 },
    { "barabasi-albert", NULL, NULL, 20 },
    { "one-peer", NULL, NULL, 10 },
    { "matchings:ring", NULL, NULL, 10 },
    { "erdos-renyi:redraw=yes", NULL, NULL, 10 },
    { "directed-exponential", NULL, NULL, 10 },
    { NULL, NULL, "# node 0 a\n0 1 0.25\n1 2 0.25\n", 0 },
    { NULL, NULL, "# node 4 b\n0 1\n3 4\n4 5\n", 0 },
    { NULL, NULL,
      "<graphml><key id=\"l\" for=\"node\" attr.name=\"label\"/><graph><node id=\"a\"><data key=\"l\">A</data></node>"
      "<node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>",
      0 },
};

static p2p_status
make(size_t call, p2p_topology **t)
{
    if (calls[call].spec != NULL)
        return p2p_topology_new(t, calls[call].spec, calls[call].mixing, calls[call].nodes, 3);
    return p2p_topology_read(t, path, calls[call].mixing, 1);
}

START_TEST(every_allocation_may_fail)
{
    p2p_topology_figures figures;
    p2p_topology *t = NULL;
    p2p_status st = P2P_ENOMEM;
    long n;

    if (calls[_i].text != NULL) {
        FILE *f;

        strcpy(path, "/tmp/p2popt-memory-XXXXXX");
        f = fdopen(mkstemp(path), "w");
        fputs(calls[_i].text, f);
        fclose(f);
    }
    for (n = 0; st != P2P_OK; n++) {
        failing_memory_after(n);
        st = make(_i, &t);
        failing_memory_after(-1);
        if (st != P2P_OK) {
            ck_assert_msg(st == P2P_ENOMEM, "allocation %ld: %s: %s", n, p2p_status_text(st), p2p_last_error());
            ck_assert_msg(strstr(p2p_last_error(), "no memory") != NULL, "%s", p2p_last_error());
            ck_assert_ptr_null(t);
        }
        ck_assert_int_lt(n, 1000);
    }
    ck_assert_int_gt(n, 5);
    failing_memory_after(0);
    st = p2p_topology_measure(t, &figures);
    failing_memory_after(-1);
    /* A ring's eigenvalues need no memory. */
    ck_assert(st == P2P_ENOMEM || (st == P2P_OK && strcmp(p2p_topology_spec(t), "ring") == 0));
    p2p_topology_destroy(&t);
    if (calls[_i].text != NULL)
        unlink(path);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("topology without memory");
    TCase *tc = tcase_create("topology without memory");

    tcase_add_loop_test(tc, every_allocation_may_fail, 0, sizeof calls / sizeof *calls);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(s, tc);
    return run_suites(1, &s);
}
