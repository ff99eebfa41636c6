#define _GNU_SOURCE /* memfd_create */
#include "fuzz_data.h"

#include "problem/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void
require(int truth)
{
    if (!truth)
        abort();
}

/* Columns ascend below the width, values are finite. */
static void
check_rows(const p2p_data *data)
{
    const p2pi_rows *a = &data->rows;

    require(a->rows > 0 && a->cols > 0 && data->total >= a->rows);
    for (size_t j = 0; j < a->rows; j++) {
        size_t from = a->columns ? a->starts[j] : j * a->cols, to = a->columns ? a->starts[j + 1] : from + a->cols;

        require(isfinite(data->labels[j]) && from <= to);
        for (size_t i = from; i < to; i++) {
            require(isfinite(a->values[i]));
            if (a->columns != NULL)
                require(a->columns[i] < a->cols && (i == from || a->columns[i - 1] < a->columns[i]));
        }
    }
}

static void
check_shards(const p2p_data *whole)
{
    static const char *const rules[] = { "contiguous", "shuffled:seed=3", "by-label", "dirichlet:alpha=0.1" };
    p2p_data *parts[2];

    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        if (p2p_data_split(whole, rules[k], 2, parts) != P2P_OK)
            continue;
        require(p2p_data_rows(parts[0]) + p2p_data_rows(parts[1]) == p2p_data_rows(whole));
        for (size_t i = 0; i < 2; i++) {
            check_rows(parts[i]);
            p2p_data_destroy(&parts[i]);
        }
    }
}

void
fuzz_data(const char *format, const uint8_t *bytes, size_t len)
{
    int fd = memfd_create("fuzz", 0);
    char path[64];
    p2p_data *data;

    require(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    snprintf(path, sizeof path, "%s/proc/self/fd/%d", format, fd);
    if (p2p_data_read(&data, path, NULL) == P2P_OK) {
        check_rows(data);
        check_shards(data);
        p2p_data_destroy(&data);
    }
    close(fd);
}
