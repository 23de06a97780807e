/* Running a replay folder and tabling what came of it (docs/formulas-multirank.md 5.2, 5.6). */
#include <unistd.h>

#include "base/data.h"
#include "document/record.h"
#include "io/child.h"
#include "io/outfile.h"
#include "io/path.h"
#include "io/source.h"
#include "replay/parts.h"

#define LOG_MAX    ((size_t)1 << 20)
#define OUTPUT_MAX ((size_t)16 << 20)
#define TIMEOUT_S  600
#define TAIL_LINES 3
#define PROBE_S    120 /* importing torch takes its time */

struct outcome {
    struct az_bench_result bench; /* us: sum over the commands */
    double torch_us;
    struct az_sv status, torch_status, command;
    size_t commands;
};

struct running {
    const struct az_replay_run_opts *opts;
    const char *dir, *json;
    struct az_arena *arena;
    struct az_sv tmp;   /* a private folder: where commands run, and what they print */
    const char *script; /* this program's copy of replay_torch.py */
    bool tool[GROUPS], noted[GROUPS];
    bool python;
    struct az_diag *diag;
};

static unsigned timeout_of(const struct running *r)
{
    return r->opts->timeout_s ? r->opts->timeout_s : TIMEOUT_S;
}

static int read_file(struct running *r, const char *path, size_t max, struct az_sv *text)
{
    struct az_source *src = NULL;
    struct az_source_opts o = { .diag = r->diag, .raw = true };
    int rc = az_source_open(&src, path, &o);
    if (rc == 0)
        rc = az_source_all(src, r->arena, max, text);
    az_source_close(src);
    return rc;
}

/* ---- one child ---- */

enum ending { ENDED, TIMED_OUT, NOT_STARTED };

/* Runs argv in the private folder; *rc is its exit status. Messages of the child room are not
 * repeated: the status column has it. */
static int run_child(struct running *r, const char *const *argv, const char *output,
                     unsigned timeout_s, enum ending *how, int *status)
{
    struct az_diag quiet;
    struct az_child_opts o = { .output = output,
                               .workdir = r->tmp.p,
                               .timeout_s = timeout_s,
                               .cancelled = r->opts->cancelled,
                               .ctx = r->opts->ctx };
    az_diag_init(&quiet);
    int rc = az_child_run(argv, &o, status, &quiet);
    az_diag_release(&quiet);
    *how = rc != AZ_ECHILD ? ENDED : *status < 0 ? NOT_STARTED : TIMED_OUT;
    return rc == AZ_ECHILD ? 0 : rc;
}

static struct az_sv status_text(struct running *r, enum ending how, int status)
{
    if (how == TIMED_OUT)
        return AZ_SV("timeout");
    if (how == NOT_STARTED)
        return AZ_SV("tool-missing");
    return status ? az_arena_printf(r->arena, "failed(%d)", status) : AZ_SV("ok");
}

static void report_failure(struct running *r, const struct az_replay_entry *e, struct az_sv status,
                           const char *output)
{
    struct az_sv tail = az_file_tail(r->arena, output, TAIL_LINES);
    az_diag_add(r->diag, AZ_WARNING, AZ_NOWHERE, "%s %lld: %.*s%s%.*s", az_replay_group[e->group],
                (long long)e->no, AZ_SVF(status), tail.n ? ": " : "", AZ_SVF(tail));
}

/* ---- benchmarks ---- */

/* What all commands of a log printed, kept next to it. A link there is not followed: the folder is
 * not trusted. */
static void keep_output(struct running *r, const struct az_replay_entry *e, struct az_sv text)
{
    struct az_outfile *f;
    char target;
    struct az_sv path = az_arena_printf(r->arena, "%s/%s-%lld.out", r->dir,
                                        az_replay_stem[e->group], (long long)e->no);
    if (!path.p)
        return;
    if (readlink(path.p, &target, 1) >= 0) {
        az_diag_add(r->diag, AZ_WARNING, AZ_AT_FILE(path),
                    "is a link, output not stored; remove it");
        return;
    }
    if (az_outfile_open(&f, path.p, r->diag) == 0) {
        az_outfile_puts(f, text);
        (void)!az_outfile_commit(f); /* a message has the reason */
    }
}

