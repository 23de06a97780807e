/* Saved results into the history. */
#include "run/history_import.h"

#include "run/baseline_load.h"

int az_import_label(struct az_import *im, struct az_sv text)
{
    struct az_sv value = text, key = az_sv_cut(&value, '=');
    const struct {
        const char *name;
        struct az_sv *to;
    } known[] = { { "label", &im->label }, { "commit", &im->commit }, { "branch", &im->branch },
                  { "host", &im->host },   { "stack", &im->stack },   { "created", &im->created } };
    int64_t time;

    if (value.n == 0 || (az_sv_is(key, "created") && !az_history_time(value, &time)))
        return AZ_EUSAGE;
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(key, known[i].name)) {
            *known[i].to = value;
            return AZ_OK;
        }
    return AZ_EUSAGE;
}

/* A label that the result itself carries ("label commit" of its facts). */
static struct az_sv own_label(const struct az_saved_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct az_table *t = az_document_table(&l->v[i]->doc, "facts");
        for (size_t r = 0; t && t->columns.n >= 2 && r < t->rows; r++) {
            struct az_sv key = az_cell_text(az_table_at(t, r, 0));
            if (az_sv_starts(key, AZ_SV("label ")) &&
                az_sv_is(az_sv_make(key.p + 6, key.n - 6), name))
                return az_cell_text(az_table_at(t, r, 1));
        }
    }
    return AZ_SV("");
}

static struct az_sv either(struct az_sv given, struct az_sv own) { return given.n ? given : own; }

static struct az_sv devices(const struct az_series *s)
{
    struct az_sv out = AZ_SV("");
    for (size_t i = 0; i < s->inputs.n; i++) {
        struct az_sv one = az_series_get_fact(s, s->inputs.v[i], "device");
        if (one.n && az_sv_find(out, one) < 0)
            out = out.n ? az_arena_printf(s->arena, "%.*s, %.*s", AZ_SVF(out), AZ_SVF(one)) : one;
    }
    return out;
}

static int describe(const struct az_import *im, const struct az_saved_list *l,
                    const struct az_series *s, struct az_history_run *r, struct az_diag *diag)
{
    struct az_sv created = either(im->created, own_label(l, "created"));
    int64_t time = l->v[0]->mtime;

    if (created.n && !az_history_time(created, &time))
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(l->v[0]->path),
                            "label 'created': '%.*s' is no time", AZ_SVF(created));
    r->good = true;
    r->created = az_history_time_text(s->arena, time);
    r->label = either(im->label, own_label(l, "label"));
    r->commit = either(im->commit, own_label(l, "commit"));
    r->branch = either(im->branch, own_label(l, "branch"));
    r->host = either(im->host, own_label(l, "host"));
    r->stack = either(either(im->stack, own_label(l, "stack")), l->v[0]->doc.format);
    r->device = devices(s);
    return s->arena->failed ? az_arena_error(s->arena) : AZ_OK;
}

static int add_run(struct az_history *h, const struct az_import *im, const struct az_saved_list *l,
                   int64_t *id, struct az_diag *diag)
{
    const struct az_selector all = {
        .table = AZ_SV("*"), .key = AZ_SV("*"), .column = AZ_SV("*"), .directed = true
    };
    struct az_history_run run = { .id = 0 };
    struct az_series s;
    struct az_arena a;
    int rc;

    az_arena_init(&a, NULL);
    rc = az_series_init(&s, &a);
    for (size_t i = 0; !rc && i < l->n; i++)
        rc = az_series_add(&s, l->v[i]->title, &l->v[i]->doc, NULL, &all, 1);
    if (!rc)
        rc = describe(im, l, &s, &run, diag);
    if (!rc)
        rc = az_history_add(h, &run, &s, NULL, id);
    az_series_release(&s);
    az_arena_release(&a);
    return rc;
}

int az_history_import(struct az_history *h, const struct az_import *im, struct az_vec_i64 *ids,
                      struct az_diag *diag)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < im->n;) {
        struct az_saved_list l;
        int64_t id = 0;
        az_vec_init(&l, NULL);
        do
            rc = az_saved_collect(im->paths[i++], &l, diag);
        while (!rc && im->one_run && i < im->n);
        if (!rc)
            rc = add_run(h, im, &l, &id, diag);
        if (!rc)
            rc = az_vec_push(ids, id);
        az_saved_release(&l);
    }
    return rc;
}
