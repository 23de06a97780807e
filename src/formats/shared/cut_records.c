/* Copies without the records outside a window: see the header. */
#include "formats/shared/cut_records.h"

#include "base/num.h"
#include "base/pipe.h"
#include "formats/shared/cut_journal.h"
#include "formats/shared/cut_output.h"
#include "model/cut_sieve.h"
#include "text/jsonscan.h"

struct reading {
    struct az_cut *cut;
    int (*parse)(struct az_parse *);
    struct az_trace *t;
    struct az_cut_log *log;
    struct az_cut_journal *journal; /* NULL: the file is read twice */
};

static bool is_cancelled(void *ctx)
{
    const struct az_cut *cut = ctx;
    return cut->cancelled && cut->cancelled();
}

struct az_parse az_cut_parse(struct az_cut *cut, const struct az_file *file, struct az_trace *t)
{
    return (struct az_parse){ .files = file,
                              .n_files = 1,
                              .opts = cut->opts,
                              .trace = t,
                              .diag = cut->diag,
                              .mem = cut->mem,
                              .cancelled = is_cancelled,
                              .ctx = cut,
                              .threads = 1 };
}

static int parse_file(const struct reading *x, struct az_diag *diag)
{
    struct az_cut *cut = x->cut;
    const struct az_file file = { .path = cut->in };
    struct az_parse p = az_cut_parse(cut, &file, x->t);
    p.files = cut->n_files ? cut->files : &file;
    p.n_files = cut->n_files ? cut->n_files : 1;
    p.diag = diag;
    const int rc = x->parse(&p);
    x->log->now = 0;
    return rc;
}

int az_cut_begin(struct az_cut *cut, struct az_trace *t, struct az_cut_log *log)
{
    const int rc = az_trace_init(t, cut->mem);
    az_cut_log_init(log, cut->mem);
    if (rc)
        return rc;
    t->path = cut->in;
    t->window = cut->window;
    t->cut_log = log;
    for (int k = 0; k < AZ_KIND_COUNT; k++)
        az_trace_columns(t, (enum az_kind)k, 0);
    return AZ_OK;
}

static int begin_reading(const struct reading *x, struct az_sieve *sieve)
{
    const int rc = az_cut_begin(x->cut, x->t, x->log);
    x->log->sieve = sieve;
    return rc;
}

static int end_reading(const struct reading *x, int rc, struct az_diag *diag)
{
    struct az_trace *t = x->t;
    const struct az_window *window = t->window;
    if (rc == 0)
        rc = az_trace_finalize(t);
    t->window = NULL;
    t->cut_log = NULL;
    if (rc == 0 && window)
        rc = az_window_check(diag, x->cut->in, window, t, (enum az_window_miss)t->window_miss);
    return rc;
}

int az_cut_reject_option(struct az_cut *cut)
{
    return cut->keep == AZ_CUT_ALL
               ? AZ_OK
               : az_diag_fail(cut->diag, AZ_EUSAGE, AZ_AT_FILE(cut->in),
                              "--keep is for PyTorch traces; use a window without it");
}

int az_cut_read(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                struct az_cut_log *log)
{
    const struct reading x = { cut, parse, t, log, NULL };
    int rc = begin_reading(&x, NULL);
    if (rc == 0)
        rc = az_cut_reject_option(cut);
    return rc ? rc : end_reading(&x, parse_file(&x, cut->diag), cut->diag);
}

/* ---- in two readings ---- */

/* The whole recording as one event, which a window in times is relative to. */
static int add_recording(const struct reading *x, struct az_sieve *s)
{
    const struct az_lane lane = { .device = -1, .label = AZ_NO_ID };
    struct az_event whole = {
        .start = s->first, .end = s->last, .name = AZ_NO_ID, .side = AZ_NO_ROW
    };
    if (s->first > s->last)
        return AZ_OK;
    int rc = az_trace_lane(x->t, &lane, &whole.lane);
    x->log->sieve = NULL;
    if (rc == 0)
        rc = az_trace_add(x->t, AZ_OVERHEAD, &whole);
    x->log->sieve = s;
    return rc;
}

