/* Estimates and their cache. */
#include "analyses/operators/metrics.h"
#include "facts/forward_links.h"

#include "analyses/rates.h"
#include "base/data.h"
#include "classify/engine_counts.h"
#include "extend/extend.h"

#define KERNELS 32 /* names examined for attributes that only a kernel's name has */
#define FACTS   8

/* The result of a model. */
struct draft {
    struct az_perf perf;
    const struct az_op_model *model;
    struct az_sv spec, params;
    uint64_t params_hash, hash; /* hash: of all */
    bool tf32;
};

/* What the estimates of an operator's shapes have in common. */
struct common {
    struct az_perf perf; /* without its numbers; of parameters the names and kinds */
    const struct az_op_model *model;
    struct az_sv spec;
    bool tf32;
};

/* An estimate: small, as there is one for each shape. */
struct entry {
    double flops, bytes, bwd_flops, bwd_bytes;
    const struct common *common;
    struct az_sv params;
    const union az_framework_value *value; /* of the parameters */
};

/* By (name, arguments), (kernels, annotation), in pages that stay where they are: all of it is in
 * the arena, as it lives as long as the job, whatever ends it. */
struct known {
    uint64_t k0, k1;
    struct entry *entry;
};
#define PAGE_BITS 8

struct az_framework_metrics {
    struct az_job *job;
    struct az_framework *fw;
    const struct az_op_models *models;
    const struct az_op_model **by_name; /* name id -> model; NULL: not looked up or none */
    uint8_t *looked;                    /* name id -> 1 */
    struct known **page;
    uint32_t *slot; /* open addressing: number of a known one + 1, 0: free */
    size_t mask, n_known;
    struct entry *recent[64];  /* by their hash: equal ones are kept once */
    struct common *common[16]; /* of the last models */
    const struct entry *last;
    uint32_t *known_rows; /* az_framework_known_rows */
    struct az_perf_call *call;
    struct az_extend *script; /* while its models are run */
    struct az_diag *messages;
    uint32_t *steps; /* rows of AZ_RANGE that describe a step of a serving engine */
    size_t n_steps;
    bool steps_known, has_peaks;
    struct az_peaks peaks;
};

static int find_peaks(struct az_framework_metrics *m)
{
    const struct az_options *o = m->job->opts;
    const struct az_device_facts f = az_trace_device(m->fw->trace);
    int rc = az_job_peaks(m->job, &f, &m->peaks, &m->has_peaks);
    if (rc == 0 && !m->has_peaks && o->device_name.n)
        az_job_unknown_device(m->job, AZ_AT_FILE(m->fw->trace->path));
    if (rc == 0 && o->arch_rows.n && strcmp(m->peaks.how, AZ_HOW_FILE) != 0)
        az_diag_add(m->job->diag, AZ_WARNING, AZ_AT_FILE(o->gpu_arch_json_path),
                    "device '%.*s' not found in the file, rates ignored; set \"device\" to one of "
                    "its devices",
                    AZ_SVF(o->device_name.n ? o->device_name : f.name));
    return rc;
}

struct az_framework_metrics *az_framework_metrics_get(struct az_job *job, struct az_framework *f,
                                                      int *rc)
{
    *rc = 0;
    if (f->metrics)
        return f->metrics;
    size_t names = f->trace->names.text.n + 1;
    struct az_framework_metrics *m = az_arena_alloc(job->arena, sizeof *m);
    if (!m)
        goto memory;
    *m = (struct az_framework_metrics){ .job = job,
                                        .fw = f,
                                        .by_name =
                                            az_arena_array(job->arena, names, sizeof *m->by_name),
                                        .looked = az_arena_array(job->arena, names, 1),
                                        .call = az_arena_alloc(job->arena, sizeof *m->call) };
    if (!m->by_name || !m->looked || !m->call)
        goto memory;
    m->models = az_op_models_listed();
    if (!m->models)
        goto memory;
    *rc = find_peaks(m);
    if (*rc == 0)
        f->metrics = m;
    return *rc ? NULL : m;
memory:
    *rc = az_arena_error(job->arena);
    return NULL;
}

