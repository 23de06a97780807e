/* The ranks of one input, each by itself: read, reduced to parts and freed, in parallel on the
 * threads that are free. Whatever the order in which they finish, what comes of a rank depends on
 * its file only. */
#include <pthread.h>

#include "facts/host_operators.h"
#include "io/path.h"
#include "read/part_file.h"
#include "read/rank_name.h"

/* State of a thread for the ranks it reduces. */
struct keeper {
    struct az_arena *arena;
    struct az_arena *of; /* of part files, by analysis: each freed when it is finished */
    struct az_intern texts;
    bool has_texts;
};

struct reading;
/* A thread next to the calling one. */
struct helper {
    struct reading *all;
    struct keeper keep;
    pthread_t thread;
    bool running;      /* to be joined */
    _Atomic bool over; /* it has done its last rank */
};

struct reading {
    struct az_input_run *one;
    const struct az_files *files;
    struct az_input_rank *ranks;
    size_t n_analyses;
    _Atomic size_t next;
    _Atomic bool crowded; /* memory did not suffice for several ranks at a time */
    _Atomic bool stop;
    unsigned inner; /* threads inside one file */
    struct helper *helpers;
    size_t n_helpers;
};

/* ---- one rank ---- */

static struct az_sv fact_of(const struct az_trace *t, const char *key)
{
    for (size_t i = 0; i < t->facts.n; i++)
        if (az_sv_is(t->facts.v[i].key, key))
            return t->facts.v[i].value;
    return AZ_SV("");
}

/* The host that a trace was recorded on, from its data, else from its name. */
static struct az_sv host_of(const struct az_trace *t, struct az_sv path)
{
    static const char *const keys[] = { "hostname", "host_name", "host name", "host", "node_id" };
    for (size_t i = 0; i < AZ_LENGTH(keys); i++)
        if (fact_of(t, keys[i]).n)
            return fact_of(t, keys[i]);
    return az_rank_host_in_name(az_path_base(path), t->rank);
}

/* Its facts and devices; what only repeats the time base is skipped. */
static int keep_facts(struct az_job *job, const struct az_trace *t, struct az_arena *keep,
                      struct az_rank *about)
{
    struct az_fact *v = az_arena_array(keep, t->facts.n + t->devices.n, sizeof *v);
    const struct az_sv base = az_arena_printf(job->arena, "%lld", (long long)t->base_ns);
    bool ok = v && base.p;
    for (size_t i = 0; ok && i < t->devices.n; i++) {
        const struct az_sv key =
            az_arena_printf(job->arena, "device %lld", (long long)t->devices.v[i].id);
        v[about->n_facts] = (struct az_fact){ az_rank_text(job, keep, key),
                                              az_rank_text(job, keep, t->devices.v[i].name) };
        ok = v[about->n_facts].key.p && v[about->n_facts].value.p;
        about->n_facts += ok;
    }
    for (size_t i = 0; ok && i < t->facts.n; i++) {
        const struct az_fact *f = &t->facts.v[i];
        if (az_sv_eq(f->value, base))
            continue;
        v[about->n_facts] =
            (struct az_fact){ az_rank_text(job, keep, f->key), az_rank_text(job, keep, f->value) };
        ok = v[about->n_facts].key.p && v[about->n_facts].value.p;
        about->n_facts += ok;
    }
    about->facts = v;
    return ok ? AZ_OK : az_arena_error(keep);
}

static int describe(struct az_job *job, const struct az_trace *t, struct az_sv path,
                    struct az_arena *keep, struct az_rank *about)
{
    *about = (struct az_rank){ .rank = t->rank,
                               .path = path,
                               .host = az_rank_text(job, keep, host_of(t, path)),
                               .device = az_rank_text(
                                   job, keep, t->devices.n ? t->devices.v[0].name : AZ_SV("")),
                               .devices = (int64_t)t->devices.n,
                               .world_size = t->world_size,
                               .base_ns = t->base_ns,
                               .ticks_per_ns = t->ticks_per_ns,
                               .read = t->read,
                               .kept = t->kept };
    return about->host.p && about->device.p ? keep_facts(job, t, keep, about)
                                            : az_arena_error(keep);
}

