/* One large, uncompressed trace on several threads. The event array is split at offsets; each part
 * begins at the next place that can be the start of an event and reads up to the first event
 * after its end. A part counts only if the one before it ended exactly where it began; where a
 * nested object was read as an event it did not, and reading goes on from there by one thread.
 * Parts are joined in order, so that the trace is the one a single thread would have made.
 */
#include "base/pool.h"
#include "formats/pytorch/pytorch.h"

#define PARTS_MAX 64
/* Windows of all parts together, and of one at least. */
#define WINDOWS ((size_t)1 << 20)
#define WINDOW  ((size_t)64 << 10)

struct part {
    struct az_pytorch_input in;
    struct az_pytorch_reader reader;
    struct az_trace trace;
    struct az_jscan scan;
    struct az_jarray array;
    int64_t from, start, stop; /* cut; where events begin; next split */
    int rc;
    bool reads; /* reader, trace and scan are to be released */
};

struct split {
    struct az_pytorch_input *in;
    struct az_jscan *scan; /* of the first part, which reads straight into the whole */
    struct az_pytorch_reader *reader;
    struct part *part; /* [0]: only array, stop and rc are used */
    unsigned n;
};

static void read_part(void *ctx, unsigned i)
{
    struct split *x = ctx;
    struct part *p = &x->part[i];
    if (i == 0) {
        p->rc = az_jscan_records_until(x->scan, p->stop, az_pytorch_event_reader(), x->reader,
                                       false, &p->array);
        return;
    }
    p->rc = az_jscan_resync(&p->scan);
    p->start = az_jscan_offset(&p->scan);
    if (p->rc == AZ_JSON_OK)
        p->rc = az_jscan_records_until(&p->scan, p->stop, az_pytorch_event_reader(), &p->reader,
                                       false, &p->array);
}

static int open_part(struct split *x, unsigned i, uint64_t share, size_t window)
{
    struct az_parse *job = x->in->job;
    struct part *p = &x->part[i];
    const struct az_source_opts so = { .mem = job->mem, .raw = true, .start = (uint64_t)p->from };
    p->in = (struct az_pytorch_input){ .job = job, .share = share };
    int rc = az_source_open(&p->in.src, job->files[0].path.p, &so);
    if (rc == 0)
        rc = az_trace_init(&p->trace, job->mem);
    if (rc)
        return rc;
    p->reads = true;
    rc = az_optrace_init(&p->trace, job->opts);
    if (rc == 0)
        rc = az_pytorch_reader_init(&p->reader, &p->trace, job->opts);
    if (rc == 0)
        rc = az_jscan_init(&p->scan, az_pytorch_fill, &p->in, window, job->mem);
    if (rc)
        return rc;
    p->in.room = &p->trace;
    p->scan.base = p->from;
    az_jscan_hint(&p->scan, az_jscan_first_key(x->scan));
    return 0;
}

static void close_part(struct part *p)
{
    az_source_close(p->in.src);
    p->in.src = NULL;
    if (!p->reads)
        return;
    p->reads = false;
    if (p->reader.trace)
        az_pytorch_reader_release(&p->reader);
    az_jscan_release(&p->scan);
    az_trace_release(&p->trace);
}

static void add_array(struct az_jarray *sum, const struct az_jarray *a)
{
    sum->records += a->records;
    sum->malformed += a->malformed;
    sum->skipped_bytes += a->skipped_bytes;
    if (sum->first_bad < 0)
        sum->first_bad = a->first_bad;
    sum->truncated |= a->truncated;
    sum->end_offset = a->end_offset;
}

/* Reading goes on where part p stopped. */
static void move_on(struct split *x, struct part *p)
{
    az_jscan_release(x->scan);
    az_source_close(x->in->src);
    x->in->src = p->in.src;
    x->in->reported = p->in.reported;
    x->in->source_bad = p->in.source_bad;
    x->in->room = NULL; /* what is to come is in the parts */
    *x->scan = p->scan;
    x->scan->ctx = x->in;
    p->in.src = NULL;
    p->scan.window = NULL;
}

/* Joins the parts that fit, in order; what is left of the array is read by this thread. */
static int join_parts(struct split *x)
{
    struct az_jarray *sum = &x->in->array;
    bool ended = false;
    int rc = x->part[0].rc;
    add_array(sum, &x->part[0].array);
    for (unsigned i = 1; rc == AZ_JSON_OK && i < x->n; i++) {
        struct part *p = &x->part[i];
        ended = sum->truncated || *x->scan->p == ']';
        if (ended || p->start != sum->end_offset || p->rc == AZ_JSON_END)
            break; /* what the others read is after the array, or they began in the wrong place */
        rc = p->rc;
        if (rc == AZ_JSON_OK)
            rc = az_pytorch_join(x->reader, &p->reader);
        if (rc != AZ_JSON_OK)
            break;
        add_array(sum, &p->array);
        move_on(x, p);
        close_part(p); /* before the next one is joined: all of it is in the whole now */
        x->in->parts++;
        az_mem_trim(); /* what is free of it stays in the heap of its thread */
    }
    ended = sum->truncated || *x->scan->p == ']';
    if (rc == AZ_JSON_OK && !ended) {
        struct az_jarray rest;
        rc = az_jscan_records_until(x->scan, INT64_MAX, az_pytorch_event_reader(), x->reader, false,
                                    &rest);
        add_array(sum, &rest);
    }
    if (rc == AZ_JSON_OK && !sum->truncated)
        x->scan->p++; /* the array's ']' */
    return rc;
}

static int read_parts(struct split *x, int64_t here, int64_t size, size_t window)
{
    struct az_mem *mem = x->in->job->mem;
    const size_t bytes = x->n * sizeof *x->part;
    x->part = az_mem_alloc(mem, bytes);
    if (!x->part)
        return az_mem_error(mem);
    memset(x->part, 0, bytes);
    if (!window)
        window = WINDOWS / x->n > WINDOW ? WINDOWS / x->n : WINDOW;
    const int64_t share = (size - here) / x->n;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < x->n; i++) {
        x->part[i].from = here + share * i;
        x->part[i].stop = i + 1 < x->n ? here + share * (i + 1) : INT64_MAX;
        rc = i ? open_part(x, i, (uint64_t)share, window) : 0;
    }
    if (rc == 0)
        rc = az_pool_split(x->n, x->n, read_part, x);
    if (rc == 0)
        rc = join_parts(x);
    for (unsigned i = 0; i < x->n; i++)
        close_part(&x->part[i]);
    az_mem_free(mem, x->part, bytes);
    return rc;
}

int az_pytorch_split(struct az_pytorch_input *in, struct az_jscan *s, struct az_pytorch_reader *r,
                     size_t window)
{
    struct split x = { .in = in, .scan = s, .reader = r };
    int rc = az_jscan_byte(s, '['), c = rc == AZ_JSON_OK ? az_jscan_peek(s) : rc;
    if (c >= 0) { /* the first event shows how events begin */
        rc = az_jscan_records_until(s, az_jscan_offset(s) + 1, az_pytorch_event_reader(), r, false,
                                    &in->array);
        c = rc == AZ_JSON_OK ? az_jscan_peek(s) : rc;
    }
    if (c < 0 || in->array.truncated)
        return c < 0 ? c : AZ_JSON_OK;
    const int64_t here = az_jscan_offset(s), size = (int64_t)az_source_size(in->src);
    x.n = in->job->threads < PARTS_MAX ? in->job->threads : PARTS_MAX;
    if (c != '{' || az_jscan_first_key(s).n == 0 || here >= size)
        x.n = 1; /* nothing to split */
    return read_parts(&x, here, size, window);
}
