/* Metrics by metric, gathered from documents. */
#include "regression/series.h"

#include <math.h>

#include "base/num.h"
#include "document/schema.h"
#include "document/table_kinds.h"
#include "regression/key_figures.h"
#include "text/jsonscan.h"
#include "text/jsonw.h"
#include "text/text_writer.h"

#define MAX_KEYS 64 /* key columns of a table that count */
#define STEPS    "{\"#\":\"steps\""

int az_series_init(struct az_series *s, struct az_arena *arena)
{
    *s = (struct az_series){ .arena = arena };
    az_vec_init(&s->metrics, arena->mem);
    az_vec_init(&s->facts, arena->mem);
    az_vec_init(&s->sheets, arena->mem);
    az_vec_init(&s->inputs, arena->mem);
    az_vec_init(&s->runs, arena->mem);
    az_vec_init(&s->claims, arena->mem);
    az_intern_init(&s->ids, arena, arena->mem);
    return 0;
}

void az_series_release(struct az_series *s)
{
    for (size_t i = 0; i < s->metrics.n; i++) {
        az_vec_release(&s->metrics.v[i].values);
        az_vec_release(&s->metrics.v[i].reps);
        az_vec_release(&s->metrics.v[i].failed);
    }
    az_vec_release(&s->metrics);
    az_vec_release(&s->facts);
    az_vec_release(&s->sheets);
    az_vec_release(&s->inputs);
    az_vec_release(&s->runs);
    for (size_t i = 0; i < s->claims.n; i++)
        az_vec_release(&s->claims.v[i].steps);
    az_vec_release(&s->claims);
    az_intern_release(&s->ids);
}

/* ---- single things ---- */

int az_series_input(struct az_series *s, struct az_sv input, size_t *at)
{
    for (*at = 0; *at < s->inputs.n; ++*at)
        if (az_sv_eq(s->inputs.v[*at], input))
            return 0;
    struct az_sv own = az_arena_dup(s->arena, input);
    int rc = own.p ? az_vec_push(&s->inputs, own) : az_arena_error(s->arena);
    return rc ? rc : az_vec_push(&s->runs, 0);
}

bool az_series_has_input(const struct az_series *s, struct az_sv input)
{
    for (size_t i = 0; i < s->inputs.n; i++)
        if (az_sv_eq(s->inputs.v[i], input))
            return true;
    return false;
}

bool az_series_has_sheet(const struct az_series *s, struct az_sv input, struct az_sv sheet)
{
    for (size_t i = 0; i < s->sheets.n; i++)
        if (az_sv_eq(s->sheets.v[i].input, input) && az_sv_eq(s->sheets.v[i].sheet, sheet))
            return true;
    return false;
}

int az_series_sheet(struct az_series *s, struct az_sv input, struct az_sv sheet)
{
    struct az_series_sheet x = { input, sheet };
    if (az_series_has_sheet(s, input, sheet))
        return 0;
    x.input = az_arena_dup(s->arena, input);
    x.sheet = az_arena_dup(s->arena, sheet);
    return x.input.p && x.sheet.p ? az_vec_push(&s->sheets, x) : az_arena_error(s->arena);
}

/* A fact that differs between the runs of a group is stored with all its values: it then equals no
 * other. */
int az_series_fact(struct az_series *s, struct az_sv input, struct az_sv name, struct az_sv value)
{
    struct az_series_fact f = { input, name, value };
    for (size_t i = 0; i < s->facts.n; i++) {
        struct az_series_fact *o = &s->facts.v[i];
        if (az_sv_eq(o->input, input) && az_sv_eq(o->name, name) && az_sv_eq(o->value, value))
            return 0;
    }
    f.input = az_arena_dup(s->arena, input);
    f.name = az_arena_dup(s->arena, name);
    f.value = az_arena_dup(s->arena, value);
    return s->arena->failed ? az_arena_error(s->arena) : az_vec_push(&s->facts, f);
}

