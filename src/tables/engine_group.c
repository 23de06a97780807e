/* Grouping by one lookup per item. */
#include "tables/engine_group.h"

#include <math.h>

#include "base/num.h"

bool az_grouping_has_trace(const struct az_grouping *g, size_t trace)
{
    return (g->rows.job->traces[trace]->caps & g->spec->needs) == g->spec->needs;
}

int az_grouping_each(const struct az_grouping *g, az_grouping_visit *see, void *ctx)
{
    const struct az_table_spec *s = g->spec;
    size_t i = 0;
    int rc = 0;
    if (g->list) {
        for (; rc == 0 && i < g->list->n; i++) {
            const struct az_item number = { .row = (uint32_t)i,
                                            .kind = AZ_KIND_COUNT,
                                            .name = AZ_NO_ID };
            rc = see(ctx, i, g->list->v ? &g->list->v[i] : &number);
        }
        return rc;
    }
    for (size_t t = 0; t < g->rows.job->n_traces; t++) {
        if (!az_grouping_has_trace(g, t))
            continue;
        for (size_t k = 0; k < s->n_kinds; k++) {
            const size_t n = g->rows.job->traces[t]->ev[s->kinds[k]].n;
            struct az_item item = { .trace = (uint32_t)t, .kind = s->kinds[k], .name = AZ_NO_ID };
            for (size_t row = 0; rc == 0 && row < n; row++, i++) {
                item.row = (uint32_t)row;
                rc = see(ctx, i, &item);
            }
        }
    }
    return rc;
}

static size_t count_items(const struct az_grouping *g)
{
    size_t n = 0;
    if (g->list)
        return g->list->n;
    for (size_t t = 0; t < g->rows.job->n_traces; t++)
        for (size_t k = 0; az_grouping_has_trace(g, t) && k < g->spec->n_kinds; k++)
            n += g->rows.job->traces[t]->ev[g->spec->kinds[k]].n;
    return n;
}

/* ---- which group an item is in ---- */

static int text_number(struct az_grouping *g, size_t k, const struct az_item *item,
                       uint64_t *number)
{
    uint32_t id, *known = NULL;
    if (g->by_name[k]) {
        const uint32_t name = az_item_name(&g->rows, item);
        known = name == AZ_NO_ID ? NULL : &g->by_name[k][name];
    }
    if (known && *known) {
        *number = *known - 1;
        return 0;
    }
    const struct az_sv text = g->key[k]->text(&g->rows, item);
    struct az_cached_text *seen = &g->seen[k][((uintptr_t)text.p >> 4 ^ (uintptr_t)text.p) & 7];
    if (text.n && text.p == seen->text.p && text.n == seen->text.n) {
        *number = seen->number;
        return 0;
    }
    const int rc = az_intern(&g->texts, text, &id);
    if (rc)
        return rc;
    *seen = (struct az_cached_text){ text, id };
    if (known)
        *known = id + 1;
    *number = id;
    return 0;
}

/* *in: the item is in a row. */
static int keys_of(struct az_grouping *g, const struct az_item *item,
                   uint64_t number[AZ_GROUP_KEYS], bool *in)
{
    int rc = 0;
    *in = true;
    for (size_t k = 0; rc == 0 && *in && k < g->n_keys; k++) {
        const struct az_key *key = g->key[k];
        if (key->integer)
            number[k] = (uint64_t)key->integer(&g->rows, item);
        else if (key->name)
            number[k] = az_job_name(g->rows.job, item->trace, key->name(&g->rows, item));
        else if (key->text)
            rc = text_number(g, k, item, &number[k]);
        else
            *in = key->of(&g->rows, item, &number[k]);
    }
    return rc;
}

/* Where the group of items with the same keys is stored; NULL: keys follow from more than that. */
static int known_group(struct az_grouping *g, const struct az_item *item, uint32_t **known)
{
    *known = NULL;
    const bool event = item->kind != AZ_KIND_COUNT;
    if (g->spec->number_of ? !event && !g->list : !event || !g->all_by_name)
        return 0;
    const uint32_t at = g->spec->number_of ? g->spec->number_of(&g->rows, item)
                                           : az_item_events(&g->rows, item)->name[item->row];
    if (item->trace != g->alike_trace) {
        az_vec_reset(&g->by_number);
        g->alike_trace = item->trace;
    }
    if (at == AZ_NO_ID)
        return 0;
    if (at >= g->by_number.n) {
        const size_t more = (size_t)at + 1 - g->by_number.n;
        const int rc = az_vec_reserve(&g->by_number, more);
        if (rc)
            return rc;
        memset(g->by_number.v + g->by_number.n, 0, more * sizeof *g->by_number.v);
        g->by_number.n += more;
    }
    *known = &g->by_number.v[at];
    return 0;
}

