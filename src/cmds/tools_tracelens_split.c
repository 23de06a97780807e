/* The command line of TraceLens_split_inference_trace: steps of a serving engine as traces of their
 * own (docs/from-tracelens-programs.md). */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyses/phases/steady.h"
#include "base/num.h"
#include "base/utf8.h"
#include "formats/pytorch/pytorch_steps.h"
#include "io/path.h"
#include "text/jsonw.h"

#define STEPS  32  /* of a window, without --num-steps */
#define SUFFIX 160 /* bytes of a step's name in a file name */

enum {
    OPT_SINGLE = 256,
    OPT_STEADY,
    OPT_STEPS,
    OPT_CONCURRENCY,
    OPT_LENGTH,
    OPT_RATIO,
    OPT_PHASES
};

AZ_VEC(size_t, places);

struct splitting {
    const struct az_cmd *cmd;
    const char *in, *out, *iterations;
    bool single, steady, phases, quiet;
    int64_t wanted;
    struct az_steady_load load;
    bool has_ratio;
    struct az_pytorch_steps *file;
    const struct az_pytorch_step_list *steps;
    struct az_engine_counts *counts; /* of each step */
    struct az_sv base;               /* of output names */
    struct places chosen;            /* steps of the file being written */
    int64_t number;                  /* of the file among those of its kind, for the details */
    struct az_vec_char csv, json;    /* the details */
    struct az_jsonw writer;          /* into json */
    size_t files;
    struct az_options opts;
    struct az_arena arena;
    struct az_mem mem;
    struct az_diag diag;
    struct az_log log;
};

/* ---- the command line ---- */

static int take_number(struct splitting *s, const char *name, const char *value, int64_t *to)
{
    if (az_parse_i64(az_sv_str(value), to) || *to < 1)
        return az_usage_error(s->cmd, "invalid --%s '%s'; use a number from 1 on", name, value);
    return AZ_EXIT_OK;
}

static int take_real(struct splitting *s, const char *name, const char *value, double *to)
{
    if (az_parse_f64(az_sv_str(value), to))
        return az_usage_error(s->cmd, "invalid --%s '%s'; use a number", name, value);
    return AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct splitting *s = ctx;
    switch (id) {
    case 'o':
        s->out = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(s->cmd, "missing folder name for -o; use -o DIR");
    case 'i':
        s->iterations = value;
        return AZ_EXIT_OK;
    case OPT_SINGLE:
        s->single = true;
        return AZ_EXIT_OK;
    case OPT_STEADY:
        s->steady = true;
        return AZ_EXIT_OK;
    case OPT_PHASES:
        s->phases = true;
        return AZ_EXIT_OK;
    case OPT_STEPS:
        return take_number(s, "num-steps", value, &s->wanted);
    case OPT_CONCURRENCY:
        return take_number(s, "CONC", value, &s->load.concurrency);
    case OPT_LENGTH:
        return take_real(s, "OSL", value, &s->load.length);
    case OPT_RATIO:
        s->has_ratio = true;
        return take_real(s, "R", value, &s->load.ratio);
    default:
        s->quiet = true;
        s->log.level = AZ_LOG_QUIET;
        return AZ_EXIT_OK;
    }
}

static int check(struct splitting *s, const struct az_args *a)
{
    if (a->n_operands != 1)
        return az_usage_error(s->cmd, "expected one trace, %zu given", a->n_operands);
    if (!s->out)
        return az_usage_error(s->cmd, "missing -o; name the folder of the outputs");
    if (!s->single && !s->steady && !s->phases)
        return az_usage_error(s->cmd, "nothing to write; use --store-single-iteration, "
                                      "--find-steady-state or --divide-phases");
    if (!s->has_ratio) /* all three are required */
        s->load.concurrency = 0;
    s->in = a->operands[0];
    return AZ_EXIT_OK;
}

