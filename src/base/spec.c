/* The one parser of options. Every message names the value that was given and what is allowed instead. */
#include "base/spec.h"

#include "base/fail.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

p2pi_span
p2pi_span_of(const char *text)
{
    p2pi_span span = { text, strlen(text) };
    return span;
}

int
p2pi_span_is(p2pi_span span, const char *word)
{
    return strlen(word) == span.len && memcmp(span.at, word, span.len) == 0;
}

int
p2pi_span_next(p2pi_span *rest, char separator, p2pi_span *piece)
{
    int depth = 0;
    size_t i;

    if (rest->at == NULL)
        return 0;
    for (i = 0; i < rest->len; i++) {
        char c = rest->at[i];

        if (c == separator && depth == 0)
            break;
        depth += (c == '(') - (c == ')');
    }
    piece->at = rest->at;
    piece->len = i;
    if (i == rest->len) {
        rest->at = NULL;
        rest->len = 0;
    } else {
        rest->at += i + 1;
        rest->len -= i + 1;
    }
    return 1;
}

void
p2pi_spec_split(p2pi_span spec, p2pi_span *name, p2pi_span *options)
{
    *options = spec;
    p2pi_span_next(options, ':', name);
    if (options->at == NULL)
        options->at = "";
}

p2p_status
p2pi_spec_find(const char *family, p2pi_span name, const p2p_entry *(*at)(size_t), size_t *index)
{
    char all[768] = "";
    size_t i;

    for (i = 0; at(i) != NULL; i++) {
        if (p2pi_span_is(name, at(i)->name)) {
            *index = i;
            return P2P_OK;
        }
        p2pi_text_append(all, sizeof all, "%s%s", i ? ", " : "", at(i)->name);
    }
    return p2p_fail(P2P_EPARSE, "%s \"%.*s\": unknown; expected one of: %s", family, (int)name.len, name.at, all);
}

p2pi_span
p2pi_option_key(const p2p_option *option)
{
    p2pi_span names = p2pi_span_of(option->key), key;

    p2pi_span_next(&names, '|', &key);
    return key;
}

const p2p_option *
p2pi_option_find(const p2p_option *options, p2pi_span key)
{
    for (; options != NULL && options->key != NULL; options++) {
        p2pi_span names = p2pi_span_of(options->key), name;

        while (p2pi_span_next(&names, '|', &name))
            if (name.len == key.len && memcmp(name.at, key.at, key.len) == 0)
                return options;
    }
    return NULL;
}

/* What an option allows, for messages: "a number in (0, 1]", "auto", ... */
static void
allowed(const p2p_option *o, char *text, size_t cap)
{
    static const char *const kind[] = { "an integer", "a number", "a count, or a share such as 1%",
                                        "0 or 1",     "one of",   "a text" };
    const char *low = o->min ? o->min : "", *high = o->max ? o->max : "";
    size_t high_len = strlen(high);
    int low_open = low[0] == '(', high_open = high_len > 0 && high[high_len - 1] == ')';

    text[0] = '\0';
    p2pi_text_append(text, cap, "%s", kind[o->type]);
    if (o->type == P2P_OPT_CHOICE)
        p2pi_text_append(text, cap, " %s", o->min);
    else if (o->type == P2P_OPT_TEXT)
        p2pi_text_append(text, cap, " of at most %d characters", P2P_TEXT_MAX - 1);
    else if (o->min && o->max)
        p2pi_text_append(text, cap, " from %s to %.*s", low + low_open, (int)(high_len - (size_t)high_open), high);
    else if (o->min)
        p2pi_text_append(text, cap, " of at least %s", low + low_open);
    else if (o->max)
        p2pi_text_append(text, cap, " of at most %.*s", (int)(high_len - (size_t)high_open), high);
    if (o->type <= P2P_OPT_COUNT && low_open)
        p2pi_text_append(text, cap, " (%s excluded)", low + 1);
    if (o->type <= P2P_OPT_COUNT && high_open)
        p2pi_text_append(text, cap, " (%.*s excluded)", (int)high_len - 1, high);
    if (o->type <= P2P_OPT_REAL && strcmp(o->value, "auto") == 0)
        p2pi_text_append(text, cap, ", or auto");
}

/* A finite number: decimal, exponent, a quotient "1/8", or with allow_percent "1%". Nothing may follow it. */
static int
read_number(const char *text, int allow_percent, double *value, int *percent)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || strpbrk(text, "xXnNiI") != NULL)
        return 0;
    if (*end == '/') {
        const char *below = end + 1;
        double w = strtod(below, &end);

        if (end == below || w == 0)
            return 0;
        v /= w;
    }
    *percent = allow_percent && *end == '%';
    if (*percent) {
        v /= 100;
        end++;
    }
    *value = v;
    return *end == '\0' && isfinite(v);
}