struct az_sv az_series_get_fact(const struct az_series *s, struct az_sv input, const char *name)
{
    struct az_sv all = AZ_SV("");
    for (size_t i = 0; i < s->facts.n; i++) {
        const struct az_series_fact *f = &s->facts.v[i];
        if (!az_sv_eq(f->input, input) || !az_sv_is(f->name, name))
            continue;
        all = all.n ? az_arena_printf(s->arena, "%.*s / %.*s", AZ_SVF(all), AZ_SVF(f->value))
                    : f->value;
    }
    return all;
}

static int identity(const struct az_metric *m, struct az_vec_char *out)
{
    const struct az_sv part[] = { m->input, m->sheet, m->key, m->name };
    az_text_add(out, m->steps ? AZ_SV("s") : AZ_SV("r"));
    for (size_t i = 0; i < AZ_LENGTH(part); i++) {
        az_text_format(out, "%zu:", part[i].n); /* so that no text can read as two */
        az_text_add(out, part[i]);
    }
    return az_vec_error(out);
}

static int add_metric(struct az_series *s, const struct az_metric *m)
{
    struct az_metric own = *m;
    struct az_arena *a = s->arena;
    own.input = az_arena_dup(a, m->input);
    own.sheet = az_arena_dup(a, m->sheet);
    own.key = az_arena_dup(a, m->key);
    own.key_text = az_arena_dup(a, m->key_text);
    own.name = az_arena_dup(a, m->name);
    own.unit = az_arena_dup(a, m->unit);
    az_vec_init(&own.values, a->mem);
    az_vec_init(&own.reps, a->mem);
    az_vec_init(&own.failed, a->mem);
    return a->failed ? az_arena_error(a) : az_vec_push(&s->metrics, own);
}

int az_series_metric(struct az_series *s, const struct az_metric *m, size_t *at)
{
    struct az_vec_char text;
    uint32_t id = 0;

    az_vec_init(&text, s->arena->mem);
    int rc = identity(m, &text);
    if (!rc)
        rc = az_intern(&s->ids, az_text_view(&text), &id);
    az_vec_release(&text);
    if (!rc && id == s->metrics.n)
        rc = add_metric(s, m);
    *at = id;
    return rc;
}

static bool same_metric(const struct az_metric *a, const struct az_metric *b)
{
    return a->steps == b->steps && az_sv_eq(a->input, b->input) && az_sv_eq(a->sheet, b->sheet) &&
           az_sv_eq(a->key, b->key) && az_sv_eq(a->name, b->name);
}

const struct az_metric *az_series_find(const struct az_series *s, const struct az_metric *m)
{
    struct az_vec_char text;
    uint32_t id = AZ_NO_ID;

    az_vec_init(&text, NULL);
    if (identity(m, &text) == 0)
        id = az_intern_find(&s->ids, az_text_view(&text));
    else /* a failed allocation does not make it a metric that is not there */
        for (id = 0; id < s->metrics.n && !same_metric(&s->metrics.v[id], m);)
            id++;
    az_vec_release(&text);
    return id < s->metrics.n ? &s->metrics.v[id] : NULL;
}

int az_series_value(struct az_series *s, size_t at, double value, uint32_t rep)
{
    int rc = az_vec_push(&s->metrics.v[at].values, value);
    return rc ? rc : az_vec_push(&s->metrics.v[at].reps, rep);
}

/* ---- keys of rows ---- */

struct sheet {
    const struct az_table *t;
    size_t key[MAX_KEYS]; /* columns, sorted by name */
    size_t n_keys;
    ptrdiff_t weight;  /* column with the share of a row; -1: none */
    ptrdiff_t scatter; /* AZ_SERIES_SCATTER; -1: none */
    bool per_step;     /* its values are those of a step already */
    bool median;       /* of the median one, rather than of the mean */
    bool sums;         /* it may have sums over the recording: its rows are no steps */
    double total;
};