struct az_job *az_framework_job(const struct az_framework_metrics *m) { return m->job; }
const struct az_trace *az_framework_trace(const struct az_framework_metrics *m)
{
    return m->fw->trace;
}
const struct az_peaks *az_framework_peaks(const struct az_framework_metrics *m)
{
    return m->has_peaks ? &m->peaks : NULL;
}

const struct az_op_model *az_framework_model(struct az_framework_metrics *m, uint32_t name)
{
    if (name == AZ_NO_ID)
        return NULL;
    if (!m->looked[name]) {
        m->by_name[name] = az_op_model_find(m->models, az_trace_text(m->fw->trace, name));
        m->looked[name] = 1;
    }
    return m->by_name[name];
}

bool az_framework_scripted(struct az_framework_metrics *m, uint32_t name)
{
    const struct az_op_model *model = az_framework_model(m, name);
    return model && az_sv_is(model->model, "script");
}

/* Name ids of the device events below a node, without repetition of neighbors. */
static size_t kernels_below(const struct az_framework *f, uint32_t node, uint32_t *ids)
{
    uint32_t first, end;
    size_t n = 0;
    az_node_gpu(f->tree, node, &first, &end);
    for (; first < end && n < KERNELS; first++) {
        uint32_t id = az_gpu_event(f->tree, f->tree->linked[first]).name;
        if (id != AZ_NO_ID && (n == 0 || ids[n - 1] != id))
            ids[n++] = id;
    }
    return n;
}

static int find_steps(struct az_framework_metrics *m)
{
    static const char *const starts[] = { "execute_", "step[", "prefill[", "decode[" };
    const struct az_events *e = &m->fw->trace->ev[AZ_RANGE];
    m->steps_known = true;
    m->steps = az_arena_array(m->job->arena, e->n + 1, sizeof *m->steps);
    if (!m->steps)
        return az_arena_error(m->job->arena);
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = 0; e->name[i] != AZ_NO_ID && k < 4; k++)
            if (az_sv_starts(az_trace_text(m->fw->trace, e->name[i]), az_sv_str(starts[k])))
                m->steps[m->n_steps++] = (uint32_t)i;
    return 0;
}

static bool has_lengths(const struct az_framework_metrics *m, uint32_t name)
{
    struct az_engine_counts c;
    return az_engine_counts_read(az_trace_text(m->fw->trace, name), &c) == AZ_ENGINE_DETAILED;
}

/* Name id of the step that encloses a node: of those that began before it the last one with sums of
 * lengths, else the last one; AZ_NO_ID. */
