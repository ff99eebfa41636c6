#include "run_results.h"

#include "json_number.h"
#include "progress_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double
tolerance_of(const run_outcome *o)
{
    return strtod(p2p_swarm_get(o->swarm, "tolerance"), NULL);
}

/* What a node would have sent without compression: the same vectors, every entry in full. */
static double
bits_uncompressed(const run_outcome *o)
{
    int wide = strcmp(p2p_swarm_get(o->swarm, "dtype"), "f64") == 0;

    return o->last.vectors * (double)o->dim * (wide ? 64 : 32);
}

int
run_reached(const run_outcome *o)
{
    double tolerance = tolerance_of(o);

    if (tolerance <= 0)
        return -1;
    return isnan(o->last.gap) ? o->end == P2P_END_TOLERANCE : o->last.gap <= tolerance;
}

void
run_print_round(FILE *out, const figures *f)
{
    json_t *line = json_pack("{s:I, s:f, s:I, s:I, s:o, s:o, s:o, s:o, s:f, s:f}", "round", (json_int_t)f->round,
                             "seconds", f->seconds, "nodes", (json_int_t)f->nodes, "links_down", (json_int_t)f->absent,
                             "value", json_number(f->value), "gap", json_number(f->gap), "consensus_distance",
                             json_number(f->consensus_distance), "residual", json_number(f->residual),
                             "bits_per_node", f->bits, "bytes_per_node", f->bytes);

    json_dumpf(line, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(line);
}

static const char *
end_name(p2p_end end)
{
    static const char *const names[] = { "failed", "rounds", "tolerance", "stopped", "failed" };

    return names[end];
}

/* The measure for people, and in JSON. */
static const char *
measure_text(measure_kind which)
{
    static const char *const texts[] = { "f - f*", "duality gap", "|z - z*|", "|z - P(z - F(z))|" };

    return texts[which];
}

static const char *
measure_name(measure_kind which)
{
    static const char *const names[] = { "suboptimality", "duality-gap", "distance", "residual" };

    return names[which];
}

static int
is_simulated(const run_outcome *o)
{
    return strncmp(o->transport, "sim", 3) == 0;
}

/* Rounds a second while they lasted: the start of the processes is not in it. A simulation's clock is not the user's. */
static double
rate(const run_outcome *o)
{
    return (double)o->last.round / fmax(is_simulated(o) ? o->seconds : o->last.seconds, 1e-9);
}

void
run_print_json(const run_outcome *o)
{
    static const char *const keys[] = { "method", "compressor", "topology", "mixing", "aggregator", "problem", "data",
                                        "shard", "dtype", "security" };
    const figures *f = &o->last;
    json_t *object = json_object();
    int reached = run_reached(o);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(object, keys[i], json_string(p2p_swarm_get(o->swarm, keys[i])));
    json_object_set_new(object, "seed", json_integer(strtoll(p2p_swarm_get(o->swarm, "seed"), NULL, 10)));
    json_object_set_new(object, "transport", json_string(o->transport));
    json_object_set_new(object, "parameters", json_string(o->parameters));
    json_object_set_new(object, "nodes", json_integer((json_int_t)o->nodes));
    json_object_set_new(object, "nodes_lost", json_integer((json_int_t)o->lost));
    json_object_set_new(object, "dimension", json_integer((json_int_t)o->dim));
    json_object_set_new(object, "rounds", json_integer((json_int_t)f->round));
    json_object_set_new(object, "end", json_string(end_name(o->end)));
    json_object_set_new(object, "value", json_number(f->value));
    json_object_set_new(object, "optimum", json_number(o->optimum));
    json_object_set_new(object, "gap", json_number(f->gap));
    json_object_set_new(object, "measure", json_string(measure_name(o->measure)));
    json_object_set_new(object, "accuracy", json_number(o->accuracy));
    json_object_set_new(object, "consensus_distance", json_number(f->consensus_distance));
    json_object_set_new(object, "residual", json_number(f->residual));
    json_object_set_new(object, "bits_per_node", json_real(f->bits));
    json_object_set_new(object, "bits_uncompressed", json_real(bits_uncompressed(o)));
    json_object_set_new(object, "bytes_per_node", json_real(f->bytes));
    json_object_set_new(object, "seconds", json_real(o->seconds));
    json_object_set_new(object, "virtual_seconds", is_simulated(o) ? json_real(f->seconds) : json_null());
    json_object_set_new(object, "rounds_per_second", json_real(rate(o)));
    json_object_set_new(object, "tolerance", json_real(tolerance_of(o)));
    json_object_set_new(object, "reached", reached < 0 ? json_null() : json_boolean(reached));
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
}

static void
print_verdict(const run_outcome *o)
{
    const figures *f = &o->last;
    int reached = run_reached(o);

    if (reached >= 0)
        printf("%s %s: ", o->measure == MEASURE_SUBOPTIMALITY ? "optimum" : "solution", reached ? "reached" : "NOT reached");
    if (!isnan(f->gap))
        printf("%s = %.3g", measure_text(o->measure), f->gap);
    else if (!isnan(f->value))
        printf("f = %.10g, optimum unknown", f->value);
    else
        printf("value unknown");
    if (reached >= 0)
        printf(", tolerance %.3g", tolerance_of(o));
    printf(", after %u rounds (%s), consensus distance %.3g\n", (unsigned)f->round, end_name(o->end),
           f->consensus_distance);
}

void
run_print_summary(const run_outcome *o)
{
    double dense = bits_uncompressed(o);
    char sent[32], full[32];

    printf("%s, %s, %s of %zu nodes, %s, dimension %zu\n", *o->parameters ? o->parameters :
           p2p_swarm_get(o->swarm, "method"), p2p_swarm_get(o->swarm, "compressor"),
           p2p_swarm_get(o->swarm, "topology"), o->nodes, p2p_swarm_get(o->swarm, "problem"), o->dim);
    print_verdict(o);
    if (!isnan(o->accuracy))
        printf("classifies %.2f %% of the samples\n", 100 * o->accuracy);
    printf("sent %s a node; uncompressed it would be %s (%.3g %%)\n", progress_bits(o->last.bits, sent, sizeof sent),
           progress_bits(dense, full, sizeof full), dense > 0 ? 100 * o->last.bits / dense : 0);
    printf("%.2f s, %.0f rounds/s over %s\n", o->seconds, rate(o), o->transport);
    if (o->lost > 0)
        printf("%zu of %zu nodes were lost on the way; f and f* are those of the others\n", o->lost, o->nodes);
    if (o->output != NULL)
        printf("results: %s/run.jsonl, %s/solution.npy\n", o->output, o->output);
}
