/*
 * Reading a shard in two passes: the first counts rows and features and collects the labels, which the rules of
 * sharding need; the second keeps the rows of the shard and drops the others as they pass.
 */
#include "problem/dataset.h"

#include "base/fail.h"
#include "base/text.h"
#include "problem/deal.h"
#include "problem/lines.h"
#include "problem/records.h"
#include "problem/table_param.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_CAP = 4096 };

static const p2pi_format *const formats[] = { &p2pi_format_libsvm, &p2pi_format_csv, &p2pi_format_npy };

enum { FORMATS = sizeof formats / sizeof *formats };

/* A file and how to read it. */
typedef struct {
    const p2pi_format *format;
    p2pi_table_param param; /* of those formats that have options */
    char path[PATH_CAP];
} origin;

/* ---- what the text given by the user means */

static const p2p_entry *
format_entry(size_t i)
{
    return i < FORMATS ? &formats[i]->entry : NULL;
}

static p2p_status
set_path(origin *o, const char *path)
{
    if (path[0] == '\0')
        return p2p_fail(P2P_EINVAL, "data: no file is named");
    if (strlen(path) >= sizeof o->path)
        return p2p_fail(P2P_EINVAL, "data: %.60s...: the path is longer than %zu bytes", path, sizeof o->path - 1);
    strcpy(o->path, path);
    return P2P_OK;
}

static int
ends_with(const char *text, const char *suffix)
{
    size_t len = strlen(text), tail = strlen(suffix);

    return len > tail && strcmp(text + len - tail, suffix) == 0;
}

/* What an installed set may be: its name and one of these. */
static const struct {
    const char *suffix;
    const p2pi_format *format;
} sample_kinds[] = { { ".svm.gz", &p2pi_format_libsvm }, { ".csv.gz", &p2pi_format_csv } };

enum { SAMPLE_KINDS = sizeof sample_kinds / sizeof sample_kinds[0] };

/* Length of a sample's name in that of its file; 0: not one. */
static size_t
sample_name(const char *file)
{
    for (size_t i = 0; i < SAMPLE_KINDS; i++)
        if (ends_with(file, sample_kinds[i].suffix))
            return strlen(file) - strlen(sample_kinds[i].suffix);
    return 0;
}

static int
is_sample(const struct dirent *entry)
{
    return sample_name(entry->d_name) > 0;
}

