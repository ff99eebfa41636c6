/* The lossless stage of compressors by itself: integer codes, index and value sections, frequencies, reals. */
#include "golden.h"

#include "golden_hex.h"

#include "compress/coding/index_section.h"
#include "compress/coding/integer_codes.h"
#include "compress/coding/range_coder.h"
#include "compress/kernels/reals.h"
#include "compress/coding/value_section.h"

#include <math.h>
#include <string.h>

enum { MOST = 4096, BYTES = 1 << 16 };

static uint8_t bytes[BYTES];
static uint32_t list[MOST], back[MOST];

static int
accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_object_get(file, "ints") != NULL && json_object_get(file, "rice3") != NULL;
}

static size_t
read_list(const json_t *values, uint32_t *out)
{
    size_t n = json_array_size(values);

    for (size_t i = 0; i < n && i < MOST; i++)
        out[i] = (uint32_t)json_integer_value(json_array_get(values, i));
    return n < MOST ? n : MOST;
}

static void
verdict(int good, const char *what, size_t index, const char *mode)
{
    char name[128];

    snprintf(name, sizeof name, "coding %s#%zu%s%s", what, index, mode ? " " : "", mode ? mode : "");
    golden_report(good ? GOLDEN_PASS : GOLDEN_FAIL, name, NAN, NULL);
}

/* ---- integer codes */

static void
put(p2pi_bit_writer *w, const char *code, uint64_t v)
{
    if (strcmp(code, "gamma") == 0)
        p2pi_put_gamma(w, v);
    else if (strcmp(code, "delta") == 0)
        p2pi_put_delta(w, v);
    else
        p2pi_put_rice(w, v, 3);
}

static uint64_t
get(p2pi_bit_reader *r, const char *code)
{
    return strcmp(code, "gamma") == 0   ? p2pi_get_gamma(r, 32)
           : strcmp(code, "delta") == 0 ? p2pi_get_delta(r)
                                        : p2pi_get_rice(r, 3, 1 << 20);
}

static void
run_integers(const json_t *file)
{
    static const char *const codes[] = { "gamma", "delta", "rice3" };
    size_t n = read_list(json_object_get(file, "ints"), list);

    for (size_t c = 0; c < 3; c++) {
        const json_t *wanted = json_object_get(file, codes[c]);
        p2pi_bit_writer w = p2pi_bit_writer_of(bytes);
        p2pi_bit_reader r;
        const uint8_t *next;
        size_t len;
        int good;

        for (size_t i = 0; i < n; i++)
            put(&w, codes[c], list[i]);
        good = (uint64_t)(w.at - bytes) * 8 + w.fill == (uint64_t)json_integer_value(json_object_get(wanted, "bits"));
        len = (size_t)(p2pi_bits_end(&w) - bytes);
        good &= golden_hex_is(json_string_value(json_object_get(wanted, "bytes")), bytes, len);
        r = p2pi_bit_reader_of(bytes, len);
        for (size_t i = 0; i < n; i++)
            good &= get(&r, codes[c]) == list[i];
        verdict(good && p2pi_bits_close(&r, &next) && next == bytes + len, "integers", c, codes[c]);
    }
}

/* ---- index section */

static int
index_is(const json_t *hex, size_t k, size_t d, p2pi_index_mode mode)
{
    p2pi_index_code code = p2pi_index_choose(list, k, d, mode);
    const uint8_t *at = bytes, *end = p2pi_index_write(bytes, list, k, d, &code);

    return golden_hex_is(json_string_value(hex), bytes, (size_t)(end - bytes)) &&
           p2pi_index_bytes(&code) == (size_t)(end - bytes) &&
           (size_t)(end - bytes) <= p2pi_index_bound(k, d, mode) && p2pi_index_read(&at, end, k, d, back) == P2P_OK &&
           at == end && memcmp(list, back, k * sizeof *list) == 0;
}

static void
run_index(const json_t *file)
{
    static const char *const modes[] = { "all", "fixed", "bitmap", "gaps", "gamma", "rice" };
    const json_t *c;
    size_t index;

    json_array_foreach(json_object_get(file, "index"), index, c)
    {
        size_t d = (size_t)json_integer_value(json_object_get(c, "d")),
               k = read_list(json_object_get(c, "idx"), list);
        const json_t *sizes = json_object_get(c, "sizes"), *wanted = json_object_get(c, "modes"), *size;
        p2pi_index_code found[P2PI_INDEX_MODES];
        const char *key;

        p2pi_index_sizes(list, k, d, found);
        verdict(index_is(json_object_get(c, "auto"), k, d, P2PI_INDEX_AUTO), "index", index, "auto");
        json_object_foreach((json_t *)sizes, key, size)
        {
            unsigned mode = (unsigned)(key[0] - '0');

            verdict(mode < P2PI_INDEX_MODES && found[mode].bits == (uint64_t)json_integer_value(size) &&
                        index_is(json_object_get(wanted, modes[mode]), k, d, (p2pi_index_mode)mode),
                    "index", index, mode < P2PI_INDEX_MODES ? modes[mode] : key);
        }
    }
}

