/* Spec strings "name:key=value,key=value" parsed into parameter structs by option tables. */
#ifndef P2PI_SPEC_H
#define P2PI_SPEC_H

#include <p2popt/option.h>
#include <stddef.h>

/** Bytes of a buffer for the longest spec there may be. */
enum { P2PI_SPEC_MAX = 1024 };

/** A piece of a longer text. */
typedef struct {
    const char *at;
    size_t len;
} p2pi_span;

p2pi_span p2pi_span_of(const char *text);
int p2pi_span_is(p2pi_span span, const char *word);

/**
 * Take the next piece up to a separator that is not inside parentheses; rest moves behind it.
 *
 * @return 0 when rest is exhausted. An empty text has one empty piece: check for that first if it matters.
 */
int p2pi_span_next(p2pi_span *rest, char separator, p2pi_span *piece);

/** The name of a spec (up to ':') and its options (behind it; empty if none). */
void p2pi_spec_split(p2pi_span spec, p2pi_span *name, p2pi_span *options);

/**
 * Find a member by name in a family.
 *
 * @param at the family's index function: entry i, or NULL past the last.
 * @return the entry's index; the error lists all names. P2P_EPARSE.
 */
p2p_status p2pi_spec_find(const char *family, p2pi_span name, const p2p_entry *(*at)(size_t), size_t *index);

/** Every option's default, then the options given. param has entry->param_size bytes. P2P_EPARSE, P2P_EINVAL. */
p2p_status p2pi_spec_parse(const char *family, const p2p_entry *entry, p2pi_span options, void *param);

/** Set one option from text, with the same checks and messages. */
p2p_status p2pi_option_set(const char *family, const char *member, const p2p_option *option, p2pi_span value,
                           void *param);
/** The option named by key or one of its further names, or NULL. */
const p2p_option *p2pi_option_find(const p2p_option *options, p2pi_span key);
/** The canonical name, without further names. */
p2pi_span p2pi_option_key(const p2p_option *option);
/** A value as text that p2pi_option_set reads back to the same value. */
void p2pi_option_format(const p2p_option *option, const void *param, char *text, size_t cap);

/** Canonical text: name, then every option that differs from its default, in table order. */
void p2pi_spec_format(const p2p_entry *entry, const void *param, char *text, size_t cap);

#endif
