/* The table of models, and what every model uses to read its row and to write its result. */
#include "base/data.h"
#include "base/num.h"
#include "base/pool.h"
#include "perf/model.h"

/* Next row of the table; the last cell has all that is left of it. */
static bool next_line(struct az_sv *rest, struct az_sv *cell, size_t n)
{
    if (rest->n == 0)
        return false;
    struct az_sv line = az_sv_trim(az_sv_cut(rest, '\n'));
    for (size_t i = 0; i + 1 < n; i++)
        cell[i] = az_sv_trim(az_sv_cut(&line, ','));
    cell[n - 1] = az_sv_trim(line);
    return true;
}

static bool is_pattern(const struct az_op_model *m)
{
    return m->op.n && m->op.p[m->op.n - 1] == '*';
}

int az_op_models_load(struct az_op_models *m, struct az_sv csv, struct az_arena *a)
{
    struct az_sv rest = csv, c[5];
    size_t lines = 0;
    for (size_t i = 0; i < csv.n; i++)
        lines += csv.p[i] == '\n';
    *m = (struct az_op_models){ .v = az_arena_array(a, lines + 1, sizeof *m->v) };
    if (!m->v)
        return az_arena_error(a);
    for (bool head = true; next_line(&rest, c, 5); head = false) {
        if (head || c[0].n == 0 || c[0].p[0] == '#')
            continue;
        struct az_op_model row = {
            .op = c[0], .family = c[1], .category = c[2], .model = c[3], .args = c[4]
        };
        size_t at = m->n++;
        if (!is_pattern(&row)) { /* insertion: the file is nearly sorted */
            at = m->plain++;
            memmove(m->v + at + 1, m->v + at, (m->n - 1 - at) * sizeof *m->v);
            for (; at && az_sv_cmp(m->v[at - 1].op, row.op) > 0; at--)
                m->v[at] = m->v[at - 1];
        }
        m->v[at] = row;
    }
    return 0;
}

/* The models and their arena are one block, so that all of it can be found from the models. */
struct kept_models {
    struct az_op_models models;
    struct az_arena arena;
};

static const void *load_listed(const char *file, const char *part)
{
    struct kept_models *k = az_mem_alloc(NULL, sizeof *k);
    (void)part;
    if (!k)
        return NULL;
    *k = (struct kept_models){ .models = { 0 } };
    az_arena_init(&k->arena, NULL);
    if (az_op_models_load(&k->models, az_data(file), &k->arena) == 0)
        return &k->models;
    az_arena_release(&k->arena);
    az_mem_free(NULL, k, sizeof *k);
    return NULL;
}

const struct az_op_models *az_op_models_listed(void)
{
    return az_shared("op_models.csv", "", load_listed);
}

const struct az_op_model *az_op_model_find(const struct az_op_models *m, struct az_sv op)
{
    size_t lo = 0, hi = m->plain;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = az_sv_cmp(m->v[mid].op, op);
        if (c == 0)
            return &m->v[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t i = m->plain; i < m->n; i++)
        if (az_sv_starts(op, az_sv_make(m->v[i].op.p, m->v[i].op.n - 1)))
            return &m->v[i];
    return NULL;
}

struct az_sv az_perf_model_word(const struct az_perf_model *r, const char *key)
{
    struct az_sv rest = r->row->args;
    size_t n = strlen(key);
    while (rest.n) {
        const char *blank = memchr(rest.p, ' ', rest.n);
        struct az_sv word = az_sv_make(rest.p, blank ? (size_t)(blank - rest.p) : rest.n);
        if (word.n > n && word.p[n] == '=' && memcmp(word.p, key, n) == 0)
            return az_sv_make(word.p + n + 1, word.n - n - 1);
        size_t used = word.n + (blank ? 1 : 0);
        rest = az_sv_make(rest.p + used, rest.n - used);
    }
    return az_sv_make("", 0);
}

int az_perf_model_at(const struct az_perf_model *r, const char *key, int absent)
{
    int64_t v;
    return az_parse_i64(az_perf_model_word(r, key), &v) == 0 && v >= -1000 && v <= 1000 ? (int)v
                                                                                        : absent;
}

bool az_perf_model_attr_is(const struct az_perf_model *r, const char *key, const char *value)
{
    return az_sv_is(az_perf_model_word(r, key), value);
}

bool az_perf_model_fail(struct az_perf_model *r, const char *why)
{
    r->out->why = why;
    r->out->flops = r->out->bytes = r->out->bwd_flops = r->out->bwd_bytes = NAN;
    return false;
}

bool az_perf_model_done(struct az_perf_model *r, double flops, double bytes)
{
    r->out->flops = flops;
    r->out->bytes = bytes;
    return true;
}

void az_perf_model_prec(struct az_perf_model *r, const char *unit, const char *prec)
{
    r->out->unit = unit;
    r->out->prec = az_sv_str(prec);
}

void az_perf_model_unit(struct az_perf_model *r, const char *unit, const struct az_dtype *t)
{
    az_perf_model_prec(r, unit, t->prec);
}

