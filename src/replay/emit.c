/* Writing a replay folder from the tables of a report (docs/formulas-multirank.md 5.1, 5.6). */
#include "base/data.h"
#include "base/num.h"
#include "base/utf8.h"
#include "io/outfile.h"
#include "io/path.h"
#include "replay/parts.h"

#define SHARE        0.99
#define KERNELS_MAX  8   /* of those printed for an operation */
#define KERNEL_BYTES 100 /* of a kernel's name printed */
#define LINE_BYTES   110

const char *const az_replay_group[GROUPS] = { "gemm", "conv" };
const char *const az_replay_program[GROUPS] = { "hipblaslt-bench", "MIOpenDriver" };
const char *const az_replay_stem[GROUPS] = { "hipblaslt-bench", "miopen-driver" };

/* ---- selection ---- */

size_t az_replay_select(const double *cumulative, size_t n, enum az_replay_rule rule, double share)
{
    size_t kept = 0;
    while (kept < n && cumulative[kept] < share)
        kept++;
    if (rule == AZ_REPLAY_REACH)
        return kept < n ? kept + 1 : n;
    return kept ? kept : n;
}

/* ---- the table ---- */

enum { NAME, DIMS, TYPES, STRIDES, CONCRETE, MEAN, SUM, COUNT, CUMULATIVE, KERNELS, COLUMNS };
static const char *const column_name[COLUMNS] = {
    "name",
    "Input Dims_first",
    "Input type_first",
    "Input Strides_first",
    "Concrete Inputs_first",
    "Kernel Time (µs)_mean",
    "Kernel Time (µs)_sum",
    "name_count",
    "kernel_time_sum_cum_pct",
    "kernel_details__summarize_kernel_stats",
};

struct emission {
    const char *dir;
    const struct az_replay_opts *opts;
    struct az_arena *arena;
    struct az_vec_char *text;
    struct az_replay_counts *counts;
    struct az_jsonw *json;
    struct az_vec_char command;
    struct az_diag *diag;
};

struct rows {
    enum az_parts_group group;
    const struct az_table *t;
    ptrdiff_t at[COLUMNS];
    size_t kept;
};

static struct az_sv cell_text(const struct rows *r, size_t row, int column)
{
    return r->at[column] < 0 ? (struct az_sv){ "", 0 }
                             : az_cell_text(az_table_at(r->t, row, (size_t)r->at[column]));
}

static double cell_number(const struct rows *r, size_t row, int column)
{
    return r->at[column] < 0 ? (double)NAN
                             : az_cell_number(az_table_at(r->t, row, (size_t)r->at[column]));
}

/* The cumulative shares as the table has them, else from the sums. */
static int choose(struct emission *e, struct rows *r)
{
    double *share = az_arena_array(e->arena, r->t->rows + 1, sizeof *share), total = 0, run = 0;
    if (!share)
        return az_arena_error(e->arena);
    for (size_t i = 0; i < r->t->rows; i++) {
        double v = cell_number(r, i, SUM);
        total += isnan(v) ? 0 : v;
    }
    for (size_t i = 0; i < r->t->rows; i++) {
        double v = cell_number(r, i, SUM);
        run += isnan(v) ? 0 : v;
        share[i] = cell_number(r, i, CUMULATIVE);
        if (isnan(share[i]))
            share[i] = total > 0 ? run / total : 1;
    }
    r->kept = az_replay_select(share, r->t->rows, e->opts->rule,
                               e->opts->share > 0 ? e->opts->share : SHARE);
    return 0;
}

static int find_columns(struct emission *e, struct rows *r)
{
    static const int needed[] = { NAME, DIMS, TYPES };
    for (int i = 0; i < COLUMNS; i++)
        r->at[i] = az_table_find(r->t, column_name[i]);
    for (size_t i = 0; i < AZ_LENGTH(needed); i++)
        if (r->at[needed[i]] < 0)
            return az_diag_fail(e->diag, AZ_EFORMAT, AZ_NOWHERE, "table '%s' has no column '%s'",
                                az_replay_group[r->group], column_name[needed[i]]);
    return 0;
}