static int reduce_all(struct az_input_run *o, struct az_job *job, struct az_arena *keep,
                      struct az_input_rank *x)
{
    const struct az_trace *t = job->traces[0];
    int rc = AZ_OK;
    for (size_t i = 0; rc == AZ_OK && az_rank_analyses[i]; i++) {
        const struct az_rank_analysis *an = az_rank_analyses[i];
        const size_t before = o->diag->errors;
        if (o->devices_only && !an->of_devices)
            continue;
        if ((an->needs & ~t->caps) || (an->any && !(an->any & t->caps)))
            continue;
        if (az_cancelled(o->job->cancel))
            return AZ_EINTR;
        rc = az_input_report_error(o, az_rank_analysis_reduce(an, job, keep, &x->part[i]), before,
                                   an->name);
    }
    return rc;
}

int az_rank_reduce(struct az_input_run *o, const struct az_trace *t, struct az_sv path,
                   struct az_arena *keep, struct az_intern *texts, struct az_input_rank *x)
{
    struct az_arena scratch;
    struct az_classifier classes;
    struct az_job job = { .opts = &o->job->input->opts,
                          .traces = &t,
                          .n_traces = 1,
                          .arena = &scratch,
                          .mem = &o->res->mem,
                          .diag = o->diag,
                          .texts = texts,
                          .alone = o->devices_only };
    if (o->map)
        job.draw = az_map_draw(o->map, t);
    else if (az_job_is_run(o->job)) /* traces that are retained are drawn together */
        job.draw = az_input_draw(o->job) / (o->job->files.n + !o->job->files.n);
    size_t n = 0;
    int rc;

    while (az_rank_analyses[n])
        n++;
    az_arena_init(&scratch, &o->res->mem);
    x->part = az_arena_array(keep, n + 1, sizeof *x->part);
    rc = x->part ? describe(&job, t, path, keep, &x->about) : az_arena_error(keep);
    if (!rc)
        rc = az_classifier_init(&classes, &job.opts->classes, &scratch);
    if (rc) {
        az_arena_release(&scratch);
        return az_input_report_error(o, rc, o->diag->errors, "reducing a rank");
    }
    job.classes = &classes;
    rc = reduce_all(o, &job, keep, x);
    az_classifier_release(&classes);
    az_arena_release(&scratch);
    x->caps = t->caps;
    x->active = az_trace_has_activity(t) || az_trace_no_device(t) == AZ_NO_DEVICE_HOST;
    x->state = rc ? AZ_RANK_FAILED : AZ_RANK_THERE;
    return rc;
}

static bool no_room(int rc) { return rc == AZ_ENOMEM || rc == AZ_ELIMIT; }

/* Messages of a rank, in little memory. Without memory nothing was reported: whoever fails for it
 * reports why. */
static int keep_messages(const struct az_diag *d, struct az_arena *keep, struct az_input_rank *x)
{
    bool ok = true;

    x->errors = x->warnings = x->dropped = x->n_messages = 0;
    x->messages = az_arena_array(keep, d->list.n, sizeof *x->messages);
    for (size_t i = 0; x->messages && ok && i < d->list.n; i++) {
        const struct az_sv text = az_arena_dup(keep, d->list.v[i].text);
        ok = text.p != NULL;
        if (ok)
            x->messages[x->n_messages++] = (struct az_message){ d->list.v[i].severity, text };
    }
    if (!x->messages || !ok) {
        x->n_messages = 0;
        return az_arena_error(keep);
    }
    x->errors = d->errors;
    x->warnings = d->warnings;
    x->dropped = d->dropped;
    return AZ_OK;
}

/* From its trace. */
static int read_trace(struct az_input_run *mine, const struct az_file *f, struct keeper *keep,
                      struct az_input_rank *x)
{
    struct az_trace t;
    int rc = az_trace_init(&t, &mine->res->mem);

    mine->digest = az_digest_new(&mine->res->mem); /* without one the file is read again */
    if (!rc) {
        rc = az_input_read(mine, &t, f, 1);
        if (!rc)
            rc = az_rank_reduce(mine, &t, f->path, keep->arena,
                                keep->has_texts ? &keep->texts : NULL, x);
        az_trace_release(&t);
        az_mem_trim(); /* parts are between what is free */
    }
    if (!rc && az_path_stat(f->path.p).kind == AZ_PATH_FILE) {
        const int got = mine->digest ? az_digest_rest(mine->digest, f->path.p, x->hex, &x->size)
                                     : az_file_digest(f->path.p, x->hex, &x->size);
        x->has_digest = got == 0; /* is optional, unless out of memory */
        rc = got == AZ_ENOMEM ? got : 0;
    }
    az_digest_free(mine->digest);
    return rc;
}