static int parse_once(const struct reading *x, struct az_diag *diag)
{
    int rc = x->journal ? az_cut_journal_begin(x->journal, x->t, x->log) : AZ_OK;
    if (rc == 0)
        rc = parse_file(x, diag);
    return rc || !x->journal ? rc : az_cut_journal_end(x->journal);
}

/* *whole: the file holds a window itself, and is read as a whole. */
static int read_once(const struct reading *x, struct az_sieve *s, bool *whole, struct az_diag *diag)
{
    int rc = begin_reading(x, s);
    if (rc == 0)
        rc = parse_once(x, diag);
    *whole = x->t->recorded_window.n > 0;
    if (rc || *whole)
        return rc;
    s->counters &= !x->log->seen[AZ_KERNEL];
    rc = add_recording(x, s);
    rc = end_reading(x, rc, diag);
    return rc ? rc : az_sieve_settle(s);
}

static void release_reading(const struct reading *x)
{
    az_trace_release(x->t);
    az_cut_log_release(x->log);
}

/* Device work that only counters show is known as such when all is read. */
static int find_window(const struct reading *x, struct az_sieve *s, bool *whole)
{
    struct az_diag diag;
    az_diag_init(&diag);
    int rc = read_once(x, s, whole, &diag);
    if (s->counters && !*whole && (rc == 0 || rc == AZ_EEMPTY)) {
        az_diag_release(&diag);
        az_diag_init(&diag);
        release_reading(x);
        az_sieve_release(s);
        az_sieve_init(s, x->cut->window, x->cut->mem);
        s->counted = true;
        rc = read_once(x, s, whole, &diag);
    }
    if (rc || (x->journal && !*whole)) /* else the second reading has them as well */
        az_diag_append(x->cut->diag, &diag);
    az_diag_release(&diag);
    return rc;
}

/* The second reading, of the file or of the journal. */
static int read_again(const struct reading *x, bool whole)
{
    return x->journal && !whole ? az_cut_journal_replay(x->journal, x->t, x->log, x->cut->cancelled)
                                : parse_file(x, x->cut->diag);
}

static int read_sifted(const struct reading *x)
{
    struct az_cut *cut = x->cut;
    struct az_sieve s;
    bool whole = false;
    int rc = begin_reading(x, NULL);
    az_sieve_init(&s, cut->window, cut->mem);
    if (rc == 0)
        rc = az_cut_reject_option(cut);
    if (rc == 0) {
        release_reading(x);
        rc = find_window(x, &s, &whole);
    }
    if (rc == 0) {
        release_reading(x);
        rc = begin_reading(x, whole ? NULL : &s);
        rc = end_reading(x, rc ? rc : read_again(x, whole), cut->diag);
    }
    x->log->sieve = NULL;
    az_sieve_release(&s);
    return rc;
}

int az_cut_read_twice(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                      struct az_cut_log *log)
{
    const struct reading x = { cut, parse, t, log, NULL };
    return read_sifted(&x);
}

int az_cut_read_journal(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                        struct az_cut_log *log)
{
    struct az_cut_journal journal;
    const struct reading x = { cut, parse, t, log, &journal };
    az_cut_journal_init(&journal, cut->mem);
    const int rc = read_sifted(&x);
    az_cut_journal_release(&journal);
    return rc;
}

/* ---- records ---- */

void az_cut_count(struct az_cut *cut, const struct az_trace *t, const struct az_cut_log *log)
{
    const struct az_events *sums = &t->ev[AZ_GAP_FRAME];
    for (size_t i = 0; i < log->what.n; i++) {
        cut->read += az_cut_log_count(log, i);
        cut->kept += az_cut_log_is_gone(log, i) ? 0 : az_cut_log_count(log, i);
    }
    cut->read += log->joined;
    for (size_t i = 0; log->joined && i < sums->n; i++)
        cut->kept += sums->corr[i] - 1;
}

/* Ends a record of sums, so that those of a window are not kept for one of them. */
#define JOINED_MOST 256