/* What the columns are: of the table itself, or of `like` where its columns have the same names. */
static const struct az_column *meaning(const struct az_table *t, size_t c,
                                       const struct az_table *like)
{
    if (like) {
        for (size_t i = 0; i < like->columns.n; i++)
            if (az_sv_eq(like->columns.v[i].name, t->columns.v[c].name))
                return &like->columns.v[i];
    }
    return &t->columns.v[c];
}

static bool is_step(const struct az_column *c)
{
    static const char *const stems[] = { "step", "iteration", "range_id", "step_id",
                                         "iteration_id" };
    for (size_t i = 0; i < AZ_LENGTH(stems); i++)
        if (az_sv_is(c->stem, stems[i]))
            return true;
    return false;
}

static void add_key(struct sheet *sh, size_t c)
{
    size_t k = sh->n_keys;
    if (k == MAX_KEYS)
        return;
    for (; k > 0 && az_sv_cmp(sh->t->columns.v[sh->key[k - 1]].name, sh->t->columns.v[c].name) > 0;
         k--)
        sh->key[k] = sh->key[k - 1];
    sh->key[k] = c;
    sh->n_keys++;
}

static void find_keys(struct sheet *sh, const struct az_table *like, bool steps)
{
    const struct az_table *t = sh->t;
    bool marked = false;

    sh->n_keys = 0;
    for (size_t c = 0; c < t->columns.n; c++)
        marked |= (meaning(t, c, like)->flags & AZ_KEY) != 0;
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *col = meaning(t, c, like);
        bool key = marked ? (col->flags & AZ_KEY) != 0 : col->type == AZ_TEXT;
        if (key && !(steps && is_step(col)))
            add_key(sh, c);
    }
}

static bool is_time(enum az_unit u) { return u >= AZ_UNIT_PS && u <= AZ_UNIT_S; }

/* The column by which rows are big or small: a total of time if there is one, else any time that is
 * better lower. */
static ptrdiff_t find_weight(const struct az_table *t, const struct az_table *like)
{
    ptrdiff_t first = -1;
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *col = meaning(t, c, like);
        if (!is_time(col->unit) || !(col->flags & AZ_LOWER_BETTER))
            continue;
        if (az_sv_ifind(col->name, AZ_SV("total")) >= 0 ||
            az_sv_ifind(col->name, AZ_SV("sum")) >= 0)
            return (ptrdiff_t)c;
        first = first < 0 ? (ptrdiff_t)c : first;
    }
    return first;
}

ptrdiff_t az_series_weight(const struct az_table *t) { return find_weight(t, NULL); }

static void find_total(struct sheet *sh, const struct az_table *like)
{
    sh->weight = find_weight(sh->t, like);
    sh->total = 0;
    for (size_t r = 0; sh->weight >= 0 && r < sh->t->rows; r++) {
        double x = az_cell_number(az_table_at(sh->t, r, (size_t)sh->weight));
        sh->total += isnan(x) ? 0 : fabs(x);
    }
}

static double share_of(const struct sheet *sh, size_t row)
{
    double x = sh->weight < 0 ? NAN : az_cell_number(az_table_at(sh->t, row, (size_t)sh->weight));
    return sh->total > 0 ? fabs(x) / sh->total : NAN;
}

/* Canonical JSON and text of a row's key; `number` from 2 on for rows of equal keys, 0 for steps.
 */
static int row_key(const struct sheet *sh, size_t row, unsigned number, struct az_vec_char *json,
                   struct az_vec_char *text)
{
    char buf[AZ_NUM_MAX];
    bool count = number != 1 || sh->n_keys == 0;

