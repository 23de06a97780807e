/* Merging traces of many ranks: two passes over each file. The first finds the largest ids, the
 * processes and what is wrong with a file, several files at a time; the second writes, one rank
 * after the other. */
#include "base/num.h"
#include "base/pool.h"
#include "base/sort.h"
#include "io/path.h"
#include "merge/pass.h"
#include "text/text_writer.h"

#define EXACT_DIGITS 15 /* of an id that survives in a reader of doubles */

/* ---- ranks ---- */

int64_t az_pytorch_rank_of_name(struct az_sv path, struct az_sv pattern)
{
    struct az_sv name = az_path_base(path);
    for (;;) {
        ptrdiff_t at = az_sv_find(name, pattern);
        if (at < 0 || pattern.n == 0)
            return -1;
        name = az_sv_make(name.p + at + pattern.n, name.n - (size_t)at - pattern.n);
        size_t i = name.n && (*name.p == '-' || *name.p == '_'), from = i;
        while (i < name.n && name.p[i] >= '0' && name.p[i] <= '9')
            i++;
        int64_t v;
        if (i > from && az_parse_i64(az_sv_make(name.p + from, i - from), &v) == 0 &&
            v <= AZ_RANK_MAX)
            return v;
    }
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct az_merge_rank *x = *(struct az_merge_rank *const *)a,
                               *y = *(struct az_merge_rank *const *)b;
    (void)ctx;
    if (x->usable != y->usable)
        return x->usable ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank ? 1 : az_sv_cmp(x->path, y->path);
}

/* The rank of each file; a list without any rank is in the order of its ranks. */
static int settle_ranks(struct az_merge *m)
{
    bool none = true;
    for (size_t i = 0; i < m->n; i++)
        none = none && m->rank[i]->named < 0 && m->rank[i]->recorded < 0;
    for (size_t i = 0; i < m->n; i++) {
        struct az_merge_rank *r = m->rank[i];
        r->rank = r->recorded >= 0 ? r->recorded : none ? (int64_t)i : r->named;
        if (r->usable && r->rank < 0)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(r->path),
                                "unknown rank: none in the file name, and no distributedInfo in "
                                "the trace; rename the file");
        if (r->usable && r->recorded >= 0 && r->named >= 0 && r->recorded != r->named)
            az_diag_add(
                m->diag, AZ_WARNING, AZ_AT_FILE(r->path),
                "is rank %lld by its name, but %lld by its distributedInfo; using the latter",
                (long long)r->named, (long long)r->recorded);
    }
    az_sort_cmp(m->rank, m->n, sizeof *m->rank, by_rank, NULL, NULL);
    for (size_t i = 1; i < m->n; i++)
        if (m->rank[i]->usable && m->rank[i]->rank == m->rank[i - 1]->rank)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(m->rank[i]->path),
                                "duplicate rank %lld, also in '%.*s'", (long long)m->rank[i]->rank,
                                AZ_SVF(m->rank[i - 1]->path));
    return 0;
}

static void settle_shift(struct az_merge *m)
{
    bool correlates = false, launches = false;
    int ids = 0, correlations = 0, externals = 0;
    int64_t last = 0;
    for (size_t i = 0; i < m->n && m->rank[i]->usable; i++) {
        const struct az_merge_rank *r = m->rank[i];
        correlates |= r->launch_correlates;
        launches |= r->launches;
        ids = az_merge_larger(ids, r->ids);
        correlations = az_merge_larger(correlations, r->correlations);
        externals = az_merge_larger(externals, r->externals);
        last = r->rank;
    }
    m->shift.external = launches ? !correlates : correlations == 0;
    ids = az_merge_larger(ids, m->shift.external ? externals : correlations);
    m->shift.digits = (unsigned)ids + 1;
    m->result->digits = m->shift.digits;
    m->result->external = m->shift.external;
    for (; last > 0; last /= 10)
        ids++;
    if (ids + 1 > EXACT_DIGITS)
        az_diag_add(
            m->diag, AZ_WARNING, AZ_NOWHERE,
            "IDs have up to %d digits: viewers that read numbers as doubles may confuse them",
            ids + 1);
}

/* ---- writing ---- */

