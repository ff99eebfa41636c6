/* Writers and readers of the six index codes, and the one pass that sizes them all. */
#include "compress/coding/index_section.h"

#include "compress/coding/integer_codes.h"
#include "compress/coding/rice_parameter.h"

void
p2pi_index_sizes(const uint32_t *index, size_t k, size_t d, p2pi_index_code sizes[P2PI_INDEX_MODES])
{
    uint64_t gamma = 0, largest = 0;
    p2pi_rice_sums rice;
    uint32_t next = 0;

    /* The gaps add up to the last index less the k - 1 before it. */
    p2pi_rice_start(&rice, index[k - 1] - (uint64_t)(k - 1), k);
    for (size_t j = 0; j < k; j++) {
        uint64_t gap = index[j] - next;

        next = index[j] + 1;
        largest = gap > largest ? gap : largest;
        gamma += p2pi_gamma_bits(gap + 1);
        p2pi_rice_add(&rice, gap, 1);
    }
    sizes[P2PI_INDEX_ALL] = (p2pi_index_code){ P2PI_INDEX_ALL, 0, k == d ? 0 : UINT64_MAX };
    sizes[P2PI_INDEX_FIXED] = (p2pi_index_code){ P2PI_INDEX_FIXED, 0, (uint64_t)k * p2pi_bit_length(d - 1) };
    sizes[P2PI_INDEX_BITMAP] = (p2pi_index_code){ P2PI_INDEX_BITMAP, 0, d };
    sizes[P2PI_INDEX_GAPS] =
        (p2pi_index_code){ P2PI_INDEX_GAPS, p2pi_bit_length(largest), 8 + (uint64_t)k * p2pi_bit_length(largest) };
    sizes[P2PI_INDEX_GAMMA] = (p2pi_index_code){ P2PI_INDEX_GAMMA, 0, gamma };
    sizes[P2PI_INDEX_RICE].mode = P2PI_INDEX_RICE;
    sizes[P2PI_INDEX_RICE].bits = 8 + p2pi_rice_best(&rice, &sizes[P2PI_INDEX_RICE].parameter);
}

p2pi_index_code
p2pi_index_choose(const uint32_t *index, size_t k, size_t d, p2pi_index_mode mode)
{
    p2pi_index_code sizes[P2PI_INDEX_MODES], *best = sizes;

    p2pi_index_sizes(index, k, d, sizes);
    if (mode != P2PI_INDEX_AUTO)
        return sizes[mode];
    for (size_t i = 1; i < P2PI_INDEX_MODES; i++)
        if (sizes[i].bits < best->bits)
            best = sizes + i;
    return *best;
}

size_t
p2pi_index_bytes(const p2pi_index_code *code)
{
    return 1 + (size_t)((code->bits + 7) / 8);
}

size_t
p2pi_index_bound(size_t k, size_t d, p2pi_index_mode mode)
{
    uint64_t width = p2pi_bit_length(d), bits;

    switch (mode) {
    case P2PI_INDEX_BITMAP:
        bits = d;
        break;
    /* floor(log2 v) is concave in v: k gaps that add up to d cost most when they are equal. */
    case P2PI_INDEX_GAMMA:
        bits = k * (2 * (uint64_t)p2pi_bit_length(d / k + 1) + 1);
        break;
    /* The chosen parameter is at least as good as floor(log2 mean), whose quotients add up to less than 2 k. */
    case P2PI_INDEX_RICE:
        bits = 8 + k * (3 + (uint64_t)p2pi_bit_length(d / k));
        break;
    /* fixed and gaps; auto is never longer than fixed */
    default:
        bits = 8 + k * width;
        break;
    }
    return 1 + (size_t)((bits + 7) / 8);
}

static void
write_bitmap(p2pi_bit_writer *w, const uint32_t *index, size_t k, size_t d)
{
    size_t at = 0;

    for (size_t start = 0; start < d; start += 32) {
        uint64_t word = 0;

        for (; at < k && index[at] < start + 32; at++)
            word |= UINT64_C(1) << (index[at] - start);
        p2pi_put_bits(w, word, d - start < 32 ? (unsigned)(d - start) : 32);
    }
}

