/* Steps of an operation report: what is between equal signposts (docs/steps.md 2.4). */
#include "base/sort.h"
#include "classify/steps.h"
#include "facts/steps_internal.h"
#include "model/opreport.h"
#include "stats/stats.h"

struct post {
    int64_t at;
    uint32_t text;
};
AZ_VEC(struct post, posts);

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct post *a = x, *b = y;
    (void)ctx;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* By time. Of several hosts the signposts of the first one count: all of them set the same. */
static int list_signposts(struct az_step_search *s, struct posts *out)
{
    const struct az_oprows *rows = &az_opreport(s->t)->rows;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < rows->n; i++) {
        const struct az_oprow *r = &rows->v[i];
        if (r->kind == AZ_OPROW_SIGNPOST && r->file == 0 && r->start != INT64_MIN)
            rc = az_vec_push(out, ((struct post){ r->start, r->code }));
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_time, NULL, s->job->mem);
    return rc;
}

static size_t posts_until(const struct posts *p, int64_t at)
{
    return AZ_UPPER_BY(p->v, p->n, at, at);
}

/* Signposts have the time of their host, which calls ahead of the devices: on the timeline one is
 * where the first operation begins that the host called after it, the last ones at the end of all.
 * Where operations have the time of their host, too, it stays. */
static int to_time_line(const struct az_step_search *s, struct posts *p)
{
    const struct az_oprows *rows = &az_opreport(s->t)->rows;
    const struct az_events *e = &s->t->ev[AZ_KERNEL];
    const size_t bytes = (p->n + 1) * sizeof(int64_t);
    int64_t *first = az_mem_alloc(s->job->mem, bytes), end = 0, host = 0;
    bool moved = false;
    if (!first)
        return az_mem_error(s->job->mem);
    for (size_t k = 0; k <= p->n; k++)
        first[k] = INT64_MAX;
    for (size_t i = 0; i < e->n; i++)
        end = i == 0 || e->end[i] > end ? e->end[i] : end;
    for (size_t i = 0; i < rows->n; i++) {
        const struct az_oprow *r = &rows->v[i];
        if (r->file != 0 || r->kind == AZ_OPROW_SIGNPOST)
            continue;
        host = r->start == INT64_MIN ? host : r->start;
        if (!az_oprow_counts(r)) /* a row with an impossible time places nothing */
            continue;
        const size_t k = posts_until(p, host);
        moved |= r->at != host;
        first[k] = r->at < first[k] ? r->at : first[k];
    }
    int64_t next = INT64_MAX;
    for (size_t k = p->n; moved && k-- > 0;) { /* first[k + 1]: of what follows signpost k */
        next = first[k + 1] < next ? first[k + 1] : next;
        p->v[k].at = next < INT64_MAX ? next : end;
    }
    az_mem_free(s->job->mem, first, bytes);
    return 0;
}

/* The text of the user's tag; else of those with a step name, whatever their number; else the one
 * that comes most often, of equals the first. AZ_NO_ID: none comes twice. *sure: it is marked as a
 * step. */
static int choose(struct az_step_search *s, struct posts *p, uint32_t *text, bool *sure)
{
    const struct az_sv tag = s->job->opts->nvtx_tag;
    const size_t bytes = (s->t->names.text.n + 1) * sizeof(uint32_t);
    uint32_t *n = az_mem_alloc(s->job->mem, bytes), most = 1, first = AZ_NO_ID;
    *text = AZ_NO_ID;
    *sure = false;
    if (!n)
        return az_mem_error(s->job->mem);
    memset(n, 0, bytes);
    for (size_t i = 0; i < p->n; i++) { /* "iteration 0", "iteration 1": as one text */
        const struct az_sv t = az_trace_text(s->t, p->v[i].text);
        struct az_sv stem;
        int64_t number;
        const bool is =
            tag.n ? az_sv_eq(t, tag) : az_step_mark_of(t, &stem, &number) != AZ_MARK_NONE;
        first = is && first == AZ_NO_ID ? p->v[i].text : first;
        p->v[i].text = is ? first : p->v[i].text;
        *sure |= is;
        n[p->v[i].text]++;
    }
    for (size_t i = 0; i < p->n; i++)
        if (*sure ? p->v[i].text == first : n[p->v[i].text] > most) {
            most = n[p->v[i].text];
            *text = p->v[i].text;
        }
    az_mem_free(s->job->mem, n, bytes);
    return 0;
}

