/* Symbols to bytes by way of their list: in any code, or in the sparse form of a dense quantiser. */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/varint.h"
#include "compress/kernels/compress_kernels.h"

size_t
p2pi_support_of(const uint32_t *symbol, size_t d, uint32_t *index)
{
    size_t n = 0;

    for (size_t i = 0; i < d; i++) {
        index[n] = (uint32_t)i;
        n += symbol[i] != 0;
    }
    return n;
}

void
p2pi_symbols_compact(uint32_t *symbol, const uint32_t *index, size_t n)
{
    for (size_t j = 0; j < n; j++)
        symbol[j] = symbol[index[j]] - 1;
}

void
p2pi_symbols_expand(uint32_t *symbol, const uint32_t *index, size_t n, size_t d)
{
    size_t end = d;

    /* From the back, since index[j] >= j: what is overwritten has been moved already. */
    while (n-- > 0) {
        uint32_t code = symbol[n] + 1;

        memset(symbol + index[n] + 1, 0, (end - index[n] - 1) * sizeof *symbol);
        symbol[index[n]] = code;
        end = index[n];
    }
    memset(symbol, 0, end * sizeof *symbol);
}

/* Counts of the non-zero symbols less 1, from counts of all. */
static void
shift_counts(p2pi_symbol_counts *to, const p2pi_symbol_counts *from)
{
    to->n = from->n - from->count[0];
    to->largest = from->largest - 1;
    to->counted = 1;
    memcpy(to->count, from->count + 1, from->largest * sizeof *to->count);
}

int
p2pi_sparse_form_hopeless(size_t d, const p2pi_symbol_counts *counts, const p2pi_value_code *values,
                          p2pi_symbol_counts *sparse, p2pi_value_code *code)
{
    shift_counts(sparse, counts);
    if (sparse->n == d)
        return 1;
    p2pi_value_choose(code, sparse, NULL, P2PI_CODE_AUTO);
    /* Every index costs at least a bit. */
    return p2pi_varint_bytes(sparse->n) + code->bytes + 1 + (sparse->n + 7) / 8 >=
           p2pi_varint_bytes(d) + values->bytes;
}

/*
 * Whether the sparse form of dense symbols is shorter, as frames: then *counts, *values, *index and the symbols are
 * those of the sparse form. Where counts tell all, a bound of the index section may decide before it is sized.
 */
static int
sparse_form(const p2pi_pipeline_work *p, size_t d, p2pi_symbol_counts *counts, p2pi_value_code *values,
            p2pi_index_code *index, size_t *n)
{
    int by_counts = counts->counted && p->q->code == P2PI_CODE_AUTO;
    p2pi_symbol_counts sparse;
    p2pi_value_code code;
    size_t support;

    if (counts->largest == 0 || (by_counts && p2pi_sparse_form_hopeless(d, counts, values, &sparse, &code)))
        return 0;
    support = p2pi_support_of(p->symbol, d, p->index);
    if (support == d)
        return 0;
    if (!by_counts) {
        p2pi_symbols_compact(p->symbol, p->index, support);
        p2pi_symbols_count(&sparse, p->symbol, support, p->q->code);
        p2pi_value_choose(&code, &sparse, p->symbol, p->q->code);
    }
    *index = p2pi_index_choose(p->index, support, d, P2PI_INDEX_AUTO);
    if (p2pi_varint_bytes(support) + code.bytes + p2pi_index_bytes(index) >= p2pi_varint_bytes(d) + values->bytes) {
        if (!by_counts)
            p2pi_symbols_expand(p->symbol, p->index, support, d);
        return 0;
    }
    if (by_counts)
        p2pi_symbols_compact(p->symbol, p->index, support);
    *counts = sparse;
    *values = code;
    *n = support;
    return 1;
}

void
p2pi_pipeline_write_symbols(const p2pi_pipeline_work *p, const p2p_env *env, p2pi_pipeline_content *m, size_t dim,
                            uint8_t *buf, size_t *len)
{
    p2pi_symbol_counts counts;
    p2pi_value_code values;
    p2pi_index_code index;
    uint8_t *at;

    p2pi_pipeline_quantise(p, env, m);
    if (m->n > 0) {
        p2pi_symbols_count(&counts, p->symbol, m->symbols, p->q->code);
        p2pi_value_choose(&values, &counts, p->symbol, p->q->code);
        if (p->sparse_form && p->q->code <= P2PI_CODE_BEST && sparse_form(p, dim, &counts, &values, &index, &m->n))
            m->flags |= P2PI_FLAG_SPARSE;
        else if (m->flags & P2PI_FLAG_SPARSE)
            index = p2pi_index_choose(p->index, m->n, dim, p->s->index);
    }
    at = p2pi_pipeline_write_head(p, m, buf);
    if ((m->flags & P2PI_FLAG_SPARSE) && m->n > 0)
        at = p2pi_index_write(at, p->index, m->n, dim, &index);
    if (m->n > 0)
        at = p2pi_value_write(at, &counts, p->symbol, &values);
    *len = (size_t)(at - buf);
}