/* Steps of --iterations: all, N, A:B (B is not among them). */
static bool read_range(const struct splitting *s, struct az_steady_part *out)
{
    struct az_sv rest = az_sv_str(s->iterations);
    const size_t n = s->steps->n;
    int64_t from, to;
    *out = (struct az_steady_part){ 0, n };
    if (az_sv_is(rest, "all"))
        return n > 0;
    const struct az_sv first = az_sv_cut(&rest, ':');
    if (az_parse_i64(first, &from) || from < 0 || (size_t)from >= n)
        return false;
    to = from + 1;
    if (first.n < strlen(s->iterations) && az_parse_i64(rest, &to))
        return false;
    *out = (struct az_steady_part){ (size_t)from, to > (int64_t)n ? n : (size_t)to };
    return to > from;
}

/* ---- description of a file ---- */

struct phase_sum {
    int64_t prefill, mixed, decode, tokens, requests; /* the last two are means */
};

static struct phase_sum phases_of(const struct splitting *s)
{
    struct phase_sum p = { 0 };
    for (size_t i = 0; i < s->chosen.n; i++) {
        const struct az_engine_counts *c = &s->counts[s->chosen.v[i]];
        const bool prompts = az_engine_has_context(c), generates = c->generation_requests > 0;
        p.prefill += prompts && !generates;
        p.mixed += prompts && generates;
        p.decode += !prompts && generates;
        p.tokens += c->tokens;
        p.requests += az_engine_requests(c);
    }
    p.tokens /= (int64_t)s->chosen.n;
    p.requests /= (int64_t)s->chosen.n;
    return p;
}

static void put_pair(struct az_jsonw *w, const char *key, int64_t value)
{
    az_jsonw_key(w, key);
    az_jsonw_i64(w, value);
}

static void put_steps(struct splitting *s)
{
    struct az_jsonw *w = &s->writer;
    az_jsonw_key(w, "steps");
    az_jsonw_array(w);
    for (size_t i = 0; i < s->chosen.n; i++) {
        const struct az_engine_counts *c = &s->counts[s->chosen.v[i]];
        az_jsonw_object(w);
        put_pair(w, "batch_size", c->tokens);
        put_pair(w, "num_requests", az_engine_requests(c));
        put_pair(w, "context_requests", c->context_requests);
        put_pair(w, "context_sum", c->context_tokens);
        put_pair(w, "generation_requests", c->generation_requests);
        put_pair(w, "generation_sum", c->generation_tokens);
        az_jsonw_end_object(w);
    }
    az_jsonw_end_array(w);
}

static void put_json(struct splitting *s, const char *path, const struct az_pytorch_steps_sum *sum,
                     const struct phase_sum *p)
{
    struct az_jsonw *w = &s->writer;
    az_jsonw_object(w);
    put_pair(w, "idx", s->number);
    az_jsonw_key(w, "output_path");
    az_jsonw_text(w, az_sv_str(path));
    put_pair(w, "event_count", (int64_t)sum->events);
    put_pair(w, "num_gpu_events", (int64_t)sum->device_events);
    az_jsonw_key(w, "gpu_duration");
    az_jsonw_f64(w, az_quotient(sum->device_span, 1000));
    az_jsonw_key(w, "gpu_busy_duration");
    az_jsonw_f64(w, az_quotient(sum->device_time, 1000));
    put_steps(s);
    az_jsonw_key(w, "phase");
    az_jsonw_object(w);
    put_pair(w, "num_prefill", p->prefill);
    put_pair(w, "num_prefilldecode", p->mixed);
    put_pair(w, "num_decode", p->decode);
    put_pair(w, "avg_bs", p->tokens);
    put_pair(w, "avg_conc", p->requests);
    az_jsonw_end_object(w);
    az_jsonw_end_object(w);
}

static int append_text(struct az_vec_char *out, struct az_sv text)
{
    const int rc = az_vec_reserve(out, text.n);
    if (rc == 0) {
        memcpy(out->v + out->n, text.p, text.n);
        out->n += text.n;
    }
    return rc;
}

