/* Dense tables of numbers, a row a line: comma, semicolon, tab or blanks between, with or without a header row. */
#include "problem/records.h"

#include "base/decimal.h"
#include "base/fail.h"
#include "problem/lines.h"
#include "problem/table_param.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_AUTO, HEADER_YES, HEADER_NO };

struct p2pi_source {
    p2pi_lines *lines;
    p2pi_table_param param;
    char delimiter; /* 0 until the first line told */
    size_t width;   /* columns of the first line */
    double *numbers;
    size_t cap;
    int started;
};

static const char *const suffixes[] = { ".csv.gz", ".csv", ".tsv.gz", ".tsv", NULL };

static void
csv_close(p2pi_source *self)
{
    p2pi_lines_close(&self->lines);
    free(self->numbers);
    free(self);
}

static p2p_status
csv_open(p2pi_source **out, const char *path, const void *param)
{
    static const char delimiters[] = { 0, ',', ';', '\t', ' ' };
    p2pi_source *self = calloc(1, sizeof *self);
    p2p_status st;

    if (self == NULL)
        return p2pi_fail_memory(path, sizeof *self);
    self->param = *(const p2pi_table_param *)param;
    self->delimiter = delimiters[self->param.delimiter];
    if ((st = p2pi_lines_open(&self->lines, path, suffixes)) != P2P_OK) {
        csv_close(self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

/* The first of , ; tab blank that the line has. */
static char
guess_delimiter(const char *line)
{
    static const char candidates[] = ",;\t ";

    for (size_t i = 0; candidates[i] != '\0'; i++)
        if (strchr(line, candidates[i]) != NULL)
            return candidates[i];
    return ',';
}

static char *
skip_blanks(char *at)
{
    return at + strspn(at, " \t");
}

/*
 * Cut off the next field, without the blanks around it, and step behind it; NULL behind the last. Where blanks
 * delimit, any number of them is one delimiter.
 */
static char *
take_field(char **rest, char delimiter)
{
    char *field = *rest, *end;

    if (field == NULL)
        return NULL;
    field = delimiter == '\t' ? field + strspn(field, " ") : skip_blanks(field);
    end = field + strcspn(field, (char[]){ delimiter, '\0' });
    *rest = *end == '\0' ? NULL : end + 1;
    if (delimiter == ' ' && *rest != NULL && *skip_blanks(*rest) == '\0')
        *rest = NULL;
    *end = '\0';
    while (end > field && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    return field;
}

static int
read_real(const char *field, double *value)
{
    const char *end;

    *value = p2pi_decimal(field, &end);
    return end > field && *end == '\0' && isfinite(*value);
}

static int
reserve(p2pi_source *self, size_t count)
{
    size_t cap = self->cap ? 2 * self->cap : 64;
    double *numbers;

    if (count <= self->cap)
        return 1;
    if ((numbers = realloc(self->numbers, cap * sizeof *numbers)) == NULL)
        return 0;
    self->numbers = numbers;
    self->cap = cap;
    return 1;
}

/*
 * Every field of a line as a number. *bad is the first that is none, of which *column says the place; NULL if all are
 * numbers, and then *column is how many there are.
 */
static p2p_status
read_numbers(p2pi_source *self, char *line, char **bad, size_t *column)
{
    char *field;

    *bad = NULL;
    for (*column = 0; (field = take_field(&line, self->delimiter)) != NULL; (*column)++) {
        if (!reserve(self, *column + 1))
            return p2pi_fail_memory("data row", self->cap);
        if (*bad == NULL && !read_real(field, &self->numbers[*column])) {
            *bad = field;
            break;
        }
    }
    return P2P_OK;
}

static p2p_status
not_a_number(const p2pi_source *self, const char *field, size_t column)
{
    if (*field == '\0')
        return p2pi_lines_fail(self->lines, "column %zu is empty: expected a finite number", column + 1);
    return p2pi_lines_fail(self->lines, "column %zu: \"%.40s\": expected a finite number", column + 1, field);
}

/* Names of columns: no field is a number, not even one that is not finite. */
static int
holds_names(const p2pi_source *self, char *line)
{
    char *field, *end;

    while ((field = take_field(&line, self->delimiter)) != NULL) {
        strtod(field, &end);
        if (end != field && *end == '\0')
            return 0;
    }
    return 1;
}

/* The first line tells the delimiter, and may be a header. */
static p2p_status
start(p2pi_source *self, char *line, int *is_header)
{
    char *copy = strdup(line);

    if (copy == NULL)
        return p2pi_fail_memory("data row", strlen(line));
    self->started = 1;
    if (self->delimiter == 0)
        self->delimiter = guess_delimiter(line);
    *is_header = self->param.header == HEADER_YES || (self->param.header == HEADER_AUTO && holds_names(self, copy));
    free(copy);
    return P2P_OK;
}

static p2p_status
read_row(p2pi_source *self, char *line, p2pi_record *row)
{
    double *features;
    size_t width;
    char *bad;
    p2p_status st;

    if ((st = read_numbers(self, line, &bad, &width)) != P2P_OK)
        return st;
    if (bad != NULL)
        return not_a_number(self, bad, width);
    if (self->width == 0)
        self->width = width;
    if (width != self->width)
        return p2pi_lines_fail(self->lines, "%zu columns: expected %zu, as in the rows before", width, self->width);
    if (width < 2)
        return p2pi_lines_fail(self->lines, "one column: expected a label and at least one feature");
    row->label = p2pi_table_label(&self->param, self->numbers, width, &features);
    row->values = features;
    row->columns = NULL;
    row->count = width - 1;
    return P2P_OK;
}

static p2p_status
csv_next(p2pi_source *self, p2pi_record *row, int *more)
{
    char *line;
    p2p_status st;

    *more = 0;
    for (;;) {
        int is_header = 0;

        if ((st = p2pi_lines_next(self->lines, &line)) != P2P_OK || line == NULL)
            return st;
        if (*skip_blanks(line) == '\0')
            continue;
        if (!self->started && (st = start(self, line, &is_header)) != P2P_OK)
            return st;
        if (!is_header)
            break;
    }
    *more = 1;
    return read_row(self, line, row);
}

static const p2p_option options[] = {
    P2PI_LABEL_OPTION,
    { "delimiter", P2P_OPT_CHOICE, "auto", "auto|comma|semicolon|tab|space", NULL, "what stands between columns",
      offsetof(p2pi_table_param, delimiter) },
    { "header", P2P_OPT_CHOICE, "auto", "auto|yes|no", NULL, "whether the first line names the columns",
      offsetof(p2pi_table_param, header) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_format p2pi_format_csv = {
    .entry = { "csv", "a dense table, a row a line", "RFC 4180", options, sizeof(p2pi_table_param) },
    .suffixes = suffixes,
    .open = csv_open,
    .next = csv_next,
    .close = csv_close,
};