    az_vec_reset(json);
    az_vec_reset(text);
    if (number == 0)
        az_text_add(json, AZ_SV(STEPS));
    else if (count)
        az_text_format(json, "{\"#\":\"%u\"", number);
    else
        az_text_add(json, AZ_SV("{"));
    for (size_t k = 0; k < sh->n_keys; k++) {
        struct az_sv cell = az_cell_exact(az_table_at(sh->t, row, sh->key[k]), buf);
        if (k || count)
            az_text_add(json, AZ_SV(","));
        az_text_quoted(json, sh->t->columns.v[sh->key[k]].name);
        az_text_add(json, AZ_SV(":"));
        az_text_quoted(json, cell);
        if (k)
            az_text_add(text, AZ_SV(" | "));
        az_text_add(text, cell);
    }
    if (count && number)
        az_text_format(text, "%s#%u", sh->n_keys ? " " : "", number);
    az_text_add(json, AZ_SV("}"));
    return json->failed ? az_vec_error(json) : az_vec_error(text);
}

/* ---- shares without a document ---- */

/* Does this metric measure the size of its row? 2: a total of time, 1: a time. */
static int weight_rank(const struct az_metric *m)
{
    static const char *const times[] = { "ps", "ns", "us", "ms", "s" };
    bool time = false;
    for (size_t i = 0; i < AZ_LENGTH(times); i++)
        time |= az_sv_is(m->unit, times[i]);
    if (!time || !(m->better & AZ_LOWER_BETTER) || m->steps || m->values.n == 0)
        return 0;
    bool total =
        az_sv_ifind(m->name, AZ_SV("total")) >= 0 || az_sv_ifind(m->name, AZ_SV("sum")) >= 0;
    return total ? 2 : 1;
}

static int table_weight(struct az_series *s, size_t first, const uint32_t *table, size_t *weight)
{
    int best = 0;
    for (size_t i = first; i < s->metrics.n && best < 2; i++) {
        int rank = table[i] == table[first] ? weight_rank(&s->metrics.v[i]) : 0;
        if (rank > best) {
            best = rank;
            *weight = i;
        }
    }
    return best;
}

static void share_table(struct az_series *s, size_t first, const uint32_t *table)
{
    size_t w = 0;
    double total = 0;
    if (!table_weight(s, first, table, &w))
        return;
    struct az_sv name = s->metrics.v[w].name;
    for (size_t i = first; i < s->metrics.n; i++) {
        const struct az_metric *m = &s->metrics.v[i];
        if (table[i] == table[first] && az_sv_eq(m->name, name) && m->values.n &&
            !isnan(m->values.v[0]))
            total += fabs(m->values.v[0]);
    }
    for (size_t i = first; total > 0 && i < s->metrics.n; i++) {
        struct az_metric like = s->metrics.v[i];
        like.name = name;
        const struct az_metric *m = table[i] == table[first] ? az_series_find(s, &like) : NULL;
        if (m && m->values.n)
            s->metrics.v[i].share = fabs(m->values.v[0]) / total;
    }
}

int az_series_shares(struct az_series *s)
{
    struct az_intern tables;
    struct az_arena scratch;
    uint32_t *table;
    int rc;

    az_arena_init(&scratch, s->arena->mem);
    az_intern_init(&tables, &scratch, s->arena->mem);
    table = az_arena_array(&scratch, s->metrics.n, sizeof *table);
    rc = table ? 0 : az_arena_error(&scratch);
    for (size_t i = 0; !rc && i < s->metrics.n; i++) {
        const struct az_metric *m = &s->metrics.v[i];
        struct az_sv name = az_arena_printf(&scratch, "%zu:%.*s%.*s", m->input.n, AZ_SVF(m->input),
                                            AZ_SVF(m->sheet));
        rc = name.p ? az_intern(&tables, name, &table[i]) : az_arena_error(&scratch);
    }
    for (size_t t = 0; !rc && t < tables.text.n; t++) {
        size_t i = 0;
        while (table[i] != t)
            i++;
        share_table(s, i, table);
    }
    az_intern_release(&tables);
    az_arena_release(&scratch);
    return rc;
}