/* A path with a comma or a quote is quoted. */
static struct az_sv csv_field(struct splitting *s, const char *text)
{
    struct az_vec_char out;
    int rc = AZ_OK;
    if (!strpbrk(text, ",\"\n\r"))
        return az_sv_str(text);
    az_vec_init(&out, &s->mem);
    rc = az_vec_push(&out, '"');
    for (; rc == 0 && *text; text++) {
        rc = *text == '"' ? az_vec_push(&out, '"') : AZ_OK;
        rc = rc ? rc : az_vec_push(&out, *text);
    }
    rc = rc ? rc : az_vec_push(&out, '"');
    const struct az_sv copy =
        rc ? az_sv_make(NULL, 0) : az_arena_dup(&s->arena, az_sv_make(out.v, out.n));
    az_vec_release(&out);
    return copy;
}

static int put_csv(struct splitting *s, const char *path, const struct az_pytorch_steps_sum *sum,
                   const struct phase_sum *p)
{
    static const char header[] =
        "idx,output_path,event_count,num_gpu_events,gpu_duration,gpu_busy_duration,"
        "phase_num_prefill,phase_num_prefilldecode,phase_num_decode,phase_avg_bs,phase_avg_conc,"
        "num_steps\n";
    const struct az_sv name = csv_field(s, path);
    const struct az_sv line = az_arena_printf(
        &s->arena, "%lld,%.*s,%llu,%llu,%.2f,%.2f,%lld,%lld,%lld,%lld,%lld,%zu\n",
        (long long)s->number, AZ_SVF(name), (unsigned long long)sum->events,
        (unsigned long long)sum->device_events, az_quotient(sum->device_span, 1000),
        az_quotient(sum->device_time, 1000), (long long)p->prefill, (long long)p->mixed,
        (long long)p->decode, (long long)p->tokens, (long long)p->requests, s->chosen.n);
    if (!line.p || !name.p)
        return az_arena_error(&s->arena);
    const int rc = s->csv.n ? AZ_OK : append_text(&s->csv, az_sv_str(header));
    return rc ? rc : append_text(&s->csv, line);
}

/* ---- the files ---- */

static int write_file(struct splitting *s, struct az_sv name)
{
    struct az_pytorch_steps_sum sum;
    const struct az_sv path = az_arena_printf(&s->arena, "%s/%.*s.json.gz", s->out, AZ_SVF(name));
    if (!path.p)
        return az_arena_error(&s->arena);
    int rc = az_pytorch_steps_write(s->file, s->chosen.v, s->chosen.n, path.p, &sum);
    if (rc)
        return rc;
    const struct phase_sum phases = phases_of(s);
    if (s->files++ == 0)
        az_jsonw_array(&s->writer);
    put_json(s, path.p, &sum, &phases);
    rc = put_csv(s, path.p, &sum, &phases);
    if (rc == 0 && !s->quiet)
        printf("%s: %zu step%s, %llu events\n", path.p, s->chosen.n, s->chosen.n == 1 ? "" : "s",
               (unsigned long long)sum.events);
    return rc;
}

/* The chosen steps under a label, with their phases. */
static int write_labeled(struct splitting *s, struct az_sv label)
{
    const struct phase_sum p = phases_of(s);
    const struct az_sv name = az_arena_printf(
        &s->arena, "%.*s_prefill_%lld_prefilldecode_%lld_decode_%lld_bs%lld_conc%lld_%.*s",
        AZ_SVF(label), (long long)p.prefill, (long long)p.mixed, (long long)p.decode,
        (long long)p.tokens, (long long)p.requests, AZ_SVF(s->base));
    s->number = 0;
    return name.p ? write_file(s, name) : az_arena_error(&s->arena);
}

static int choose(struct splitting *s, size_t from, size_t to)
{
    int rc = AZ_OK;
    az_vec_reset(&s->chosen);
    for (size_t i = from; rc == 0 && i < to; i++)
        rc = az_vec_push(&s->chosen, i);
    return rc;
}

