/* Verdict as annotations of GitHub Actions: workflow commands, one a line. */
#include "base/utf8.h"
#include "io/outfile.h"
#include "regression/series.h"
#include "regression/verdict.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

#define MOST 10 /* annotations a level that the host shows for a step */

/* `%`, CR and LF are escaped everywhere, `:` and `,` in properties. */
static int escaped(struct az_vec_char *out, struct az_sv s, bool property)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s.n; i++) {
        char c = s.p[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            rc = az_text_printf(out, "%%%02X", (unsigned)c);
        else
            rc = az_vec_push(out, c);
    }
    return rc;
}

static int put_property(struct az_vec_char *out, const char *name, struct az_sv value)
{
    int rc = az_text_printf(out, "%s=", name);
    return rc ? rc : escaped(out, value, true);
}

static int annotation(struct az_vec_char *out, const char *level, const struct az_gate_result *x,
                      struct az_arena *a)
{
    const struct az_sv key = az_series_key_short(a, x->key_text),
                       name = az_sv_starts(x->sheet, AZ_SV("key_")) ? AZ_SV("") : x->metric;
    struct az_sv title =
        az_arena_printf(a, "%s %.*s%s%.*s", az_gate_status_text(x->status), AZ_SVF(x->input),
                        x->sheet.n ? " / " : "", AZ_SVF(x->sheet));
    struct az_sv text = az_arena_printf(a, "%.*s%s%.*s%s%.*s", AZ_SVF(key), key.n ? " " : "",
                                        AZ_SVF(name), key.n || name.n ? ": " : "", AZ_SVF(x->text));
    int rc = az_text_printf(out, "::%s ", level);
    if (!rc && x->rule && x->rule->where.file.n && x->rule->where.line > 0) {
        rc = put_property(out, "file", x->rule->where.file);
        if (!rc)
            rc = az_text_printf(out, ",line=%lld,", (long long)x->rule->where.line);
    }
    if (!rc)
        rc = put_property(out, "title", az_field_text(a, title));
    if (!rc)
        rc = az_text_append(out, AZ_SV("::"));
    if (!rc)
        rc = escaped(out, az_field_text(a, text), false);
    return rc ? rc : az_text_append(out, AZ_SV("\n"));
}

static const char *level_of(const struct az_gate_result *x)
{
    if (x->level == AZ_LEVEL_FAIL || x->level == AZ_LEVEL_INCONCLUSIVE)
        return "error";
    return x->level == AZ_LEVEL_WARN ? "warning" : x->status == AZ_GATE_IMPROVED ? "notice" : "";
}

static int one_level(const struct az_gate_verdict *v, const char *level, struct az_vec_char *out,
                     struct az_arena *a)
{
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < v->results.n; i++) {
        if (strcmp(level_of(&v->results.v[i]), level) != 0)
            continue;
        if (n++ < MOST)
            rc = annotation(out, level, &v->results.v[i], a);
    }
    if (!rc && n > MOST)
        rc = az_text_printf(out, "and %zu more of level %s\n", n - MOST, level);
    return rc;
}

int az_gate_verdict_github(const struct az_document *doc, struct az_vec_char *out)
{
    static const char *const levels[] = { "error", "warning", "notice" };
    struct az_arena a;
    int rc = 0;

    az_arena_init(&a, NULL);
    for (size_t i = 0; !rc && i < 3; i++)
        rc = one_level(doc->verdict, levels[i], out, &a);
    if (!rc && a.failed)
        rc = az_arena_error(&a);
    az_arena_release(&a);
    return rc;
}

static int github_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                        struct az_diag *diag)
{
    struct az_outfile *f = NULL;
    struct az_vec_char text;
    struct az_where at = AZ_AT_FILE(az_sv_str(path));
    int rc;

    (void)scratch;
    if (!doc->verdict)
        return az_diag_fail(diag, AZ_EUSAGE, at, "no verdict to write; add \"gates\"");
    az_vec_init(&text, NULL);
    rc = az_gate_verdict_github(doc, &text);
    if (rc)
        rc = az_diag_memory(diag, rc, at, NULL);
    if (!rc)
        rc = az_outfile_open(&f, path, diag);
    if (!rc) {
        az_outfile_puts(f, az_text_view(&text));
        rc = az_outfile_commit(f);
    }
    az_vec_release(&text);
    return rc;
}

const struct az_report az_report_github = {
    .name = "github",
    .extension = ".annotations.txt",
    .help = "gates: GitHub Actions annotations on standard output; Markdown appended to "
            "$GITHUB_STEP_SUMMARY",
    .verdict = true,
    .write = github_write,
};