static bool join_record(struct az_trace *t, uint32_t lane, int64_t start, int64_t end)
{
    struct az_cut_log *log = t->cut_log;
    struct az_events *e = &t->ev[AZ_GAP_FRAME];
    const size_t i = e->n - 1;
    if (!e->n || log->now < 2 || e->uid[i] != log->now - 1 || e->lane[i] != lane ||
        e->corr[i] == JOINED_MOST)
        return false;
    e->start[i] = start < e->start[i] ? start : e->start[i];
    e->end[i] = end > e->end[i] ? end : e->end[i];
    e->corr[i]++;
    log->joined++;
    log->what.n--;
    log->from.n--;
    log->to.n--;
    log->to.v[log->to.n - 1] = log->to.v[log->to.n];
    log->now--;
    return true;
}

int az_cut_sum(struct az_trace *t, uint32_t lane, int64_t start, int64_t end)
{
    const struct az_event e = {
        .start = start, .end = end, .lane = lane, .name = AZ_NO_ID, .side = AZ_NO_ROW, .corr = 1
    };
    az_trace_columns(t, AZ_GAP_FRAME, AZ_COL_CORR);
    return join_record(t, lane, start, end) ? AZ_OK : az_trace_add(t, AZ_GAP_FRAME, &e);
}

/* A record of which the log has its events only. */
static int pass_record(struct az_cut_log *log, struct az_jscan *s,
                       int (*read)(void *ctx, struct az_jscan *s), void *ctx)
{
    const uint64_t from = (uint64_t)az_jscan_offset(s) - 1;
    const int rc = read(ctx, s);
    const int added =
        log->record(log->ctx, from, rc == AZ_JSON_OK ? (uint64_t)az_jscan_offset(s) : 0);
    return added ? added : rc;
}

int az_cut_json_record(struct az_cut_log *log, struct az_jscan *s,
                       int (*read)(void *ctx, struct az_jscan *s), void *ctx)
{
    if (log && log->record)
        return pass_record(log, s, read, ctx);
    if (!log || (log->sieve && log->sieve->finding))
        return read(ctx, s);
    int rc = az_cut_log_begin(log, (uint64_t)az_jscan_offset(s) - 1, 0);
    if (rc)
        return rc;
    rc = read(ctx, s);
    if (rc == AZ_JSON_OK) {
        az_cut_log_end(log, (uint64_t)az_jscan_offset(s));
    } else {
        log->open = false;
        log->now = 0;
        az_cut_log_part(log);
        log->what.n--;
        log->from.n--;
        log->to.n--;
        log->count.n -= log->count.n > 0;
    }
    return rc;
}

/* ---- the window ---- */

struct az_sv az_cut_spans_text(const struct az_trace *t, struct az_arena *a)
{
    struct az_vec_char text;
    az_vec_init(&text, t->mem);
    az_text_add(&text, AZ_SV("["));
    for (size_t i = 0; i < t->recorded_window.n; i++) {
        const struct az_span *s = &t->recorded_window.v[i];
        az_text_format(&text, "%s[%lld, %lld", i ? ", " : "", (long long)s->start,
                       (long long)s->end);
        if (i < t->window_process.n)
            az_text_format(&text, ", %llu", (unsigned long long)t->window_process.v[i]);
        az_text_add(&text, AZ_SV("]"));
    }
    az_text_add(&text, AZ_SV("]"));
    const struct az_sv found =
        az_vec_error(&text) ? az_sv_make(NULL, 0) : az_arena_dup(a, az_text_view(&text));
    az_vec_release(&text);
    return found;
}

