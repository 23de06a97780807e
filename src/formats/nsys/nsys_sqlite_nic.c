/* What an SQLite export has sampled of network adapters, as counters of no device
 * (docs/formats-nsight.md 3.6). */
#include "base/num.h"
#include "formats/nsys/nsys_sqlite.h"

struct nics {
    struct az_map metric;  /* (list, place in it) -> id of the metric's name */
    struct az_map counter; /* (adapter, id of the metric's name) -> id of the counter's */
};

enum { LIST, PLACE, NAME, UNIT, NAME_N };

static int take_name(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct nics *k = ctx;
    const struct az_sv unit = az_sv_trim(az_nsys_text(r, UNIT)),
                       name = az_sv_trim(az_nsys_text(r, NAME));
    const bool has = unit.n && az_sv_find(name, AZ_SV("[")) < 0;
    const struct az_sv text =
        az_arena_printf(&x->scratch, has ? "%.*s [%.*s]" : "%.*s", AZ_SVF(name), AZ_SVF(unit));
    uint32_t *at;
    bool added;
    if (!text.p)
        return az_arena_error(&x->scratch);
    const uint32_t id = az_trace_name(x->t, text);
    return az_map_put(&k->metric, (uint64_t)az_nsys_i64(r, LIST), (uint64_t)az_nsys_i64(r, PLACE),
                      id, &at, &added);
}

enum { START, ADAPTER, OF_LIST, OF_PLACE, VALUE, SAMPLE_N };

/* "NIC 5: Bytes received", of a metric that no list has: by its place. */
static int counter_name(struct az_nsys_db *x, struct nics *k, const struct az_nsys_row *r,
                        uint32_t *name)
{
    const uint64_t adapter = (uint64_t)az_nsys_i64(r, ADAPTER);
    const int64_t list = az_nsys_i64(r, OF_LIST), place = az_nsys_i64(r, OF_PLACE);
    const uint32_t metric = az_map_get(&k->metric, (uint64_t)list, (uint64_t)place);
    const uint64_t key =
        metric == AZ_NO_ID ? ((uint64_t)list << 32 ^ (uint64_t)place) | 1ull << 63 : metric;
    uint32_t *at;
    bool added;
    *name = az_map_get(&k->counter, adapter, key);
    if (*name != AZ_NO_ID)
        return 0;
    const struct az_sv text =
        metric == AZ_NO_ID
            ? az_arena_printf(&x->scratch, "NIC %llx: metric %lld", (unsigned long long)adapter,
                              (long long)place)
            : az_arena_printf(&x->scratch, "NIC %llx: %.*s", (unsigned long long)adapter,
                              AZ_SVF(az_trace_text(x->t, metric)));
    if (!text.p)
        return az_arena_error(&x->scratch);
    *name = az_trace_name(x->t, text);
    return az_map_put(&k->counter, adapter, key, *name, &at, &added);
}

static int take_sample(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    uint32_t name;
    x->t->read++;
    if (!az_nsys_is_number(r, START) || !az_nsys_is_number(r, VALUE)) {
        az_trace_dropped(x->t, AZ_DROP_LOST, "samples of counters without a number", 1, 0);
        return 0;
    }
    const int rc = counter_name(x, ctx, r, &name);
    return rc ? rc
              : az_trace_sample(x->t, name, -1, az_nsys_i64(r, START),
                                sqlite3_value_double(r->value[r->at[VALUE]]));
}

int az_nsys_read_nics(struct az_nsys_db *x)
{
    static const struct az_nsys_column names[NAME_N] = {
        { "metricsListId", true }, { "metricsIdx", true }, { "name", true }, { "unit", false }
    };
    static const struct az_nsys_column rows[SAMPLE_N] = { { "start", true },
                                                          { "globalId", false },
                                                          { "metricsListId", true },
                                                          { "metricsIdx", true },
                                                          { "value", true } };
    struct nics k = { 0 };
    az_map_init(&k.metric, x->job->mem, 16);
    az_map_init(&k.counter, x->job->mem, 16);
    int rc = az_nsys_each(x, "TARGET_INFO_NETWORK_METRICS", names, NAME_N, take_name, &k);
    if (rc == 0)
        rc = az_nsys_each(x, "NET_NIC_METRIC", rows, SAMPLE_N, take_sample, &k);
    az_map_release(&k.metric);
    az_map_release(&k.counter);
    return rc;
}