/* The name of a step as part of a file name. */
static struct az_sv step_suffix(struct splitting *s, const struct az_pytorch_step *step)
{
    const struct az_sv name = az_utf8_cut(step->name, SUFFIX);
    char *text = az_arena_array(&s->arena, name.n + 2, 1);
    size_t n = 0;
    if (!text || !step->named)
        return az_sv_make(text, 0);
    text[n++] = '_';
    for (size_t i = 0; i < name.n; i++) {
        const char c = name.p[i];
        if (c == '/' || c == '(' || (unsigned char)c <= ' ' || c == 0x7f)
            text[n++] = '_';
        else if (c != ')' && c != ':')
            text[n++] = c;
    }
    return az_sv_make(text, n);
}

static int write_singles(struct splitting *s, struct az_steady_part range)
{
    int rc = AZ_OK;
    for (size_t i = range.from; rc == 0 && i < range.to; i++) {
        const struct az_sv suffix = step_suffix(s, &s->steps->v[i]);
        const struct az_sv name = az_arena_printf(&s->arena, "%.*s_annotation_iteration_%zu%.*s",
                                                  AZ_SVF(s->base), i, AZ_SVF(suffix));
        if (!suffix.p || !name.p)
            return az_arena_error(&s->arena);
        s->number = (int64_t)i;
        rc = choose(s, i, i + 1);
        rc = rc ? rc : write_file(s, name);
    }
    return rc;
}

static int write_windows(struct splitting *s, struct az_steady_part range,
                         const struct az_steady_parts *regions)
{
    static const char *const labels[AZ_STEADY_PARTS] = { [AZ_STEADY_MIXED] = "mixed",
                                                         [AZ_STEADY_DECODE] = "decode_only",
                                                         [AZ_STEADY_PREFILL] = "prefilldecode" };
    struct az_steady_choice choice;
    int rc = AZ_OK;
    az_steady_choose(s->counts + range.from, regions, (size_t)s->wanted, &s->load, &choice);
    for (size_t i = 0; rc == 0 && i < AZ_STEADY_PARTS; i++) {
        const struct az_steady_part p = choice.part[i];
        const struct az_sv label = az_arena_printf(&s->arena, "%s_steady_state", labels[i]);
        if (p.from == p.to)
            continue;
        rc =
            label.p ? choose(s, range.from + p.from, range.from + p.to) : az_arena_error(&s->arena);
        rc = rc ? rc : write_labeled(s, label);
    }
    return rc;
}

/* A file for each row of steps of one phase, over all regions. */
static int write_phases(struct splitting *s, struct az_steady_part range,
                        const struct az_steady_parts *regions)
{
    static const char *const names[] = { "decode_only", "prefilldecodemix" };
    size_t chunks[2] = { 0, 0 };
    bool prompts = false;
    int rc = AZ_OK;
    az_vec_reset(&s->chosen);
    for (size_t r = 0; rc == 0 && r <= regions->n; r++) {
        const bool end = r == regions->n;
        const struct az_steady_part p = end ? (struct az_steady_part){ 0, 1 } : regions->v[r];
        for (size_t i = range.from + p.from; rc == 0 && i < range.from + p.to; i++) {
            const bool has = !end && az_engine_has_context(&s->counts[i]);
            if (!end && !has && !az_engine_decodes_only(&s->counts[i]))
                continue;
            if (s->chosen.n && (end || has != prompts)) {
                const struct phase_sum sum = phases_of(s);
                const char *name = names[prompts];
                const struct az_sv label = az_arena_printf(
                    &s->arena, "%s/%s_chunk%zu_steps%zu_bs%lld_conc%lld", name, name,
                    chunks[prompts]++, s->chosen.n, (long long)sum.tokens, (long long)sum.requests);
                rc = label.p ? write_labeled(s, label) : az_arena_error(&s->arena);
                az_vec_reset(&s->chosen);
            }
            prompts = has;
            if (rc == 0 && !end)
                rc = az_vec_push(&s->chosen, i);
        }
    }
    return rc;
}