static int find_group(struct az_grouping *g, const struct az_item *item, uint32_t *group)
{
    uint64_t number[AZ_GROUP_KEYS];
    uint32_t *known = NULL;
    bool in;
    *group = AZ_NO_ID;
    if (g->spec->keep && !g->spec->keep(&g->rows, item))
        return 0;
    int rc = known_group(g, item, &known);
    if (rc == 0 && known && *known) {
        *group = *known - 1;
        return 0;
    }
    if (rc == 0)
        rc = keys_of(g, item, number, &in);
    if (rc == 0 && in)
        rc = az_grouper_find(&g->by, number, group);
    if (rc == 0 && known && in)
        *known = *group + 1;
    if (rc == 0 && g->by.n > g->groups.n)
        rc = az_vec_push(&g->groups, ((struct az_group_row){ .first = *item }));
    return rc;
}

static int sort_in(void *ctx, size_t i, const struct az_item *item)
{
    struct az_grouping *g = ctx;
    const int rc = find_group(g, item, &g->of[i]);
    if (rc == 0 && g->of[i] != AZ_NO_ID)
        g->groups.v[g->of[i]].n += g->spec->weight ? g->spec->weight(&g->rows, item) : 1;
    return rc;
}

/* Numbers of the groups of events, by row; NULL: each has to be computed. */
static const uint32_t *numbers_of(const struct az_grouping *g, size_t trace, enum az_kind kind)
{
    const struct az_table_spec *s = g->spec;
    if (s->weight)
        return NULL;
    if (s->number_of)
        return s->number_filters && s->number_rows ? s->number_rows(&g->rows, (uint32_t)trace, kind)
                                                   : NULL;
    return g->all_by_name && !s->keep ? g->rows.job->traces[trace]->ev[kind].name : NULL;
}

/* Events of a kind that the spec numbers itself, in the list of groups. */
static int sort_in_numbered(struct az_grouping *g, size_t trace, enum az_kind kind, size_t *i)
{
    const size_t events = g->rows.job->traces[trace]->ev[kind].n, first = *i;
    struct az_item item = { .trace = (uint32_t)trace, .kind = kind, .name = AZ_NO_ID };
    uint32_t *of = g->of + first;
    size_t n = 0;
    *i += events;
    int rc = g->spec->number(&g->rows, (uint32_t)trace, kind, of, &n);
    az_vec_reset(&g->by_number); /* number -> group + 1 */
    if (rc == 0)
        rc = az_vec_reserve(&g->by_number, n + 1);
    if (rc == 0)
        memset(g->by_number.v, 0, n * sizeof *g->by_number.v);
    for (size_t row = 0; rc == 0 && row < events; row++) {
        const uint32_t number = of[row];
        if (number == AZ_NO_ID)
            continue;
        if (g->by_number.v[number]) {
            of[row] = g->by_number.v[number] - 1;
            g->groups.v[of[row]].n++;
            continue;
        }
        item.row = (uint32_t)row;
        rc = sort_in(g, first + row, &item);
        g->by_number.v[number] = of[row] + 1;
    }
    return rc;
}

/* Events of a kind: those of a number that came before are where that one is. */
static int sort_in_kind(struct az_grouping *g, size_t trace, enum az_kind kind, size_t *i)
{
    const size_t n = g->rows.job->traces[trace]->ev[kind].n;
    const uint32_t *number = numbers_of(g, trace, kind);
    struct az_item item = { .trace = (uint32_t)trace, .kind = kind, .name = AZ_NO_ID };
    uint32_t *of = g->of + *i;
    int rc = 0;
    *i += n;
    for (size_t row = 0; rc == 0 && row < n; row++) {
        const bool numbered = number && g->alike_trace == trace;
        const uint32_t *known = g->by_number.v;
        const size_t n_known = g->by_number.n;
        struct az_group_row *groups = g->groups.v;
        for (; numbered && row < n && number[row] < n_known && known[number[row]]; row++) {
            of[row] = known[number[row]] - 1;
            groups[of[row]].n++;
        }
        item.row = (uint32_t)row;
        if (row < n)
            rc = sort_in(g, (size_t)(of - g->of) + row, &item);
    }
    return rc;
}

static int sort_in_all(struct az_grouping *g)
{
    size_t i = 0;
    int rc = 0;
    if (g->list)
        return az_grouping_each(g, sort_in, g);
    for (size_t t = 0; rc == 0 && t < g->rows.job->n_traces; t++)
        for (size_t k = 0; rc == 0 && az_grouping_has_trace(g, t) && k < g->spec->n_kinds; k++)
            rc = g->spec->number ? sort_in_numbered(g, t, g->spec->kinds[k], &i)
                                 : sort_in_kind(g, t, g->spec->kinds[k], &i);
    return rc;
}

/* ---- rows that came summed ---- */

