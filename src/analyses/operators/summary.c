/* Launchers summed by category and by name (docs/formulas-pytorch.md 5.1, 5.2). By arguments:
 * args.c. */
#include "analyses/operators/args.h"
#include "analyses/operators/stack.h"
#include "analyses/registry_list.h"
#include "base/human.h"
#include "base/num.h"
#include "tables/engine.h"

/* Launchers of one name, category and, with detect_recompute, whether they are part of a
 * recomputed region: as the tables need it. */
struct set {
    uint32_t first; /* launcher */
    uint32_t next;  /* set of the same name, plus one; 0: none */
    uint8_t category;
    uint32_t module;            /* with group_by_parent_module: number of its name in `modules` */
    int64_t n, direct, subtree; /* launchers; ticks */
};
AZ_VEC(struct set, sets);
#define CATEGORIES 64 /* at most: a row has a bit for each */

struct work {
    const struct az_framework *fw;
    uint32_t *of_name; /* name * 2 + is recomputed -> the first such set, plus one */
    struct sets sets;
    struct az_intern modules;
    int64_t copies[CATEGORIES]; /* time of copies and fills, ticks */
};

static const struct az_framework *fw_of(const struct az_scope *r)
{
    return ((const struct work *)r->ctx)->fw;
}
static const struct set *set_of(const struct az_scope *r, const struct az_item *i)
{
    return &((const struct work *)r->ctx)->sets.v[i->row];
}
static uint32_t node_of(const struct az_scope *r, const struct az_item *i)
{
    return fw_of(r)->launchers->rows.v[set_of(r, i)->first].node;
}

static bool category_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = set_of(r, i)->category;
    return true;
}

static void put_category(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, fw_of(r)->category_text[set_of(r, i)->category]);
}

static struct az_sv recompute_text(const struct az_scope *r, const struct az_item *i)
{
    return az_framework_recompute(fw_of(r), node_of(r, i)) ? AZ_SV("True") : AZ_SV("False");
}

static bool asked_recompute(const struct az_scope *r) { return fw_of(r)->opts->detect_recompute; }

static uint32_t name_of_node(const struct az_framework *fw, uint32_t node)
{
    uint32_t row;
    const enum az_kind kind = az_node_kind(fw->tree, node, &row);
    return fw->trace->ev[kind].name[row];
}

static uint32_t name_of(const struct az_scope *r, const struct az_item *i)
{
    return name_of_node(fw_of(r), node_of(r, i));
}

static size_t name_number(const struct az_framework *fw, uint32_t node)
{
    const size_t name = name_of_node(fw, node);
    return (name == AZ_NO_ID ? 0 : name + 1) * 2 + az_framework_recompute(fw, node);
}

static int64_t direct(const struct az_scope *r, const struct az_item *i)
{
    return set_of(r, i)->direct;
}
static int64_t subtree(const struct az_scope *r, const struct az_item *i)
{
    return set_of(r, i)->subtree;
}
static int64_t weight(const struct az_scope *r, const struct az_item *i) { return set_of(r, i)->n; }

/* Of the sets of a row: of equal names and modules. */
static uint64_t categories_of(const struct work *w, uint32_t node, uint32_t module)
{
    uint64_t seen = 0;
    for (uint32_t at = w->of_name[name_number(w->fw, node)]; at; at = w->sets.v[at - 1].next)
        if (w->sets.v[at - 1].module == module)
            seen |= (uint64_t)1 << w->sets.v[at - 1].category;
    return seen;
}

/* Sorted distinct categories of a row as a JSON list. */
static void put_categories(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    const struct az_framework *fw = fw_of(r);
    struct az_sv text = AZ_SV("[");
    uint64_t seen = categories_of(r->ctx, node_of(r, &g->first), set_of(r, &g->first)->module);
    while (seen && text.p) {
        uint32_t best = (uint32_t)__builtin_ctzll(seen);
        for (uint32_t c = best + 1; c < fw->n_categories; c++)
            if ((seen >> c & 1) && az_sv_cmp(fw->category_text[c], fw->category_text[best]) < 0)
                best = c;
        seen &= ~((uint64_t)1 << best);
        text =
            az_arena_printf(r->job->arena, "%.*s%s\"%.*s\"%s", AZ_SVF(text), text.n > 1 ? "," : "",
                            AZ_SVF(fw->category_text[best]), seen ? "" : "]");
    }
    az_put_text(t, text);
}

