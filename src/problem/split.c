/* The shards of a data set that is in memory: what p2p_data_read gives each node, from one dealing. */
#include "problem/dataset.h"

#include "base/fail.h"
#include "problem/deal.h"

#include <string.h>

static size_t
entries_of(const p2pi_rows *a, size_t row)
{
    return a->columns ? a->starts[row + 1] - a->starts[row] : a->cols;
}

static size_t
start_of(const p2pi_rows *a, size_t row)
{
    return a->columns ? a->starts[row] : row * a->cols;
}

/* A data set of the rows dealt to the node, stored as the whole is. */
static p2p_status
pick(p2p_data **out, const p2p_data *whole, const p2pi_deal *deal, size_t node)
{
    const p2pi_rows *a = &whole->rows;
    const size_t *rows = deal->order + deal->cut[node], count = deal->cut[node + 1] - deal->cut[node];
    p2pi_data_room room;
    size_t entries = 0, at = 0;
    p2p_status st;

    for (size_t i = 0; i < count; i++)
        entries += entries_of(a, rows[i]);
    if ((st = p2pi_data_make(out, &room, count, a->cols, a->columns == NULL, entries)) != P2P_OK)
        return st;
    for (size_t i = 0; i < count; i++) {
        const size_t from = start_of(a, rows[i]), n = entries_of(a, rows[i]);

        memcpy(room.values + at, a->values + from, n * sizeof *room.values);
        if (a->columns != NULL) {
            memcpy(room.columns + at, a->columns + from, n * sizeof *room.columns);
            room.starts[i + 1] = at + n;
        }
        room.labels[i] = whole->labels[rows[i]];
        at += n;
    }
    p2pi_data_describe(*out, whole->total, deal->cut[node], &whole->classes);
    return P2P_OK;
}

p2p_status
p2p_data_split(const p2p_data *whole, const char *rule, size_t nodes, p2p_data **parts)
{
    p2pi_deal deal;
    p2p_status st;

    memset(parts, 0, nodes * sizeof *parts);
    if ((st = p2pi_deal_make(&deal, rule, nodes, whole->rows.rows, whole->labels, &whole->classes)) != P2P_OK)
        return st;
    for (size_t i = 0; i < nodes && st == P2P_OK; i++)
        st = pick(&parts[i], whole, &deal, i);
    for (size_t i = 0; i < nodes && st != P2P_OK; i++)
        p2p_data_destroy(&parts[i]);
    p2pi_deal_clear(&deal);
    return st;
}
