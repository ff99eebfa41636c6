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

/**
 * How rows are dealt to nodes, and which node's rows are wanted. nodes = 1: all rows.
 *
 * Of N rows in the rule's order, node i of n gets numbers floor(i N / n) to floor((i + 1) N / n) - 1.
 *
 *     contiguous       the order of the file
 *     shuffled:seed=1  row p(k) at place k, p = permutation(seed, node 0, round 0, P2P_STREAM_DATA)
 *     by-label         sorted by label, stable
 *     dirichlet:alpha=0.5,seed=1
 *                      instead of equal pieces: shares of class c drawn from Dirichlet(alpha) (stream P2P_STREAM_DATA,
 *                      node c, round 1); a node that came away empty takes a row from the one that has most
 */
typedef struct {
    size_t nodes, rank;
    const char *rule; /* NULL: contiguous */
} p2p_shard;

/**
 * Read the rows of one shard; other rows are skipped as they pass, not kept.
 *
 * Formats are told by the end of the name: .svm, .libsvm (LIBSVM text), .csv, .tsv (dense tables), each also with .gz,
 * and .npy. "libsvm:PATH", "csv:PATH" and "npy:PATH" force one, and may carry options before the path:
 * "csv:label=last,delimiter=semicolon,header=no:PATH", "npy:label=last:PATH". "sample:NAME" is an installed set. A
 * text file in parts, NAME.1of4.svm.gz to NAME.4of4.svm.gz, is read under the name NAME.svm.gz or NAME.
 *
 * @param out   set to the new data set, owned by the caller; NULL on error.
 * @param shard NULL: all rows.
 * @return P2P_OK; P2P_EIO; P2P_EPARSE (file:line, what was found, what is expected); P2P_EINVAL (an unknown format,
 *         rule or sample; fewer rows than nodes); P2P_ENOMEM.
 *
 * The file is read twice, since most rules need its length or its labels; memory is 12 bytes a row of the whole file
 * beside the shard. Rows are stored dense if more than 40 % of the whole file's entries are nonzero, else sparse.
 */
P2P_API p2p_status p2p_data_read(p2p_data **out, const char *path, const p2p_shard *shard);

/**
 * All shards of a set in memory: parts[i] is what p2p_data_read with rank i gives, bit for bit.
 *
 * @param whole read without a shard; not used any more afterwards.
 * @param rule  as in p2p_shard.
 * @param parts room for nodes pointers; each is owned by the caller. All NULL on error.
 * @return P2P_OK; P2P_EPARSE or P2P_EINVAL (the rule, or fewer rows than nodes); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_data_split(const p2p_data *whole, const char *rule, size_t nodes, p2p_data **parts);

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
/** The labels as they are in the file. Problems map them: two classes to -1 and +1, more to 0 .. K-1. */
P2P_API const double *p2p_data_labels(const p2p_data *self);
/** How problems map the labels ("labels 0 and 1 are taken as -1 and +1 by two-class problems"), or "" if they do not. */
P2P_API const char *p2p_data_notice(const p2p_data *self);

/**
 * Path of an installed file ("data/breast-cancer.svm.gz"): in the first of the folders in P2POPT_DATADIR (separated by
 * ':') that has it, else in the configured folder, whether it is there or not. P2P_ENOSPC.
 */
P2P_API p2p_status p2p_data_locate(char *path, size_t cap, const char *relative);

#ifdef __cplusplus
}
#endif
#endif
