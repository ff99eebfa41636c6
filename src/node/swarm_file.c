/*
 * The description as YAML: one mapping of keys to scalars, and `nodes`, a list of mappings with endpoint and key.
 * Anything else (nesting, anchors, tags with meaning, second documents) is an error with its line.
 */
#include <p2popt/swarm.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/spec.h"
#include "node/description.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FILE_LIMIT = 64 << 20 };

typedef struct {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; zero before the first */
    const char *path;
    p2p_swarm *swarm;
} reading;

static unsigned
line_of(const reading *r)
{
    return (unsigned)r->event.start_mark.line + 1;
}

static p2p_status
wrong(const reading *r, const char *expected)
{
    return p2p_fail(P2P_EPARSE, "%s:%u: expected %s", r->path, line_of(r), expected);
}

/* The sentence of the call that failed, with the place in front. */
static p2p_status
here(const reading *r, unsigned line, p2p_status status)
{
    return p2pi_fail_context(status, "%s:%u", r->path, line);
}

static p2p_status
next(reading *r)
{
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event))
        return P2P_OK;
    memset(&r->event, 0, sizeof r->event);
    if (r->parser.error == YAML_MEMORY_ERROR)
        return p2pi_fail_memory(r->path, 0);
    return p2p_fail(P2P_EPARSE, "%s:%zu: %s", r->path, r->parser.problem_mark.line + 1,
                    r->parser.problem ? r->parser.problem : "not YAML");
}

static p2p_status
expect(reading *r, yaml_event_type_t type, const char *what)
{
    p2p_status st = next(r);

    return st != P2P_OK || r->event.type == type ? st : wrong(r, what);
}

/* The current event as text; NULL if it is not a scalar, or holds a NUL. */
static const char *
scalar(const reading *r)
{
    const char *text = (const char *)r->event.data.scalar.value;

    if (r->event.type != YAML_SCALAR_EVENT || strlen(text) != r->event.data.scalar.length)
        return NULL;
    return text;
}

static p2p_status
copy_scalar(reading *r, char *text, size_t cap, const char *what)
{
    p2p_status st = next(r);

    if (st != P2P_OK)
        return st;
    if (scalar(r) == NULL)
        return wrong(r, what);
    if (strlen(scalar(r)) >= cap)
        return p2p_fail(P2P_EPARSE, "%s:%u: \"%.40s...\": longer than %zu characters", r->path, line_of(r), scalar(r),
                        cap - 1);
    strcpy(text, scalar(r));
    return P2P_OK;
}

/* The rest of one node's mapping. */
static p2p_status
read_node(reading *r)
{
    char endpoint[P2P_TEXT_MAX] = "", key[P2P_TEXT_MAX] = "";
    unsigned line = line_of(r);
    p2p_status st;

    while ((st = next(r)) == P2P_OK && r->event.type != YAML_MAPPING_END_EVENT) {
        const char *name = scalar(r);
        char *into = name == NULL                    ? NULL
                     : strcmp(name, "endpoint") == 0 ? endpoint
                     : strcmp(name, "key") == 0      ? key
                                                     : NULL;

        if (into == NULL)
            return p2p_fail(P2P_EPARSE, "%s:%u: node %zu: key \"%.40s\": unknown; allowed: endpoint, key", r->path,
                            line_of(r), r->swarm->count, name ? name : "");
        if (*into != '\0')
            return p2p_fail(P2P_EPARSE, "%s:%u: node %zu: \"%s\" is given twice", r->path, line_of(r),
                            r->swarm->count, name);
        if ((st = copy_scalar(r, into, P2P_TEXT_MAX, "a text")) != P2P_OK)
            return st;
    }
    if (st != P2P_OK)
        return st;
    if (endpoint[0] == '\0')
        return p2p_fail(P2P_EPARSE, "%s:%u: node %zu has no endpoint", r->path, line, r->swarm->count);
    if ((st = p2p_swarm_add(r->swarm, endpoint, key[0] ? key : NULL)) != P2P_OK)
        return here(r, line, st);
    r->swarm->members[r->swarm->count - 1].line = line;
    return P2P_OK;
}

static p2p_status
read_nodes(reading *r)
{
    p2p_status st;

    if (r->swarm->count > 0)
        return p2p_fail(P2P_EPARSE, "%s:%u: key \"nodes\" is given twice", r->path, line_of(r));
    if ((st = expect(r, YAML_SEQUENCE_START_EVENT, "a list of nodes, each with endpoint and key")) != P2P_OK)
        return st;
    while ((st = next(r)) == P2P_OK && r->event.type != YAML_SEQUENCE_END_EVENT) {
        if (r->event.type != YAML_MAPPING_START_EVENT)
            return wrong(r, "a node: endpoint and key");
        if ((st = read_node(r)) != P2P_OK)
            return st;
    }
    return st;
}

