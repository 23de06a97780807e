/* One event of a PyTorch trace as it is read (docs/formats-pytorch.md 1.3, 1.4): the body of a
 * function that is compiled once for any processor (pytorch_event.c) and once for those with AVX2
 * (pytorch_event_v3.c), each of which defines AZ_PYTORCH_EVENT as its name first. */
#include "formats/pytorch/pytorch.h"

enum { K_PH = 1, K_CAT, K_NAME, K_PID, K_TID, K_ID, K_TS, K_DUR, K_ARGS }; /* event_keys */
#define IGNORED AZ_PYTORCH_ARGS

/* All of these are inlined into one function, so that the cursor stays in a register
 * (text/jsonscan.h). */

/* A string without its quotes, or any other value as written. */
AZ_JC int text_value(struct az_jscan *s, const char **at, struct az_sv *out, bool *escaped)
{
    int rc = az_json_at_string(s, at, out, escaped);
    if (rc != AZ_JSON_BAD)
        return rc;
    *escaped = false;
    return az_json_at_skip(s, at, out);
}

AZ_JC int identity(struct az_jscan *s, const char **at, struct az_pytorch_id *id)
{
    const char *from = *at;
    if (*from != '"') {
        int rc = az_json_at_i64(s, at, &id->v);
        id->number = rc == AZ_JSON_OK;
        if (rc != AZ_JSON_NONE)
            return rc;
        *at = from;
    }
    return az_json_at_skip(s, at, &id->raw);
}

/* The place for an array at p in the table of those known. */
AZ_JC struct az_pytorch_known *known_place(struct az_pytorch_reader *r, const char *p,
                                           const struct az_pytorch_event *e, unsigned arg)
{
    uint64_t head[3], name = arg;
    memcpy(head, p, sizeof head); /* zero bytes are after the data */
    if (e->name.n >= sizeof name)
        memcpy(&name, e->name.p + e->name.n - sizeof name, sizeof name);
    const uint64_t hash = (head[0] ^ (head[1] << 7 | head[1] >> 57) ^
                           (head[2] << 13 | head[2] >> 51) ^ (name + arg) * 3) *
                          UINT64_C(0x9e3779b97f4a7c15);
    return &r->known[hash >> 54];
}

/* An argument of an operator: its text, and its place in the table if it is an array. */
AZ_JC int known_value(struct az_pytorch_reader *r, struct az_jscan *s, const char **at,
                      struct az_pytorch_event *e, unsigned arg)
{
    struct az_sv *out = &e->text[arg - AZ_PYTORCH_NUMBERS];
    struct az_pytorch_known *known = **at == '[' ? known_place(r, *at, e, arg) : NULL;
    e->known[arg - AZ_PYTORCH_DIMS] = known;
    if (known && known->raw.n && known->raw.n < (size_t)(s->end - *at) &&
        memcmp(*at, known->raw.p, known->raw.n) == 0) {
        *out = known->raw;
        *at += known->raw.n;
        return AZ_JSON_OK;
    }
    return az_json_at_skip(s, at, out);
}

/* A number counts as present if it is valid. Texts without their quotes. */
AZ_JC int arg_value(struct az_pytorch_reader *r, struct az_jscan *s, const char **at,
                    struct az_pytorch_event *e, unsigned arg)
{
    struct az_sv raw;
    int rc;
    if (arg < AZ_PYTORCH_NUMBERS) {
        rc = az_json_at_i64(s, at, &e->number[arg]);
        e->given = (e->given & ~AZ_PYTORCH_BIT(arg)) | (rc == AZ_JSON_OK ? AZ_PYTORCH_BIT(arg) : 0);
        return rc < 0 ? rc : AZ_JSON_OK;
    }
    if (arg < AZ_PYTORCH_DIMS + AZ_PYTORCH_KNOWN) {
        e->given |= AZ_PYTORCH_BIT(arg);
        return known_value(r, s, at, e, arg);
    }
    rc = az_json_at_skip(s, at, &raw);
    if (rc == AZ_JSON_OK && arg < IGNORED) {
        if (raw.p[0] == '"' && arg >= AZ_PYTORCH_NAME)
            raw = az_sv_make(raw.p + 1, raw.n - 2);
        e->text[arg - AZ_PYTORCH_NUMBERS] = raw;
        e->given |= AZ_PYTORCH_BIT(arg);
    }
    return rc;
}

