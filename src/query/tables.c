/* The tables of facts: segments of rows, names over all traces, and indexes of rows by a column. */
#include "base/sort.h"
#include "facts/job.h"
#include "query/columns.h"

struct az_query_rows {
    struct az_facts_of *of;
    const struct az_query_table *table;
    struct az_query_seg *seg; /* those that have rows */
    size_t n_segs, n;
    uint32_t **index; /* by column; NULL: not made */
};

struct input {
    struct az_job job;
    struct az_classifier classes;
    bool has_classes;
};

struct az_facts_of {
    const struct az_query_source *source;
    struct az_mem mem;
    struct az_arena arena;
    struct az_diag diag;
    struct input *inputs;
    struct az_query_trace *trace;
    size_t n_traces;
    struct az_query_rows **rows; /* by table */
    /* names: texts by number; made on first use */
    struct az_intern names;
    bool has_names, interned;
    const struct az_sv *text;
    size_t n_text;
    uint32_t *by_place, *place_of; /* order of the texts; NULL: not made */
    void (*work)(void *ctx, bool begins);
    void *work_ctx;
    int error;
};

/* ---- making and ending ---- */

static int add_input(struct az_facts_of *f, size_t i)
{
    const struct az_query_input *in = &f->source->inputs[i];
    struct input *to = &f->inputs[i];
    int rc = 0;

    to->job = (struct az_job){ .opts = in->opts,
                               .traces = in->traces,
                               .n_traces = in->n_traces,
                               .arena = in->arena,
                               .mem = in->mem,
                               .diag = &f->diag };
    if (in->n_traces && in->opts) {
        rc = az_classifier_init(&to->classes, &in->opts->classes, in->arena);
        to->has_classes = rc == 0;
        to->job.classes = &to->classes;
    }
    for (size_t k = 0; rc == 0 && k < in->n_traces; k++, f->n_traces++)
        f->trace[f->n_traces] = (struct az_query_trace){
            .of = f, .input = i, .index = k, .at = f->n_traces, .t = in->traces[k], .job = &to->job
        };
    return rc;
}

int az_facts_of_new(struct az_facts_of **out, const struct az_query_source *source)
{
    struct az_facts_of *f = az_mem_alloc(NULL, sizeof *f);
    size_t traces = 0;
    int rc = 0;

    *out = NULL;
    if (!f)
        return AZ_ENOMEM;
    *f = (struct az_facts_of){ .source = source };
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    az_diag_init(&f->diag);
    for (size_t i = 0; i < source->n; i++)
        traces += source->inputs[i].n_traces;
    f->inputs = az_arena_array(&f->arena, source->n, sizeof *f->inputs);
    f->trace = az_arena_array(&f->arena, traces, sizeof *f->trace);
    f->rows = az_arena_array(&f->arena, az_query_n_tables, sizeof *f->rows);
    if (!f->inputs || !f->trace || !f->rows)
        rc = az_arena_error(&f->arena);
    for (size_t i = 0; rc == 0 && i < source->n; i++)
        rc = add_input(f, i);
    if (rc)
        az_facts_of_free(f);
    else
        *out = f;
    return rc;
}

void az_facts_of_on_work(struct az_facts_of *f, void (*work)(void *ctx, bool begins), void *ctx)
{
    f->work = work;
    f->work_ctx = ctx;
}

static void free_rows(struct az_facts_of *f, struct az_query_rows *r)
{
    for (size_t c = 0; r && c < r->table->n_columns; c++)
        az_mem_free(&f->mem, r->index[c], r->n * sizeof(uint32_t));
}

void az_facts_of_free(struct az_facts_of *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->rows && i < az_query_n_tables; i++)
        free_rows(f, f->rows[i]);
    for (size_t i = 0; f->inputs && i < f->source->n; i++)
        if (f->inputs[i].has_classes)
            az_classifier_release(&f->inputs[i].classes);
    if (f->interned)
        az_intern_release(&f->names);
    az_diag_release(&f->diag);
    az_arena_release(&f->arena);
    az_mem_free(NULL, f, sizeof *f);
}

