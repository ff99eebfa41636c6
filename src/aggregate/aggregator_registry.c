#include "aggregate/aggregator_family.h"
#include "aggregate/rule.h"

#define P2P_AGGREGATOR(member) extern const p2pi_aggregator_vt p2pi_aggregator_##member;
#include "aggregate/aggregators.def"
#undef P2P_AGGREGATOR

static const p2pi_aggregator_vt *const tables[] = {
#define P2P_AGGREGATOR(member) &p2pi_aggregator_##member,
#include "aggregate/aggregators.def"
#undef P2P_AGGREGATOR
};

const p2pi_aggregator_vt *
p2pi_aggregator_table(size_t i)
{
    return i < sizeof tables / sizeof *tables ? tables[i] : NULL;
}

const p2p_entry *
p2pi_aggregator_entry(size_t i)
{
    const p2pi_aggregator_vt *table = p2pi_aggregator_table(i);

    return table == NULL ? NULL : &table->entry;
}
