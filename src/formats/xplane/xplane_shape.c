/* Shapes of the HLO protocol buffers, and lists of numbers in them. */
#include <inttypes.h>

#include "base/num.h"
#include "formats/xplane/xplane.h"

/* By element_type of xla_data.proto. */
static const struct {
    const char *name;
    unsigned bits;
} types[] = {
    [0] = { "invalid", 0 },     [1] = { "pred", 8 },        [2] = { "s8", 8 },
    [3] = { "s16", 16 },        [4] = { "s32", 32 },        [5] = { "s64", 64 },
    [6] = { "u8", 8 },          [7] = { "u16", 16 },        [8] = { "u32", 32 },
    [9] = { "u64", 64 },        [10] = { "f16", 16 },       [11] = { "f32", 32 },
    [12] = { "f64", 64 },       [13] = { "tuple", 0 },      [14] = { "opaque", 0 },
    [15] = { "c64", 64 },       [16] = { "bf16", 16 },      [17] = { "token", 0 },
    [18] = { "c128", 128 },     [19] = { "f8e5m2", 8 },     [20] = { "f8e4m3fn", 8 },
    [21] = { "s4", 4 },         [22] = { "u4", 4 },         [23] = { "f8e4m3b11fnuz", 8 },
    [24] = { "f8e5m2fnuz", 8 }, [25] = { "f8e4m3fnuz", 8 }, [26] = { "s2", 2 },
    [27] = { "u2", 2 },         [28] = { "f8e4m3", 8 },     [29] = { "f8e3m4", 8 },
    [30] = { "s1", 1 },         [31] = { "u1", 1 },         [32] = { "f4e2m1fn", 4 },
    [33] = { "f8e8m0fnu", 8 },
};
enum { TYPE_TUPLE = 13, N_TYPES = AZ_LENGTH(types) };

static int64_t times(int64_t a, int64_t b)
{
    int64_t x;
    return __builtin_mul_overflow(a, b, &x) ? INT64_MAX : x;
}

/* Appends the numbers of one field occurrence to a list that has room for them. */
static int take_numbers(struct az_hlo_dims *list, struct az_protobuf_numbers it)
{
    uint64_t v;
    int rc;
    while ((rc = az_protobuf_number(&it, &v)) > 0)
        list->v[list->n++] = (int64_t)v;
    return rc;
}