/* ---- what is printed ---- */

/* A list in lines of at most LINE_BYTES, as far as its items allow. */
struct lines {
    struct az_vec_char *text;
    size_t start; /* of the line in text */
    bool any;
};

static int print_item(struct lines *l, const char *head, struct az_sv item)
{
    const size_t word = l->any ? 0 : strlen(head);
    int rc = AZ_OK;
    if (l->any)
        rc = az_text_append(l->text, AZ_SV(","));
    if (rc == 0 && (!l->any || l->text->n - l->start + item.n + 2 > LINE_BYTES)) {
        rc = az_text_append(l->text, AZ_SV("\n    "));
        l->start = l->text->n - 4;
    } else if (rc == 0) {
        rc = az_text_append(l->text, AZ_SV(" "));
    }
    if (rc == 0 && word)
        rc = az_text_append(l->text, az_sv_make(head, word));
    l->any = true;
    return rc ? rc : az_utf8_visible(l->text, item);
}

/* Names out of the summary of the kernels: the texts after "name". */
static int print_kernels(struct emission *e, struct az_sv details)
{
    struct lines l = { .text = e->text };
    int rc = 0;
    for (int n = 0; rc == 0; n++) {
        ptrdiff_t at = az_sv_find(details, AZ_SV("\"name\":\""));
        if (at < 0)
            break;
        if (n == KERNELS_MAX)
            return print_item(&l, "", AZ_SV("..."));
        details = az_sv_make(details.p + at + 8, details.n - (size_t)at - 8);
        struct az_sv name = az_sv_cut(&details, '"'), shown = az_utf8_cut(name, KERNEL_BYTES);
        if (shown.n < name.n)
            shown = az_arena_printf(e->arena, "%.*s...", AZ_SVF(shown));
        rc = shown.p ? print_item(&l, "kernels ", shown) : az_arena_error(e->arena);
    }
    return rc;
}

static int print_row(struct emission *e, const struct rows *r, size_t i)
{
    const struct az_sv prefix = AZ_SV("param: "), name = cell_text(r, i, NAME);
    struct lines l = { .text = e->text };
    char buf[AZ_NUM_MAX];
    int rc = az_text_printf(e->text, "  %s %zu: %.*s, mean %.3f us, %.2f %% cumulative",
                            az_replay_group[r->group], i, AZ_SVF(name), cell_number(r, i, MEAN),
                            100 * cell_number(r, i, CUMULATIVE));
    for (size_t c = 0; rc == 0 && c < r->t->columns.n; c++) {
        struct az_sv title = r->t->columns.v[c].name;
        struct az_sv v = az_cell_exact(az_table_at(r->t, i, c), buf);
        if (!az_sv_starts(title, prefix) || v.n == 0)
            continue;
        title = az_sv_make(title.p + prefix.n, title.n - prefix.n);
        v = az_arena_printf(e->arena, "%.*s %.*s", AZ_SVF(title), AZ_SVF(v));
        rc = v.p ? print_item(&l, "", v) : az_arena_error(e->arena);
    }
    if (rc == 0 && !l.any)
        rc = print_item(&l, "", cell_text(r, i, DIMS));
    if (rc == 0)
        rc = print_kernels(e, cell_text(r, i, KERNELS));
    return rc ? rc : az_text_append(e->text, AZ_SV("\n"));
}

/* ---- files ---- */

static int write_file(struct emission *e, const char *name, struct az_sv before, struct az_sv text,
                      struct az_sv after)
{
    struct az_outfile *f;
    struct az_sv path = az_path_join(e->arena, az_sv_str(e->dir), az_sv_str(name));
    if (!path.p)
        return az_arena_error(e->arena);
    int rc = az_outfile_open(&f, path.p, e->diag);
    if (rc)
        return rc;
    az_outfile_puts(f, before);
    az_outfile_puts(f, text);
    az_outfile_puts(f, after);
    az_outfile_puts(f, AZ_SV("\n"));
    return az_outfile_commit(f);
}

