/* Merging traces of many ranks: two passes over each file. The first finds the largest ids, the processes and what is
 * wrong with a file, several files at a time; the second writes, one rank after the other. */
#include "formats/pytorch_merge.h"

#include "base/intern.h"
#include "base/num.h"
#include "base/pipe.h"
#include "base/pool.h"
#include "base/sort.h"
#include "formats/pytorch_merge_event.h"
#include "io/gzip_out.h"
#include "io/path.h"
#include "io/source.h"
#include "text/jsonscan.h"

#define WINDOW       ((size_t)256 << 10)
#define EXACT_DIGITS 15 /* of an id that a reader who takes numbers as doubles keeps */
#define RANK_MAX     INT64_C(999999999)
#define MEMBER_MAX   ((size_t)1 << 20)

enum header { SCHEMA_VERSION, UNIT, BASE_TIME, DEVICES, HEADERS };
static const char *const header_key[HEADERS] = { "schemaVersion", "displayTimeUnit", "baseTimeNanoseconds",
                                                 "deviceProperties" };

enum kind { UNKNOWN, HOST, DEVICE };
struct process {
    uint64_t events; /* that are kept, metadata not counted */
    enum kind label; /* by process_labels */
    bool device;     /* has events of the device */
};
AZ_VEC(struct process, processes);

struct rank {
    struct az_sv path;
    struct az_arena arena;
    struct az_diag diag;       /* of the first pass; printed in the order of the inputs */
    int rc;                    /* of the first pass */
    int64_t rank, named, told; /* which; by name; by distributedInfo; -1: unknown */
    bool usable, damaged;
    struct az_intern pids; /* raw value of pid -> index of its process */
    struct processes processes;
    struct az_sv header[HEADERS];
    int ids, correlations, externals; /* digits of the largest one */
    bool launch_correlates, launches;
};

#define BLOCK  ((size_t)256 << 10)
#define BLOCKS 8

struct merge {
    const struct az_merge_opts *opts;
    struct az_merge_result *result;
    struct az_arena arena;
    struct rank **rank; /* in the order of the inputs, later of the ranks, those that cannot be used last */
    size_t n;
    struct az_gzfile *out;
    struct az_vec_char text;
    struct az_diag *diag;
    struct az_me_shift shift;
    bool first_event;
};

/* One reading of one file. */
struct pass {
    struct merge *m;
    struct rank *r;
    bool writing, source_bad, seen_events;
    struct az_diag *diag;
    struct az_vec_char mended;
    struct az_source *src;
    struct az_pipe *pipe; /* inflates ahead */
    struct az_jscan scan;
    struct az_jarray array; /* of all its event lists */
};

/* ---- one event ---- */

enum fate { KEEP, PYTHON, TRACE, PROCESS, FILTERED };

static bool chosen(const struct az_merge_opts *o, const struct az_me_event *e)
{
    struct az_sv cat = az_me_string(e->cat), name = az_me_string(e->name);
    bool hit = !o->cats || o->cats->n == 0;
    for (size_t i = 0; !hit && i < o->cats->n; i++)
        hit = az_sv_eq(o->cats->v[i], cat);
    if (!hit || !o->names || o->names->n == 0)
        return hit;
    hit = false;
    for (size_t i = 0; !hit && i < o->names->n; i++)
        hit = az_sv_find(name, o->names->v[i]) >= 0;
    return hit;
}

static bool is_metadata(const struct az_me_event *e) { return az_sv_is(e->ph, "\"M\""); }

static enum fate fate_of(const struct az_merge_opts *o, const struct az_me_event *e)
{
    if (is_metadata(e))
        return az_sv_is(e->name, "\"process_name\"") || az_sv_is(e->name, "\"process_labels\"") ||
                       az_sv_is(e->name, "\"process_sort_index\"")
                   ? PROCESS
                   : KEEP;
    if (az_sv_is(e->cat, "\"Trace\""))
        return TRACE;
    if (az_sv_is(e->cat, "\"python_function\"") && !o->keep_python)
        return PYTHON;
    return chosen(o, e) ? KEEP : FILTERED;
}

static int larger(int a, int b) { return a > b ? a : b; }

