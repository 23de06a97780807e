/* Which options a part depends on. */
#include "base/num.h"
#include "io/digest.h"
#include "read/part_file.h"

/* Of finishing alone: read when the tables of all ranks are made, or when files are found and
 * reports written. Every other option is assumed to matter to reducing, so that a new one is never
 * forgotten. */
static const char *const of_finishing[] = {
    "align_clocks",
    "collective_metrics",
    "collective_sheets",
    "compat",
    "duplicate_rank",
    "gpus_per_node",
    "node_replay",
    "rank_pattern",
    "rank_tables",
    "straggler_candidates",
    "strict",
    "text",
    "top_rows",
};

bool az_option_changed(const struct az_option *o, const struct az_options *now,
                       const struct az_options *def, struct az_arena *a, struct az_sv *out)
{
    const char *x = (const char *)now + o->offset, *y = (const char *)def + o->offset;
    char num[AZ_NUM_MAX];
    double real, real_def;
    int64_t i, i_def;
    struct az_sv sv, sv_def;

    switch (o->type) {
    case AZ_OPT_BOOL:
        *out = *x ? AZ_SV("true") : AZ_SV("false");
        return *x != *y;
    case AZ_OPT_INT:
        memcpy(&i, x, sizeof i);
        memcpy(&i_def, y, sizeof i_def);
        *out = az_arena_dup(a, az_sv_make(num, az_format_i64(i, num)));
        return i != i_def && i != AZ_UNSET_I64;
    case AZ_OPT_REAL:
        memcpy(&real, x, sizeof real);
        memcpy(&real_def, y, sizeof real_def);
        *out = az_arena_dup(a, az_sv_make(num, az_format_f64(real, num)));
        return real < real_def || real > real_def;
    case AZ_OPT_TEXT:
    case AZ_OPT_ENUM:
        if (o->offset == offsetof(struct az_options, text_mode))
            return false; /* how it is printed, not what is found */
        memcpy(&sv, x, sizeof sv);
        memcpy(&sv_def, y, sizeof sv_def);
        *out = sv;
        return !az_sv_eq(sv, sv_def);
    default: /* paths are places, not content; maps have their own rows */
        return false;
    }
}

static bool matters(size_t index)
{
    const struct az_option *o = &az_option_table[index];
    if (o->owner != AZ_OWN_OPTIONS)
        return false;
    for (size_t i = 0; i < AZ_LENGTH(of_finishing); i++)
        if (az_sv_is(az_sv_str(o->key), of_finishing[i]))
            return false;
    for (size_t i = 0; i < index; i++) /* another key of the same option */
        if (az_option_table[i].owner == AZ_OWN_OPTIONS && az_option_table[i].offset == o->offset)
            return false;
    return true;
}

static int add_option(struct az_vec_sv *out, struct az_arena *a, const char *key,
                      struct az_sv value)
{
    const struct az_sv text = az_arena_printf(a, "%s=%.*s", key, AZ_SVF(value));
    return text.p ? az_vec_push(out, text) : az_arena_error(a);
}

/* A long value by its checksum. */
static struct az_sv short_of(struct az_arena *a, struct az_sv bytes)
{
    return az_arena_printf(a, "%016llx", (unsigned long long)az_checksum(bytes.p, bytes.n));
}

static int add_classes(const struct az_class_rules *r, struct az_arena *a, struct az_vec_sv *out)
{
    struct az_vec_char text;
    int rc = AZ_OK;
    if (r->n == 0)
        return AZ_OK;
    az_vec_init(&text, NULL);
    for (size_t i = 0; rc == 0 && i < r->n; i++)
        rc = az_text_printf(&text, "%.*s=%.*s\n", AZ_SVF(r->v[i].key), AZ_SVF(r->v[i].name));
    if (rc == 0)
        rc = add_option(out, a, "kernel_to_class_map", short_of(a, az_text_view(&text)));
    az_vec_release(&text);
    return rc;
}

int az_part_options(const struct az_options *o, struct az_arena *a, struct az_vec_sv *out)
{
    struct az_options def;
    struct az_sv value;
    char hex[AZ_DIGEST_HEX];
    uint64_t size;
    int rc = AZ_OK;

    az_options_default(&def, NULL);
    for (size_t i = 0; rc == 0 && i < az_option_count; i++)
        if (matters(i) && az_option_changed(&az_option_table[i], o, &def, a, &value))
            rc = add_option(out, a, az_option_table[i].key, value);
    az_options_release(&def);
    if (rc == 0)
        rc = add_classes(&o->classes, a, out);
    if (rc == 0 && o->arch_rows.n)
        rc = add_option(out, a, "gpu_arch_json_path", short_of(a, o->arch_rows));
    if (rc == 0 && o->extension_file.n)
        rc = add_option(out, a, "extension_file",
                        az_file_digest(o->extension_file.p, hex, &size) == 0 ? az_sv_str(hex)
                                                                             : AZ_SV("unreadable"));
    return rc;
}

uint64_t az_part_key(const struct az_vec_sv *options)
{
    uint64_t key = 0;
    for (size_t i = 0; i < options->n; i++) {
        const uint64_t both[2] = { key, az_checksum(options->v[i].p, options->v[i].n) };
        key = az_checksum(both, sizeof both);
    }
    return key;
}

int az_part_job_key(const struct az_plan_job *job, uint64_t *key)
{
    struct az_arena a;
    struct az_vec_sv list;
    az_arena_init(&a, NULL);
    az_vec_init(&list, NULL);
    const int rc = az_part_options(&job->input->opts, &a, &list);
    *key = az_part_key(&list);
    az_vec_release(&list);
    az_arena_release(&a);
    return rc;
}
