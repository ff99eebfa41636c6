#include "compress_report.h"

#include "compressor_class.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *
verdict_word(const compress_figures *f)
{
    static const char *const words[] = { "nothing declared", "BROKEN", "kept" };

    return words[compress_verdict(f) + 1];
}

static double
raw_bits(const compress_subject *s)
{
    return 8.0 * (double)p2p_dtype_size(s->x.type);
}

void
compress_print(const compress_figures *f, const compress_subject *s)
{
    const double d = (double)s->x.dim;
    char text[512];

    compressor_class_text(&f->constants, 1, text, sizeof text);
    printf("compressor  %s\n", f->spec);
    printf("class       %s\n", text);
    printf("vector      %s, %zu entries, %s, norm %.6g, largest %.6g\n", s->name, s->x.dim, p2p_dtype_name(s->x.type),
           p2p_vec_norm2(s->x), p2p_vec_norminf(s->x));
    printf("messages    %zu\n", f->draws);
    printf("bits/entry  %.4f on the wire, %.4f as a frame, %.4f as papers count, %.0f raw (%.1f times fewer)\n",
           f->bits_lean / d, f->bits_frame / d, f->bits_nominal / d, raw_bits(s), raw_bits(s) * d / f->bits_lean);
    printf("error       %.6g of ||x||^2", f->error);
    if (!isnan(f->error_allowed))
        printf(", declared at most %.6g", f->error_allowed);
    printf("; largest %.6g of max|x|\n", f->error_largest);
    printf("bias        %.6g of ||x||", f->bias);
    if (!isnan(f->bias_allowed))
        printf(", chance explains %.3g", f->bias_allowed);
    printf("\nconstants   %s\n", verdict_word(f));
    if (!isnan(f->bits_bound))
        printf("bound       %.4f bits/entry for any compressor of this error; this one spends %.2f times that\n",
               f->bits_bound / d, f->bits_lean / f->bits_bound);
    if (!isnan(f->encode))
        printf("GB/s        encode %.2f, decode %.2f, decode and add %.2f; memcpy %.2f\n", f->encode, f->decode,
               f->add, f->copy);
}

/* A number for a column, "-" where there is none. */
static const char *
cell(char *text, size_t cap, const char *format, double v)
{
    if (isnan(v))
        snprintf(text, cap, "-");
    else
        snprintf(text, cap, format, v);
    return text;
}

void
compress_print_table(const compress_figures *f, size_t count, const compress_subject *s)
{
    const double d = (double)s->x.dim;
    size_t width = 10;

    for (size_t i = 0; i < count; i++)
        width = strlen(f[i].spec) > width ? strlen(f[i].spec) : width;
    printf("%s, %zu entries, %s, norm %.6g; bits an entry, errors of ||x||^2, GB of vector a second\n", s->name,
           s->x.dim, p2p_dtype_name(s->x.type), p2p_vec_norm2(s->x));
    printf("%-*s %8s %8s %9s %9s %9s %8s %8s %8s  %s\n", (int)width, "compressor", "bits", "nominal", "error",
           "declared", "bias", "encode", "decode", "add", "constants");
    for (size_t i = 0; i < count; i++) {
        char a[32], b[32], c[32], e[32];

        printf("%-*s %8.4f %8.4f %9.3g %9s %9.2g %8s %8s %8s  %s\n", (int)width, f[i].spec, f[i].bits_lean / d,
               f[i].bits_nominal / d, f[i].error, cell(e, sizeof e, "%.3g", f[i].error_allowed), f[i].bias,
               cell(a, sizeof a, "%.2f", f[i].encode), cell(b, sizeof b, "%.2f", f[i].decode),
               cell(c, sizeof c, "%.2f", f[i].add), verdict_word(&f[i]));
    }
}

/* JSON has no NaN: null. */
static void
set_number(json_t *object, const char *key, double v)
{
    json_object_set_new(object, key, isfinite(v) ? json_real(v) : json_null());
}

static json_t *
result_of(const compress_figures *f, const compress_subject *s)
{
    const double d = (double)s->x.dim;
    const struct {
        const char *key;
        double v;
    } numbers[] = {
        { "bits_lean", f->bits_lean / d },
        { "bits_frame", f->bits_frame / d },
        { "bits_nominal", f->bits_nominal / d },
        { "bits_bound", f->bits_bound / d },
        { "error", f->error },
        { "error_allowed", f->error_allowed },
        { "error_room", f->error_room },
        { "error_largest", f->error_largest },
        { "bias", f->bias },
        { "bias_allowed", f->bias_allowed },
        { "omega", f->constants.omega },
        { "delta", f->constants.delta },
        { "encode", f->encode },
        { "decode", f->decode },
        { "decode_add", f->add },
        { "memcpy", f->copy },
    };
    json_t *object = json_pack("{s:s, s:I}", "compressor", f->spec, "messages", (json_int_t)f->draws);
    int verdict = compress_verdict(f);

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set_number(object, numbers[i].key, numbers[i].v);
    json_object_set_new(object, "constants_kept", verdict < 0 ? json_null() : json_boolean(verdict));
    return object;
}

void
compress_print_json(const compress_figures *f, size_t count, const compress_subject *s)
{
    json_t *results = json_array(), *object;

    for (size_t i = 0; i < count; i++)
        json_array_append_new(results, result_of(&f[i], s));
    object = json_pack("{s:s, s:I, s:s, s:o}", "vector", s->name, "dim", (json_int_t)s->x.dim, "dtype",
                       p2p_dtype_name(s->x.type), "results", results);
    set_number(object, "norm", p2p_vec_norm2(s->x));
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}
