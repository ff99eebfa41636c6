/* Members and other names, for the parser of specs. */
#ifndef P2PI_COMPRESSOR_REGISTRY_H
#define P2PI_COMPRESSOR_REGISTRY_H

#include "base/spec.h"
#include "compress/compressor_table.h"

/** The table of entry i of compressors.def, i within the list. */
const p2pi_compressor_vt *p2pi_compressor_member(size_t i);

/** The member of that name; NULL if there is none. */
const p2pi_compressor_vt *p2pi_compressor_named(p2pi_span name);

/** What an alias stands for, as "name" or "name:options"; NULL if it is none. */
const char *p2pi_compressor_alias(p2pi_span name);

#endif