static bool asked_module(const struct az_scope *r)
{
    return fw_of(r)->opts->group_by_parent_module;
}

static struct az_sv module_text(const struct az_scope *r, const struct az_item *i)
{
    return az_intern_text(&((const struct work *)r->ctx)->modules, set_of(r, i)->module);
}

static void put_stack(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_text(t, az_framework_module_stack(r->job, fw_of(r), node_of(r, &g->first)));
}

static const struct az_key module_name = { AZ_TEXT, .text = module_text };
static const struct az_key category = { AZ_TEXT, .of = category_of, .put = put_category };
static const struct az_key recompute = { AZ_TEXT, .text = recompute_text };
static const struct az_key name = { AZ_TEXT, .name = name_of };

#define SUM(header, n, as, ...)                                                                    \
    {                                                                                              \
        header, .figure = AZ_FIG_SUM, .value = n, .unit = as, .flags = __VA_ARGS__                 \
    }
static const struct az_table_spec by_category = {
    "ops_summary_by_category",
    "Operations by category",
    AZ_TABLE_SUMMARY,
    .values = { { direct, true } },
    .columns = { { "op category", &category, .flags = AZ_KEY, .sort = 2 },
                 { "parent_module", &module_name, .flags = AZ_KEY, .when = asked_module,
                   .sort = 3 },
                 { "is_recompute", &recompute, .flags = AZ_KEY, .when = asked_recompute },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "call_stack_first", .figure = AZ_FIG_OWN, .type = AZ_TEXT, .flags = AZ_DETAIL,
                   .when = asked_module, .put = put_stack },
                 SUM("total_direct_kernel_time_ms", 0, AZ_UNIT_MS, AZ_LOWER_BETTER, .sort = -1),
                 AZ_SHARE_COLUMNS },
    .weight = weight,
    .shares = AZ_SHARES_CELLS,
};

static const struct az_table_spec by_name = {
    "ops_summary",
    "Operations",
    AZ_TABLE_SUMMARY,
    .values = { { direct, true }, { subtree, true } },
    .columns = { { "name", &name, .flags = AZ_KEY, .sort = 2 },
                 { "parent_module", &module_name, .flags = AZ_KEY, .when = asked_module,
                   .sort = 3 },
                 { "is_recompute", &recompute, .flags = AZ_KEY, .when = asked_recompute },
                 SUM("total_direct_kernel_time_sum", 0, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL,
                     .sort = -1),
                 SUM("total_subtree_kernel_time_sum", 1, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL),
                 SUM("total_direct_kernel_time_ms", 0, AZ_UNIT_MS, AZ_LOWER_BETTER),
                 SUM("total_subtree_kernel_time_ms", 1, AZ_UNIT_MS, AZ_LOWER_BETTER | AZ_DETAIL),
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "Categories", .figure = AZ_FIG_OWN, .type = AZ_TEXT, .put = put_categories },
                 { "call_stack_first", .figure = AZ_FIG_OWN, .type = AZ_TEXT, .flags = AZ_DETAIL,
                   .when = asked_module, .put = put_stack },
                 AZ_SHARE_COLUMNS },
    .weight = weight,
    .shares = AZ_SHARES_CELLS,
};

/* Number of the module around a node; 0: not requested. */
static int number_module(struct work *w, struct az_arena *a, uint32_t node, uint32_t *module)
{
    *module = 0;
    if (!w->fw->opts->group_by_parent_module)
        return 0;
    const struct az_sv around = az_framework_module_around(a, w->fw, node);
    return a->failed ? az_arena_error(a) : az_intern(&w->modules, around, module);
}

static void add_copies(struct work *w, uint32_t i)
{
    const struct az_launcher *l = &w->fw->launchers->rows.v[i];
    int64_t *to = &w->copies[w->fw->category[i] % CATEGORIES];
    for (uint32_t k = l->first; k < l[1].first; k++) {
        const uint32_t gpu = w->fw->launchers->own.v[k];
        const struct az_event e = az_gpu_event(w->fw->tree, gpu);
        const uint8_t kind = w->fw->tree->gpu_kind[gpu];
        if (kind == AZ_MEMCPY || kind == AZ_MEMSET)
            *to = az_add_sat(*to, e.end - e.start);
    }
}