enum file { LOG, SCRIPT, TUNING };

static int write_named(struct emission *e, const struct rows *r, size_t i, enum file which,
                       struct az_sv before, struct az_sv after)
{
    struct az_sv name =
        which == LOG ? az_arena_printf(e->arena, "%s-%zu.log", az_replay_stem[r->group], i)
        : which == TUNING
            ? az_arena_printf(e->arena, "%s-%zu.tuning.sh", az_replay_group[r->group], i)
            : az_arena_printf(e->arena, "%s-%zu.%s.sh", az_replay_group[r->group], i,
                              r->group == GEMM ? "hipblaslt" : "miopen");
    return name.p ? write_file(e, name.p, before, az_text_view(&e->command), after)
                  : az_arena_error(e->arena);
}

static int write_tuning(struct emission *e, const struct rows *r, size_t i,
                        const struct az_perf_call *c)
{
    const char *why;
    unsigned notes;
    az_vec_reset(&e->command);
    int rc = az_replay_command(c, AZ_REPLAY_TUNE, &e->command, &notes, &why);
    struct az_sv before =
        az_arena_printf(e->arena, "HIPBLASLT_TUNING_FILE=\"${2:-%s-%zu.tuning.txt}\" ",
                        az_replay_group[r->group], i);
    return rc ? rc : write_named(e, r, i, TUNING, before, AZ_SV(" --device \"${1:-0}\""));
}

static int write_command(struct emission *e, const struct rows *r, size_t i,
                         const struct az_perf_call *c, const char **why)
{
    unsigned notes;
    az_vec_reset(&e->command);
    int rc = az_replay_command(c, AZ_REPLAY_BENCH, &e->command, &notes, why);
    if (rc)
        return rc;
    e->counts->commands++;
    const struct az_sv none = { "", 0 };
    rc = write_named(e, r, i, LOG, none, none);
    if (rc == 0)
        rc = write_named(e, r, i, SCRIPT, none, none);
    return rc || r->group != GEMM ? rc : write_tuning(e, r, i, c);
}

/* An entry of replay.json: the framework's own keys, and ours: group, no, and the times of the
 * profile. */
static bool write_entry(struct emission *e, const struct rows *r, size_t i,
                        const struct az_perf_call *c)
{
    struct az_jsonw *w = e->json;
    double count = cell_number(r, i, COUNT);
    az_jsonw_object(w);
    az_jsonw_key(w, "op_name");
    az_jsonw_text(w, c->op);
    az_jsonw_key(w, "count");
    az_jsonw_i64(w, count > 0 && count < 1e18 ? (int64_t)count : 1);
    az_jsonw_key(w, "group");
    az_jsonw_text(w, az_sv_str(az_replay_group[r->group]));
    az_jsonw_key(w, "no");
    az_jsonw_i64(w, (int64_t)i);
    az_jsonw_key(w, "profile_us");
    az_jsonw_f64(w, cell_number(r, i, MEAN));
    az_jsonw_key(w, "profile_sum_us");
    az_jsonw_f64(w, cell_number(r, i, SUM));
    az_jsonw_key(w, "replay_ir");
    bool good = az_replay_ir(w, c);
    az_jsonw_end_object(w);
    return good;
}

static int one_row(struct emission *e, const struct rows *r, size_t i)
{
    struct az_perf_call c = { .op = cell_text(r, i, NAME) };
    const char *why = "malformed arguments";
    int rc = print_row(e, r, i);
    if (rc)
        return rc;
    bool parsed = az_perf_parse(&c, cell_text(r, i, DIMS), cell_text(r, i, TYPES),
                                cell_text(r, i, STRIDES), cell_text(r, i, CONCRETE));
    if (!parsed)
        c.n = 0;
    bool again = write_entry(e, r, i, &c);
    rc = parsed ? write_command(e, r, i, &c, &why) : AZ_EFORMAT;
    if (rc == AZ_EFORMAT) {
        az_diag_add(e->diag, AZ_WARNING, AZ_NOWHERE, "%s %zu, '%.*s': no benchmark command: %s",
                    az_replay_group[r->group], i, AZ_SVF(c.op), why);
        rc = 0;
    }
    if (!again)
        az_diag_add(e->diag, AZ_WARNING, AZ_NOWHERE,
                    "%s %zu, '%.*s': arguments not supported by replay_torch.py",
                    az_replay_group[r->group], i, AZ_SVF(c.op));
    return rc;
}