static struct az_figures given_figures(const struct az_sum *s, int64_t ticks)
{
    const double mean =
        s->count > 0 && s->total_ns != AZ_UNKNOWN ? (double)s->total_ns / (double)s->count : s->avg;
    const double d = (double)ticks;
    return (struct az_figures){ .n = s->count,
                                .sum = s->total_ns == AZ_UNKNOWN ? AZ_UNKNOWN : s->total_ns * ticks,
                                .min = s->min * d,
                                .max = s->max * d,
                                .mean = mean * d,
                                .median = (isnan(s->med) && s->count <= 2 ? mean : s->med) * d,
                                .std = s->count > 1 ? s->std * d : NAN,
                                .p95 = NAN,
                                .p99 = NAN,
                                .p25 = NAN,
                                .p75 = NAN };
}

static bool is_given(const struct az_grouping *g, size_t trace)
{
    const struct az_trace *t = g->rows.job->traces[trace];
    size_t n = 0;
    for (size_t k = 0; k < g->spec->n_kinds; k++)
        n += t->ev[g->spec->kinds[k]].n;
    return g->spec->given && n == 0 && az_grouping_has_trace(g, trace);
}

static int given_row(struct az_grouping *g, size_t trace, size_t row, const struct az_sum *s,
                     struct az_figures *room)
{
    const struct az_item item = { .trace = (uint32_t)trace,
                                  .row = (uint32_t)row,
                                  .kind = AZ_KIND_COUNT,
                                  .name = az_job_name(g->rows.job, trace, s->name) };
    const size_t before = g->groups.n;
    uint32_t k = AZ_NO_ID;
    int rc;
    if (g->spec->merge_given) {
        rc = find_group(g, &item, &k);
    } else {
        k = (uint32_t)before;
        rc = az_vec_push(&g->groups, ((struct az_group_row){ .first = item }));
    }
    if (rc || k == AZ_NO_ID)
        return rc;
    g->groups.v[k].figure = k;
    if (g->groups.n > before) {
        room[k] = given_figures(s, g->ticks);
        g->groups.v[k].n = s->count;
        return 0;
    }
    room[k].sum = room[k].sum == AZ_UNKNOWN || s->total_ns == AZ_UNKNOWN
                      ? AZ_UNKNOWN
                      : az_add_sat(room[k].sum, s->total_ns * g->ticks);
    g->groups.v[k].n = room[k].n = az_add_sat(g->groups.v[k].n, s->count);
    room[k].mean = room[k].sum == AZ_UNKNOWN ? NAN : (double)room[k].sum / (double)g->groups.v[k].n;
    /* of more than one row only sums are known */
    room[k].median = room[k].std = room[k].min = room[k].max = NAN;
    return 0;
}

static size_t count_given(const struct az_grouping *g)
{
    size_t n = 0;
    for (size_t t = 0; t < g->rows.job->n_traces; t++)
        n += is_given(g, t) ? g->spec->given(g->rows.job->traces[t])->n : 0;
    return n;
}

static int add_given(struct az_grouping *g)
{
    int rc = 0;
    for (size_t t = 0; rc == 0 && t < g->rows.job->n_traces; t++) {
        const struct az_sums *s = is_given(g, t) ? g->spec->given(g->rows.job->traces[t]) : NULL;
        for (size_t i = 0; rc == 0 && s && i < s->n; i++)
            rc = given_row(g, t, i, &s->v[i], g->figure);
        g->exact = g->exact && !s;
    }
    return rc;
}

/* ---- rows of a fact ---- */

static int from_sums(struct az_grouping *g)
{
    const int rc = g->spec->sums(g->rows.job, &g->sums);
    g->ticks = 1;
    g->exact = rc == 0 && g->sums.exact;
    return rc;
}

static struct az_figures summed_figures(const struct az_name_sum *s)
{
    const bool computed = !isfinite(s->avg) && s->count > 0 && s->total != AZ_UNKNOWN;
    return (struct az_figures){
        s->count, s->total, s->min, s->max, computed ? (double)s->total / (double)s->count : s->avg,
        s->med,   s->std,   s->p95, s->p99, NAN,
        NAN
    };
}

size_t az_grouping_rows(const struct az_grouping *g)
{
    return g->spec->sums ? g->sums.n : g->groups.n;
}

static struct az_group *row_of_sums(struct az_grouping *g, size_t k)
{
    struct az_name_sum room;
    const struct az_name_sum *s = az_name_sum_at(&g->sums, k, &room);
    const struct az_item first = {
        .row = (uint32_t)k, .kind = AZ_KIND_COUNT, .other = s->style, .name = s->name
    };
    g->one_figure[0] = summed_figures(s);
    g->one = (struct az_group){ .first = first, .n = s->count, .value = g->one_figure };
    return &g->one;
}