int az_facts_of_error(const struct az_facts_of *f) { return f->error; }
void az_facts_of_fail(struct az_facts_of *f, int rc) { f->error = f->error ? f->error : rc; }
void az_query_fail(struct az_query_trace *tr, int rc) { az_facts_of_fail(tr->of, rc); }
const struct az_query_source *az_facts_of_source(const struct az_facts_of *f) { return f->source; }

struct az_query_trace *az_facts_of_traces(struct az_facts_of *f, size_t *n)
{
    *n = f->n_traces;
    return f->trace;
}

/* ---- rows ---- */

static int fill_seg(struct az_query_rows *r, struct az_query_seg *s, struct az_query_trace *tr,
                    size_t kind)
{
    int64_t n = 0;

    *s = (struct az_query_seg){ .table = r->table, .tr = tr, .kind = AZ_KIND_COUNT };
    if (r->table->n_kinds) {
        s->kind = r->table->kinds[kind];
        s->e = &tr->t->ev[s->kind];
        s->n = s->e->n;
        return 0;
    }
    n = r->table->count(tr, &s->own);
    s->n = n > 0 ? (size_t)n : 0;
    return n < 0 ? (int)n : 0;
}

static int make_rows(struct az_facts_of *f, const struct az_query_table *t,
                     struct az_query_rows **out)
{
    struct az_query_rows *r = az_arena_alloc(&f->arena, sizeof *r);
    const size_t each = t->n_kinds ? t->n_kinds : 1;
    int rc = 0;

    if (!r)
        return az_arena_error(&f->arena);
    *r = (struct az_query_rows){ .of = f, .table = t };
    r->seg = az_arena_array(&f->arena, f->n_traces * each, sizeof *r->seg);
    r->index = az_arena_array(&f->arena, t->n_columns, sizeof *r->index);
    if (!r->seg || !r->index)
        return az_arena_error(&f->arena);
    for (size_t i = 0; rc == 0 && i < f->n_traces; i++)
        for (size_t k = 0; rc == 0 && k < each; k++) {
            struct az_query_seg *s = &r->seg[r->n_segs];
            rc = fill_seg(r, s, &f->trace[i], k);
            s->first = (int64_t)r->n + 1;
            r->n += s->n;
            r->n_segs += s->n > 0;
        }
    if (rc == 0 && r->n >= UINT32_MAX)
        rc = AZ_ERANGE;
    *out = rc ? NULL : r;
    return rc;
}

struct az_query_rows *az_query_rows_of(struct az_facts_of *f, size_t table, int *rc)
{
    *rc = 0;
    if (f->rows[table])
        return f->rows[table];
    if (f->work)
        f->work(f->work_ctx, true);
    *rc = make_rows(f, az_query_table_list[table], &f->rows[table]);
    if (f->work)
        f->work(f->work_ctx, false);
    return f->rows[table];
}

size_t az_query_rows_n(const struct az_query_rows *r) { return r->n; }

void az_query_rows_at(const struct az_query_rows *r, size_t position, size_t *seg_hint,
                      struct az_query_row *out)
{
    struct az_query_seg *s = &r->seg[*seg_hint];
    size_t at = position + 1 - (size_t)s->first;

    if ((int64_t)position + 1 < s->first || at >= s->n) {
        size_t lo = 0, hi = r->n_segs; /* the last that begins at or before it */
        while (hi - lo > 1) {
            const size_t mid = lo + (hi - lo) / 2;
            if (r->seg[mid].first <= (int64_t)position + 1)
                lo = mid;
            else
                hi = mid;
        }
        *seg_hint = lo;
        s = &r->seg[lo];
        at = position + 1 - (size_t)s->first;
    }
    out->seg = s;
    out->row = at;
}

