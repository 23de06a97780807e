/* Reading one rank's file for a merge: which events are written, and what is wrong with it. */
#include "merge/pass.h"

#include "base/num.h"
#include "base/pipe.h"
#include "io/path.h"
#include "io/source.h"
#include "text/jsonscan.h"

#define WINDOW     ((size_t)256 << 10)
#define BLOCK      ((size_t)256 << 10) /* inflated ahead, so many bytes .. */
#define BLOCKS     8                   /* .. times so many */
#define MEMBER_MAX ((size_t)1 << 20)

const char *const az_merge_header_key[HEADERS] = { "schemaVersion", "displayTimeUnit",
                                                   "baseTimeNanoseconds", "deviceProperties" };

/* One reading of one file. */
struct pass {
    struct az_merge *m;
    struct az_merge_rank *r;
    bool writing, source_bad, seen_events;
    struct az_diag *diag;
    struct az_vec_char repaired;
    struct az_source *src;
    struct az_pipe *pipe; /* inflates ahead */
    struct az_jscan scan;
    struct az_jarray array; /* of all its event lists */
};

/* ---- one event ---- */

enum fate { KEEP, PYTHON, TRACE, PROCESS, FILTERED };

static bool chosen(const struct az_merge_opts *o, const struct az_merge_event *e)
{
    struct az_sv cat = az_merge_string(e->cat), name = az_merge_string(e->name);
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

static bool is_metadata(const struct az_merge_event *e) { return az_sv_is(e->ph, "\"M\""); }

static enum fate fate_of(const struct az_merge_opts *o, const struct az_merge_event *e)
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

static bool on_device(struct az_sv cat)
{
    static const char *const cats[] = { "\"kernel\"", "\"gpu_memcpy\"", "\"gpu_memset\"",
                                        "\"gpu_user_annotation\"" };
    for (size_t i = 0; i < AZ_LENGTH(cats); i++)
        if (az_sv_is(cat, cats[i]))
            return true;
    return false;
}

static int note_process(struct az_merge_rank *r, const struct az_merge_event *e, enum fate fate)
{
    uint32_t id;
    if (e->pid.n == 0)
        return 0;
    int rc = az_intern(&r->pids, e->pid, &id);
    if (rc == 0 && id == r->processes.n)
        rc = az_vec_push(&r->processes, (struct az_merge_process){ 0 });
    if (rc)
        return rc;
    struct az_merge_process *p = &r->processes.v[id];
    if (fate == PROCESS && e->labels.n)
        p->label = az_sv_starts(az_merge_string(e->labels), AZ_SV("GPU")) ? DEVICE : HOST;
    if (fate == KEEP && !is_metadata(e)) {
        p->events++;
        p->device |= on_device(e->cat);
    }
    return 0;
}

/* First pass. */
static int note_event(struct az_merge_rank *r, const struct az_merge_event *e, enum fate fate)
{
    struct az_sv cat = az_merge_string(e->cat);
    if (fate == KEEP) {
        r->ids = az_merge_larger(r->ids,
                                 az_merge_larger(az_merge_digits(e->pid), az_merge_digits(e->id)));
        r->correlations = az_merge_larger(r->correlations, az_merge_digits(e->correlation));
        r->externals = az_merge_larger(r->externals, az_merge_digits(e->external));
    }
    if (az_sv_ends(cat, AZ_SV("_runtime")) || az_sv_ends(cat, AZ_SV("_driver"))) {
        r->launches =
            true; /* filtered ones, too: what is linked by what does not depend on a filter */
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
static int write_event(struct pass *p, const struct az_merge_event *e)
{
    struct az_merge *m = p->m;
    int link = az_merge_digits(m->shift.external ? e->external : e->correlation);
    if (az_merge_larger(link, az_merge_larger(az_merge_digits(e->pid), az_merge_digits(e->id))) >=
        (int)m->shift.digits)
        return AZ_ERANGE; /* not in the first pass: the file has changed */
    az_vec_reset(&m->text);
    int rc = az_text_append(&m->text, m->first_event ? AZ_SV("\n") : AZ_SV(",\n"));
    m->first_event = false;
    if (rc == 0)
        rc = az_merge_write(e, &m->shift, &m->text);
    if (rc == 0)
        az_gzfile_puts(m->out, az_text_view(&m->text));
    return rc;
}

/* Called with the cursor after the event's '{'. */
static int on_event(void *ctx, struct az_jscan *s)
{
    struct pass *p = ctx;
    struct az_merge *m = p->m;
    struct az_merge_event e;
    struct az_sv raw;
    bool repaired = false;
    s->p--;
    int rc = az_json_skip(s, &raw);
    if (rc != AZ_JSON_OK)
        return rc;
    if (!az_merge_parse(raw, &e)) {
        repaired = true;
        rc = az_merge_repair(raw, &p->repaired);
        if (rc)
            return rc;
        if (!az_merge_parse(az_text_view(&p->repaired), &e))
            return AZ_JSON_BAD;
    }
    enum fate fate = fate_of(m->opts, &e);
    if (!p->writing)
        return note_event(p->r, &e, fate);
    count(m->result, fate);
    m->result->repaired += repaired && fate == KEEP;
    return fate == KEEP ? write_event(p, &e) : AZ_JSON_OK;
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

static int read_more(void *ctx, void *buf, size_t n, size_t *got)
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

static void distributed_info(struct az_merge_rank *r, struct az_sv raw)
{
    struct az_jview v;
    struct az_sv key, value;
    if (!az_jview_object(&v, raw))
        return;
    while (az_jview_member(&v, &key, &value))
        if (az_sv_is(key, "rank") &&
            (az_parse_i64(value, &r->recorded) || r->recorded < 0 || r->recorded > AZ_RANK_MAX))
            r->recorded = -1;
}

static int member(struct pass *p, struct az_sv key)
{
    struct az_sv raw;
    int h = 0;
    const bool list = az_sv_is(key, "traceEvents"), info = az_sv_is(key, "distributedInfo");
    while (h < HEADERS && !az_sv_is(key, az_merge_header_key[h]))
        h++; /* the key moves with the window */
    if (list && az_jscan_peek(&p->scan) == '[')
        return events(p);
    if (p->writing || (h == HEADERS && !info))
        return az_jscan_skip_value(&p->scan);
    int rc = az_jscan_value(&p->scan, &raw);
    if (rc != AZ_JSON_OK)
        return rc;
    if (info)
        distributed_info(p->r, raw);
    else if (raw.n <= MEMBER_MAX)
        p->r->header[h] = az_arena_dup(&p->r->arena, raw);
    return p->r->arena.failed ? az_arena_error(&p->r->arena) : AZ_JSON_OK;
}

static int read_document(struct pass *p)
{
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(&p->scan), rc = AZ_JSON_OK;
    if (c <= 0)
        return c < 0 ? c : AZ_EEMPTY;
    if (c == '[')
        rc = events(p);
    else
        rc = az_jscan_byte(&p->scan, '{');
    while (c != '[' && rc == AZ_JSON_OK && !p->array.truncated) {
        rc = az_jscan_member(&p->scan, &first, &key);
        if (rc == AZ_JSON_OK)
            rc = member(p, key);
    }
    rc = rc == AZ_JSON_END ? AZ_JSON_OK : rc;
    if (rc == AZ_JSON_OK &&
        !p->array.truncated) { /* to the end, which is where a compressed file reports damage */
        c = az_jscan_peek(&p->scan);
        rc = c > 0 ? AZ_JSON_BAD : c;
    }
    return rc;
}

/* What became of a file: 0 usable (maybe damaged), an error that ends the merge, or AZ_EFORMAT:
 * skipped. Reported once, by the first pass. */
static int verdict(struct pass *p, int rc)
{
    struct az_diag *d = p->diag;
    struct az_where at = AZ_AT_OFFSET(p->r->path, az_jscan_offset(&p->scan)),
                    file = AZ_AT_FILE(p->r->path);
    if (rc == AZ_EINTR || rc == AZ_EIO)
        return rc;
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(d, rc, at, p->m->opts->mem);
    if (p->writing)
        return rc == AZ_ERANGE
                   ? az_diag_fail(d, AZ_EIO, at, "changed while it was read; merge again")
                   : 0;
    if (rc == AZ_EEMPTY)
        return az_diag_fail(d, AZ_EFORMAT, file, "empty file, rank skipped");
    if (!p->seen_events)
        return az_diag_fail(d, AZ_EFORMAT, at, "no readable 'traceEvents', rank skipped");
    p->r->damaged = rc != AZ_JSON_OK || p->array.truncated || p->array.malformed || p->source_bad;
    if (p->array.malformed)
        (void)az_diag_fail(d, AZ_EFORMAT, AZ_AT_OFFSET(p->r->path, p->array.first_bad),
                           "malformed at %llu place(s); merging the %llu complete events",
                           (unsigned long long)p->array.malformed,
                           (unsigned long long)p->array.records);
    if (p->array.truncated || p->source_bad || rc == AZ_JSON_MORE)
        (void)az_diag_fail(d, AZ_EFORMAT, at,
                           "truncated or damaged; merging the %llu events before",
                           (unsigned long long)p->array.records);
    else if (rc != AZ_JSON_OK)
        (void)az_diag_fail(d, AZ_EFORMAT, at, "malformed after the events; merging all %llu events",
                           (unsigned long long)p->array.records);
    return 0;
}

/* Reading ahead pays where inflating does: the second pass has a core to spare. */
static int open_pass(struct pass *p)
{
    const struct az_source_opts o = { .mem = p->m->opts->mem, .diag = p->writing ? NULL : p->diag };
    int rc = az_source_open(&p->src, p->r->path.p, &o);
    if (rc)
        return rc == AZ_EIO && !p->writing ? AZ_EFORMAT : rc; /* the source reported why */
    if (p->writing && az_source_is_gzip(p->src))
        rc = az_pipe_open(&p->pipe, read_source, p, BLOCK, BLOCKS, p->m->opts->mem);
    if (rc == 0)
        rc = az_jscan_init(&p->scan, read_more, p, WINDOW, p->m->opts->mem);
    return rc ? az_diag_memory(p->diag, rc, AZ_AT_FILE(p->r->path), p->m->opts->mem) : 0;
}

int az_merge_read(struct az_merge *m, struct az_merge_rank *r, bool writing)
{
    struct pass p = { .m = m, .r = r, .writing = writing, .array = { .first_bad = -1 } };
    p.diag = writing ? m->diag : &r->diag;
    if (az_path_stat(r->path.p).kind == AZ_PATH_OTHER || az_sv_is(r->path, "-"))
        return az_diag_fail(
            p.diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
            "not a regular file, rank skipped; write it to a file (traces are read twice)");
    az_vec_init(&p.repaired, m->opts->mem);
    int rc = open_pass(&p);
    if (rc == 0) {
        rc = read_document(&p);
        az_pipe_close(p.pipe); /* its thread uses what the verdict reads */
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
    az_vec_release(&p.repaired);
    return rc;
}
