/* Vectors of float or double and the kernels on them. */
#ifndef P2POPT_VECTOR_H
#define P2POPT_VECTOR_H

#include <p2popt/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element type of every vector of a node. */
typedef enum { P2P_F32 = 0, P2P_F64 = 1 } p2p_dtype;

/** A vector that is read: dim contiguous entries of type. Does not own data. */
typedef struct {
    const void *data;
    size_t dim;
    p2p_dtype type;
} p2p_view;

/** A vector that is written: dim contiguous entries of type. Does not own data. */
typedef struct {
    void *data;
    size_t dim;
    p2p_dtype type;
} p2p_vec;

/** Bytes of one entry: 4 or 8. */
P2P_API size_t p2p_dtype_size(p2p_dtype type);

/** "f32" or "f64". */
P2P_API const char *p2p_dtype_name(p2p_dtype type);

/** The same vector, read only. */
static inline p2p_view
p2p_view_of(p2p_vec v)
{
    p2p_view view = { v.data, v.dim, v.type };
    return view;
}

/* Kernels. All operands of one call have one dim and one type (asserted) and do not overlap unless they are
 * the same vector. Sums are accumulated in double. O(dim), no allocation, safe from any thread. */

P2P_API void p2p_vec_zero(p2p_vec y);
P2P_API void p2p_vec_fill(p2p_vec y, double a);
P2P_API void p2p_vec_copy(p2p_vec y, p2p_view x);
P2P_API void p2p_vec_scale(p2p_vec y, double a);
/** y += a x */
P2P_API void p2p_vec_axpy(p2p_vec y, double a, p2p_view x);
/** y = a x + b y */
P2P_API void p2p_vec_axpby(p2p_vec y, double a, p2p_view x, double b);
/** z = a x + b y; z may be x or y */
P2P_API void p2p_vec_combine(p2p_vec z, double a, p2p_view x, double b, p2p_view y);
/** z = a x + b y + c w in one pass, added in this order; z may be one of them */
P2P_API void p2p_vec_combine3(p2p_vec z, double a, p2p_view x, double b, p2p_view y, double c, p2p_view w);
/** z = x - y; z may be x or y */
P2P_API void p2p_vec_sub(p2p_vec z, p2p_view x, p2p_view y);
P2P_API double p2p_vec_dot(p2p_view x, p2p_view y);
P2P_API double p2p_vec_norm2(p2p_view x);
P2P_API double p2p_vec_norm1(p2p_view x);
P2P_API double p2p_vec_norminf(p2p_view x);
/** ||x - y||_2 */
P2P_API double p2p_vec_distance(p2p_view x, p2p_view y);
/** Index of the first entry that is NaN or infinite; x.dim if every entry is finite. */
P2P_API size_t p2p_vec_first_nonfinite(p2p_view x);
/** Entry i as a double. */
P2P_API double p2p_vec_get(p2p_view x, size_t i);
P2P_API void p2p_vec_set(p2p_vec y, size_t i, double value);
/** Convert between types: y_i = (type of y) x_i; dims equal. */
P2P_API void p2p_vec_convert(p2p_vec y, p2p_view x);

#ifdef __cplusplus
}
#endif
#endif
