/* Where a difference comes from: which key pairs the work of two results, and the causes. */
#include "compare/compare_causes.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "document/claims.h"
#include "document/schema.h"
#include "text/names.h"

#define MOST_LABELS  500 /* names that are compared with each other */
#define MOST_AT_ONCE 64  /* kernels; rows that add up to more are not of this timeline */
#define SLACK_NS     10  /* roundings of sums of copies */
#define LEAST_LISTED 0.9 /* of the compute time; rows that add up to less are of a part of it */
#define LEAST_SHAPES 0.1 /* of it, in operators with equal shapes, to be of the same work */
#define LEAST_SHARED 0.5 /* of the kernel time of either side, for names to pair the rows */

struct work {
    const struct az_comparison *c;
    struct az_causes *out;
    const struct az_document *doc[2];
    struct az_kernel_rules *rules;
    bool shapes; /* rows of operators are paired by their shapes, too */
    bool hidden; /* some copies are overlapped: the account has what is exposed of them */
    struct az_arena arena;
    struct az_intern ids; /* names of rows -> place in sums */
    AZ_VEC(struct az_work_sums, all_sums) sums;
};

const char *az_pairing_text(enum az_pairing by)
{
    static const char *const text[] = { [AZ_BY_NONE] = "",
                                        [AZ_BY_KERNEL] = "kernel",
                                        [AZ_BY_OPERATOR] = "operator",
                                        [AZ_BY_FAMILY] = "family",
                                        [AZ_BY_GROUP] = "group" };
    return text[by];
}

/* ---- rows ---- */

/* Name by which a row is paired. */
static struct az_sv name_of(struct work *w, const struct az_time_rows *s, size_t row,
                            enum az_pairing by)
{
    const struct az_cell *cell = az_table_at(s->t, row, (size_t)s->label);
    const bool names = by == AZ_BY_KERNEL || by == AZ_BY_OPERATOR;
    const ptrdiff_t dims = w->shapes ? az_text_column(s->t, "input_dims") : -1;

    if (dims >= 0)
        return az_arena_printf(&w->arena, "%.*s %.*s", AZ_SVF(az_cell_text(cell)),
                               AZ_SVF(az_cell_text(az_table_at(s->t, row, (size_t)dims))));
    if (by == AZ_BY_FAMILY && az_sv_is(s->t->columns.v[s->label].stem, "kernel"))
        return az_family_text(az_time_rows_family(s, row, w->rules));
    if (names && w->c->opts->normalize)
        return az_compare_normal(&w->arena, az_cell_text(cell));
    return az_sv_trim(az_cell_text(cell));
}

/* The account has exposed communication and copies; by families what is hidden of them is no cause.
 */
static bool is_in_account(const struct work *w, enum az_family f, enum az_pairing by, bool copied)
{
    const bool parted = w->out->timed && w->out->side[0].parted && w->out->side[1].parted;

    return parted && by != AZ_BY_GROUP &&
           (f == AZ_FAMILY_COMMUNICATION || (copied && by == AZ_BY_FAMILY));
}

/* Do the names of kernels that are copies account for what is exposed of copies? Else some have
 * names that are not known. Tables without any have computation only. */
static bool copies_are_named(const struct work *w, const struct az_time_rows *s, size_t side)
{
    double named = 0;

    if (!az_sv_is(s->t->columns.v[s->label].stem, "kernel"))
        return false;
    for (size_t r = 0; r < s->t->rows; r++)
        if (az_time_rows_copied(s, r, w->rules))
            named += az_time_at(s->t, r, s->time) / s->per;
    return named == 0 || named + SLACK_NS >= (double)w->out->side[side].copies;
}

/* Is the row a copy to the account? Kernels of the family may compute. */
static bool is_copied(const struct work *w, const struct az_time_rows *s, size_t row, bool named)
{
    return named ? az_time_rows_copied(s, row, w->rules)
                 : az_time_rows_family(s, row, w->rules) == AZ_FAMILY_COPY;
}