static bool on_device(struct az_sv cat)
{
    static const char *const cats[] = { "\"kernel\"", "\"gpu_memcpy\"", "\"gpu_memset\"", "\"gpu_user_annotation\"" };
    for (size_t i = 0; i < sizeof cats / sizeof *cats; i++)
        if (az_sv_is(cat, cats[i]))
            return true;
    return false;
}

static int note_process(struct rank *r, const struct az_me_event *e, enum fate fate)
{
    uint32_t id;
    if (e->pid.n == 0)
        return 0;
    int rc = az_intern(&r->pids, e->pid, &id);
    if (rc == 0 && id == r->processes.n)
        rc = az_vec_push(&r->processes, (struct process){ 0 });
    if (rc)
        return rc;
    struct process *p = &r->processes.v[id];
    if (fate == PROCESS && e->labels.n)
        p->label = az_sv_starts(az_me_string(e->labels), AZ_SV("GPU")) ? DEVICE : HOST;
    if (fate == KEEP && !is_metadata(e)) {
        p->events++;
        p->device |= on_device(e->cat);
    }
    return 0;
}

/* First pass. */
static int note_event(struct rank *r, const struct az_me_event *e, enum fate fate)
{
    struct az_sv cat = az_me_string(e->cat);
    if (fate == KEEP) {
        r->ids = larger(r->ids, larger(az_me_digits(e->pid), az_me_digits(e->id)));
        r->correlations = larger(r->correlations, az_me_digits(e->correlation));
        r->externals = larger(r->externals, az_me_digits(e->external));
    }
    if (az_sv_ends(cat, AZ_SV("_runtime")) || az_sv_ends(cat, AZ_SV("_driver"))) {
        r->launches = true; /* filtered ones, too: what is linked by what does not depend on a filter */
        r->launch_correlates |= e->correlation.n > 0;
    }
    return note_process(r, e, fate);
}

static void count(struct az_merge_result *x, enum fate fate)
{
    uint64_t *const by[] = { &x->kept, &x->python, &x->trace, &x->process, &x->filtered };
    x->read++;
    ++*by[fate];
}

/* Second pass. */
static int write_event(struct pass *p, const struct az_me_event *e)
{
    struct merge *m = p->m;
    int link = az_me_digits(m->shift.external ? e->external : e->correlation);
    if (larger(link, larger(az_me_digits(e->pid), az_me_digits(e->id))) >= (int)m->shift.digits)
        return AZ_ERANGE; /* not in the first pass: the file has changed */
    az_vec_reset(&m->text);
    int rc = az_text_append(&m->text, m->first_event ? AZ_SV("\n") : AZ_SV(",\n"));
    m->first_event = false;
    if (rc == 0)
        rc = az_me_write(e, &m->shift, &m->text);
    if (rc == 0)
        az_gzfile_puts(m->out, az_text_view(&m->text));
    return rc;
}

/* Called with the cursor behind the event's '{'. */
static int on_event(void *ctx, struct az_jscan *s)
{
    struct pass *p = ctx;
    struct merge *m = p->m;
    struct az_me_event e;
    struct az_sv raw;
    bool mended = false;
    s->p--;
    int rc = az_j_skip(s, &raw);
    if (rc != AZ_J_OK)
        return rc;
    if (!az_me_parse(raw, &e)) {
        mended = true;
        rc = az_me_mend(raw, &p->mended);
        if (rc)
            return rc;
        if (!az_me_parse(az_text_view(&p->mended), &e))
            return AZ_J_BAD;
    }
    enum fate fate = fate_of(m->opts, &e);
    if (!p->writing)
        return note_event(p->r, &e, fate);
    count(m->result, fate);
    m->result->repaired += mended && fate == KEEP;
    return fate == KEEP ? write_event(p, &e) : AZ_J_OK;
}

/* ---- one file ---- */

static int read_source(void *ctx, void *buf, size_t n, size_t *got)
{
    struct pass *p = ctx;
    *got = 0;
    if (p->m->opts->cancelled && p->m->opts->cancelled(p->m->opts->ctx))
        return AZ_EINTR;
    int rc = p->source_bad ? 0 : az_source_read(p->src, buf, n, got);
    if (rc == AZ_EFORMAT) { /* a damaged gzip stream: all good bytes were delivered */
        p->source_bad = true;
        rc = 0;
    }
    return rc;
}