void az_query_rows_prefetch(const struct az_query_rows *r, size_t position, size_t seg_hint)
{
    const struct az_query_seg *s = &r->seg[seg_hint];
    const size_t at = position + 1 - (size_t)s->first;

    if (!s->e || at >= s->n)
        return;
    __builtin_prefetch(&s->e->start[at]);
    __builtin_prefetch(&s->e->end[at]);
    __builtin_prefetch(&s->e->name[at]);
}

/* Id of the first event of a kind, which is in one table only. */
static int64_t first_of(struct az_query_trace *tr, const struct az_query_table *t, enum az_kind k)
{
    size_t table = 0;
    int rc;

    while (az_query_table_list[table] != t)
        table++;
    const struct az_query_rows *r = az_query_rows_of(tr->of, table, &rc);
    if (!r)
        az_query_fail(tr, rc);
    for (size_t i = 0; r && i < r->n_segs; i++)
        if (r->seg[i].tr == tr && r->seg[i].kind == k)
            return r->seg[i].first;
    return -1;
}

int64_t az_query_id_of(struct az_query_trace *tr, const struct az_query_table *t, enum az_kind k,
                       size_t row)
{
    if (!tr->first[k])
        tr->first[k] = first_of(tr, t, k);
    return tr->first[k] < 0 ? 0 : tr->first[k] + (int64_t)row;
}

void az_query_cell(const struct az_query_row *r, const struct az_query_table_column *c,
                   struct az_cell *out)
{
    out->type = AZ_EMPTY;
    if (c->name_of) {
        const uint32_t id = c->name_of(r);
        const struct az_intern *names = &r->seg->tr->t->names;
        if (id < names->text.n)
            *out = (struct az_cell){ .type = AZ_TEXT,
                                     .len = AZ_CELL_LENGTH(names->text.v[id].n),
                                     .s = names->text.v[id].p };
    } else {
        c->get(r, out);
    }
}

/* ---- names over all traces ---- */

static int number_names(struct az_facts_of *f)
{
    int rc = 0;
    az_intern_init(&f->names, &f->arena, &f->mem);

    f->interned = rc == 0;
    for (size_t i = 0; rc == 0 && i < f->n_traces; i++) {
        struct az_query_trace *tr = &f->trace[i];
        const struct az_vec_sv *text = &tr->t->names.text;
        tr->number = az_arena_array(&f->arena, text->n, sizeof *tr->number);
        if (!tr->number)
            return az_arena_error(&f->arena);
        for (size_t id = 0; rc == 0 && id < text->n; id++)
            rc = az_intern(&f->names, text->v[id], &tr->number[id]);
    }
    f->text = f->names.text.v;
    f->n_text = f->names.text.n;
    return rc;
}

int az_query_names(struct az_facts_of *f, const struct az_sv **texts, size_t *n)
{
    int rc = 0;

    if (!f->has_names && f->n_traces == 1) {
        f->text = f->trace[0].t->names.text.v;
        f->n_text = f->trace[0].t->names.text.n;
    } else if (!f->has_names) {
        rc = number_names(f);
    }
    f->has_names = rc == 0;
    *texts = f->text;
    *n = f->n_text;
    return rc;
}

uint32_t az_query_name_number(struct az_query_trace *tr, uint32_t id)
{
    return id == AZ_NO_ID || !tr->number ? id : tr->number[id];
}

static int by_text(const void *a, const void *b, void *ctx)
{
    const struct az_facts_of *f = ctx;
    return az_sv_cmp(f->text[*(const uint32_t *)a], f->text[*(const uint32_t *)b]);
}

