#include "analyses/operators/details.h"

#include "base/num.h"
#include "base/utf8.h"
#include "facts/groups.h"
#include "text/text_writer.h"

#include <math.h>

/* Lists of kernels of the job: tables of operations have the same ones. */
static struct az_text_set *kept_texts(struct az_framework *fw, struct az_arena *arena)
{
    if (!fw->texts) {
        fw->texts = az_arena_alloc(arena, sizeof *fw->texts);
        if (fw->texts)
            az_text_set_init(fw->texts, arena);
    }
    return fw->texts;
}

int az_framework_details_init(struct az_framework_details *d, struct az_framework *fw,
                              struct az_arena *arena, struct az_mem *mem)
{
    size_t names = fw->trace->names.text.n + 1;
    *d = (struct az_framework_details){ .fw = fw, .kept = kept_texts(fw, arena), .mem = mem };
    az_vec_init(&d->text, mem);
    az_vec_init(&d->brief, mem);
    az_vec_init(&d->names, mem);
    d->place = az_mem_alloc(mem, names * sizeof *d->place);
    if (!d->place || !d->kept)
        return d->kept ? az_mem_error(mem) : az_arena_error(arena);
    memset(d->place, 0, names * sizeof *d->place);
    return 0;
}

void az_framework_details_release(struct az_framework_details *d)
{
    size_t names = d->fw->trace->names.text.n + 1;
    az_mem_free(d->mem, d->place, names * sizeof *d->place);
    az_vec_release(&d->names);
    az_vec_release(&d->text);
    az_vec_release(&d->brief);
}

struct entries {
    struct az_map slot;       /* (name, occurrence) -> entry, but for the first occurrences */
    struct az_vec_u32 of;     /* event -> entry */
    struct az_vec_i64 length; /* event -> ticks */
    struct az_vec_u32 first;  /* entry -> gpu number of its first event */
};

/* What is known of a name, until that of another is requested; NULL without memory. */
static struct az_framework_details_name *name_of(struct az_framework_details *d, uint32_t name)
{
    uint32_t *place = &d->place[name];
    if (*place == 0) {
        if (az_vec_push(&d->names, ((struct az_framework_details_name){ 0 })) != 0)
            return NULL;
        *place = (uint32_t)d->names.n;
    }
    return &d->names.v[*place - 1];
}

/* The entry of an event of that name, the one after `times` others in its launch. */
static int entry_of(struct az_framework_details *d, struct entries *e, uint32_t name,
                    struct az_framework_details_name *n, uint32_t gpu, uint32_t *entry)
{
    const uint32_t times = n->times++;
    bool added = times == 0 && n->list != d->list;
    uint32_t *at = &n->entry;
    int rc = 0;
    if (times)
        rc = az_map_put(&e->slot, name, times, (uint32_t)e->first.n, &at, &added);
    else if (added)
        *n = (struct az_framework_details_name){ n->launch, n->times, d->list,
                                                 (uint32_t)e->first.n };
    if (rc == 0 && added)
        rc = az_vec_push(&e->first, gpu);
    *entry = rc ? 0 : *at;
    return rc;
}

/* There is room for its events. */
static int add_run(struct az_framework_details *d, struct entries *e, const struct az_gpu_run *run)
{
    int rc = 0;
    d->launch++;
    for (size_t i = 0; rc == 0 && i < run->n; i++) {
        const struct az_event v = az_gpu_event(d->fw->tree, run->gpu[i]);
        const uint32_t name = v.name == AZ_NO_ID ? (uint32_t)d->fw->trace->names.text.n : v.name;
        struct az_framework_details_name *n = name_of(d, name);
        if (!n)
            return az_mem_error(d->mem);
        if (n->launch != d->launch) {
            n->launch = d->launch;
            n->times = 0;
        }
        rc = entry_of(d, e, name, n, run->gpu[i], &e->of.v[e->of.n]);
        e->of.n++;
        e->length.v[e->length.n++] = v.end - v.start;
    }
    return rc;
}

static int make_room(struct entries *e, const struct az_gpu_run *runs, size_t n)
{
    size_t events = 0;
    for (size_t i = 0; i < n; i++)
        events += runs[i].n;
    const int rc = az_vec_reserve(&e->of, events);
    return rc ? rc : az_vec_reserve(&e->length, events);
}

/* key: with the comma before and the colon after it. */
static void put_number(struct az_vec_char *w, struct az_sv key, double v)
{
    az_text_add(w, key);
    az_text_number(w, v);
}

