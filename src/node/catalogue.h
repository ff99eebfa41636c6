/* The registries of all families behind one index. */
#ifndef P2PI_CATALOGUE_H
#define P2PI_CATALOGUE_H

#include <p2popt/option.h>

/** Whether a spec "name:key=value,..." parses against its family; the sentence lists what is allowed. */
p2p_status p2pi_catalogue_check(p2p_family family, const char *spec);

/** Its canonical text: name, and the options that are not the default. P2P_ENOSPC beyond cap. */
p2p_status p2pi_catalogue_canonical(p2p_family family, const char *spec, char *text, size_t cap);

/** Whether a method's own options say how it compresses. */
int p2pi_catalogue_compresses(const char *method);

#endif