static int fill(void *ctx, void *buf, size_t n, size_t *got)
{
    struct pass *p = ctx;
    return p->pipe ? az_pipe_read(p->pipe, buf, n, got) : read_source(p, buf, n, got);
}

static int events(struct pass *p)
{
    struct az_jarray a;
    p->seen_events = true;
    int rc = az_jscan_records(&p->scan, on_event, p, false, &a);
    p->array.records += a.records;
    p->array.malformed += a.malformed;
    if (p->array.first_bad < 0)
        p->array.first_bad = a.first_bad;
    p->array.truncated |= a.truncated;
    p->array.end_offset = a.end_offset;
    return rc;
}

static void distributed_info(struct rank *r, struct az_sv raw)
{
    struct az_jview v;
    struct az_sv key, value;
    if (!az_jview_object(&v, raw))
        return;
    while (az_jview_member(&v, &key, &value))
        if (az_sv_is(key, "rank") && (az_parse_i64(value, &r->told) || r->told < 0 || r->told > RANK_MAX))
            r->told = -1;
}

static int member(struct pass *p, struct az_sv key)
{
    struct az_sv raw;
    int h = 0;
    const bool list = az_sv_is(key, "traceEvents"), info = az_sv_is(key, "distributedInfo");
    while (h < HEADERS && !az_sv_is(key, header_key[h]))
        h++; /* the key moves with the window */
    if (list && az_jscan_peek(&p->scan) == '[')
        return events(p);
    if (p->writing || (h == HEADERS && !info))
        return az_jscan_skip_value(&p->scan);
    int rc = az_jscan_value(&p->scan, &raw);
    if (rc != AZ_J_OK)
        return rc;
    if (info)
        distributed_info(p->r, raw);
    else if (raw.n <= MEMBER_MAX)
        p->r->header[h] = az_arena_dup(&p->r->arena, raw);
    return AZ_J_OK;
}

static int read_document(struct pass *p)
{
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(&p->scan), rc = AZ_J_OK;
    if (c <= 0)
        return c < 0 ? c : AZ_EEMPTY;
    if (c == '[')
        rc = events(p);
    else
        rc = az_jscan_byte(&p->scan, '{');
    while (c != '[' && rc == AZ_J_OK && !p->array.truncated) {
        rc = az_jscan_member(&p->scan, &first, &key);
        if (rc == AZ_J_OK)
            rc = member(p, key);
    }
    rc = rc == AZ_J_END ? AZ_J_OK : rc;
    if (rc == AZ_J_OK && !p->array.truncated) { /* to the end, which is where a compressed file tells of damage */
        c = az_jscan_peek(&p->scan);
        rc = c > 0 ? AZ_J_BAD : c;
    }
    return rc;
}

/* What became of a file: 0 usable (maybe damaged), an error that ends the merge, or AZ_EFORMAT: left out. Said once, by
 * the first pass. */
static int verdict(struct pass *p, int rc)
{
    struct az_diag *d = p->diag;
    struct az_where at = AZ_AT_OFFSET(p->r->path, az_jscan_offset(&p->scan)), file = AZ_AT_FILE(p->r->path);
    if (rc == AZ_EINTR || rc == AZ_EIO)
        return rc;
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(d, rc, at, p->m->opts->mem);
    if (p->writing)
        return rc == AZ_ERANGE ? az_diag_fail(d, AZ_EIO, at, "has changed while it was read (merge again)") : 0;
    if (rc == AZ_EEMPTY)
        return az_diag_fail(d, AZ_EFORMAT, file, "empty file: this rank is left out");
    if (!p->seen_events)
        return az_diag_fail(d, AZ_EFORMAT, at, "no 'traceEvents' that can be read: this rank is left out");
    p->r->damaged = rc != AZ_J_OK || p->array.truncated || p->array.malformed || p->source_bad;
    if (p->array.malformed)
        (void)az_diag_fail(d, AZ_EFORMAT, AZ_AT_OFFSET(p->r->path, p->array.first_bad),
                           "malformed at %llu place(s): the %llu events that are whole are merged",
                           (unsigned long long)p->array.malformed, (unsigned long long)p->array.records);
    if (p->array.truncated || p->source_bad || rc == AZ_J_MORE)
        (void)az_diag_fail(d, AZ_EFORMAT, at, "cut off or damaged: the %llu events before are merged",
                           (unsigned long long)p->array.records);
    else if (rc != AZ_J_OK)
        (void)az_diag_fail(d, AZ_EFORMAT, at, "malformed behind the events: all %llu events are merged",
                           (unsigned long long)p->array.records);
    return 0;
}

