/*
 * Attacks, one function each, and their table. Liars are taken to know everything: the honest vectors of this round,
 * the weights, each other.
 */
#include "aggregate/attack.h"

#include "base/fail.h"
#include "base/spec.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double amount;  /* scale, sigma, z, eps, offset */
    int64_t number; /* target, bit, kind */
} attack_param;

typedef struct {
    p2p_entry entry;
    p2pi_lie lie;
    size_t least_honest; /* above 0: it needs to see them */
    p2p_status (*apply)(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out);
} attack_table;

struct p2pi_attack {
    const attack_table *table;
    attack_param param;
};

#define AMOUNT offsetof(attack_param, amount)
#define NUMBER offsetof(attack_param, number)

/* Entry i of the honest mean; *spread, unless NULL, becomes the standard deviation with h - 1. */
static double
honest_mean(const p2pi_attack_scene *scene, size_t i, double *spread)
{
    double mean = 0, squares = 0;

    for (size_t j = 0; j < scene->honest; j++)
        mean += p2p_vec_get(scene->vectors[j], i);
    mean /= (double)scene->honest;
    for (size_t j = 0; spread != NULL && j < scene->honest; j++) {
        double difference = p2p_vec_get(scene->vectors[j], i) - mean;

        squares += difference * difference;
    }
    if (spread != NULL)
        *spread = sqrt(squares / (double)(scene->honest - 1));
    return mean;
}

static p2p_status
sign_flip(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    p2p_vec_copy(out, scene->own);
    p2p_vec_scale(out, -p->amount);
    return P2P_OK;
}

static p2p_status
noise(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    p2p_random random = p2p_random_open(scene->seed, scene->node, scene->round, P2P_STREAM_ATTACK);
    double draw[2];

    for (size_t i = 0; i < out.dim; i++) {
        if (i % 2 == 0)
            p2p_random_normal(&random, 2, draw);
        p2p_vec_set(out, i, p2p_vec_get(scene->own, i) + p->amount * draw[i % 2]);
    }
    return P2P_OK;
}

/* Inverse of the normal distribution function, by bisection. */
static double
normal_quantile(double probability)
{
    double low = -40, high = 40;

    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);

        if (0.5 * erfc(-middle / sqrt(2)) < probability)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* The largest shift that leaves the liars s supporters short of a majority: Phi(z) = (n - f - s) / (n - f). */
static double
alie_shift(const p2pi_attack_scene *scene)
{
    double honest = (double)(scene->nodes - scene->liars);
    double supporters = (double)(scene->nodes / 2 + 1) - (double)scene->liars;

    return normal_quantile((honest - supporters) / honest);
}

static p2p_status
alie(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    double z = p2p_is_auto(p->amount) ? alie_shift(scene) : p->amount;

    for (size_t i = 0; i < out.dim; i++) {
        double spread, mean = honest_mean(scene, i, &spread);

        p2p_vec_set(out, i, mean - z * spread);
    }
    return P2P_OK;
}

static p2p_status
ipm(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    for (size_t i = 0; i < out.dim; i++)
        p2p_vec_set(out, i, -p->amount * honest_mean(scene, i, NULL));
    return P2P_OK;
}

static p2p_status
shift(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    for (size_t i = 0; i < out.dim; i++)
        p2p_vec_set(out, i, honest_mean(scene, i, NULL) + p->amount);
    return P2P_OK;
}

static p2p_status
mimic(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    if ((size_t)p->number >= scene->honest)
        return p2p_fail(P2P_EINVAL, "attack \"mimic\": target=%zu: there are %zu honest nodes", (size_t)p->number,
                        scene->honest);
    p2p_vec_copy(out, scene->vectors[p->number]);
    return P2P_OK;
}

static p2p_status
dissensus(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    if (scene->weights == NULL || scene->target.data == NULL || !(scene->liar_weight > 0))
        return p2p_fail(P2P_EINVAL, "attack \"dissensus\": needs a receiver and its weights");
    for (size_t i = 0; i < out.dim; i++) {
        double x = p2p_vec_get(scene->target, i), pull = 0;

        for (size_t j = 0; j < scene->honest; j++)
            pull += scene->weights[j] * (p2p_vec_get(scene->vectors[j], i) - x);
        p2p_vec_set(out, i, x - p->amount * pull / scene->liar_weight);
    }
    return P2P_OK;
}

