/* The door: checks that every problem needs, and the change of element type. */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define P2P_PROBLEM(name) extern const p2pi_problem_vt p2pi_problem_##name;
#include "problem/problems.def"
#undef P2P_PROBLEM

static const p2pi_problem_vt *const members[] = {
#define P2P_PROBLEM(name) &p2pi_problem_##name,
#include "problem/problems.def"
#undef P2P_PROBLEM
};

enum { MEMBERS = sizeof members / sizeof members[0] };

const p2p_entry *
p2pi_problem_entry(size_t i)
{
    return i < MEMBERS ? &members[i]->entry : NULL;
}

/* ---- making */

/* Room for one more layer; the arena keeps the smaller rooms before, which are few. */
static p2p_status
layer_room(p2p_problem *self)
{
    const size_t room = self->layer_room > 0 ? 2 * self->layer_room : 4;
    p2p_layer *layers;

    if (self->layer_count < self->layer_room)
        return P2P_OK;
    if ((layers = p2pi_arena_array(self->arena, room, sizeof *layers)) == NULL)
        return P2P_ENOMEM;
    if (self->layer_count > 0)
        memcpy(layers, self->layers, self->layer_count * sizeof *layers);
    self->layers = layers;
    self->layer_room = room;
    return P2P_OK;
}

p2p_status
p2pi_problem_layer(p2p_problem *self, const char *name, size_t rows, size_t cols, unsigned flags)
{
    size_t entries;
    p2p_status st = layer_room(self);

    if (st != P2P_OK)
        return st;
    if (__builtin_mul_overflow(rows, cols, &entries) || __builtin_add_overflow(self->dim, entries, &self->dim))
        return p2p_fail(P2P_EINVAL, "layer %s: %zu x %zu entries do not fit into memory", name, rows, cols);
    self->layers[self->layer_count++] = (p2p_layer){ name, rows, cols, self->dim - entries, flags };
    return P2P_OK;
}

void
p2pi_problem_layer_sizes(const p2p_problem *self, char *text, size_t cap)
{
    text[0] = '\0';
    for (size_t i = 0; i < self->layer_count; i++) {
        const p2p_layer *l = &self->layers[i];

        p2pi_text_append(text, cap, "%s%zu", i > 0 ? "/" : "", l->rows);
        if (l->cols > 1)
            p2pi_text_append(text, cap, "x%zu", l->cols);
    }
}

void
p2pi_problem_weigh(p2p_problem *self, int64_t weights)
{
    const p2p_data *data = self->data;

    if (weights == 1)
        self->weight = (double)self->nodes * (double)data->rows.rows / (double)data->total;
}

p2p_status
p2pi_problem_unbounded(p2p_problem *self, double *smoothness, double *convexity)
{
    (void)self;
    *smoothness = *convexity = 0;
    return P2P_OK;
}

void
p2pi_problem_small_start(p2p_problem *self, double *x)
{
    p2p_random r = p2p_random_open(self->seed, 0, 0, P2P_STREAM_INIT);

    p2p_random_normal(&r, self->dim, x);
    for (size_t i = 0; i < self->dim; i++)
        x[i] *= 0.1;
}

p2p_status
p2pi_problem_classes(p2p_problem *self, int64_t wish, size_t *count, const uint32_t **labels)
{
    uint32_t *numbers;
    double scale, shift;
    p2p_status st;

    *count = wish == P2P_AUTO_INT ? 0 : (size_t)wish;
    if ((st = p2pi_classes_numbers(&self->data->classes, count, &scale, &shift)) != P2P_OK)
        return st;
    if (*count < 2)
        return p2p_fail(P2P_EINVAL, "one class: expected at least two");
    if ((numbers = p2pi_arena_array(self->arena, self->samples, sizeof *numbers)) == NULL)
        return P2P_ENOMEM;
    for (size_t j = 0; j < self->samples; j++)
        numbers[j] = (uint32_t)(self->data->labels[j] * scale + shift);
    *labels = numbers;
    return P2P_OK;
}

p2p_status
p2pi_problem_set(p2p_problem *self, const char *text)
{
    p2p_status st = p2pi_domain_parse(&self->domain, text, self->layer_count, self->layers);

    if (st == P2P_OK && !p2pi_domain_is_free(&self->domain))
        self->flags |= P2P_PROBLEM_PROX;
    return st;
}

