/* `facts`: what a result depends on, so that it is known later whether two results may be compared.
 * No times of day and no folders: equal inputs have equal facts wherever they are. */
#include "read/part_file.h"

#include "base/num.h"
#include "document/record.h"
#include "io/digest.h"
#include "io/path.h"

#define MAX_RULES_TEXT 2000 /* bytes of a class map in its cell */

struct fact_row {
    struct az_sv fact, value;
};
static const struct az_record_column columns[] = {
    { "Fact", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct fact_row, fact), .copy = true },
    { "Value", AZ_TEXT, AZ_FIELD(struct fact_row, value), .copy = true },
};

static void row_of(struct az_table *t, struct az_sv fact, struct az_sv value)
{
    az_put_row(t, &(struct fact_row){ fact, value });
}

static void put_fact(struct az_table *t, const char *fact, struct az_sv value)
{
    row_of(t, az_sv_str(fact), value);
}

static void put_file(struct az_table *t, const struct az_file *f, struct az_sv given, size_t number,
                     struct az_digest *read, const struct az_input_rank *rank)
{
    struct az_sv key = az_arena_printf(t->arena, "input %zu", number), base = az_path_base(given),
                 text;
    uint64_t size = 0;
    char hex[AZ_DIGEST_HEX];

    row_of(t, key, az_sv_is(given, "-") ? AZ_SV("standard input") : base);
    if (rank) { /* computed when it was read */
        memcpy(hex, rank->hex, sizeof hex);
        size = rank->size;
    }
    if (rank ? !rank->has_digest
             : az_sv_is(f->path, "-") || az_path_stat(f->path.p).kind != AZ_PATH_FILE)
        return; /* was read once and is gone */
    const int rc = rank   ? AZ_OK
                   : read ? az_digest_rest(read, f->path.p, hex, &size)
                          : az_file_digest(f->path.p, hex, &size);
    if (rc == AZ_ENOMEM && !t->error)
        t->error = rc;
    if (rc)
        return; /* is optional and missing */
    text = az_arena_printf(t->arena, "%llu", (unsigned long long)size);
    row_of(t, az_arena_printf(t->arena, "input %zu bytes", number), text);
    row_of(t, az_arena_printf(t->arena, "input %zu xxh3-128", number), az_sv_str(hex));
}

static void put_devices(struct az_table *t, const struct az_result *res)
{
    for (size_t i = 0; i < res->n_traces; i++) {
        const struct az_devices *d = &res->traces[i].devices;
        for (size_t k = 0; k < d->n; k++) {
            struct az_sv key = az_arena_printf(t->arena, "device %lld", (long long)d->v[k].id);
            row_of(t, key, d->v[k].name);
        }
    }
}

static void put_traces(struct az_table *t, const struct az_result *res)
{
    bool many = res->n_traces > 1;

    if (many)
        row_of(t, AZ_SV("ranks"), az_arena_printf(t->arena, "%zu", res->n_traces));
    for (size_t i = 0; i < res->n_traces; i++) {
        const struct az_trace *tr = &res->traces[i];
        for (size_t k = 0; k < tr->facts.n; k++) {
            struct az_sv key = tr->facts.v[k].key;
            if (many && tr->rank >= 0)
                key = az_arena_printf(t->arena, "rank %lld %.*s", (long long)tr->rank, AZ_SVF(key));
            else if (many)
                key = az_arena_printf(t->arena, "file %zu %.*s", i + 1, AZ_SVF(key));
            row_of(t, key, tr->facts.v[k].value);
        }
    }
}

/* Facts of the files of ranks: once where they agree, else by value with the ranks that have it. */
struct value_ranks {
    struct az_sv value;
    int64_t *ranks;
    size_t n;
};
#define MOST_VALUES 8 /* of one fact */

static const struct az_fact *fact_of(const struct az_rank *r, struct az_sv key)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (az_sv_eq(r->facts[i].key, key))
            return &r->facts[i];
    return NULL;
}

