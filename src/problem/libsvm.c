/*
 * LIBSVM text: "label index:value index:value ...", indices from 1 and ascending. A line may be just a label, may
 * carry "qid:N" behind it (ignored) and a comment from '#'; empty lines are skipped.
 *
 * Source: Chang, Lin, "LIBSVM: a library for support vector machines", ACM TIST 2011; SVMlight's qid.
 */
#include "problem/records.h"

#include "base/decimal.h"
#include "base/fail.h"
#include "problem/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_MAX = 2147483647 };

struct p2pi_source {
    p2pi_lines *lines;
    size_t cap;
    uint32_t *columns;
    double *values;
};

static const char *const suffixes[] = { ".svm.gz", ".svm", ".libsvm.gz", ".libsvm", NULL };

static void
libsvm_close(p2pi_source *self)
{
    p2pi_lines_close(&self->lines);
    free(self->columns);
    free(self->values);
    free(self);
}

static p2p_status
libsvm_open(p2pi_source **out, const char *path, const void *param)
{
    p2pi_source *self = calloc(1, sizeof *self);
    p2p_status st;

    (void)param;
    if (self == NULL)
        return p2pi_fail_memory(path, sizeof *self);
    if ((st = p2pi_lines_open(&self->lines, path, suffixes)) != P2P_OK) {
        libsvm_close(self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *
skip_blanks(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Cut off the next token and step behind it; NULL at the end of the line. */
static char *
take_token(char **rest)
{
    char *token = skip_blanks(*rest), *end = token;

    if (*token == '\0')
        return NULL;
    while (*end != '\0' && !is_blank(*end))
        end++;
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return token;
}

/* A token, whole, as a finite number. */
static int
read_real(const char *token, double *value)
{
    const char *end;

    *value = p2pi_decimal(token, &end);
    return end > token && *end == '\0' && isfinite(*value);
}

/* Digits as a number of at most INDEX_MAX; 0 if there are none, INDEX_MAX + 1 if it is larger. */
static uint32_t
read_index(const char *token, const char **end)
{
    uint64_t value = 0;

    for (*end = token; **end >= '0' && **end <= '9'; (*end)++)
        if (value <= INDEX_MAX)
            value = 10 * value + (uint64_t)(**end - '0');
    return value > INDEX_MAX ? (uint32_t)INDEX_MAX + 1 : (uint32_t)value;
}

static int
reserve(p2pi_source *self, size_t count)
{
    size_t cap = self->cap ? 2 * self->cap : 64;
    uint32_t *columns;
    double *values;

    if (count <= self->cap)
        return 1;
    if ((columns = realloc(self->columns, cap * sizeof *columns)) != NULL)
        self->columns = columns;
    if ((values = realloc(self->values, cap * sizeof *values)) != NULL)
        self->values = values;
    if (columns == NULL || values == NULL)
        return 0;
    self->cap = cap;
    return 1;
}

/* One "index:value" behind `count` others. */
static p2p_status
read_entry(p2pi_source *self, const char *token, size_t count)
{
    const uint32_t before = count > 0 ? self->columns[count - 1] + 1 : 0;
    const char *colon;
    const uint32_t index = read_index(token, &colon);
    double value;

    if (colon == token || *colon != ':')
        return p2pi_lines_fail(self->lines, "\"%.40s\": expected index:value", token);
    if (index == 0)
        return p2pi_lines_fail(self->lines, "\"%.40s\": index 0: indices start at 1", token);
    if (index > INDEX_MAX)
        return p2pi_lines_fail(self->lines, "\"%.40s\": the index is beyond %d", token, INDEX_MAX);
    if (index <= before)
        return p2pi_lines_fail(self->lines, "\"%.40s\": index %u after %u: indices must ascend", token, index,
                               before);
    if (!read_real(colon + 1, &value))
        return p2pi_lines_fail(self->lines, "\"%.40s\": expected a finite number behind the colon", token);
    if (!reserve(self, count + 1))
        return p2pi_fail_memory("data row", self->cap);
    self->columns[count] = index - 1;
    self->values[count] = value;
    return P2P_OK;
}

static int
is_query(const char *token)
{
    return strncmp(token, "qid:", 4) == 0 && token[4] != '\0' && strspn(token + 4, "0123456789") == strlen(token + 4);
}

static p2p_status
read_row(p2pi_source *self, char *label, char *rest, p2pi_record *row)
{
    char *token;
    size_t count = 0;
    p2p_status st;

    if (!read_real(label, &row->label))
        return p2pi_lines_fail(self->lines, "\"%.40s\": expected a label, a finite number, at the start of the line",
                               label);
    for (int first = 1; (token = take_token(&rest)) != NULL; first = 0) {
        if (first && is_query(token))
            continue;
        if ((st = read_entry(self, token, count)) != P2P_OK)
            return st;
        count++;
    }
    row->count = count;
    row->columns = self->columns;
    row->values = self->values;
    return P2P_OK;
}

static p2p_status
libsvm_next(p2pi_source *self, p2pi_record *row, int *more)
{
    char *line, *label;
    p2p_status st;

    *more = 0;
    for (;;) {
        if ((st = p2pi_lines_next(self->lines, &line)) != P2P_OK || line == NULL)
            return st;
        line[strcspn(line, "#")] = '\0';
        if ((label = take_token(&line)) != NULL)
            break;
    }
    *more = 1;
    return read_row(self, label, line, row);
}

const p2pi_format p2pi_format_libsvm = {
    .entry = { "libsvm", "label index:value ... a line, indices from 1", "Chang, Lin, ACM TIST 2011", NULL, 1 },
    .suffixes = suffixes,
    .open = libsvm_open,
    .next = libsvm_next,
    .close = libsvm_close,
};
