#include "compressor_class.h"

#include <stdio.h>
#include <string.h>

static void
add(char *text, size_t cap, const char *word)
{
    size_t used = strlen(text);

    snprintf(text + used, cap - used, "%s%s", used > 0 ? ", " : "", word);
}

void
compressor_class_text(const p2p_compressor_constants *k, int numbers, char *text, size_t cap)
{
    static const struct {
        unsigned trait;
        const char *word;
    } words[] = { { P2P_UNBIASED, "unbiased" },   { P2P_CONTRACTIVE, "contractive" }, { P2P_ABSOLUTE, "absolute" },
                  { P2P_LOSSLESS, "lossless" },   { P2P_LINEAR, "linear" },           { P2P_ADDITIVE, "additive" },
                  { P2P_SPARSE, "sparse" },       { P2P_SHARED, "shared" },           { P2P_RANDOM, "random" },
                  { P2P_STATEFUL, "with memory" } };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char word[128];

        if (!(k->traits & words[i].trait))
            continue;
        snprintf(word, sizeof word, "%s", words[i].word);
        if (numbers && words[i].trait == P2P_UNBIASED)
            snprintf(word, sizeof word, "unbiased (omega %.4g)", k->omega);
        if (numbers && words[i].trait == P2P_CONTRACTIVE)
            snprintf(word, sizeof word, "contractive (delta %.4g)", k->delta);
        if (numbers && words[i].trait == P2P_ABSOLUTE)
            snprintf(word, sizeof word, "absolute (error %.4g s^2 where |x| <= %.4g s)", k->error2, k->range);
        add(text, cap, word);
    }
    if (text[0] == '\0')
        add(text, cap, "none of the classes");
}

void
compressor_class_of_entry(const char *name, char *text, size_t cap)
{
    static const char *const forms[] = { "%s", "%s(topk)", "%s(randk)", "%s(topk,randk)" };
    const p2p_shape shape = { 1000, P2P_F64, 1 };
    char spec[128];
    p2p_compressor *c;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(spec, sizeof spec, forms[i], name);
        if (p2p_compressor_new(&c, spec, &shape) == P2P_OK) {
            compressor_class_text(p2p_compressor_constants_of(c), 0, text, cap);
            p2p_compressor_destroy(&c);
            return;
        }
    }
}