/* Population deviation; the order of the values does not matter to it but for rounding. */
static double deviation_of(const int64_t *v, const struct az_stats *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += ((double)v[i] - s->mean) * ((double)v[i] - s->mean);
    return sqrt(sum / (double)s->n);
}

static void put_entry(struct az_framework_details *d, struct az_sv open, uint32_t gpu,
                      const struct az_stats *s, double deviation)
{
    const struct az_trace *t = d->fw->trace;
    struct az_event v = az_gpu_event(d->fw->tree, gpu);
    struct az_sv name = az_framework_text(d->fw, v.name, ""), cut = az_utf8_cut(name, 64);
    double us = 1.0 / (1e3 * (double)t->ticks_per_ns);
    struct az_vec_char *w = &d->text, *brief = &d->brief;
    az_text_add(w, open);
    az_text_quoted(w, name);
    az_text_format(w, ",\"stream\":%lld,\"count\":%zu", (long long)az_lane_stream(t, v.lane), s->n);
    put_number(w, AZ_SV(",\"total_duration_us\":"), az_us(t, s->sum));
    put_number(w, AZ_SV(",\"mean_duration_us\":"), s->mean * us);
    put_number(w, AZ_SV(",\"median_duration_us\":"), s->median * us);
    put_number(w, AZ_SV(",\"std_dev_duration_us\":"), deviation * us);
    put_number(w, AZ_SV(",\"min_duration_us\":"), az_us(t, s->min));
    put_number(w, AZ_SV(",\"max_duration_us\":"), az_us(t, s->max));
    az_text_add(w, AZ_SV("}"));
    az_text_add(brief, open);
    if (cut.n < name.n) {
        az_text_quoted(brief, cut);
        brief->n -= !brief->failed; /* its quote */
        az_text_add(brief, AZ_SV("...\""));
    } else {
        az_text_quoted(brief, name);
    }
    az_text_format(brief, ",\"stream\":%lld,\"mean_duration_us\":%.2f}",
                   (long long)az_lane_stream(t, v.lane), s->mean * us);
}

/* The events of each entry; of an only one they need not be sorted out. */
static int put_entries(struct az_framework_details *d, struct entries *e)
{
    struct az_groups g = { 0 };
    const bool only = e->first.n == 1;
    int rc = only ? 0 : az_groups_make(&g, e->of.v, e->of.n, e->first.n, d->mem);
    for (size_t k = 0; rc == 0 && k < e->first.n; k++) {
        struct az_stats s;
        int64_t *v = only ? e->length.v : g.value;
        az_stats_i64(v, only ? e->length.n : az_groups_gather(&g, k, e->length.v), &s);
        put_entry(d, k ? AZ_SV(",{\"name\":") : AZ_SV("{\"name\":"), e->first.v[k], &s,
                  deviation_of(v, &s));
    }
    az_groups_release(&g);
    return rc;
}

static int write_entries(struct az_framework_details *d, struct entries *e, struct az_sv *full,
                         struct az_sv *brief)
{
    az_text_set_begin(&d->text);
    az_text_set_begin(&d->brief);
    az_text_add(&d->text, AZ_SV("["));
    az_text_add(&d->brief, AZ_SV("["));
    const int rc = put_entries(d, e);
    az_text_add(&d->text, AZ_SV("]"));
    az_text_add(&d->brief, AZ_SV("]"));
    if (rc || d->text.failed || d->brief.failed)
        return rc ? rc : az_mem_error(d->mem);
    *full = az_text_set_end(d->kept, &d->text);
    *brief = az_text_set_end(d->kept, &d->brief);
    return full->p && brief->p ? 0 : az_arena_error(d->kept->arena);
}

int az_framework_details_make(struct az_framework_details *d, const struct az_gpu_run *runs,
                              size_t n, struct az_sv *full, struct az_sv *brief)
{
    struct entries e;
    *full = *brief = AZ_SV("");
    az_vec_init(&e.of, d->mem);
    az_vec_init(&e.length, d->mem);
    az_vec_init(&e.first, d->mem);
    d->list++;
    az_map_init(&e.slot, d->mem, 8);
    int rc = make_room(&e, runs, n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_run(d, &e, &runs[i]);
    if (rc == 0 && e.first.n)
        rc = write_entries(d, &e, full, brief);
    az_map_release(&e.slot);
    az_vec_release(&e.of);
    az_vec_release(&e.length);
    az_vec_release(&e.first);
    return rc;
}
