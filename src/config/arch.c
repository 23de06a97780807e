/* gpu_arch_json_path: peak rates of devices from a JSON file, one object or a list of them
 * (docs/formulas-models.md 13), made into rows as those of configs/devices.csv. */
#include "config/private.h"

#include "base/data.h"
#include "base/num.h"
#include "io/source.h"

#define ARCH_MAX_BYTES   ((size_t)4 << 20)
#define ARCH_MAX_DEVICES 1000

struct arch {
    struct az_loader *l;
    struct az_sv head; /* titles of configs/devices.csv */
    struct az_vec_char rows;
    const struct az_node *unknown; /* the first rate without a column */
    int rc;
};

static void put_text(struct arch *x, struct az_sv text)
{
    if (x->rc == 0)
        x->rc = az_text_append(&x->rows, text);
}

/* A cell has no quotes: what would end it is a blank. */
static void put_plain(struct arch *x, struct az_sv text, bool part)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        put_text(x, c < 0x20 || c == ',' || (part && c == '|') ? AZ_SV(" ")
                                                               : az_sv_make(text.p + i, 1));
    }
}

static void put_list(struct arch *x, const struct az_node *list)
{
    for (const struct az_node *n = list && list->kind == AZ_NODE_ARRAY ? list->first : NULL; n;
         n = n->next) {
        if (n->kind != AZ_NODE_TEXT)
            continue;
        if (n != list->first)
            put_text(x, AZ_SV("|"));
        put_plain(x, n->text, true);
    }
}

/* A positive number; null and an absent key: nothing. */
static void put_number(struct arch *x, const struct az_node *n)
{
    double v;
    if (!n || n->kind == AZ_NODE_NULL)
        return;
    if (n->kind != AZ_NODE_NUMBER || az_parse_f64(n->text, &v) != 0 || !(v > 0))
        az_load_error(x->l, n, "'%.*s' must be a number above 0, not '%.*s'", AZ_SVF(n->key),
                      AZ_SVF(n->text));
    else
        put_text(x, n->text);
}

static const struct az_node *bound(const struct az_node *device, size_t index)
{
    const struct az_node *pair = az_node_get(device, "memory_gb_min_max"), *n = NULL;
    if (pair && pair->kind == AZ_NODE_ARRAY && pair->n == 2)
        n = index ? pair->last : pair->first;
    return n;
}

static void put_cell(struct arch *x, struct az_sv title, const struct az_node *device,
                     const char *basis, const struct az_node *rates)
{
    if (az_sv_is(title, "name"))
        put_plain(x, az_node_get(device, "name")->text, false);
    else if (az_sv_is(title, "basis"))
        put_text(x, az_sv_str(basis));
    else if (az_sv_is(title, "match"))
        put_list(x, az_node_get(device, "match"));
    else if (az_sv_is(title, "units"))
        put_number(x, az_node_get(device, "compute_units"));
    else if (az_sv_is(title, "memory_min") || az_sv_is(title, "memory_max"))
        put_number(x, bound(device, az_sv_is(title, "memory_max")));
    else if (az_sv_is(title, "uncertain"))
        put_list(x, az_node_get(device, "uncertain"));
    else if (az_sv_is(title, "memory_gb") || az_sv_is(title, "mem_bw_gbps") ||
             az_sv_is(title, "host_gbps") || az_sv_is(title, "cache_mb"))
        put_number(x, az_node_find(device, title));
    else
        put_number(x, az_node_find(rates, title));
}

static bool has_column(struct az_sv head, struct az_sv title)
{
    while (head.n)
        if (az_sv_eq(az_sv_cut(&head, ','), title))
            return true;
    return false;
}

/* One row; nothing if the file has no rates of this basis. */
static bool put_row(struct arch *x, const struct az_node *device, const char *key,
                    const char *basis)
{
    const struct az_node *rates = az_node_get(device, key);
    struct az_sv head = x->head;
    if (!rates || (rates->kind == AZ_NODE_OBJECT && rates->n == 0))
        return false;
    if (rates->kind != AZ_NODE_OBJECT) {
        az_load_error(x->l, rates, "'%s' must be an object of rates in TFLOP/s, not %s", key,
                      az_node_kind_text(rates->kind));
        return true;
    }
    for (const struct az_node *n = rates->first; n && !x->unknown; n = n->next)
        x->unknown = has_column(x->head, n->key) ? NULL : n;
    while (head.n) {
        put_cell(x, az_sv_cut(&head, ','), device, basis, rates);
        put_text(x, head.n ? AZ_SV(",") : AZ_SV("\n"));
    }
    return true;
}

