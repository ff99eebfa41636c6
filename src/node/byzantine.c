#include "node/byzantine.h"

#include "base/fail.h"

#include <p2popt/node.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits at *text, which moves behind them. 0: there are none, or too many. */
static int
read_rank(const char **text, size_t *rank)
{
    const char *at = *text;

    for (*rank = 0; *at >= '0' && *at <= '9' && at - *text < 9; at++)
        *rank = 10 * *rank + (size_t)(*at - '0');
    if (at == *text)
        return 0;
    *text = at;
    return 1;
}

/* "3,5-7" */
static p2p_status
mark(const char *list, size_t nodes, unsigned char *lies)
{
    const char *at = list;

    for (;;) {
        size_t first, last;

        if (!read_rank(&at, &first))
            break;
        last = first;
        if (*at == '-' && (at++, !read_rank(&at, &last)))
            break;
        if (first > last || last >= nodes)
            return p2p_fail(P2P_EINVAL, "byzantine \"@%s\": nodes %zu to %zu: expected some of 0 to %zu", list, first,
                            last, nodes - 1);
        memset(lies + first, 1, last - first + 1);
        if (*at == '\0')
            return P2P_OK;
        if (*at++ != ',')
            break;
    }
    return p2p_fail(P2P_EPARSE, "byzantine \"@%s\": expected nodes, such as 3,5-7", list);
}

static p2p_status
check_attack(const char *spec)
{
    p2pi_attack *attack;
    p2p_status st = p2pi_attack_new(&attack, spec);

    p2pi_attack_destroy(&attack);
    return st;
}

static p2p_status
read_nodes(p2pi_trial_spec *out, const char *list, size_t nodes, size_t alone)
{
    p2p_status st = P2P_OK;

    if (list != NULL)
        st = mark(list + 1, nodes, out->lies);
    else if (alone < nodes)
        out->lies[alone] = 1;
    else
        return p2p_fail(P2P_EPARSE, "byzantine \"%s\": expected ATTACK@NODES, such as %s@3,5-7", out->attack,
                        out->attack);
    for (size_t i = 0; i < nodes; i++)
        out->given.liars += out->lies[i];
    if (st == P2P_OK && 2 * out->given.liars >= nodes)
        return p2p_fail(P2P_EINVAL,
                        "byzantine: %zu liars among %zu nodes: no rule bears half of them, expected at most %zu",
                        out->given.liars, nodes, (nodes - 1) / 2);
    return st;
}

p2p_status
p2pi_trial_read(p2pi_trial_spec *out, const char *text, size_t nodes, size_t alone)
{
    const char *list = strrchr(text, '@');
    const size_t length = list != NULL ? (size_t)(list - text) : strlen(text);
    p2p_status st;

    memset(out, 0, sizeof *out);
    if (length >= sizeof out->attack)
        return p2p_fail(P2P_EPARSE, "byzantine \"%.40s...\": longer than %zu characters", text,
                        sizeof out->attack - 1);
    memcpy(out->attack, text, length);
    if ((st = check_attack(out->attack)) != P2P_OK)
        return st;
    if ((out->lies = calloc(nodes, 1)) == NULL)
        return p2pi_fail_memory("byzantine", nodes);
    out->given.attack = out->attack;
    out->given.lies = out->lies;
    if ((st = read_nodes(out, list, nodes, alone)) != P2P_OK)
        p2pi_trial_clear(out);
    return st;
}

void
p2pi_trial_clear(p2pi_trial_spec *self)
{
    free(self->lies);
    self->lies = NULL;
}

p2p_status
p2p_byzantine_nodes(const char *text, size_t nodes, unsigned char *lies)
{
    p2pi_trial_spec spec;
    p2p_status st = p2pi_trial_read(&spec, text, nodes, SIZE_MAX);

    if (st != P2P_OK)
        return st;
    memcpy(lies, spec.lies, nodes);
    p2pi_trial_clear(&spec);
    return P2P_OK;
}

/* A node is at most a stage ahead of its neighbours, so this many ahead of the farthest. */
p2p_status
p2pi_trial_board_of(p2pi_board **out, const char *text, const p2pi_plan *plan)
{
    const size_t nodes = p2p_topology_size(plan->topology);
    p2pi_trial_spec spec;
    p2pi_attack *attack;
    p2p_status st;

    *out = NULL;
    if (text == NULL)
        return P2P_OK;
    if ((st = p2pi_trial_read(&spec, text, nodes, SIZE_MAX)) != P2P_OK)
        return st;
    if ((st = p2pi_attack_new(&attack, spec.attack)) == P2P_OK && p2pi_attack_sees(attack))
        st = p2pi_board_new(out, nodes, (size_t)plan->figures.diameter + 3, spec.lies);
    p2pi_attack_destroy(&attack);
    p2pi_trial_clear(&spec);
    return st;
}