static int add_rows(struct work *w, const struct az_time_rows *s, size_t side, enum az_pairing by)
{
    const bool named = copies_are_named(w, s, side);

    for (size_t r = 0; r < s->t->rows; r++) {
        const size_t known = w->ids.text.n;
        const enum az_family family = az_time_rows_family(s, r, w->rules);
        const bool copied = is_copied(w, s, r, named);
        uint32_t id = 0;
        if (az_time_rows_contains_others(s, r) || is_in_account(w, family, by, copied))
            continue;
        const bool computed = by == AZ_BY_FAMILY && family == AZ_FAMILY_COPY && !copied;
        const struct az_sv name = computed ? AZ_SV("copy kernels") : name_of(w, s, r, by);
        int rc = name.p ? az_intern(&w->ids, name, &id) : az_arena_error(&w->arena);
        if (!rc && id == known)
            rc = az_vec_push(&w->sums, ((struct az_work_sums){ { 0, 0 }, family, copied }));
        if (rc)
            return rc;
        w->sums.v[id].ns[side] += az_time_at(s->t, r, s->time) / s->per;
    }
    return AZ_OK;
}

static void begin_rows(struct work *w)
{
    az_intern_release(&w->ids);
    az_vec_reset(&w->sums);
    az_intern_init(&w->ids, &w->arena, w->c->doc->mem);
}

/* Both sides by this key; *shared: the lesser part of the time whose name both have. */
static int pair_rows(struct work *w, const struct az_time_rows s[2], enum az_pairing by,
                     double *shared)
{
    double all[2] = { 0, 0 }, both[2] = { 0, 0 };
    int rc = 0;
    begin_rows(w);

    for (size_t side = 0; !rc && side < 2; side++)
        rc = add_rows(w, &s[side], side, by);
    if (!rc && by == AZ_BY_KERNEL)
        rc = az_compare_pair_functions(w->ids.text.v, w->sums.v, w->sums.n, w->c->doc->mem);
    for (size_t i = 0; !rc && i < w->sums.n; i++) {
        const double *ns = w->sums.v[i].ns;
        for (size_t side = 0; side < 2; side++) {
            all[side] += ns[side];
            both[side] += ns[0] > 0 && ns[1] > 0 ? ns[side] : 0;
        }
    }
    *shared = all[0] > 0 && all[1] > 0 ? fmin(both[0] / all[0], both[1] / all[1]) : 0;
    return rc;
}

/* ---- which key ---- */

static int take_rows(struct work *w, const struct az_time_rows s[2], enum az_pairing by,
                     double *shared)
{
    int rc = pair_rows(w, s, by, shared);

    if (rc)
        return rc;
    w->out->by = by;
    w->out->table = s[0].t->id;
    return AZ_OK;
}

/* Lesser part of the time that has a family at all; other: the name of the rest. */
static double named_part(const struct work *w, struct az_sv other)
{
    double all[2] = { 0, 0 }, named[2] = { 0, 0 };

    for (size_t i = 0; i < w->sums.n; i++)
        for (size_t side = 0; side < 2; side++) {
            all[side] += w->sums.v[i].ns[side];
            if (!az_sv_eq(w->ids.text.v[i], other))
                named[side] += w->sums.v[i].ns[side];
        }
    return all[0] > 0 && all[1] > 0 ? fmin(named[0] / all[0], named[1] / all[1]) : 0;
}

static bool has_text(const struct az_table *t, ptrdiff_t column)
{
    for (size_t r = 0; column >= 0 && r < t->rows; r++)
        if (az_cell_text(az_table_at(t, r, (size_t)column)).n)
            return true;
    return false;
}

/* Rows of operators with the shapes of their arguments; no table: none are recorded. */
static struct az_time_rows shape_rows(const struct az_document *d)
{
    const struct az_table *t = az_document_table(d, "unified_perf_summary");
    struct az_time_rows s = { .t = NULL, .per = 1, .family = -1 };

