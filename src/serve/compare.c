/* The tools with two inputs: comparison and gate. Both are made again at each call, in memory
 * of their own. */
#include "compare/compare.h"
#include "config/config.h"
#include "document/ranks_timeline.h"
#include "regression/gate.h"
#include "regression/key_figures.h"
#include "serve/internal.h"

struct two {
    struct az_mem mem;
    struct az_arena arena;
    struct az_sv title[2];
    const struct az_document *doc[2];
};

static int take_two(struct az_call *c, const char *second, struct two *t)
{
    const struct az_query_source *s = az_server_source(c->s);
    size_t input[2];
    int rc = az_call_input(c, "baseline", &input[0]), failed;

    az_mem_init(&t->mem, (size_t)az_server_limits(c->s)->memory);
    az_arena_init(&t->arena, &t->mem);
    if (!rc)
        rc = az_call_input(c, second, &input[1]);
    for (size_t i = 0; !rc && i < 2; i++) {
        t->title[i] = s->inputs[input[i]].title;
        t->doc[i] = s->document(s->ctx, input[i], &failed);
        if (!t->doc[i])
            rc = az_call_wrong(c, "cannot compute the report of '%.*s'", AZ_SVF(t->title[i]));
    }
    return rc;
}

static int put_table(struct az_call *c, const struct az_document *d, const char *table,
                     int64_t limit)
{
    const struct az_table *t = az_document_table(d, table);
    int rc;

    if (!t)
        return AZ_OK;
    az_jsonw_key(c->w, table);
    az_jsonw_object(c->w);
    rc = az_call_table(c, t, limit);
    az_jsonw_end_object(c->w);
    return rc;
}

int az_tool_compare(struct az_call *c)
{
    struct az_document doc;
    struct two t;
    int rc = take_two(c, "variant", &t);

    az_document_init(&doc, &t.arena);
    if (!rc) {
        const struct az_compare_input in[] = {
            { .doc = az_ranks_timeline(&t.arena, t.doc[0]),
              .tag = t.title[0],
              .title = t.title[0] },
            { .doc = az_ranks_timeline(&t.arena, t.doc[1]), .tag = t.title[1], .title = t.title[1] }
        };
        const struct az_compare_opts opts = { .baseline = AZ_SV("first") };
        rc = az_sv_eq(t.title[0], t.title[1])
                 ? az_call_wrong(c, "'baseline' and 'variant' are the same input")
                 : az_compare(&doc, in, 2, &opts, c->diag);
    }
    if (!rc)
        rc = put_table(c, &doc, "verdict", 40);
    if (!rc)
        rc = put_table(c, &doc, "compare_summary", 40);
    az_document_release(&doc);
    az_arena_release(&t.arena);
    return rc;
}

/* Key figures of both documents as series; they are added to copies. */
static int figures(struct two *t, const struct az_selector *want, size_t n,
                   struct az_series *const out[2])
{
    const struct az_vec_sv none = { .n = 0 };
    struct az_document copy[2];
    struct az_vec_sv names;
    int rc = AZ_OK;

    az_vec_init(&names, NULL);
    for (size_t i = 0; i < 2; i++)
        az_document_init(&copy[i], &t->arena);
    for (size_t i = 0; !rc && i < 2; i++) {
        rc = az_document_copy(&copy[i], t->doc[i]);
        if (!rc)
            rc = az_key_figures_begin(&copy[i], &none, false, &names);
    }
    for (size_t i = 0; !rc && i < 2; i++) {
        az_key_parts_filter(&copy[i], &names);
        /* one name, so that metrics meet */
        rc = az_series_add(out[i], AZ_SV("input"), &copy[i], NULL, want, n);
    }
    for (size_t i = 0; i < 2; i++)
        az_document_release(&copy[i]);
    az_vec_release(&names);
    return rc;
}

static void put_result(struct az_call *c, const struct az_gate_result *x)
{
    const struct az_sv texts[] = { az_sv_str(az_gate_status_text(x->status)), x->sheet, x->key_text,
                                   x->metric, x->text };

    az_jsonw_array(c->w);
    for (size_t i = 0; i < AZ_LENGTH(texts); i++)
        az_jsonw_text(c->w, texts[i]);
    az_jsonw_f64(c->w, x->base.center);
    az_jsonw_f64(c->w, x->cand.center);
    az_jsonw_text(c->w, x->unit);
    az_jsonw_end_array(c->w);
}

static void put_verdict(struct az_call *c, const struct az_gate_verdict *v)
{
    az_jsonw_key(c->w, "verdict");
    az_jsonw_text(c->w, az_sv_str(az_gate_verdict_text(v)));
    az_jsonw_key(c->w, "order");
    az_jsonw_text(c->w, AZ_SV("worst first"));
    az_jsonw_key(c->w, "columns");
    az_jsonw_raw(c->w, AZ_SV("[\"status\",\"table\",\"row\",\"column\",\"text\",\"baseline\","
                             "\"candidate\",\"unit\"]"));
    az_jsonw_key(c->w, "rows");
    az_jsonw_array(c->w);
    for (size_t i = 0; i < v->results.n && i < 40; i++)
        put_result(c, &v->results.v[i]);
    az_jsonw_end_array(c->w);
    az_jsonw_key(c->w, "cut");
    az_jsonw_bool(c->w, v->results.n > 40);
}

static int judge(struct az_call *c, struct two *t, const struct az_config *conf)
{
    struct az_gate_verdict v;
    struct az_series base, cand;
    size_t n = 0;
    const struct az_selector *want =
        az_gate_selectors(conf->gates.rules.v, conf->gates.rules.n, &t->arena, &n);
    int rc = az_series_init(&base, &t->arena), second = az_series_init(&cand, &t->arena);

    az_gate_verdict_init(&v, &t->arena);
    rc = rc ? rc : second ? second : want ? AZ_OK : AZ_ENOMEM;
    if (!rc)
        rc = figures(t, want, n, (struct az_series *const[2]){ &base, &cand });
    const struct az_gate_in in = {
        .rules = conf->gates.rules.v, .n_rules = conf->gates.rules.n, .base = &base, .cand = &cand
    };
    if (!rc)
        rc = az_gate_run(&in, &v);
    if (!rc)
        put_verdict(c, &v);
    az_gate_verdict_release(&v);
    az_series_release(&base);
    az_series_release(&cand);
    return rc;
}

int az_tool_gate(struct az_call *c)
{
    struct az_config conf;
    struct two t;
    int rc = take_two(c, "candidate", &t);
    const int made = az_config_init(&conf);

    if (!rc)
        rc = made ? made : az_config_default_gates(&conf);
    if (!rc)
        rc = judge(c, &t, &conf);
    if (!made)
        az_config_release(&conf);
    az_arena_release(&t.arena);
    return rc;
}