static int
above_min(const p2p_option *o, double v)
{
    double bound;
    int open, percent;

    if (o->min == NULL)
        return 1;
    open = o->min[0] == '(';
    if (!read_number(o->min + open, 1, &bound, &percent))
        return 0;
    return open ? v > bound : v >= bound;
}

static int
below_max(const p2p_option *o, double v)
{
    char text[64];
    double bound;
    size_t len;
    int open, percent;

    if (o->max == NULL)
        return 1;
    len = strlen(o->max);
    open = o->max[len - 1] == ')';
    snprintf(text, sizeof text, "%.*s", (int)(len - (size_t)open), o->max);
    if (!read_number(text, 1, &bound, &percent))
        return 0;
    return open ? v < bound : v <= bound;
}

static int
read_int(const p2p_option *o, const char *text, int64_t *value)
{
    char *end;
    long long v;

    if (strcmp(text, "auto") == 0 && strcmp(o->value, "auto") == 0) {
        *value = P2P_AUTO_INT;
        return 1;
    }
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0')
        return 0;
    *value = v;
    return above_min(o, (double)v) && below_max(o, (double)v);
}

static int
read_real(const p2p_option *o, const char *text, double *value)
{
    int percent;

    if (strcmp(text, "auto") == 0 && strcmp(o->value, "auto") == 0) {
        *value = NAN;
        return 1;
    }
    return read_number(text, 0, value, &percent) && above_min(o, *value) && below_max(o, *value);
}

/* A share is whatever has a % or lies below 1; a count is an integer of at least 1. */
static int
read_count(const p2p_option *o, const char *text, p2p_count *value)
{
    double v;
    int percent, none = o->min != NULL && strcmp(o->min, "0") == 0;

    if (!read_number(text, 1, &v, &percent) || v < 0 || (v == 0 && !none))
        return 0;
    if (v == 0) {
        *value = (p2p_count){ 0, 0 };
        return 1;
    }
    if (percent || v < 1) {
        value->count = 0;
        value->share = v;
        return v <= 1;
    }
    value->count = (uint64_t)v;
    value->share = 0;
    return v <= 4294967295.0 && (double)value->count == v;
}

static int
read_bool(const char *text, int64_t *value)
{
    static const char *const words[] = { "0", "1", "no", "yes", "false", "true" };
    size_t i;

    for (i = 0; i < 6; i++)
        if (strcmp(text, words[i]) == 0) {
            *value = (int64_t)(i & 1);
            return 1;
        }
    return 0;
}

static int
read_choice(const p2p_option *o, const char *text, int64_t *value)
{
    p2pi_span words = p2pi_span_of(o->min), word;
    int64_t i;

    for (i = 0; p2pi_span_next(&words, '|', &word); i++)
        if (p2pi_span_is(word, text)) {
            *value = i;
            return 1;
        }
    return 0;
}

p2p_status
p2pi_option_set(const char *family, const char *member, const p2p_option *o, p2pi_span value, void *param)
{
    char text[P2P_TEXT_MAX], what[256];
    void *where = (char *)param + o->offset;
    p2pi_span key = p2pi_option_key(o);
    int ok = value.len < sizeof text;

    if (ok) {
        memcpy(text, value.at, value.len);
        text[value.len] = '\0';
        ok = memchr(text, '\0', value.len) == NULL && (value.len > 0 || o->type == P2P_OPT_TEXT);
    }
    if (ok)
        switch (o->type) {
        case P2P_OPT_INT: ok = read_int(o, text, where); break;
        case P2P_OPT_REAL: ok = read_real(o, text, where); break;
        case P2P_OPT_COUNT: ok = read_count(o, text, where); break;
        case P2P_OPT_BOOL: ok = read_bool(text, where); break;
        case P2P_OPT_CHOICE: ok = read_choice(o, text, where); break;
        case P2P_OPT_TEXT: memcpy(where, text, value.len + 1); break;
        }
    if (ok)
        return P2P_OK;
    allowed(o, what, sizeof what);
    return p2p_fail(P2P_EINVAL, "%s \"%s\": %.*s=%.*s: expected %s", family, member, (int)key.len, key.at,
                    (int)(value.len > 80 ? 80 : value.len), value.at, what);
}

static p2p_status
unknown_key(const char *family, const p2p_entry *entry, p2pi_span key)
{
    char all[512] = "";
    const p2p_option *o;

    for (o = entry->options; o != NULL && o->key != NULL; o++) {
        p2pi_span k = p2pi_option_key(o);

        p2pi_text_append(all, sizeof all, "%s%.*s", all[0] ? ", " : "", (int)k.len, k.at);
    }
    return p2p_fail(P2P_EPARSE, "%s \"%s\": unknown option \"%.*s\"; %s%s", family, entry->name,
                    (int)(key.len > 80 ? 80 : key.len), key.at, all[0] ? "allowed: " : "it has none", all);
}