/* A category has the copies and fills of its operators, which are families of their own. */
static int note_copies(struct az_job *job, const struct work *w, struct az_table *t)
{
    struct az_sv text = AZ_SV("");
    char time[AZ_HUMAN_MAX];
    for (uint32_t c = 0; c < w->fw->n_categories && c < CATEGORIES; c++) {
        if (w->copies[c] <= 0)
            continue;
        az_human_time(az_ns(w->fw->trace, w->copies[c]), time);
        text = az_arena_printf(job->arena, "%.*s%s%.*s has %s", AZ_SVF(text), text.n ? ", " : "",
                               AZ_SVF(w->fw->category_text[c]), time);
    }
    if (text.n)
        t->note = az_arena_printf(job->arena,
                                  "Categories are of operators, with their copies and fills: %.*s "
                                  "of these.",
                                  AZ_SVF(text));
    return text.p && (!text.n || t->note.p) ? 0 : az_arena_error(job->arena);
}

static int add_launcher(struct work *w, struct az_arena *a, uint32_t i)
{
    const struct az_framework *fw = w->fw;
    const struct az_launcher_times t = az_launcher_times(fw->launchers, fw->tree, i);
    uint32_t *at = &w->of_name[name_number(fw, fw->launchers->rows.v[i].node)];
    uint32_t k = *at, module;
    int rc = number_module(w, a, fw->launchers->rows.v[i].node, &module);
    if (rc)
        return rc;
    while (k && (w->sets.v[k - 1].category != fw->category[i] || w->sets.v[k - 1].module != module))
        k = w->sets.v[k - 1].next;
    if (k == 0) {
        const struct set fresh = {
            .first = i, .next = *at, .category = fw->category[i], .module = module
        };
        rc = az_vec_push(&w->sets, fresh);
        if (rc)
            return rc;
        *at = k = (uint32_t)w->sets.n;
    }
    struct set *s = &w->sets.v[k - 1];
    add_copies(w, i);
    s->n++;
    s->direct = az_add_sat(s->direct, t.direct);
    s->subtree = az_add_sat(s->subtree, t.subtree);
    return 0;
}

static int summaries(struct az_job *job, const struct az_framework *fw)
{
    struct work w = { .fw = fw };
    struct az_arena scratch, names;
    az_arena_init(&names, job->mem);
    w.of_name = az_arena_array(&names, (fw->trace->names.text.n + 1) * 2, sizeof *w.of_name);
    int rc = w.of_name ? 0 : az_arena_error(&names);
    az_arena_init(&scratch, job->mem);
    az_vec_init(&w.sets, job->mem);
    az_intern_init(&w.modules, job->arena, job->mem);
    for (uint32_t i = 0; rc == 0 && i < fw->launchers->rows.n; i++) {
        rc = add_launcher(&w, &scratch, i);
        az_arena_reset(&scratch);
    }
    az_arena_release(&scratch);
    const struct az_item_list sets = { NULL, w.sets.n };
    if (rc == 0)
        rc = az_spec_make(job, &by_category, &w, &sets);
    if (rc == 0)
        rc = note_copies(job, &w, job->doc->tables.v[job->doc->tables.n - 1]);
    if (rc == 0)
        rc = az_spec_make(job, &by_name, &w, &sets);
    az_arena_release(&names);
    az_vec_release(&w.sets);
    az_intern_release(&w.modules);
    return rc;
}

static int run_summary(struct az_job *job)
{
    int rc;
    struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw || fw->launchers->rows.n == 0)
        return rc;
    if (!fw->ops->has_ops) {
        az_cover(job, "operator tables skipped", (double)fw->launchers->rows.n, "count",
                 AZ_SV("launches; no operators recorded (device only), see kernel_summary"));
        return 0;
    }
    rc = summaries(job, fw);
    return rc ? rc : az_framework_args_tables(job, fw);
}

const struct az_analysis az_analysis_fw_ops = {
    .name = "ops_summary",
    .help = "launched kernel time by operation category, name, and arguments",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run_summary,
    .part = 20,
};
