/*
 * Spec texts of compressors:
 *
 *     spec     = scheme "(" spec {"," spec} {"," option} ")"  |  part  |  sparsifier "+" quantiser  |  spec "+" part
 *     part     = name [":" option {"," option}]
 *
 * What may follow any spec is a scheme that says so: "topk:k=1%+lhc" is lhc(topk:k=1%).
 *
 * Inside parentheses key=value belongs to the scheme if that is one of its keys, else to the compressor before it;
 * the keys of schemes and parts differ (a test holds them to that).
 */
#include "compress/compressor_registry.h"
#include "compress/layered_spec.h"
#include "compress/pipeline/pipeline.h"

#include "base/fail.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 4, OPERAND_COMP = 4 };

/* Where a codec is opened: its streams are numbered from comp, it stands in that many others. */
typedef struct {
    const p2p_shape *shape; /* NULL: the text is only read */
    p2pi_arena *arena;
    unsigned comp;
    int depth;
} place;

static p2p_status open_span(p2pi_codec **out, p2pi_span spec, place at);

/* elias is another word for gamma: one configuration has one text. */
static void
settle_words(const p2p_entry *entry, void *param)
{
    const p2p_option *code = p2pi_option_find(entry->options, p2pi_span_of("code"));
    int64_t *value = code != NULL ? (int64_t *)((char *)param + code->offset) : NULL;

    if (value != NULL && *value == P2PI_CODE_ELIAS)
        *value = P2PI_CODE_GAMMA;
}

/* A member by name, with its options parsed. */
static p2p_status
choose(p2pi_choice *out, p2pi_span name, p2pi_span options, p2pi_arena *arena)
{
    size_t i;
    p2p_status st = p2pi_spec_find("compressor", name, p2pi_compressor_entry, &i);

    if (st != P2P_OK)
        return st;
    out->member = p2pi_compressor_member(i);
    if ((out->param = p2pi_arena_take(arena, out->member->entry.param_size + 1)) == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_spec_parse("compressor", &out->member->entry, options, out->param)) == P2P_OK)
        settle_words(&out->member->entry, out->param);
    return st;
}

/* A part's text, where the name may stand for another name and options. */
static p2p_status
choose_part(p2pi_choice *out, p2pi_span part, p2pi_arena *arena)
{
    p2pi_span name, options;
    char text[P2PI_SPEC_MAX + 64] = "";
    const char *alias;

    p2pi_spec_split(part, &name, &options);
    if ((alias = p2pi_compressor_alias(name)) != NULL) {
        p2pi_text_append(text, sizeof text, "%s", alias);
        if (options.len > 0)
            p2pi_text_append(text, sizeof text, "%c%.*s", strchr(alias, ':') != NULL ? ',' : ':', (int)options.len,
                             options.at);
        p2pi_spec_split(p2pi_span_of(text), &name, &options);
    }
    return choose(out, name, options, arena);
}

/* "+" joins parts where a name follows it: "1e+3" is a number. */
static size_t
find_plus(p2pi_span spec)
{
    for (size_t i = 0; i + 1 < spec.len; i++)
        if (spec.at[i] == '+' && isalpha((unsigned char)spec.at[i + 1]))
            return i;
    return spec.len;
}

static p2p_status
wrong_role(const p2pi_choice *part, const char *expected)
{
    return p2p_fail(P2P_EPARSE, "compressor \"%s\": expected %s", part->member->entry.name, expected);
}

static p2p_status
choose_parts(p2pi_codec *c, p2pi_span spec, p2pi_arena *arena)
{
    size_t plus = find_plus(spec);
    p2pi_span first = { spec.at, plus }, second = { spec.at + plus + 1, spec.len - plus - (plus < spec.len) };
    p2p_status st = choose_part(&c->part[0], first, arena);

    if (st != P2P_OK)
        return st;
    if (c->part[0].member->operands > 0)
        return wrong_role(&c->part[0], "a compressor in parentheses behind the name, as in \"ef14(topk:k=1%)\"");
    if (plus < spec.len) {
        if (find_plus(second) < second.len)
            return p2p_fail(P2P_EPARSE, "compressor \"%.*s\": a pipeline has two parts, SPARSIFIER+QUANTISER",
                            (int)spec.len, spec.at);
        if ((st = choose_part(&c->part[1], second, arena)) != P2P_OK)
            return st;
        if (c->part[0].member->sparsifier == NULL)
            return wrong_role(&c->part[0], "a sparsifier, such as topk or randk, before \"+\"");
        if (c->part[1].member->quantiser == NULL)
            return wrong_role(&c->part[1], "a quantiser, such as qsgd or sign, behind \"+\"");
    } else if (c->part[0].member->quantiser != NULL) {
        c->part[1] = c->part[0];
        c->part[0] = (p2pi_choice){ NULL, NULL };
    }
    c->scheme =
        c->part[0].member != NULL && c->part[0].member->scheme != NULL ? c->part[0].member->scheme : &p2pi_pipeline;
    return P2P_OK;
}

