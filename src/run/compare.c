/* The steps "side by side" and "comparison" of a run: which inputs, under which names. */
#include "run/post_actions.h"

#include "compare/compare.h"
#include "compare/configurations.h"
#include "compare/side_by_side.h"
#include "document/ranks_timeline.h"

struct choice {
    struct az_followup *f;
    struct az_diag *diag;
    struct az_arena arena;
    struct az_compare_input *in;
    size_t n, failed; /* inputs; how many of them have nothing to compare */
};

static const struct az_outcome *outcome_of(const struct az_followup *f, struct az_sv title)
{
    for (size_t i = 0; i < f->n; i++)
        if (az_sv_eq(f->outcomes[i].title, title))
            return &f->outcomes[i];
    return NULL;
}

static int take_input(struct choice *ch, const struct az_outcome *o, struct az_sv name)
{
    struct az_compare_input *in = &ch->in[ch->n++];

    *in = (struct az_compare_input){ .tag = name.n ? name : o->title,
                                     .title = o->title,
                                     .classes = &o->job->input->opts.classes };
    if (!o->reportable) {
        ch->failed++;
        return 0;
    }
    in->doc = az_ranks_timeline(&ch->arena, &o->doc);
    return in->doc ? 0 : az_arena_error(&ch->arena);
}

/* The inputs that are compared, in their order. Titles were checked when the plan was made; --only
 * may leave some out.
 */
static int choose(struct choice *ch, const struct az_vec_sv *titles, const struct az_vec_sv *names)
{
    struct az_followup *f = ch->f;
    size_t n = titles->n ? titles->n : f->n;
    struct az_sv *tags;
    int rc = 0;

    ch->in = az_arena_array(&ch->arena, n, sizeof *ch->in);
    tags = az_arena_array(&ch->arena, n, sizeof *tags);
    if (!ch->in || !tags)
        return az_arena_error(&ch->arena);
    for (size_t i = 0; !rc && i < n; i++) {
        const struct az_outcome *o = titles->n ? outcome_of(f, titles->v[i]) : &f->outcomes[i];
        if (o)
            rc = take_input(ch, o, i < names->n ? names->v[i] : AZ_SV(""));
    }
    for (size_t i = 0; i < ch->n; i++)
        tags[i] = ch->in[i].tag;
    rc = rc ? rc : az_compare_unique(&ch->arena, tags, ch->n);
    for (size_t i = 0; !rc && i < ch->n; i++)
        ch->in[i].tag = tags[i];
    return rc;
}

/* A document of its own memory, filled and rendered. */
static int report(struct choice *ch, enum az_step step,
                  int (*fill)(struct choice *ch, struct az_document *doc))
{
    struct az_document doc;
    struct az_arena arena;
    struct az_mem mem;
    int rc, written = AZ_OK;

    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    rc = fill(ch, &doc);
    if (doc.tables.n && rc != AZ_ENOMEM && rc != AZ_EINTERNAL)
        written = az_followup_report(ch->f, step, &doc, ch->diag);
    az_document_release(&doc);
    az_arena_release(&arena);
    return rc ? rc : written;
}

static int fill_side_by_side(struct choice *ch, struct az_document *doc)
{
    doc->title = AZ_SV("Side by side");
    doc->format = AZ_SV("side by side");
    doc->text_rows = 0;
    const struct az_configurations_opts opts = { .baseline = ch->f->plan->config->baseline,
                                                 .fold = !ch->f->opts->text_full };
    if (ch->failed == ch->n) /* no row would have a value */
        return AZ_OK;
    const int rc = az_configurations(doc, ch->in, ch->n, &opts);
    if (rc == AZ_EUSAGE)
        return az_diag_fail(ch->diag, AZ_EUSAGE, AZ_NOWHERE,
                            "baseline: no input has the title '%.*s'", AZ_SVF(opts.baseline));
    return rc ? rc : az_side_by_side(doc, ch->in, ch->n, opts.fold);
}

static int fill_comparison(struct choice *ch, struct az_document *doc)
{
    const struct az_compare_config *c = &ch->f->plan->config->compare;

    if (ch->n < 2) {
        az_diag_add(ch->diag, AZ_NOTE, AZ_NOWHERE,
                    "comparison skipped: --only selects fewer than two inputs");
        return AZ_OK;
    }
    const struct az_compare_opts opts = { .baseline = c->baseline,
                                          .tables = c->tables.v,
                                          .n_tables = c->tables.n,
                                          .normalize = c->normalize,
                                          .tree = c->tree,
                                          .all_sheets = c->all_sheets,
                                          .change.by_recording = az_sv_is(c->basis, "recording"),
                                          .text_all = ch->f->opts->text_full };
    return az_compare(doc, ch->in, ch->n, &opts, ch->diag);
}

static int compare_step(struct az_followup *f, struct az_diag *diag, enum az_step which,
                        const struct az_vec_sv *titles, const struct az_vec_sv *names,
                        int (*fill)(struct choice *ch, struct az_document *doc))
{
    struct choice ch = { .f = f, .diag = diag };
    int rc;

    az_arena_init(&ch.arena, NULL);
    rc = choose(&ch, titles, names);
    if (!rc && ch.n > 0)
        rc = report(&ch, which, fill);
    az_arena_release(&ch.arena);
    return rc;
}

int az_step_side_by_side(struct az_followup *f, struct az_diag *diag)
{
    const struct az_vec_sv none = { .n = 0 };
    return compare_step(f, diag, AZ_STEP_SIDE_BY_SIDE, &none, &none, fill_side_by_side);
}

int az_step_compare(struct az_followup *f, struct az_diag *diag)
{
    const struct az_compare_config *c = &f->plan->config->compare;
    return compare_step(f, diag, AZ_STEP_COMPARE, &c->inputs, &c->names, fill_comparison);
}