static void add_param(struct az_perf_model *r, struct az_perf_param p)
{
    if (r->out->n_params < AZ_PERF_PARAMS)
        r->param[r->out->n_params++] = p;
}
void az_perf_model_p_int(struct az_perf_model *r, const char *name, double v)
{
    add_param(r, (struct az_perf_param){ .name = name, .kind = AZ_PARAM_INT, .number = v });
}
void az_perf_model_p_real(struct az_perf_model *r, const char *name, double v)
{
    add_param(r, (struct az_perf_param){ .name = name, .kind = AZ_PARAM_REAL, .number = v });
}
void az_perf_model_p_bool(struct az_perf_model *r, const char *name, bool v)
{
    add_param(r, (struct az_perf_param){ .name = name, .kind = AZ_PARAM_BOOL, .number = v });
}
void az_perf_model_p_text(struct az_perf_model *r, const char *name, struct az_sv v)
{
    add_param(r, (struct az_perf_param){ .name = name, .kind = AZ_PARAM_TEXT, .text = v });
}
void az_perf_model_p_json(struct az_perf_model *r, const char *name, struct az_sv v)
{
    add_param(r, (struct az_perf_param){
                     .name = name, .kind = v.n ? AZ_PARAM_JSON : AZ_PARAM_NONE, .text = v });
}

void az_perf_model_p_types(struct az_perf_model *r, const char *name, const struct az_perf_arg *a,
                           const struct az_perf_arg *b, const struct az_perf_arg *c)
{
    const struct az_perf_arg *v[] = { a, b, c };
    struct az_sv t[3];
    for (int i = 0; i < 3; i++)
        t[i] =
            v[i] ? az_arena_printf(r->arena, "\"%.*s\"", AZ_SVF(v[i]->type_name)) : AZ_SV("null");
    if (az_sv_is(az_sv_str(name), "dtype_in1_in2_out"))
        az_perf_model_p_json(r, name,
                             az_arena_printf(r->arena, "[%.*s,%.*s,%.*s]", AZ_SVF(t[0]),
                                             AZ_SVF(t[1]), AZ_SVF(t[2])));
    else
        az_perf_model_p_json(r, name,
                             az_arena_printf(r->arena, "[%.*s,%.*s]", AZ_SVF(t[0]), AZ_SVF(t[1])));
}

void az_perf_model_p_list(struct az_perf_model *r, const char *name, const double *v, int n)
{
    struct az_sv s = AZ_SV("");
    for (int i = 0; i < n; i++) {
        char buf[AZ_NUM_MAX];
        size_t len = az_format_f64(v[i], buf);
        s = az_arena_printf(r->arena, "%.*s%s%.*s", AZ_SVF(s), i ? "," : "", (int)len, buf);
    }
    az_perf_model_p_json(r, name, az_arena_printf(r->arena, "[%.*s]", AZ_SVF(s)));
}

/* First and end of what AZ_PERF_MODEL defines. */
extern const struct az_perf_model_entry __start_az_perf_models[]
    __attribute__((visibility("hidden")));
extern const struct az_perf_model_entry __stop_az_perf_models[]
    __attribute__((visibility("hidden")));

#define FILE_ROW(name) &az_perf_model_file_##name,
static const char *const files[] __attribute__((used)) = { AZ_PERF_MODEL_FILES(FILE_ROW) };

static az_perf_model_model model_of(struct az_sv name)
{
    const size_t n =
        (size_t)((uintptr_t)__stop_az_perf_models - (uintptr_t)__start_az_perf_models) /
        sizeof(struct az_perf_model_entry);
    for (size_t i = 0; i < n; i++)
        if (az_sv_is(name, __start_az_perf_models[i].name))
            return __start_az_perf_models[i].run;
    return NULL;
}

int az_perf_eval(const struct az_perf_call *c, const struct az_op_model *m, struct az_arena *a,
                 struct az_perf *out)
{
    const az_perf_model_model run = model_of(m->model);
    struct az_perf_model r;
    r.call = c;
    r.row = m;
    r.arena = a;
    r.out = out;
    *out = (struct az_perf){
        .flops = NAN, .bytes = NAN, .bwd_flops = NAN, .bwd_bytes = NAN, .unit = ""
    };
    if (!run)
        return AZ_EINTERNAL;
    if (!run(&r) && !out->why)
        az_perf_model_fail(&r, "unsupported form of arguments");
    if (out->why)
        out->prec = az_sv_make("", 0);
    const size_t bytes = out->n_params * sizeof *r.param;
    struct az_perf_param *kept = az_arena_room(a, bytes);
    if (kept && bytes)
        memcpy(kept, r.param, bytes);
    else
        out->n_params = 0; /* callers read them before they check the error */
    out->param = kept;
    return a->failed ? az_arena_error(a) : 0;
}

struct az_sv az_perf_spec(const struct az_perf *p, struct az_arena *a)
{
    return p->prec.n && *p->unit ? az_arena_printf(a, "%s_%.*s", p->unit, AZ_SVF(p->prec))
                                 : az_sv_make("", 0);
}
