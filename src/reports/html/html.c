/* HTML report: one file that opens from disk without a network. Verdict and timeline first, then
 * findings, charts and the flame view, then every table, coverage and facts last. It can be read
 * without scripts; they draw the charts, sort and filter. */
#include "reports/html/html.h"

#include "base/utf8.h"
#include "document/schema.h"
#include "document/verdict_table.h"
#include "io/outfile.h"
#include "regression/verdict.h"
#include "reports/report.h"
#include "reports/shared/chart_rows.h"

#define FACTS_MAX   8  /* in the head of the page */
#define ENTRY       36 /* bytes of a title in the contents that stays as it is */
#define ENTRY_LEAST 8
#define ENTRY_MOST  60 /* columns */

/* ---- policy ---- */
static void digest(struct az_html *h, enum az_html_part part)
{
    char text[AZ_HTML_DIGEST];

    az_html_digest(part, text);
    az_html_putf(h, " &#39;sha256-%s&#39;", text);
}

/* Scripts and style of this file only, known by their digests; nothing is loaded, sent or framed.
 */
static void policy(struct az_html *h)
{
    az_html_put(
        h,
        AZ_SV("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
              "base-uri &#39;none&#39;; form-action &#39;none&#39;; style-src"));
    digest(h, AZ_HTML_STYLE);
    az_html_put(h, AZ_SV("; script-src"));
    digest(h, AZ_HTML_TABLES);
    if (h->doc->tracks)
        digest(h, AZ_HTML_TIMELINE);
    if (h->doc->flame)
        digest(h, AZ_HTML_FLAME);
    if (az_html_scripted(h)) {
        digest(h, AZ_HTML_LIBRARY);
        digest(h, AZ_HTML_CHARTS);
    }
    az_html_put(h, AZ_SV("\">\n"));
}

/* ---- head of the page ---- */
static struct az_sv title_of(const struct az_document *doc)
{
    return doc->title.n && !doc->no_heading ? doc->title
           : doc->input.n                   ? doc->input
                                            : AZ_SV("Report");
}

static void put_pair(struct az_html *h, struct az_sv name, struct az_sv value)
{
    if (!value.n)
        return;
    az_html_put(h, AZ_SV("<div><dt>"));
    az_html_line(h, name);
    az_html_put(h, AZ_SV("</dt><dd>"));
    az_html_line(h, value);
    az_html_put(h, AZ_SV("</dd></div>\n"));
}

/* Devices of one name are one entry: how many have the value; `values`: those shown before, with
 * which it is compared first, so that thousands of devices are not compared with each other. */
static size_t same_devices(struct az_html *h, const struct az_table *t, size_t row, ptrdiff_t name,
                           ptrdiff_t value, struct az_vec_sv *values)
{
    const struct az_sv of = az_cell_text(az_table_at(t, row, (size_t)value));
    size_t n = 0;

    for (size_t i = 0; i < values->n; i++)
        if (az_sv_eq(values->v[i], of))
            return 0;
    for (size_t r = row; r < t->rows; r++)
        n += az_sv_starts(az_cell_text(az_table_at(t, r, (size_t)name)), AZ_SV("device")) &&
             az_sv_eq(az_cell_text(az_table_at(t, r, (size_t)value)), of);
    const int rc = az_vec_push(values, of);
    h->error = h->error ? h->error : rc;
    return n;
}

/* The first questions about a report: device and the run's own labels. */
static void facts(struct az_html *h)
{
    const struct az_table *t = az_document_table(h->doc, "facts");
    ptrdiff_t name = t ? az_table_find_nocase(t, "fact") : -1,
              value = t ? az_table_find_nocase(t, "value") : -1;
    struct az_vec_sv values;
    size_t shown = 0;

    az_vec_init(&values, h->doc->mem);
    for (size_t r = 0; name >= 0 && value >= 0 && r < t->rows && shown < FACTS_MAX; r++) {
        struct az_sv key = az_cell_text(az_table_at(t, r, (size_t)name)),
                     text = az_cell_text(az_table_at(t, r, (size_t)value));
        const bool label = az_sv_starts(key, AZ_SV("label "));
        const size_t n = label || !az_sv_starts(key, AZ_SV("device"))
                             ? 1
                             : same_devices(h, t, r, name, value, &values);
        if ((!label && !az_sv_starts(key, AZ_SV("device"))) || n == 0 || text.n == 0)
            continue;
        if (n > 1) {
            key = AZ_SV("devices");
            text = az_arena_printf(h->scratch, "%zu of %.*s", n, AZ_SVF(text));
        }
        put_pair(
            h, label ? az_sv_make(key.p + 6, key.n - 6) : az_schema_sentence_case(h->scratch, key),
            text);
        shown++;
    }
    az_vec_release(&values);
}

