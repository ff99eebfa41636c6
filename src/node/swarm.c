/* The swarm description in memory: keys by an option table, nodes in rank order. */
#include <p2popt/swarm.h>

#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"
#include "node/catalogue.h"
#include "node/description.h"

#include <stdlib.h>
#include <string.h>

/* The order is that of the file and of the man page. */
static const p2p_option keys[] = {
    { "name", P2P_OPT_TEXT, "swarm", NULL, NULL, "what the swarm is called, in logs and in the handshake",
      offsetof(p2pi_description, name) },
    { "topology", P2P_OPT_TEXT, "ring", NULL, NULL, "who talks to whom: a spec, or file:PATH",
      offsetof(p2pi_description, topology) },
    { "mixing", P2P_OPT_TEXT, "auto", NULL, NULL, "rule of the mixing matrix, or file:PATH",
      offsetof(p2pi_description, mixing) },
    { "method", P2P_OPT_TEXT, "cold", NULL, NULL, "the algorithm, as in cold:step=auto,gossip=auto",
      offsetof(p2pi_description, method) },
    { "compressor", P2P_OPT_TEXT, "qinf:bits=2", NULL, NULL, "what shrinks the messages",
      offsetof(p2pi_description, compressor) },
    { "aggregator", P2P_OPT_TEXT, "mean", NULL, NULL, "rule that combines vectors, where the method asks for one",
      offsetof(p2pi_description, aggregator) },
    { "problem", P2P_OPT_TEXT, "logistic", NULL, NULL, "what is minimised, as in logistic:lambda=1e-3",
      offsetof(p2pi_description, problem) },
    { "data", P2P_OPT_TEXT, "", NULL, NULL, "data file, or sample:NAME; each node reads its own shard of it",
      offsetof(p2pi_description, data) },
    { "shard", P2P_OPT_TEXT, "contiguous", NULL, NULL, "how the rows of the data are dealt to the nodes",
      offsetof(p2pi_description, shard) },
    { "batch", P2P_OPT_INT, "0", "0", "1000000000", "samples a gradient is taken over; 0: all",
      offsetof(p2pi_description, batch) },
    { "batch-shuffle", P2P_OPT_BOOL, "no", NULL, NULL, "walk permutations of the samples instead of drawing them",
      offsetof(p2pi_description, shuffle) },
    { "dtype", P2P_OPT_CHOICE, "f64", "f32|f64", NULL, "element type of every vector",
      offsetof(p2pi_description, dtype) },
    { "seed", P2P_OPT_INT, "1", "0", "9223372036854775807", "of everything random: the same seed, the same run",
      offsetof(p2pi_description, seed) },
    { "rounds", P2P_OPT_INT, "1000", "1", "4000000000", "most rounds", offsetof(p2pi_description, rounds) },
    { "tolerance", P2P_OPT_REAL, "0", "0", NULL, "end when every node's estimate of f - f* is at most this; 0: never",
      offsetof(p2pi_description, tolerance) },
    { "round-timeout", P2P_OPT_REAL, "10", "0.01", "86400", "seconds of silence that make a neighbour absent",
      offsetof(p2pi_description, round_timeout) },
    { "connect-timeout", P2P_OPT_REAL, "60", "0.01", "604800", "seconds to wait for neighbours at the start",
      offsetof(p2pi_description, connect_timeout) },
    { "security", P2P_OPT_CHOICE, "curve", "curve|none|insecure", NULL,
      "curve: encrypted, members only; none: open, on this machine only; insecure: open anywhere",
      offsetof(p2pi_description, security) },
    { "zstd", P2P_OPT_BOOL, "no", NULL, NULL, "compress messages once more, where that makes them shorter",
      offsetof(p2pi_description, zstd) },
    { "report-every", P2P_OPT_INT, "0", "0", "4000000000", "rounds between reports; 0: only the last",
      offsetof(p2pi_description, report_every) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

static const p2p_entry description_entry = { "swarm", NULL, NULL, keys, sizeof(p2pi_description) };

const p2p_option *
p2p_swarm_options(void)
{
    return keys;
}

p2p_status
p2p_swarm_new(p2p_swarm **out)
{
    p2p_swarm *self;
    p2p_status st;

    *out = NULL;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("swarm", sizeof *self);
    if ((st = p2pi_spec_parse("description", &description_entry, p2pi_span_of(""), &self->values)) != P2P_OK) {
        p2p_swarm_destroy(&self);
        return st;
    }
    for (size_t i = 0; keys[i].key != NULL; i++)
        p2pi_option_format(&keys[i], &self->values, self->text[i], sizeof self->text[i]);
    *out = self;
    return P2P_OK;
}

void
p2p_swarm_destroy(p2p_swarm **self)
{
    if (*self == NULL)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        free((*self)->members[i].endpoint);
    free((*self)->members);
    free((*self)->path);
    p2pi_plan_destroy(&(*self)->plan);
    free(*self);
    *self = NULL;
}

static p2p_status
fixed(const p2p_swarm *self)
{
    if (self->plan == NULL)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "swarm: the description is in use and cannot be changed");
}

/* A spec is looked at as soon as it is given, so that the message can name the line. Topologies and mixing rules are
 * checked when they are built: their specs name files. */
static p2p_status
check_value(const p2p_option *key, const char *value)
{
    if (strcmp(key->key, "method") == 0)
        return p2pi_catalogue_check(P2P_FAMILY_METHOD, value);
    if (strcmp(key->key, "compressor") == 0)
        return p2pi_catalogue_check(P2P_FAMILY_COMPRESSOR, value);
    if (strcmp(key->key, "aggregator") == 0)
        return p2pi_catalogue_check(P2P_FAMILY_AGGREGATOR, value);
    if (strcmp(key->key, "problem") == 0)
        return p2pi_catalogue_check(P2P_FAMILY_PROBLEM, value);
    if (strcmp(key->key, "name") == 0)
        for (const char *c = value; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                return p2p_fail(P2P_EINVAL, "description \"swarm\": name: expected printable characters");
    return P2P_OK;
}

static p2p_status
store(p2p_swarm *self, size_t i, const char *value)
{
    p2p_status st = p2pi_option_set("description", "swarm", &keys[i], p2pi_span_of(value), &self->values);

    if (st != P2P_OK)
        return st;
    p2pi_option_format(&keys[i], &self->values, self->text[i], sizeof self->text[i]);
    self->line[i] = 0;
    return P2P_OK;
}

static const p2p_option *
find(const char *key)
{
    return p2pi_option_find(keys, p2pi_span_of(key));
}

/* A compressor that nobody has named follows from the method. */
static p2p_status
follow_method(p2p_swarm *self, const char *method)
{
    const p2p_option *compressor = find("compressor");
    const char *value = p2pi_catalogue_compresses(method) ? "identity" : compressor->value;

    return self->compressor_given ? P2P_OK : store(self, (size_t)(compressor - keys), value);
}

p2p_status
p2pi_swarm_set_at(p2p_swarm *self, size_t i, const char *value)
{
    p2p_status st = fixed(self);

    if (st != P2P_OK || (st = check_value(&keys[i], value)) != P2P_OK || (st = store(self, i, value)) != P2P_OK)
        return st;
    if (strcmp(keys[i].key, "compressor") == 0)
        self->compressor_given = 1;
    return strcmp(keys[i].key, "method") == 0 ? follow_method(self, value) : P2P_OK;
}

p2p_status
p2pi_swarm_unknown(const char *key, const char *further)
{
    char all[512] = "";

    for (size_t i = 0; keys[i].key != NULL; i++)
        p2pi_text_append(all, sizeof all, "%s%s", i ? ", " : "", keys[i].key);
    return p2p_fail(P2P_EPARSE, "description: key \"%.80s\": unknown; allowed: %s%s", key, all, further);
}

p2p_status
p2p_swarm_set(p2p_swarm *self, const char *key, const char *value)
{
    const p2p_option *option = find(key);

    if (option == NULL)
        return p2pi_swarm_unknown(key, "");
    return p2pi_swarm_set_at(self, (size_t)(option - keys), value);
}

const char *
p2p_swarm_get(const p2p_swarm *self, const char *key)
{
    const p2p_option *option = find(key);

    return option ? self->text[option - keys] : NULL;
}

p2p_status
p2pi_swarm_blame(const p2p_swarm *self, const char *key, p2p_status status)
{
    const p2p_option *option = find(key);

    if (option == NULL || self->path == NULL || self->line[option - keys] == 0)
        return status;
    return p2pi_fail_context(status, "%s:%u", self->path, self->line[option - keys]);
}

static int
is_z85(const char *text)
{
    static const char alphabet[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

    return strlen(text) == 40 && strspn(text, alphabet) == 40;
}

static p2p_status
check_member(const p2p_swarm *self, const char *endpoint, const char *public_key)
{
    if (endpoint != NULL && (strpbrk(endpoint, " \t\r\n") != NULL || strlen(endpoint) > 255 ||
                             !((strncmp(endpoint, "tcp://", 6) == 0 && strrchr(endpoint + 6, ':') != NULL) ||
                               (strncmp(endpoint, "ipc://", 6) == 0 && endpoint[6] != '\0'))))
        return p2p_fail(P2P_EINVAL, "node %zu: endpoint \"%.80s\": expected tcp://HOST:PORT or ipc://PATH",
                        self->count, endpoint);
    if (public_key != NULL && !is_z85(public_key))
        return p2p_fail(P2P_EINVAL, "node %zu: key \"%.80s\": expected a public key, 40 characters of Z85",
                        self->count, public_key);
    return P2P_OK;
}

p2p_status
p2p_swarm_add(p2p_swarm *self, const char *endpoint, const char *public_key)
{
    p2pi_member *member;
    p2p_status st = fixed(self);

    if (st != P2P_OK)
        return st;
    if ((endpoint != NULL || public_key != NULL) && (st = check_member(self, endpoint, public_key)) != P2P_OK)
        return st;
    if (self->count == self->room) {
        size_t room = self->room ? 2 * self->room : 16;
        p2pi_member *larger = realloc(self->members, room * sizeof *larger);

        if (larger == NULL)
            return p2pi_fail_memory("swarm", room * sizeof *larger);
        self->members = larger;
        self->room = room;
    }
    member = &self->members[self->count];
    memset(member, 0, sizeof *member);
    if (endpoint != NULL && (member->endpoint = strdup(endpoint)) == NULL)
        return p2pi_fail_memory("swarm", strlen(endpoint) + 1);
    if (public_key != NULL)
        strcpy(member->public_key, public_key);
    self->count++;
    return P2P_OK;
}

size_t
p2p_swarm_size(const p2p_swarm *self)
{
    return self->count == 0 && self->plan != NULL ? p2p_topology_size(self->plan->topology) : self->count;
}

const char *
p2p_swarm_endpoint(const p2p_swarm *self, size_t rank)
{
    return rank < self->count ? self->members[rank].endpoint : NULL;
}

const char *
p2p_swarm_public_key(const p2p_swarm *self, size_t rank)
{
    return rank < self->count && self->members[rank].public_key[0] ? self->members[rank].public_key : NULL;
}

p2p_status
p2pi_swarm_plan(p2p_swarm *self, const p2pi_plan **out)
{
    p2p_status st;

    *out = NULL;
    if (self->plan == NULL && (st = p2pi_plan_new(&self->plan, self)) != P2P_OK)
        return st;
    *out = self->plan;
    return P2P_OK;
}

p2p_status
p2p_swarm_topology(p2p_swarm *self, const p2p_topology **out)
{
    const p2pi_plan *plan;
    p2p_status st = p2pi_swarm_plan(self, &plan);

    *out = st == P2P_OK ? plan->topology : NULL;
    return st;
}
