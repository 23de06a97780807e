/* Structures as bytes. */
#include "base/struct_layout.h"

#include <string.h>

#define NO_LIST UINT64_MAX

_Static_assert(
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "this program reads and writes little-endian numbers as they are in memory: big-endian "
    "processors are not supported");

static const struct az_shape_field i64_fields[] = { { "i64", AZ_SHAPE_PLAIN, 0, 8, 1, NULL, 0, 0, 0,
                                                      NULL } };
static const struct az_shape_field u8_fields[] = { { "u8", AZ_SHAPE_PLAIN, 0, 1, 1, NULL, 0, 0, 0,
                                                     NULL } };
static const struct az_shape_field text_fields[] = { { "text", AZ_SHAPE_TEXT, 0, 4, 1, NULL, 0, 0,
                                                       0, NULL } };
const struct az_shape az_shape_i64 = { "i64", 8, i64_fields, 1, NULL };
const struct az_shape az_shape_u8 = { "u8", 1, u8_fields, 1, NULL };
const struct az_shape az_shape_text = { "text", sizeof(struct az_sv), text_fields, 1, NULL };

/* ---- description ---- */

static uint64_t mix_word(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15); /* it is stored in files */
    return h ^ h >> 29;
}

/* Eight bytes at a time: a report of many ranks checks each section of each. */
static uint64_t mix_text(uint64_t h, const char *s)
{
    for (size_t n = strlen(s), at = 0; at <= n; at += 8) { /* with its NUL, which ends it */
        uint64_t x = 0;
        memcpy(&x, s + at, n - at < 8 ? n - at : 8);
        h = mix_word(h, x);
    }
    return h;
}

static uint64_t describe(uint64_t h, const struct az_shape *s)
{
    h = mix_word(mix_text(h, s->name), s->n);
    for (size_t i = 0; i < s->n; i++) {
        const struct az_shape_field *f = &s->field[i];
        h = mix_text(h, f->name);
        h = mix_word(h, (uint64_t)f->kind << 32 | f->width);
        h = mix_word(mix_word(h, f->count), f->more);
        h = f->of ? describe(h, f->of) : mix_word(h, 0);
    }
    return h;
}

uint64_t az_shape_layout(const struct az_shape *s) { return describe(0, s); }

static size_t aligned(size_t at, size_t width) { return (at + width - 1) / width * width; }

/* ---- writing ---- */

struct writer {
    struct az_vec_char *out;
    struct az_intern *texts;
    size_t begin;
};

static int align_to(struct writer *w, size_t width)
{
    static const char zeros[8];
    const size_t at = w->out->n - w->begin;
    return az_text_append(w->out, az_sv_make(zeros, aligned(at, width) - at));
}

static int put_bytes(struct writer *w, const void *p, size_t width)
{
    const int rc = align_to(w, width);
    return rc ? rc : az_text_append(w->out, az_sv_make(p, width));
}

static int put_text(struct writer *w, struct az_sv text)
{
    uint32_t id = AZ_NO_ID;
    const int rc = text.p ? az_intern(w->texts, text, &id) : AZ_OK;
    return rc ? rc : put_bytes(w, &id, sizeof id);
}

/* A pointer member; all pointers have one representation. */
static const char *pointer_at(const char *at)
{
    const char *p;
    memcpy(&p, at, sizeof p);
    return p;
}

static uint64_t number_at(const char *at, size_t width)
{
    uint64_t n = 0;
    memcpy(&n, at, width);
    return n;
}

static int write_one(struct writer *w, const struct az_shape *s, const char *from);

/* Are its structs one number each, of any value? Then a list of them has the bytes that are in
 * memory. */
static bool is_number(const struct az_shape *s)
{
    return s->n == 1 && !s->valid && s->field->kind == AZ_SHAPE_PLAIN && s->field->at == 0 &&
           s->field->count == 1 && s->field->width == s->size;
}

