/* The entries of a replay folder: replay.json, and the logs next to it. */
#include "base/num.h"
#include "base/sort.h"
#include "io/path.h"
#include "io/source.h"
#include "replay/parts.h"
#include "text/jsonscan.h"

#define JSON_MAX    ((size_t)64 << 20)
#define ENTRIES_MAX 100000

struct load {
    const char *file;
    struct az_sv text;
    struct az_arena *arena;
    struct az_replay_entries *out;
    struct az_diag *diag;
    int64_t next_no[GROUPS];
};

static int report_bad_file(struct load *l, const char *at, const char *what)
{
    return az_diag_fail(l->diag, AZ_EFORMAT, AZ_AT_OFFSET(az_sv_str(l->file), at - l->text.p),
                        "%s; a replay file must be a list of objects", what);
}

/* Nothing is left of a list or object but its bracket, and nothing was expected before it. */
static bool ended(const struct az_jview *v, char bracket)
{
    struct az_sv rest = az_sv_trim(v->rest);
    const char *before = v->rest.p - 1;
    while (*before == ' ' || *before == '\n' || *before == '\r' || *before == '\t')
        before--; /* the opening bracket at the latest */
    return rest.n == 1 && *rest.p == bracket && *before != ':' && *before != ',';
}

static struct az_sv unquoted(struct load *l, struct az_sv v)
{
    return v.n >= 2 && *v.p == '"' ? az_json_unescape(l->arena, az_sv_make(v.p + 1, v.n - 2))
                                   : (struct az_sv){ "", 0 };
}

static void member(struct load *l, struct az_replay_entry *e, bool *grouped, struct az_sv key,
                   struct az_sv value)
{
    double d;
    if (az_sv_is(key, "op_name")) {
        e->name = unquoted(l, value);
    } else if (az_sv_is(key, "count")) {
        if (az_parse_i64(value, &e->count))
            e->count = -1;
    } else if (az_sv_is(key, "profile_us")) {
        e->profile_us = az_parse_f64(value, &d) == 0 && isfinite(d) && d >= 0 ? d : (double)NAN;
    } else if (az_sv_is(key, "replay_ir")) {
        e->torch = value.n && *value.p == '{';
    } else if (az_sv_is(key, "no")) {
        if (az_parse_i64(value, &e->no) || e->no < 0)
            e->no = -1;
    } else if (az_sv_is(key, "group")) {
        for (int g = 0; g < GROUPS; g++) {
            if (!az_sv_is(unquoted(l, value), az_replay_group[g]))
                continue;
            e->group = (enum az_parts_group)g;
            *grouped = true;
        }
    }
}

static int add_entry(struct load *l, struct az_sv raw, int64_t index)
{
    struct az_replay_entry e = { .no = -1, .index = index, .count = -1, .profile_us = NAN };
    struct az_jview v;
    struct az_sv key, value;
    bool grouped = false;
    if (!az_jview_object(&v, raw))
        return report_bad_file(l, raw.p, "an entry is not an object");
    while (az_jview_member(&v, &key, &value))
        member(l, &e, &grouped, key, value);
    if (!ended(&v, '}'))
        return report_bad_file(l, v.rest.p, "malformed JSON");
    e.refused = e.torch && !az_replay_known(e.name);
    e.torch = e.torch && !e.refused;
    if (!grouped) { /* files of other tools do not have it */
        enum az_replay_tool tool = az_replay_tool(e.name);
        if (tool == AZ_REPLAY_NONE)
            return 0; /* of neither group */
        e.group = tool == AZ_REPLAY_CONV ? CONV : GEMM;
    }
    if (e.no < 0)
        e.no = l->next_no[e.group];
    l->next_no[e.group] = e.no < INT64_MAX ? e.no + 1 : e.no;
    return az_vec_push(l->out, e);
}

int az_replay_load_json(struct az_sv text, const char *file, struct az_arena *a,
                        struct az_replay_entries *out, struct az_diag *diag)
{
    struct load l = { .file = file, .text = text, .arena = a, .out = out, .diag = diag };
    struct az_jview v;
    struct az_sv value;
    int rc = 0;
    if (!az_jview_array(&v, text))
        return report_bad_file(&l, text.p, "not a list");
    for (int64_t i = 0; rc == 0 && az_jview_next(&v, &value); i++)
        rc = i < ENTRIES_MAX ? add_entry(&l, value, i)
                             : report_bad_file(&l, value.p, "too many entries");
    if (rc == 0 && !ended(&v, ']'))
        rc = report_bad_file(&l, v.rest.p, "malformed JSON");
    return rc;
}

