/*
 * GraphML through expat: one graph, its nodes by id, names from the data called label (or name), weights from the
 * edge data called mixing-weight. Entities cannot be declared, so nothing expands; nesting is bounded.
 */
#include "topology/graph_files.h"

#include "base/fail.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, KEY_MAX = 128 };

/* Meanings of data: the index of its key's id in the reader's `keys`. */
typedef enum { DATA_LABEL, DATA_NAME, DATA_WEIGHT, DATA_KINDS, DATA_OTHER = DATA_KINDS } data_kind;

typedef struct {
    size_t id, name; /* offsets in the pool; name 0: none */
    int labelled;    /* the name is a label: other data does not replace it */
} graphml_node;

typedef struct {
    size_t source, target; /* offsets of ids */
    double weight;         /* NaN: none */
    uint32_t line;
} graphml_edge;

typedef struct {
    XML_Parser parser;
    const char *path;
    p2p_status status;
    int depth, graphs, graph_depth, node_depth, edge_depth, data_depth;
    int directed;
    char keys[DATA_KINDS][KEY_MAX]; /* "": no such key */
    data_kind data;
    char text[P2PI_NAME_MAX + 1];
    size_t text_len;
    char *pool; /* texts, each with its NUL; the first is empty */
    size_t pool_len, pool_room;
    graphml_node *nodes;
    size_t node_count, node_room;
    graphml_edge *edges;
    size_t edge_count, edge_room;
} graphml_reader;

