/* The family's list. */
#include "compress/compressor_registry.h"

#define P2P_COMPRESSOR_ALIAS(name, stands_for)
#define P2P_COMPRESSOR(name) extern const p2pi_compressor_vt p2pi_compressor_##name;
#include "compress/compressors.def"
#undef P2P_COMPRESSOR

static const p2pi_compressor_vt *const members[] = {
#define P2P_COMPRESSOR(name) &p2pi_compressor_##name,
#include "compress/compressors.def"
#undef P2P_COMPRESSOR
#undef P2P_COMPRESSOR_ALIAS
};

static const struct {
    const char *name, *stands_for;
} aliases[] = {
#define P2P_COMPRESSOR(name)
#define P2P_COMPRESSOR_ALIAS(name, stands_for) { name, stands_for },
#include "compress/compressors.def"
};

const p2p_entry *
p2pi_compressor_entry(size_t i)
{
    return i < sizeof members / sizeof *members ? &members[i]->entry : NULL;
}

const p2pi_compressor_vt *
p2pi_compressor_member(size_t i)
{
    return members[i];
}

const p2pi_compressor_vt *
p2pi_compressor_named(p2pi_span name)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (p2pi_span_is(name, members[i]->entry.name))
            return members[i];
    return NULL;
}

const char *
p2pi_compressor_alias(p2pi_span name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (p2pi_span_is(name, aliases[i].name))
            return aliases[i].stands_for;
    return NULL;
}