p2p_status
p2pi_spec_parse(const char *family, const p2p_entry *entry, p2pi_span options, void *param)
{
    uint64_t seen = 0;
    const p2p_option *o;
    p2pi_span piece;
    p2p_status st;

    memset(param, 0, entry->param_size);
    for (o = entry->options; o != NULL && o->key != NULL; o++)
        if ((st = p2pi_option_set(family, entry->name, o, p2pi_span_of(o->value), param)) != P2P_OK)
            return st;
    if (options.len == 0)
        return P2P_OK;
    while (p2pi_span_next(&options, ',', &piece)) {
        p2pi_span key, value = piece;

        p2pi_span_next(&value, '=', &key);
        if ((o = p2pi_option_find(entry->options, key)) == NULL)
            return unknown_key(family, entry, key);
        if (value.at == NULL)
            return p2p_fail(P2P_EPARSE, "%s \"%s\": option \"%.*s\" has no value; write %.*s=VALUE", family,
                            entry->name, (int)key.len, key.at, (int)key.len, key.at);
        if (seen >> (o - entry->options) & 1)
            return p2p_fail(P2P_EPARSE, "%s \"%s\": option \"%.*s\" is given twice", family, entry->name,
                            (int)key.len, key.at);
        seen |= UINT64_C(1) << (o - entry->options);
        if ((st = p2pi_option_set(family, entry->name, o, value, param)) != P2P_OK)
            return st;
    }
    return P2P_OK;
}

void
p2pi_option_format(const p2p_option *o, const void *param, char *text, size_t cap)
{
    const void *where = (const char *)param + o->offset;
    int64_t i;
    double v;

    text[0] = '\0';
    switch (o->type) {
    case P2P_OPT_INT:
    case P2P_OPT_BOOL:
        memcpy(&i, where, sizeof i);
        if (i == P2P_AUTO_INT)
            p2pi_text_append(text, cap, "auto");
        else
            p2pi_text_append(text, cap, "%" PRId64, i);
        break;
    case P2P_OPT_REAL:
        memcpy(&v, where, sizeof v);
        if (p2p_is_auto(v))
            p2pi_text_append(text, cap, "auto");
        else
            p2pi_text_real(text, cap, v);
        break;
    case P2P_OPT_COUNT:
        if (((const p2p_count *)where)->share > 0) {
            p2pi_text_real(text, cap, ((const p2p_count *)where)->share * 100);
            p2pi_text_append(text, cap, "%%");
        } else
            p2pi_text_append(text, cap, "%" PRIu64, ((const p2p_count *)where)->count);
        break;
    case P2P_OPT_CHOICE: {
        p2pi_span words = p2pi_span_of(o->min), word = { "", 0 };

        memcpy(&i, where, sizeof i);
        for (; i >= 0 && p2pi_span_next(&words, '|', &word); i--)
            continue;
        p2pi_text_append(text, cap, "%.*s", (int)word.len, word.at);
        break;
    }
    case P2P_OPT_TEXT:
        p2pi_text_append(text, cap, "%s", ((const p2p_text *)where)->s);
        break;
    }
}

void
p2pi_spec_format(const p2p_entry *entry, const void *param, char *text, size_t cap)
{
    const p2p_option *o;
    char separator = ':';

    text[0] = '\0';
    p2pi_text_append(text, cap, "%s", entry->name);
    for (o = entry->options; o != NULL && o->key != NULL; o++) {
        char given[P2P_TEXT_MAX], usual[P2P_TEXT_MAX];
        p2pi_span key = p2pi_option_key(o);
        p2p_option defaults = *o;
        union {
            p2p_text text;
            p2p_count count;
            double real;
        } value;

        defaults.offset = 0;
        memset(&value, 0, sizeof value);
        p2pi_option_set("", entry->name, &defaults, p2pi_span_of(o->value), &value);
        p2pi_option_format(o, param, given, sizeof given);
        p2pi_option_format(&defaults, &value, usual, sizeof usual);
        if (strcmp(given, usual) != 0) {
            p2pi_text_append(text, cap, "%c%.*s=%s", separator, (int)key.len, key.at, given);
            separator = ',';
        }
    }
}

size_t
p2p_count_of(p2p_count count, size_t dim)
{
    /* 7 % of 100 is 7, though the product is not. */
    double k = count.share > 0 ? ceil(count.share * (double)dim - 1e-9) : (double)count.count;

    if (k < 1)
        return 1;
    return k < (double)dim ? (size_t)k : dim;
}