static p2p_status
bit_flip(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    int64_t bits = (int64_t)(8 * p2p_dtype_size(out.type)), bit = p->number == P2P_AUTO_INT ? bits - 2 : p->number;

    if (bit >= bits)
        return p2p_fail(P2P_EINVAL, "attack \"bit-flip\": bit=%d: %s has %d", (int)bit, p2p_dtype_name(out.type),
                        (int)bits);
    p2p_vec_copy(out, scene->own);
    for (size_t i = 0; i < out.dim; i++)
        ((unsigned char *)out.data)[i * (size_t)(bits / 8) + (size_t)(bit / 8)] ^= (unsigned char)(1u << bit % 8);
    return P2P_OK;
}

static const double kinds[] = { NAN, INFINITY, -INFINITY }; /* of nan:kind */

static p2p_status
poison(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    p2p_vec_copy(out, scene->own);
    p2p_vec_set(out, 0, kinds[p->number]);
    return P2P_OK;
}

/* What the method says; the lie is told elsewhere. */
static p2p_status
own(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    (void)p;
    p2p_vec_copy(out, scene->own);
    return P2P_OK;
}

static p2p_status
zero(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    (void)p;
    (void)scene;
    p2p_vec_zero(out);
    return P2P_OK;
}

static p2p_status
equivocate(const attack_param *p, const p2pi_attack_scene *scene, p2p_vec out)
{
    double offset = scene->receiver % 2 == 0 ? p->amount : -p->amount;

    for (size_t i = 0; i < out.dim; i++)
        p2p_vec_set(out, i, p2p_vec_get(scene->own, i) + offset);
    return P2P_OK;
}

#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0                                                                 \
    }

static const p2p_option scale_options[] = { { "scale", P2P_OPT_REAL, "1", NULL, NULL, "factor", AMOUNT }, END };
static const p2p_option sigma_options[] = { { "sigma", P2P_OPT_REAL, "10", "0", NULL, "noise", AMOUNT }, END };
static const p2p_option z_options[] = { { "z", P2P_OPT_REAL, "auto", NULL, NULL, "standard deviations", AMOUNT },
                                        END };
static const p2p_option eps_options[] = { { "eps", P2P_OPT_REAL, "0.1", NULL, NULL, "factor", AMOUNT }, END };
static const p2p_option eps_1_options[] = { { "eps", P2P_OPT_REAL, "1", NULL, NULL, "factor", AMOUNT }, END };
static const p2p_option offset_options[] = { { "offset", P2P_OPT_REAL, "1", NULL, NULL, "added", AMOUNT }, END };
static const p2p_option target_options[] = { { "target", P2P_OPT_INT, "0", "0", NULL, "honest node", NUMBER }, END };
static const p2p_option bit_options[] = { { "bit", P2P_OPT_INT, "auto", "0", "63", "flipped bit", NUMBER }, END };
static const p2p_option kind_options[] = { { "kind", P2P_OPT_CHOICE, "nan", "nan|inf|-inf", NULL, "what", NUMBER },
                                           END };

#define ENTRY(text, about, from, table)                                                                              \
    {                                                                                                                \
        .name = (text), .help = (about), .source = (from), .options = (table), .param_size = sizeof(attack_param)    \
    }