/* ---- value section */

static int
values_are(const json_t *hex, size_t n, p2pi_code mode)
{
    p2pi_symbol_counts counts;
    p2pi_value_code code;
    const uint8_t *at = bytes, *end;

    p2pi_symbols_count(&counts, list, n, mode);
    p2pi_value_choose(&code, &counts, list, mode);
    end = p2pi_value_write(bytes, &counts, list, &code);
    return golden_hex_is(json_string_value(hex), bytes, (size_t)(end - bytes)) &&
           (mode >= P2PI_CODE_TRIT || code.bytes == (size_t)(end - bytes)) &&
           (size_t)(end - bytes) <= p2pi_value_bound(n, counts.largest, mode) &&
           p2pi_value_read(&at, end, n, UINT32_MAX, back) == P2P_OK && at == end &&
           memcmp(list, back, n * sizeof *list) == 0;
}

static void
run_values(const json_t *file)
{
    static const char *const words[] = { "fixed", "gamma", "delta", "rice", "huffman", "range", "trit", "tritz" };
    const json_t *c, *hex;
    const char *mode;
    size_t index;

    json_array_foreach(json_object_get(file, "symbols"), index, c)
    {
        for (unsigned trits = 0; trits < 2; trits++) {
            size_t n = read_list(json_object_get(c, trits ? "trits" : "z"), list);

            if (!trits)
                verdict(values_are(json_object_get(c, "auto"), n, P2PI_CODE_AUTO), "values", index, "auto");
            json_object_foreach(json_object_get(c, trits ? "trit" : "modes"), mode, hex)
            {
                unsigned i = 0;

                while (i < 7 && strcmp(words[i], mode) != 0)
                    i++;
                verdict(values_are(hex, n, (p2pi_code)(P2PI_CODE_FIXED + i)), "values", index, mode);
            }
        }
    }
}

/* ---- frequencies, lengths, reals */

static void
run_frequencies(const json_t *file)
{
    const json_t *c;
    size_t index;

    json_array_foreach(json_object_get(file, "frequencies"), index, c)
    {
        size_t n = read_list(json_object_get(c, "count"), list);
        uint16_t frequency[MOST];
        uint8_t length[MOST];
        int good = 1;

        p2pi_range_frequencies(list, n, frequency);
        p2pi_huffman_lengths(list, n, length);
        for (size_t s = 0; s < n; s++)
            good &= frequency[s] == json_integer_value(json_array_get(json_object_get(c, "normal"), s)) &&
                    length[s] == json_integer_value(json_array_get(json_object_get(c, "lengths"), s));
        verdict(good, "frequencies", index, NULL);
    }
}

static void
run_reals(const json_t *file)
{
    static const p2pi_real formats[] = { P2PI_REAL_F32, P2PI_REAL_F64, P2PI_REAL_F16, P2PI_REAL_BF16 };
    const json_t *c;
    size_t index;

    json_array_foreach(json_object_get(file, "reals"), index, c)
    {
        const char *name = json_string_value(json_object_get(c, "vt"));
        double v[64], near[64], up[64], loaded[64];
        size_t n = golden_numbers(json_object_get(c, "v"), 64, v), f = 0;
        p2p_view x = { v, n, P2P_F64 };
        p2p_vec y = { loaded, n, P2P_F64 };
        int good;

        golden_numbers(json_object_get(c, "near"), 64, near);
        golden_numbers(json_object_get(c, "up"), 64, up);
        while (f < 3 && strcmp(p2pi_real_name(formats[f]), name) != 0)
            f++;
        good = p2pi_reals_store(formats[f], x, bytes) == n &&
               golden_hex_is(json_string_value(json_object_get(c, "bytes")), bytes, n * p2pi_real_bytes(formats[f]));
        p2pi_reals_load(formats[f], bytes, y);
        for (size_t i = 0; i < n; i++)
            good &= loaded[i] == near[i] && p2pi_real_near(formats[f], v[i]) == near[i] &&
                    p2pi_real_up(formats[f], fabs(v[i])) == up[i];
        verdict(good, "reals", index, name);
    }
}

static void
run(const char *path, const json_t *file)
{
    (void)path;
    run_integers(file);
    run_index(file);
    run_values(file);
    run_frequencies(file);
    run_reals(file);
}

const golden_kind golden_coding = { "coding", accepts, run };
