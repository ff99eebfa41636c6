/* The swarm description: in memory, as a file, and everything a file can get wrong. */
#include "runner.h"

#include <p2popt/swarm.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void
setup(void)
{
    int fd;

    strcpy(path, "/tmp/p2popt-swarm-XXXXXX");
    fd = mkstemp(path);
    ck_assert(fd >= 0);
    close(fd);
}

static void
teardown(void)
{
    unlink(path);
}

static void
put(const char *text)
{
    FILE *f = fopen(path, "w");

    ck_assert(f != NULL);
    fputs(text, f);
    fclose(f);
}

#define KEY_A "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define KEY_B "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

START_TEST(defaults_and_values)
{
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    ck_assert_str_eq(p2p_swarm_get(s, "method"), "cold");
    ck_assert_str_eq(p2p_swarm_get(s, "dtype"), "f64");
    ck_assert_str_eq(p2p_swarm_get(s, "tolerance"), "0");
    ck_assert_ptr_null(p2p_swarm_get(s, "methd"));
    ck_ok(p2p_swarm_set(s, "tolerance", "1e-10"));
    ck_ok(p2p_swarm_set(s, "rounds", "77"));
    ck_assert_str_eq(p2p_swarm_get(s, "tolerance"), "1e-10");
    ck_assert_str_eq(p2p_swarm_get(s, "rounds"), "77");
    p2p_swarm_destroy(&s);
    ck_assert_ptr_null(s);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(every_default_is_a_value)
{
    const p2p_option *o = p2p_swarm_options();
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    for (; o->key != NULL; o++) {
        ck_assert_ptr_nonnull(o->help);
        ck_ok(p2p_swarm_set(s, o->key, p2p_swarm_get(s, o->key)));
    }
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(bad_values_say_what_is_allowed)
{
    static const struct {
        const char *key, *value, *sentence;
        p2p_status status;
    } bad[] = {
        { "methd", "cold", "key \"methd\": unknown; allowed: name, topology, mixing, method,", P2P_EPARSE },
        { "rounds", "0", "rounds=0: expected an integer from 1 to 4000000000", P2P_EINVAL },
        { "rounds", "many", "rounds=many: expected an integer", P2P_EINVAL },
        { "tolerance", "-1", "tolerance=-1: expected a number of at least 0", P2P_EINVAL },
        { "tolerance", "nan", "tolerance=nan: expected a number", P2P_EINVAL },
        { "dtype", "f16", "dtype=f16: expected one of f32|f64", P2P_EINVAL },
        { "security", "off", "security=off: expected one of curve|none|insecure", P2P_EINVAL },
        { "seed", "-1", "seed=-1: expected an integer", P2P_EINVAL },
        { "name", "a\nb", "expected printable characters", P2P_EINVAL },
        { "aggregator", "meen", "aggregator \"meen\": unknown; expected one of: mean", P2P_EPARSE },
        { "problem", "logistik", "problem \"logistik\": unknown; expected one of:", P2P_EPARSE },
    };
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    ck_fails(p2p_swarm_set(s, bad[_i].key, bad[_i].value), bad[_i].status, bad[_i].sentence);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(nodes_are_checked)
{
    const p2p_topology *t;
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    ck_fails(p2p_swarm_add(s, "udp://1.2.3.4:5", NULL), P2P_EINVAL, "expected tcp://HOST:PORT or ipc://PATH");
    ck_fails(p2p_swarm_add(s, "tcp://host", NULL), P2P_EINVAL, "node 0: endpoint \"tcp://host\"");
    ck_fails(p2p_swarm_add(s, "tcp://a:1", "short"), P2P_EINVAL, "expected a public key, 40 characters of Z85");
    ck_ok(p2p_swarm_add(s, "tcp://a:1", KEY_A));
    ck_ok(p2p_swarm_add(s, "ipc:///tmp/x", KEY_B));
    ck_assert_uint_eq(p2p_swarm_size(s), 2);
    ck_assert_str_eq(p2p_swarm_endpoint(s, 1), "ipc:///tmp/x");
    ck_assert_str_eq(p2p_swarm_public_key(s, 0), KEY_A);
    ck_assert_ptr_null(p2p_swarm_endpoint(s, 2));
    ck_assert_ptr_null(p2p_swarm_public_key(s, 2));
    ck_ok(p2p_swarm_add(s, "tcp://a:1", NULL));
    ck_fails(p2p_swarm_topology(s, &t), P2P_EINVAL, "node 2: endpoint \"tcp://a:1\" is that of node 0");
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(a_description_in_use_is_fixed)
{
    const p2p_topology *t, *again;
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    for (int i = 0; i < 5; i++)
        ck_ok(p2p_swarm_add(s, NULL, NULL));
    ck_ok(p2p_swarm_topology(s, &t));
    ck_ok(p2p_swarm_topology(s, &again));
    ck_assert_ptr_eq(t, again);
    ck_assert_uint_eq(p2p_topology_size(t), 5);
    ck_fails(p2p_swarm_set(s, "seed", "2"), P2P_EINVAL, "in use");
    ck_fails(p2p_swarm_add(s, NULL, NULL), P2P_EINVAL, "in use");
    ck_fails(p2p_swarm_write(s, path), P2P_EINVAL, "node 0 has no endpoint");
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(the_spec_may_count_the_nodes)
{
    const p2p_topology *t;
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    ck_ok(p2p_swarm_set(s, "topology", "torus:rows=3,cols=4"));
    ck_ok(p2p_swarm_topology(s, &t));
    ck_assert_uint_eq(p2p_swarm_size(s), 12);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(what_is_written_reads_back)
{
    const p2p_option *o = p2p_swarm_options();
    p2p_swarm *s, *read;

    ck_ok(p2p_swarm_new(&s));
    ck_ok(p2p_swarm_set(s, "name", "a \"quoted\" \\ name: # 1"));
    ck_ok(p2p_swarm_set(s, "tolerance", "1e-10"));
    ck_ok(p2p_swarm_set(s, "security", "none"));
    ck_ok(p2p_swarm_add(s, "tcp://127.0.0.1:7000", KEY_A));
    ck_ok(p2p_swarm_add(s, "tcp://[::1]:7001", KEY_B));
    ck_ok(p2p_swarm_write(s, path));
    ck_ok(p2p_swarm_read(&read, path));
    for (; o->key != NULL; o++)
        ck_assert_str_eq(p2p_swarm_get(read, o->key), p2p_swarm_get(s, o->key));
    ck_assert_uint_eq(p2p_swarm_size(read), 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(p2p_swarm_endpoint(read, i), p2p_swarm_endpoint(s, i));
        ck_assert_str_eq(p2p_swarm_public_key(read, i), p2p_swarm_public_key(s, i));
    }
    p2p_swarm_destroy(&read);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(bad_files_name_the_line)
{
    static const struct {
        const char *text, *sentence;
        p2p_status status;
    } bad[] = {
        { "", ":1: expected keys", P2P_EPARSE },
        { "- a\n- b\n", ":1: expected keys", P2P_EPARSE },
        { "method: cold\nmethd: cold\n", ":2: description: key \"methd\": unknown; allowed: name, ", P2P_EPARSE },
        { "methd: cold\n", ", report-every, nodes", P2P_EPARSE },
        { "rounds: 10\n\nrounds: 11\n", ":3: key \"rounds\" is given twice, first in line 1", P2P_EPARSE },
        { "name: x\nrounds: -3\n", ":2: description \"swarm\": rounds=-3: expected an integer", P2P_EINVAL },
        { "name: x\ndata: [a, b]\n", ":2: expected one value", P2P_EPARSE },
        { "name: *x\n", ":1: expected one value", P2P_EPARSE },
        { "[a]: b\n", ":1: expected a key", P2P_EPARSE },
        { "nodes: 3\n", ":1: expected a list of nodes", P2P_EPARSE },
        { "nodes:\n  - tcp://a:1\n", ":2: expected a node", P2P_EPARSE },
        { "nodes:\n  - endpoint: tcp://a:1\n    port: 5\n",
          ":3: node 0: key \"port\": unknown; allowed: endpoint, key", P2P_EPARSE },
        { "nodes:\n  - endpoint: x\n", ":2: node 0: endpoint \"x\": expected tcp://", P2P_EINVAL },
        { "nodes:\n  - key: \"" KEY_A "\"\n", ":2: node 0 has no endpoint", P2P_EPARSE },
        { "nodes:\n  - endpoint: tcp://a:1\n    endpoint: tcp://a:2\n", ":3: node 0: \"endpoint\" is given twice",
          P2P_EPARSE },
        { "nodes:\n  - endpoint: tcp://a:1\n    key: abc\n", ":2: node 0: key \"abc\": expected a public key",
          P2P_EINVAL },
        { "nodes:\n  - endpoint: tcp://a:1\nnodes:\n  - endpoint: tcp://a:2\n", ":3: key \"nodes\" is given twice",
          P2P_EPARSE },
        { "name: x\n---\nname: y\n", ":2: expected one document", P2P_EPARSE },
        { "name: x\n  y: z\n", ":2: ", P2P_EPARSE },
        { "name: \"unfinished\n", ": ", P2P_EPARSE },
        { "name: \xff\xfe\n", ": ", P2P_EPARSE },
    };
    p2p_swarm *s;

    put(bad[_i].text);
    ck_fails(p2p_swarm_read(&s, path), bad[_i].status, bad[_i].sentence);
    ck_assert_ptr_null(s);
    ck_assert_msg(strncmp(p2p_last_error(), path, strlen(path)) == 0, "\"%s\" does not begin with the file",
                  p2p_last_error());
}
END_TEST

START_TEST(later_faults_name_the_line_too)
{
    const p2p_topology *t;
    p2p_swarm *s;

    put("name: x\ntopology: rink\nnodes:\n  - endpoint: tcp://a:1\n");
    ck_ok(p2p_swarm_read(&s, path));
    ck_fails(p2p_swarm_topology(s, &t), P2P_EPARSE, ":2: topology \"rink\"");
    p2p_swarm_destroy(&s);
    put("nodes:\n  - endpoint: tcp://a:1\n  - endpoint: tcp://a:1\n");
    ck_ok(p2p_swarm_read(&s, path));
    ck_fails(p2p_swarm_topology(s, &t), P2P_EINVAL, ":3: node 1: endpoint \"tcp://a:1\" is that of node 0");
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(missing_files_are_told)
{
    p2p_swarm *s;

    ck_fails(p2p_swarm_read(&s, "/nonexistent/swarm.yaml"), P2P_EIO, "/nonexistent/swarm.yaml: cannot be read");
    ck_assert_ptr_null(s);
    ck_ok(p2p_swarm_new(&s));
    ck_fails(p2p_swarm_write(s, "/nonexistent/swarm.yaml"), P2P_EIO, "cannot be written");
    p2p_swarm_destroy(&s);
}
END_TEST

Suite *
swarm_suite(void)
{
    Suite *suite = suite_create("swarm");
    TCase *tc = tcase_create("description");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, defaults_and_values);
    tcase_add_test(tc, every_default_is_a_value);
    tcase_add_loop_test(tc, bad_values_say_what_is_allowed, 0, 11);
    tcase_add_test(tc, nodes_are_checked);
    tcase_add_test(tc, a_description_in_use_is_fixed);
    tcase_add_test(tc, the_spec_may_count_the_nodes);
    tcase_add_test(tc, what_is_written_reads_back);
    tcase_add_loop_test(tc, bad_files_name_the_line, 0, 21);
    tcase_add_test(tc, later_faults_name_the_line_too);
    tcase_add_test(tc, missing_files_are_told);
    suite_add_tcase(suite, tc);
    return suite;
}