    if (!t || !az_is_read(t) || !has_text(t, az_text_column(t, "input_dims")))
        return s;
    s.label = az_text_column(t, "operation");
    s.time = az_time_column(t, "kernel_time");
    s.t = s.label >= 0 && s.time >= 0 ? t : NULL;
    return s;
}

/* Do both run the same work, by the names of kernels? Else by operators and the shapes of their
 * arguments: other libraries, precisions and devices have other kernels for them. Without shapes
 * only on different devices by the names of operators. */
static int judge_like(struct work *w)
{
    struct az_causes *o = w->out;
    const bool one_device = o->read[0].device.n && az_sv_eq(o->read[0].device, o->read[1].device);
    struct az_time_rows s[2] = { shape_rows(w->doc[0]), shape_rows(w->doc[1]) };
    double shared = 0;
    int rc = AZ_OK;

    o->like = isnan(o->shared) || o->shared >= LEAST_SHARED;
    o->common = o->shared;
    w->shapes = s[0].t && s[1].t;
    if (!w->shapes && (o->like || one_device))
        return rc;
    for (size_t side = 0; !rc && !w->shapes && side < 2; side++)
        rc = az_time_rows_find(w->doc[side], "operation", "kernel_time", &o->side[side], &s[side]);
    if (rc || !s[0].t || !s[1].t)
        return rc;
    rc = pair_rows(w, s, AZ_BY_OPERATOR, &shared);
    if (o->like && w->shapes && shared < LEAST_SHAPES) {
        o->like = false;
        o->common = shared;
        o->by_shape = true;
    } else {
        o->like |= shared >= LEAST_SHARED;
    }
    return rc;
}

static int find_both(struct work *w, const char *label, const char *time, struct az_time_rows s[2])
{
    int rc = az_time_rows_find(w->doc[0], label, time, &w->out->side[0], &s[0]);
    return rc ? rc : az_time_rows_find(w->doc[1], label, time, &w->out->side[1], &s[1]);
}

/* Of ranks the groups of operators, whose times no other work hides; where most of the time has no
 * operator, families of kernels. */
static int by_group(struct work *w, bool *done)
{
    struct az_time_rows group[2], family[2];
    double shared;
    int rc = find_both(w, "group", "exposed", group);

    *done = !rc && group[0].t && group[1].t;
    if (!*done)
        return rc;
    rc = find_both(w, "family", "kernel_time", family);
    if (!rc)
        rc = take_rows(w, group, AZ_BY_GROUP, &shared);
    if (rc || !family[0].t || !family[1].t || named_part(w, AZ_SV("Other")) >= LEAST_SHARED)
        return rc;
    return take_rows(w, family, AZ_BY_FAMILY, &shared);
}

/* Work of the median step by kernel names, or by families. */
static int by_step(struct work *w, bool *done)
{
    struct az_time_rows s[2];
    for (size_t side = 0; side < 2; side++) {
        const struct az_table *t = az_document_table(w->doc[side], "step_work");
        s[side] = (struct az_time_rows){ .t = t, .per = 1 };
        if (!t || !az_is_read(t))
            return AZ_OK;
        s[side].label = az_text_column(t, "kernel");
        s[side].time = az_time_column(t, "kernel_time");
        s[side].family = az_text_column(t, "family");
        if (s[side].label < 0 || s[side].time < 0)
            return AZ_OK;
    }
    int rc = take_rows(w, s, AZ_BY_KERNEL, &w->out->shared);
    *done = w->out->shared >= LEAST_SHARED;
    if (!rc && !*done) {
        rc = take_rows(w, s, AZ_BY_FAMILY, &(double){ 0 });
        *done = named_part(w, az_family_text(AZ_FAMILY_OTHER)) >= LEAST_SHARED;
    }
    return rc;
}

/* Kernel names where both share enough of the time, else operators, else families; what has none
 * of them, by the names there are. */
