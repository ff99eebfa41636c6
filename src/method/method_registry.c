#include "method/method_family.h"

#include <string.h>

#define P2P_METHOD(name) extern const p2p_method_vt p2pi_method_##name;
#include "method/methods.def"
#undef P2P_METHOD

static const p2p_method_vt *const built_in[] = {
#define P2P_METHOD(name) &p2pi_method_##name,
#include "method/methods.def"
#undef P2P_METHOD
};

enum { BUILT_IN = sizeof built_in / sizeof built_in[0], REGISTERED_MAX = 32 };

static const p2p_method_vt *registered[REGISTERED_MAX];
static size_t registered_count;

const p2p_method_vt *
p2pi_method_table(size_t i)
{
    if (i < BUILT_IN)
        return built_in[i];
    return i - BUILT_IN < registered_count ? registered[i - BUILT_IN] : NULL;
}

const p2p_entry *
p2pi_method_entry(size_t i)
{
    const p2p_method_vt *table = p2pi_method_table(i);

    return table ? &table->entry : NULL;
}

p2p_status
p2p_method_register(const p2p_method_vt *table)
{
    const p2p_entry *known;

    if (table->size != sizeof *table)
        return p2p_fail(P2P_EINVAL, "method table: size %zu, expected sizeof(p2p_method_vt) = %zu", table->size,
                        sizeof *table);
    if (table->entry.name == NULL || table->entry.help == NULL || table->start == NULL || table->emit == NULL ||
        table->absorb == NULL || table->stages == 0)
        return p2p_fail(P2P_EINVAL, "method table \"%s\": name, help, stages, start, emit and absorb are required",
                        table->entry.name ? table->entry.name : "");
    if (table->instance_size < table->entry.param_size)
        return p2p_fail(P2P_EINVAL, "method table \"%s\": instance_size %zu is less than entry.param_size %zu",
                        table->entry.name, table->instance_size, table->entry.param_size);
    for (size_t i = 0; (known = p2pi_method_entry(i)) != NULL; i++)
        if (strcmp(known->name, table->entry.name) == 0)
            return p2p_fail(P2P_EINVAL, "method table \"%s\": the name is taken", table->entry.name);
    if (registered_count == REGISTERED_MAX)
        return p2p_fail(P2P_ENOSPC, "method table \"%s\": %d methods are registered already", table->entry.name,
                        REGISTERED_MAX);
    registered[registered_count++] = table;
    return P2P_OK;
}
