/* Arguments of events in the native Perfetto output of PyTorch, as those of its JSON
 * (docs/formats-pytorch.md 1.10). */
#include "base/num.h"
#include "formats/pytorch/pytorch_pftrace.h"
#include "text/jsonw.h"

enum { DEPTH = 24 }; /* lists in lists */

void az_pytorch_pftrace_arg_number(struct az_pytorch_event *e, struct az_sv key, int64_t v)
{
    const unsigned arg = az_pytorch_arg_of(key);
    if (arg >= AZ_PYTORCH_NUMBERS)
        return;
    e->number[arg] = v;
    e->given |= AZ_PYTORCH_BIT(arg);
}

int az_pytorch_pftrace_arg_text(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                                struct az_sv key, struct az_sv text)
{
    const unsigned arg = az_pytorch_arg_of(key);
    int64_t v;
    if (arg >= AZ_PYTORCH_ARGS ||
        (arg < AZ_PYTORCH_NUMBERS && az_parse_i64(az_sv_trim(text), &v) != 0))
        return 0;
    if (arg < AZ_PYTORCH_NUMBERS) {
        az_pytorch_pftrace_arg_number(e, key, v);
        return 0;
    }
    struct az_sv kept = text.n ? az_arena_dup(&p->reader.scratch, text) : AZ_SV("");
    if (!kept.p)
        return az_arena_error(&p->reader.scratch);
    e->text[arg - AZ_PYTORCH_NUMBERS] = kept;
    e->given |= AZ_PYTORCH_BIT(arg);
    return 0;
}

/* ---- debug annotations ---- */
struct value {
    struct az_sv name;
    bool number, text; /* else a list, or nothing */
    int64_t i;
    struct az_sv s;
};

static int write_value(struct az_pytorch_pftrace *p, struct az_jsonw *w,
                       const struct az_protobuf *m, struct az_sv message, uint32_t generation,
                       unsigned depth, bool keyed);

/* One field of an annotation with a value; false: it has none. */
static bool scalar(struct az_pytorch_pftrace *p, struct value *v, uint32_t field, unsigned wire,
                   uint64_t value, struct az_sv bytes, uint32_t generation)
{
    if (wire == AZ_PROTOBUF_INT && (field == AZ_PFTRACE_UINT || field == AZ_PFTRACE_INT ||
                                    field == AZ_PFTRACE_BOOL || field == AZ_PFTRACE_POINTER))
        v->i = (int64_t)value, v->number = true;
    else if (wire == AZ_PROTOBUF_BYTES && (field == AZ_PFTRACE_STRING || field == AZ_PFTRACE_JSON))
        v->s = bytes, v->text = true;
    else if (wire == AZ_PROTOBUF_INT && field == AZ_PFTRACE_STRING_IID) {
        const uint32_t id = az_pytorch_pftrace_text(p, PTP_STRING, generation, value);
        v->s = id == AZ_NO_ID ? AZ_SV("") : az_trace_text(p->job->trace, id);
        v->text = true;
    } else
        return false;
    return true;
}

static struct az_sv name_of(struct az_pytorch_pftrace *p, uint32_t field, unsigned wire,
                            uint64_t value, struct az_sv bytes, uint32_t generation)
{
    if (field == AZ_PFTRACE_NAME && wire == AZ_PROTOBUF_BYTES)
        return bytes;
    const uint32_t id = az_pytorch_pftrace_text(p, PTP_ANNOTATION, generation, value);
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(p->job->trace, id);
}

/* Entries of an object, or items of a list. */
static int write_list(struct az_pytorch_pftrace *p, struct az_jsonw *w, const struct az_protobuf *m,
                      struct az_sv message, uint32_t generation, unsigned depth, uint32_t kind)
{
    struct az_protobuf a;
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0)
        rc = field == kind && wire == AZ_PROTOBUF_BYTES
                 ? write_value(p, w, &a, bytes, generation, depth + 1, kind == AZ_PFTRACE_ENTRY)
                 : 0;
    return rc;
}

/* As JSON: a scalar, a list, an object; in an object (keyed) with its key before. */
static int write_value(struct az_pytorch_pftrace *p, struct az_jsonw *w,
                       const struct az_protobuf *m, struct az_sv message, uint32_t generation,
                       unsigned depth, bool keyed)
{
    struct az_protobuf a;
    struct value v = { .name = AZ_SV("") };
    uint32_t field, list = 0;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    double real = 0;
    bool is_real = false;
    int rc = depth > DEPTH ? AZ_EFORMAT : az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        if (field == AZ_PFTRACE_ENTRY || field == AZ_PFTRACE_ITEM)
            list = field;
        else if ((field == AZ_PFTRACE_NAME && wire == AZ_PROTOBUF_BYTES) ||
                 (field == AZ_PFTRACE_NAME_IID && wire == AZ_PROTOBUF_INT))
            v.name = name_of(p, field, wire, value, bytes, generation);
        else if (field == AZ_PFTRACE_DOUBLE && wire == AZ_PROTOBUF_FIXED64)
            real = az_protobuf_double(value), is_real = true;
        else
            (void)scalar(p, &v, field, wire, value, bytes, generation);
    }
    if (rc)
        return rc;
    if (keyed)
        az_jsonw_keysv(w, v.name);
    if (list == AZ_PFTRACE_ENTRY)
        az_jsonw_object(w);
    else if (list == AZ_PFTRACE_ITEM)
        az_jsonw_array(w);
    if (list)
        rc = write_list(p, w, m, message, generation, depth, list);
    if (list == AZ_PFTRACE_ENTRY)
        az_jsonw_end_object(w);
    else if (list == AZ_PFTRACE_ITEM)
        az_jsonw_end_array(w);
    else if (is_real)
        az_jsonw_f64(w, real);
    else if (v.text)
        az_jsonw_text(w, v.s);
    else
        az_jsonw_i64(w, v.i);
    return rc;
}