static void put_said(struct az_table *t, const struct az_ranks *s, struct az_sv key)
{
    struct value_ranks value_ranks[MOST_VALUES];
    size_t values = 0, first = s->n;
    for (size_t i = 0; i < s->n; i++) {
        const struct az_fact *f = fact_of(&s->v[i], key);
        size_t k = 0;
        if (!f)
            continue;
        first = i < first ? i : first;
        while (k < values && !az_sv_eq(value_ranks[k].value, f->value))
            k++;
        if (k == MOST_VALUES) {
            row_of(t, key, AZ_SV("differs from rank to rank"));
            return;
        }
        if (k == values)
            value_ranks[values++] =
                (struct value_ranks){ f->value, az_arena_array(t->arena, s->n, sizeof(int64_t)),
                                      0 };
        if (!value_ranks[k].ranks)
            return;
        value_ranks[k].ranks[value_ranks[k].n++] = s->v[i].rank;
    }
    for (size_t k = 0; k < values; k++) {
        struct az_sv name = key;
        if (values > 1)
            name = az_arena_printf(
                t->arena, "%.*s (rank%s %.*s)", AZ_SVF(key), value_ranks[k].n > 1 ? "s" : "",
                AZ_SVF(az_rank_list(t->arena, value_ranks[k].ranks, value_ranks[k].n)));
        row_of(t, name, value_ranks[k].value);
    }
}

static void put_ranks(struct az_table *t, const struct az_ranks *s)
{
    row_of(t, AZ_SV("ranks"), az_arena_printf(t->arena, "%zu", s->n));
    row_of(t, AZ_SV("world size"), az_arena_printf(t->arena, "%lld", (long long)s->world_size));
    if (s->n_missing)
        row_of(t, AZ_SV("missing ranks"), az_rank_list(t->arena, s->missing, s->n_missing));
    for (size_t i = 0; i < s->n; i++) {
        const struct az_rank *r = &s->v[i];
        for (size_t k = 0; k < r->n_facts; k++) {
            bool before =
                i > 0 && fact_of(&s->v[0], r->facts[k].key); /* reported with an earlier rank */
            for (size_t j = 1; j < i && !before; j++)
                before = fact_of(&s->v[j], r->facts[k].key) != NULL;
            if (!before)
                put_said(t, s, r->facts[k].key);
        }
    }
}

static void put_class_map(struct az_table *t, const struct az_class_rules *rules)
{
    struct az_vec_char text;
    int rc = AZ_OK;

    az_vec_init(&text, NULL);
    for (size_t i = 0; !rc && i < rules->n && text.n < MAX_RULES_TEXT; i++)
        rc = az_text_printf(&text, "%s%.*s=%.*s", i ? "; " : "", AZ_SVF(rules->v[i].key),
                            AZ_SVF(rules->v[i].name));
    if (!rc && text.n >= MAX_RULES_TEXT)
        rc = az_text_printf(&text, "; ... (%zu rules)", rules->n);
    if (rc && !t->error)
        t->error = rc;
    if (rules->n)
        put_fact(t, "class map", az_text_view(&text));
    az_vec_release(&text);
}

static bool listed_before(size_t index)
{
    const struct az_option *o = &az_option_table[index];
    for (size_t i = 0; i < index; i++)
        if (az_option_table[i].owner == AZ_OWN_OPTIONS && az_option_table[i].offset == o->offset)
            return true;
    return false;
}

static void put_options(struct az_table *t, const struct az_options *now)
{
    struct az_options def;
    struct az_sv value;

    az_options_default(&def, NULL);
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        if (o->owner == AZ_OWN_OPTIONS && !listed_before(i) &&
            az_option_changed(o, now, &def, t->arena, &value))
            row_of(t, az_arena_printf(t->arena, "option %s", o->key), value);
    }
    az_options_release(&def);
}

struct az_table *az_facts_table(const struct az_plan_job *job, const struct az_result *res,
                                const struct az_rank_run *ranks)
{
    struct az_arena *a = res->doc.arena;
    struct az_table *t = AZ_RECORD_TABLE(a, "facts", "Facts", AZ_TABLE_LAST, columns);
    const struct az_options *opts = &job->input->opts;

    if (!t)
        return NULL;
    put_fact(t, "tool", AZ_SV("analyzer " AZ_VERSION));
    put_fact(t, "format", az_sv_str(job->format->name));
    put_fact(t, "title", job->input->title);
    /* A folder on the command line stands for several files; else they are one to one, and a pipe's
     * copy has the pipe's name.
     */
    for (size_t i = 0; i < job->files.n; i++)
        put_file(t, &job->files.v[i],
                 job->files.n == job->input->files.n && !job->parts ? job->input->files.v[i].path
                                                                    : job->files.v[i].path,
                 i + 1, i < res->n_digests ? res->digests[i] : NULL,
                 ranks->files ? &ranks->files[i] : NULL);
    if (ranks->files)
        put_ranks(t, &ranks->set);
    put_devices(t, res);
    put_traces(t, res);
    put_class_map(t, &opts->classes);
    put_options(t, opts);
    for (size_t i = 0; i < opts->labels.n; i++)
        row_of(t, az_arena_printf(a, "label %.*s", AZ_SVF(opts->labels.v[i].key)),
               opts->labels.v[i].value);
    return t;
}