/* From the first start to the last end of the device operations that begin in [lo, hi); their
 * number. */
static size_t window(const struct az_trace *t, int64_t lo, int64_t hi, struct az_step *out)
{
    const struct az_events *e = &t->ev[AZ_KERNEL];
    size_t n = 0;
    *out = (struct az_step){ .mark_start = lo, .mark_end = hi, .end = INT64_MIN };
    size_t a = AZ_LOWER(e->start, e->n, lo);
    if (a < e->n)
        out->start = e->start[a];
    for (; a < e->n && e->start[a] < hi; a++, n++)
        out->end = e->end[a] > out->end ? e->end[a] : out->end;
    return n;
}

/* Equal signposts around something else than steps (a block of a model) cover a part of the device
 * time only, or a different part each time. */
static int are_steps(struct az_step_search *s, bool *good)
{
    const struct az_events *e = &s->t->ev[AZ_KERNEL];
    const size_t n = s->found.n, bytes = (n + 1) * sizeof(int64_t);
    int64_t *v = az_mem_alloc(s->job->mem, bytes), inside = 0, all = 0;
    size_t at = 0;
    if (!v)
        return az_mem_error(s->job->mem);
    for (size_t i = 0; i < e->n; i++) {
        while (at < n && s->found.v[at].mark_end <= e->start[i])
            at++;
        all += e->end[i] - e->start[i];
        if (at < n && s->found.v[at].mark_start <= e->start[i])
            inside += e->end[i] - e->start[i];
    }
    for (size_t i = 0; i < n; i++)
        v[i] = s->found.v[i].end - s->found.v[i].start;
    const double low = az_percentile_i64(v, n, 25), high = az_percentile_i64(v, n, 75);
    *good = (double)inside >= AZ_STEP_INSIDE * (double)all &&
            high - low < AZ_STEP_SPREAD * AZ_STEP_QUARTILES * az_percentile_i64(v, n, 50);
    az_mem_free(s->job->mem, v, bytes);
    return 0;
}

/* The steps of a text, each to the next signpost of any text. The end of the last one is not
 * marked: it is a step where a window that the user chose ends there, and in a whole file where the
 * number of its operations is between the fewest and the most of the steps before it. */
static int list_steps(struct az_step_search *s, const struct posts *p, uint32_t text, bool sure)
{
    size_t fewest = SIZE_MAX, most = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->n; i++) {
        const bool last = i + 1 == p->n;
        struct az_step x;
        if (p->v[i].text != text || (last && !sure))
            continue;
        const size_t n = window(s->t, p->v[i].at, last ? INT64_MAX : p->v[i + 1].at, &x);
        if (n == 0 || (last && !s->t->windowed && (n < fewest || n > most)))
            continue;
        fewest = n < fewest ? n : fewest;
        most = n > most ? n : most;
        x.mark_end = last ? x.end : x.mark_end;
        x.mark = az_trace_text(s->t, text);
        rc = az_vec_push(&s->found, x);
    }
    return rc;
}

int az_steps_by_signposts(struct az_step_search *s, bool named)
{
    struct posts p;
    uint32_t text = AZ_NO_ID;
    bool sure = false, good = true;
    az_vec_init(&p, s->job->mem);
    int rc = list_signposts(s, &p);
    if (rc == 0 && p.n)
        rc = to_time_line(s, &p);
    if (rc == 0)
        rc = choose(s, &p, &text, &sure);
    if (named && !sure)
        text = AZ_NO_ID;
    if (rc == 0 && text != AZ_NO_ID)
        rc = list_steps(s, &p, text, sure);
    az_vec_release(&p);
    if (rc == 0 && s->found.n && !sure)
        rc = are_steps(s, &good);
    if (!good)
        s->found.n = 0;
    if (rc || s->found.n == 0)
        return rc;
    s->out->how = s->job->opts->nvtx_tag.n && sure ? AZ_STEPS_TAG : AZ_STEPS_SIGNPOSTS;
    s->out->mark = az_trace_text(s->t, text);
    rc = az_steps_attach(s);
    return rc ? rc : az_steps_number(s, "step");
}