static int read_span(struct az_trace *t, struct az_sv raw)
{
    struct az_jview list;
    struct az_sv number[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
    struct az_span s;
    uint64_t process;
    size_t n = 0;
    if (!az_jview_array(&list, raw))
        return AZ_OK;
    while (n < 3 && az_jview_next(&list, &number[n]))
        n++;
    if (n < 2 || az_parse_i64(number[0], &s.start) != 0 || az_parse_i64(number[1], &s.end) != 0 ||
        s.end < s.start)
        return AZ_OK;
    const int rc = az_vec_push(&t->recorded_window, s);
    return rc || n < 3 || az_parse_u64(number[2], &process) != 0
               ? rc
               : az_vec_push(&t->window_process, process);
}

int az_cut_spans_read(struct az_trace *t, struct az_sv raw)
{
    struct az_jview list;
    struct az_sv item;
    int rc = AZ_OK;
    if (!az_jview_array(&list, raw))
        return rc;
    while (rc == 0 && az_jview_next(&list, &item))
        rc = read_span(t, item);
    if (t->window_process.n != t->recorded_window.n)
        az_vec_reset(&t->window_process);
    return rc;
}

/* ---- JSON ---- */

#define BLOCK ((size_t)256 << 10)

struct copying {
    struct az_cut *cut;
    const struct az_cut_log *log;
    struct az_cut_output output;
    struct az_sv window;     /* to write after the first brace; empty: written */
    struct az_sv extra;      /* the same before the bracket after the last record */
    struct az_vec_char held; /* white space and a comma that may go with a record */
    uint64_t at;             /* bytes read */
    size_t record;           /* the next one that ends after that */
    char last;               /* byte written, but white space and commas; 0: none */
    bool left_out;           /* a record, since `held` began */
    struct {                 /* where it is in several records that are omitted */
        size_t depth;
        bool quoted, escaped;
    } skipped;
};

static void put_bytes(struct copying *c, const char *p, size_t n)
{
    az_cut_output_put(&c->output, az_sv_make(p, n));
}

/* Where a record was omitted, one comma is left between two others, and none at an end. */
static void put_held(struct copying *c, char next)
{
    const bool end = next == ']' || next == '}' || c->last == '[' || c->last == '{';
    bool comma = false;
    for (size_t i = 0; i < c->held.n; i++) {
        if (c->held.v[i] != ',') {
            if (!c->left_out || i == 0 || c->held.v[i - 1] == ',')
                put_bytes(c, &c->held.v[i], 1);
            continue;
        }
        if (!c->left_out || (!end && !comma))
            put_bytes(c, ",", 1);
        comma = true;
    }
    c->held.n = 0;
    c->left_out = false;
}

static int put_byte(struct copying *c, const char *p)
{
    if (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == ',')
        return az_vec_push(&c->held, *p);
    put_held(c, *p);
    if (c->extra.n && *p == ']' && c->log->what.n && c->record >= c->log->what.n) {
        put_bytes(c, ",\n", c->last == '[' ? 0 : 2);
        put_bytes(c, c->extra.p, c->extra.n);
        c->extra.n = 0;
    }
    put_bytes(c, p, 1);
    c->last = *p;
    if (*p == '{' && c->window.n) {
        put_bytes(c, "\"" AZ_CUT_KEY "\": ", sizeof AZ_CUT_KEY + 3);
        put_bytes(c, c->window.p, c->window.n);
        put_bytes(c, ",\n", 2);
        c->window.n = 0;
    }
    return AZ_OK;
}

/* Bytes of a record that is kept, or between two. */
static int put_text(struct copying *c, const char *p, size_t n, bool inside)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (inside && !c->held.n) { /* a record in one piece */
            put_bytes(c, p + i, n - i);
            c->last = '"';
            return AZ_OK;
        }
        rc = put_byte(c, p + i);
    }
    return rc;
}

/* Records that are kept one after the other, with what is between them, in one piece: to the end of
 * the last one of them in the chunk. Returns its bytes. */
static size_t put_run(struct copying *c, struct az_sv chunk)
{
    const struct az_cut_log *log = c->log;
    size_t i = c->record;
    while (i < log->what.n && log->to.v[i] <= c->at + chunk.n && !az_cut_log_is_gone(log, i))
        i++;
    if (i == c->record)
        return 0;
    const size_t n = (size_t)(log->to.v[i - 1] - c->at);
    put_held(c, '{');
    put_bytes(c, chunk.p, n);
    c->last = '}';
    c->record = i;
    return n;
}

/* Several records are omitted: what is between two of them counts as if each were by itself. */
static int skip_text(struct copying *c, const char *p, size_t n)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const char b = p[i];
        if (c->skipped.quoted) {
            c->skipped.quoted = c->skipped.escaped || b != '"';
            c->skipped.escaped = !c->skipped.escaped && b == '\\';
            continue;
        }
        const bool opens = b == '{' || b == '[', closes = b == '}' || b == ']';
        c->left_out |= opens;
        c->skipped.quoted = b == '"';
        c->skipped.depth += opens;
        if (!c->skipped.depth)
            rc = put_byte(c, p + i);
        c->skipped.depth -= closes && c->skipped.depth;
    }
    return rc;
}