static int choose(struct work *w)
{
    static const struct {
        const char *label, *time;
        enum az_pairing by;
        bool always;
    } ways[] = { { "kernel", "kernel_time", AZ_BY_KERNEL, false },
                 { "operation", "kernel_time", AZ_BY_OPERATOR, false },
                 { "kernel", "kernel_time", AZ_BY_FAMILY, false },
                 { "family", "kernel_time", AZ_BY_FAMILY, false },
                 { "kernel", "kernel_time", AZ_BY_KERNEL, true },
                 { "operation", "kernel_time", AZ_BY_OPERATOR, true },
                 { "category", "kernel_time", AZ_BY_FAMILY, true } };

    bool done = false;
    if (w->out->change.per_step) {
        const int rc = by_step(w, &done);
        if (rc || done)
            return rc;
    }
    const int error = by_group(w, &done);
    if (error || done)
        return error;
    for (size_t k = 0; k < AZ_LENGTH(ways); k++) {
        struct az_time_rows s[2];
        double shared = 0;
        int rc = find_both(w, ways[k].label, ways[k].time, s);
        if (!rc && (!s[0].t || !s[1].t))
            continue;
        if (!rc)
            rc = take_rows(w, s, ways[k].by, &shared);
        if (rc)
            return rc;
        if (ways[k].by == AZ_BY_KERNEL)
            w->out->shared = shared;
        if (ways[k].by == AZ_BY_FAMILY)
            shared = named_part(w, az_family_text(AZ_FAMILY_OTHER));
        if (ways[k].always || shared >= LEAST_SHARED)
            return AZ_OK;
        w->out->by = AZ_BY_NONE;
    }
    begin_rows(w);
    return 0;
}

/* ---- causes ---- */

static int add_cause(struct work *w, enum az_cause_kind kind, struct az_sv name, int64_t b,
                     int64_t t)
{
    return b == t ? AZ_OK
                  : az_vec_push(&w->out->list,
                                ((struct az_change_cause){ kind, name, name, { b, t } }));
}

static bool is_parted(const struct az_causes *o)
{
    return o->by != AZ_BY_GROUP && o->side[0].parted && o->side[1].parted;
}

/* Are copies among the kernels that cost nothing, as other work runs at the same time? */
static bool has_hidden_copies(const struct work *w)
{
    const struct az_causes *o = w->out;
    double copies[2] = { 0, 0 };

    if (o->by != AZ_BY_KERNEL || !o->timed || !is_parted(o))
        return false;
    for (size_t i = 0; i < w->sums.n; i++)
        for (size_t side = 0; side < 2 && w->sums.v[i].copied; side++)
            copies[side] += w->sums.v[i].ns[side];
    return copies[0] > (double)o->side[0].copies + SLACK_NS ||
           copies[1] > (double)o->side[1].copies + SLACK_NS;
}

static bool is_hidden_row(const struct work *w, const struct az_work_sums *s)
{
    return w->hidden && s->copied;
}

/* Time that the rows of the key are to add up to. */
static int64_t target(const struct az_causes *o, size_t side, bool with_copies)
{
    const struct az_sum_of_time *t = &o->side[side];

    return !is_parted(o) ? t->busy : t->compute + (with_copies ? t->copies : 0);
}

/* Are the rows of the key copies, too? Rows of operators are; tables of kernels have them in some
 * formats only, by names that are not known: they do if the rows then add up better to what they
 * are to add up to. */
static bool counts_copies(const struct work *w, const int64_t rows[2])
{
    const struct az_causes *o = w->out;
    double copies[2] = { 0, 0 };
    int64_t off[2] = { 0, 0 }; /* without and with */

    if (o->by != AZ_BY_KERNEL)
        return o->by == AZ_BY_OPERATOR;
    for (size_t i = 0; i < w->sums.n; i++) {
        if (is_hidden_row(w, &w->sums.v[i]))
            return false;
        for (size_t side = 0; side < 2; side++)
            if (w->sums.v[i].family == AZ_FAMILY_COPY || w->sums.v[i].family == AZ_FAMILY_FILL)
                copies[side] += w->sums.v[i].ns[side];
    }
    for (size_t side = 0; side < 2; side++) {
        if (llround(copies[side]) < o->side[side].copies)
            return false;
        for (size_t with = 0; with < 2; with++)
            off[with] = az_add_sat(off[with], llabs(target(o, side, with == 1) - rows[side]));
    }
    return off[1] < off[0];
}

