#include "compress_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const compress_vector_kinds[] = { "gauss", "heavy", "sparse", "equal", NULL };

/* heavy: ratios of normals, cut at 1000; sparse: a normal in one of ten entries. u is uniform in [0, 1). */
static double
entry_of(const char *kind, double g, double h, double u)
{
    switch (kind[0]) {
    case 'h': return fmax(-1e3, fmin(1e3, g / (fabs(h) + 1e-2)));
    case 's': return u < 0.1 ? g : 0;
    case 'e': return 1;
    default: return g;
    }
}

static p2p_status
make_room(p2p_array *out, size_t dim, p2p_dtype type)
{
    *out = (p2p_array){ .rows = dim, .cols = 1, .axes = 1, .type = type };
    if ((out->data = malloc(dim * p2p_dtype_size(type))) != NULL)
        return P2P_OK;
    return p2p_fail(P2P_ENOMEM, "no memory for a vector of %zu entries", dim);
}

static p2p_status
generate(p2p_array *out, const compress_source *source)
{
    p2p_random normals = p2p_random_open(source->seed, 0, 0, P2P_STREAM_DATA);
    p2p_random uniforms = p2p_random_open(source->seed, 1, 0, P2P_STREAM_DATA);
    p2p_vec x;
    p2p_status st = make_room(out, source->dim, source->type < 0 ? P2P_F64 : (p2p_dtype)source->type);

    if (st != P2P_OK)
        return st;
    x = (p2p_vec){ out->data, source->dim, out->type };
    for (size_t i = 0; i < x.dim; i++) {
        double g[2], u;

        p2p_random_normal(&normals, 2, g);
        p2p_random_uniform(&uniforms, 1, &u);
        p2p_vec_set(x, i, entry_of(source->generate, g[0], g[1], u));
    }
    return P2P_OK;
}

static p2p_status
convert(p2p_array *vector, p2p_dtype type)
{
    p2p_array other;
    p2p_status st;

    if (vector->type == type)
        return P2P_OK;
    if ((st = make_room(&other, vector->rows * vector->cols, type)) == P2P_OK) {
        p2p_vec_convert((p2p_vec){ other.data, other.rows, type }, compress_view(vector));
        p2p_array_clear(vector);
        *vector = other;
    }
    return st;
}

p2p_status
compress_vector(p2p_array *out, const compress_source *source)
{
    p2p_status st;

    if (source->path == NULL)
        return generate(out, source);
    if ((st = p2p_array_read(out, source->path)) != P2P_OK)
        return st;
    if (out->rows != 1 && out->cols != 1)
        st = p2p_fail(P2P_EINVAL, "%s: a matrix of %zu x %zu: expected a vector", source->path, out->rows, out->cols);
    else if (out->rows * out->cols == 0)
        st = p2p_fail(P2P_EINVAL, "%s: has no entries", source->path);
    else if (source->type >= 0)
        st = convert(out, (p2p_dtype)source->type);
    if (st != P2P_OK)
        p2p_array_clear(out);
    return st;
}

p2p_view
compress_view(const p2p_array *vector)
{
    return (p2p_view){ vector->data, vector->rows * vector->cols, vector->type };
}
