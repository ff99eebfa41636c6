/*
 * Symbols to bytes without a list of them: in fields of one width, chunk by chunk, straight from the entries. Whether
 * fields are the code to send is known when all symbols have been counted: a first chunk must suggest it, and what
 * was written stands if the counts of all confirm it.
 */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/bits.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/fixed_width.h"

enum { WIDEST = 16 /* bits of fields that are packed quickly */ };

static int
suggested(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m)
{
    uint32_t symbol[P2PI_CHUNK];
    p2pi_symbol_counts counts;
    p2pi_value_code values;

    if (p->q->code == P2PI_CODE_FIXED)
        return 1;
    p2pi_symbols_count(&counts, symbol, p2pi_pipeline_symbols(p, env, m, 0, symbol), p->q->code);
    p2pi_value_choose(&values, &counts, NULL, p->q->code);
    return values.code == P2PI_CODE_FIXED;
}

static int
confirmed(const p2pi_pipeline_work *p, size_t dim, const p2pi_symbol_counts *counts, p2pi_value_code *values)
{
    p2pi_symbol_counts sparse;
    p2pi_value_code code;

    p2pi_value_choose(values, counts, NULL, p->q->code);
    return values->code == P2PI_CODE_FIXED &&
           (p->q->code == P2PI_CODE_FIXED || !p->sparse_form || counts->largest == 0 ||
            (counts->counted && p2pi_sparse_form_hopeless(dim, counts, values, &sparse, &code)));
}

int
p2pi_pipeline_write_fields(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m,
                           size_t dim, uint8_t *buf, size_t *len)
{
    const unsigned width = p2pi_bit_length(p->q->largest);
    uint32_t symbol[P2PI_CHUNK];
    p2pi_symbol_counts counts;
    p2pi_value_code values;
    uint8_t *fields, *at;

    if (width > WIDEST || m->symbols < P2PI_CHUNK ||
        (p->q->code != P2PI_CODE_FIXED && p->q->code != P2PI_CODE_AUTO) || !suggested(p, env, m))
        return 0;
    at = p2pi_pipeline_write_head(p, m, buf);
    if (m->flags & P2PI_FLAG_SPARSE) {
        p2pi_index_code index = p2pi_index_choose(p->index, m->n, dim, p->s->index);

        at = p2pi_index_write(at, p->index, m->n, dim, &index);
    }
    at = fields = at + P2PI_FIELDS_HEAD;
    p2pi_symbols_start(&counts, p->q->code);
    for (size_t from = 0, n; from < m->symbols; from += n) {
        n = p2pi_pipeline_symbols(p, env, m, from, symbol);
        p2pi_symbols_add(&counts, symbol, n);
        at = p2pi_fixed_pack(at, symbol, n, width);
    }
    if (!confirmed(p, dim, &counts, &values))
        return 0;
    p2pi_value_head(fields - P2PI_FIELDS_HEAD, values.parameter);
    if (values.parameter < width)
        at = p2pi_fixed_narrow(fields, m->symbols, width, values.parameter);
    *len = (size_t)(at - buf);
    return 1;
}