/* ---- schemes around compressors */

/* What stands in the parentheses, sorted. */
typedef struct {
    char own[P2PI_SPEC_MAX];
    char operand[P2PI_OPERANDS_MAX][P2PI_SPEC_MAX];
    size_t operands;
} arguments;

/* The key of key=value; empty if the piece starts a compressor. */
static p2pi_span
key_of(p2pi_span piece)
{
    p2pi_span key = { piece.at, 0 };

    while (key.len < piece.len && (isalnum((unsigned char)piece.at[key.len]) || piece.at[key.len] == '-'))
        key.len++;
    if (key.len == piece.len || piece.at[key.len] != '=')
        key.len = 0;
    return key;
}

static void
append_piece(char *text, p2pi_span piece, const char *separator)
{
    p2pi_text_append(text, P2PI_SPEC_MAX, "%s%.*s", text[0] != '\0' ? separator : "", (int)piece.len, piece.at);
}

static p2p_status
sort_arguments(const p2p_entry *entry, p2pi_span inside, arguments *a)
{
    p2pi_span piece;

    memset(a, 0, sizeof *a);
    while (p2pi_span_next(&inside, ',', &piece)) {
        p2pi_span key = key_of(piece);

        if (key.len > 0 && p2pi_option_find(entry->options, key) != NULL)
            append_piece(a->own, piece, ",");
        else if (key.len > 0 && a->operands > 0) {
            char *text = a->operand[a->operands - 1];

            append_piece(text, piece, strchr(text, ':') != NULL ? "," : ":");
        } else if (a->operands == P2PI_OPERANDS_MAX)
            return p2p_fail(P2P_EPARSE, "compressor \"%s\": more than %d compressors in the parentheses", entry->name,
                            P2PI_OPERANDS_MAX);
        else
            append_piece(a->operand[a->operands++], piece, "");
    }
    return P2P_OK;
}

static p2p_status
choose_scheme(p2pi_codec *c, p2pi_span spec, size_t open, place at)
{
    p2pi_span name = { spec.at, open }, inside = { spec.at + open + 1, spec.len - open - 2 };
    p2pi_span none = { "", 0 };
    const p2pi_compressor_vt *member;
    arguments a;
    p2p_status st;

    if (spec.at[spec.len - 1] != ')')
        return p2p_fail(P2P_EPARSE, "compressor \"%.*s\": expected \")\" at the end", (int)spec.len, spec.at);
    if ((st = choose(&c->part[0], name, none, at.arena)) != P2P_OK)
        return st;
    member = c->part[0].member;
    if (member->operands == 0)
        return p2p_fail(P2P_EPARSE, "compressor \"%s\": takes no compressor in parentheses; write %s or %s:OPTIONS",
                        member->entry.name, member->entry.name, member->entry.name);
    if ((st = sort_arguments(&member->entry, inside, &a)) != P2P_OK ||
        (st = p2pi_spec_parse("compressor", &member->entry, p2pi_span_of(a.own), c->part[0].param)) != P2P_OK)
        return st;
    if (a.operands != member->operands)
        return p2p_fail(P2P_EPARSE, "compressor \"%s\": has %zu compressors in the parentheses: expected %zu",
                        member->entry.name, a.operands, member->operands);
    c->scheme = member->scheme;
    at.depth++;
    for (size_t i = 0; i < a.operands; i++, at.comp += OPERAND_COMP)
        if ((st = open_span(&c->operand[i], p2pi_span_of(a.operand[i]), at)) != P2P_OK)
            return st;
    return P2P_OK;
}

/* The last "+" outside of parentheses with the name of a scheme behind it that follows what it is around. */
static size_t
find_follower(p2pi_span spec)
{
    size_t found = spec.len, depth = 0;

    for (size_t i = 0; i < spec.len; i++) {
        p2pi_span rest = { spec.at + i + 1, spec.len - i - 1 }, name, options;
        const p2pi_compressor_vt *member;

        depth += (spec.at[i] == '(') - (spec.at[i] == ')');
        if (spec.at[i] != '+' || depth != 0)
            continue;
        p2pi_spec_split(rest, &name, &options);
        member = p2pi_compressor_named(name);
        if (member != NULL && member->follows)
            found = i;
    }
    return found;
}

static p2p_status
choose_follower(p2pi_codec *c, p2pi_span spec, size_t plus, place at)
{
    p2pi_span first = { spec.at, plus }, second = { spec.at + plus + 1, spec.len - plus - 1 };
    p2p_status st = choose_part(&c->part[0], second, at.arena);

    if (st != P2P_OK)
        return st;
    c->scheme = c->part[0].member->scheme;
    at.depth++;
    return open_span(&c->operand[0], first, at);
}

