/* Writing topologies: edge lists, DOT, GraphML. */
#include "topology/schedule.h"

#include "base/file.h"
#include "base/text.h"

#include <string.h>

/* A visit of every edge u < v, or of every directed one. */
typedef void edge_printer(const p2p_topology *self, size_t u, size_t v, double weight, FILE *stream);

/* Edges have directions, the same in every round. */
static int
is_directed(const p2p_topology *self)
{
    return self->schedule != NULL && (self->schedule->traits & P2P_TOPOLOGY_PUSH) != 0;
}

static void
each_edge(const p2p_topology *self, edge_printer *print, FILE *stream)
{
    for (size_t u = 0; u < self->nodes; u++)
        for (size_t k = self->start[u]; k < self->start[u + 1]; k++) {
            uint32_t v = self->peers[k];

            if (!is_directed(self)) {
                if (v > u)
                    print(self, u, v, self->weights[k], stream);
                continue;
            }
            size_t back = p2pi_topology_find(self, v, (uint32_t)u);

            if (self->schedule->table[back] > 0)
                print(self, u, v, self->schedule->table[back], stream);
        }
}

/* Rows whose w_uu a reader would not find by closing the row; one node has no other line. */
static void
each_odd_row(const p2p_topology *self, edge_printer *print, FILE *stream)
{
    for (size_t u = 0; u < self->nodes; u++)
        if (self->nodes == 1 || self->self[u] != 1.0 - p2pi_topology_row_sum(self, u))
            print(self, u, u, self->self[u], stream);
}

static void
print_weighted_line(const p2p_topology *self, size_t u, size_t v, double weight, FILE *stream)
{
    char text[32];

    (void)self;
    p2pi_text_real(text, sizeof text, weight);
    fprintf(stream, "%zu %zu %s\n", u, v, text);
}

static void
print_plain_line(const p2p_topology *self, size_t u, size_t v, double weight, FILE *stream)
{
    (void)self, (void)weight;
    fprintf(stream, "%zu %zu\n", u, v);
}

static void
print_list(const p2p_topology *self, int weighted, FILE *stream)
{
    fprintf(stream, "# %s: %zu nodes, %zu edges", self->spec, self->nodes, self->edges);
    fprintf(stream, weighted ? "; u v w_uv, mixing %s\n" : "; u v\n", self->mixing);
    for (size_t i = 0; i < self->nodes; i++)
        if (p2p_topology_node_name(self, i) != NULL)
            fprintf(stream, "# node %zu %s\n", i, p2p_topology_node_name(self, i));
    if (weighted)
        each_odd_row(self, print_weighted_line, stream);
    else if (self->nodes == 1 && self->names == NULL)
        fputs("# node 0 0\n", stream);
    each_edge(self, weighted ? print_weighted_line : print_plain_line, stream);
}

/* A text between double quotes of DOT. */
static void
print_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void
print_dot_edge(const p2p_topology *self, size_t u, size_t v, double weight, FILE *stream)
{
    char text[32];

    p2pi_text_real(text, sizeof text, weight);
    fprintf(stream, "    %zu %s %zu", u, is_directed(self) ? "->" : "--", v);
    if (self->schedule == NULL)
        fprintf(stream, " [w=%s]", text);
    fputs(";\n", stream);
}

static void
print_dot(const p2p_topology *self, FILE *stream)
{
    fputs(is_directed(self) ? "digraph " : "graph ", stream);
    print_quoted(self->spec, stream);
    fputs(" {\n    node [shape=circle];\n    overlap=false;\n", stream);
    for (size_t i = 0; i < self->nodes; i++) {
        fprintf(stream, "    %zu", i);
        if (p2p_topology_node_name(self, i) != NULL) {
            fputs(" [shape=box, style=rounded, label=", stream);
            print_quoted(p2p_topology_node_name(self, i), stream);
            fputc(']', stream);
        }
        fputs(";\n", stream);
    }
    each_edge(self, print_dot_edge, stream);
    fputs("}\n", stream);
}

/* A text as XML's character data. */
static void
print_escaped(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else if (*text == '&')
            fputs("&amp;", stream);
        else
            fputc(*text, stream);
    }
}

static void
print_graphml_edge(const p2p_topology *self, size_t u, size_t v, double weight, FILE *stream)
{
    char text[32];

    p2pi_text_real(text, sizeof text, weight);
    fprintf(stream, "    <edge source=\"%zu\" target=\"%zu\">", u, v);
    if (self->schedule == NULL)
        fprintf(stream, "<data key=\"w\">%s</data>", text);
    fputs("</edge>\n", stream);
}

static void
print_graphml(const p2p_topology *self, FILE *stream)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
          "  <key id=\"w\" for=\"edge\" attr.name=\"mixing-weight\" attr.type=\"double\"/>\n"
          "  <graph edgedefault=\"",
          stream);
    fputs(is_directed(self) ? "directed\">\n" : "undirected\">\n", stream);
    for (size_t i = 0; i < self->nodes; i++) {
        fprintf(stream, "    <node id=\"%zu\">", i);
        if (p2p_topology_node_name(self, i) != NULL) {
            fputs("<data key=\"label\">", stream);
            print_escaped(p2p_topology_node_name(self, i), stream);
            fputs("</data>", stream);
        }
        fputs("</node>\n", stream);
    }
    if (self->schedule == NULL)
        each_odd_row(self, print_graphml_edge, stream);
    each_edge(self, print_graphml_edge, stream);
    fputs("  </graph>\n</graphml>\n", stream);
}

void
p2p_topology_print(const p2p_topology *self, p2p_topology_format format, FILE *stream)
{
    switch (format) {
    case P2P_TOPOLOGY_EDGES:
    case P2P_TOPOLOGY_PLAIN:
        print_list(self, format == P2P_TOPOLOGY_EDGES && self->schedule == NULL, stream);
        break;
    case P2P_TOPOLOGY_DOT:
        print_dot(self, stream);
        break;
    case P2P_TOPOLOGY_GRAPHML:
        print_graphml(self, stream);
        break;
    }
}

p2p_status
p2p_topology_write(const p2p_topology *self, p2p_topology_format format, const char *path)
{
    p2pi_new_file file;
    p2p_status st = p2pi_file_begin(&file, path, 0644);

    if (st != P2P_OK)
        return st;
    p2p_topology_print(self, format, file.stream);
    return p2pi_file_commit(&file);
}