static void put_device(struct arch *x, const struct az_node *device)
{
    const struct az_node *name = az_node_get(device, "name");
    if (device->kind != AZ_NODE_OBJECT) {
        az_load_error(x->l, device, "a device must be an object, not %s",
                      az_node_kind_text(device->kind));
        return;
    }
    if (!name || name->kind != AZ_NODE_TEXT || az_sv_trim(name->text).n == 0) {
        az_load_error(x->l, name ? name : device,
                      "device without a 'name'; add a non-empty string");
        return;
    }
    if (!az_node_get(device, "mem_bw_gbps"))
        az_load_error(x->l, device,
                      "device '%.*s' has no 'mem_bw_gbps'; add the memory bandwidth in GB/s",
                      AZ_SVF(name->text));
    bool peak = put_row(x, device, "peak_tflops", "peak");
    if (!put_row(x, device, "max_achievable_tflops", "achievable") && !peak)
        az_load_error(x->l, device,
                      "device '%.*s' has no rates; add peak_tflops or max_achievable_tflops: { "
                      "\"matrix_bf16\": ... }",
                      AZ_SVF(name->text));
}

static struct az_sv head_of(struct az_sv csv)
{
    struct az_sv line = AZ_SV("#");
    while (csv.n && (line.n == 0 || line.p[0] == '#'))
        line = az_sv_cut(&csv, '\n');
    return az_sv_trim(line);
}

static void put_all(struct arch *x, const struct az_node *root)
{
    const struct az_node *list = root->kind == AZ_NODE_ARRAY ? root : az_node_get(root, "archs");
    if (list && list->kind != AZ_NODE_ARRAY)
        az_load_error(x->l, list, "'archs' must be an array of devices, not %s",
                      az_node_kind_text(list->kind));
    else if (list && (list->n == 0 || list->n > ARCH_MAX_DEVICES))
        az_load_error(x->l, list, "invalid number of devices %zu; use 1 to %d", list->n,
                      ARCH_MAX_DEVICES);
    put_text(x, x->head);
    put_text(x, AZ_SV("\n"));
    for (const struct az_node *n = list ? list->first : root; n && x->rc == 0;
         n = list ? n->next : NULL)
        put_device(x, n);
    if (x->unknown)
        az_load_warn(x->l, x->unknown,
                     "unknown rate '%.*s' skipped; use the columns of configs/devices.csv",
                     AZ_SVF(x->unknown->key));
}

/* As it is in the rows; empty if they are of several devices. */
static struct az_sv only_device(struct az_sv rows)
{
    struct az_sv name = AZ_SV("");
    (void)az_sv_cut(&rows, '\n'); /* titles */
    while (rows.n) {
        struct az_sv line = az_sv_cut(&rows, '\n'), own = az_sv_trim(az_sv_cut(&line, ','));
        if (name.n && !az_sv_eq(own, name))
            return AZ_SV("");
        name = own;
    }
    return name;
}

static int read_text(struct az_loader *l, struct az_sv path, struct az_sv *text)
{
    const struct az_source_opts so = { .diag = l->diag };
    struct az_source *s = NULL;
    const size_t errors = l->diag->errors;
    int rc = az_source_open(&s, path.p, &so);
    if (rc)
        return rc;
    rc = az_source_all(s, l->a, ARCH_MAX_BYTES, text);
    az_source_close(s);
    if (rc && rc != AZ_ENOMEM && l->diag->errors == errors)
        az_diag_add(l->diag, AZ_ERROR, AZ_AT_FILE(path),
                    "cannot read, or larger than 4 MiB; check gpu_arch_json_path");
    return rc;
}

void az_arch_load(struct az_loader *l, struct az_options *opts)
{
    struct arch x = { .l = l, .head = head_of(az_data("devices.csv")) };
    struct az_node *root = NULL;
    struct az_sv path = opts->gpu_arch_json_path, text = { 0 };
    if (path.n == 0 || l->no_files)
        return;
    if (az_sv_eq(path, l->arch_path)) { /* of an earlier input */
        opts->arch_rows = l->arch_rows;
        opts->arch_device = l->arch_device;
        return;
    }
    az_vec_init(&x.rows, NULL);
    x.rc = read_text(l, path, &text);
    if (x.rc == 0)
        x.rc = az_conf_parse(text, path, l->a, l->diag, &root);
    if (x.rc == 0)
        put_all(&x, root);
    if (x.rc == 0)
        opts->arch_rows = az_arena_dup(l->a, az_text_view(&x.rows));
    opts->arch_device = only_device(opts->arch_rows);
    l->arch_path = path;
    l->arch_rows = opts->arch_rows;
    l->arch_device = opts->arch_device;
    if (x.rc == AZ_ENOMEM || (x.rc == 0 && !opts->arch_rows.p))
        l->fatal = AZ_ENOMEM;
    az_vec_release(&x.rows);
}