static int write_list(struct writer *w, const struct az_shape_field *f, const char *from)
{
    const char *v = pointer_at(from + f->at);
    const uint64_t n = v ? number_at(from + f->n_at, f->n_width) : NO_LIST;
    int rc = put_bytes(w, &n, sizeof n);
    if (rc == 0 && v && is_number(f->of)) /* of 1 to 8 bytes: after the count they are aligned */
        return az_text_append(w->out, az_sv_make(v, (n + f->more) * f->of->size));
    for (uint64_t i = 0; rc == 0 && v && i < n + f->more; i++)
        rc = write_one(w, f->of, v + i * f->of->size);
    return rc;
}

static int write_field(struct writer *w, const struct az_shape_field *f, const char *from)
{
    const char *at = from + f->at, *p;
    struct az_sv text;
    int rc = AZ_OK;

    switch (f->kind) {
    case AZ_SHAPE_PLAIN:
    case AZ_SHAPE_I64:
    case AZ_SHAPE_FLAG:
        for (size_t i = 0; rc == 0 && i < f->count; i++)
            rc = put_bytes(w, at + i * f->width, f->width);
        return rc;
    case AZ_SHAPE_TEXT:
        memcpy(&text, at, sizeof text);
        return put_text(w, text);
    case AZ_SHAPE_WORD:
        p = pointer_at(at);
        return put_text(w, p ? az_sv_str(p) : (struct az_sv){ NULL, 0 });
    case AZ_SHAPE_NAMED:
        p = pointer_at(at);
        return put_text(w, p ? az_sv_str(f->names->name_of(p)) : (struct az_sv){ NULL, 0 });
    case AZ_SHAPE_NEST:
        for (size_t i = 0; rc == 0 && i < f->count; i++)
            rc = write_one(w, f->of, at + i * f->of->size);
        return rc;
    default:
        return write_list(w, f, from);
    }
}

static int write_one(struct writer *w, const struct az_shape *s, const char *from)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < s->n; i++)
        rc = write_field(w, &s->field[i], from);
    return rc;
}

int az_shape_write(const struct az_shape *s, const void *from, struct az_intern *texts,
                   struct az_vec_char *out)
{
    struct writer w = { .out = out, .texts = texts, .begin = out->n };
    const int rc = write_one(&w, s, from);
    return rc ? rc : align_to(&w, 8);
}

/* ---- reading ---- */

struct reader {
    struct az_sv bytes;
    size_t at;
    const struct az_sv *text;
    size_t n_texts;
    struct az_arena *keep;
    bool in_place; /* lists of bytes are not copied */
};

static int get_bytes(struct reader *r, void *p, size_t width)
{
    r->at = aligned(r->at, width);
    if (r->at > r->bytes.n || r->bytes.n - r->at < width)
        return AZ_EFORMAT;
    memcpy(p, r->bytes.p + r->at, width);
    r->at += width;
    return AZ_OK;
}

static int get_text(struct reader *r, struct az_sv *text)
{
    uint32_t id;
    const int rc = get_bytes(r, &id, sizeof id);
    *text = (struct az_sv){ NULL, 0 };
    if (rc || id == AZ_NO_ID)
        return rc;
    if (id >= r->n_texts)
        return AZ_EFORMAT;
    *text = r->text[id];
    return AZ_OK;
}

static int read_one(struct reader *r, const struct az_shape *s, char *to);

/* v: of n structs that are one number each. */
static int read_numbers(struct reader *r, const struct az_shape *s, size_t n, const char **v)
{
    const bool copy = !r->in_place || s->size > 1;
    size_t bytes;
    if (!az_size_mul(n, s->size, &bytes) || r->bytes.n - r->at < bytes)
        return AZ_EFORMAT;
    char *own = copy ? az_arena_room(r->keep, bytes) : NULL;
    if (copy && !own)
        return az_arena_error(r->keep);
    *v = copy ? memcpy(own, r->bytes.p + r->at, bytes) : r->bytes.p + r->at;
    r->at += bytes;
    return AZ_OK;
}

static int read_structs(struct reader *r, const struct az_shape *s, size_t n, const char **v)
{
    char *own = az_arena_array(r->keep, n, s->size);
    int rc = own ? AZ_OK : az_arena_error(r->keep);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = read_one(r, s, own + i * s->size);
    *v = own;
    return rc;
}

/* Of an element there are at least as many bytes as it has members of any size: a larger count is
 * rejected before memory is allocated. */