static int read_part(struct az_input_run *mine, const struct az_file *f, struct keeper *keep,
                     struct az_input_rank *x)
{
    if (f->length)
        return az_part_rank(mine, f, keep->arena, keep->of, keep->has_texts ? &keep->texts : NULL,
                            x);
    return az_diag_fail(mine->diag, AZ_EIO, AZ_AT_FILE(f->path),
                        "has no part; check whether its task was stopped, and map it");
}

/* One file from its bytes to its parts. alone: no other is read meanwhile, so running out of memory
 * is final. */
static int read_one(struct reading *k, size_t i, struct keeper *keep, bool alone)
{
    struct az_input_rank *x = &k->ranks[i];
    const struct az_file *f = &k->files->v[i];
    struct az_input_run mine = *k->one;
    struct az_diag messages;
    int rc, kept;

    az_diag_init(&messages);
    mine.diag = &messages;
    mine.at = f->path;
    mine.threads = k->inner;
    keep->arena->failed = false;
    rc = f->part.n ? read_part(&mine, f, keep, x) : read_trace(&mine, f, keep, x);
    x->hook_failed = mine.hook_failed;
    if (!rc && messages.errors && !x->hook_failed)
        x->hook_failed = AZ_ECONFIG; /* read, and reported without what the messages name */
    x->error = rc;
    x->state = rc ? AZ_RANK_FAILED : AZ_RANK_THERE;
    kept = no_room(rc) && !alone ? AZ_OK : keep_messages(&messages, keep->arena, x);
    az_diag_release(&messages);
    rc = rc ? rc : kept;
    x->error = rc;
    if (!rc || !no_room(rc) || alone)
        return k->one->map ? az_map_done(k->one->map, k->one, i, x, keep->arena) : rc;
    x->state = AZ_RANK_UNREAD; /* again, when the others are done */
    atomic_store(&k->crowded, true);
    return AZ_OK;
}

/* ---- side by side ---- */

static bool take_file(struct reading *k, size_t *i)
{
    if (atomic_load(&k->stop) || az_cancelled(k->one->job->cancel))
        return false;
    *i = atomic_fetch_add(&k->next, 1);
    return *i < k->files->n;
}

static void *help_reading(void *arg)
{
    struct helper *h = arg;
    struct reading *k = h->all;
    size_t i;
    /* It stops for a slot that others need, or for memory. */
    while (atomic_load(&k->one->seats->free) >= 0 && !atomic_load(&k->crowded) &&
           take_file(k, &i)) {
        const int rc = read_one(k, i, &h->keep, false);
        if (rc == AZ_EINTR)
            atomic_store(&k->stop, true);
    }
    atomic_fetch_add(&k->one->seats->free, 1);
    atomic_store(&h->over, true);
    return NULL;
}

static bool acquire_slot(struct az_seats *s)
{
    int free = atomic_load(&s->free);
    while (free > 0)
        if (atomic_compare_exchange_weak(&s->free, &free, free - 1))
            return true;
    return false;
}

/* Starts threads for what is left while seats are free. */
static void start_helpers(struct reading *k)
{
    for (size_t i = 0; i < k->n_helpers; i++) {
        struct helper *h = &k->helpers[i];
        if (h->running && !atomic_load(&h->over))
            continue;
        if (atomic_load(&k->crowded) || atomic_load(&k->next) >= k->files->n ||
            !acquire_slot(k->one->seats))
            return;
        if (h->running)
            pthread_join(h->thread, NULL);
        atomic_store(&h->over, false);
        h->running = pthread_create(&h->thread, NULL, help_reading, h) == 0;
        if (!h->running) { /* fewer do */
            atomic_fetch_add(&k->one->seats->free, 1);
            return;
        }
    }
}

static void keeper_init(struct keeper *k, struct az_arena *arena, struct az_mem *mem)
{
    *k = (struct keeper){ .arena = arena };
    if (!mem) /* nothing is retained from one rank to the next */
        return;
    az_intern_init(&k->texts, arena, mem);
    k->has_texts = true;
}

