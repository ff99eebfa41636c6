#include "aggregate/chain.h"

#include "aggregate/aggregator_family.h"
#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"

static p2p_status
parse_member(p2pi_chain_member *member, p2pi_arena *arena, p2pi_span spec)
{
    p2pi_span name, options;
    p2p_status st;
    size_t i;

    p2pi_spec_split(spec, &name, &options);
    if ((st = p2pi_spec_find("aggregator", name, p2pi_aggregator_entry, &i)) != P2P_OK)
        return st;
    member->vt = p2pi_aggregator_table(i);
    if ((member->param = p2pi_arena_take(arena, member->vt->entry.param_size)) == NULL)
        return P2P_ENOMEM;
    return p2pi_spec_parse("aggregator", &member->vt->entry, options, member->param);
}

/* A member's option f; P2P_AUTO_INT also where it has none, with *has telling. */
static int64_t
option_f(const p2pi_chain_member *member, int *has)
{
    const p2p_option *f = p2pi_option_find(member->vt->entry.options, p2pi_span_of("f"));

    *has = f != NULL;
    return f != NULL ? *(const int64_t *)((const char *)member->param + f->offset) : P2P_AUTO_INT;
}

/* A pre-aggregator's f=auto is the rule's f, or 1 where the rule has none. */
static void
settle_liars(p2pi_chain *chain)
{
    int has;
    int64_t of_rule = option_f(&chain->member[chain->count - 1], &has);

    if (!has)
        of_rule = 1;
    for (size_t i = 0; i < chain->count; i++) {
        int64_t f = option_f(&chain->member[i], &has);

        chain->member[i].f = !has ? 0 : f == P2P_AUTO_INT ? (size_t)of_rule : (size_t)f;
    }
}

static p2p_status
check_order(const p2pi_chain *chain, const char *spec)
{
    for (size_t i = 0; i < chain->count; i++) {
        int last = i + 1 == chain->count, is_rule = chain->member[i].vt->apply != NULL;

        if (last && !is_rule)
            return p2p_fail(P2P_EPARSE, "aggregator \"%s\": %s works before a rule: write %s|RULE, as in %s|median",
                            spec, chain->member[i].vt->entry.name, chain->member[i].vt->entry.name,
                            chain->member[i].vt->entry.name);
        if (!last && is_rule)
            return p2p_fail(P2P_EPARSE,
                            "aggregator \"%s\": %s is a rule and must come last; before it may come "
                            "nnm, bucketing, clip and arc",
                            spec, chain->member[i].vt->entry.name);
    }
    return P2P_OK;
}

p2p_status
p2pi_chain_parse(p2pi_chain *chain, p2pi_arena *arena, const char *spec)
{
    p2pi_span rest = p2pi_span_of(spec), piece;
    char text[P2PI_CHAIN_TEXT];
    p2p_status st;

    chain->count = 0;
    chain->spec[0] = '\0';
    while (p2pi_span_next(&rest, '|', &piece)) {
        p2pi_chain_member *member = &chain->member[chain->count];

        if (chain->count == P2PI_CHAIN_MAX)
            return p2p_fail(P2P_EPARSE, "aggregator \"%s\": more than %d members", spec, P2PI_CHAIN_MAX);
        if ((st = parse_member(member, arena, piece)) != P2P_OK)
            return st;
        p2pi_spec_format(&member->vt->entry, member->param, text, sizeof text);
        p2pi_text_append(chain->spec, sizeof chain->spec, "%s%s", chain->count++ ? "|" : "", text);
    }
    settle_liars(chain);
    return check_order(chain, spec);
}

p2p_status
p2pi_aggregator_canonical(const char *spec, char *text, size_t cap)
{
    p2pi_arena *arena;
    p2pi_chain chain;
    p2p_status st = p2pi_arena_new(&arena);

    text[0] = '\0';
    if (st == P2P_OK && (st = p2pi_chain_parse(&chain, arena, spec)) == P2P_OK)
        p2pi_text_append(text, cap, "%s", chain.spec);
    p2pi_arena_destroy(&arena);
    return st;
}

size_t
p2pi_chain_liars(const p2pi_chain_member *member, size_t refused)
{
    return member->f > refused ? member->f - refused : 0;
}

size_t
p2pi_chain_outputs(const p2pi_chain_member *member, size_t rows)
{
    return member->vt->outputs != NULL ? member->vt->outputs(member->param, rows) : rows;
}

static p2p_status
check_member(const p2pi_chain *chain, const p2pi_chain_member *member, p2p_status status, size_t rows, int own,
             size_t f)
{
    const p2pi_aggregator_vt *vt = member->vt;
    int neighbours = own && (vt->traits & P2PI_RULE_NEIGHBOURS);
    size_t have = rows - (size_t)neighbours, need = vt->least_f * f + vt->least;

    if (!own && (vt->traits & P2PI_RULE_OWN))
        return p2p_fail(status, "aggregator \"%s\": %s needs the node's own vector, and there is none", chain->spec,
                        vt->entry.name);
    if (have < need)
        return p2p_fail(status,
                        "aggregator \"%s\": %zu %s%s%s, %s with f=%zu needs at least %zu (breakdown point %s)",
                        chain->spec, have, neighbours ? "neighbour" : "vector", have == 1 ? "" : "s",
                        own && !neighbours ? " with own" : "", vt->entry.name, f, need, vt->breakdown);
    if (vt->check != NULL && !vt->check(member->param, rows, f))
        return p2pi_fail_context(status, "aggregator \"%s\"", chain->spec);
    return P2P_OK;
}

p2p_status
p2pi_chain_check(const p2pi_chain *chain, p2p_status status, size_t rows, int own, size_t refused)
{
    for (size_t i = 0; i < chain->count; i++) {
        const p2pi_chain_member *member = &chain->member[i];
        p2p_status st = check_member(chain, member, status, rows, own, p2pi_chain_liars(member, refused));

        if (st != P2P_OK)
            return st;
        rows = p2pi_chain_outputs(member, rows);
        own = own && !(member->vt->traits & P2PI_RULE_MIXES_OWN);
    }
    return P2P_OK;
}