/* Name and options, with every option at its default or as given; the canonical text. */
static p2p_status
parse(p2p_problem *self, const char *spec)
{
    char canonical[P2PI_SPEC_MAX];
    p2pi_span name, options;
    size_t index;
    p2p_status st;

    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find("problem", name, p2pi_problem_entry, &index)) != P2P_OK)
        return st;
    self->vt = members[index];
    if ((self->state = p2pi_arena_take(self->arena, self->vt->state_size)) == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_spec_parse("problem", &self->vt->entry, options, self->state)) != P2P_OK)
        return st;
    p2pi_spec_format(&self->vt->entry, self->state, canonical, sizeof canonical);
    self->spec = p2pi_arena_text(self->arena, canonical);
    return self->spec ? P2P_OK : P2P_ENOMEM;
}

/* What a node of floats and minibatches need, once dim and samples are known. */
static p2p_status
make_scratch(p2p_problem *self)
{
    if (self->samples > 0 &&
        (self->permutation = p2pi_arena_array(self->arena, self->samples, sizeof *self->permutation)) == NULL)
        return P2P_ENOMEM;
    if (self->type == P2P_F64 || self->vt == NULL)
        return P2P_OK;
    self->x = p2pi_arena_array(self->arena, self->dim, sizeof *self->x);
    self->g = p2pi_arena_array(self->arena, self->dim, sizeof *self->g);
    return self->x && self->g ? P2P_OK : P2P_ENOMEM;
}

p2p_status
p2p_problem_new(p2p_problem **out, const char *spec, const p2p_data *data, p2p_dtype type, size_t node, size_t nodes,
                uint64_t seed)
{
    p2p_problem *self;
    p2p_status st;

    *out = NULL;
    if (nodes == 0 || node >= nodes)
        return p2p_fail(P2P_EINVAL, "problem \"%s\": node %zu of %zu: expected a node below the number of nodes",
                        spec, node, nodes);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("problem", sizeof *self);
    self->type = type;
    self->node = node;
    self->nodes = nodes;
    self->seed = seed;
    self->weight = 1;
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK || (st = parse(self, spec)) != P2P_OK)
        goto fail;
    if (self->vt->traits & P2PI_PROBLEM_DATA) {
        if (data == NULL) {
            st = p2p_fail(P2P_EINVAL, "problem \"%s\": needs a data set", self->vt->entry.name);
            goto fail;
        }
        self->data = data;
        self->samples = data->rows.rows;
    } else if (self->vt->traits & P2PI_PROBLEM_VALUES)
        self->data = data;
    else if (data != NULL) {
        st = p2p_fail(P2P_EINVAL, "problem \"%s\": draws its own data: expected no data set", self->vt->entry.name);
        goto fail;
    }
    if ((st = self->vt->open(self)) != P2P_OK) {
        p2pi_fail_context(st, "problem \"%s\"", self->vt->entry.name);
        goto fail;
    }
    if ((st = make_scratch(self)) != P2P_OK)
        goto fail;
    *out = self;
    return P2P_OK;
fail:
    p2p_problem_destroy(&self);
    return st;
}

static p2p_status
check_table(const p2p_problem_vt *table)
{
    size_t offset = 0;

    if (table->size != sizeof *table)
        return p2p_fail(P2P_EINVAL, "problem table: size %zu: expected sizeof(p2p_problem_vt) = %zu", table->size,
                        sizeof *table);
    if (table->grad == NULL || table->layers == NULL || table->layer_count == 0)
        return p2p_fail(P2P_EINVAL, "problem table: grad and at least one layer are required");
    if (table->set != NULL && table->prox != NULL)
        return p2p_fail(P2P_EINVAL, "problem table: set and prox: expected at most one of them");
    for (size_t i = 0; i < table->layer_count; i++) {
        const p2p_layer *layer = &table->layers[i];
        size_t entries;

        if (layer->name == NULL || layer->rows == 0 || layer->cols == 0 || layer->offset != offset ||
            __builtin_mul_overflow(layer->rows, layer->cols, &entries) ||
            __builtin_add_overflow(offset, entries, &offset))
            return p2p_fail(P2P_EINVAL, "problem table: layer %zu: expected a name, rows and cols, and offset %zu", i,
                            offset);
    }
    return P2P_OK;
}

static p2p_status
copy_layers(p2p_problem *self, const p2p_problem_vt *table)
{
    self->layers = p2pi_arena_array(self->arena, table->layer_count, sizeof *self->layers);
    if (self->layers == NULL)
        return P2P_ENOMEM;
    for (size_t i = 0; i < table->layer_count; i++) {
        self->layers[i] = table->layers[i];
        if ((self->layers[i].name = p2pi_arena_text(self->arena, table->layers[i].name)) == NULL)
            return P2P_ENOMEM;
        self->dim += table->layers[i].rows * table->layers[i].cols;
    }
    self->layer_count = table->layer_count;
    return P2P_OK;
}