static uint32_t step_of(const struct az_framework_metrics *m, uint32_t node)
{
    const struct az_events *e = &m->fw->trace->ev[AZ_RANGE];
    int64_t at = az_framework_node(m->fw, node).start;
    size_t lo = 0, hi = m->n_steps;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (e->start[m->steps[mid]] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t last = AZ_NO_ID;
    for (size_t back = 0; lo > 0 && back < 8;
         back++, lo--) { /* steps of several threads may interleave */
        const uint32_t name = e->name[m->steps[lo - 1]];
        if (e->end[m->steps[lo - 1]] <= at)
            continue;
        if (has_lengths(m, name))
            return name;
        last = last == AZ_NO_ID ? name : last;
    }
    return last;
}

static struct az_sv text_of(const struct az_framework *f, uint32_t id)
{
    return id == AZ_NO_ID ? az_sv_make("", 0) : az_trace_text(f->trace, id);
}

static struct known *known_at(const struct az_framework_metrics *m, size_t i)
{
    return &m->page[i >> PAGE_BITS][i & ((1u << PAGE_BITS) - 1)];
}

static size_t place_of(uint64_t k0, uint64_t k1)
{
    const uint64_t mixed = (k0 ^ (k1 << 32 | k1 >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed ^ mixed >> 32);
}

/* Slot of a key: its own, or the free one where it belongs. */
static uint32_t *slot_of(const struct az_framework_metrics *m, uint64_t k0, uint64_t k1)
{
    size_t i = place_of(k0, k1) & m->mask;
    for (; m->slot[i]; i = (i + 1) & m->mask) {
        const struct known *k = known_at(m, m->slot[i] - 1);
        if (k->k0 == k0 && k->k1 == k1)
            break;
    }
    return &m->slot[i];
}

/* Room for one more. */
static int make_room(struct az_framework_metrics *m)
{
    struct az_arena *a = m->job->arena;
    if (!m->slot || m->n_known * 2 > m->mask) {
        const size_t mask = m->slot ? m->mask * 2 + 1 : 255;
        uint32_t *slot = az_arena_array(a, mask + 1, sizeof *slot);
        struct known **page = az_arena_array(a, (mask >> PAGE_BITS) + 1, sizeof *page);
        if (!slot || !page)
            return az_arena_error(a);
        for (size_t i = 0; i << PAGE_BITS < m->n_known; i++)
            page[i] = m->page[i];
        m->page = page;
        m->slot = slot;
        m->mask = mask;
        for (size_t i = 0; i < m->n_known; i++)
            *slot_of(m, known_at(m, i)->k0, known_at(m, i)->k1) = (uint32_t)i + 1;
    }
    struct known **page = &m->page[m->n_known >> PAGE_BITS];
    if (!*page)
        *page = az_arena_array(a, 1u << PAGE_BITS, sizeof **page);
    return *page ? 0 : az_arena_error(a);
}

/* Lines `name=value`; at most FACTS. */
static size_t read_facts(struct az_sv text, struct az_perf_fact *out)
{
    size_t n = 0;
    while (text.n && n < FACTS) {
        struct az_sv line = az_sv_cut(&text, '\n');
        out[n].name = az_sv_cut(&line, '=');
        out[n++].value = line;
    }
    return n;
}

static uint64_t hash_of(const struct draft *e)
{
    const double number[] = { e->perf.flops, e->perf.bytes, e->perf.bwd_flops, e->perf.bwd_bytes,
                              e->tf32 };
    return az_hash(number, sizeof number) ^ e->params_hash ^ (uint64_t)(uintptr_t)e->model;
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
static bool same_word(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_names(const struct az_perf *a, const struct az_perf *b)
{
    unsigned i = 0;
    while (i < a->n_params && i < b->n_params && a->param[i].kind == b->param[i].kind &&
           same_word(a->param[i].name, b->param[i].name))
        i++;
    return i == a->n_params && i == b->n_params;
}

static bool is_common(const struct common *a, const struct draft *b)
{
    const struct az_perf *p = &a->perf, *q = &b->perf;
    return a->model == b->model && a->tf32 == b->tf32 && same_word(p->unit, q->unit) &&
           same_word(p->why, q->why) && az_sv_eq(p->prec, q->prec) &&
           az_sv_eq(p->fallback, q->fallback) && p->assumed == q->assumed &&
           az_sv_eq(a->spec, b->spec) && same_names(p, q);
}

/* The text of parameters has the value of each. */
static bool is_same(const struct entry *a, const struct draft *b)
{
    const struct az_perf *q = &b->perf;
    return same_number(a->flops, q->flops) && same_number(a->bytes, q->bytes) &&
           same_number(a->bwd_flops, q->bwd_flops) && same_number(a->bwd_bytes, q->bwd_bytes) &&
           az_sv_eq(a->params, b->params) && is_common(a->common, b);
}

static bool is_text(enum az_perf_kind kind)
{
    return kind == AZ_PARAM_TEXT || kind == AZ_PARAM_JSON;
}

static struct common *keep_common(struct az_arena *a, const struct draft *d)
{
    struct common *own = az_arena_room(a, sizeof *own);
    struct az_perf_param *param = az_arena_array(a, d->perf.n_params, sizeof *param);
    if (!own || !param)
        return NULL;
    for (unsigned i = 0; i < d->perf.n_params; i++)
        param[i] = (struct az_perf_param){ .name = d->perf.param[i].name,
                                           .kind = d->perf.param[i].kind,
                                           .text = AZ_SV("") };
    *own = (struct common){ d->perf, d->model, az_arena_dup(a, d->spec), d->tf32 };
    own->perf.prec = az_arena_dup(a, d->perf.prec);
    own->perf.fallback = az_arena_dup(a, d->perf.fallback);
    own->perf.param = param;
    own->perf.flops = own->perf.bytes = own->perf.bwd_flops = own->perf.bwd_bytes = NAN;
    return own;
}

/* A text of the arena: that of another estimate where it is equal. */
static const struct az_sv *keep_text(struct az_arena *a, struct az_sv v, const struct az_sv *other)
{
    if (other && az_sv_eq(v, *other))
        return other;
    struct az_sv *own = az_arena_room(a, sizeof *own);
    if (own)
        *own = az_arena_dup(a, v);
    return own;
}

/* A copy in the arena. last: another estimate; NULL. */
static struct entry *keep_entry(struct az_arena *a, const struct draft *d,
                                const struct common *common, const struct entry *last)
{
    const unsigned n = d->perf.n_params;
    struct entry *own = common ? az_arena_room(a, sizeof *own) : NULL;
    union az_framework_value *value = own ? az_arena_array(a, n, sizeof *value) : NULL;
    const bool same = last && last->common == common;
    if (!value)
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct az_perf_param *p = &d->perf.param[i];
        if (!is_text(p->kind))
            value[i].number = p->number;
        else if (!(value[i].text = keep_text(a, p->text, same ? last->value[i].text : NULL)))
            return NULL;
    }
    *own = (struct entry){ d->perf.flops,
                           d->perf.bytes,
                           d->perf.bwd_flops,
                           d->perf.bwd_bytes,
                           common,
                           az_arena_dup(a, d->params),
                           value };
    return own;
}

unsigned az_framework_params_of(const struct az_framework_estimate *e,
                                struct az_perf_param out[AZ_PERF_PARAMS])
{
    const unsigned n = e->perf ? e->perf->n_params : 0;
    for (unsigned i = 0; i < n; i++) {
        out[i] = e->perf->param[i];
        if (is_text(out[i].kind))
            out[i].text = *e->value[i].text;
        else
            out[i].number = e->value[i].number;
    }
    return n;
}

/* The model's result, with texts in `scratch`. */
static int ask_model(struct az_framework_metrics *m, uint32_t node, struct az_arena *scratch,
                     struct draft *e)
{
    struct az_perf_call *c = m->call;
    const struct az_op_args *a = az_framework_args(m->fw, node);
    struct az_perf_fact facts[FACTS];
    int rc = 0;
    c->fact = facts;
    c->n_facts = a ? read_facts(text_of(m->fw, a->facts), facts) : 0;
    e->perf = (struct az_perf){
        .flops = NAN, .bytes = NAN, .bwd_flops = NAN, .bwd_bytes = NAN, .unit = ""
    };
    if (!a || a->dims == AZ_NO_ID)
        e->perf.why = "no shapes recorded";
    else if (!az_perf_parse(c, text_of(m->fw, a->dims), text_of(m->fw, a->types),
                            text_of(m->fw, a->strides), text_of(m->fw, a->concrete)))
        e->perf.why = "malformed argument list";
    else if (az_sv_is(e->model->model, "script"))
        rc = m->script ? az_extend_model(m->script, c, scratch, &e->perf, m->messages)
                       : AZ_EINTERNAL;
    else
        rc = az_perf_eval(c, e->model, scratch, &e->perf);
    e->spec = az_perf_spec(&e->perf, scratch);
    e->params = az_framework_params(&e->perf, scratch);
    e->params_hash = e->params.n ? az_hash(e->params.p, e->params.n) : 0;
    e->hash = hash_of(e);
    return rc || !scratch->failed ? rc : az_arena_error(scratch);
}

/* Its estimate; NULL without memory. */
static struct entry *entry_for(struct az_framework_metrics *m, const struct draft *d)
{
    struct entry **recent = &m->recent[d->hash % AZ_LENGTH(m->recent)];
    struct common **common =
        &m->common[(uintptr_t)d->model / sizeof *d->model % AZ_LENGTH(m->common)];
    if (!*recent || !is_same(*recent, d)) {
        if (!*common || !is_common(*common, d))
            *common = keep_common(m->job->arena, d);
        *recent = keep_entry(m->job->arena, d, *common, m->last);
    }
    m->last = *recent;
    return *recent;
}

static int evaluate(struct az_framework_metrics *m, const struct az_op_model *model, uint32_t node,
                    const uint32_t *ids, size_t n, uint32_t step, struct entry **out)
{
    struct az_perf_call *c = m->call;
    struct az_sv kernels[KERNELS];
    struct draft e = { .model = model };
    struct az_arena scratch;
    memset(c->arg, 0, c->n * sizeof *c->arg); /* of the last one: there is room for many more */
    c->n = 0;
    c->op = az_node_name(m->fw->tree, node);
    for (size_t i = 0; i < n; i++) {
        kernels[i] = az_trace_text(m->fw->trace, ids[i]);
        e.tf32 = e.tf32 || az_sv_ifind(kernels[i], AZ_SV("tf32")) >= 0;
    }
    c->kernels = kernels;
    c->n_kernels = n;
    c->annotation = text_of(m->fw, step);
    az_arena_init(&scratch, m->job->mem);
    const int rc = ask_model(m, node, &scratch, &e);
    *out = rc ? NULL : entry_for(m, &e);
    az_arena_release(&scratch);
    return rc || *out ? rc : az_arena_error(m->job->arena);
}

#define WITHOUT UINT32_MAX /* known: there is no model */

/* Number of what is known of an operator node + 1; WITHOUT. */
static int find_known(struct az_framework_metrics *m, uint32_t node, uint32_t *out)
{
    *out = WITHOUT;
    if (node >= m->fw->tree->first_call)
        return 0;
    uint32_t name = az_framework_node(m->fw, node).name, ids[KERNELS + 1], step = AZ_NO_ID;
    const struct az_op_model *model = az_framework_model(m, name);
    if (!model)
        return 0;
    int rc = m->steps_known ? 0 : find_steps(m);
    if (rc == 0 && m->n_steps && az_sv_is(model->family, "InferenceAttention"))
        step = step_of(m, node);
    size_t n = kernels_below(m->fw, node, ids);
    const struct az_op_args *a = az_framework_args(m->fw, node);
    uint32_t args = a ? (uint32_t)(a - m->fw->ops->args.v) : AZ_NO_ROW;
    ids[n] = step;
    if (rc == 0)
        rc = make_room(m);
    if (rc)
        return rc;
    const uint64_t k0 = (uint64_t)name << 32 | args, k1 = n == 1
                                                              ? (uint64_t)step << 32 | ids[0]
                                                              : az_hash(ids, (n + 1) * sizeof *ids);
    uint32_t *slot = slot_of(m, k0, k1);
    if (!*slot) {
        struct known *fresh = known_at(m, m->n_known);
        *fresh = (struct known){ .k0 = k0, .k1 = k1 };
        rc = evaluate(m, model, node, ids, n, step, &fresh->entry);
        if (rc)
            return rc;
        *slot = (uint32_t)++m->n_known;
    }
    *out = *slot;
    return 0;
}

static void put_estimate(const struct entry *e, bool backward, struct az_framework_estimate *out)
{
    const struct common *c = e->common;
    out->model = c->model;
    out->perf = &c->perf;
    out->value = e->value;
    out->flops = backward ? e->bwd_flops : e->flops;
    out->bytes = backward ? e->bwd_bytes : e->bytes;
    out->spec = c->spec;
    out->params = e->params;
    out->why = c->perf.why         ? c->perf.why
               : isnan(out->flops) ? "no model for the backward pass"
               : isnan(out->bytes) ? "element size unknown"
                                   : NULL;
    out->tf32 = c->tf32;
}

int az_framework_lookup(struct az_framework_metrics *m, uint32_t node, uint32_t *known)
{
    const int rc = find_known(m, node, known);
    if (rc)
        *known = 0;
    return rc;
}

int az_framework_estimate_again(struct az_framework_metrics *m, uint32_t node, bool backward,
                                uint32_t *known, struct az_framework_estimate *out)
{
    *out = (struct az_framework_estimate){
        .flops = NAN, .bytes = NAN, .spec = { "", 0 }, .params = { "", 0 }
    };
    const int rc = *known ? 0 : az_framework_lookup(m, node, known);
    if (rc == 0 && *known != WITHOUT)
        put_estimate(known_at(m, *known - 1)->entry, backward, out);
    out->number = *known;
    return rc;
}

int az_framework_known_rows(struct az_framework_metrics *m, size_t n, uint32_t **known)
{
    if (!m->known_rows)
        m->known_rows = az_arena_array(m->job->arena, n + 1, sizeof *m->known_rows);
    *known = m->known_rows;
    return m->known_rows ? 0 : az_arena_error(m->job->arena);
}

int az_framework_estimate(struct az_framework_metrics *m, uint32_t node, bool backward,
                          struct az_framework_estimate *out)
{
    uint32_t known = 0;
    return az_framework_estimate_again(m, node, backward, &known, out);
}

int az_framework_metrics_extend(struct az_framework_metrics *m, struct az_extend *e,
                                struct az_diag *messages)
{
    const struct az_events *ops = &m->fw->trace->ev[AZ_HOST_OP];
    struct az_framework_estimate unused;
    int rc = 0;
    m->script = e;
    m->messages = messages;
    for (uint32_t n = 0; rc == 0 && n < m->fw->tree->first_call; n++) {
        uint32_t name = ops->name[n];
        if (name == AZ_NO_ID)
            continue;
        if (!m->looked[name]) {
            const struct az_op_model *known = az_framework_model(m, name);
            struct az_sv op = az_trace_text(m->fw->trace, name);
            struct az_op_model *own =
                az_extend_has_model(e, op) ? az_arena_alloc(m->job->arena, sizeof *own) : NULL;
            if (own) { /* a family of the program keeps its table */
                *own = (struct az_op_model){ .op = op,
                                             .family = known ? known->family : AZ_SV("Extension"),
                                             .category = known ? known->category : AZ_SV(""),
                                             .model = AZ_SV("script") };
                m->by_name[name] = own;
            }
        }
        if (m->by_name[name] && az_sv_is(m->by_name[name]->model, "script"))
            rc = az_framework_estimate(m, n, false, &unused);
    }
    m->script = NULL;
    return rc;
}

bool az_framework_unreadable(const struct az_framework_estimate *e)
{
    static const char *const unrecorded[] = { "no ", "missing", "not recorded" };
    struct az_sv why = az_sv_str(e->why);
    bool known = why.n && e->perf->why;
    for (size_t i = 0; known && i < AZ_LENGTH(unrecorded); i++) {
        ptrdiff_t at = az_sv_find(why, az_sv_str(unrecorded[i]));
        known = i == 0 ? at != 0 : at < 0;
    }
    return known;
}

struct az_roofline az_framework_roofline(const struct az_framework_metrics *m,
                                         const struct az_framework_estimate *e)
{
    struct az_roofline r = {
        .compute_us = NAN, .memory_us = NAN, .time_us = NAN, .tflops = NAN, .bound = "", .peak = ""
    };
    if (m->has_peaks && e->perf)
        az_roofline(&m->peaks, e->perf->unit, e->perf->prec, e->perf->fallback, e->tf32, e->flops,
                    e->bytes, &r);
    return r;
}

uint32_t az_framework_backward_of(const struct az_framework *f, const struct az_forward *forward,
                                  uint32_t node)
{
    uint32_t up = node;
    for (int level = 0; level <= 5 && up != AZ_NO_ROW; level++, up = f->tree->parent[up])
        if (up < f->tree->first_call && az_forward_of(forward, up) != AZ_NO_ROW)
            return az_forward_of(forward, up);
    return AZ_NO_ROW;
}