static int one_group(struct emission *e, struct rows *r)
{
    int rc = find_columns(e, r);
    if (rc == 0)
        rc = choose(e, r);
    if (rc == 0)
        rc = az_text_printf(e->text, "%s: %zu of %zu rows\n", az_replay_group[r->group], r->kept,
                            r->t->rows);
    e->counts->rows += rc ? 0 : r->t->rows;
    e->counts->kept += rc ? 0 : r->kept;
    for (size_t i = 0; rc == 0 && i < r->kept; i++)
        rc = one_row(e, r, i);
    return rc;
}

/* ---- the folder ---- */

/* A folder that was written before may hold logs that were recorded on a device since. */
static int refuse_second(struct emission *e)
{
    struct az_sv path = az_path_join(e->arena, az_sv_str(e->dir), AZ_SV("replay.json"));
    if (!path.p)
        return az_arena_error(e->arena);
    if (e->opts->force || az_path_stat(path.p).kind == AZ_PATH_MISSING)
        return 0;
    return az_diag_fail(e->diag, AZ_EUSAGE, AZ_AT_FILE(path),
                        "contains a replay; choose another folder, or overwrite it with --force");
}

static int write_all(struct emission *e, const struct az_document *doc)
{
    struct az_jsonw w;
    struct az_outfile *f;
    int rc = 0;
    struct az_sv path = az_path_join(e->arena, az_sv_str(e->dir), AZ_SV("replay.json"));
    if (!path.p)
        return az_arena_error(e->arena);
    rc = az_outfile_open(&f, path.p, e->diag);
    if (rc)
        return rc;
    az_jsonw_init(&w, f, NULL, 2);
    e->json = &w;
    az_jsonw_array(&w);
    for (int g = 0; rc == 0 && g < GROUPS; g++) {
        struct rows r = { .group = (enum az_parts_group)g,
                          .t = az_document_table(doc, az_replay_group[g]) };
        if (r.t && r.t->rows)
            rc = one_group(e, &r);
    }
    az_jsonw_end_array(&w);
    if (rc == 0)
        rc = az_jsonw_finish(&w);
    if (rc == 0 && e->counts->rows == 0)
        rc = az_diag_fail(e->diag, AZ_EEMPTY, AZ_NOWHERE,
                          "nothing to replay: no GEMMs or convolutions");
    if (rc) {
        az_outfile_abort(f);
        return rc;
    }
    return az_outfile_commit(f); /* last: a folder with a replay.json is whole */
}

int az_replay_emit(const struct az_document *doc, const char *dir, const struct az_replay_opts *o,
                   struct az_vec_char *text, struct az_replay_counts *counts, struct az_diag *diag)
{
    static const struct az_replay_opts none;
    struct az_arena arena;
    struct emission e = {
        .dir = dir, .opts = o ? o : &none, .arena = &arena, .text = text, .counts = counts
    };
    e.diag = diag;
    *counts = (struct az_replay_counts){ 0 };
    az_arena_init(&arena, NULL);
    az_vec_init(&e.command, NULL);
    int rc = refuse_second(&e);
    struct az_sv script = az_data("replay_torch.py");
    script.n -= script.n && script.p[script.n - 1] == '\n';
    if (rc == 0)
        rc = write_all(&e, doc);
    if (rc == 0)
        rc = write_file(&e, "replay_torch.py", (struct az_sv){ "", 0 }, script,
                        (struct az_sv){ "", 0 });
    az_vec_release(&e.command);
    az_arena_release(&arena);
    return rc;
}
