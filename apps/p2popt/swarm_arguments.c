#include "swarm_arguments.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KEY = 2000, MAX_OWN = 32, MAX_KEYS = 32, KEY_SIZE = 32, HELP_SIZE = 160 };

/* Texts of the joined table: names without their aliases, and "what it is [its default]". */
static char names[MAX_KEYS][KEY_SIZE], helps[MAX_KEYS][HELP_SIZE];

/* What the help text calls a key's argument. */
static const char *
argument_of(const p2p_option *key)
{
    static const char *const by_type[] = { "N", "X", "COUNT", "yes|no", "WORD", "TEXT" };

    for (int family = 0; family < P2P_FAMILY_COUNT; family++)
        if (strcmp(key->key, p2p_family_name((p2p_family)family)) == 0)
            return "SPEC";
    return by_type[key->type];
}

command
swarm_arguments_join(const command *own)
{
    static command_option joined[MAX_OWN + MAX_KEYS + 1];
    const p2p_option *key = p2p_swarm_options();
    command self = *own;
    size_t n = 0;

    for (const command_option *o = own->options; o->name != NULL; o++) {
        assert(n < MAX_OWN);
        joined[n++] = *o;
    }
    for (size_t i = 0; key[i].key != NULL; i++) {
        assert(i < MAX_KEYS);
        snprintf(names[i], KEY_SIZE, "%.*s", (int)strcspn(key[i].key, "|"), key[i].key);
        snprintf(helps[i], HELP_SIZE, key[i].value[0] ? "%s [%s]" : "%s", key[i].help, key[i].value);
        joined[n++] = (command_option){ names[i], FIRST_KEY + (int)i, argument_of(&key[i]), helps[i] };
    }
    joined[n] = (command_option){ NULL, 0, NULL, NULL };
    self.options = joined;
    return self;
}

const char *
swarm_arguments_key(int letter)
{
    return names[letter - FIRST_KEY];
}

void
swarm_arguments_take(const command *self, p2p_swarm *swarm, int letter, const char *argument)
{
    const char *name = swarm_arguments_key(letter);

    if (p2p_swarm_set(swarm, name, argument) != P2P_OK)
        exit(command_usage_error(self, "--%s %s: %s", name, argument, p2p_last_error()));
}