static int add_parts(struct work *w, const int64_t rows[2])
{
    struct az_causes *o = w->out;
    const struct az_sum_of_time *b = &o->side[0], *t = &o->side[1];
    const bool parted = is_parted(o), copies = counts_copies(w, rows);
    const int64_t over[2] = { target(o, 0, copies) - rows[0], target(o, 1, copies) - rows[1] };
    int rc = add_cause(w, AZ_CAUSE_IDLE, AZ_SV("idle"), b->idle, t->idle);

    if (!rc && parted)
        rc = add_cause(w, AZ_CAUSE_COMM, AZ_SV("exposed communication"), b->comm, t->comm);
    if (!rc && parted && !copies)
        rc = add_cause(w, AZ_CAUSE_COPY, AZ_SV("exposed copies"), b->copies, t->copies);
    if (!rc && o->by == AZ_BY_NONE)
        return add_cause(w, AZ_CAUSE_WORK, parted ? AZ_SV("compute") : AZ_SV("busy"), over[0],
                         over[1]);
    if (!rc)
        rc = add_cause(w, AZ_CAUSE_OVERLAP, AZ_SV("overlap"), over[0], over[1]);
    return rc;
}

static int larger_first(const void *a, const void *b, void *ctx)
{
    const struct az_change_cause *x = a, *y = b;
    const int64_t p = llabs(x->ns[1] - x->ns[0]), q = llabs(y->ns[1] - y->ns[0]);

    (void)ctx;
    if (p != q)
        return p > q ? -1 : 1;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : az_sv_cmp(x->name, y->name);
}

/* What is beyond the causes shown becomes one. */
static int fold_small_causes(struct work *w)
{
    struct az_cause_list *l = &w->out->list;
    struct az_change_cause rest = { .kind = AZ_CAUSE_REST };

    if (l->n <= AZ_CAUSES_SHOWN + 1)
        return AZ_OK;
    w->out->rest = l->n - AZ_CAUSES_SHOWN;
    for (size_t i = AZ_CAUSES_SHOWN; i < l->n; i++)
        for (size_t side = 0; side < 2; side++)
            rest.ns[side] = az_add_sat(rest.ns[side], l->v[i].ns[side]);
    rest.name = rest.label = az_arena_printf(w->c->a, "other (%zu)", w->out->rest);
    l->v[AZ_CAUSES_SHOWN] = rest;
    l->n = AZ_CAUSES_SHOWN + 1;
    return rest.name.p ? AZ_OK : az_arena_error(w->c->a);
}

/* Work that has one name on one side and another on the other (a vendor's library, a kernel that
 * was chosen again): rows of one family that are there on one side only become one. */
struct moved {
    int64_t ns[2];
    size_t n[2];
    struct az_sv name[2]; /* of the last */
};

static size_t only_side(const struct az_work_sums *s) { return s->ns[0] > 0 ? 0 : 1; }

static bool is_lonely(const struct work *w, const struct az_work_sums *s)
{
    return (w->out->by == AZ_BY_KERNEL || w->out->by == AZ_BY_OPERATOR) && !is_hidden_row(w, s) &&
           s->family != AZ_FAMILY_OTHER && (s->ns[0] > 0) != (s->ns[1] > 0);
}

static void find_moved(const struct work *w, struct moved *of)
{
    for (size_t i = 0; i < w->sums.n; i++) {
        const struct az_work_sums *s = &w->sums.v[i];
        if (!is_lonely(w, s))
            continue;
        struct moved *m = &of[s->family];
        const size_t side = only_side(s);
        m->ns[side] += llround(s->ns[side]);
        m->name[side] = w->ids.text.v[i];
        m->n[side]++;
    }
}