/* Stop parsing; the first failure wins. */
static void
stop(graphml_reader *r, p2p_status status)
{
    if (r->status == P2P_OK)
        r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

#define STOP(r, format, ...)                                                                                         \
    stop(r, p2p_fail(P2P_EPARSE, "%s:%lu: " format, (r)->path, (unsigned long)XML_GetCurrentLineNumber((r)->parser), \
                     __VA_ARGS__))

/* An array with room for one entry more, or NULL: the parser is stopped. */
static void *
room_for_one(graphml_reader *r, void *array, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? 2 * *room : 64;
    void *larger = array;

    if (count == *room) {
        if ((larger = realloc(array, wanted * size)) == NULL)
            stop(r, p2pi_fail_memory(r->path, wanted * size));
        else
            *room = wanted;
    }
    return larger;
}

/* Put a text into the pool; its offset, 0 on failure. */
static size_t
keep(graphml_reader *r, const char *text, size_t len)
{
    size_t at = r->pool_len, room = r->pool_room ? r->pool_room : 4096;
    char *larger;

    while (room - at < len + 1)
        room *= 2;
    if (room > r->pool_room) {
        if ((larger = realloc(r->pool, room)) == NULL) {
            stop(r, p2pi_fail_memory(r->path, room));
            return 0;
        }
        r->pool = larger;
        r->pool_room = room;
    }
    memcpy(r->pool + at, text, len);
    r->pool[at + len] = '\0';
    r->pool_len += len + 1;
    return at;
}

static const char *
attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static int
is_any(const char *text, const char *a, const char *b)
{
    return text != NULL && (strcmp(text, a) == 0 || strcmp(text, b) == 0);
}

/* <key id= for= attr.name=>: remember the ids of those that matter here. */
static void
start_key(graphml_reader *r, const XML_Char **attributes)
{
    const char *id = attribute(attributes, "id"), *name = attribute(attributes, "attr.name");
    const char *domain = attribute(attributes, "for");
    data_kind kind = DATA_OTHER;

    if (domain == NULL)
        domain = "all";
    if (id == NULL || name == NULL)
        return;
    if (is_any(domain, "node", "all") && is_any(name, "label", "Label"))
        kind = DATA_LABEL;
    else if (is_any(domain, "node", "all") && is_any(name, "name", "Name"))
        kind = DATA_NAME;
    else if (is_any(domain, "edge", "all") && strcmp(name, "mixing-weight") == 0)
        kind = DATA_WEIGHT;
    if (kind == DATA_OTHER)
        return;
    if (strlen(id) >= KEY_MAX)
        STOP(r, "key \"%.40s...\": the id is longer than %d bytes", id, KEY_MAX - 1);
    else
        strcpy(r->keys[kind], id);
}

static void
start_graph(graphml_reader *r, const XML_Char **attributes)
{
    const char *direction = attribute(attributes, "edgedefault");

    if (++r->graphs > 1)
        STOP(r, "%s graph; expected one graph that is not nested", r->graph_depth ? "a nested" : "a second");
    r->graph_depth = r->depth;
    r->directed |= direction != NULL && strcmp(direction, "directed") == 0;
}

static void
start_node(graphml_reader *r, const XML_Char **attributes)
{
    const char *id = attribute(attributes, "id");
    graphml_node *nodes;

    if (id == NULL) {
        STOP(r, "node %zu has no id", r->node_count);
        return;
    }
    if (strlen(id) > P2PI_NAME_MAX) {
        STOP(r, "node \"%.40s...\": the id is longer than %d bytes", id, P2PI_NAME_MAX);
        return;
    }
    if (r->node_count == P2P_TOPOLOGY_NODES_MAX) {
        STOP(r, "more than %d nodes", P2P_TOPOLOGY_NODES_MAX);
        return;
    }
    if ((nodes = room_for_one(r, r->nodes, r->node_count, &r->node_room, sizeof *nodes)) == NULL)
        return;
    r->nodes = nodes;
    r->nodes[r->node_count++] = (graphml_node){ .id = keep(r, id, strlen(id)) };
    r->node_depth = r->depth;
}

static void
start_edge(graphml_reader *r, const XML_Char **attributes)
{
    const char *source = attribute(attributes, "source"), *target = attribute(attributes, "target");
    const char *direction = attribute(attributes, "directed");
    graphml_edge *edges;

    if (source == NULL || target == NULL) {
        STOP(r, "edge %zu has no %s", r->edge_count, source == NULL ? "source" : "target");
        return;
    }
    if (r->edge_count == P2P_TOPOLOGY_EDGES_MAX) {
        STOP(r, "more than %d edges", P2P_TOPOLOGY_EDGES_MAX);
        return;
    }
    if ((edges = room_for_one(r, r->edges, r->edge_count, &r->edge_room, sizeof *edges)) == NULL)
        return;
    r->edges = edges;
    r->edges[r->edge_count++] = (graphml_edge){ keep(r, source, strlen(source)), keep(r, target, strlen(target)), NAN,
                                                (uint32_t)XML_GetCurrentLineNumber(r->parser) };
    r->edge_depth = r->depth;
    r->directed |= is_any(direction, "true", "1");
}

/* <data key=> directly in a node or an edge, if its key matters there. */
static void
start_data(graphml_reader *r, const XML_Char **attributes)
{
    const char *key = attribute(attributes, "key");
    int in_node = r->node_depth != 0 && r->depth == r->node_depth + 1;
    int in_edge = r->edge_depth != 0 && r->depth == r->edge_depth + 1;

    r->data = DATA_OTHER;
    for (int kind = 0; key != NULL && kind < DATA_KINDS; kind++)
        if (r->keys[kind][0] != '\0' && strcmp(r->keys[kind], key) == 0 && (kind == DATA_WEIGHT ? in_edge : in_node))
            r->data = (data_kind)kind;
    r->data_depth = r->depth;
    r->text_len = 0;
}

static const char *
local_name(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

static void XMLCALL
on_start(void *user, const XML_Char *qualified, const XML_Char **attributes)
{
    graphml_reader *r = user;
    const char *name = local_name(qualified);

    if (++r->depth > DEPTH_MAX)
        STOP(r, "elements nested deeper than %d", DEPTH_MAX);
    else if (r->depth == 1 && strcmp(name, "graphml") != 0)
        STOP(r, "<%.40s>: expected <graphml>", name);
    else if (strcmp(name, "hyperedge") == 0)
        STOP(r, "%s: expected edges of two nodes", "a hyperedge");
    else if (strcmp(name, "key") == 0)
        start_key(r, attributes);
    else if (strcmp(name, "graph") == 0)
        start_graph(r, attributes);
    else if (strcmp(name, "node") == 0 && r->depth == r->graph_depth + 1)
        start_node(r, attributes);
    else if (strcmp(name, "edge") == 0 && r->depth == r->graph_depth + 1)
        start_edge(r, attributes);
    else if (strcmp(name, "data") == 0)
        start_data(r, attributes);
}

static void XMLCALL
on_text(void *user, const XML_Char *text, int len)
{
    graphml_reader *r = user;

    if (r->data == DATA_OTHER || r->depth != r->data_depth)
        return;
    if ((size_t)len > P2PI_NAME_MAX - r->text_len) {
        STOP(r, "data of key \"%s\" is longer than %d bytes", r->keys[r->data], P2PI_NAME_MAX);
        return;
    }
    memcpy(r->text + r->text_len, text, (size_t)len);
    r->text_len += (size_t)len;
}

static void
take_name(graphml_reader *r)
{
    graphml_node *node = &r->nodes[r->node_count - 1];

    if (r->text_len == 0 || (r->data == DATA_NAME && node->labelled))
        return;
    node->name = keep(r, r->text, r->text_len);
    node->labelled = r->data == DATA_LABEL;
}

static void
take_weight(graphml_reader *r)
{
    char *end;

    r->text[r->text_len] = '\0';
    r->edges[r->edge_count - 1].weight = strtod(r->text, &end);
    if (end == r->text || *end != '\0' || !isfinite(r->edges[r->edge_count - 1].weight))
        STOP(r, "mixing-weight \"%.40s\": expected a number", r->text);
}

static void XMLCALL
on_end(void *user, const XML_Char *qualified)
{
    graphml_reader *r = user;

    (void)qualified;
    if (r->depth == r->data_depth) {
        if (r->data == DATA_WEIGHT)
            take_weight(r);
        else if (r->data != DATA_OTHER)
            take_name(r);
        r->data = DATA_OTHER;
        r->data_depth = 0;
    }
    if (r->depth == r->node_depth)
        r->node_depth = 0;
    if (r->depth == r->edge_depth)
        r->edge_depth = 0;
    if (r->depth == r->graph_depth)
        r->graph_depth = 0;
    r->depth--;
}

static void XMLCALL
on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int value_len,
          const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id, const XML_Char *notation)
{
    graphml_reader *r = user;

    (void)is_parameter, (void)value, (void)value_len, (void)base, (void)system_id, (void)public_id, (void)notation;
    STOP(r, "entity \"%.40s\" is declared; expected a file without entity declarations", name);
}

/* Everything read, by id. */
typedef struct {
    const char *id;
    uint32_t node;
} id_of_node;

static int
compare_ids(const void *a, const void *b)
{
    return strcmp(((const id_of_node *)a)->id, ((const id_of_node *)b)->id);
}

static p2p_status
node_of(const graphml_reader *r, const id_of_node *ids, const graphml_edge *edge, size_t id, uint32_t *node)
{
    id_of_node wanted = { r->pool + id, 0 };
    const id_of_node *found = r->node_count ? bsearch(&wanted, ids, r->node_count, sizeof *ids, compare_ids) : NULL;

    if (found == NULL)
        return p2p_fail(P2P_EPARSE, "%s:%u: edge to node \"%.80s\", which the file does not have", r->path,
                        edge->line, wanted.id);
    *node = found->node;
    return P2P_OK;
}

/* The graph's edges by node number. Weights are all there or none is. */
static p2p_status
take_edges(const graphml_reader *r, const id_of_node *ids, p2pi_edges *out)
{
    int weighted = r->edge_count > 0 && !isnan(r->edges[0].weight);
    p2p_status st = p2pi_edges_reserve(out, r->edge_count);

    out->drop_loops = !weighted;
    for (size_t e = 0; st == P2P_OK && e < r->edge_count; e++) {
        const graphml_edge *edge = &r->edges[e];
        uint32_t u, v;

        if ((st = node_of(r, ids, edge, edge->source, &u)) != P2P_OK ||
            (st = node_of(r, ids, edge, edge->target, &v)) != P2P_OK)
            return st;
        if (weighted != !isnan(edge->weight))
            return p2p_fail(P2P_EPARSE, "%s:%u: the edge has %s mixing-weight, but the first edge has %s", r->path,
                            edge->line, weighted ? "no" : "a", weighted ? "one" : "none");
        st = weighted ? p2pi_edges_add_weighted(out, u, v, edge->weight) : p2pi_edges_add(out, u, v);
        if (st == P2P_OK)
            st = p2pi_edges_set_line(out, edge->line);
    }
    return st;
}

/* Whether the ids say no more than the order of the nodes. */
static int
ids_are_numbers(const graphml_reader *r)
{
    char number[24];

    for (size_t i = 0; i < r->node_count; i++) {
        snprintf(number, sizeof number, "%zu", i);
        if (strcmp(r->pool + r->nodes[i].id, number) != 0)
            return 0;
    }
    return 1;
}

static p2p_status
take_names(const graphml_reader *r, p2pi_edges *out)
{
    int numbers = ids_are_numbers(r);
    p2p_status st = P2P_OK;

    for (size_t i = 0; st == P2P_OK && i < r->node_count; i++) {
        const char *name = r->pool + (r->nodes[i].name ? r->nodes[i].name : r->nodes[i].id);

        if (r->nodes[i].name != 0 || !numbers)
            st = p2pi_edges_name(out, i, name, strlen(name));
    }
    return st;
}

static p2p_status
build(const graphml_reader *r, p2pi_edges *out)
{
    id_of_node *ids;
    p2p_status st;

    if (r->graphs == 0)
        return p2p_fail(P2P_EPARSE, "%s: no graph in the file", r->path);
    if ((ids = malloc((r->node_count + 1) * sizeof *ids)) == NULL)
        return p2pi_fail_memory(r->path, r->node_count * sizeof *ids);
    for (size_t i = 0; i < r->node_count; i++)
        ids[i] = (id_of_node){ r->pool + r->nodes[i].id, (uint32_t)i };
    qsort(ids, r->node_count, sizeof *ids, compare_ids);
    st = p2pi_edges_set_nodes(out, r->node_count);
    for (size_t i = 1; st == P2P_OK && i < r->node_count; i++)
        if (strcmp(ids[i - 1].id, ids[i].id) == 0)
            st = p2p_fail(P2P_EPARSE, "%s: two nodes have the id \"%.80s\"", r->path, ids[i].id);
    if (st == P2P_OK && (st = take_edges(r, ids, out)) == P2P_OK)
        st = take_names(r, out);
    out->directed = r->directed;
    free(ids);
    return st;
}

static p2p_status
parse(graphml_reader *r, const uint8_t *bytes, size_t len)
{
    enum XML_Status status = XML_STATUS_OK;
    size_t at = 0;

    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetEntityDeclHandler(r->parser, on_entity);
    keep(r, "", 0);
    /* In pieces, as expat counts in int. */
    while (status == XML_STATUS_OK && r->status == P2P_OK) {
        size_t piece = len - at < 1 << 20 ? len - at : 1 << 20;

        status = XML_Parse(r->parser, (const char *)bytes + at, (int)piece, at + piece == len);
        at += piece;
        if (at == len)
            break;
    }
    if (r->status == P2P_OK && status != XML_STATUS_OK)
        STOP(r, "%s", XML_ErrorString(XML_GetErrorCode(r->parser)));
    return r->status;
}

p2p_status
p2pi_graphml_parse(p2pi_edges *out, const char *path, const uint8_t *bytes, size_t len)
{
    graphml_reader *r;
    p2p_status st;

    if ((st = p2pi_edges_set_source(out, path)) != P2P_OK)
        return st;
    if ((r = calloc(1, sizeof *r)) == NULL || (r->parser = XML_ParserCreate(NULL)) == NULL) {
        free(r);
        return p2pi_fail_memory(path, sizeof *r);
    }
    r->path = path;
    r->data = DATA_OTHER;
    if ((st = parse(r, bytes, len)) == P2P_OK)
        st = build(r, out);
    XML_ParserFree(r->parser);
    free(r->edges);
    free(r->nodes);
    free(r->pool);
    free(r);
    return st;
}