/* The value of one key; the current event is the key. */
static p2p_status
read_pair(reading *r)
{
    char name[64], value[P2P_TEXT_MAX];
    unsigned line = line_of(r);
    const p2p_option *all = p2p_swarm_options(), *option;
    p2p_status st;

    if (scalar(r) == NULL)
        return wrong(r, "a key, as in \"method: cold\"");
    if (strcmp(scalar(r), "nodes") == 0)
        return read_nodes(r);
    snprintf(name, sizeof name, "%s", scalar(r));
    if ((option = p2pi_option_find(all, p2pi_span_of(name))) == NULL)
        return here(r, line, p2pi_swarm_unknown(name, ", nodes"));
    if (r->swarm->line[option - all] != 0)
        return p2p_fail(P2P_EPARSE, "%s:%u: key \"%s\" is given twice, first in line %u", r->path, line, name,
                        r->swarm->line[option - all]);
    if ((st = copy_scalar(r, value, sizeof value, "one value")) != P2P_OK)
        return st;
    if ((st = p2pi_swarm_set_at(r->swarm, (size_t)(option - all), value)) != P2P_OK)
        return here(r, line, st);
    r->swarm->line[option - all] = line;
    return P2P_OK;
}

static p2p_status
read_document(reading *r)
{
    p2p_status st;

    if ((st = expect(r, YAML_STREAM_START_EVENT, "text")) != P2P_OK)
        return st;
    if ((st = expect(r, YAML_DOCUMENT_START_EVENT, "keys, as in \"method: cold\"")) != P2P_OK)
        return st;
    if ((st = expect(r, YAML_MAPPING_START_EVENT, "keys, as in \"method: cold\"")) != P2P_OK)
        return st;
    while ((st = next(r)) == P2P_OK && r->event.type != YAML_MAPPING_END_EVENT)
        if ((st = read_pair(r)) != P2P_OK)
            return st;
    if (st != P2P_OK || (st = expect(r, YAML_DOCUMENT_END_EVENT, "the end of the document")) != P2P_OK)
        return st;
    return expect(r, YAML_STREAM_END_EVENT, "one document, but here a second begins");
}

p2p_status
p2pi_swarm_parse(p2p_swarm **out, const char *path, const uint8_t *text, size_t len)
{
    reading r = { .path = path };
    p2p_status st = p2p_swarm_new(&r.swarm);

    *out = NULL;
    if (st != P2P_OK)
        return st;
    if ((r.swarm->path = strdup(path)) == NULL)
        st = p2pi_fail_memory(path, strlen(path) + 1);
    else if (!yaml_parser_initialize(&r.parser))
        st = p2pi_fail_memory(path, sizeof r.parser);
    else {
        yaml_parser_set_input_string(&r.parser, text, len);
        st = read_document(&r);
        yaml_event_delete(&r.event);
        yaml_parser_delete(&r.parser);
    }
    if (st != P2P_OK)
        p2p_swarm_destroy(&r.swarm);
    *out = r.swarm;
    return st;
}

p2p_status
p2p_swarm_read(p2p_swarm **out, const char *path)
{
    uint8_t *text;
    size_t len;
    p2p_status st;

    *out = NULL;
    if ((st = p2pi_file_read(path, FILE_LIMIT, &text, &len)) != P2P_OK)
        return st;
    st = p2pi_swarm_parse(out, path, text, len);
    free(text);
    return st;
}

/* A YAML double-quoted scalar. */
static void
write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void
write_key(FILE *out, const p2p_option *option, const char *value)
{
    fprintf(out, "\n# %s\n", option->help);
    if (option->type == P2P_OPT_CHOICE)
        fprintf(out, "# One of %s.\n", option->min);
    fprintf(out, "%s: ", option->key);
    if (option->type == P2P_OPT_TEXT)
        write_quoted(out, value);
    else
        fputs(value, out);
    fputc('\n', out);
}

p2p_status
p2p_swarm_write(const p2p_swarm *self, const char *path)
{
    const p2p_option *all = p2p_swarm_options();
    p2pi_new_file file;
    p2p_status st;

    for (size_t i = 0; i < self->count; i++)
        if (self->members[i].endpoint == NULL)
            return p2p_fail(P2P_EINVAL, "%s: node %zu has no endpoint", path, i);
    if ((st = p2pi_file_begin(&file, path, 0644)) != P2P_OK)
        return st;
    fputs("# A swarm of p2popt: what all its nodes agree on, and where they are. See p2popt-swarm(5).\n",
          file.stream);
    for (size_t i = 0; all[i].key != NULL; i++)
        write_key(file.stream, &all[i], self->text[i]);
    fputs("\n# The nodes in the order of their numbers, from 0: where each listens, and its public key.\n",
          file.stream);
    fputs(self->count > 0 ? "nodes:\n" : "nodes: []\n", file.stream);
    for (size_t i = 0; i < self->count; i++) {
        fputs("  - endpoint: ", file.stream);
        write_quoted(file.stream, self->members[i].endpoint);
        if (self->members[i].public_key[0] != '\0') {
            fputs("\n    key: ", file.stream);
            write_quoted(file.stream, self->members[i].public_key);
        }
        fputc('\n', file.stream);
    }
    return p2pi_file_commit(&file);
}