static p2p_status
take_set(p2p_problem *self, const p2p_problem_vt *table)
{
    if (table->prox != NULL)
        self->flags |= P2P_PROBLEM_PROX;
    self->user.set = NULL;
    return table->set != NULL ? p2pi_problem_set(self, table->set) : P2P_OK;
}

p2p_status
p2p_problem_callback(p2p_problem **out, const p2p_problem_vt *table, void *user, p2p_dtype type)
{
    p2p_problem *self;
    p2p_status st;

    *out = NULL;
    if ((st = check_table(table)) != P2P_OK)
        return st;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("problem", sizeof *self);
    self->user = *table;
    self->user_data = user;
    self->type = type;
    self->flags = table->flags;
    self->samples = table->samples;
    self->weight = 1;
    self->spec = "callback";
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK || (st = copy_layers(self, table)) != P2P_OK ||
        (st = take_set(self, table)) != P2P_OK || (st = make_scratch(self)) != P2P_OK) {
        p2p_problem_destroy(&self);
        return st;
    }
    self->user.layers = self->layers;
    *out = self;
    return P2P_OK;
}

void
p2p_problem_destroy(p2p_problem **self)
{
    if (*self == NULL)
        return;
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

/* ---- what it is */

size_t
p2p_problem_dim(const p2p_problem *self)
{
    return self->dim;
}

p2p_dtype
p2p_problem_type(const p2p_problem *self)
{
    return self->type;
}

size_t
p2p_problem_samples(const p2p_problem *self)
{
    return self->samples;
}

unsigned
p2p_problem_flags(const p2p_problem *self)
{
    return self->flags;
}

const char *
p2p_problem_spec(const p2p_problem *self)
{
    return self->spec;
}

void
p2p_problem_layers(const p2p_problem *self, size_t *count, const p2p_layer **layers)
{
    *count = self->layer_count;
    *layers = self->layers;
}

/* ---- checks */

static p2p_status
check_shape(const p2p_problem *self, const char *what, size_t dim, p2p_dtype type)
{
    if (dim == self->dim && type == self->type)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "problem \"%s\": %s has %zu entries of %s: expected %zu of %s", self->spec, what, dim,
                    p2p_dtype_name(type), self->dim, p2p_dtype_name(self->type));
}

static p2p_status
check_index(const p2p_problem *self, const size_t *idx, size_t count)
{
    if (idx == NULL)
        return P2P_OK;
    if (count == 0)
        return p2p_fail(P2P_EINVAL,
                        "problem \"%s\": an empty list of samples: expected at least one, or NULL for all",
                        self->spec);
    for (size_t i = 0; i < count; i++)
        if (idx[i] >= self->samples)
            return p2p_fail(P2P_EINVAL, "problem \"%s\": sample %zu: expected 0 to %zu", self->spec, idx[i],
                            self->samples - 1);
    return P2P_OK;
}

/* A result that left the numbers is told with its place in the layers. */
static p2p_status
check_finite(const p2p_problem *self, const char *what, p2p_view g)
{
    size_t i = p2p_vec_first_nonfinite(g), l;

    if (i == g.dim)
        return P2P_OK;
    for (l = self->layer_count - 1; self->layers[l].offset > i; l--)
        continue;
    return p2p_fail(P2P_EDIVERGED, "problem \"%s\": %s in layer %s, index %zu, is not finite: the iterates diverge",
                    self->spec, what, self->layers[l].name, i - self->layers[l].offset);
}

static p2p_status
not_offered(const p2p_problem *self, const char *what)
{
    return p2p_fail(P2P_ENOTSUP, "problem \"%s\" offers no %s", self->spec, what);
}

static p2p_status
user_status(const char *what, p2p_status st)
{
    return st == P2P_OK ? P2P_OK : p2pi_fail_context(st, "problem \"callback\": the user's %s", what);
}

/* ---- oracles. A double vector is used as it is, a float one through scratch. */

static const double *
entries_of(p2p_view x, double *scratch)
{
    if (x.type == P2P_F64)
        return x.data;
    p2p_vec_convert((p2p_vec){ scratch, x.dim, P2P_F64 }, x);
    return scratch;
}

static double *
room_of(p2p_vec g, double *scratch)
{
    return g.type == P2P_F64 ? g.data : scratch;
}

/* weight times what a member computed, in the node's type. */
static void
deliver(const p2p_problem *self, p2p_vec g, double *computed)
{
    p2p_vec exact = { computed, g.dim, P2P_F64 };

    if (self->weight != 1)
        p2p_vec_scale(exact, self->weight);
    p2p_vec_convert(g, p2p_view_of(exact));
}