static int copy_chunk(struct copying *c, struct az_sv chunk)
{
    const struct az_cut_log *log = c->log;
    int rc = AZ_OK;
    while (rc == 0 && chunk.n) {
        while (c->record < log->what.n && log->to.v[c->record] <= c->at)
            c->record++;
        const bool more = c->record < log->what.n;
        const bool inside = more && log->from.v[c->record] <= c->at;
        const uint64_t until = !more    ? UINT64_MAX
                               : inside ? log->to.v[c->record]
                                        : log->from.v[c->record];
        size_t n = inside ? put_run(c, chunk) : 0;
        if (n == 0) {
            n = until - c->at < chunk.n ? (size_t)(until - c->at) : chunk.n;
            const bool gone = inside && az_cut_log_is_gone(log, c->record);
            c->left_out |= gone;
            if (!gone)
                rc = put_text(c, chunk.p, n, inside);
            else if (log->what.v[c->record] & AZ_RECORD_APART)
                rc = skip_text(c, chunk.p, n);
        }
        c->at += n;
        chunk = az_sv_make(chunk.p + n, chunk.n - n);
    }
    return rc;
}

static int read_source(void *ctx, void *buf, size_t n, size_t *got)
{
    return az_source_read(ctx, buf, n, got);
}

/* What the source has, to the end. */
static int copy_source(struct copying *c, struct az_source *src)
{
    struct az_pipe *pipe = NULL;
    struct az_sv chunk = AZ_SV("");
    char *block = az_source_is_gzip(src) ? az_mem_alloc(c->cut->mem, BLOCK) : NULL;
    /* inflating, and packing what is kept, take as long as reading: they are done at once */
    if (block && az_pipe_open(&pipe, read_source, src, BLOCK, 4, c->cut->mem) != 0)
        pipe = NULL;
    int rc = AZ_OK;
    do {
        if (c->cut->cancelled && c->cut->cancelled())
            rc = AZ_EINTR;
        else if (pipe)
            rc = az_pipe_read(pipe, block, BLOCK, &chunk.n);
        else
            rc = az_source_next(src, &chunk);
        if (pipe)
            chunk.p = block;
        if (rc == 0)
            rc = copy_chunk(c, chunk);
    } while (rc == 0 && chunk.n);
    az_pipe_close(pipe);
    az_mem_free(c->cut->mem, block, block ? BLOCK : 0);
    return rc;
}

static int copy_all(struct copying *c)
{
    const struct az_source_opts so = { .mem = c->cut->mem,
                                       .diag = c->cut->diag,
                                       .keeps_parts = true };
    struct az_source *src = NULL;
    const size_t errors = c->cut->diag->errors;
    int rc = az_source_open(&src, c->cut->in.p, &so);
    if (rc == 0)
        rc = copy_source(c, src);
    if (rc == AZ_EFORMAT && c->cut->diag->errors == errors)
        rc = az_diag_fail(c->cut->diag, rc, AZ_AT_FILE(c->cut->in),
                          "truncated or invalid; nothing was written; unpack it and cut the "
                          "result");
    if (src)
        az_source_close(src);
    if (rc == 0)
        put_held(c, '}');
    return rc;
}

int az_cut_json(struct az_cut *cut, const struct az_trace *t, const struct az_cut_log *log)
{
    struct az_arena a;
    struct copying c = { .cut = cut, .log = log, .extra = cut->extra };
    az_arena_init(&a, cut->mem);
    az_vec_init(&c.held, cut->mem);
    c.window = az_cut_spans_text(t, &a);
    int rc = c.window.p ? AZ_OK : az_arena_error(&a);
    if (rc == 0)
        rc = az_cut_output_open(&c.output, cut->out, cut->mem, cut->diag);
    if (rc == 0)
        rc = az_cut_output_close(&c.output, copy_all(&c));
    if (rc == 0)
        az_cut_count(cut, t, log);
    az_vec_release(&c.held);
    az_arena_release(&a);
    return rc;
}