static int read_list(struct reader *r, const struct az_shape_field *f, char *to)
{
    uint64_t n;
    size_t all;
    const char *v = NULL;
    int rc = get_bytes(r, &n, sizeof n);

    if (rc || n == NO_LIST) {
        const void *nothing = NULL;
        memcpy(to + f->at, &nothing, sizeof nothing);
        return rc;
    }
    const uint64_t other = number_at(to + f->n_at, f->n_width); /* of a list of equal length */
    if (n > r->bytes.n - r->at || (other && other != n) ||
        (f->n_width < 8 && n >> (8 * f->n_width)))
        return AZ_EFORMAT;
    if (!az_size_add((size_t)n, f->more, &all))
        return AZ_EFORMAT;
    rc = is_number(f->of) ? read_numbers(r, f->of, all, &v) : read_structs(r, f->of, all, &v);
    memcpy(to + f->at, &v, sizeof v);
    memcpy(to + f->n_at, &n, f->n_width);
    return rc;
}

static int read_constant(struct reader *r, const struct az_shape_field *f, char *to)
{
    struct az_sv text;
    const void *p = NULL;
    const int rc = get_text(r, &text);
    if (rc == 0 && text.p)
        p = f->kind == AZ_SHAPE_WORD ? text.p : f->names->find(text);
    memcpy(to, &p, sizeof p);
    return rc ? rc : text.p && !p ? AZ_EFORMAT : AZ_OK;
}

/* Is the value one that the type may have, and that can be added to another? */
static bool is_valid_value(enum az_shape_kind kind, const char *at)
{
    int64_t x;
    if (kind == AZ_SHAPE_FLAG)
        return (unsigned char)*at < 2;
    if (kind != AZ_SHAPE_I64)
        return true;
    memcpy(&x, at, sizeof x);
    return (x >= -AZ_SHAPE_I64_MOST && x <= AZ_SHAPE_I64_MOST) || x == INT64_MIN || x == INT64_MAX;
}

static int read_field(struct reader *r, const struct az_shape_field *f, char *to)
{
    char *at = to + f->at;
    struct az_sv text;
    int rc = AZ_OK;

    switch (f->kind) {
    case AZ_SHAPE_PLAIN:
    case AZ_SHAPE_I64:
    case AZ_SHAPE_FLAG:
        for (size_t i = 0; rc == 0 && i < f->count; i++) {
            rc = get_bytes(r, at + i * f->width, f->width);
            if (rc == 0 && !is_valid_value(f->kind, at + i * f->width)) {
                memset(at + i * f->width, 0, f->width);
                rc = AZ_EFORMAT;
            }
        }
        return rc;
    case AZ_SHAPE_TEXT:
        rc = get_text(r, &text);
        memcpy(at, &text, sizeof text);
        return rc;
    case AZ_SHAPE_WORD:
    case AZ_SHAPE_NAMED:
        return read_constant(r, f, at);
    case AZ_SHAPE_NEST:
        for (size_t i = 0; rc == 0 && i < f->count; i++)
            rc = read_one(r, f->of, at + i * f->of->size);
        return rc;
    default:
        return read_list(r, f, to);
    }
}

static int read_one(struct reader *r, const struct az_shape *s, char *to)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < s->n; i++)
        rc = read_field(r, &s->field[i], to);
    return rc ? rc : !s->valid || s->valid(to) ? AZ_OK : AZ_EFORMAT;
}

static int read_whole(struct reader *r, const struct az_shape *s, void *to)
{
    const int rc = read_one(r, s, to);
    if (rc)
        return rc;
    return aligned(r->at, 8) == r->bytes.n ? AZ_OK : AZ_EFORMAT;
}

int az_shape_read(const struct az_shape *s, void *to, struct az_sv bytes, const struct az_sv *text,
                  size_t n_texts, struct az_arena *keep)
{
    struct reader r = { .bytes = bytes, .text = text, .n_texts = n_texts, .keep = keep };
    return read_whole(&r, s, to);
}

int az_shape_check(const struct az_shape *s, void *to, struct az_sv bytes, const struct az_sv *text,
                   size_t n_texts, struct az_arena *scratch)
{
    struct reader r = { bytes, 0, text, n_texts, scratch, .in_place = true };
    return read_whole(&r, s, to);
}
