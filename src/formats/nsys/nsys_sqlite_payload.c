/* Payloads of NVTX ranges, of which those of NCCL are read: schemas first, then the bytes of each
 * range (docs/formats-nsight.md 3.8). */
#include "formats/nsys/nsys_sqlite.h"

enum { DOMAIN_ID, SCHEMA, TYPE, NAME, OFFSET, ENTRY_N };
enum { HEADER = 32 }; /* domain, -, schema, - (4 bytes each), size of the payload, of the whole */
enum { MOST_OFFSET = 1 << 20 };

/* Bytes of a value of NVTX's types; of enumerations of the domain's own 4. */
static uint8_t size_of(int64_t type)
{
    static const uint8_t sizes[] = {
        [1] = 1,  [2] = 1,  [3] = 2,  [4] = 2,  [5] = 4,  [6] = 4,  [7] = 8,
        [8] = 8,  [9] = 8,  [10] = 8, [11] = 1, [12] = 1, [13] = 2, [14] = 2,
        [15] = 4, [16] = 4, [17] = 8, [18] = 8, [22] = 8, [23] = 8
    };
    return type >= 0 && type < (int64_t)sizeof sizes ? sizes[type] : type >= 1 << 24 ? 4 : 0;
}

static int take_entry(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    static const char *const names[NSYS_FIELDS] = { "NCCL communicator ID", "Message size [bytes]",
                                                    "Peer rank", "No. of ranks", "Rank" };
    struct az_nsys_payloads *p = ctx;
    const struct az_sv name = az_nsys_text(r, NAME);
    const int64_t at = az_nsys_i64(r, OFFSET); /* the first one has none */
    uint32_t *row, field = 0;
    bool added;
    (void)x;
    while (field < NSYS_FIELDS && !az_sv_is(name, names[field]))
        field++;
    if (field == NSYS_FIELDS || at < 0 || at > MOST_OFFSET)
        return 0;
    int rc = az_vec_reserve(&p->rows, 1);
    if (rc == 0)
        rc = az_map_put(&p->of, (uint64_t)az_nsys_i64(r, DOMAIN_ID),
                        (uint64_t)az_nsys_i64(r, SCHEMA), (uint32_t)p->rows.n, &row, &added);
    if (rc)
        return rc;
    if (added)
        p->rows.v[p->rows.n++] = (struct az_nsys_payload){ .at = { 0 } };
    p->rows.v[*row].at[field] = (uint32_t)at;
    p->rows.v[*row].size[field] = size_of(az_nsys_i64(r, TYPE));
    return 0;
}

int az_nsys_payloads_open(struct az_nsys_payloads *p, struct az_nsys_db *x)
{
    static const struct az_nsys_column want[ENTRY_N] = {
        { "domainId", true }, { "schemaId", true }, { "type", true },
        { "name", true },     { "offset", false },
    };
    az_vec_init(&p->rows, x->job->mem);
    az_map_init(&p->of, x->job->mem, 16);
    return az_nsys_each(x, "NVTX_PAYLOAD_SCHEMA_ENTRIES", want, ENTRY_N, take_entry, p);
}

void az_nsys_payloads_close(struct az_nsys_payloads *p)
{
    az_vec_release(&p->rows);
    az_map_release(&p->of);
}

static uint64_t little_endian(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = n; i-- > 0;)
        v = v << 8 | (uint8_t)p[i];
    return v;
}

/* A value; false if the schema has none, or the payload is too short. */
static bool value_of(const struct az_nsys_payload *s, enum az_nsys_field f, struct az_sv payload,
                     uint64_t *v)
{
    if (s->size[f] == 0 || payload.n < s->size[f] || s->at[f] > payload.n - s->size[f])
        return false;
    *v = little_endian(payload.p + s->at[f], s->size[f]);
    return true;
}

static int64_t number_of(const struct az_nsys_payload *s, enum az_nsys_field f,
                         struct az_sv payload)
{
    uint64_t v;
    if (!value_of(s, f, payload, &v) || v > INT64_MAX || (s->size[f] == 4 && v > INT32_MAX))
        return -1; /* a negative one, too */
    return (int64_t)v;
}

bool az_nsys_payload_read(const struct az_nsys_payloads *p, uint64_t domain, struct az_sv data,
                          struct az_comm_note *out)
{
    if (data.n < HEADER)
        return false;
    const uint32_t row = az_map_get(&p->of, domain, little_endian(data.p + 8, 4));
    const uint64_t size = little_endian(data.p + 16, 8);
    if (row == AZ_NO_ID)
        return false;
    const struct az_nsys_payload *s = &p->rows.v[row];
    const struct az_sv payload =
        az_sv_make(data.p + HEADER, size < data.n - HEADER ? (size_t)size : data.n - HEADER);
    *out = (struct az_comm_note){ .bytes = number_of(s, NSYS_BYTES, payload),
                                  .peer = number_of(s, NSYS_PEER, payload),
                                  .ranks = number_of(s, NSYS_RANKS, payload),
                                  .rank = number_of(s, NSYS_RANK, payload) };
    if (!value_of(s, NSYS_COMM, payload, &out->comm))
        out->comm = 0;
    return out->comm != 0;
}