static int order_names(struct az_facts_of *f)
{
    const struct az_sv *text;
    size_t n;
    int rc = az_query_names(f, &text, &n);

    if (rc || f->by_place)
        return rc;
    uint32_t *by = az_arena_array(&f->arena, n + 1, sizeof *by),
             *of = az_arena_array(&f->arena, n + 1, sizeof *of);
    if (!by || !of)
        return az_arena_error(&f->arena);
    for (size_t i = 0; i < n; i++)
        by[i] = (uint32_t)i;
    az_sort_cmp(by, n, sizeof *by, by_text, f, &f->mem);
    for (size_t i = 0; i < n; i++)
        of[by[i]] = (uint32_t)i;
    f->by_place = by;
    f->place_of = of;
    return AZ_OK;
}

int az_query_name_place(struct az_facts_of *f, struct az_sv text, int64_t *place, bool *equal)
{
    int rc = order_names(f);
    size_t lo = 0, hi = rc ? 0 : f->n_text;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (az_sv_cmp(f->text[f->by_place[mid]], text) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *place = (int64_t)lo;
    *equal = !rc && lo < f->n_text && az_sv_eq(f->text[f->by_place[lo]], text);
    return rc;
}

/* ---- indexes ---- */

int64_t az_query_key(const struct az_query_rows *r, size_t column, const struct az_query_row *row)
{
    const struct az_query_table_column *c = &r->table->columns[column];
    struct az_cell cell;

    if (c->name_of) {
        const uint32_t number = az_query_name_number(row->seg->tr, c->name_of(row));
        return number < r->of->n_text ? (int64_t)r->of->place_of[number] : INT64_MIN;
    }
    az_query_cell(row, c, &cell);
    return cell.type == AZ_INT ? cell.i : cell.type == AZ_BOOL ? cell.b : INT64_MIN;
}

static int make_index(struct az_query_rows *r, size_t column, uint32_t **out)
{
    struct az_mem *mem = &r->of->mem;
    const size_t bytes = r->n * sizeof(uint32_t), key_bytes = r->n * sizeof(int64_t);
    uint32_t *order = az_mem_alloc(mem, bytes);
    int64_t *key = az_mem_alloc(mem, key_bytes);
    size_t hint = 0;
    int rc = order && key ? 0 : az_mem_error(mem);

    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        struct az_query_row row;
        az_query_rows_at(r, i, &hint, &row);
        key[i] = az_query_key(r, column, &row);
    }
    rc = rc ? rc : r->of->error;
    if (rc == 0)
        az_sort_order(key, r->n, order, mem);
    az_mem_free(mem, key, key_bytes);
    if (rc)
        az_mem_free(mem, order, bytes);
    else
        *out = order;
    return rc;
}

int az_query_index_of(struct az_query_rows *r, size_t column, struct az_query_index *out)
{
    const struct az_query_table_column *c = &r->table->columns[column];
    int rc = 0;

    *out = (struct az_query_index){ .n = r->n };
    if ((c->flags & AZ_QC_ID) || ((c->flags & AZ_QC_START) && r->n_segs <= 1) || r->n == 0)
        return c->name_of ? order_names(r->of) : 0;
    if (c->name_of)
        rc = order_names(r->of);
    if (rc == 0 && !r->index[column])
        rc = make_index(r, column, &r->index[column]);
    out->order = r->index[column];
    return rc;
}