static const attack_table tables[] = {
    { ENTRY("sign-flip", "-scale own", "folklore", scale_options), P2PI_LIE_VALUE, 0, sign_flip },
    { ENTRY("noise", "own + sigma N(0, I)", "folklore", sigma_options), P2PI_LIE_VALUE, 0, noise },
    { ENTRY("label-flip", "the method's, on data with wrong labels", "arXiv:2006.09365", NULL), P2PI_LIE_DATA, 0,
      own },
    { ENTRY("alie", "honest mean less z standard deviations", "Baruch et al., NeurIPS 2019, arXiv:1902.06156",
            z_options),
      P2PI_LIE_VALUE, 2, alie },
    { ENTRY("ipm", "-eps times the honest mean", "Xie, Koyejo, Gupta, UAI 2019, arXiv:1903.03936", eps_options),
      P2PI_LIE_VALUE, 1, ipm },
    { ENTRY("shift", "honest mean + offset", "folklore", offset_options), P2PI_LIE_VALUE, 1, shift },
    { ENTRY("mimic", "what an honest node sends", "Karimireddy, He, Jaggi, ICLR 2022, arXiv:2006.09365",
            target_options),
      P2PI_LIE_VALUE, 1, mimic },
    { ENTRY("dissensus", "cancels the receiver's honest mixing", "He, Karimireddy, Jaggi 2022, arXiv:2202.01545",
            eps_1_options),
      P2PI_LIE_VALUE, 1, dissensus },
    { ENTRY("bit-flip", "own with one bit of every entry flipped", "folklore", bit_options), P2PI_LIE_VALUE, 0,
      bit_flip },
    { ENTRY("nan", "own with a first entry that is no number", "folklore", kind_options), P2PI_LIE_NAN, 0, poison },
    { ENTRY("zero", "zeros", "folklore", NULL), P2PI_LIE_VALUE, 0, zero },
    { ENTRY("silent", "nothing at all", "folklore", NULL), P2PI_LIE_SILENT, 0, own },
    { ENTRY("equivocate", "own + offset to even receivers, own - offset to odd ones", "folklore", offset_options),
      P2PI_LIE_VALUE, 0, equivocate },
    { ENTRY("replay", "the first message, again and again", "folklore", NULL), P2PI_LIE_REPLAY, 0, own },
    { ENTRY("garbage-bytes", "random bytes", "folklore", NULL), P2PI_LIE_GARBAGE, 0, own },
};

const p2p_entry *
p2pi_attack_entry(size_t i)
{
    return i < sizeof tables / sizeof *tables ? &tables[i].entry : NULL;
}

p2p_status
p2pi_attack_new(p2pi_attack **out, const char *spec)
{
    p2pi_span name, options;
    p2pi_attack *self;
    p2p_status st;
    size_t i;

    *out = NULL;
    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find("attack", name, p2pi_attack_entry, &i)) != P2P_OK)
        return st;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("attack", sizeof *self);
    self->table = &tables[i];
    if ((st = p2pi_spec_parse("attack", &self->table->entry, options, &self->param)) != P2P_OK)
        p2pi_attack_destroy(&self);
    *out = self;
    return st;
}

void
p2pi_attack_destroy(p2pi_attack **self)
{
    free(*self);
    *self = NULL;
}

p2p_status
p2pi_attack_apply(const p2pi_attack *self, const p2pi_attack_scene *scene, p2p_vec out)
{
    if (scene->honest < self->table->least_honest)
        return p2p_fail(P2P_EINVAL, "attack \"%s\": needs %zu honest vectors, sees %zu", self->table->entry.name,
                        self->table->least_honest, scene->honest);
    return self->table->apply(&self->param, scene, out);
}

p2pi_lie
p2pi_attack_lie(const p2pi_attack *self)
{
    return self->table->lie;
}

int
p2pi_attack_sees(const p2pi_attack *self)
{
    if (self->table->apply == dissensus)
        return P2PI_SEES_NEAR;
    return self->table->least_honest > 0 ? P2PI_SEES_ALL : P2PI_SEES_NOTHING;
}

int
p2pi_attack_divides(const p2pi_attack *self)
{
    return self->table->apply == dissensus || self->table->apply == equivocate;
}

void
p2pi_attack_poison(const p2pi_attack *self, p2p_dtype type, uint8_t *bytes)
{
    const double value = kinds[self->param.number];
    const float narrow = (float)value;

    if (type == P2P_F64)
        memcpy(bytes, &value, sizeof value);
    else
        memcpy(bytes, &narrow, sizeof narrow);
}
