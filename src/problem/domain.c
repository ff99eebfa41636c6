#include "problem/domain.h"

#include "base/fail.h"

/* The pieces of a product; one piece in parentheses may be a product itself. */
static p2p_status
split(const char *text, p2pi_span pieces[P2PI_DOMAIN_PARTS], size_t *count)
{
    p2pi_span rest = p2pi_span_of(text);

    for (int inner = 0; inner < 2; inner++) {
        *count = 0;
        while (*count < P2PI_DOMAIN_PARTS && p2pi_span_next(&rest, '|', &pieces[*count]))
            ++*count;
        if (*count != 1 || pieces[0].len < 2 || pieces[0].at[0] != '(')
            break;
        rest = (p2pi_span){ pieces[0].at + 1, pieces[0].len - 2 };
    }
    return rest.at == NULL ? P2P_OK : p2p_fail(P2P_EINVAL, "set \"%s\": more than %d parts", text, P2PI_DOMAIN_PARTS);
}

static size_t
entries_of(const p2p_layer *layer)
{
    return layer->rows * layer->cols;
}

p2p_status
p2pi_domain_parse(p2pi_domain *out, const char *text, size_t count, const p2p_layer *layers)
{
    p2pi_span pieces[P2PI_DOMAIN_PARTS];
    p2p_status st = split(text, pieces, &out->count);

    if (st != P2P_OK)
        return st;
    if (out->count != 1 && out->count != count)
        return p2p_fail(P2P_EINVAL,
                        "set \"%s\": %zu parts: expected one for all entries, or one for each of the %zu layers",
                        text, out->count, count);
    for (size_t i = 0; i < out->count; i++) {
        if ((st = p2pi_prox_parse(&out->parts[i].prox, pieces[i])) != P2P_OK)
            return p2pi_fail_context(st, "set \"%s\"", text);
        out->parts[i].offset = layers[i].offset;
        out->parts[i].dim = entries_of(&layers[i]);
    }
    for (size_t l = 1; l < count && out->count == 1; l++)
        out->parts[0].dim += entries_of(&layers[l]);
    return P2P_OK;
}

int
p2pi_domain_is_free(const p2pi_domain *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!p2pi_prox_is_free(&self->parts[i].prox))
            return 0;
    return 1;
}

void
p2pi_domain_apply(const p2pi_domain *self, double step, p2p_vec x)
{
    const size_t width = p2p_dtype_size(x.type);

    for (size_t i = 0; i < self->count; i++) {
        p2p_vec part = { (char *)x.data + self->parts[i].offset * width, self->parts[i].dim, x.type };

        p2pi_prox_apply(&self->parts[i].prox, step, part);
    }
}

static p2p_view
part_of(const p2pi_domain *self, size_t i, p2p_view x)
{
    const size_t width = p2p_dtype_size(x.type);

    return (p2p_view){ (const char *)x.data + self->parts[i].offset * width, self->parts[i].dim, x.type };
}

double
p2pi_domain_value(const p2pi_domain *self, p2p_view x)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++)
        sum += p2pi_prox_value(&self->parts[i].prox, part_of(self, i, x));
    return sum;
}

int
p2pi_domain_is_bounded(const p2pi_domain *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!p2pi_prox_is_bounded(&self->parts[i].prox))
            return 0;
    return self->count > 0;
}

double
p2pi_domain_lowest(const p2pi_domain *self, p2p_view g)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++)
        sum += p2pi_prox_lowest(&self->parts[i].prox, part_of(self, i, g));
    return sum;
}
