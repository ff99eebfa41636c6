/* Graphs with coordinates: grid, torus, hypercube, and the static exponential graph. */
#include "topology/generator.h"

#include "base/fail.h"

#include <inttypes.h>

typedef struct {
    int64_t rows, cols;
} lattice_param;

static const p2p_option lattice_options[] = {
    { "rows", P2P_OPT_INT, "auto", "1", "16777216", "rows; auto: nodes / cols, or as near to a square as nodes allow",
      offsetof(lattice_param, rows) },
    { "cols", P2P_OPT_INT, "auto", "1", "16777216", "columns; auto: nodes / rows", offsetof(lattice_param, cols) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

/* Largest divisor of n up to its square root. */
static size_t
squarest(size_t n)
{
    size_t best = 1;

    for (size_t r = 2; r * r <= n; r++)
        if (n % r == 0)
            best = r;
    return best;
}

/* Rows and columns from what is given of nodes, rows and cols. */
static p2p_status
shape(const char *name, const lattice_param *p, size_t nodes, size_t *rows, size_t *cols)
{
    *rows = p->rows == P2P_AUTO_INT ? 0 : (size_t)p->rows;
    *cols = p->cols == P2P_AUTO_INT ? 0 : (size_t)p->cols;
    if (nodes == 0 && (*rows == 0 || *cols == 0))
        return p2p_fail(P2P_EINVAL,
                        "topology \"%s\": the number of nodes is missing; expected nodes, or rows and cols", name);
    if (*rows == 0 && *cols == 0)
        *rows = squarest(nodes);
    if (*rows == 0)
        *rows = nodes / *cols;
    if (*cols == 0)
        *cols = nodes / *rows;
    if (nodes != 0 && *rows * *cols != nodes)
        return p2p_fail(P2P_EINVAL,
                        "topology \"%s\": %zu nodes cannot be laid out as rows=%zu, cols=%zu; expected a "
                        "product of rows and cols",
                        name, nodes, *rows, *cols);
    return P2P_OK;
}

/* Edges to the right and down; those over the rim where wrap is set and the rim is not the node itself. */
static p2p_status
build_lattice(const char *name, const lattice_param *p, size_t nodes, int wrap, p2pi_edges *out)
{
    size_t rows, cols;
    p2p_status st = shape(name, p, nodes, &rows, &cols);

    if (st == P2P_OK)
        st = p2pi_edges_set_nodes(out, rows * cols);
    for (size_t i = 0; st == P2P_OK && i < rows; i++)
        for (size_t j = 0; st == P2P_OK && j < cols; j++) {
            if (j + 1 < cols || (wrap && cols > 2))
                st = p2pi_edges_add(out, (uint32_t)(i * cols + j), (uint32_t)(i * cols + (j + 1) % cols));
            if (st == P2P_OK && (i + 1 < rows || (wrap && rows > 2)))
                st = p2pi_edges_add(out, (uint32_t)(i * cols + j), (uint32_t)((i + 1) % rows * cols + j));
        }
    return st;
}

static p2p_status
build_grid(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    (void)draw;
    return build_lattice("grid", param, nodes, 0, out);
}

static p2p_status
build_torus(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    (void)draw;
    return build_lattice("torus", param, nodes, 1, out);
}

typedef struct {
    int64_t dim;
} hypercube_param;

static const p2p_option hypercube_options[] = {
    { "dim", P2P_OPT_INT, "auto", "0", "24", "dimension; the graph has 2^dim nodes; auto: from the number of nodes",
      offsetof(hypercube_param, dim) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

static p2p_status
build_hypercube(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const hypercube_param *p = param;
    size_t n = p->dim == P2P_AUTO_INT ? nodes : (size_t)1 << p->dim;
    p2p_status st;

    (void)draw;
    if (n == 0)
        return p2p_fail(P2P_EINVAL, "topology \"hypercube\": the number of nodes is missing; expected nodes, or dim");
    if ((n & (n - 1)) != 0)
        return p2p_fail(P2P_EINVAL, "topology \"hypercube\": %zu nodes; expected a power of two", n);
    if (nodes != 0 && n != nodes)
        return p2p_fail(P2P_EINVAL, "topology \"hypercube\": dim=%" PRId64 " means %zu nodes, but %zu are asked for",
                        p->dim, n, nodes);
    st = p2pi_edges_set_nodes(out, n);
    for (size_t i = 0; st == P2P_OK && i < n; i++)
        for (size_t bit = 1; st == P2P_OK && bit < n; bit *= 2)
            if ((i & bit) == 0)
                st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)(i | bit));
    return st;
}

static p2p_status
build_exponential(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("exponential", nodes, out);

    (void)param;
    (void)draw;
    for (size_t i = 0; st == P2P_OK && i < nodes; i++)
        for (size_t hop = 1; st == P2P_OK && hop < nodes; hop *= 2)
            st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)((i + hop) % nodes));
    return st;
}

const p2pi_generator p2pi_topology_grid = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "grid",
               .help = "rows x cols nodes, each joined to those beside, above and below it",
               .source = "folklore",
               .options = lattice_options,
               .param_size = sizeof(lattice_param) },
    .build = build_grid,
};

const p2pi_generator p2pi_topology_torus = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "torus",
               .help = "a grid whose opposite sides are joined",
               .source = "folklore",
               .options = lattice_options,
               .param_size = sizeof(lattice_param) },
    .traits = P2PI_ALIKE,
    .build = build_torus,
};

const p2pi_generator p2pi_topology_hypercube = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "hypercube",
               .help = "2^dim nodes, joined where their numbers differ in one bit",
               .source = "folklore",
               .options = hypercube_options,
               .param_size = sizeof(hypercube_param) },
    .traits = P2PI_ALIKE,
    .build = build_hypercube,
};

const p2pi_generator p2pi_topology_exponential = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "exponential",
               .help = "node i is joined to i + 1, i + 2, i + 4, ... modulo n",
               .source = "Ying, Yuan, Chen, Hu, Pan, Yin 2021, arXiv:2110.13363" },
    .traits = P2PI_ALIKE,
    .build = build_exponential,
};