AZ_JC int read_args(struct az_pytorch_reader *r, struct az_jscan *s, const char **at,
                    struct az_pytorch_event *e)
{
    const char *from = *at;
    if (*from != '{')
        return arg_value(r, s, at, e, IGNORED);
    ++*at;
    int k = az_json_at_first_key(s, at, &r->arg_keys);
    while (k >= 0) {
        int rc = arg_value(r, s, at, e, r->arg_of[k]);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_at_next_key(s, at, &r->arg_keys, k);
    }
    e->args = az_sv_make(from, (size_t)(*at - from));
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

AZ_JC int time_value(struct az_jscan *s, const char **at, int64_t *out, bool *has)
{
    int rc = az_json_at_decimal(s, at, 3, out);
    *has = rc == AZ_JSON_OK;
    return rc < 0 ? rc : AZ_JSON_OK;
}

AZ_JC int event_value(struct az_pytorch_reader *r, struct az_jscan *s, const char **at,
                      struct az_pytorch_event *e, int k)
{
    struct az_sv raw;
    bool escaped = false;
    int rc;
    switch (k) {
    case K_PH:
    case K_CAT:
    case K_NAME:
        rc = text_value(s, at, &raw, &escaped);
        if (rc != AZ_JSON_OK) /* raw is not set; the event is read again, or skipped */
            return rc;
        if (escaped && k != K_NAME) { /* by valid JSON a letter may be written \u006b */
            raw = az_json_unescape(&r->scratch, raw);
            if (!raw.p)
                return az_arena_error(&r->scratch);
        }
        if (k == K_PH)
            e->ph = raw.n == 1 ? *raw.p : 0;
        else
            *(k == K_CAT ? &e->cat : &e->name) = raw;
        e->name_escaped = k == K_NAME ? escaped : e->name_escaped;
        return rc;
    case K_PID:
    case K_TID:
    case K_ID:
        return identity(s, at, k == K_PID ? &e->pid : k == K_TID ? &e->tid : &e->id);
    case K_TS:
    case K_DUR:
        return k == K_TS ? time_value(s, at, &e->ts, &e->has_ts)
                         : time_value(s, at, &e->dur, &e->has_dur);
    case K_ARGS:
        return read_args(r, s, at, e);
    default:
        return az_json_at_skip(s, at, &raw);
    }
}

static int read_event(struct az_pytorch_reader *r, struct az_jscan *s, struct az_pytorch_event *e)
{
    const char *p = s->p;
    unsigned seen = 0, again = 0; /* bits of keys; 1: any that is not known */
    int rc = AZ_JSON_OK, k = az_json_at_first_key(s, &p, &r->event_keys);
    while (k >= 0 && (rc = event_value(r, s, &p, e, k)) == AZ_JSON_OK) {
        again |= seen & (1u << k);
        seen |= 1u << k;
        k = az_json_at_next_key(s, &p, &r->event_keys, k);
    }
    s->p = p;
    r->duplicate_keys += again > 1;
    return rc != AZ_JSON_OK ? rc : k == AZ_JSON_END ? AZ_JSON_OK : k;
}

int AZ_PYTORCH_EVENT(void *reader, struct az_jscan *s)
{
    struct az_pytorch_reader *r = reader;
    /* One by one: a block of this size is cleared slower than it is read. */
    struct az_pytorch_event e;
    e.ph = 0;
    e.has_ts = e.has_dur = e.name_escaped = false;
    e.given = 0;
    e.cat = e.name = e.args = az_sv_make(NULL, 0);
    e.pid = e.tid = e.id = (struct az_pytorch_id){ .number = false };
    int rc = read_event(r, s, &e);
    if (rc != AZ_JSON_OK)
        return rc;
    rc = r->take ? r->take(r, &e) : az_pytorch_add(r, &e);
    r->uid++;
    if (r->scratch.head)
        az_arena_reset(&r->scratch);
    return rc;
}