static p2p_status
unknown_sample(const char *name)
{
    char folder[PATH_CAP], all[512] = "";
    struct dirent **entries;
    int count;

    if (p2p_data_locate(folder, sizeof folder, "data") != P2P_OK ||
        (count = scandir(folder, &entries, is_sample, alphasort)) < 0)
        return p2p_fail(P2P_EINVAL,
                        "data sample:%s: the sample data are not installed in %s (P2POPT_DATADIR overrides)", name,
                        folder);
    for (int i = 0; i < count; i++) {
        p2pi_text_append(all, sizeof all, "%s%.*s", i ? ", " : "", (int)sample_name(entries[i]->d_name),
                         entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return p2p_fail(P2P_EINVAL, "data sample:%s: unknown; installed: %s", name, all);
}

static p2p_status
find_sample(origin *o, const char *name)
{
    char relative[256];
    p2p_status st;

    if (name[0] == '\0' || strchr(name, '/') != NULL || strlen(name) > sizeof relative - 16)
        return unknown_sample(name);
    for (size_t i = 0; i < SAMPLE_KINDS; i++) {
        o->format = sample_kinds[i].format;
        snprintf(relative, sizeof relative, "data/%s%s", name, sample_kinds[i].suffix);
        if ((st = p2p_data_locate(o->path, sizeof o->path, relative)) != P2P_OK)
            return st;
        if (access(o->path, F_OK) == 0)
            return p2pi_spec_parse("data format", &o->format->entry, p2pi_span_of(""), &o->param);
    }
    return unknown_sample(name);
}

/* "csv:PATH" or "csv:key=value,key=value:PATH": options have a '=' before the next ':' and no '/'. */
static p2p_status
read_forced(origin *o, p2pi_span rest)
{
    const char *colon = memchr(rest.at, ':', rest.len);
    size_t len = colon ? (size_t)(colon - rest.at) : 0;
    p2pi_span options = { "", 0 };
    p2p_status st;

    if (len > 0 && memchr(rest.at, '=', len) != NULL && memchr(rest.at, '/', len) == NULL) {
        options = (p2pi_span){ rest.at, len };
        rest.at = colon + 1;
    }
    if ((st = p2pi_spec_parse("data format", &o->format->entry, options, &o->param)) != P2P_OK)
        return st;
    return set_path(o, rest.at);
}

/* By the end of the name, or by the parts that a name without an end stands for. */
static p2p_status
guess_format(origin *o, const char *path)
{
    char all[256] = "";
    p2p_status st;

    if ((st = set_path(o, path)) != P2P_OK)
        return st;
    for (size_t i = 0; i < FORMATS && o->format == NULL; i++)
        for (size_t k = 0; formats[i]->suffixes[k] != NULL && o->format == NULL; k++) {
            if (ends_with(path, formats[i]->suffixes[k]))
                o->format = formats[i];
            p2pi_text_append(all, sizeof all, "%s%s", all[0] ? ", " : "", formats[i]->suffixes[k]);
        }
    for (size_t i = 0; i < FORMATS && o->format == NULL; i++)
        if (p2pi_lines_has_parts(path, formats[i]->suffixes))
            o->format = formats[i];
    if (o->format != NULL)
        return p2pi_spec_parse("data format", &o->format->entry, p2pi_span_of(""), &o->param);
    if (access(path, F_OK) != 0)
        return p2p_fail(P2P_EIO, "%s: cannot be read: no such file", path);
    return p2p_fail(P2P_EINVAL,
                    "data %s: the name does not tell the format: expected one that ends with %s; or write"
                    " libsvm:PATH, csv:PATH or npy:PATH",
                    path, all);
}

static p2p_status
find_origin(origin *o, const char *text)
{
    p2pi_span name, rest;
    size_t i;

    memset(o, 0, sizeof *o);
    p2pi_spec_split(p2pi_span_of(text), &name, &rest);
    if (p2pi_span_is(name, "sample") && text[name.len] == ':')
        return find_sample(o, rest.at);
    for (i = 0; i < FORMATS && text[name.len] == ':'; i++)
        if (p2pi_span_is(name, format_entry(i)->name)) {
            o->format = formats[i];
            return read_forced(o, rest);
        }
    return guess_format(o, text);
}

/* ---- first pass */

/* What is known of the whole file. */
typedef struct {
    size_t rows, cap, cols, entries;
    double *labels;
    uint32_t *counts; /* entries of each row */
} survey;

static void
survey_clear(survey *s)
{
    free(s->labels);
    free(s->counts);
}

static int
survey_reserve(survey *s)
{
    size_t cap = s->cap ? 2 * s->cap : 1024;
    double *labels;
    uint32_t *counts;

    if (s->rows < s->cap)
        return 1;
    if ((labels = realloc(s->labels, cap * sizeof *labels)) != NULL)
        s->labels = labels;
    if ((counts = realloc(s->counts, cap * sizeof *counts)) != NULL)
        s->counts = counts;
    if (labels == NULL || counts == NULL)
        return 0;
    s->cap = cap;
    return 1;
}

/* Entries of a dense row are those that are not zero. */
static size_t
entries_in(const p2pi_record *row)
{
    size_t count = 0;

    if (row->columns != NULL)
        return row->count;
    for (size_t i = 0; i < row->count; i++)
        count += row->values[i] != 0;
    return count;
}

static size_t
cols_in(const p2pi_record *row)
{
    if (row->columns == NULL || row->count == 0)
        return row->count;
    return (size_t)row->columns[row->count - 1] + 1;
}

static p2p_status
survey_rows(survey *s, const origin *o, p2pi_source *source)
{
    p2pi_record row;
    int more;
    p2p_status st;

    while ((st = o->format->next(source, &row, &more)) == P2P_OK && more) {
        size_t entries = entries_in(&row), cols = cols_in(&row);

        if (!survey_reserve(s))
            return p2pi_fail_memory(o->path, s->cap * sizeof *s->labels);
        s->labels[s->rows] = row.label;
        s->counts[s->rows] = (uint32_t)entries;
        s->entries += entries;
        s->cols = cols > s->cols ? cols : s->cols;
        s->rows++;
    }
    if (st == P2P_OK && s->rows == 0)
        return p2p_fail(P2P_EPARSE, "%s: holds no rows", o->path);
    if (st == P2P_OK && s->cols == 0)
        return p2p_fail(P2P_EPARSE, "%s: its rows hold no features", o->path);
    return st;
}

/* ---- second pass */

/* The shard being filled. */
typedef struct {
    p2pi_data_room room;
    size_t rows, cols;
    size_t *place; /* local row of each row of the file; SIZE_MAX: another node's */
} filling;

static void
store_dense(const filling *f, size_t local, const p2pi_record *row)
{
    double *values = f->room.values + local * f->cols;

    for (size_t i = 0; i < row->count; i++)
        values[row->columns ? row->columns[i] : i] = row->values[i];
}

static void
store_sparse(const filling *f, size_t local, const p2pi_record *row)
{
    size_t at = f->room.starts[local];

    for (size_t i = 0; i < row->count; i++) {
        if (row->columns == NULL && row->values[i] == 0)
            continue;
        f->room.columns[at] = row->columns ? row->columns[i] : (uint32_t)i;
        f->room.values[at++] = row->values[i];
    }
}

static p2p_status
fill_rows(const filling *f, const survey *s, const origin *o, p2pi_source *source)
{
    p2pi_record row;
    int more;
    p2p_status st = P2P_OK;

    for (size_t j = 0; j < s->rows; j++) {
        if ((st = o->format->next(source, &row, &more)) != P2P_OK)
            return st;
        if (!more || row.label != s->labels[j] || entries_in(&row) != s->counts[j] || cols_in(&row) > f->cols)
            return p2p_fail(P2P_EIO, "%s: changed while it was read", o->path);
        if (f->place[j] == SIZE_MAX)
            continue;
        f->room.labels[f->place[j]] = row.label;
        if (f->room.columns == NULL)
            store_dense(f, f->place[j], &row);
        else
            store_sparse(f, f->place[j], &row);
    }
    return P2P_OK;
}

static p2p_status
run_pass(const origin *o, survey *s, const filling *f)
{
    p2pi_source *source = NULL;
    p2p_status st = o->format->open(&source, o->path, &o->param);

    if (st != P2P_OK)
        return st;
    st = f == NULL ? survey_rows(s, o, source) : fill_rows(f, s, o, source);
    o->format->close(source);
    return st;
}

/* Room for the rows of one node, and where each row of the file goes in it. */
static p2p_status
make_room(p2p_data **out, filling *f, const survey *s, const p2pi_deal *deal, size_t rank)
{
    const size_t *mine = deal->order + deal->cut[rank];
    const int dense = p2pi_dense_pays(s->rows, s->cols, s->entries);
    size_t entries = 0;
    p2p_status st;

    f->rows = deal->cut[rank + 1] - deal->cut[rank];
    f->cols = s->cols;
    if ((f->place = malloc(s->rows * sizeof *f->place)) == NULL)
        return p2pi_fail_memory("shard", s->rows * sizeof *f->place);
    for (size_t j = 0; j < s->rows; j++)
        f->place[j] = SIZE_MAX;
    for (size_t i = 0; i < f->rows; i++) {
        f->place[mine[i]] = i;
        entries += s->counts[mine[i]];
    }
    if ((st = p2pi_data_make(out, &f->room, f->rows, f->cols, dense, entries)) != P2P_OK)
        return st;
    for (size_t i = 0; i < f->rows && !dense; i++)
        f->room.starts[i + 1] = f->room.starts[i] + s->counts[mine[i]];
    return P2P_OK;
}

static p2p_status
read_shard(p2p_data **out, const origin *o, survey *s, const p2p_shard *shard)
{
    p2pi_classes classes;
    p2pi_deal deal;
    filling f = { .place = NULL };
    p2p_status st;

    if ((st = run_pass(o, s, NULL)) != P2P_OK)
        return st;
    classes = p2pi_classes_of(s->labels, s->rows);
    if ((st = p2pi_deal_make(&deal, shard->rule, shard->nodes, s->rows, s->labels, &classes)) != P2P_OK)
        return p2pi_fail_context(st, "%s", o->path);
    if ((st = make_room(out, &f, s, &deal, shard->rank)) == P2P_OK && (st = run_pass(o, s, &f)) == P2P_OK)
        p2pi_data_describe(*out, s->rows, deal.cut[shard->rank], &classes);
    free(f.place);
    p2pi_deal_clear(&deal);
    if (st != P2P_OK)
        p2p_data_destroy(out);
    return st;
}

p2p_status
p2p_data_read(p2p_data **out, const char *path, const p2p_shard *shard)
{
    static const p2p_shard all = { 1, 0, NULL };
    survey s = { .rows = 0 };
    origin o;
    p2p_status st;

    *out = NULL;
    if (shard == NULL)
        shard = &all;
    if (shard->rank >= shard->nodes)
        return p2p_fail(P2P_EINVAL, "shard %zu of %zu: expected a number below the number of nodes", shard->rank,
                        shard->nodes);
    if ((st = p2pi_deal_check(shard->rule)) != P2P_OK || (st = find_origin(&o, path)) != P2P_OK)
        return st;
    st = read_shard(out, &o, &s, shard);
    survey_clear(&s);
    return st;
}