static int one_command(struct running *r, const struct az_replay_entry *e,
                       const struct az_command *c, struct outcome *out, struct az_vec_char *all)
{
    struct az_sv output = az_path_join(r->arena, r->tmp, AZ_SV("output")), text;
    struct az_bench_result b;
    enum ending how;
    int status = 0;
    if (!output.p)
        return az_arena_error(r->arena);
    int rc = run_child(r, c->argv, output.p, timeout_of(r), &how, &status);
    if (rc)
        return rc;
    out->status = status_text(r, how, status);
    if (how == NOT_STARTED)
        return 0;
    rc = read_file(r, output.p, OUTPUT_MAX, &text);
    if (rc == AZ_ELIMIT) {
        out->status = AZ_SV("parse-error");
        return 0;
    }
    if (rc == 0)
        rc = az_text_append(all, text);
    if (rc == 0 && az_sv_is(out->status, "ok")) {
        if (az_bench_parse(e->group, text, &b)) {
            b.us += out->commands ? out->bench.us : 0;
            out->bench = b;
            out->commands++;
        } else {
            out->status = AZ_SV("parse-error");
        }
    }
    if (rc == 0 && !az_sv_is(out->status, "ok"))
        report_failure(r, e, out->status, output.p);
    return rc;
}

static int bench(struct running *r, const struct az_replay_entry *e, struct outcome *out)
{
    struct az_commands list;
    struct az_vec_char all;
    struct az_sv log;
    out->status = AZ_SV("no-command");
    if (!e->log)
        return 0;
    int rc = read_file(r, e->log, LOG_MAX, &log);
    if (rc)
        return rc == AZ_ENOMEM ? rc : 0; /* named; the others are run */
    az_vec_init(&list, NULL);
    az_vec_init(&all, NULL);
    rc = az_commands_read(e->group, log, r->arena, &list);
    for (size_t i = 0; rc == 0 && i < list.n; i++) {
        const struct az_command *c = &list.v[i];
        out->command =
            i ? az_arena_printf(r->arena, "%.*s; %.*s", AZ_SVF(out->command), AZ_SVF(c->text))
              : c->text;
        if (!c->argv && !az_sv_is(out->status, "refused")) {
            out->status = AZ_SV("refused");
            az_diag_add(r->diag, AZ_ERROR, AZ_AT_FILE(az_sv_str(e->log)),
                        "is not run: it %s: '%.*s'", c->why, AZ_SVF(c->culprit));
        }
    }
    bool runnable = list.n && !az_sv_is(out->status, "refused");
    if (rc == 0 && runnable && !r->tool[e->group]) {
        out->status = AZ_SV("tool-missing");
        runnable = false;
    }
    if (runnable && r->opts->dry_run) {
        out->status = AZ_SV("ok");
        runnable = false;
    }
    for (size_t i = 0; rc == 0 && runnable && i < list.n; i++) {
        rc = one_command(r, e, &list.v[i], out, &all);
        runnable = az_sv_is(out->status, "ok");
    }
    if (rc == 0 && all.n)
        keep_output(r, e, az_text_view(&all));
    if (out->commands < list.n)
        out->bench = (struct az_bench_result){ NAN, NAN, NAN, { "", 0 } };
    az_vec_release(&all);
    az_vec_release(&list);
    return rc;
}

/* ---- PyTorch ---- */

