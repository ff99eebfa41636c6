/* Data sets: LIBSVM text, CSV and .npy; a node's shard of one. */
#ifndef P2POPT_DATA_H
#define P2POPT_DATA_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows a_j with labels b_j. Sparse rows stay sparse. Immutable once read. */
typedef struct p2p_data p2p_data;

/** How rows are dealt to nodes, and which node's rows are wanted. nodes = 1: all rows. */
typedef struct {
    size_t nodes, rank;
    const char *rule; /* "contiguous" (NULL means this), "shuffled:seed=1", "by-label", "dirichlet:alpha=0.5,seed=1" */
} p2p_shard;

/**
 * Read the rows of one shard; other rows are skipped as they pass, not kept.
 *
 * @param path  FILE.svm[.gz] (LIBSVM text), .csv[.gz], .npy, or "sample:NAME" for an installed sample data set.
 *              The format is told by the name; "libsvm:PATH", "csv:PATH", "npy:PATH" force one.
 * @param shard NULL: all rows.
 * @return P2P_OK; P2P_EIO; P2P_EPARSE (file:line, what was found, what is expected); P2P_EINVAL; P2P_ENOMEM.
 */
P2P_API p2p_status p2p_data_read(p2p_data **out, const char *path, const p2p_shard *shard);

/** From memory: rows x features row-major doubles, one label a row; both are copied. */
P2P_API p2p_status p2p_data_from_dense(p2p_data **out, size_t rows, size_t features, const double *a,
                                       const double *labels);
P2P_API void p2p_data_destroy(p2p_data **self);

P2P_API size_t p2p_data_rows(const p2p_data *self);
/** Rows of the whole data set that this is a shard of. */
P2P_API size_t p2p_data_rows_total(const p2p_data *self);
P2P_API size_t p2p_data_features(const p2p_data *self);
/** Number of distinct labels in the whole set, if they are few and integral (at most 1000); else 0. */
P2P_API size_t p2p_data_classes(const p2p_data *self);
P2P_API const double *p2p_data_labels(const p2p_data *self);
/** What was changed on reading ("labels 0/1 taken as -1/+1"), or "". */
P2P_API const char *p2p_data_notice(const p2p_data *self);

/** Path of an installed file ("data/breast-cancer.svm.gz"); P2POPT_DATADIR in the environment comes first. */
P2P_API p2p_status p2p_data_locate(char *path, size_t cap, const char *relative);

#ifdef __cplusplus
}
#endif
#endif
