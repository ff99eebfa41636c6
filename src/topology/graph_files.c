/* Reading a graph from a file of any format, and the topologies "file" and "sample". */
#include "topology/graph_files.h"
#include "topology/generator.h"

#include "base/fail.h"
#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <math.h>
#include <p2popt/array.h>
#include <p2popt/data.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t FILE_MAX = (size_t)1 << 30;

static double
entry(const p2p_array *a, size_t i, size_t j)
{
    size_t k = i * a->cols + j;

    return a->type == P2P_F32 ? (double)((const float *)a->data)[k] : ((const double *)a->data)[k];
}

/* W from a square array: nonzero entries off the diagonal are edges, the diagonal becomes weighted loops. */
static p2p_status
take_matrix(p2pi_edges *out, const p2p_array *a)
{
    p2p_status st;

    if (a->axes != 2 || a->rows != a->cols)
        return p2p_fail(P2P_EINVAL, "%s: %zu x %zu entries; expected a square matrix", out->source, a->rows, a->cols);
    st = p2pi_edges_set_nodes(out, a->rows);
    for (size_t i = 0; st == P2P_OK && i < a->rows; i++)
        for (size_t j = i; st == P2P_OK && j < a->cols; j++) {
            double w = entry(a, i, j), back = entry(a, j, i);

            if (!(fabs(w - back) <= 1e-12))
                return p2p_fail(P2P_EINVAL,
                                "%s: row %zu, column %zu is %.15g, but row %zu, column %zu is %.15g; W must be "
                                "symmetric",
                                out->source, i, j, w, j, i, back);
            if (w != 0 || i == j)
                st = p2pi_edges_add_weighted(out, (uint32_t)i, (uint32_t)j, w);
        }
    return st;
}

static p2p_status
read_matrix(p2pi_edges *out, const char *path)
{
    p2p_array array;
    p2p_status st;

    if ((st = p2pi_edges_set_source(out, path)) != P2P_OK || (st = p2p_array_read(&array, path)) != P2P_OK)
        return st;
    st = take_matrix(out, &array);
    p2p_array_clear(&array);
    return st;
}

/* Whether the text begins with '<', behind a byte order mark and blanks. */
static int
looks_like_xml(const uint8_t *bytes, size_t len)
{
    size_t i = len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (i < len && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    return i < len && bytes[i] == '<';
}

static int
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static p2p_status
read_any(p2pi_edges *out, const char *path)
{
    uint8_t *bytes;
    size_t len;
    p2p_status st;

    if (ends_with(path, ".dot") || ends_with(path, ".gv"))
        return p2p_fail(P2P_ENOTSUP, "%s: DOT is written, not read; expected an edge list, GraphML or .npy", path);
    if ((st = p2pi_file_read(path, FILE_MAX, &bytes, &len)) != P2P_OK)
        return st;
    if (len >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        st = read_matrix(out, path);
    else if (looks_like_xml(bytes, len))
        st = p2pi_graphml_parse(out, path, bytes, len);
    else
        st = p2pi_edge_list_parse(out, path, bytes, len);
    free(bytes);
    return st;
}

p2p_status
p2pi_graph_read(p2pi_edges *out, const char *path, int largest)
{
    size_t all;
    p2p_status st = read_any(out, path);

    if (st != P2P_OK || !largest)
        return st;
    all = out->nodes;
    st = p2pi_edges_keep_largest(out);
    out->left_out = all - out->nodes;
    return st;
}

/* What sample topologies may be called, on disk. */
static const char *const endings[] = { "", ".edges", ".graphml" };

static int
is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Path of the installed topology of this name; 0 if there is none. */
static int
find_sample(const char *name, char *path, size_t cap)
{
    char relative[P2P_TEXT_MAX + 32];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(relative, sizeof relative, "topologies/%s%s", name, endings[i]);
        if (p2p_data_locate(path, cap, relative) == P2P_OK && access(path, R_OK) == 0 && !is_folder(path))
            return 1;
    }
    return 0;
}

static int
is_sample(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".edges") || ends_with(entry->d_name, ".graphml");
}