int az_xplane_numbers(struct az_trace *t, struct az_sv message, uint32_t field,
                      struct az_hlo_dims *out)
{
    *out = (struct az_hlo_dims){ 0 };
    for (int pass = 0; pass < 2;
         pass++) { /* count, then read: a packed number has at least one byte */
        struct az_protobuf m = az_protobuf_of(message);
        struct az_sv b = { NULL, 0 };
        uint32_t f;
        unsigned wire;
        uint64_t v = 0;
        size_t n = 0;
        int rc;
        while ((rc = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0) {
            if (f != field || (wire != AZ_PROTOBUF_INT && wire != AZ_PROTOBUF_BYTES))
                continue;
            n += wire == AZ_PROTOBUF_INT ? 1 : b.n;
            if (pass == 1 && (rc = take_numbers(out, az_protobuf_numbers(wire, v, b))) < 0)
                return rc;
        }
        if (rc < 0)
            return rc;
        if (n == 0)
            return AZ_OK;
        if (pass == 0 && !(out->v = az_arena_array(&t->arena, n, sizeof *out->v)))
            return az_arena_error(&t->arena);
    }
    return AZ_OK;
}

static void append_list(struct az_vec_char *text, char open, const struct az_hlo_dims *list,
                        char close)
{
    az_text_format(text, "%c", open);
    for (size_t i = 0; i < list->n; i++)
        az_text_format(text, "%s%" PRId64, i ? "," : "", list->v[i]);
    az_text_format(text, "%c", close);
}

/* The text becomes that of the shape. */
static int finish_text(struct az_trace *t, struct az_vec_char *text, struct az_hlo_shape *s)
{
    int rc = az_vec_error(text);
    if (rc == 0 && !(s->text = az_arena_dup(&t->arena, az_text_view(text))).p)
        rc = az_arena_error(&t->arena);
    az_vec_release(text);
    return rc;
}

/* "bf16[8,16]{1,0}"; "bf16[]". */
static int write_text(struct az_trace *t, struct az_hlo_shape *s, const struct az_hlo_dims *layout)
{
    const struct az_hlo_dims dims = { s->n_dims, s->dims };
    struct az_vec_char text;
    az_vec_init(&text, t->mem);
    az_text_add(&text, s->type);
    append_list(&text, '[', &dims, ']');
    if (layout->n)
        append_list(&text, '{', layout, '}');
    return finish_text(t, &text, s);
}

static int tuple_text(struct az_trace *t, struct az_hlo_shape *s)
{
    struct az_vec_char text;
    az_vec_init(&text, t->mem);
    az_text_add(&text, AZ_SV("("));
    for (size_t i = 0; i < s->n_parts; i++) {
        if (i)
            az_text_add(&text, AZ_SV(","));
        az_text_add(&text, s->parts[i].text);
        s->bytes = az_add_sat(s->bytes, s->parts[i].bytes);
    }
    az_text_add(&text, AZ_SV(")"));
    return finish_text(t, &text, s);
}

static int tuple(struct az_trace *t, const struct az_protobuf *in, struct az_sv bytes, size_t n,
                 struct az_hlo_shape *s)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc = AZ_OK;
    s->parts = az_arena_array(&t->arena, n ? n : 1, sizeof *s->parts);
    if (!s->parts)
        return az_arena_error(&t->arena);
    m.depth = in->depth;
    while (rc == 0 && s->n_parts < n && az_protobuf_next(&m, &f, &wire, &v, &b) > 0)
        if (f == 4 && wire == AZ_PROTOBUF_BYTES)
            rc = az_xplane_shape(t, &m, b, &s->parts[s->n_parts++]);
    return rc ? rc : tuple_text(t, s);
}

/* `in`: the message the shape is in, for the depth. */
int az_xplane_shape(struct az_trace *t, const struct az_protobuf *in, struct az_sv bytes,
                    struct az_hlo_shape *s)
{
    struct az_protobuf m;
    struct az_sv b = { NULL, 0 }, layout_bytes = { "", 0 };
    struct az_hlo_dims dims, layout;
    uint32_t f;
    unsigned wire;
    uint64_t v = 0, type = 0;
    size_t parts = 0;
    *s = (struct az_hlo_shape){ .text = { "", 0 } };
    int rc = az_protobuf_sub(in, bytes, &m);
    while (rc == 0 && (rc = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0) {
        if (f == 2 && wire == AZ_PROTOBUF_INT)
            type = v;
        else if (f == 4 && wire == AZ_PROTOBUF_BYTES)
            parts++;
        else if (f == 5 && wire == AZ_PROTOBUF_BYTES)
            layout_bytes = b;
        rc = AZ_OK;
    }
    if (rc == 0)
        rc = az_xplane_numbers(t, bytes, 3, &dims);
    if (rc == 0)
        rc = az_xplane_numbers(t, layout_bytes, 1, &layout);
    if (rc)
        return rc;
    s->type = type < N_TYPES ? az_sv_str(types[type].name) : AZ_SV("unknown");
    s->bits = type < N_TYPES ? types[type].bits : 0;
    if (type == TYPE_TUPLE)
        return tuple(t, &m, bytes, parts, s);
    s->n_dims = dims.n;
    s->dims = dims.v;
    s->elements = 1;
    for (size_t i = 0; i < dims.n; i++)
        s->elements = times(s->elements, dims.v[i] < 0 ? 0 : dims.v[i]);
    const int64_t bits = times(s->elements, (int64_t)s->bits);
    s->bytes = bits == INT64_MAX ? bits : bits / 8 + (bits % 8 != 0);
    return write_text(t, s, &layout);
}