static int add_moved(struct work *w, const struct moved *of)
{
    int rc = AZ_OK;

    for (size_t f = 0; !rc && f < AZ_FAMILIES; f++) {
        const struct moved *m = &of[f];
        const bool one = m->n[0] == 1 && m->n[1] == 1;
        const size_t before = w->out->list.n;
        struct az_sv name;
        if (!m->n[0] || !m->n[1])
            continue;
        if (one)
            name = az_arena_printf(w->c->a, "%.*s replaced by %.*s", AZ_SVF(m->name[0]),
                                   AZ_SVF(m->name[1]));
        else
            name = az_arena_printf(w->c->a, "%.*s (kernels replaced)",
                                   AZ_SVF(az_family_text((enum az_family)f)));
        rc = name.p ? add_cause(w, AZ_CAUSE_MOVED, name, m->ns[0], m->ns[1])
                    : az_arena_error(w->c->a);
        if (!rc && one && w->out->list.n > before)
            w->out->list.v[before].label = az_words_renamed(w->c->a, m->name);
    }
    return rc;
}

/* The rows of the key; *sum: what they add up to. */
static int add_work(struct work *w, int64_t sum[2])
{
    struct moved of[AZ_FAMILIES] = { { .n = { 0, 0 } } };
    int rc = AZ_OK;

    find_moved(w, of);
    for (size_t i = 0; !rc && i < w->sums.n; i++) {
        const struct az_work_sums *s = &w->sums.v[i];
        const int64_t b = llround(s->ns[0]), t = llround(s->ns[1]);
        if (is_hidden_row(w, s))
            continue;
        sum[0] += b;
        sum[1] += t;
        if (is_lonely(w, s) && of[s->family].n[!only_side(s)])
            continue;
        struct az_sv name = az_arena_dup(w->c->a, w->ids.text.v[i]);
        rc = name.p ? add_cause(w, AZ_CAUSE_WORK, name, b, t) : az_arena_error(w->c->a);
    }
    return rc ? rc : add_moved(w, of);
}

/* Does a side list work outside of the steps that its account is of? */
static bool lists_more(const struct work *w, size_t side)
{
    const struct az_table *t = az_document_table(w->doc[side], "account");
    const ptrdiff_t scope = t ? az_text_column(t, "scope") : -1,
                    time = t ? az_time_column(t, "computing") : -1;
    const double compute = (double)w->out->side[side].compute;

    if (w->out->change.per_step || w->out->by == AZ_BY_GROUP || scope < 0 || time < 0)
        return false;
    for (size_t r = 0; r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)scope)),
                     az_account_scope_id(AZ_SCOPE_RECORDING)))
            return LEAST_LISTED * az_time_at(t, r, time) > compute;
    return false;
}

/* Are the rows parts of the timeline's busy time, or of something else? */
static int check_fit(struct work *w)
{
    struct az_causes *o = w->out;
    double sum[2] = { 0, 0 };

    for (size_t i = 0; i < w->sums.n; i++)
        for (size_t side = 0; side < 2 && !is_hidden_row(w, &w->sums.v[i]); side++)
            sum[side] += w->sums.v[i].ns[side];
    for (size_t side = 0; side < 2 && o->timed && o->by != AZ_BY_NONE; side++)
        o->unfit |=
            sum[side] > MOST_AT_ONCE * (double)(o->side[side].busy + 1) ||
            (o->by != AZ_BY_GROUP && sum[side] < LEAST_LISTED * (double)target(o, side, false));
    for (size_t side = 0; side < 2 && o->timed && o->by != AZ_BY_NONE; side++)
        o->outside |= lists_more(w, side);
    o->unfit |= o->outside;
    if (!o->unfit)
        return AZ_OK;
    o->by = AZ_BY_NONE;
    begin_rows(w);
    return 0;
}

/* Labels of rows become what `shorten` makes of them next to each other. Of very many, the first:
 * the others change too little to be shown. */
