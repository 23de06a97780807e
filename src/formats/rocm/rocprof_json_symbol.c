/* Kernel symbols and ROCTx texts of a results.json (docs/formats-rocprof.md 2.2, 2.3). */
#include "formats/rocm/rocprof_json.h"

enum { S_ID = 1, S_NAME, S_FORMATTED, S_DEMANGLED, S_TRUNCATED, S_VGPR, S_AGPR, S_SGPR, S_CODE };
static const char *const symbol_keys[] = { "kernel_id",
                                           "kernel_name",
                                           "formatted_kernel_name",
                                           "demangled_kernel_name",
                                           "truncated_kernel_name",
                                           "arch_vgpr_count",
                                           "accum_vgpr_count",
                                           "sgpr_count",
                                           "code_object_id",
                                           "size",
                                           "kernel_object",
                                           "kernarg_segment_size",
                                           "kernarg_segment_alignment",
                                           "group_segment_size",
                                           "private_segment_size",
                                           "kernel_code_entry_byte_offset",
                                           "kernel_address",
                                           NULL };
enum { M_KEY = 1, M_VALUE };
static const char *const marker_keys[] = { "key", "value", NULL };

void az_rocprof_json_symbol_keys_init(struct az_rocprof_json *j)
{
    az_jkeys_init(&j->symbol_keys, symbol_keys);
    az_jkeys_init(&j->marker_keys, marker_keys);
}

static int read_text(struct az_jscan *s, struct az_sv *out, bool *escaped)
{
    int rc = az_json_string(s, out, escaped);
    if (rc != AZ_JSON_BAD)
        return rc;
    struct az_sv raw;
    *escaped = false;
    return az_json_skip(s, &raw);
}

struct symbol_names {
    struct az_sv v[4]; /* S_NAME .. S_TRUNCATED */
    bool escaped[4];
};

/* In the window of the scanner or, un-escaped, in the arena. */
static struct az_sv name_view(struct az_rocprof_json *j, const struct symbol_names *n, int which)
{
    struct az_sv raw = n->v[which - S_NAME];
    return n->escaped[which - S_NAME] ? az_json_unescape(&j->arena, raw) : raw;
}

/* Copies of the names that are needed later. There are thousands of symbols of which few are run:
 * where the name shown begins the whole one, as it mostly does, it is not stored twice. */
static void choose_names(struct az_rocprof_json *j, const struct symbol_names *n,
                         struct az_rocprof_json_symbol *y)
{
    struct az_rocprof_symbol_names all = { .mangled = name_view(j, n, S_NAME),
                                           .formatted = name_view(j, n, S_FORMATTED),
                                           .demangled = name_view(j, n, S_DEMANGLED),
                                           .truncated = name_view(j, n, S_TRUNCATED) };
    struct az_sv whole, shown;
    az_rocprof_choose_names(j->r, &all, &whole, &shown);
    y->whole = az_arena_dup(&j->arena, whole);
    y->shown = y->whole.n && az_sv_starts(whole, shown) ? az_sv_make(y->whole.p, shown.n)
                                                        : az_arena_dup(&j->arena, shown);
}

int az_rocprof_json_symbol(void *ctx, struct az_jscan *s)
{
    struct az_rocprof_json *j = ctx;
    struct symbol_names names = { .escaped = { false } };
    struct az_rocprof_json_symbol y = { .known = true, .whole_id = AZ_NO_ID, .shown_id = AZ_NO_ID };
    struct az_sv raw;
    uint64_t id = 0;
    int64_t code = 0;
    uint32_t at;
    bool has;
    int rc, k = az_json_first_key(s, &j->symbol_keys);
    while (k >= 0) {
        switch (k) {
        case S_ID:
            rc = az_rocprof_json_unsigned(s, &id);
            break;
        case S_NAME:
        case S_FORMATTED:
        case S_DEMANGLED:
        case S_TRUNCATED:
            rc = read_text(s, &names.v[k - S_NAME], &names.escaped[k - S_NAME]);
            break;
        case S_VGPR:
            rc = az_rocprof_json_number(s, &y.vgpr, &has);
            break;
        case S_AGPR:
            rc = az_rocprof_json_number(s, &y.agpr, &has);
            break;
        case S_SGPR:
            rc = az_rocprof_json_number(s, &y.sgpr, &has);
            break;
        case S_CODE:
            rc = az_rocprof_json_number(s, &code, &has);
            break;
        default:
            rc = az_json_skip(s, &raw);
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->symbol_keys, k);
    }
    if (k != AZ_JSON_END)
        return k;
    if (id == 0 && code == 0 && names.v[0].n == 0)
        return AZ_JSON_OK; /* the placeholder at the place of kernel 0 */
    choose_names(j, &names, &y);
    rc = j->arena.failed ? az_arena_error(&j->arena) : az_rocprof_json_kernel_number(j, id, &at);
    if (rc == 0)
        j->symbols.v[at] = y;
    return rc;
}

int az_rocprof_json_marker(void *ctx, struct az_jscan *s)
{
    struct az_rocprof_json *j = ctx;
    struct az_sv value = AZ_SV(""), raw;
    uint64_t key = 0;
    bool escaped = false;
    int rc, k = az_json_first_key(s, &j->marker_keys);
    while (k >= 0) {
        rc = k == M_KEY     ? az_rocprof_json_unsigned(s, &key)
             : k == M_VALUE ? read_text(s, &value, &escaped)
                            : az_json_skip(s, &raw);
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &j->marker_keys, k);
    }
    if (k != AZ_JSON_END)
        return k;
    uint32_t *at;
    bool added;
    const uint32_t id =
        az_trace_name(j->r->t, escaped ? az_json_unescape(&j->arena, value) : value);
    return az_map_put(&j->marker_of, key, 0, id, &at, &added);
}