uint8_t *
p2pi_index_write(uint8_t *at, const uint32_t *index, size_t k, size_t d, const p2pi_index_code *code)
{
    p2pi_bit_writer w;
    unsigned width = code->mode == P2PI_INDEX_FIXED ? p2pi_bit_length(d - 1) : code->parameter;
    uint32_t next = 0;

    *at++ = (uint8_t)code->mode;
    if (code->mode == P2PI_INDEX_GAPS || code->mode == P2PI_INDEX_RICE)
        *at++ = (uint8_t)code->parameter;
    w = p2pi_bit_writer_of(at);
    if (code->mode == P2PI_INDEX_BITMAP)
        write_bitmap(&w, index, k, d);
    else if (code->mode == P2PI_INDEX_FIXED)
        for (size_t j = 0; j < k; j++)
            p2pi_put_bits(&w, index[j], width);
    else if (code->mode != P2PI_INDEX_ALL)
        for (size_t j = 0; j < k; next = index[j++] + 1) {
            uint64_t gap = index[j] - next;

            if (code->mode == P2PI_INDEX_GAPS)
                p2pi_put_bits(&w, gap, width);
            else if (code->mode == P2PI_INDEX_GAMMA)
                p2pi_put_gamma(&w, gap + 1);
            else
                p2pi_put_rice(&w, gap, code->parameter);
        }
    return p2pi_bits_end(&w);
}

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "index section: %s", what);
}

static p2p_status
read_bitmap(p2pi_bit_reader *r, size_t k, size_t d, uint32_t *index)
{
    size_t found = 0;

    for (size_t start = 0; start < d; start += 32) {
        uint64_t word = p2pi_get_bits(r, d - start < 32 ? (unsigned)(d - start) : 32);

        for (; word != 0; word &= word - 1) {
            if (found == k)
                return refuse("the bitmap has more ones than the message has values");
            index[found++] = (uint32_t)(start + (unsigned)__builtin_ctzll(word));
        }
    }
    return found == k ? P2P_OK : refuse("the bitmap has fewer ones than the message has values");
}

static p2p_status
read_fixed(p2pi_bit_reader *r, size_t k, size_t d, uint32_t *index)
{
    unsigned width = p2pi_bit_length(d - 1);
    uint64_t least = 0;

    for (size_t j = 0; j < k; j++) {
        uint64_t i = p2pi_get_bits(r, width);

        if (i < least || i >= d)
            return refuse("the indices do not increase, or pass the dimension");
        index[j] = (uint32_t)i;
        least = i + 1;
    }
    return P2P_OK;
}

static p2p_status
read_gaps(p2pi_bit_reader *r, p2pi_index_mode mode, unsigned parameter, size_t k, size_t d, uint32_t *index)
{
    uint64_t next = 0;

    for (size_t j = 0; j < k; j++) {
        uint64_t gap = mode == P2PI_INDEX_GAPS    ? p2pi_get_bits(r, parameter)
                       : mode == P2PI_INDEX_GAMMA ? p2pi_get_gamma(r, 32) - 1
                                                  : p2pi_get_rice(r, parameter, d);

        if (gap >= d - next)
            return refuse("an index passes the dimension");
        index[j] = (uint32_t)(next + gap);
        next += gap + 1;
    }
    return P2P_OK;
}

p2p_status
p2pi_index_read(const uint8_t **at, const uint8_t *end, size_t k, size_t d, uint32_t *index)
{
    unsigned mode, parameter = 0;
    p2pi_bit_reader r;
    p2p_status st;

    if (*at == end)
        return refuse("missing");
    mode = *(*at)++;
    if (mode >= P2PI_INDEX_MODES)
        return p2p_fail(P2P_EPROTO, "index section: mode %u: expected 0 to 5", mode);
    if (mode == P2PI_INDEX_ALL) {
        if (k != d)
            return refuse("mode all, but the message has fewer values than entries");
        for (size_t j = 0; j < d; j++)
            index[j] = (uint32_t)j;
        return P2P_OK;
    }
    if (mode == P2PI_INDEX_GAPS || mode == P2PI_INDEX_RICE) {
        if (*at == end || (parameter = *(*at)++) > 32)
            return refuse("the parameter is missing or above 32");
    }
    r = p2pi_bit_reader_of(*at, (size_t)(end - *at));
    st = mode == P2PI_INDEX_BITMAP  ? read_bitmap(&r, k, d, index)
         : mode == P2PI_INDEX_FIXED ? read_fixed(&r, k, d, index)
                                    : read_gaps(&r, (p2pi_index_mode)mode, parameter, k, d, index);
    if (st == P2P_OK && !p2pi_bits_close(&r, at))
        st = refuse("cut short, or its padding is not zero");
    return st;
}