static p2p_status
open_span(p2pi_codec **out, p2pi_span spec, place at)
{
    p2pi_codec *c = p2pi_arena_take(at.arena, sizeof *c);
    const char *open = memchr(spec.at, '(', spec.len);
    size_t plus;
    p2p_status st;

    *out = c;
    if (c == NULL)
        return P2P_ENOMEM;
    if (at.depth > DEEPEST)
        return p2p_fail(P2P_EPARSE, "compressor: more than %d compressors inside one another", DEEPEST);
    plus = find_follower(spec);
    if (plus < spec.len)
        st = choose_follower(c, spec, plus, at);
    else
        st = open != NULL ? choose_scheme(c, spec, (size_t)(open - spec.at), at) : choose_parts(c, spec, at.arena);
    if (st != P2P_OK || at.shape == NULL)
        return st;
    c->shape = *at.shape;
    c->comp = at.comp;
    return c->scheme->plan(c, at.arena);
}

p2p_status
p2pi_codec_open(p2pi_codec **out, const char *spec, const p2p_shape *shape, p2pi_arena *arena)
{
    place at = { shape, arena, 0, 0 };

    *out = NULL;
    if (strlen(spec) >= P2PI_SPEC_MAX)
        return p2p_fail(P2P_EPARSE, "compressor \"%.40s...\": longer than %d characters", spec, P2PI_SPEC_MAX - 1);
    return open_span(out, p2pi_span_of(spec), at);
}

/* ---- canonical text */

static void
append_choice(const p2pi_choice *choice, char *text, size_t cap, const char *separator)
{
    char part[P2PI_SPEC_MAX];

    if (choice->member == NULL)
        return;
    p2pi_spec_format(&choice->member->entry, choice->param, part, sizeof part);
    p2pi_text_append(text, cap, "%s%s", separator, part);
}

void
p2pi_codec_format(const p2pi_codec *c, char *text, size_t cap)
{
    char part[P2PI_SPEC_MAX], *options;

    text[0] = '\0';
    if (c->part[0].member == NULL || c->part[0].member->operands == 0) {
        append_choice(&c->part[0], text, cap, "");
        append_choice(&c->part[1], text, cap, c->part[0].member != NULL ? "+" : "");
        return;
    }
    p2pi_text_append(text, cap, "%s", c->part[0].member->entry.name);
    for (size_t i = 0; i < P2PI_OPERANDS_MAX && c->operand[i] != NULL; i++) {
        p2pi_codec_format(c->operand[i], part, sizeof part);
        p2pi_text_append(text, cap, "%s%s", i == 0 ? "(" : ",", part);
    }
    p2pi_spec_format(&c->part[0].member->entry, c->part[0].param, part, sizeof part);
    options = strchr(part, ':');
    p2pi_text_append(text, cap, "%s%s)", options != NULL ? "," : "", options != NULL ? options + 1 : "");
}

/* Every part or scheme with an empty option "sizes" gets it. */
static p2p_status
fill_sizes(p2pi_codec *c, const char *sizes)
{
    const p2pi_choice *own = &c->part[0];
    const p2p_option *option =
        own->member != NULL ? p2pi_option_find(own->member->entry.options, p2pi_span_of("sizes")) : NULL;
    p2p_status st = P2P_OK;

    if (option != NULL) {
        p2p_text *text = (p2p_text *)(void *)((char *)own->param + option->offset);

        if (text->s[0] == '\0' && strlen(sizes) >= sizeof text->s)
            return p2p_fail(P2P_EINVAL, "compressor \"%s\": the problem's layers take more than %zu characters",
                            own->member->entry.name, sizeof text->s - 1);
        if (text->s[0] == '\0')
            strcpy(text->s, sizes);
    }
    for (size_t i = 0; i < P2PI_OPERANDS_MAX && c->operand[i] != NULL && st == P2P_OK; i++)
        st = fill_sizes(c->operand[i], sizes);
    return st;
}

p2p_status
p2pi_compressor_layered(const char *spec, const char *sizes, char *text, size_t cap)
{
    p2pi_arena *arena;
    p2pi_codec *c;
    p2p_status st = p2pi_arena_new(&arena);

    if (st != P2P_OK)
        return st;
    if ((st = p2pi_codec_open(&c, spec, NULL, arena)) == P2P_OK && (st = fill_sizes(c, sizes)) == P2P_OK)
        p2pi_codec_format(c, text, cap);
    p2pi_arena_destroy(&arena);
    return st;
}

p2p_status
p2pi_compressor_canonical(const char *spec, char *text, size_t cap)
{
    p2pi_arena *arena;
    p2pi_codec *c;
    p2p_status st = p2pi_arena_new(&arena);

    if (st != P2P_OK)
        return st;
    if ((st = p2pi_codec_open(&c, spec, NULL, arena)) == P2P_OK)
        p2pi_codec_format(c, text, cap);
    p2pi_arena_destroy(&arena);
    return st;
}
