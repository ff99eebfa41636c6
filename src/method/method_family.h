/* The list of methods: the built-in ones of methods.def, then those that users registered. */
#ifndef P2PI_METHOD_FAMILY_H
#define P2PI_METHOD_FAMILY_H

#include <p2popt/method.h>

/** Entry i; NULL past the last. */
const p2p_entry *p2pi_method_entry(size_t i);
/** The same as its table. */
const p2p_method_vt *p2pi_method_table(size_t i);

#endif