/* ---- logs ---- */

struct logs {
    struct load *l;
    bool only; /* no replay.json: a log makes an entry */
    int error;
};

/* Number in `STEM-N.log`; -1: another name. */
static int64_t number_in(struct az_sv name, enum az_parts_group g)
{
    struct az_sv stem = az_sv_str(az_replay_stem[g]), end = AZ_SV(".log");
    int64_t no;
    if (!az_sv_starts(name, stem) || !az_sv_ends(name, end) || name.n < stem.n + end.n + 2 ||
        name.p[stem.n] != '-')
        return -1;
    struct az_sv digits = az_sv_make(name.p + stem.n + 1, name.n - stem.n - end.n - 1);
    return *digits.p >= '0' && *digits.p <= '9' && az_parse_i64(digits, &no) == 0 ? no : -1;
}

static int take_log(struct logs *x, const char *path, enum az_parts_group g, int64_t no)
{
    struct az_replay_entries *out = x->l->out;
    const char *copy = az_arena_str(x->l->arena, az_sv_str(path));
    if (!copy)
        return az_arena_error(x->l->arena);
    for (size_t i = 0; i < out->n; i++) {
        if (out->v[i].group != g || out->v[i].no != no)
            continue;
        out->v[i].log = copy;
        return 0;
    }
    if (!x->only) {
        az_diag_add(x->l->diag, AZ_NOTE, AZ_AT_FILE(az_sv_str(path)),
                    "is not in replay.json: skipped");
        return 0;
    }
    struct az_replay_entry e = { .group = g,
                                 .no = no,
                                 .index = -1,
                                 .count = -1,
                                 .profile_us = NAN,
                                 .name = { "", 0 },
                                 .log = copy };
    return az_vec_push(out, e);
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct logs *x = ctx;
    struct az_sv name = az_path_base(az_sv_str(path));
    (void)depth;
    if (info->kind != AZ_PATH_FILE)
        return 1;
    for (int g = 0; g < GROUPS; g++) {
        int64_t no = number_in(name, (enum az_parts_group)g);
        int rc = no < 0 ? 0 : take_log(x, path, (enum az_parts_group)g, no);
        if (rc)
            return rc;
    }
    return 0;
}

static int in_order(const void *a, const void *b, void *ctx)
{
    const struct az_replay_entry *x = a, *y = b;
    (void)ctx;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->no < y->no ? -1 : x->no > y->no;
}

int az_replay_load(const char *dir, struct az_arena *a, struct az_replay_entries *out,
                   const char **json, struct az_diag *diag)
{
    struct az_sv path = az_path_join(a, az_sv_str(dir), AZ_SV("replay.json")), text;
    struct load l = { .file = path.p, .arena = a, .out = out, .diag = diag };
    struct logs logs = { .l = &l };
    struct az_walk walk = { .visit = visit, .ctx = &logs, .max_depth = 1 };
    struct az_source *src = NULL;
    struct az_source_opts opts = { .diag = diag };
    int rc = 0;
    *json = NULL;
    if (!path.p)
        return az_arena_error(a);
    if (az_path_stat(dir).kind != AZ_PATH_DIR)
        return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(dir)),
                            "not a folder; use a folder with replay.json or recorded logs");
    logs.only = az_path_stat(path.p).kind == AZ_PATH_MISSING;
    if (!logs.only) {
        *json = path.p;
        rc = az_source_open(&src, path.p, &opts);
        if (rc == 0)
            rc = az_source_all(src, a, JSON_MAX, &text);
        if (rc == 0)
            rc = az_replay_load_json(text, path.p, a, out, diag);
        az_source_close(src);
    }
    if (rc == 0)
        rc = az_path_walk(dir, &walk, diag);
    if (rc == 0 && out->n == 0)
        rc = az_diag_fail(
            diag, AZ_EEMPTY, AZ_AT_FILE(az_sv_str(dir)),
            "nothing to replay: no replay.json, hipblaslt-bench-N.log or miopen-driver-N.log");
    az_sort_cmp(out->v, out->n, sizeof *out->v, in_order, NULL, NULL);
    return rc;
}