static int shorten_labels(struct work *w,
                          void (*shorten)(struct az_arena *a, struct az_sv *name, size_t n))
{
    struct az_cause_list *l = &w->out->list;
    struct az_sv *name = az_arena_array(w->c->a, l->n + 1, sizeof *name);
    size_t n = 0, k = 0;

    if (!name)
        return az_arena_error(w->c->a);
    for (size_t i = 0; i < l->n && n < MOST_LABELS; i++)
        if (l->v[i].kind == AZ_CAUSE_WORK)
            name[n++] = l->v[i].label;
    shorten(w->c->a, name, n);
    for (size_t i = 0; i < l->n && k < n; i++)
        if (l->v[i].kind == AZ_CAUSE_WORK)
            l->v[i].label = name[k++];
    return AZ_OK;
}

static int list_causes(struct work *w)
{
    struct az_causes *o = w->out;
    int64_t rows[2] = { 0, 0 };
    w->hidden = has_hidden_copies(w);
    int rc = check_fit(w);

    if (!rc)
        rc = add_work(w, rows);
    for (size_t side = 0; side < 2; side++)
        o->total[side] = o->timed ? o->side[side].total : rows[side];
    if (!rc && o->timed)
        rc = add_parts(w, rows);
    az_sort_cmp(o->list.v, o->list.n, sizeof *o->list.v, larger_first, NULL, w->c->doc->mem);
    /* names stay different from those, too, that change less than what is shown */
    if (!rc)
        rc = shorten_labels(w, az_names_shorten);
    if (!rc)
        rc = fold_small_causes(w);
    return rc ? rc : shorten_labels(w, az_words_names_cut);
}

/* The account of the basis; of results without claims their tables. Rows of tables are
 * sums over all steps. */
static void time_of_side(struct az_causes *o, size_t side, const struct az_document *doc)
{
    const struct az_change_side *x = &o->read[side];
    const struct az_claim_account step = az_change_step(x, &o->read[!side]),
                                  *a = o->change.per_step ? &step : &x->whole;
    az_time_of_document(doc, &o->side[side]);
    if (!o->change.has_parts)
        return;
    o->side[side] = (struct az_sum_of_time){ .known = true,
                                             .parted = true,
                                             .total = a->span,
                                             .busy = a->span - a->idle,
                                             .idle = a->idle,
                                             .compute = a->computing,
                                             .comm = a->exposed_communication,
                                             .copies = a->exposed_copy,
                                             .devices = x->devices > 0 ? (size_t)x->devices : 1,
                                             .steps = o->change.per_step ? (size_t)x->steps : 1,
                                             .table = AZ_SV("account") };
}

int az_compare_causes(const struct az_comparison *c, size_t variant, struct az_causes *out)
{
    const struct az_user_names nobody = { .map = NULL };
    struct work w = { .c = c, .out = out, .doc = { c->in[c->base].doc, c->in[variant].doc } };
    int rc;

    *out = (struct az_causes){ .shared = NAN };
    az_vec_init(&out->list, c->doc->mem);
    az_vec_init(&w.sums, c->doc->mem);
    az_arena_init(&w.arena, c->doc->mem);
    for (size_t side = 0; side < 2; side++)
        az_change_side_of(w.doc[side], &out->read[side]);
    az_change_make(&out->read[0], &out->read[1], &c->opts->change, &out->change);
    for (size_t side = 0; side < 2; side++)
        time_of_side(out, side, w.doc[side]);
    out->timed = out->side[0].known && out->side[1].known;
    w.rules = az_kernel_rules_new(&nobody, c->doc->mem);
    az_intern_init(&w.ids, &w.arena, c->doc->mem);
    rc = w.rules ? 0 : AZ_ENOMEM;
    if (!rc)
        rc = choose(&w);
    if (!rc)
        rc = list_causes(&w);
    if (!rc) /* last: it pairs other rows */
        rc = judge_like(&w);
    az_kernel_rules_free(w.rules, c->doc->mem);
    az_intern_release(&w.ids);
    az_vec_release(&w.sums);
    az_arena_release(&w.arena);
    if (rc)
        az_vec_release(&out->list);
    return rc;
}
