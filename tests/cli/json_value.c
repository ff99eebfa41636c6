/*
 * json_value KEY: read JSON values from standard input until its end and print KEY of each, a line each; of an array,
 * of each of its elements. Anything that is not JSON, or lacks KEY, is an error.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int
print_key(json_t *value, const char *key)
{
    json_t *found = json_object_get(value, key);
    size_t i;
    json_t *element;

    if (json_is_array(value)) {
        json_array_foreach(value, i, element)
            if (print_key(element, key) != 0)
                return 1;
        return 0;
    }
    if (found == NULL) {
        fprintf(stderr, "json_value: no \"%s\"\n", key);
        return 1;
    }
    if (json_is_string(found))
        puts(json_string_value(found));
    else {
        json_dumpf(found, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
        putchar('\n');
    }
    return 0;
}

static int
at_end(void)
{
    int c = getchar();

    while (c == ' ' || c == '\n')
        c = getchar();
    ungetc(c, stdin);
    return c == EOF;
}

int
main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    do {
        json_error_t error;
        json_t *value = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        int status;

        if (value == NULL) {
            fprintf(stderr, "json_value: line %d: %s\n", error.line, error.text);
            return 1;
        }
        status = print_key(value, argv[1]);
        json_decref(value);
        if (status != 0)
            return status;
    } while (!at_end());
    return 0;
}