p2p_status
p2p_problem_grad(p2p_problem *self, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK ||
        (st = check_shape(self, "g", g.dim, g.type)) != P2P_OK || (st = check_index(self, idx, count)) != P2P_OK)
        return st;
    if (self->vt == NULL) {
        if ((st = user_status("grad", self->user.grad(self->user_data, x, idx, count, g))) != P2P_OK)
            return st;
    } else if (self->type == P2P_F32 && self->vt->grad_f32 != NULL) {
        self->vt->grad_f32(self, x.data, idx, count, g.data);
        if (self->weight != 1)
            p2p_vec_scale(g, self->weight);
    } else {
        double *computed = room_of(g, self->g);

        self->vt->grad(self, entries_of(x, self->x), idx, count, computed);
        deliver(self, g, computed);
    }
    return check_finite(self, self->flags & P2P_PROBLEM_GAME ? "the operator" : "the gradient", p2p_view_of(g));
}

p2p_status
p2p_problem_value(p2p_problem *self, p2p_view x, const size_t *idx, size_t count, double *value)
{
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK || (st = check_index(self, idx, count)) != P2P_OK)
        return st;
    if (self->vt != NULL)
        *value = self->weight * self->vt->value(self, entries_of(x, self->x), idx, count);
    else if (self->user.value != NULL)
        st = user_status("value", self->user.value(self->user_data, x, idx, count, value));
    else
        st = not_offered(self, "value");
    return st;
}

/* Sample by sample: each has the regulariser once, as a sum over one sample does. */
static p2p_status
sum_of_squares(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *s)
{
    const size_t d = self->dim, m = idx ? count : self->samples;

    if (self->one == NULL && (self->one = p2pi_arena_array(self->arena, d, sizeof *self->one)) == NULL)
        return P2P_ENOMEM;
    memset(s, 0, d * sizeof *s);
    for (size_t j = 0; j < m; j++) {
        const size_t sample = idx ? idx[j] : j;

        self->vt->grad(self, x, &sample, 1, self->one);
        for (size_t i = 0; i < d; i++)
            s[i] += self->one[i] * self->one[i];
    }
    for (size_t i = 0; i < d; i++)
        s[i] /= (double)m * (double)m;
    return P2P_OK;
}

p2p_status
p2p_problem_persample_sumsq(p2p_problem *self, p2p_view x, const size_t *idx, size_t count, p2p_vec s)
{
    const double weight = self->weight;
    double *computed = room_of(s, self->g);
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK ||
        (st = check_shape(self, "s", s.dim, s.type)) != P2P_OK || (st = check_index(self, idx, count)) != P2P_OK)
        return st;
    if (self->vt == NULL && self->user.persample_sumsq != NULL)
        return user_status("persample_sumsq", self->user.persample_sumsq(self->user_data, x, idx, count, s));
    if (self->vt == NULL || self->samples == 0)
        return not_offered(self, "gradients of single samples");
    if ((st = sum_of_squares(self, entries_of(x, self->x), idx, count, computed)) != P2P_OK)
        return st;
    if (weight != 1)
        p2p_vec_scale((p2p_vec){ computed, s.dim, P2P_F64 }, weight * weight);
    p2p_vec_convert(s, (p2p_view){ computed, s.dim, P2P_F64 });
    return check_finite(self, "the sum of squares", p2p_view_of(s));
}

/* H e_k is column k. */
static p2p_status
hessian_by_columns(p2p_problem *self, const double *x, double *hessian)
{
    const size_t d = self->dim;
    double *unit = calloc(2 * d, sizeof *unit), *column = unit + d;

    if (unit == NULL)
        return p2pi_fail_memory("Hessian", 2 * d * sizeof *unit);
    for (size_t k = 0; k < d; k++) {
        unit[k] = 1;
        self->vt->hvp(self, x, unit, column);
        unit[k] = 0;
        for (size_t i = 0; i < d; i++)
            hessian[i * d + k] = column[i];
    }
    free(unit);
    return P2P_OK;
}

p2p_status
p2p_problem_hessian(p2p_problem *self, p2p_view x, double *hessian)
{
    const size_t most = 4096;
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK)
        return st;
    if (self->vt == NULL || (self->vt->hessian == NULL && self->vt->hvp == NULL))
        return not_offered(self, "Hessian");
    if (self->dim > most)
        return p2p_fail(P2P_ENOTSUP, "problem \"%s\": a Hessian of %zu x %zu: expected at most %zu", self->spec,
                        self->dim, self->dim, most);
    memset(hessian, 0, self->dim * self->dim * sizeof *hessian);
    st = self->vt->hessian != NULL ? self->vt->hessian(self, entries_of(x, self->x), hessian)
                                   : hessian_by_columns(self, entries_of(x, self->x), hessian);
    if (st == P2P_OK && self->weight != 1)
        p2p_vec_scale((p2p_vec){ hessian, self->dim * self->dim, P2P_F64 }, self->weight);
    return st;
}