static int torch_time(struct running *r, const struct az_replay_entry *e, struct outcome *out)
{
    struct az_sv index = az_arena_printf(r->arena, "%lld", (long long)e->index);
    struct az_sv output = az_path_join(r->arena, r->tmp, AZ_SV("torch")), json, text;
    const char *argv[] = { "python3", r->script, "--file", NULL, "--index", index.p, NULL };
    enum ending how;
    int status = 0, rc;
    if (e->refused) {
        out->torch_status = AZ_SV("refused");
        az_diag_add(
            r->diag, AZ_ERROR, AZ_AT_FILE(az_sv_str(r->json)),
            "entry %lld skipped: unsupported operator '%.*s' (see replay.md of the documentation)",
            (long long)e->index, AZ_SVF(e->name));
        return 0;
    }
    out->torch_status = AZ_SV("tool-missing");
    if (!e->torch || e->index < 0) {
        out->torch_status = AZ_SV("no-command");
        return 0;
    }
    if (!r->python)
        return 0;
    rc = az_path_canonical(r->arena, r->json, &json); /* it runs in another folder */
    if (rc || !output.p || !index.p)
        return rc ? rc : az_arena_error(r->arena);
    argv[3] = json.p;
    rc = run_child(r, argv, output.p, timeout_of(r), &how, &status);
    if (rc)
        return rc;
    out->torch_status = status_text(r, how, status);
    if (az_sv_is(out->torch_status, "ok")) {
        rc = read_file(r, output.p, OUTPUT_MAX, &text);
        if (rc || !az_torch_parse(text, e->index, &out->torch_us))
            out->torch_status = AZ_SV("parse-error");
        rc = rc == AZ_ELIMIT ? 0 : rc;
    }
    if (!az_sv_is(out->torch_status, "ok"))
        report_failure(
            r, e, az_arena_printf(r->arena, "replay_torch.py: %.*s", AZ_SVF(out->torch_status)),
            output.p);
    return rc;
}

/* ---- preparation ---- */

static int write_script(struct running *r)
{
    struct az_outfile *f;
    struct az_sv path = az_path_join(r->arena, r->tmp, AZ_SV("replay_torch.py"));
    if (!path.p)
        return az_arena_error(r->arena);
    int rc = az_outfile_open(&f, path.p, r->diag);
    if (rc)
        return rc;
    az_outfile_puts(f, az_data("replay_torch.py"));
    rc = az_outfile_commit(f);
    if (rc == 0)
        rc = az_path_canonical(r->arena, path.p, &path); /* it runs in another folder */
    r->script = path.p;
    return rc;
}

/* Is there a python3 that has torch? */
static int probe_python(struct running *r)
{
    static const char *const argv[] = { "python3", "-c", "import torch", NULL };
    enum ending how;
    int status = 0, rc;
    if (r->opts->no_torch || r->opts->dry_run || !r->json)
        return 0;
    rc = run_child(r, argv, NULL, PROBE_S, &how, &status);
    r->python = rc == 0 && how == ENDED && status == 0;
    if (rc == 0 && !r->python)
        az_diag_add(r->diag, AZ_WARNING, AZ_NOWHERE,
                    "no python3 with torch: operator times skipped");
    return rc ? rc : write_script(r);
}

static void find_tools(struct running *r, const struct az_replay_entries *list)
{
    for (size_t i = 0; i < list->n; i++) {
        enum az_parts_group g = list->v[i].group;
        if (r->noted[g])
            continue;
        r->noted[g] = true;
        r->tool[g] = r->opts->dry_run || az_child_find(r->arena, az_replay_program[g]).n > 0;
        if (!r->tool[g])
            az_diag_add(r->diag, AZ_ERROR, AZ_NOWHERE,
                        "'%s' not found on PATH, %s skipped; install it, or set PATH",
                        az_replay_program[g], az_replay_group[g]);
    }
}

/* ---- the tables ---- */

struct result_row {
    const struct az_replay_entry *entry;
    const struct outcome *outcome;
    double replay, bench,
        percent; /* differences from the profile in us; NaN where one is missing */
};
#define ROW struct result_row
AZ_OF_RECORD(double, replay_percent, ROW, r->replay * r->percent)
AZ_OF_RECORD(double, bench_percent, ROW, r->bench * r->percent)
#define TEXT(header, flag, pointer, field)                                                         \
    {                                                                                              \
        header, AZ_TEXT, .flags = flag, AZ_KNOWN_VIA(ROW, pointer, field), .copy = true            \
    }
