/* Edge lists, GraphML and matrices: what is read, what is refused and how, and that what is written reads back. */
#include "topology_helper.h"

#include "base/file.h"

#include <p2popt/array.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

static void
make_folder(void)
{
    strcpy(folder, "/tmp/p2popt-topology-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
remove_folder(void)
{
    static const char *const names[] = { "a.edges", "b.edges", "c.graphml", "w.npy", "x.dot" };
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

static const char *
path_of(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *
put(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

static p2p_topology *
read_text(const char *name, const char *text)
{
    p2p_topology *t;

    ck_ok(p2p_topology_read(&t, put(name, text), NULL, 0));
    check_sound(t);
    return t;
}

START_TEST(edge_lists_are_read)
{
    p2p_topology *t = read_text("a.edges", "# a triangle\n\n 0\t1 # first\r\n1 2\n2 0");

    ck_assert_str_eq(edges_text(t), "0-1 0-2 1-2");
    ck_assert_ptr_null(p2p_topology_node_name(t, 0));
    ck_assert_str_eq(p2p_topology_notice(t), "");
    p2p_topology_destroy(&t);
    t = read_text("a.edges", "#node 2  Rio de Janeiro \r\n# node 0 Oslo\n# node x\n0 1\n1 2\n2 1\n0 1\n");
    ck_assert_str_eq(p2p_topology_node_name(t, 0), "Oslo");
    ck_assert_ptr_null(p2p_topology_node_name(t, 1));
    ck_assert_str_eq(p2p_topology_node_name(t, 2), "Rio de Janeiro");
    ck_assert_str_eq(p2p_topology_notice(t), "2 repeated edges merged");
    p2p_topology_destroy(&t);
    t = read_text("a.edges", "# node 0 alone\n");
    ck_assert_uint_eq(p2p_topology_size(t), 1);
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(edge_lists_carry_weights)
{
    p2p_topology *t = read_text("a.edges", "0 1 0.25\n1 2 2.5e-1\n1 0 .25\n2 2 0.75\n");

    ck_assert(weight_of(t, 0, 1) == 0.25 && weight_of(t, 0, 0) == 0.75 && weight_of(t, 1, 1) == 0.5);
    ck_assert_str_eq(p2p_topology_mixing(t), "auto");
    p2p_topology_destroy(&t);
    /* A rule that is named replaces the weights. */
    ck_ok(p2p_topology_read(&t, path_of("a.edges"), "metropolis", 0));
    ck_assert(weight_of(t, 0, 1) == 1.0 / 3);
    p2p_topology_destroy(&t);
    /* A negative w_ii is fine as long as W does not amplify: here the eigenvalues are 1, 0.4 and -0.8. */
    t = read_text("a.edges", "0 1 0.6\n1 2 0.6\n");
    check_close(weight_of(t, 1, 1), -0.2, 1e-15);
    p2p_topology_destroy(&t);
}
END_TEST

static const struct {
    const char *text, *sentence;
} bad_lists[] = {
    { "", "a.edges: no nodes" },
    { "# nothing\n", "a.edges: no nodes" },
    { "0 1\n2\n", "a.edges:2: one node number; expected two, and perhaps a weight" },
    { "0 1\n\n1 x\n", "a.edges:3: node \"x\": expected a number from 0 to 16777215" },
    { "0 -1\n", "a.edges:1: node \"-1\": expected a number" },
    { "0 16777216\n", "a.edges:1: node \"16777216\": expected a number from 0 to 16777215" },
    { "0 99999999999999999999999999\n", "a.edges:1: node \"99999999999999999999999999\"" },
    { "0 1.0\n", "a.edges:1: node \"1.0\"" },
    { "0 1 0.5\n1 2\n", "a.edges:2: edge 1 2 has no weight, but the edges before it have one" },
    { "0 1\n1 2 0.5\n", "a.edges:2: edge 1 2 has a weight, but the edges before it have none" },
    { "0 1 0.5 7\n", "a.edges:1: \"7\" behind the weight; expected the end of the line" },
    { "0 1 nan\n", "a.edges:1: weight \"nan\": expected a number above 0" },
    { "0 1 inf\n", "a.edges:1: weight \"inf\"" },
    { "0 1 1e999\n", "a.edges:1: weight \"1e999\"" },
    { "0 1 0x1p-2\n", "a.edges:1: weight \"0x1p-2\"" },
    { "0 1 0\n", "a.edges:1: weight \"0\": expected a number above 0" },
    { "0 1 -0.5\n", "a.edges:1: weight \"-0.5\": expected a number above 0" },
    { "0 1 0.5x\n", "a.edges:1: weight \"0.5x\"" },
    { "0 0\n", "a.edges:1: edge 0 0 joins a node to itself" },
    { "0 1 0.5\n1 2 0.25\n2 1 0.5\n",
      "a.edges:3: edge 2 1 has weight 0.5, but line 2 gives 0.25; W must be symmetric" },
    { "0 1 0.5\n0 0 0.5\n1 1 0.6\n", "a.edges: row 1 sums to 1.1; expected 1 within 1e-12" },
    { "0 1 0.9\n1 2 0.9\n",
      "a.edges: row 1: the weights of its edges sum to 1.8, which leaves W the eigenvalue -1.7" },
    { "0 1\n2 3\n1 0\n",
      "a.edges: not connected: node 2 cannot be reached from node 0; 2 components, the largest has 2 of 4 nodes" },
    { "1 2\n2 3\n", "a.edges: not connected: node 0 has no edge; nodes are numbered from 0" },
    { "0 1\n1 16777215\n", "a.edges: not connected: 2 edges cannot join 16777216 nodes" },
};

START_TEST(bad_edge_lists_are_refused)
{
    p2p_topology *t = (p2p_topology *)1;
    const char *path = put("a.edges", bad_lists[_i].text);

    ck_assert_msg(p2p_topology_read(&t, path, NULL, 0) != P2P_OK, "accepted: %s", bad_lists[_i].text);
    ck_assert_msg(strncmp(p2p_last_error(), folder, strlen(folder)) == 0 &&
                      strncmp(p2p_last_error() + strlen(folder) + 1, bad_lists[_i].sentence,
                              strlen(bad_lists[_i].sentence)) == 0,
                  "sentence \"%s\", expected \"%s\"", p2p_last_error(), bad_lists[_i].sentence);
    ck_assert_ptr_null(t);
}
END_TEST

START_TEST(the_largest_component_may_be_taken)
{
    const char *path = put("a.edges", "# node 3 c\n# node 9 x\n1 3\n3 5\n5 1\n0 2\n7 8\n");
    p2p_topology *t;
    char spec[160];

    ck_ok(p2p_topology_read(&t, path, NULL, 1));
    ck_assert_str_eq(edges_text(t), "0-1 0-2 1-2");
    ck_assert_str_eq(p2p_topology_node_name(t, 1), "c");
    ck_assert_str_eq(p2p_topology_notice(t), "7 nodes of smaller components left out");
    p2p_topology_destroy(&t);
    snprintf(spec, sizeof spec, "file:%s,component=largest", path);
    t = topology_of(spec, NULL, 3);
    ck_assert_uint_eq(p2p_topology_size(t), 3);
    ck_assert_str_eq(p2p_topology_spec(t), spec);
    p2p_topology_destroy(&t);
    ck_fails(p2p_topology_new(&t, spec, NULL, 4, 1), P2P_EINVAL, "3 nodes, but 4 are asked for");
}
END_TEST

START_TEST(real_graphml_files_are_read)
{
    static const struct {
        const char *file, *sample, *name;
        size_t node;
    } real[] = { { "Abilene", "sample:abilene", "Indianapolis", 10 }, { "Geant2012", "sample:geant2012", "NL", 0 } };
    p2p_topology_figures f, g;
    p2p_topology *t, *sample = topology_of(real[_i].sample, NULL, 0);
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/unit/topology/data/%s.graphml", getenv("SRCDIR") ? getenv("SRCDIR") : ".",
             real[_i].file);
    ck_ok(p2p_topology_read(&t, path, NULL, 0));
    check_sound(t);
    ck_ok(p2p_topology_measure(t, &f));
    ck_ok(p2p_topology_measure(sample, &g));
    ck_assert_uint_eq(f.nodes, g.nodes);
    ck_assert_uint_eq(f.edges, g.edges);
    ck_assert_uint_eq(f.diameter, g.diameter);
    check_close(f.gap, g.gap, 1e-14);
    ck_assert_str_eq(p2p_topology_node_name(t, real[_i].node), real[_i].name);
    p2p_topology_destroy(&t);
    p2p_topology_destroy(&sample);
}
END_TEST

#define GRAPH(body) "<graphml><graph edgedefault=\"undirected\">" body "</graph></graphml>"

START_TEST(graphml_is_read)
{
    p2p_topology *t = read_text(
        "c.graphml",
        "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- made by hand -->\n"
        "<g:graphml xmlns:g=\"http://graphml.graphdrawing.org/xmlns\">"
        "<g:key id=\"k1\" for=\"node\" attr.name=\"label\"/><g:key id=\"k2\" for=\"all\" attr.name=\"name\"/>"
        "<g:key id=\"k3\" for=\"edge\" attr.name=\"label\"/>"
        "<g:graph edgedefault=\"directed\">"
        "<g:edge source=\"n3\" target=\"a\"><g:data key=\"k3\">not a node's</g:data></g:edge>"
        "<g:node id=\"n3\"><g:data key=\"k1\">A &amp; B</g:data><g:data key=\"k2\">other</g:data></g:node>"
        "<g:node id=\"a\"><g:data key=\"k2\">by name\nhere</g:data></g:node><g:node id=\"b\"/>"
        "<g:edge source=\"a\" target=\"n3\"/><g:edge source=\"b\" target=\"b\"/><g:edge source=\"b\" target=\"a\"/>"
        "</g:graph></g:graphml>");

    ck_assert_str_eq(edges_text(t), "0-1 1-2");
    ck_assert_str_eq(p2p_topology_node_name(t, 0), "A & B");
    ck_assert_str_eq(p2p_topology_node_name(t, 1), "by name here");
    ck_assert_str_eq(p2p_topology_node_name(t, 2), "b");
    ck_assert_str_eq(p2p_topology_notice(t),
                     "1 repeated edge merged, 1 loop dropped, directed edges taken as undirected");
    p2p_topology_destroy(&t);
    t = read_text("c.graphml", GRAPH("<node id=\"0\"/><node id=\"1\"/><edge source=\"0\" target=\"1\"/>"));
    ck_assert_ptr_null(p2p_topology_node_name(t, 0));
    p2p_topology_destroy(&t);
}
END_TEST

static const struct {
    const char *text, *sentence;
} bad_graphml[] = {
    { "<graph/>", "c.graphml:1: <graph>: expected <graphml>" },
    { "<graphml>\n<graph>\n", "c.graphml:3: no element found" },
    { "<graphml>\n<graph>\n</graphml>", "c.graphml:3: mismatched tag" },
    { "<graphml/>", "c.graphml: no graph in the file" },
    { GRAPH(""), "c.graphml: no nodes" },
    { "<graphml><graph/>\n<graph/></graphml>", "c.graphml:2: a second graph" },
    { GRAPH("<node id=\"0\"><graph/></node>"), "c.graphml:1: a nested graph" },
    { GRAPH("<node/>"), "c.graphml:1: node 0 has no id" },
    { GRAPH("<node id=\"0\"/>\n<edge source=\"0\"/>"), "c.graphml:2: edge 0 has no target" },
    { GRAPH("<node id=\"0\"/>\n<edge source=\"0\" target=\"x\"/>"),
      "c.graphml:2: edge to node \"x\", which the file does not have" },
    { GRAPH("<node id=\"0\"/><node id=\"0\"/>"), "c.graphml: two nodes have the id \"0\"" },
    { GRAPH("\n<hyperedge/>"), "c.graphml:2: a hyperedge: expected edges of two nodes" },
    { GRAPH("<node id=\"0\"/><node id=\"1\"/>"), "c.graphml: not connected" },
    { "<!DOCTYPE g [\n<!ENTITY a \"aa\">]><graphml>&a;</graphml>", "c.graphml:2: entity \"a\" is declared" },
    { "<!DOCTYPE g [<!ENTITY % a SYSTEM \"file:///etc/passwd\"> %a;]><graphml/>",
      "c.graphml:1: entity \"a\" is declared" },
    { "<graphml>&b;</graphml>", "c.graphml:1: undefined entity" },
    { "<graphml><key id=\"w\" for=\"edge\" attr.name=\"mixing-weight\"/><graph><node id=\"0\"/><node id=\"1\"/>"
      "<edge source=\"0\" target=\"1\"><data key=\"w\">half</data></edge></graph></graphml>",
      "c.graphml:1: mixing-weight \"half\": expected a number" },
    { "<graphml><key id=\"w\" for=\"edge\" attr.name=\"mixing-weight\"/><graph><node id=\"0\"/><node id=\"1\"/>\n"
      "<edge source=\"0\" target=\"1\"><data key=\"w\">0.5</data></edge>\n<edge source=\"1\" "
      "target=\"0\"/></graph></graphml>",
      "c.graphml:3: the edge has no mixing-weight, but the first edge has one" },
};

START_TEST(bad_graphml_is_refused)
{
    p2p_topology *t = (p2p_topology *)1;
    const char *path = put("c.graphml", bad_graphml[_i].text);

    ck_assert_msg(p2p_topology_read(&t, path, NULL, 0) != P2P_OK, "accepted: %s", bad_graphml[_i].text);
    ck_assert_msg(strstr(p2p_last_error(), bad_graphml[_i].sentence) != NULL, "sentence \"%s\", expected \"%s\"",
                  p2p_last_error(), bad_graphml[_i].sentence);
    ck_assert_ptr_null(t);
}
END_TEST

START_TEST(graphml_has_bounds)
{
    char *text = malloc(1 << 16), *at = text + sprintf(text, "<graphml>");
    p2p_topology *t;

    for (int depth = 0; depth < 1000; depth++)
        at += sprintf(at, "<a>");
    ck_fails(p2p_topology_read(&t, put("c.graphml", text), NULL, 0), P2P_EPARSE, "elements nested deeper than 64");
    at = text +
         sprintf(text,
                 "<graphml><key id=\"n\" for=\"node\" attr.name=\"label\"/><graph><node id=\"0\"><data key=\"n\">");
    memset(at, 'x', 1000);
    strcpy(at + 1000, "</data></node></graph></graphml>");
    ck_fails(p2p_topology_read(&t, put("c.graphml", text), NULL, 0), P2P_EPARSE, "longer than 255 bytes");
    free(text);
}
END_TEST

static const char *
put_matrix(size_t rows, size_t cols, const double *entries)
{
    p2p_array array = { .data = (void *)entries, .rows = rows, .cols = cols, .axes = 2, .type = P2P_F64 };

    ck_ok(p2p_array_write(&array, path_of("w.npy")));
    return path_of("w.npy");
}

START_TEST(matrices_are_read)
{
    const double w[] = { 0.75, 0.25, 0, 0.25, 0.5, 0.25, 0, 0.25, 0.75 };
    const double odd[] = { 0.75, 0.25, 0, 0.25, 0.5, 0.5, 0, 0.25, 0.75 };
    const double sums[] = { 0.5, 0.25, 0.25, 0.5 }, nan[] = { 0.5, NAN, NAN, 0.5 }, apart[] = { 1, 0, 0, 1 };
    p2p_topology *t;

    ck_ok(p2p_topology_read(&t, put_matrix(3, 3, w), NULL, 0));
    ck_assert_str_eq(edges_text(t), "0-1 1-2");
    ck_assert(weight_of(t, 0, 0) == 0.75 && weight_of(t, 1, 2) == 0.25);
    p2p_topology_destroy(&t);
    ck_fails(p2p_topology_read(&t, put_matrix(3, 3, odd), NULL, 0), P2P_EINVAL,
             "row 1, column 2 is 0.5, but row 2, column 1 is 0.25; W must be symmetric");
    ck_fails(p2p_topology_read(&t, put_matrix(2, 2, sums), NULL, 0), P2P_EINVAL,
             "row 0 sums to 0.75; expected 1 within 1e-12");
    ck_fails(p2p_topology_read(&t, put_matrix(2, 2, nan), NULL, 0), P2P_EINVAL, "row 0, column 1 is nan");
    ck_fails(p2p_topology_read(&t, put_matrix(2, 2, apart), NULL, 0), P2P_EINVAL, "not connected");
    ck_fails(p2p_topology_read(&t, put_matrix(3, 2, w), NULL, 0), P2P_EINVAL,
             "3 x 2 entries; expected a square matrix");
}
END_TEST

START_TEST(weights_may_come_from_a_file)
{
    char mixing[160];
    p2p_topology *t;

    snprintf(mixing, sizeof mixing, "file:%s", put("a.edges", "0 1 0.25\n1 2 0.5\n"));
    t = topology_of("path", mixing, 3);
    ck_assert(weight_of(t, 1, 2) == 0.5 && weight_of(t, 0, 0) == 0.75);
    p2p_topology_destroy(&t);
    ck_fails(p2p_topology_new(&t, "ring", mixing, 3, 1), P2P_EINVAL, "no weight for edge 0 2 of the topology");
    ck_fails(p2p_topology_new(&t, "star", mixing, 3, 1), P2P_EINVAL, "no weight for edge 0 2 of the topology");
    ck_fails(p2p_topology_new(&t, "path", mixing, 4, 1), P2P_EINVAL, "W has 3 rows; expected 4, one a node");
    put("a.edges", "0 1 0.25\n1 2 0.25\n0 2 0.25\n");
    ck_fails(p2p_topology_new(&t, "path", mixing, 3, 1), P2P_EINVAL,
             "weight for 0 2, which is not an edge of the topology");
    put("a.edges", "0 1\n1 2\n");
    ck_fails(p2p_topology_new(&t, "path", mixing, 3, 1), P2P_EINVAL, "the edges have no weights; expected u v w");
    ck_fails(p2p_topology_new(&t, "path", "file:", 3, 1), P2P_EINVAL, "the path is missing");
    ck_fails(p2p_topology_new(&t, "path", "file:/nowhere.edges", 3, 1), P2P_EIO, "/nowhere.edges: cannot be read");
}
END_TEST

static const struct {
    const char *spec, *mixing;
    size_t nodes;
} written[] = {
    { "ring", "metropolis", 1 },         { "ring", "metropolis", 2 },
    { "star", "best-constant", 9 },      { "sample:abilene", "lazy:stay=0.3", 0 },
    { "erdos-renyi", "metropolis", 50 }, { "sample:karate", "best-constant", 0 },
};

static void
check_reads_back(const p2p_topology *t, p2p_topology_format format, const char *name)
{
    p2p_topology *back;

    ck_ok(p2p_topology_write(t, format, path_of(name)));
    ck_ok(p2p_topology_read(&back, path_of(name), NULL, 0));
    ck_assert_uint_eq(p2p_topology_hash(back), p2p_topology_hash(t));
    for (size_t i = 0; i < p2p_topology_size(t); i++)
        ck_assert_pstr_eq(p2p_topology_node_name(back, i), p2p_topology_node_name(t, i));
    p2p_topology_destroy(&back);
}

START_TEST(what_is_written_reads_back)
{
    p2p_topology *t = topology_of(written[_i].spec, written[_i].mixing, written[_i].nodes), *back;

    check_reads_back(t, P2P_TOPOLOGY_EDGES, "b.edges");
    check_reads_back(t, P2P_TOPOLOGY_GRAPHML, "c.graphml");
    ck_ok(p2p_topology_write(t, P2P_TOPOLOGY_PLAIN, path_of("b.edges")));
    ck_ok(p2p_topology_read(&back, path_of("b.edges"), written[_i].mixing, 0));
    ck_assert_uint_eq(p2p_topology_hash(back), p2p_topology_hash(t));
    p2p_topology_destroy(&back);
    p2p_topology_destroy(&t);
}
END_TEST

/* A diagonal that closing the rows would not give to the bit is written out. */
START_TEST(odd_diagonals_read_back)
{
    const double w[] = { 0.7000000000000001, 0.3, 0.3, 0.7 };
    p2p_topology *t;

    ck_ok(p2p_topology_read(&t, put_matrix(2, 2, w), NULL, 0));
    check_reads_back(t, P2P_TOPOLOGY_EDGES, "b.edges");
    check_reads_back(t, P2P_TOPOLOGY_GRAPHML, "c.graphml");
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(dot_is_quoted)
{
    p2p_topology *t = read_text("a.edges", "# node 0 a \"b\" \\ c\n0 1 0.5\n");
    uint8_t *text;
    size_t len;

    ck_ok(p2p_topology_write(t, P2P_TOPOLOGY_DOT, path_of("x.dot")));
    ck_ok(p2pi_file_read(path_of("x.dot"), 10000, &text, &len));
    ck_assert_ptr_nonnull(strstr((char *)text, "label=\"a \\\"b\\\" \\\\ c\""));
    ck_assert_ptr_nonnull(strstr((char *)text, "    0 -- 1 [w=0.5];\n"));
    free(text);
    p2p_topology_destroy(&t);
    ck_fails(p2p_topology_read(&t, path_of("x.dot"), NULL, 0), P2P_ENOTSUP, "DOT is written, not read");
}
END_TEST

START_TEST(files_that_are_not_there)
{
    p2p_topology *t;

    ck_fails(p2p_topology_read(&t, path_of("none"), NULL, 0), P2P_EIO, "none: cannot be read: No such file");
    ck_fails(p2p_topology_read(&t, folder, NULL, 0), P2P_EIO, "cannot be read: Is a directory");
    ck_fails(p2p_topology_new(&t, "file:", NULL, 0, 1), P2P_EINVAL, "the path is missing; expected file:PATH");
    ck_fails(p2p_topology_new(&t, "file:x,y", NULL, 0, 1), P2P_EPARSE,
             "unknown option \"y\"; allowed: path, component");
    ck_fails(p2p_topology_new(&t, "sample:nothing", NULL, 0, 1), P2P_EINVAL, "expected one of: abilene, africa");
    ck_fails(p2p_topology_new(&t, "sample:../topologies/karate", NULL, 0, 1), P2P_EINVAL, "is not installed");
    /* Installed ones are found by name. */
    t = topology_of("file:karate", NULL, 34);
    ck_assert_str_eq(p2p_topology_spec(t), "file:karate");
    p2p_topology_destroy(&t);
    t = topology_of("sample:name=karate.edges", NULL, 34);
    ck_assert_str_eq(p2p_topology_spec(t), "sample:karate.edges");
    p2p_topology_destroy(&t);
}
END_TEST

Suite *
graph_files_suite(void)
{
    Suite *s = suite_create("graph files");
    TCase *tc = tcase_create("graph files");

    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, edge_lists_are_read);
    tcase_add_test(tc, edge_lists_carry_weights);
    tcase_add_loop_test(tc, bad_edge_lists_are_refused, 0, sizeof bad_lists / sizeof *bad_lists);
    tcase_add_test(tc, the_largest_component_may_be_taken);
    tcase_add_loop_test(tc, real_graphml_files_are_read, 0, 2);
    tcase_add_test(tc, graphml_is_read);
    tcase_add_loop_test(tc, bad_graphml_is_refused, 0, sizeof bad_graphml / sizeof *bad_graphml);
    tcase_add_test(tc, graphml_has_bounds);
    tcase_add_test(tc, matrices_are_read);
    tcase_add_test(tc, weights_may_come_from_a_file);
    tcase_add_loop_test(tc, what_is_written_reads_back, 0, sizeof written / sizeof *written);
    tcase_add_test(tc, odd_diagonals_read_back);
    tcase_add_test(tc, dot_is_quoted);
    tcase_add_test(tc, files_that_are_not_there);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return s;
}