/* ---- documents ---- */

struct gather {
    struct az_series *s;
    struct az_sv input;
    const struct az_selector *want;
    size_t n_want;
    uint32_t rep;
    double steps; /* sums are divided by them; 0: they are not */
    bool median;  /* key metrics are of the median step */
    struct az_vec_char json, text;
};

static bool is_number(enum az_cell_type t) { return t == AZ_INT || t == AZ_REAL || t == AZ_BOOL; }

static bool column_wanted(const struct az_selector *w, const struct az_column *col)
{
    if (!is_number(col->type) || (col->flags & AZ_KEY))
        return false;
    if (w->directed && !(col->flags & (AZ_LOWER_BETTER | AZ_HIGHER_BETTER)))
        return false;
    return az_sv_glob(w->column, col->name);
}

/* Rows of equal keys are numbered; rows of steps are not: they are what is counted. */
static int number_rows(struct gather *g, const struct sheet *sh, uint32_t *number)
{
    struct az_intern keys;
    struct az_arena scratch;
    struct az_vec_u32 seen;
    int rc = 0;

    az_arena_init(&scratch, g->s->arena->mem);
    az_vec_init(&seen, g->s->arena->mem);
    az_intern_init(&keys, &scratch, g->s->arena->mem);
    for (size_t r = 0; !rc && r < sh->t->rows; r++) {
        uint32_t id = 0;
        rc = row_key(sh, r, 1, &g->json, &g->text);
        if (!rc)
            rc = az_intern(&keys, az_text_view(&g->json), &id);
        if (!rc && id == seen.n)
            rc = az_vec_push(&seen, 0);
        if (!rc)
            number[r] = ++seen.v[id];
    }
    az_intern_release(&keys);
    az_vec_release(&seen);
    az_arena_release(&scratch);
    return rc;
}

/* Name of a unit as the JSON report has it: never empty where there is a meaning. */
static struct az_sv unit_name(enum az_unit u)
{
    switch (u) {
    case AZ_UNIT_ID:
        return AZ_SV("id");
    case AZ_UNIT_COUNT:
        return AZ_SV("count");
    case AZ_UNIT_RATIO:
        return AZ_SV("ratio");
    default:
        return az_sv_str(az_unit_text(u));
    }
}

static int add_cell(struct gather *g, const struct sheet *sh, size_t row, size_t c,
                    const struct az_column *col, const struct az_selector *w)
{
    struct az_metric m = { .input = g->input,
                           .sheet = sh->t->id,
                           .key = az_text_view(&g->json),
                           .key_text = az_text_view(&g->text),
                           .name = col->name,
                           .unit = unit_name(col->unit),
                           .better = col->flags & (AZ_LOWER_BETTER | AZ_HIGHER_BETTER),
                           .steps = w->steps,
                           .per_step = sh->per_step || (g->steps > 0 && !w->steps && sh->sums &&
                                                        az_series_is_sum(col)),
                           .median = sh->median,
                           .share = share_of(sh, row) };
    const double per = m.per_step && !sh->per_step ? g->steps : 1;
    size_t at;
    int rc = az_series_metric(g->s, &m, &at);
    if (rc)
        return rc;
    if (sh->scatter >= 0) {
        const double x = az_cell_number(az_table_at(sh->t, row, (size_t)sh->scatter));
        g->s->metrics.v[at].within = fmax(g->s->metrics.v[at].within, isnan(x) ? 0 : x);
    }
    const struct az_vec_u32 *reps = &g->s->metrics.v[at].reps;
    if (!w->steps && reps->n && reps->v[reps->n - 1] == g->rep)
        return 0; /* an earlier selector has it */
    return az_series_value(g->s, at, az_cell_number(az_table_at(sh->t, row, c)) / per, g->rep);
}

