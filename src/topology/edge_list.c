/*
 * Edge lists: a line an edge, "u v" or "u v w", nodes numbered from 0, '#' to the end of the line is a comment. With
 * weights "u u w" is w_uu. The comment "# node 3 Oslo" names node 3; other programs pass over it.
 */
#include "topology/graph_files.h"

#include "base/fail.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path;
    const char *at, *end; /* the line being read, without its comment */
    const char *comment, *comment_end;
    const char *rest, *last; /* the bytes behind it */
    size_t line;
    int weighted; /* of the first edge; -1: none yet */
    size_t nodes;
} list_reader;

static list_reader
reader_of(const char *path, const uint8_t *bytes, size_t len)
{
    list_reader r = { .path = path, .rest = (const char *)bytes, .weighted = -1 };

    r.last = r.rest + len;
    return r;
}

/* Move to the next line; 0 at the end. */
static int
next_line(list_reader *r)
{
    const char *stop;

    if (r->rest == r->last)
        return 0;
    stop = memchr(r->rest, '\n', (size_t)(r->last - r->rest));
    r->at = r->rest;
    r->comment_end = stop ? stop : r->last;
    r->rest = stop ? stop + 1 : r->last;
    r->line++;
    r->comment = memchr(r->at, '#', (size_t)(r->comment_end - r->at));
    r->end = r->comment ? r->comment : r->comment_end;
    return 1;
}

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of at .. end; 0 if there is none. */
static int
next_word(const char **at, const char *end, const char **word, size_t *len)
{
    while (*at < end && is_blank(**at))
        ++*at;
    *word = *at;
    while (*at < end && !is_blank(**at))
        ++*at;
    *len = (size_t)(*at - *word);
    return *len > 0;
}

/* What may be printed of a word of a broken file. */
static int
shown(const char *word, size_t len)
{
    size_t n = 0;

    while (n < len && n < 40 && isprint((unsigned char)word[n]))
        n++;
    return (int)n;
}

static int
read_node(const char *word, size_t len, uint32_t *node)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len; i++) {
        if (word[i] < '0' || word[i] > '9' || value > P2P_TOPOLOGY_NODES_MAX)
            return 0;
        value = 10 * value + (uint64_t)(word[i] - '0');
    }
    *node = (uint32_t)value;
    return len > 0 && value < P2P_TOPOLOGY_NODES_MAX;
}

static p2p_status
parse_node(list_reader *r, uint32_t *node)
{
    const char *word;
    size_t len;

    if (!next_word(&r->at, r->end, &word, &len))
        return p2p_fail(P2P_EPARSE, "%s:%zu: one node number; expected two, and perhaps a weight", r->path, r->line);
    if (!read_node(word, len, node))
        return p2p_fail(P2P_EPARSE, "%s:%zu: node \"%.*s\": expected a number from 0 to %d", r->path, r->line,
                        shown(word, len), word, P2P_TOPOLOGY_NODES_MAX - 1);
    return P2P_OK;
}

/* The weight behind the nodes u and v, NaN if there is none. The first edge decides whether all have one. */
static p2p_status
parse_weight(list_reader *r, uint32_t u, uint32_t v, double *weight)
{
    const char *word;
    char text[64], *stop;
    size_t len;
    int given = next_word(&r->at, r->end, &word, &len);

    *weight = NAN;
    if (r->weighted < 0)
        r->weighted = given;
    if (given != r->weighted)
        return p2p_fail(P2P_EPARSE, "%s:%zu: edge %u %u has %s weight, but the edges before it have %s", r->path,
                        r->line, u, v, given ? "a" : "no", given ? "none" : "one");
    if (!given)
        return P2P_OK;
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), word);
    *weight = strtod(text, &stop);
    if (len >= sizeof text || (size_t)(stop - text) != len || strpbrk(text, "xXnN") != NULL || !isfinite(*weight) ||
        (u != v && *weight <= 0))
        return p2p_fail(P2P_EPARSE, "%s:%zu: weight \"%.*s\": expected a number%s", r->path, r->line,
                        shown(word, len), word, u != v ? " above 0" : "");
    if (next_word(&r->at, r->end, &word, &len))
        return p2p_fail(P2P_EPARSE, "%s:%zu: \"%.*s\" behind the weight; expected the end of the line", r->path,
                        r->line, shown(word, len), word);
    return P2P_OK;
}

static p2p_status
parse_edge(list_reader *r, p2pi_edges *out)
{
    uint32_t u, v;
    double weight;
    p2p_status st;

    if ((st = parse_node(r, &u)) != P2P_OK || (st = parse_node(r, &v)) != P2P_OK ||
        (st = parse_weight(r, u, v, &weight)) != P2P_OK)
        return st;
    if (u == v && !r->weighted)
        return p2p_fail(P2P_EPARSE,
                        "%s:%zu: edge %u %u joins a node to itself; expected two different nodes, or a weight",
                        r->path, r->line, u, v);
    if ((st = r->weighted ? p2pi_edges_add_weighted(out, u, v, weight) : p2pi_edges_add(out, u, v)) != P2P_OK)
        return st;
    r->nodes = u >= r->nodes ? (size_t)u + 1 : r->nodes;
    r->nodes = v >= r->nodes ? (size_t)v + 1 : r->nodes;
    return p2pi_edges_set_line(out, (uint32_t)(r->line < UINT32_MAX ? r->line : UINT32_MAX));
}

/* The node and the name of a comment "# node N NAME"; 0 for any other comment. */
static int
naming_comment(const list_reader *r, uint32_t *node, const char **name, size_t *len)
{
    const char *at = r->comment, *word;

    if (at == NULL)
        return 0;
    at++;
    if (!next_word(&at, r->comment_end, &word, len) || *len != 4 || memcmp(word, "node", 4) != 0 ||
        !next_word(&at, r->comment_end, &word, len) || !read_node(word, *len, node) ||
        !next_word(&at, r->comment_end, name, len))
        return 0;
    *len = (size_t)(r->comment_end - *name);
    while (is_blank((*name)[*len - 1]))
        --*len;
    return *len <= P2PI_NAME_MAX && memchr(*name, '\0', *len) == NULL;
}

/* Names need the number of nodes, so they are a second walk over the bytes. */
static p2p_status
take_names(list_reader r, p2pi_edges *out)
{
    const char *name;
    uint32_t node;
    size_t len;
    p2p_status st = P2P_OK;

    while (st == P2P_OK && next_line(&r))
        if (naming_comment(&r, &node, &name, &len))
            st = p2pi_edges_name(out, node, name, len);
    return st;
}

p2p_status
p2pi_edge_list_parse(p2pi_edges *out, const char *path, const uint8_t *bytes, size_t len)
{
    list_reader r = reader_of(path, bytes, len);
    const char *ignored;
    size_t ignored_len;
    uint32_t node;
    p2p_status st = p2pi_edges_set_source(out, path);

    while (st == P2P_OK && next_line(&r)) {
        if (naming_comment(&r, &node, &ignored, &ignored_len) && node >= r.nodes)
            r.nodes = (size_t)node + 1;
        while (r.at < r.end && is_blank(*r.at))
            r.at++;
        if (r.at < r.end)
            st = parse_edge(&r, out);
    }
    if (st == P2P_OK && (st = p2pi_edges_set_nodes(out, r.nodes)) == P2P_OK)
        st = take_names(reader_of(path, bytes, len), out);
    return st;
}