static int write_details(struct splitting *s)
{
    struct az_outfile *f = NULL;
    const struct az_sv json = az_arena_printf(&s->arena, "%s/execution_details.json", s->out),
                       csv = az_arena_printf(&s->arena, "%s/execution_details.csv", s->out);
    if (!json.p || !csv.p)
        return az_arena_error(&s->arena);
    az_jsonw_end_array(&s->writer);
    int rc = az_jsonw_finish(&s->writer);
    rc = rc ? rc : az_outfile_open(&f, json.p, &s->diag);
    if (rc)
        return rc;
    az_outfile_write(f, s->json.v, s->json.n);
    az_outfile_puts(f, AZ_SV("\n"));
    rc = az_outfile_commit(f);
    rc = rc ? rc : az_outfile_open(&f, csv.p, &s->diag);
    if (rc)
        return rc;
    az_outfile_write(f, s->csv.v, s->csv.n);
    return az_outfile_commit(f);
}

/* The input's base name without `.pt.trace`, `.json.gz` and `.json`. */
static int name_outputs(struct splitting *s)
{
    static const char *const parts[] = { ".pt.trace", ".json.gz", ".json" };
    struct az_sv base = az_arena_dup(&s->arena, az_path_base(az_sv_str(s->in)));
    if (!base.p)
        return az_arena_error(&s->arena);
    char *text = (char *)(uintptr_t)base.p;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        const size_t n = strlen(parts[i]);
        for (ptrdiff_t at; (at = az_sv_find(base, az_sv_str(parts[i]))) >= 0;) {
            memmove(text + at, text + at + n, base.n - (size_t)at - n);
            base.n -= n;
        }
    }
    s->base = base;
    return AZ_OK;
}

static int write_all(struct splitting *s, struct az_steady_part range)
{
    struct az_steady_parts regions;
    const bool all = strcmp(s->iterations, "all") == 0;
    int rc = az_pytorch_steps_read(s->file, range.from, range.to);
    az_vec_init(&regions, &s->mem);
    if (rc == 0 && s->single)
        rc = write_singles(s, range);
    if (rc == 0 && !all)
        rc = az_vec_push(&regions, ((struct az_steady_part){ 0, range.to - range.from }));
    else if (rc == 0)
        rc = az_steady_regions(s->counts, s->steps->n, (size_t)s->wanted, &regions);
    if (rc == 0 && s->phases)
        rc = write_phases(s, range, &regions);
    else if (rc == 0 && s->steady)
        rc = write_windows(s, range, &regions);
    if (rc == 0 && s->files)
        rc = write_details(s);
    az_vec_release(&regions);
    return rc;
}

static void note_loop(const struct splitting *s)
{
    struct az_sv caller;
    const size_t n = az_pytorch_steps_loop(s->file, &caller);
    if (n)
        az_log_line(
            &s->log, AZ_LOG_NORMAL,
            "note: no marks of a serving engine; steps are iterations of %zu call%s%s%.*s%s", n,
            n == 1 ? "" : "s", caller.n ? " in '" : "", AZ_SVF(caller), caller.n ? "'" : "");
}