static int add_row(struct gather *g, const struct sheet *sh, size_t row,
                   const struct az_table *like, const struct az_selector *w)
{
    int rc = 0;
    for (size_t c = 0; !rc && c < sh->t->columns.n; c++) {
        const struct az_column *col = meaning(sh->t, c, like);
        bool number =
            is_number(sh->t->columns.v[c].type) || is_number(az_table_at(sh->t, row, c)->type);
        if (number && column_wanted(w, col))
            rc = add_cell(g, sh, row, c, col, w);
    }
    return rc;
}

/* Steps of several selectors would be added twice: a selector like an earlier one is skipped by the
 * caller. */
static int add_table(struct gather *g, const struct az_table *t, const struct az_table *like,
                     const struct az_selector *w)
{
    const bool key = az_sv_starts(t->id, AZ_SV("key_")) || az_sv_is(t->id, AZ_KEY_WORK);
    struct sheet sh = { .t = t,
                        .scatter = az_schema_find(t, AZ_SV(AZ_SERIES_SCATTER)),
                        .per_step = key && g->steps > 0 && !az_sv_is(t->id, AZ_KEY_MEMORY),
                        .median = key && g->median,
                        .sums = !key && az_schema_find(t, AZ_SV("step")) < 0 };
    size_t rows = w->rows && w->rows < t->rows ? w->rows : t->rows;
    uint32_t *number = az_mem_alloc(g->s->arena->mem, (t->rows + 1) * sizeof *number);
    int rc = number ? 0 : az_mem_error(g->s->arena->mem);

    find_keys(&sh, like, w->steps);
    find_total(&sh, like);
    if (!rc)
        rc = number_rows(g, &sh, number);
    for (size_t r = 0; !rc && r < rows; r++) {
        if (w->steps && (int64_t)number[r] <= w->warmup)
            continue;
        rc = row_key(&sh, r, w->steps ? 0 : number[r], &g->json, &g->text);
        if (!rc && az_sv_glob(w->key, az_text_view(&g->text)))
            rc = add_row(g, &sh, r, like, w);
    }
    if (number)
        az_mem_free(g->s->arena->mem, number, (t->rows + 1) * sizeof *number);
    return rc;
}

static bool is_device(struct az_sv fact) { return az_sv_starts(fact, AZ_SV("device ")); }

/* Facts of one kind, each value once, as one fact: those whose name ends so. */
static int join_facts(struct gather *g, const struct az_table *t, struct az_sv end, const char *as)
{
    struct az_sv all = AZ_SV("");
    for (size_t r = 0; r < t->rows; r++) {
        const struct az_sv name = az_cell_text(az_table_at(t, r, 0)),
                           value = az_cell_text(az_table_at(t, r, 1));
        if (value.n && az_sv_ends(name, end) && az_sv_find(all, value) < 0)
            all = all.n ? az_arena_printf(g->s->arena, "%.*s, %.*s", AZ_SVF(all), AZ_SVF(value))
                        : value;
    }
    return all.n ? az_series_fact(g->s, g->input, az_sv_str(as), all) : AZ_OK;
}

/* Facts that decide whether results may be compared; see az_facts_table. */
static int add_facts(struct gather *g, const struct az_document *doc)
{
    const struct az_table *t = az_document_table(doc, "facts");
    struct az_vec_char devices;
    int rc = 0;

    if (!t || t->columns.n < 2)
        return 0;
    az_vec_init(&devices, g->s->arena->mem);
    struct az_sv ranks = AZ_SV("1"), map = AZ_SV("");
    for (size_t r = 0; !rc && r < t->rows; r++) {
        struct az_sv name = az_cell_text(az_table_at(t, r, 0)),
                     value = az_cell_text(az_table_at(t, r, 1));
        if (is_device(name) && az_sv_find(az_text_view(&devices), value) < 0)
            rc = az_text_printf(&devices, "%s%.*s", devices.n ? ", " : "", AZ_SVF(value));
        else if (az_sv_is(name, "ranks"))
            ranks = value;
        else if (az_sv_is(name, "class map"))
            map = value;
    }
    if (!rc)
        rc = az_series_fact(g->s, g->input, AZ_SV("device"), az_text_view(&devices));
    if (!rc)
        rc = az_series_fact(g->s, g->input, AZ_SV("ranks"), ranks);
    if (!rc)
        rc = az_series_fact(g->s, g->input, AZ_SV("class map"), map);
    if (!rc)
        rc = join_facts(g, t, AZ_SV("driver_version"), "driver");
    if (!rc)
        rc = join_facts(g, t, AZ_SV("runtime_version"), "runtime");
    az_vec_release(&devices);
    return rc;
}