/* Reading ahead pays where inflating does: the second pass has a core to spare. */
static int open_pass(struct pass *p)
{
    const struct az_source_opts o = { .mem = p->m->opts->mem, .diag = p->writing ? NULL : p->diag };
    int rc = az_source_open(&p->src, p->r->path.p, &o);
    if (rc)
        return rc == AZ_EIO && !p->writing ? AZ_EFORMAT : rc; /* the source said why */
    if (p->writing && az_source_is_gzip(p->src))
        rc = az_pipe_open(&p->pipe, read_source, p, BLOCK, BLOCKS, p->m->opts->mem);
    if (rc == 0)
        rc = az_jscan_init(&p->scan, fill, p, WINDOW, p->m->opts->mem);
    return rc ? az_diag_memory(p->diag, rc, AZ_AT_FILE(p->r->path), p->m->opts->mem) : 0;
}

static int read_rank(struct merge *m, struct rank *r, bool writing)
{
    struct pass p = { .m = m, .r = r, .writing = writing, .array = { .first_bad = -1 } };
    p.diag = writing ? m->diag : &r->diag;
    if (az_path_stat(r->path.p).kind == AZ_PATH_OTHER || az_sv_is(r->path, "-"))
        return az_diag_fail(
            p.diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
            "is no regular file, and a trace is read twice: this rank is left out (write it to a file)");
    az_vec_init(&p.mended, m->opts->mem);
    int rc = open_pass(&p);
    if (rc == 0) {
        rc = read_document(&p);
        az_pipe_close(p.pipe); /* its thread uses what the verdict looks at */
        p.pipe = NULL;
        rc = verdict(&p, rc);
    }
    az_pipe_close(p.pipe);
    if (writing && p.src) {
        m->result->bytes += az_source_delivered(p.src);
        m->result->malformed += p.array.malformed;
    }
    az_jscan_release(&p.scan);
    az_source_close(p.src);
    az_vec_release(&p.mended);
    return rc;
}

/* ---- ranks ---- */

int64_t az_pt_rank_of_name(struct az_sv path, struct az_sv pattern)
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
        if (i > from && az_parse_i64(az_sv_make(name.p + from, i - from), &v) == 0 && v <= RANK_MAX)
            return v;
    }
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct rank *x = *(struct rank *const *)a, *y = *(struct rank *const *)b;
    (void)ctx;
    if (x->usable != y->usable)
        return x->usable ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank ? 1 : az_sv_cmp(x->path, y->path);
}

/* The rank of each file; a list without any rank is in the order of its ranks. */
static int settle_ranks(struct merge *m)
{
    bool none = true;
    for (size_t i = 0; i < m->n; i++)
        none = none && m->rank[i]->named < 0 && m->rank[i]->told < 0;
    for (size_t i = 0; i < m->n; i++) {
        struct rank *r = m->rank[i];
        r->rank = r->told >= 0 ? r->told : none ? (int64_t)i : r->named;
        if (r->usable && r->rank < 0)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(r->path),
                                "which rank is this? (its name has none, and the trace no distributedInfo)");
        if (r->usable && r->told >= 0 && r->named >= 0 && r->told != r->named)
            az_diag_add(m->diag, AZ_WARNING, AZ_AT_FILE(r->path),
                        "is rank %lld by its name, %lld by its distributedInfo: the latter is taken",
                        (long long)r->named, (long long)r->told);
    }
    int rc = az_sort_cmp(m->rank, m->n, sizeof *m->rank, by_rank, NULL, NULL);
    for (size_t i = 1; rc == 0 && i < m->n; i++)
        if (m->rank[i]->usable && m->rank[i]->rank == m->rank[i - 1]->rank)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(m->rank[i]->path), "is rank %lld, as '%.*s' is",
                                (long long)m->rank[i]->rank, AZ_SVF(m->rank[i - 1]->path));
    return rc;
}