static int prepare(struct reading *k)
{
    struct az_result *res = k->one->res;
    size_t n = k->one->seats->all;

    n = n < k->files->n ? n : k->files->n;
    n = n > 0 ? n - 1 : 0;
    k->helpers = az_arena_array(&res->arena, n, sizeof *k->helpers);
    res->keeps = az_arena_array(&res->arena, n, sizeof *res->keeps);
    if (!k->helpers || !res->keeps)
        return az_arena_error(&res->arena);
    for (; res->n_keeps < n; res->n_keeps++) {
        struct helper *h = &k->helpers[res->n_keeps];
        az_arena_init(&res->keeps[res->n_keeps], &res->mem);
        h->all = k;
        keeper_init(&h->keep, &res->keeps[res->n_keeps], k->one->map ? NULL : &res->mem);
    }
    k->n_helpers = res->n_keeps;
    return AZ_OK;
}

/* The calling thread reads too, and last what there was no room for next to others. */
static int read_all(struct reading *k, struct keeper *keep)
{
    int rc = AZ_OK;
    size_t i;
    start_helpers(k);
    while (rc != AZ_EINTR && take_file(k, &i)) {
        rc = read_one(k, i, keep, false);
        start_helpers(k);
    }
    if (rc == AZ_EINTR)
        atomic_store(&k->stop, true);
    for (i = 0; i < k->n_helpers; i++)
        if (k->helpers[i].running)
            pthread_join(k->helpers[i].thread, NULL);
    if (atomic_load(&k->stop) || az_cancelled(k->one->job->cancel))
        return AZ_EINTR;
    for (i = 0; i < k->files->n; i++) {
        if (k->ranks[i].state != AZ_RANK_UNREAD)
            continue;
        rc = read_one(k, i, keep, true);
        if (rc == AZ_EINTR || no_room(rc))
            return rc;
    }
    return AZ_OK;
}

/* Memory for the content of part files: by thread, the calling one last, and analysis. */
static int prepare_parts(struct reading *k, struct keeper *mine)
{
    struct az_result *res = k->one->res;
    const size_t n = k->one->ranks->n_analyses;
    res->parts = az_arena_array(&res->arena, (k->n_helpers + 1) * n, sizeof *res->parts);
    if (!res->parts)
        return az_arena_error(&res->arena);
    for (; res->n_parts < (k->n_helpers + 1) * n; res->n_parts++)
        az_arena_init(&res->parts[res->n_parts], &res->mem);
    for (size_t i = 0; i < k->n_helpers; i++)
        k->helpers[i].keep.of = res->parts + i * n;
    mine->of = res->parts + k->n_helpers * n;
    uint64_t *layouts = az_arena_array(&res->arena, n + 1, sizeof *layouts);
    if (!layouts)
        return az_arena_error(&res->arena);
    for (size_t i = 0; i < n; i++)
        layouts[i] = az_shape_layout(az_rank_analyses[i]->shape);
    k->one->layouts = layouts;
    return az_part_job_key(k->one->job, &k->one->part_key);
}

int az_ranks_read(struct az_input_run *o, struct az_input_rank *ranks)
{
    struct reading k = { .one = o, .files = &o->job->files, .ranks = ranks };
    struct az_arena passing; /* of a map: freed after each rank */
    struct keeper mine;
    az_arena_init(&passing, &o->res->mem);
    keeper_init(&mine, o->map ? &passing : &o->res->arena, o->map ? NULL : &o->res->mem);
    for (size_t i = 0; i < k.files->n && !o->has_part_key; i++)
        o->has_part_key = k.files->v[i].part.n > 0;
    k.inner = o->threads > k.files->n && k.files->n ? o->threads / (unsigned)k.files->n : 1;
    int rc = prepare(&k);
    if (!rc && o->has_part_key)
        rc = prepare_parts(&k, &mine);
    if (!rc)
        rc = read_all(&k, &mine);
    for (size_t i = 0; k.helpers && i < k.n_helpers; i++)
        if (k.helpers[i].keep.has_texts)
            az_intern_release(&k.helpers[i].keep.texts);
    if (mine.has_texts)
        az_intern_release(&mine.texts);
    for (size_t i = 0; i < k.files->n; i++)
        o->caps |= ranks[i].state == AZ_RANK_THERE ? ranks[i].caps : 0;
    az_arena_release(&passing);
    return rc;
}