/* A member of the document, if it is valid JSON or can be repaired. */
static int write_member(struct az_merge *m, const char *key, struct az_sv value)
{
    struct az_merge_event checked;
    struct az_vec_char raw, copy;
    az_vec_init(&raw, m->opts->mem);
    az_vec_init(&copy, m->opts->mem);
    az_text_format(&raw, "{\"%s\": ", key);
    az_text_add(&raw, value);
    az_text_add(&raw, AZ_SV("}"));
    const int rc = raw.failed ? az_vec_error(&raw) : az_merge_repair(az_text_view(&raw), &copy);
    if (rc == 0 && az_merge_parse(az_text_view(&copy), &checked)) {
        az_text_add(&m->text, az_sv_make(copy.v + 1, copy.n - 2));
        az_text_add(&m->text, AZ_SV(", "));
    }
    az_vec_release(&copy);
    az_vec_release(&raw);
    return rc ? rc : az_vec_error(&m->text);
}

/* Members of the first rank that apply to all; the base of the clocks only if they agree. */
static int write_header(struct az_merge *m)
{
    const struct az_merge_rank *first = m->rank[0];
    bool one_base = true;
    int rc = 0;
    az_text_add(&m->text, AZ_SV("{"));
    for (size_t i = 1; i < m->n && m->rank[i]->usable; i++)
        one_base = one_base && az_sv_eq(first->header[BASE_TIME], m->rank[i]->header[BASE_TIME]);
    if (!one_base)
        az_diag_add(m->diag, AZ_WARNING, AZ_NOWHERE,
                    "clocks of the ranks have different bases (baseTimeNanoseconds): times are not "
                    "aligned");
    for (int h = 0; rc == 0 && h < HEADERS; h++)
        if (first->header[h].n && (h != BASE_TIME || one_base))
            rc = write_member(m, az_merge_header_key[h], first->header[h]);
    az_text_add(&m->text, AZ_SV("\"ranks\": ["));
    for (size_t i = 0; i < m->n && m->rank[i]->usable; i++)
        az_text_format(&m->text, "%s%lld", i ? ", " : "", (long long)m->rank[i]->rank);
    az_text_add(&m->text, AZ_SV("], \"traceEvents\": ["));
    return rc ? rc : az_vec_error(&m->text);
}

/* The records that name a process and place it. */
static int write_process(struct az_merge *m, const struct az_merge_rank *r, uint32_t id)
{
    static const char *const form[] = { "process_name\", \"args\": {\"name\": \"RANK %lld - %s\"",
                                        "process_sort_index\", \"args\": {\"sort_index\": %lld" };
    const struct az_merge_process *p = &r->processes.v[id];
    bool device = p->label == DEVICE || (p->label == UNKNOWN && p->device);
    if (p->events == 0)
        return 0;
    for (int i = 0; i < 2; i++) {
        az_text_format(&m->text, "%s\n{\"ph\": \"M\", \"pid\": ", m->first_event ? "" : ",");
        m->first_event = false;
        az_merge_id(az_intern_text(&r->pids, id), &m->shift, &m->text);
        az_text_add(&m->text, AZ_SV(", \"tid\": 0, \"ts\": 0, \"name\": \""));
        if (i == 0)
            az_text_format(&m->text, form[0], (long long)r->rank, device ? "GPU" : "CPU");
        else
            az_text_format(&m->text, form[1], 2 * (long long)r->rank + device);
        az_text_format(&m->text, ", \"rank\": %lld}}", (long long)r->rank);
    }
    return az_vec_error(&m->text);
}

static int write_rank(struct az_merge *m, struct az_merge_rank *r)
{
    int rc = 0;
    m->shift.rank = r->rank;
    az_vec_reset(&m->text);
    for (uint32_t id = 0; rc == 0 && id < r->processes.n; id++)
        rc = write_process(m, r, id);
    if (rc)
        return az_diag_memory(m->diag, rc, AZ_AT_FILE(r->path), m->opts->mem);
    az_gzfile_puts(m->out, az_text_view(&m->text));
    rc = az_merge_read(m, r, true);
    m->result->ranks++;
    m->result->damaged += r->damaged;
    return rc;
}

static int write_all(struct az_merge *m, const char *path)
{
    int rc = az_gzfile_open(&m->out, path, AZ_INFLATE_BEST, m->opts->mem, m->diag);
    if (rc)
        return rc;
    m->first_event = true;
    az_vec_reset(&m->text);
    rc = write_header(m);
    if (rc)
        rc = az_diag_memory(m->diag, rc, AZ_NOWHERE, m->opts->mem);
    else
        az_gzfile_puts(m->out, az_text_view(&m->text));
    for (size_t i = 0; rc == 0 && i < m->n && m->rank[i]->usable; i++)
        rc = write_rank(m, m->rank[i]);
    if (rc) {
        az_gzfile_abort(m->out);
        return rc;
    }
    az_gzfile_puts(m->out, AZ_SV("\n]}\n"));
    return az_gzfile_commit(m->out);
}