struct az_group *az_grouping_row(struct az_grouping *g, size_t k)
{
    if (g->spec->sums)
        return row_of_sums(g, k);
    const struct az_group_row *row = &g->groups.v[k];
    const bool of_one = row->figure == AZ_NO_ID;
    for (size_t v = 0; of_one && v < g->n_values; v++)
        g->one_figure[v] = az_grouping_item_figures(g, v, &row->first);
    g->one = (struct az_group){ .first = row->first,
                                .n = row->n,
                                .value = of_one ? g->one_figure
                                                : &g->figure[row->figure * g->n_values] };
    return &g->one;
}

int64_t az_grouping_sum(const struct az_grouping *g, size_t k, size_t value)
{
    struct az_name_sum room;
    if (g->spec->sums)
        return az_name_sum_at(&g->sums, k, &room)->total;
    const struct az_group_row *row = &g->groups.v[k];
    return row->figure == AZ_NO_ID ? az_grouping_item_sum(g, value, &row->first)
                                   : g->figure[row->figure * g->n_values + value].sum;
}

/* ---- all of it ---- */

static int prepare_texts(struct az_grouping *g)
{
    struct az_job *job = g->rows.job;
    int rc = 0;
    az_intern_init(&g->texts, job->arena, job->mem);
    g->all_by_name = g->n_keys > 0;
    for (size_t k = 0; k < g->n_keys; k++)
        g->all_by_name &= g->key[k]->by_name;
    for (size_t k = 0; rc == 0 && k < g->n_keys; k++) {
        if (!g->key[k]->text || !g->key[k]->by_name)
            continue;
        g->by_name[k] = az_arena_array(&g->names, az_job_names(job) + 1, sizeof *g->by_name[k]);
        rc = g->by_name[k] ? 0 : az_arena_error(&g->names);
    }
    return rc;
}

/* Places for the figures of rows; those of one item have none where all rows are of items. */
static int make_figures(struct az_grouping *g)
{
    const size_t given = count_given(g);
    const bool all = given || g->spec->weight;
    size_t n = 0;
    for (size_t k = 0; k < g->groups.n; k++)
        g->groups.v[k].figure = all || g->groups.v[k].n != 1 ? (uint32_t)n++ : AZ_NO_ID;
    const size_t places = (n + given + 1) * g->n_values;
    if (!az_size_mul(places, sizeof *g->figure, &g->figure_room))
        return AZ_ERANGE;
    g->figure = az_mem_alloc(g->rows.job->mem, g->figure_room);
    if (!g->figure)
        return az_mem_error(g->rows.job->mem);
    for (size_t i = 0; i < places; i++)
        g->figure[i] = (struct az_figures){ 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    return 0;
}

static void release_numbers(struct az_grouping *g)
{
    az_mem_free(g->rows.job->mem, g->of, g->room);
    g->of = NULL;
    g->room = 0;
    az_grouper_release(&g->by);
    az_vec_release(&g->by_number);
}

static int from_items(struct az_grouping *g)
{
    struct az_job *job = g->rows.job;
    const struct az_key *only = g->n_keys == 1 ? g->key[0] : NULL;
    g->n = count_items(g);
    g->room = (g->n + 1) * sizeof *g->of;
    if (g->n >= UINT32_MAX)
        return AZ_ERANGE;
    g->of = az_mem_alloc(job->mem, g->room);
    int rc = g->of ? az_grouper_init(&g->by, job->mem, g->n_keys,
                                     only && only->below ? only->below(&g->rows) : 0)
                   : az_mem_error(job->mem);
    if (rc == 0)
        rc = prepare_texts(g);
    if (rc == 0)
        rc = sort_in_all(g);
    az_vec_trim(&g->groups);
    rc = rc ? rc : make_figures(g);
    for (size_t v = 0; rc == 0 && v < g->n_values; v++)
        rc = az_grouping_figures(g, v);
    rc = rc ? rc : add_given(g);
    release_numbers(g); /* before the rows of many groups */
    return rc;
}

int az_grouping_make(struct az_grouping *g)
{
    const struct az_job *job = g->rows.job;
    az_vec_init(&g->groups, job->mem);
    az_vec_init(&g->by_number, job->mem);
    az_arena_init(&g->names, job->mem);
    g->ticks = job->n_traces ? job->traces[0]->ticks_per_ns : 1;
    if (g->ticks < 1)
        g->ticks = 1;
    g->exact = g->ticks == 1;
    return g->spec->sums ? from_sums(g) : from_items(g);
}

void az_grouping_release(struct az_grouping *g)
{
    struct az_mem *mem = g->rows.job->mem;
    release_numbers(g);
    az_mem_free(mem, g->figure, g->figure_room);
    if (g->texts.mem)
        az_intern_release(&g->texts);
    az_arena_release(&g->names);
    az_vec_release(&g->groups);
}
