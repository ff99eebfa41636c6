#include "tune_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tune_pair *
tune_pairs(int is_game)
{
    static const tune_pair functions[] = { { "cold", "qinf:bits=2" }, { "dyna-cold", "binary" },
                                           { "lead", "qinf:bits=2" }, { "cold", "topk:k=10%+qinf:bits=4" },
                                           { "cold", "topk:k=10%" },  { "cold", "qinf:bits=4" },
                                           { "lead", "qinf:bits=4" }, { "cold", "sign" },
                                           { "cgt", "qinf:bits=4" },  { "beer", "topk:k=10%" },
                                           { "nids", "identity" },    { NULL, NULL } };
    static const tune_pair games[] = { { "cold-vi", "qinf:bits=2" }, { "dyna-cold-vi", "binary" },
                                       { "cold-vi", "qinf:bits=4" }, { "cold-vi", "topk:k=10%" },
                                       { "gt-ogda", "identity" },    { NULL, NULL } };

    return is_game ? games : functions;
}

const char *const *
tune_compressors(void)
{
    static const char *const compressors[] = {
        "qinf:bits=2", "topk:k=10%+qinf:bits=4", "topk:k=10%", "qinf:bits=4", "sign", "binary", "identity", NULL
    };

    return compressors;
}

const char *
tune_number(size_t i)
{
    static const char *const numbers[] = { "step", "gossip", "dual", NULL };

    return numbers[i];
}

int
tune_scaled(const char *method, const char *key, double factor, char *text, size_t size)
{
    const char *end = strstr(method, " over "), *at = strchr(method, ':');
    const size_t len = strlen(key);
    char *behind;
    double value;

    end = end != NULL ? end : method + strlen(method);
    while (at != NULL && at < end && (strncmp(at + 1, key, len) != 0 || at[1 + len] != '='))
        at = strpbrk(at + 1, ",");
    if (at == NULL || at >= end)
        return 0;
    value = strtod(at + 2 + len, &behind);
    if (behind == at + 2 + len)
        return 0;
    return snprintf(text, size, "%.*s%.4g%.*s", (int)(at + 2 + len - method), method, value * factor,
                    (int)(end - behind), behind) < (int)size;
}