static void settle_shift(struct merge *m)
{
    bool correlates = false, launches = false;
    int ids = 0, correlations = 0, externals = 0;
    int64_t last = 0;
    for (size_t i = 0; i < m->n && m->rank[i]->usable; i++) {
        const struct rank *r = m->rank[i];
        correlates |= r->launch_correlates;
        launches |= r->launches;
        ids = larger(ids, r->ids);
        correlations = larger(correlations, r->correlations);
        externals = larger(externals, r->externals);
        last = r->rank;
    }
    m->shift.external = launches ? !correlates : correlations == 0;
    ids = larger(ids, m->shift.external ? externals : correlations);
    m->shift.digits = (unsigned)ids + 1;
    m->result->digits = m->shift.digits;
    m->result->external = m->shift.external;
    for (; last > 0; last /= 10)
        ids++;
    if (ids + 1 > EXACT_DIGITS)
        az_diag_add(m->diag, AZ_WARNING, AZ_NOWHERE,
                    "ids take up to %d digits: a viewer that reads numbers as doubles may confuse them", ids + 1);
}

/* ---- writing ---- */

/* A member of the document, if it is valid JSON or can be mended. */
static int write_member(struct merge *m, const char *key, struct az_sv value)
{
    struct az_me_event checked;
    struct az_vec_char raw, copy;
    az_vec_init(&raw, m->opts->mem);
    az_vec_init(&copy, m->opts->mem);
    int rc = az_text_printf(&raw, "{\"%s\": ", key);
    if (rc == 0)
        rc = az_text_append(&raw, value);
    if (rc == 0)
        rc = az_text_append(&raw, AZ_SV("}"));
    if (rc == 0)
        rc = az_me_mend(az_text_view(&raw), &copy);
    if (rc == 0 && az_me_parse(az_text_view(&copy), &checked))
        rc = az_text_append(&m->text, az_sv_make(copy.v + 1, copy.n - 2));
    else
        key = NULL;
    if (rc == 0 && key)
        rc = az_text_append(&m->text, AZ_SV(", "));
    az_vec_release(&copy);
    az_vec_release(&raw);
    return rc;
}

/* Members of the first rank that hold for all; the base of the clocks only if they agree. */
static int write_header(struct merge *m)
{
    const struct rank *first = m->rank[0];
    bool one_base = true;
    int rc = az_text_append(&m->text, AZ_SV("{"));
    for (size_t i = 1; i < m->n && m->rank[i]->usable; i++)
        one_base = one_base && az_sv_eq(first->header[BASE_TIME], m->rank[i]->header[BASE_TIME]);
    if (!one_base)
        az_diag_add(m->diag, AZ_WARNING, AZ_NOWHERE,
                    "the ranks' clocks have different bases (baseTimeNanoseconds): their times do not line up");
    for (int h = 0; rc == 0 && h < HEADERS; h++)
        if (first->header[h].n && (h != BASE_TIME || one_base))
            rc = write_member(m, header_key[h], first->header[h]);
    if (rc == 0)
        rc = az_text_append(&m->text, AZ_SV("\"ranks\": ["));
    for (size_t i = 0; rc == 0 && i < m->n && m->rank[i]->usable; i++)
        rc = az_text_printf(&m->text, "%s%lld", i ? ", " : "", (long long)m->rank[i]->rank);
    return rc ? rc : az_text_append(&m->text, AZ_SV("], \"traceEvents\": ["));
}

/* The records that name a process and place it. */
static int write_process(struct merge *m, const struct rank *r, uint32_t id)
{
    static const char *const form[] = { "process_name\", \"args\": {\"name\": \"RANK %lld - %s\"",
                                        "process_sort_index\", \"args\": {\"sort_index\": %lld" };
    const struct process *p = &r->processes.v[id];
    bool device = p->label == DEVICE || (p->label == UNKNOWN && p->device);
    int rc = 0;
    if (p->events == 0)
        return 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        rc = az_text_printf(&m->text, "%s\n{\"ph\": \"M\", \"pid\": ", m->first_event ? "" : ",");
        m->first_event = false;
        if (rc == 0)
            rc = az_me_id(az_intern_text(&r->pids, id), &m->shift, &m->text);
        if (rc == 0)
            rc = az_text_append(&m->text, AZ_SV(", \"tid\": 0, \"ts\": 0, \"name\": \""));
        if (rc == 0)
            rc = i == 0 ? az_text_printf(&m->text, form[0], (long long)r->rank, device ? "GPU" : "CPU")
                        : az_text_printf(&m->text, form[1], 2 * (long long)r->rank + device);
        if (rc == 0)
            rc = az_text_printf(&m->text, ", \"rank\": %lld}}", (long long)r->rank);
    }
    return rc;
}