size_t az_query_index_find(const struct az_query_rows *r, size_t column,
                           const struct az_query_index *index, int64_t key)
{
    size_t lo = 0, hi = index->n, hint = 0;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        struct az_query_row row;
        az_query_rows_at(r, index->order ? index->order[mid] : mid, &hint, &row);
        if (az_query_key(r, column, &row) < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- rows in the order of columns ---- */

bool az_query_can_order(const struct az_query_table_column *c)
{
    return c->name_of || c->type == AZ_INT || c->type == AZ_BOOL || c->type == AZ_TEXT;
}

struct text_order { /* of the values of a column that is no name */
    struct az_arena arena;
    struct az_intern texts;
};

static int by_value(const void *a, const void *b, void *ctx)
{
    const struct text_order *o = ctx;
    return az_sv_cmp(az_intern_text(&o->texts, *(const uint32_t *)a),
                     az_intern_text(&o->texts, *(const uint32_t *)b));
}

/* Numbers of texts in the order in which they are first met -> their places by bytes. */
static int rank_texts(struct text_order *o, int64_t *key, size_t n, struct az_mem *mem)
{
    const size_t texts = o->texts.text.n;
    uint32_t *by = az_arena_array(&o->arena, texts + 1, sizeof *by);
    int64_t *rank = az_arena_array(&o->arena, texts + 1, sizeof *rank);

    if (!by || !rank)
        return az_arena_error(&o->arena);
    for (size_t i = 0; i < texts; i++)
        by[i] = (uint32_t)i;
    az_sort_cmp(by, texts, sizeof *by, by_value, o, mem);
    for (size_t i = 0; i < texts; i++)
        rank[by[i]] = (int64_t)i;
    for (size_t i = 0; i < n; i++)
        key[i] = key[i] < 0 ? key[i] : rank[key[i]];
    return 0;
}

static int text_keys(struct az_query_rows *r, size_t column, const uint32_t *position, size_t n,
                     int64_t *key)
{
    struct text_order o;
    size_t hint = 0;

    az_arena_init(&o.arena, &r->of->mem);
    int rc = 0;
    az_intern_init(&o.texts, &o.arena, &r->of->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_query_row row;
        struct az_cell cell;
        uint32_t id = 0;
        az_query_rows_at(r, position[i], &hint, &row);
        az_query_cell(&row, &r->table->columns[column], &cell);
        key[i] = INT64_MIN;
        if (cell.type != AZ_TEXT)
            continue;
        rc = az_intern(&o.texts, az_sv_make(cell.s, cell.len), &id);
        key[i] = id;
    }
    if (rc == 0)
        rc = rank_texts(&o, key, n, &r->of->mem);
    az_intern_release(&o.texts);
    az_arena_release(&o.arena);
    return rc;
}

/* Keys of the rows; the complement of a key turns the order around. */
static int keys_of(struct az_query_rows *r, const struct az_query_by *by, const uint32_t *position,
                   size_t n, int64_t *key)
{
    const struct az_query_table_column *c = &r->table->columns[by->column];
    size_t hint = 0;
    int rc = 0;

    if (c->type == AZ_TEXT && !c->name_of)
        rc = text_keys(r, by->column, position, n, key);
    else if (c->name_of)
        rc = order_names(r->of);
    for (size_t i = 0; rc == 0 && (c->name_of || c->type != AZ_TEXT) && i < n; i++) {
        struct az_query_row row;
        az_query_rows_at(r, position[i], &hint, &row);
        key[i] = az_query_key(r, by->column, &row);
    }
    for (size_t i = 0; rc == 0 && by->desc && i < n; i++)
        key[i] = ~key[i];
    return rc ? rc : r->of->error;
}

int az_query_sort_rows(struct az_query_rows *r, const struct az_query_by *by, size_t n_by,
                       uint32_t *position, size_t n)
{
    struct az_mem *mem = &r->of->mem;
    const size_t key_bytes = n * sizeof(int64_t), bytes = n * sizeof(uint32_t);
    int64_t *key = az_mem_alloc(mem, key_bytes + 1);
    uint32_t *order = az_mem_alloc(mem, bytes + 1), *sorted = az_mem_alloc(mem, bytes + 1);
    int rc = key && order && sorted ? 0 : az_mem_error(mem);

    for (size_t i = 0; rc == 0 && i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t k = n_by; rc == 0 && k-- > 0;) {
        rc = keys_of(r, &by[k], position, n, key);
        if (rc == 0)
            az_sort_by(key, order, n, mem);
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        sorted[i] = position[order[i]];
    if (rc == 0 && n)
        memcpy(position, sorted, bytes);
    az_mem_free(mem, key, key_bytes + 1);
    az_mem_free(mem, order, bytes + 1);
    az_mem_free(mem, sorted, bytes + 1);
    return rc;
}