/* %s: the group. */
static const struct az_record_column columns[] = {
    { "%s no.", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, entry, no) },
    TEXT("name", 0, entry, name),
    TEXT("status", 0, outcome, status),
    { "Avg. %s-bench time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER,
      AZ_VIA(ROW, outcome, bench.us) },
    { "Avg. replay time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER,
      AZ_VIA(ROW, outcome, torch_us) },
    { "Avg. profile time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER,
      AZ_VIA(ROW, entry, profile_us) },
    { "Diff profile vs. replay (us)", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, replay) },
    { "Diff profile vs. %s-bench (us)", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, bench) },
    { "Diff profile vs. replay (pct)", AZ_REAL, AZ_UNIT_PERCENT, .real = replay_percent },
    { "Diff profile vs. %s-bench (pct)", AZ_REAL, AZ_UNIT_PERCENT, .real = bench_percent },
    TEXT("replay status", 0, outcome, torch_status),
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, entry, count) },
    { "GFLOPS/s", AZ_REAL, .flags = AZ_DETAIL | AZ_HIGHER_BETTER,
      AZ_VIA(ROW, outcome, bench.gflops) },
    { "GB/s", AZ_REAL, AZ_UNIT_GBPS, AZ_DETAIL | AZ_HIGHER_BETTER,
      AZ_VIA(ROW, outcome, bench.gbps) },
    TEXT("solution", AZ_DETAIL, outcome, bench.solution),
    TEXT("command", AZ_DETAIL, outcome, command),
};

static struct az_table *new_table(struct az_arena *a, const char *id, const char *title,
                                  enum az_parts_group g)
{
    struct az_table *t = az_record_table(a, id, title, AZ_TABLE_SUMMARY, columns, 0, NULL);
    for (size_t i = 0; i < AZ_LENGTH(columns); i++) {
        struct az_sv header = az_sv_str(columns[i].name);
        const ptrdiff_t at = az_sv_find(header, AZ_SV("%s"));
        if (at >= 0)
            header = az_arena_printf(a, "%.*s%s%s", (int)at, header.p, az_replay_group[g],
                                     header.p + at + 2);
        az_record_column_named(t, &columns[i], header);
    }
    return t;
}

static void put_result(struct az_table *t, const struct az_replay_entry *e, const struct outcome *o)
{
    az_put_row(t, &(ROW){ e, o, o->torch_us - e->profile_us, o->bench.us - e->profile_us,
                          e->profile_us > 0 ? 100 / e->profile_us : (double)NAN });
}

static int run_group(struct running *r, enum az_parts_group g, const struct az_replay_entries *list,
                     struct az_document *doc, size_t *failed)
{
    static const char *const id[GROUPS] = { "gemm_node_replay", "conv_node_replay" };
    static const char *const title[GROUPS] = { "GEMM benchmarks", "Convolution benchmarks" };
    struct az_table *t = new_table(doc->arena, id[g], title[g], g);
    int rc = 0;
    if (!t)
        return az_arena_error(doc->arena);
    for (size_t i = 0; rc == 0 && i < list->n; i++) {
        const struct az_replay_entry *e = &list->v[i];
        struct outcome o = { .bench = { NAN, NAN, NAN, { "", 0 } }, .torch_us = NAN };
        if (e->group != g)
            continue;
        if (r->opts->progress)
            r->opts->progress(
                r->opts->ctx,
                az_arena_printf(r->arena, "%s %lld", az_replay_group[g], (long long)e->no).p);
        rc = bench(r, e, &o);
        if (rc == 0 && !r->opts->no_torch && !r->opts->dry_run)
            rc = torch_time(r, e, &o);
        *failed += !az_sv_is(o.status, "ok") || az_sv_is(o.torch_status, "refused");
        put_result(t, e, &o);
    }
    if (rc == 0)
        rc = az_table_finish(t);
    if (rc) {
        az_table_free(t);
        return rc;
    }
    return az_document_add(doc, t);
}

int az_replay_run(const char *dir, const struct az_replay_run_opts *o, struct az_document *doc,
                  size_t *failed, struct az_diag *diag)
{
    struct running r = { .opts = o, .dir = dir, .arena = doc->arena, .diag = diag };
    struct az_replay_entries list;
    *failed = 0;
    az_vec_init(&list, NULL);
    int rc = az_replay_load(dir, r.arena, &list, &r.json, diag);
    if (rc == 0)
        rc = az_tmpdir_make(r.arena, "replay", &r.tmp, diag);
    if (rc == 0) {
        find_tools(&r, &list);
        rc = probe_python(&r);
        for (int g = 0; rc == 0 && g < GROUPS; g++)
            rc = run_group(&r, (enum az_parts_group)g, &list, doc, failed);
        az_tmpdir_remove(r.tmp.p);
    }
    az_vec_release(&list);
    return rc;
}