/* The failure of a name that is not installed: lists those that are. */
static p2p_status
unknown_sample(const char *name)
{
    struct dirent **found = NULL;
    char folder[4096], all[640] = "";
    int count = -1;

    if (p2p_data_locate(folder, sizeof folder, "topologies") == P2P_OK)
        count = scandir(folder, &found, is_sample, alphasort);
    for (int i = 0; i < count; i++) {
        p2pi_text_append(all, sizeof all, "%s%.*s", i > 0 ? ", " : "",
                         (int)(strrchr(found[i]->d_name, '.') - found[i]->d_name), found[i]->d_name);
        free(found[i]);
    }
    free(found);
    if (count <= 0)
        return p2p_fail(P2P_EINVAL,
                        "topology \"sample\": no topologies are installed in %s (P2POPT_DATADIR overrides)", folder);
    return p2p_fail(P2P_EINVAL, "topology \"sample\": \"%.80s\" is not installed; expected one of: %s", name, all);
}

typedef struct {
    p2p_text path;
    int64_t largest, directed;
} file_param;

static p2p_status
build_from(const char *path, const file_param *p, size_t nodes, p2pi_edges *out)
{
    p2p_status st = p2pi_graph_read(out, path, (int)p->largest);

    if (st == P2P_OK && nodes != 0 && out->nodes != nodes)
        st = p2p_fail(P2P_EINVAL, "%s: %zu nodes, but %zu are asked for", path, out->nodes, nodes);
    if (st == P2P_OK && p->directed && out->weights != NULL)
        st = p2p_fail(P2P_EINVAL, "%s: weights of directed edges follow from the out-degrees; expected lines \"u v\"",
                      path);
    out->arcs = (int)p->directed;
    out->directed = out->directed && !p->directed;
    return st;
}

/* The path as it is, else an installed file of that name. */
static p2p_status
build_file(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const file_param *p = param;
    char path[4096];
    const char *name = p->path.s;

    (void)draw;
    if (name[0] == '\0')
        return p2p_fail(P2P_EINVAL, "topology \"file\": the path is missing; expected file:PATH");
    if (access(name, F_OK) != 0 && strchr(name, '/') == NULL && find_sample(name, path, sizeof path))
        name = path;
    return build_from(name, p, nodes, out);
}

static p2p_status
build_sample(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const file_param *p = param; /* directed is 0: no option of sample sets it */
    char path[4096];

    (void)draw;
    if (p->path.s[0] != '\0' && strchr(p->path.s, '/') == NULL && find_sample(p->path.s, path, sizeof path))
        return build_from(path, p, nodes, out);
    return unknown_sample(p->path.s);
}

static const char component_help[] = "all: refuse a graph that is not connected; largest: keep its largest component";

static const p2p_option file_options[] = {
    { "path", P2P_OPT_TEXT, "", NULL, NULL, "an edge list, GraphML or .npy file, or the name of an installed one",
      offsetof(file_param, path) },
    { "component", P2P_OPT_CHOICE, "all", "all|largest", NULL, component_help, offsetof(file_param, largest) },
    { "directed", P2P_OPT_BOOL, "no", NULL, NULL, "an edge u v means that u sends to v alone; for methods that push",
      offsetof(file_param, directed) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};

static const p2p_option sample_options[] = {
    { "name", P2P_OPT_TEXT, "", NULL, NULL, "an installed topology", offsetof(file_param, path) },
    { "component", P2P_OPT_CHOICE, "all", "all|largest", NULL, component_help, offsetof(file_param, largest) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};

const p2pi_generator p2pi_topology_file = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "file",
               .help = "read from a file: file:PATH",
               .source = "p2popt-topologies(7), section FILES",
               .options = file_options,
               .param_size = sizeof(file_param) },
    .traits = P2PI_BARE,
    .build = build_file,
};

const p2pi_generator p2pi_topology_sample = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "sample",
               .help = "an installed topology: sample:NAME",
               .source = "p2popt-topologies(7), section SAMPLES",
               .options = sample_options,
               .param_size = sizeof(file_param) },
    .traits = P2PI_BARE,
    .build = build_sample,
};
