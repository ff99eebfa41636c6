#include "node/catalogue.h"

#include "aggregate/aggregator_family.h"
#include "aggregate/attack.h"
#include "base/fail.h"
#include "base/spec.h"
#include "compress/compressor_table.h"
#include "method/method_family.h"
#include "problem/problems.h"
#include "topology/generator.h"
#include "transport/transport.h"

#include <stdlib.h>
#include <string.h>

typedef const p2p_entry *entry_at(size_t i);
typedef p2p_status canonical(const char *spec, char *text, size_t cap);

static const struct {
    const char *name;
    entry_at *at;
    canonical *canonical; /* of families whose specs join several members; NULL: name:key=value,... */
} families[P2P_FAMILY_COUNT] = {
    [P2P_FAMILY_METHOD] = { "method", p2pi_method_entry, NULL },
    [P2P_FAMILY_COMPRESSOR] = { "compressor", p2pi_compressor_entry, p2pi_compressor_canonical },
    [P2P_FAMILY_TOPOLOGY] = { "topology", p2pi_topology_entry, NULL },
    [P2P_FAMILY_MIXING] = { "mixing", p2pi_mixing_entry, NULL },
    [P2P_FAMILY_PROBLEM] = { "problem", p2pi_problem_entry, NULL },
    [P2P_FAMILY_AGGREGATOR] = { "aggregator", p2pi_aggregator_entry, p2pi_aggregator_canonical },
    [P2P_FAMILY_TRANSPORT] = { "transport", p2pi_transport_entry, NULL },
    [P2P_FAMILY_ATTACK] = { "attack", p2pi_attack_entry, NULL },
};

const char *
p2p_family_name(p2p_family family)
{
    return (unsigned)family < P2P_FAMILY_COUNT ? families[family].name : NULL;
}

const p2p_entry *
p2p_family_entry(p2p_family family, size_t index)
{
    return (unsigned)family < P2P_FAMILY_COUNT ? families[family].at(index) : NULL;
}

/* Parse a spec; the parameters, from malloc, go to *param. */
static p2p_status
parse(p2p_family family, const char *spec, const p2p_entry **entry, void **param)
{
    p2pi_span name, options;
    size_t index;
    p2p_status st;

    *param = NULL;
    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find(families[family].name, name, families[family].at, &index)) != P2P_OK)
        return st;
    *entry = families[family].at(index);
    if ((*param = malloc((*entry)->param_size + 1)) == NULL)
        return p2pi_fail_memory("spec", (*entry)->param_size);
    if ((st = p2pi_spec_parse(families[family].name, *entry, options, *param)) != P2P_OK) {
        free(*param);
        *param = NULL;
    }
    return st;
}

p2p_status
p2pi_catalogue_check(p2p_family family, const char *spec)
{
    const p2p_entry *entry;
    void *param;
    p2p_status st;

    if (p2p_family_entry(family, 0) == NULL)
        return P2P_OK;
    if (families[family].canonical != NULL) {
        char text[1024];

        return families[family].canonical(spec, text, sizeof text);
    }
    st = parse(family, spec, &entry, &param);
    free(param);
    return st;
}

p2p_status
p2pi_catalogue_canonical(p2p_family family, const char *spec, char *text, size_t cap)
{
    const p2p_entry *entry;
    void *param;
    p2p_status st;

    if (families[family].canonical != NULL)
        st = families[family].canonical(spec, text, cap);
    else if ((st = parse(family, spec, &entry, &param)) == P2P_OK) {
        p2pi_spec_format(entry, param, text, cap);
        free(param);
    }
    if (st != P2P_OK)
        return st;
    if (strlen(text) + 1 >= cap)
        return p2p_fail(P2P_ENOSPC, "%s \"%.80s\": longer than %zu characters", families[family].name, spec, cap - 2);
    return P2P_OK;
}

int
p2pi_catalogue_compresses(const char *method)
{
    p2pi_span name, options;
    size_t index;

    p2pi_spec_split(p2pi_span_of(method), &name, &options);
    return p2pi_spec_find("method", name, p2pi_method_entry, &index) == P2P_OK &&
           (p2pi_method_table(index)->traits & P2P_METHOD_COMPRESSES) != 0;
}