static int split_file(struct splitting *s)
{
    const struct az_pytorch_steps_opts o = { .path = s->in,
                                             .opts = &s->opts,
                                             .mem = &s->mem,
                                             .diag = &s->diag,
                                             .cancelled = az_interrupted };
    const struct az_where here = AZ_AT_FILE(az_sv_str(s->in));
    struct az_steady_part range;
    int rc = az_pytorch_steps_open(&s->file, &o);
    if (rc)
        return rc;
    s->steps = az_pytorch_steps_of(s->file);
    if (s->steps->n == 0)
        return az_diag_fail(&s->diag, AZ_EEMPTY, here,
                            "no steps of a serving engine, and no calls that repeat; use "
                            "'analyzer cut' to write a window");
    if (!read_range(s, &range))
        return az_diag_fail(&s->diag, AZ_EUSAGE, here,
                            "no steps '%s' among %zu; use all, N or FROM:TO", s->iterations,
                            s->steps->n);
    note_loop(s);
    s->counts = az_arena_array(&s->arena, s->steps->n, sizeof *s->counts);
    if (!s->counts)
        return az_arena_error(&s->arena);
    for (size_t i = 0; i < s->steps->n; i++)
        s->counts[i] = s->steps->v[i].counts;
    rc = name_outputs(s);
    return rc ? rc : write_all(s, range);
}

static int session(struct splitting *s)
{
    az_signals_install();
    az_sandbox_settle_for(
        NULL, &(struct az_sandbox_needs){ .write = { s->out }, .read = &s->in, .n_read = 1 });
    const int rc = split_file(s);
    if (rc && rc != AZ_EINTR && s->diag.errors == 0)
        az_log_line(&s->log, AZ_LOG_QUIET, "error: %s: %s", s->in, az_err_text(rc));
    az_diag_print(&s->diag, &s->log);
    az_pytorch_steps_close(s->file);
    return az_cut_exit_status(rc);
}

static int run_split(const struct az_cmd *cmd, int argc, char **argv)
{
    struct splitting s = {
        .cmd = cmd, .iterations = "all", .wanted = STEPS, .log = { .level = AZ_LOG_NORMAL }
    };
    struct az_args a;
    bool help;
    az_mem_init(&s.mem, 0);
    az_arena_init(&s.arena, NULL);
    az_diag_init(&s.diag);
    az_options_default(&s.opts, &s.mem);
    az_vec_init(&s.chosen, &s.mem);
    az_vec_init(&s.csv, &s.mem);
    az_vec_init(&s.json, &s.mem);
    az_jsonw_init(&s.writer, NULL, &s.json, 2);
    s.log.color = az_use_color(AZ_AUTO, STDERR_FILENO);
    az_args_init(&a, cmd, argc, argv);
    int rc = az_args_parse(&a, one_option, &s, &help);
    if (!rc && !help)
        rc = check(&s, &a);
    if (!rc && !help)
        rc = session(&s);
    az_vec_release(&s.chosen);
    az_vec_release(&s.csv);
    az_vec_release(&s.json);
    az_options_release(&s.opts);
    az_diag_release(&s.diag);
    az_arena_release(&s.arena);
    return rc;
}

static const struct az_cmd_opt options[] = {
    { 'o', "output-dir", "DIR", "output folder" },
    { 'i', "iterations", "RANGE", "steps: all, N, or FROM:TO without TO (all)" },
    { OPT_SINGLE, "store-single-iteration", NULL, "write one file per step" },
    { OPT_STEADY, "find-steady-state", NULL,
      "write three windows of the steady state: mixed, decode only, prefill and decode" },
    { OPT_PHASES, "divide-phases", NULL,
      "write the steady state as one file per row of steps of one phase" },
    { OPT_STEPS, "num-steps", "N", "steps of a window (32)" },
    { OPT_CONCURRENCY, "CONC", "N", "concurrent requests of the load" },
    { OPT_LENGTH, "OSL", "X", "output tokens of a request; with CONC and R the mix of phases" },
    { OPT_RATIO, "R", "X", "shortest output as a share of OSL, 0 to 1" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_tracelens_split = {
    "tracelens-split",
    "-o DIR FILE",
    "accept the command line of TraceLens_split_inference_trace",
    "Writes steps of a serving engine (vLLM, SGLang, ATOM), or iterations of a loop, as traces, "
    "and "
    "execution_details.json and .csv. Differences: from-tracelens-programs.md of the "
    "documentation.",
    options,
    AZ_LENGTH(options),
    run_split
};