/* Of gates: the verdict, what was compared with what, and how the results are spread. */
static void verdict(struct az_html *h)
{
    const struct az_gate_verdict *v = h->doc->verdict;
    struct az_sv counts = AZ_SV("");

    if (!v)
        return;
    az_html_putf(h, "<div><dt>Verdict</dt><dd><span class=\"badge%s\">%s</span></dd></div>\n",
                 v->outcome == AZ_GATES_FAIL           ? " error"
                 : v->outcome == AZ_GATES_INCONCLUSIVE ? " warning"
                                                       : "",
                 az_gate_verdict_text(v));
    put_pair(h, AZ_SV("Baseline"), v->base_label);
    put_pair(h, AZ_SV("Candidate"), v->cand_label);
    for (int s = 0; s < AZ_GATE_STATUSES; s++)
        if (v->count[s])
            counts =
                az_arena_printf(h->scratch, "%.*s%s%zu %s", AZ_SVF(counts), counts.n ? ", " : "",
                                v->count[s], az_gate_status_text((enum az_gate_status)s));
    put_pair(h, AZ_SV("Results"), counts);
}

static void put_head(struct az_html *h)
{
    struct az_sv title = title_of(h->doc);

    az_html_put(h,
                AZ_SV("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
    policy(h);
    az_html_put(h,
                AZ_SV("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n"
                      "<meta name=\"generator\" content=\"analyzer " AZ_VERSION "\">\n"
                      "<title>"));
    az_html_line(h, title);
    az_html_put(h, AZ_SV("</title>\n<style>"));
    az_html_put(h, az_html_part(AZ_HTML_STYLE));
    az_html_put(h, AZ_SV("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">to the "
                         "report</a>\n<header>\n<h1>"));
    az_html_line(h, title);
    az_html_put(h, AZ_SV("</h1>\n<dl>\n"));
    put_pair(h, AZ_SV("Input"), h->doc->input);
    put_pair(h, AZ_SV("Format"), h->doc->format);
    facts(h);
    verdict(h);
    az_html_put(h, AZ_SV("</dl>\n"));
    for (size_t i = 0; i < h->doc->preface.n; i++) {
        az_html_put(h, AZ_SV("<p class=\"message\">"));
        az_html_line(h, h->doc->preface.v[i]);
        az_html_put(h, AZ_SV("</p>\n"));
    }
    az_html_put(h, AZ_SV("</header>\n"));
}

/* ---- contents ---- */
/* A long title without what is explained in it. */
static struct az_sv head_of(struct az_sv title)
{
    static const char *const ends[] = { " (", "; ", ": ", ", " };

    for (size_t i = 0; i < AZ_LENGTH(ends) && title.n > ENTRY; i++) {
        const ptrdiff_t at = az_sv_find(title, az_sv_str(ends[i]));
        if (at >= ENTRY_LEAST)
            title.n = (size_t)at;
    }
    return title;
}

/* Tables that are empty are named in one line: parts of a comparison that has nothing in common. */
static bool is_empty(const struct az_table *t)
{
    return t->rows == 0 && !t->make && !az_sv_is(t->id, "findings");
}

static struct az_sv title_at(const struct az_html *h, size_t table)
{
    const struct az_table *t = h->doc->tables.v[table];
    return t->title.n ? t->title : t->id;
}

/* What fits in two lines of the list: the head of a title where it distinguishes it from the
 * others, else a truncated one. */
static struct az_sv short_title(struct az_html *h, struct az_sv title)
{
    struct az_sv head = head_of(title);

    for (size_t i = 0; i < h->doc->tables.n && head.n < title.n; i++)
        if (h->anchor[i].n && !az_sv_eq(title_at(h, i), title) &&
            az_sv_eq(head_of(title_at(h, i)), head))
            head = title;
    return az_utf8_fit(h->scratch, az_field_line(h->scratch, head), ENTRY_MOST, true);
}

static void entry(struct az_html *h, struct az_sv anchor, struct az_sv title, size_t rows)
{
    const struct az_sv shown = short_title(h, title);

    az_html_put(h, AZ_SV("<li><a href=\"#"));
    az_html_text(h, anchor);
    if (shown.n < title.n) {
        az_html_put(h, AZ_SV("\" title=\""));
        az_html_line(h, title);
    }
    az_html_put(h, AZ_SV("\">"));
    az_html_text(h, shown);
    az_html_put(h, AZ_SV("</a>"));
    if (rows != SIZE_MAX)
        az_html_putf(h, " <span class=\"count\">%zu</span>", rows);
    az_html_put(h, AZ_SV("</li>\n"));
}

static bool has_findings(const struct az_html *h)
{
    for (size_t i = 0; i < h->doc->tables.n; i++) {
        if (az_sv_is(h->doc->tables.v[i]->id, "findings"))
            return h->anchor[i].n && az_table_find_nocase(h->doc->tables.v[i], "rule") >= 0 &&
                   az_table_find_nocase(h->doc->tables.v[i], "severity") >= 0;
    }
    return false;
}

static void contents(struct az_html *h)
{
    az_html_put(
        h,
        AZ_SV("<nav aria-label=\"Contents\">\n<details open><summary>Contents</summary>\n<ol>\n"));
    if (az_headline_of(h->doc))
        entry(h, AZ_SV("verdict"), AZ_SV("Verdict"), SIZE_MAX);
    if (h->doc->tracks)
        entry(h, AZ_SV("timeline"), AZ_SV("Timeline"), SIZE_MAX);
    if (has_findings(h))
        entry(h, AZ_SV("top-findings"), AZ_SV("Findings"), SIZE_MAX);
    if (h->n_plots)
        entry(h, AZ_SV("charts"), AZ_SV("Charts"), SIZE_MAX);
    if (h->doc->flame)
        entry(h, AZ_SV("flame"), AZ_SV("Flame view"), SIZE_MAX);
    az_html_put(h, AZ_SV("</ol>\n<h2>Tables</h2>\n<ol>\n"));
    for (size_t i = 0; i < h->doc->tables.n; i++) {
        if (h->anchor[i].n)
            entry(h, h->anchor[i], title_at(h, i), h->doc->tables.v[i]->rows);
    }
    az_html_put(h, AZ_SV("</ol>\n</details>\n</nav>\n"));
}

/* ---- body ---- */
static void script(struct az_html *h, enum az_html_part part)
{
    az_html_put(h, AZ_SV("<script>"));
    az_html_put(h, az_html_part(part));
    az_html_put(h, AZ_SV("</script>\n"));
}

/* Data of a script; *json is released. */
static void put_data(struct az_html *h, const char *id, struct az_vec_char *json)
{
    az_html_putf(h, "<script type=\"application/json\" id=\"%s\">", id);
    az_html_json(h, az_text_view(json));
    az_html_put(h, AZ_SV("</script>\n"));
    az_vec_release(json);
}

static int scripts(struct az_html *h)
{
    struct az_vec_char json;
    int rc = 0, drawn = 0;

    az_vec_init(&json, h->doc->mem);
    if (az_html_scripted(h)) {
        rc = az_html_chart_data(h, &json);
        put_data(h, "data", &json);
        script(h, AZ_HTML_LIBRARY);
        script(h, AZ_HTML_CHARTS);
    }
    script(h, AZ_HTML_TABLES);
    if (h->doc->tracks) {
        drawn = az_html_timeline_data(h, &json);
        put_data(h, "timeline-data", &json);
        script(h, AZ_HTML_TIMELINE);
    }
    if (h->doc->flame && drawn == 0) {
        drawn = az_html_flame_data(h, &json);
        put_data(h, "flame-data", &json);
        script(h, AZ_HTML_FLAME);
    }
    return rc ? rc : drawn;
}

static void without_rows(struct az_html *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->doc->tables.n; i++) {
        const struct az_table *t = h->doc->tables.v[i];
        if (!is_empty(t) || t->columns.n == 0 || (t->flags & AZ_TABLE_TEXT_ONLY))
            continue;
        az_html_put(h, n++ ? AZ_SV("; ") : AZ_SV("<p class=\"note\">Without rows: "));
        az_html_line(h, title_at(h, i));
    }
    if (n)
        az_html_put(h, AZ_SV(".</p>\n"));
}

static void put_page(struct az_html *h)
{
    int rc;

    put_head(h);
    az_html_put(h, AZ_SV("<div class=\"page\">\n"));
    contents(h);
    az_html_put(h, AZ_SV("<main id=\"main\">\n"));
    az_html_verdict(h);
    for (size_t i = 0; i < h->doc->tables.n && !h->error; i++) {
        if (h->anchor[i].n && (h->doc->tables.v[i]->flags & AZ_TABLE_FIRST))
            az_html_table(h, i);
    }
    az_html_timeline(h);
    az_html_findings(h);
    az_html_charts(h);
    az_html_flame(h);
    az_html_put(h, AZ_SV("<section id=\"tables\">\n<h2>Tables</h2>\n"));
    for (size_t i = 0; i < h->doc->tables.n && !h->error; i++) {
        if (h->anchor[i].n && !(h->doc->tables.v[i]->flags & AZ_TABLE_FIRST))
            az_html_table(h, i);
    }
    without_rows(h);
    az_html_put(h, AZ_SV("</section>\n</main>\n</div>\n<footer>analyzer " AZ_VERSION
                         ". Numbers are shown in readable units; the exact value of a cell is in "
                         "its tooltip, and in "
                         "the CSV and JSON outputs.</footer>\n"));
    rc = scripts(h);
    h->error = h->error ? h->error : rc;
    az_html_put(h, AZ_SV("</body>\n</html>\n"));
}

/* ---- what is written ---- */
static int prepare(struct az_html *h)
{
    const struct az_document *doc = h->doc;
    struct az_vec_sv used;
    int rc = az_charts_store_rows(doc);

    if (rc)
        return rc;
    h->anchor = az_arena_array(h->scratch, doc->tables.n + 1, sizeof *h->anchor);
    h->plot = az_arena_array(h->scratch, doc->charts.n + 1, sizeof *h->plot);
    if (!h->anchor || !h->plot)
        return az_arena_error(h->scratch);
    az_vec_init(&used, doc->mem);
    for (size_t i = 0; i < doc->tables.n && rc == 0; i++) {
        const struct az_table *t = doc->tables.v[i];
        if ((t->flags & AZ_TABLE_TEXT_ONLY) || t->columns.n == 0 || is_empty(t))
            continue;
        struct az_sv name = az_field_filename(h->scratch, t->id, &used);
        rc = name.p ? az_vec_push(&used, name) : az_arena_error(h->scratch);
        h->anchor[i] = az_arena_printf(h->scratch, "t-%.*s", AZ_SVF(name));
    }
    az_vec_release(&used);
    for (size_t i = 0; i < doc->charts.n && rc == 0 && !h->error; i++) {
        if (az_html_plot(h, &doc->charts.v[i], &h->plot[h->n_plots]))
            h->n_plots++;
        else
            az_vec_release(&h->plot[h->n_plots].marks);
    }
    az_html_order(h);
    rc = rc ? rc : h->error;
    return rc ? rc : az_html_fit(h);
}

static int html_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                      struct az_diag *diag)
{
    struct az_html h = { .scratch = scratch, .doc = doc };
    int rc = prepare(&h);

    if (rc == 0) {
        rc = az_outfile_open(&h.f, path, diag);
        if (rc)
            goto out;
        put_page(&h);
        rc = h.error;
    }
    if (!rc && scratch->failed)
        rc = az_arena_error(scratch);
    if (!rc) {
        rc = az_outfile_commit(h.f);
        goto out;
    }
    if (h.f)
        az_outfile_abort(h.f);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem);
    else
        az_diag_fail(diag, rc, AZ_AT_FILE(az_sv_str(path)), "cannot write HTML (%s)",
                     az_err_text(rc));
out:
    for (size_t i = 0; h.plot && i < h.n_plots; i++)
        az_vec_release(&h.plot[i].marks);
    return rc;
}

const struct az_report az_report_html = {
    .name = "html",
    .extension = ".html",
    .help = "one HTML file: verdict, timeline, charts, tables; needs no network",
    .draws = true,
    .write = html_write,
};
