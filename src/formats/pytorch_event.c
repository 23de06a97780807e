/* One event of a PyTorch trace as it is read (spec: PyTorch-profiler report, 1.3, 1.4). */
#include "base/num.h"
#include "formats/pytorch.h"

enum { K_PH = 1, K_CAT, K_NAME, K_PID, K_TID, K_TS, K_DUR, K_ARGS, K_ID };
static const char *const event_keys[] = {
    "ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "bp", "s", NULL
};

enum {
    A_CORR = 1,
    A_EXT,
    A_STREAM,
    A_DEVICE,
    A_DIMS,
    A_TYPES,
    A_STRIDES,
    A_CONCRETE,
    A_SEQ,
    A_FWD,
    A_BYTES,
    A_COLL,
    A_IN_N,
    A_OUT_N,
    A_GROUP,
    A_DTYPE,
    A_IN_SPLIT,
    A_OUT_SPLIT,
    A_PG_NAME,
    A_PG_DESC,
    A_PG_RANKS,
    A_COLL_SEQ,
    A_COLL_SEQ2,
    A_COLL_SEQ3,
    A_DST_RANK,
    A_SRC_RANK,
    A_NAME,
    A_LABELS,
    A_BANDWIDTH,
    A_WAIT_STREAM,
    A_WAIT_CORR,
    A_KERNEL_FILE,
    A_FIRST_IGNORED
};
/* Keys behind `kernel_file` are not wanted; they are listed so that the scanner predicts what follows them. */
static const char *const arg_keys[] = { "correlation",
                                        "External id",
                                        "stream",
                                        "device",
                                        "Input Dims",
                                        "Input type",
                                        "Input Strides",
                                        "Concrete Inputs",
                                        "Sequence number",
                                        "Fwd thread id",
                                        "bytes",
                                        "Collective name",
                                        "In msg nelems",
                                        "Out msg nelems",
                                        "Group size",
                                        "dtype",
                                        "In split size",
                                        "Out split size",
                                        "Process Group Name",
                                        "Process Group Description",
                                        "Process Group Ranks",
                                        "Seq",
                                        "seq",
                                        "Collective sequence number",
                                        "Dst Rank",
                                        "Src Rank",
                                        "name",
                                        "labels",
                                        "memory bandwidth (GB/s)",
                                        "wait_on_stream",
                                        "wait_on_cuda_event_record_corr_id",
                                        "kernel_file",
                                        "Record function id",
                                        "Ev Idx",
                                        "finished",
                                        "cbid",
                                        "cid",
                                        "queued",
                                        "context",
                                        "registers per thread",
                                        "shared memory",
                                        "blocks per SM",
                                        "warps per SM",
                                        "grid",
                                        "block",
                                        "est. achieved occupancy %",
                                        "Python id",
                                        "Python parent id",
                                        "Python module id",
                                        "kind",
                                        "kernel",
                                        "sort_index",
                                        "scope",
                                        "src",
                                        "dst",
                                        "ptr",
                                        "Addr",
                                        "Bytes",
                                        "Device Id",
                                        "Device Type",
                                        "Total Allocated",
                                        "Total Reserved",
                                        "graph node id",
                                        "graph id",
                                        "priority",
                                        "Comms Id",
                                        "kernel_name",
                                        "kernel_hash",
                                        "kernel_backend",
                                        "kernel_kwargs",
                                        "num_warps",
                                        "num_stages",
                                        NULL };

void az_pt_event_keys(struct az_pt_reader *r)
{
    az_jkeys_init(&r->event_keys, event_keys);
    az_jkeys_init(&r->arg_keys, arg_keys);
}

/* A string without its quotes, or any other value as written. */
static int text_value(struct az_jscan *s, struct az_sv *out, bool *escaped)
{
    int rc = az_j_string(s, out, escaped);
    if (rc != AZ_J_BAD)
        return rc;
    *escaped = false;
    return az_j_skip(s, out);
}

/* A number that may be absent or beyond 64 bits. */
static int number(struct az_jscan *s, int64_t *out, bool *has)
{
    bool missing = true;
    int rc = az_j_i64(s, out, &missing);
    *has = !missing;
    return rc;
}

/* A number that is `none` where it is absent. */
static int number_or(struct az_jscan *s, int64_t *out, int64_t none)
{
    bool has;
    int rc = number(s, out, &has);
    *out = has ? *out : none;
    return rc;
}

static int identity(struct az_jscan *s, struct az_pt_id *id)
{
    const char *from = s->p;
    if (*from != '"') {
        int rc = number(s, &id->v, &id->number);
        if (rc != AZ_J_OK || id->number)
            return rc;
        s->p = from;
    }
    return az_j_skip(s, &id->raw);
}

static int collective_text(struct az_jscan *s, struct az_pt_event *e, int k)
{
    bool escaped;
    if (!e->has_coll)
        memset(e->coll, 0, sizeof e->coll);
    e->has_coll = true;
    return text_value(s, &e->coll[k - A_COLL], &escaped);
}