static int write_rank(struct merge *m, struct rank *r)
{
    int rc = 0;
    m->shift.rank = r->rank;
    az_vec_reset(&m->text);
    for (uint32_t id = 0; rc == 0 && id < r->processes.n; id++)
        rc = write_process(m, r, id);
    if (rc)
        return az_diag_memory(m->diag, rc, AZ_AT_FILE(r->path), m->opts->mem);
    az_gzfile_puts(m->out, az_text_view(&m->text));
    rc = read_rank(m, r, true);
    m->result->ranks++;
    m->result->damaged += r->damaged;
    return rc;
}

static int write_all(struct merge *m, const char *path)
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

static int refuse_input_as_output(struct merge *m, const char *out)
{
    struct az_path_info o = az_path_stat(out);
    for (size_t i = 0; o.kind == AZ_PATH_FILE && i < m->n; i++) {
        struct az_path_info in = az_path_stat(m->rank[i]->path.p);
        if (in.kind == AZ_PATH_FILE && in.dev == o.dev && in.ino == o.ino)
            return az_diag_fail(m->diag, AZ_EUSAGE, AZ_AT_FILE(m->rank[i]->path),
                                "is an input: it is not written over (choose another output)");
    }
    return 0;
}

static void note_rank(void *ctx, unsigned i)
{
    struct merge *m = ctx;
    m->rank[i]->rc = read_rank(m, m->rank[i], false);
}

/* Messages of a rank's own reading, in the order of the inputs whatever the threads did. */
static void pass_on(struct merge *m, const struct az_diag *from)
{
    for (size_t k = 0; k < from->list.n; k++)
        az_diag_add(m->diag, from->list.v[k].severity, AZ_NOWHERE, "%.*s", AZ_SVF(from->list.v[k].text));
}

static int first_pass(struct merge *m)
{
    bool any = false;
    unsigned threads = m->opts->threads ? m->opts->threads : 1;
    int rc = m->n > UINT32_MAX ? AZ_ERANGE : az_pool_split(threads, (unsigned)m->n, note_rank, m);
    if (rc)
        return az_diag_memory(m->diag, rc, AZ_NOWHERE, m->opts->mem);
    for (size_t i = 0; i < m->n; i++) {
        struct rank *r = m->rank[i];
        pass_on(m, &r->diag);
        if (r->rc && r->rc != AZ_EFORMAT && rc == 0)
            rc = r->rc;
        r->usable = r->rc == 0;
        m->result->left_out += r->rc != 0;
        any |= r->usable;
    }
    return rc ? rc : any ? 0 : AZ_EFORMAT;
}

static int merge_init(struct merge *m, const struct az_merge_input *in)
{
    int rc = 0;
    struct rank *all = az_arena_array(&m->arena, m->n + 1, sizeof *all);
    m->rank = az_arena_array(&m->arena, m->n + 1, sizeof *m->rank);
    if (!all || !m->rank)
        return az_arena_error(&m->arena);
    for (size_t i = 0; i < m->n; i++) {
        struct rank *r = m->rank[i] = &all[i];
        *r = (struct rank){ .path = in[i].path, .named = in[i].rank, .told = -1 };
        az_arena_init(&r->arena, m->opts->mem);
        az_diag_init(&r->diag);
        az_vec_init(&r->processes, m->opts->mem);
        int failed = az_intern_init(&r->pids, &r->arena, m->opts->mem);
        rc = rc ? rc : failed;
    }
    return rc;
}

int az_pt_merge(const struct az_merge_input *in, size_t n, const struct az_merge_opts *opts, const char *out,
                struct az_merge_result *result, struct az_diag *diag)
{
    static const struct az_merge_opts none;
    struct merge m = { .opts = opts ? opts : &none, .result = result, .n = n, .diag = diag };
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
