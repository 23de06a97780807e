/* Columns by the Arrow C stream interface (arrow.apache.org/docs/format/CStreamInterface.html): a
 * stream of one batch, whose buffers are those of the columns. Every part owns a share of them, so
 * that a consumer may keep a column and release the rest. */
#include <errno.h>
#include <string.h>

#include "library/columns.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#define ARROW_NULLABLE 2

/* What a part owns; freed with it. */
struct share {
    struct analyzer_columns *columns;
    struct az_arena arena;
    bool sent; /* of a stream: its batch */
};

static struct share *new_share(struct analyzer_columns *c)
{
    struct share *s = az_mem_alloc(NULL, sizeof *s);

    if (!s)
        return NULL;
    *s = (struct share){ .columns = c };
    az_arena_init(&s->arena, NULL);
    az_columns_share(c);
    return s;
}

static void free_share(struct share *s)
{
    az_arena_release(&s->arena);
    analyzer_columns_close(s->columns);
    az_mem_free(NULL, s, sizeof *s);
}

/* ---- schema ---- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release)
            s->children[i]->release(s->children[i]);
    s->release = NULL;
    free_share(s->private_data);
}

static const char *format_of(enum az_cell_type type)
{
    switch (type) {
    case AZ_TEXT:
        return "U"; /* UTF-8 with offsets of 64 bits */
    case AZ_INT:
        return "l";
    case AZ_BOOL:
        return "b";
    case AZ_REAL:
    case AZ_EMPTY:
        break;
    }
    return "g";
}

/* {"unit": unit} in the interface's encoding: counts and lengths are 32-bit integers. */
static const char *unit_metadata(struct az_arena *a, const char *unit)
{
    static const char key[] = "unit";
    const int32_t counts[] = { 1, (int32_t)strlen(key), (int32_t)strlen(unit) };
    char *out = az_arena_alloc(a, sizeof counts + strlen(key) + strlen(unit)), *at = out;

    if (!out)
        return NULL;
    memcpy(at, counts, 2 * sizeof counts[0]);
    at += 2 * sizeof counts[0];
    memcpy(at, key, strlen(key));
    at += strlen(key);
    memcpy(at, &counts[2], sizeof counts[2]);
    memcpy(at + sizeof counts[2], unit, strlen(unit));
    return out;
}

static int column_schema(struct analyzer_columns *c, size_t i, struct ArrowSchema *out)
{
    const struct az_library_column *col = &c->v[i];
    struct share *s = new_share(c);

    *out = (struct ArrowSchema){ .format = format_of(col->type),
                                 .name = col->name,
                                 .flags = ARROW_NULLABLE,
                                 .private_data = s };
    if (!s)
        return ENOMEM;
    out->release = release_schema;
    if (col->unit[0])
        out->metadata = unit_metadata(&s->arena, col->unit);
    return s->arena.failed ? ENOMEM : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct analyzer_columns *c = ((struct share *)stream->private_data)->columns;
    struct share *s = new_share(c);
    struct ArrowSchema *children;
    int rc = s ? 0 : ENOMEM;

    *out = (struct ArrowSchema){ .format = "+s", .name = "", .private_data = s };
    if (rc)
        return rc;
    out->release = release_schema;
    children = az_arena_array(&s->arena, c->n + 1, sizeof *children);
    out->children = az_arena_array(&s->arena, c->n + 1, sizeof *out->children);
    rc = s->arena.failed ? ENOMEM : 0;
    for (size_t i = 0; !rc && i < c->n; i++) {
        out->children[i] = &children[i];
        rc = column_schema(c, i, &children[i]);
        out->n_children++;
    }
    if (rc)
        release_schema(out);
    return rc;
}

/* ---- array ---- */

static void release_array(struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release)
            a->children[i]->release(a->children[i]);
    a->release = NULL;
    free_share(a->private_data);
}

/* Booleans are a bit each in Arrow. */
static const void *bits_of_bytes(struct az_arena *a, const struct az_vec_u8 *bytes)
{
    uint8_t *out = az_arena_array(a, bytes->n / 8 + 1, 1);

    if (!out)
        return NULL;
    memset(out, 0, bytes->n / 8 + 1);
    for (size_t i = 0; i < bytes->n; i++)
        if (bytes->v[i])
            out[i / 8] = (uint8_t)(out[i / 8] | 1U << i % 8);
    return out;
}

static int column_array(struct analyzer_columns *c, size_t i, struct ArrowArray *out)
{
    static const int64_t no_rows[1] = { 0 };
    const struct az_library_column *col = &c->v[i];
    const bool text = col->type == AZ_TEXT;
    struct share *s = new_share(c);

    *out = (struct ArrowArray){ .length = (int64_t)c->rows,
                                .null_count = col->nulls,
                                .n_buffers = text ? 3 : 2,
                                .private_data = s };
    if (!s)
        return ENOMEM;
    out->release = release_array;
    out->buffers = az_arena_array(&s->arena, 3, sizeof *out->buffers);
    if (!out->buffers)
        return ENOMEM;
    out->buffers[0] = col->nulls ? col->valid.v : NULL;
    out->buffers[2] = NULL;
    if (text) {
        out->buffers[1] = col->offsets.v;
        out->buffers[2] = col->text.v ? (const void *)col->text.v : no_rows;
    } else if (col->type == AZ_BOOL) {
        out->buffers[1] = bits_of_bytes(&s->arena, &col->types);
    } else {
        out->buffers[1] = col->values.v ? col->values.v : no_rows;
    }
    return s->arena.failed ? ENOMEM : 0;
}

static int make_batch(struct analyzer_columns *c, struct ArrowArray *out)
{
    struct share *s = new_share(c);
    struct ArrowArray *children;
    int rc = s ? 0 : ENOMEM;

    *out = (struct ArrowArray){ .length = (int64_t)c->rows, .n_buffers = 1, .private_data = s };
    if (rc)
        return rc;
    out->release = release_array;
    children = az_arena_array(&s->arena, c->n + 1, sizeof *children);
    out->children = az_arena_array(&s->arena, c->n + 1, sizeof *out->children);
    out->buffers = az_arena_array(&s->arena, 1, sizeof *out->buffers);
    rc = s->arena.failed ? ENOMEM : 0;
    if (!rc)
        out->buffers[0] = NULL; /* every row is there */
    for (size_t i = 0; !rc && i < c->n; i++) {
        out->children[i] = &children[i];
        rc = column_array(c, i, &children[i]);
        out->n_children++;
    }
    if (rc)
        release_array(out);
    return rc;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct share *s = stream->private_data;

    *out = (struct ArrowArray){ .length = 0 };
    if (s->sent)
        return 0;
    s->sent = true;
    return make_batch(s->columns, out);
}

/* ---- stream ---- */

static const char *last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory"; /* the only one */
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    free_share(stream->private_data);
}

int analyzer_columns_arrow(struct analyzer_columns *c, struct ArrowArrayStream *out)
{
    struct share *s;

    if (!c || !out)
        return ANALYZER_EUSAGE;
    *out = (struct ArrowArrayStream){ .release = NULL };
    s = new_share(c);
    if (!s)
        return ANALYZER_ENOMEM;
    *out = (struct ArrowArrayStream){ .get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = last_error,
                                      .release = release_stream,
                                      .private_data = s };
    return ANALYZER_OK;
}