static int refuse_input_as_output(struct az_merge *m, const char *out)
{
    struct az_path_info o = az_path_stat(out);
    for (size_t i = 0; o.kind == AZ_PATH_FILE && i < m->n; i++) {
        struct az_path_info in = az_path_stat(m->rank[i]->path.p);
        if (in.kind == AZ_PATH_FILE && in.dev == o.dev && in.ino == o.ino)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(m->rank[i]->path),
                                "is an input and is not overwritten; choose another output");
    }
    return 0;
}

static void note_rank(void *ctx, unsigned i)
{
    struct az_merge *m = ctx;
    m->rank[i]->rc = az_merge_read(m, m->rank[i], false);
}

/* Messages of a rank's own reading, in the order of the inputs whatever the threads did. */
static void pass_on(struct az_merge *m, const struct az_diag *from)
{
    for (size_t k = 0; k < from->list.n; k++)
        az_diag_add(m->diag, from->list.v[k].severity, AZ_NOWHERE, "%.*s",
                    AZ_SVF(from->list.v[k].text));
}

static int first_pass(struct az_merge *m)
{
    bool any = false;
    unsigned threads = m->opts->threads ? m->opts->threads : 1;
    int rc = m->n > UINT32_MAX ? AZ_ERANGE : az_pool_split(threads, (unsigned)m->n, note_rank, m);
    if (rc)
        return az_diag_memory(m->diag, rc, AZ_NOWHERE, m->opts->mem);
    for (size_t i = 0; i < m->n; i++) {
        struct az_merge_rank *r = m->rank[i];
        pass_on(m, &r->diag);
        if (r->rc && r->rc != AZ_EFORMAT && rc == 0)
            rc = r->rc;
        r->usable = r->rc == 0;
        m->result->left_out += r->rc != 0;
        any |= r->usable;
    }
    return rc ? rc : any ? 0 : AZ_EFORMAT;
}

static int merge_init(struct az_merge *m, const struct az_merge_input *in)
{
    int rc = 0;
    struct az_merge_rank *all = az_arena_array(&m->arena, m->n + 1, sizeof *all);
    m->rank = az_arena_array(&m->arena, m->n + 1, sizeof *m->rank);
    if (!all || !m->rank)
        return az_arena_error(&m->arena);
    for (size_t i = 0; i < m->n; i++) {
        struct az_merge_rank *r = m->rank[i] = &all[i];
        *r = (struct az_merge_rank){ .path = in[i].path, .named = in[i].rank, .recorded = -1 };
        az_arena_init(&r->arena, m->opts->mem);
        az_diag_init(&r->diag);
        az_vec_init(&r->processes, m->opts->mem);
        az_intern_init(&r->pids, &r->arena, m->opts->mem);
    }
    return rc;
}

int az_pytorch_merge(const struct az_merge_input *in, size_t n, const struct az_merge_opts *opts,
                     const char *out, struct az_merge_result *result, struct az_diag *diag)
{
    static const struct az_merge_opts none;
    struct az_merge m = { .opts = opts ? opts : &none, .result = result, .n = n, .diag = diag };
    *result = (struct az_merge_result){ 0 };
    az_arena_init(&m.arena, m.opts->mem);
    az_vec_init(&m.text, m.opts->mem);
    int rc = merge_init(&m, in);
    if (rc)
        rc = az_diag_memory(diag, rc, AZ_NOWHERE, m.opts->mem);
    else
        rc = refuse_input_as_output(&m, out);
    if (rc == 0)
        rc = first_pass(&m);
    if (rc == 0)
        rc = settle_ranks(&m);
    if (rc == 0) {
        settle_shift(&m);
        rc = write_all(&m, out);
    }
    for (size_t i = 0; m.rank && i < n && m.rank[i]; i++) {
        az_vec_release(&m.rank[i]->processes);
        az_intern_release(&m.rank[i]->pids);
        az_diag_release(&m.rank[i]->diag);
        az_arena_release(&m.rank[i]->arena);
    }
    az_vec_release(&m.text);
    az_arena_release(&m.arena);
    return rc;
}