/* Any number; else 0. */
static int real(struct az_jscan *s, double *out)
{
    struct az_sv raw;
    const int rc = az_j_skip(s, &raw);
    if (rc != AZ_J_OK || az_parse_f64(raw, out) != 0)
        *out = 0;
    return rc;
}

static int arg_value(struct az_jscan *s, struct az_pt_event *e, int k)
{
    struct az_sv raw;
    bool escaped;
    switch (k) {
    case A_CORR:
        return number(s, &e->corr, &e->has_corr);
    case A_EXT:
        return number(s, &e->ext, &e->has_ext);
    case A_STREAM:
        return number(s, &e->stream, &e->has_stream);
    case A_DEVICE:
        return number(s, &e->device, &e->has_device);
    case A_SEQ:
        return number_or(s, &e->seq, -1);
    case A_FWD:
        return number_or(s, &e->fwd, 0);
    case A_BYTES:
        return number_or(s, &e->bytes, -1);
    case A_COLL_SEQ:
    case A_COLL_SEQ2:
    case A_COLL_SEQ3:
        return number_or(s, &e->coll_seq, -1);
    case A_DST_RANK:
    case A_SRC_RANK:
        return number_or(s, &e->peer, -1);
    case A_DIMS:
        return az_j_skip(s, &e->dims);
    case A_TYPES:
        return az_j_skip(s, &e->types);
    case A_STRIDES:
        return az_j_skip(s, &e->strides);
    case A_CONCRETE:
        return az_j_skip(s, &e->concrete);
    case A_WAIT_STREAM:
        return number_or(s, &e->wait_stream, -1);
    case A_WAIT_CORR:
        return number_or(s, &e->wait_corr, -1);
    case A_KERNEL_FILE:
        return text_value(s, &e->kernel_file, &e->file_escaped);
    case A_BANDWIDTH:
        return real(s, &e->gbps);
    case A_NAME:
        return text_value(s, &e->arg_name, &escaped);
    case A_LABELS:
        return text_value(s, &e->labels, &escaped);
    default:
        return k >= A_COLL && k <= A_PG_RANKS ? collective_text(s, e, k) : az_j_skip(s, &raw);
    }
}

static int read_args(struct az_pt_reader *r, struct az_jscan *s, struct az_pt_event *e)
{
    struct az_sv raw;
    if (*s->p != '{')
        return az_j_skip(s, &raw);
    if (az_sv_is(e->cat, "cuda_profiler_range"))
        return az_j_skip(s, &e->counters);
    s->p++;
    int k = az_j_first_key(s, &r->arg_keys);
    while (k >= 0) {
        int rc = k < A_FIRST_IGNORED && k != AZ_J_UNKNOWN ? arg_value(s, e, k) : az_j_skip(s, &raw);
        if (rc != AZ_J_OK)
            return rc;
        k = az_j_next_key(s, &r->arg_keys, k);
    }
    return k == AZ_J_END ? AZ_J_OK : k;
}

static int phase(struct az_jscan *s, char *ph)
{
    struct az_sv raw;
    bool escaped;
    int rc = text_value(s, &raw, &escaped);
    *ph = rc == AZ_J_OK && raw.n == 1 ? *raw.p : 0;
    return rc;
}

static int time_value(struct az_jscan *s, int64_t *out, bool *has)
{
    bool missing = true;
    int rc = az_j_decimal(s, 3, out, &missing);
    *has = !missing;
    return rc;
}

static int read_event(struct az_pt_reader *r, struct az_jscan *s, struct az_pt_event *e)
{
    struct az_sv raw;
    bool escaped;
    int rc, k = az_j_first_key(s, &r->event_keys);
    while (k >= 0) {
        switch (k) {
        case K_PH:
            rc = phase(s, &e->ph);
            break;
        case K_CAT:
            rc = text_value(s, &e->cat, &escaped);
            break;
        case K_NAME:
            rc = text_value(s, &e->name, &e->name_escaped);
            break;
        case K_PID:
            rc = identity(s, &e->pid);
            break;
        case K_TID:
            rc = identity(s, &e->tid);
            break;
        case K_ID:
            rc = identity(s, &e->id);
            break;
        case K_TS:
            rc = time_value(s, &e->ts, &e->has_ts);
            break;
        case K_DUR:
            rc = time_value(s, &e->dur, &e->has_dur);
            break;
        case K_ARGS:
            rc = read_args(r, s, e);
            break;
        default:
            rc = az_j_skip(s, &raw);
        }
        if (rc != AZ_J_OK)
            return rc;
        k = az_j_next_key(s, &r->event_keys, k);
    }
    return k == AZ_J_END ? AZ_J_OK : k;
}

int az_pt_event(void *reader, struct az_jscan *s)
{
    struct az_pt_reader *r = reader;
    struct az_pt_event e;
    memset(&e, 0, offsetof(struct az_pt_event, coll));
    e.seq = e.coll_seq = e.peer = e.bytes = e.wait_stream = e.wait_corr = -1;
    int rc = read_event(r, s, &e);
    if (rc != AZ_J_OK)
        return rc;
    rc = az_pt_add(r, &e);
    r->uid++;
    if (r->scratch.head)
        az_arena_reset(&r->scratch);
    return rc;
}