p2p_status
p2p_problem_hvp(p2p_problem *self, p2p_view x, p2p_view v, p2p_vec h)
{
    double *computed, *scratch = NULL;
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK ||
        (st = check_shape(self, "v", v.dim, v.type)) != P2P_OK ||
        (st = check_shape(self, "h", h.dim, h.type)) != P2P_OK)
        return st;
    if (self->vt == NULL && self->user.hvp != NULL) {
        if ((st = user_status("hvp", self->user.hvp(self->user_data, x, v, h))) != P2P_OK)
            return st;
        return check_finite(self, "the Hessian product", p2p_view_of(h));
    }
    if (self->vt == NULL || self->vt->hvp == NULL)
        return not_offered(self, "Hessian product");
    if (self->type == P2P_F32 && (scratch = malloc(self->dim * sizeof *scratch)) == NULL)
        return p2pi_fail_memory("problem", self->dim * sizeof *scratch);
    computed = room_of(h, self->g);
    self->vt->hvp(self, entries_of(x, self->x), entries_of(v, scratch), computed);
    deliver(self, h, computed);
    free(scratch);
    return check_finite(self, "the Hessian product", p2p_view_of(h));
}

p2p_status
p2p_problem_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    p2p_status st;

    if (self->vt == NULL) {
        *smoothness = self->user.smoothness;
        *convexity = self->user.convexity;
        return P2P_OK;
    }
    if (!self->have_constants) {
        if ((st = self->vt->constants(self, &self->smoothness, &self->convexity)) != P2P_OK)
            return st;
        self->smoothness *= self->weight;
        self->convexity *= self->weight;
        self->have_constants = 1;
    }
    *smoothness = self->smoothness;
    *convexity = self->convexity;
    return P2P_OK;
}

p2p_status
p2p_problem_accuracy(p2p_problem *self, p2p_view x, double *accuracy)
{
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK)
        return st;
    if (self->vt == NULL || self->vt->accuracy == NULL)
        return not_offered(self, "classes");
    *accuracy = self->vt->accuracy(self, entries_of(x, self->x));
    return isnan(*accuracy) ? not_offered(self, "classes") : P2P_OK;
}

p2p_status
p2p_problem_start(p2p_problem *self, p2p_vec x)
{
    double *computed = room_of(x, self->x);
    p2p_status st;

    if ((st = check_shape(self, "x", x.dim, x.type)) != P2P_OK)
        return st;
    if (self->vt == NULL || self->vt->start == NULL) {
        p2p_vec_zero(x);
        return p2p_problem_prox(self, 0, x);
    }
    self->vt->start(self, computed);
    p2p_vec_convert(x, (p2p_view){ computed, x.dim, P2P_F64 });
    return P2P_OK;
}

/* ---- sets and regularisers */

p2p_status
p2p_problem_prox(p2p_problem *self, double step, p2p_vec x)
{
    p2p_status st = check_shape(self, "x", x.dim, x.type);

    if (st != P2P_OK)
        return st;
    if (self->vt == NULL && self->user.prox != NULL)
        return user_status("prox", self->user.prox(self->user_data, step, x));
    p2pi_domain_apply(&self->domain, step, x);
    return P2P_OK;
}

p2p_status
p2p_problem_regulariser(p2p_problem *self, p2p_view x, double *psi)
{
    p2p_status st = check_shape(self, "x", x.dim, x.type);

    if (st != P2P_OK)
        return st;
    if (self->vt == NULL && self->user.regulariser != NULL)
        return user_status("regulariser", self->user.regulariser(self->user_data, x, psi));
    *psi = p2pi_domain_value(&self->domain, x);
    return P2P_OK;
}

p2p_status
p2p_problem_duality_gap(p2p_problem *self, p2p_view z, p2p_view f, double *gap)
{
    p2p_status st;

    if ((st = check_shape(self, "z", z.dim, z.type)) != P2P_OK ||
        (st = check_shape(self, "f", f.dim, f.type)) != P2P_OK)
        return st;
    if (!p2pi_domain_is_bounded(&self->domain))
        return not_offered(self, "bounded set");
    *gap = p2p_vec_dot(f, z) - p2pi_domain_lowest(&self->domain, f);
    return P2P_OK;
}