/* Has the document tables of claims? */
static bool has_claims(const struct az_document *doc)
{
    return az_document_has(doc, AZ_SV("account")) || az_document_has(doc, AZ_SV("trust_checks")) ||
           az_document_has(doc, AZ_SV("verdict_facts"));
}

static int claim(struct gather *g, const struct az_document *doc)
{
    struct az_series_claims c = { .input = g->input, .rep = g->rep, .claimed = has_claims(doc) };
    az_change_side_of(doc, &c.side);
    const bool given = az_sv_is(c.side.source, "num_of_iters");
    if (c.side.has_steps && !g->s->by_recording)
        g->steps = (double)(c.side.steps * c.side.gpus);
    g->median = g->steps > 0 && c.side.has_account;
    if (given && c.side.steps * c.side.gpus == 1)
        g->steps = 0; /* one iteration, if it is one, needs no words */
    az_vec_init(&c.steps, g->s->arena->mem);
    int rc = az_step_samples_read(doc, &c.steps);
    if (!rc)
        rc = az_series_claim(g->s, &c);
    az_vec_release(&c.steps);
    return rc;
}

static bool left_out(const struct az_table *t)
{
    static const char *const ids[] = { "facts",        "coverage",      "account",
                                       "trust_checks", "verdict_facts", "step_work" };
    bool out = t->flags & AZ_TABLE_TEXT_ONLY;
    for (size_t i = 0; i < AZ_LENGTH(ids); i++)
        out |= az_sv_is(t->id, ids[i]);
    return out;
}

/* A table of events or of facts about the run is used only where it is named. */
static bool table_wanted(const struct az_selector *w, const struct az_table *t)
{
    bool wild = memchr(w->table.p, '*', w->table.n) != NULL;
    return az_sv_glob(w->table, t->id) &&
           !(wild && (az_compare_spec_of(t->id, t)->flags & AZ_SPEC_SKIP));
}

int az_series_add(struct az_series *s, struct az_sv input, const struct az_document *doc,
                  const struct az_document *like, const struct az_selector *want, size_t n_want)
{
    struct gather g = { .s = s, .input = input, .want = want, .n_want = n_want };
    size_t at = 0;
    int rc = az_series_input(s, input, &at);

    if (rc)
        return rc;
    g.rep = s->runs.v[at]++;
    rc = claim(&g, doc);
    az_vec_init(&g.json, s->arena->mem);
    az_vec_init(&g.text, s->arena->mem);
    rc = rc ? rc : add_facts(&g, doc);
    for (size_t i = 0; !rc && i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i], *other = NULL;
        for (size_t k = 0; like && k < like->tables.n; k++)
            if (az_sv_eq(like->tables.v[k]->id, t->id))
                other = like->tables.v[k];
        for (size_t w = 0; !rc && w < n_want && !left_out(t); w++) {
            if (!table_wanted(&want[w], t))
                continue;
            rc = az_series_sheet(s, input, t->id);
            if (!rc)
                rc = add_table(&g, t, other, &want[w]);
        }
    }
    az_vec_release(&g.json);
    az_vec_release(&g.text);
    return rc;
}