/* A list or a real number as text; a number or a text as it is. */
static int put_json(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                    const struct az_protobuf *m, struct az_sv message, uint32_t generation,
                    struct az_sv key)
{
    struct az_vec_char text;
    struct az_jsonw w;
    az_vec_init(&text, p->job->mem);
    az_jsonw_init(&w, NULL, &text, 0);
    int rc = write_value(p, &w, m, message, generation, 0, false);
    const int ended = az_jsonw_finish(&w);
    if (rc == 0)
        rc = ended == AZ_EINTERNAL ? AZ_EFORMAT : ended; /* an object of items without keys */
    if (rc == 0)
        rc = az_pytorch_pftrace_arg_text(p, e, key, az_text_view(&text));
    az_vec_release(&text);
    return rc;
}

int az_pytorch_pftrace_annotation(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                                  const struct az_protobuf *m, struct az_sv message,
                                  uint32_t generation)
{
    struct az_protobuf a;
    struct value v = { .name = AZ_SV("") };
    char digits[AZ_NUM_MAX];
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    bool list = false;
    int rc = az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        if ((field == AZ_PFTRACE_NAME && wire == AZ_PROTOBUF_BYTES) ||
            (field == AZ_PFTRACE_NAME_IID && wire == AZ_PROTOBUF_INT))
            v.name = name_of(p, field, wire, value, bytes, generation);
        else if (field == AZ_PFTRACE_ENTRY || field == AZ_PFTRACE_ITEM ||
                 field == AZ_PFTRACE_DOUBLE)
            list = true;
        else
            (void)scalar(p, &v, field, wire, value, bytes, generation);
    }
    if (rc || !v.name.n || az_pytorch_arg_of(v.name) >= AZ_PYTORCH_ARGS)
        return rc;
    if (list)
        return put_json(p, e, m, message, generation, v.name);
    if (v.number && az_pytorch_arg_of(v.name) < AZ_PYTORCH_NUMBERS)
        az_pytorch_pftrace_arg_number(e, v.name, v.i);
    else if (v.number)
        return az_pytorch_pftrace_arg_text(p, e, v.name,
                                           az_sv_make(digits, az_format_i64(v.i, digits)));
    return v.text ? az_pytorch_pftrace_arg_text(p, e, v.name, v.s) : 0;
}

/* ---- render stages ---- */
int az_pytorch_pftrace_extra(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                             const struct az_protobuf *m, struct az_sv message)
{
    static const struct {
        const char *theirs, *ours;
    } names[] = { { "device id", "device" }, { "stream id", "stream" } };
    struct az_sv name = AZ_SV(""), text = AZ_SV("");
    const struct az_protobuf_field want[] = { { 1, NULL, &name }, { 2, NULL, &text } };
    const int rc = az_protobuf_pick(m, message, want, 2, NULL);
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        if (az_sv_is(name, names[i].theirs))
            name = az_sv_str(names[i].ours);
    return rc ? rc : az_pytorch_pftrace_arg_text(p, e, name, text);
}

/* {x 1, y 2, z 3}; what is 0 is absent, and stands for one block or thread. */
static int three(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                 const struct az_protobuf *m, struct az_sv message, const char *key)
{
    uint64_t v[3] = { 1, 1, 1 };
    const struct az_protobuf_field want[] = { { 1, &v[0], NULL },
                                              { 2, &v[1], NULL },
                                              { 3, &v[2], NULL } };
    const int rc = az_protobuf_pick(m, message, want, 3, NULL);
    if (rc)
        return rc;
    const struct az_sv text =
        az_arena_printf(&p->reader.scratch, "[%llu, %llu, %llu]", (unsigned long long)v[0],
                        (unsigned long long)v[1], (unsigned long long)v[2]);
    return text.p ? az_pytorch_pftrace_arg_text(p, e, az_sv_str(key), text)
                  : az_arena_error(&p->reader.scratch);
}

/* {name_iid 1, uint_value 4} */
static int launch_arg(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                      const struct az_protobuf *m, struct az_sv message)
{
    char digits[AZ_NUM_MAX];
    uint64_t iid = UINT64_MAX, v = 0;
    const struct az_protobuf_field want[] = { { 1, &iid, NULL }, { 4, &v, NULL } };
    const int rc = az_protobuf_pick(m, message, want, 2, NULL);
    if (rc || iid == UINT64_MAX)
        return rc;
    const uint32_t name = az_pytorch_pftrace_text(p, PTP_KERNEL_ARG, p->generation, iid);
    if (name == AZ_NO_ID)
        return 0;
    return az_pytorch_pftrace_arg_text(p, e, az_trace_text(p->job->trace, name),
                                       az_sv_make(digits, az_format_i64((int64_t)v, digits)));
}

int az_pytorch_pftrace_launch(struct az_pytorch_pftrace *p, struct az_pytorch_event *e,
                              const struct az_protobuf *m, struct az_sv message)
{
    struct az_protobuf a;
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        if (wire == AZ_PROTOBUF_BYTES && (field == 1 || field == 2))
            rc = three(p, e, &a, bytes, field == 1 ? "grid" : "block");
        else if (wire == AZ_PROTOBUF_BYTES && field == 3)
            rc = launch_arg(p, e, &a, bytes);
    }
    return rc;
}
