/* p2popt list: what the registries hold. */
#include "command.h"
#include "compressor_class.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_LONG = 256, OPTION_JSON };
enum { CLASS_MAX = 256 };

/* The families, and the keys of a swarm description, which have no members but options of their own. */
enum { LIST_KEYS = P2P_FAMILY_COUNT, LIST_COUNT };
static const char *const plurals[LIST_COUNT] = { "methods",     "compressors", "topologies", "mixings", "problems",
                                                 "aggregators", "transports",  "attacks",    "keys" };
static const char *const type_names[] = { "int", "real", "count", "bool", "choice", "text" };

static int
is_family(size_t family, const char *word)
{
    return strcmp(word, plurals[family]) == 0 ||
           (family < P2P_FAMILY_COUNT && strcmp(word, p2p_family_name((p2p_family)family)) == 0);
}

static int
key_length(const p2p_option *option)
{
    return (int)strcspn(option->key, "|");
}

/* "1 to 100%", "above 0, at most 1", "auto, fixed or gaps"; "" for no bound. */
static void
describe_range(const p2p_option *option, char *text, size_t cap)
{
    const char *min = option->min, *max = option->max;
    int open_min = min != NULL && *min == '(';
    int open_max = max != NULL && *max != '\0' && max[strlen(max) - 1] == ')';

    text[0] = '\0';
    if (option->type == P2P_OPT_CHOICE) {
        size_t i, used = (size_t)snprintf(text, cap, "%s", min);

        for (i = 0; i < used && i + 1 < cap; i++)
            text[i] = text[i] == '|' ? ' ' : text[i];
        return;
    }
    if (min != NULL && max != NULL && !open_min && !open_max)
        snprintf(text, cap, "%s to %s", min, max);
    else if (min != NULL || max != NULL)
        snprintf(text, cap, "%s%s%s%s%.*s",
                 min == NULL ? ""
                 : open_min  ? "above "
                             : "at least ",
                 min == NULL ? "" : min + open_min, min != NULL && max != NULL ? ", " : "",
                 max == NULL ? ""
                 : open_max  ? "below "
                             : "at most ",
                 max == NULL ? 0 : (int)strlen(max) - open_max, max == NULL ? "" : max);
}

static void
print_options(const p2p_option *option)
{
    for (; option != NULL && option->key != NULL; option++) {
        char range[256];

        describe_range(option, range, sizeof range);
        printf("    %.*s=%s\tdefault %s%s%s\t%s\n", key_length(option), option->key, type_names[option->type],
               option->value[0] == '\0' ? "empty" : option->value, range[0] ? "; " : "", range, option->help);
    }
}

static void
print_family(size_t family, int full)
{
    const p2p_entry *entry;

    if (family == LIST_KEYS) {
        const p2p_option *option;

        if (full)
            print_options(p2p_swarm_options());
        else
            for (option = p2p_swarm_options(); option->key != NULL; option++)
                printf("%-20.*s %s\n", key_length(option), option->key, option->help);
        return;
    }
    for (size_t i = 0; (entry = p2p_family_entry((p2p_family)family, i)) != NULL; i++) {
        if (family == P2P_FAMILY_COMPRESSOR) {
            char class[CLASS_MAX];

            compressor_class_of_entry(entry->name, class, sizeof class);
            printf("%-12s %-36s %s\n", entry->name, class, entry->help);
        } else
            printf("%-20s %s\n", entry->name, entry->help);
        if (full) {
            if (entry->source != NULL)
                printf("    source: %s\n", entry->source);
            print_options(entry->options);
        }
    }
}

static json_t *
json_options(const p2p_option *option)
{
    json_t *list = json_array();

    for (; option != NULL && option->key != NULL; option++) {
        int choice = option->type == P2P_OPT_CHOICE;

        json_array_append_new(list, json_pack("{s:s%, s:s, s:s, s:s?, s:s?, s:s?, s:s}", "key", option->key,
                                              (size_t)key_length(option), "type", type_names[option->type], "default",
                                              option->value, "min", choice ? NULL : option->min, "max", option->max,
                                              "choices", choice ? option->min : NULL, "help", option->help));
    }
    return list;
}

static void
json_family(size_t family, json_t *list)
{
    const p2p_entry *entry;

    if (family == LIST_KEYS) {
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "family", "keys", "options", json_options(p2p_swarm_options())));
        return;
    }
    for (size_t i = 0; (entry = p2p_family_entry((p2p_family)family, i)) != NULL; i++) {
        json_t *member = json_pack("{s:s, s:s, s:s, s:s?, s:o}", "family", p2p_family_name((p2p_family)family),
                                   "name", entry->name, "help", entry->help, "source", entry->source, "options",
                                   json_options(entry->options));

        if (family == P2P_FAMILY_COMPRESSOR) {
            char class[CLASS_MAX];

            compressor_class_of_entry(entry->name, class, sizeof class);
            json_object_set_new(member, "class", json_string(class));
        }
        json_array_append_new(list, member);
    }
}

static int
unknown_family(const char *word)
{
    char all[256] = "";

    for (size_t i = 0; i < LIST_COUNT; i++) {
        size_t used = strlen(all);

        snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : i + 1 < LIST_COUNT ? ", " : " or ", plurals[i]);
    }
    return command_usage_error(&list_command, "%s: expected %s", word, all);
}

/* Chosen families in the order given; none named: all of them. */
static int
run(int argc, char **argv)
{
    size_t chosen[LIST_COUNT], count = 0;
    int letter, full = 0, as_json = 0, alone;
    json_t *list;

    while ((letter = command_next_option(&list_command, argc, argv)) != -1) {
        full |= letter == OPTION_LONG;
        as_json |= letter == OPTION_JSON;
    }
    for (int i = optind; i < argc; i++) {
        size_t family = 0;

        while (family < LIST_COUNT && !is_family(family, argv[i]))
            family++;
        if (family == LIST_COUNT || count == LIST_COUNT)
            return unknown_family(argv[i]);
        chosen[count++] = family;
    }
    alone = count == 1;
    if (count == 0)
        for (; count < LIST_COUNT; count++)
            chosen[count] = count;
    list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (as_json) {
            json_family(chosen[i], list);
            continue;
        }
        if (!alone)
            printf("%s%s:\n", i == 0 ? "" : "\n", plurals[chosen[i]]);
        print_family(chosen[i], full);
    }
    if (as_json) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(list);
    return command_flush(&list_command);
}

static const command_option options[] = { { "long", OPTION_LONG, NULL,
                                            "each member's source and options, with defaults and ranges" },
                                          { "json", OPTION_JSON, NULL, "the same as a JSON array" },
                                          { NULL, 0, NULL, NULL } };
const command list_command = { "list", "List methods, compressors, topologies, problems, ...",
                               "[OPTION]... [FAMILY|keys]...", options, run };
