/* Commands of a log, recorded or derived, made ready to be timed (docs/formulas-multirank.md 5.3).
 * What a log holds is not trusted: a line becomes an argument vector only if it calls the one
 * program of its group, with words that no shell could read anything into and that can name no file
 * outside the folder it runs in. */
#include "replay/parts.h"

#define WORDS_MAX 160
#define WORD_MAX  64
#define LINES_MAX 256 /* commands of one operator */

struct words {
    struct az_sv v[WORDS_MAX];
    size_t n;
    const char *why; /* not a command to be run */
    struct az_sv culprit;
};

static bool harmless(struct az_sv w)
{
    for (size_t i = 0; i < w.n; i++) {
        char c = w.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-' || c == '+' || c == '.'))
            return false;
    }
    return w.n <= WORD_MAX && !az_sv_is(w, "..");
}

static void refuse(struct words *w, const char *why, struct az_sv culprit)
{
    if (w->why)
        return;
    w->why = why;
    w->culprit = culprit;
}

static void add_word(struct words *w, struct az_sv word)
{
    if (w->n == WORDS_MAX)
        refuse(w, "too many words", word);
    else
        w->v[w->n++] = word;
}

static void split(struct words *w, struct az_sv line)
{
    *w = (struct words){ 0 };
    for (size_t i = 0; i < line.n;) {
        size_t from = i;
        while (i < line.n && line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
            i++;
        if (i > from)
            add_word(w, az_sv_make(line.p + from, i - from));
        i += i == from;
    }
}

static void check(struct words *w, const char *program)
{
    if (w->n == 0 || !az_sv_is(w->v[0], program))
        refuse(w, "is another program", w->n ? w->v[0] : (struct az_sv){ "", 0 });
    for (size_t i = 1; i < w->n; i++)
        if (!harmless(w->v[i]))
            refuse(w, "has an argument that is not allowed for a benchmark", w->v[i]);
}

/* ---- edits ---- */

static size_t find_words(const struct words *w, const char *option)
{
    size_t i = 1;
    while (i < w->n && !az_sv_is(w->v[i], option))
        i++;
    return i;
}

static bool digits(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* `option <digits>` becomes `as value`, at each place. */
static void replace_option(struct words *w, const char *option, const char *as, const char *value,
                           bool first_only)
{
    for (size_t i = 1; i + 1 < w->n; i++) {
        if (!az_sv_is(w->v[i], option) || !digits(w->v[i + 1]))
            continue;
        w->v[i] = az_sv_str(as);
        w->v[i + 1] = az_sv_str(value);
        if (first_only)
            return;
    }
}

static void append_once(struct words *w, const char *option, const char *value)
{
    if (find_words(w, option) < w->n)
        return;
    add_word(w, az_sv_str(option));
    if (value)
        add_word(w, az_sv_str(value));
}

static void edit_gemm(struct words *w)
{
    for (size_t i = 1; i + 1 < w->n; i++)
        if (az_sv_is(w->v[i], "--algo_method") && az_sv_is(w->v[i + 1], "index"))
            w->v[i + 1] = AZ_SV("heuristic");
    replace_option(w, "--solution_index", "--requested_solution", "1", true);
    replace_option(w, "--cold_iters", "--cold_iters", "100", false);
    replace_option(w, "--iters", "--iters", "100", false);
    replace_option(w, "--rotating", "--rotating", "512", false);
    append_once(w, "--flush", NULL);
    append_once(w, "--initialization", "trig_float");
    append_once(w, "--use_gpu_timer", NULL);
    append_once(w, "--print_kernel_info", NULL);
    size_t at = find_words(w, "--aux_type");
    if (at + 1 < w->n && az_sv_is(w->v[at + 1], "f32_r")) {
        memmove(&w->v[at], &w->v[at + 2], (w->n - at - 2) * sizeof *w->v);
        w->n -= 2;
    }
}

/* ---- lines ---- */

/* The command in a line of a log; empty if the line is only talk. `marked`: the log has lines
 * marked as calls.
 */
static struct az_sv command_in(enum az_parts_group g, struct az_sv line, bool marked)
{
    const struct az_sv mark = AZ_SV("[LogCmdConvolution]"), bin = AZ_SV("./bin/"), none = { "", 0 };
    if (g == GEMM || !marked)
        return line;
    if (az_sv_find(line, mark) < 0)
        return none;
    ptrdiff_t at = az_sv_find(line, bin);
    return at < 0 ? line : az_sv_make(line.p + at + bin.n, line.n - (size_t)at - bin.n);
}

static int keep_commands(struct words *w, struct az_sv line, struct az_arena *a,
                         struct az_commands *out)
{
    struct az_command c = { .why = w->why, .culprit = w->culprit, .text = line };
    if (!c.why) {
        size_t bytes = 0;
        const char **argv = az_arena_array(a, w->n + 1, sizeof *argv);
        for (size_t i = 0; i < w->n; i++)
            bytes += w->v[i].n + 1;
        char *text = az_arena_alloc(a, bytes), *at = text;
        if (!argv || !text)
            return az_arena_error(a);
        for (size_t i = 0; i < w->n; i++) {
            argv[i] = az_arena_str(a, w->v[i]);
            if (!argv[i])
                return az_arena_error(a);
            memcpy(at, w->v[i].p, w->v[i].n);
            at += w->v[i].n;
            *at++ = ' ';
        }
        c.argv = argv;
        c.text = az_sv_make(text, bytes - 1);
        for (size_t i = 0; i < out->n; i++)
            if (out->v[i].argv && az_sv_eq(out->v[i].text, c.text))
                return 0;
    }
    return az_vec_push(out, c);
}

int az_commands_read(enum az_parts_group g, struct az_sv log, struct az_arena *a,
                     struct az_commands *out)
{
    bool marked = az_sv_find(log, AZ_SV("[LogCmdConvolution]")) >= 0;
    struct words w;
    int rc = 0;
    while (rc == 0 && log.n) {
        struct az_sv line = az_sv_trim(command_in(g, az_sv_cut(&log, '\n'), marked));
        if (line.n == 0)
            continue;
        split(&w, line);
        check(&w, az_replay_program[g]);
        if (out->n >= LINES_MAX)
            refuse(&w, "has too many commands", line);
        if (!w.why && g == GEMM)
            edit_gemm(&w);
        else if (!w.why)
            append_once(&w, "-V", "0");
        rc = keep_commands(&w, line, a, out);
        if (out->n > LINES_MAX)
            break; /* rejected as a whole: the rest does not matter */
    }
    return rc;
}
