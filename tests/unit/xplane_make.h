/* Protocol buffers and XPlane profiles made by hand, for the tests of the reader and of its
 * analyses. */
#ifndef TESTS_XPLANE_MAKE_H
#define TESTS_XPLANE_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/sv.h"

struct pb { /* a message being written */
    char b[1 << 15];
    size_t n;
};

static inline void pb_raw(struct pb *m, const void *p, size_t n)
{
    assert_true(m->n + n <= sizeof m->b);
    memcpy(m->b + m->n, p, n);
    m->n += n;
}
static inline void pb_varint(struct pb *m, uint64_t v)
{
    unsigned char c;
    for (; v > 0x7f; v >>= 7)
        pb_raw(m, (c = (unsigned char)(v | 0x80), &c), 1);
    pb_raw(m, (c = (unsigned char)v, &c), 1);
}
static inline void pb_num(struct pb *m, unsigned field, uint64_t v)
{
    pb_varint(m, field << 3);
    pb_varint(m, v);
}
static inline void pb_data(struct pb *m, unsigned field, const void *p, size_t n)
{
    pb_varint(m, field << 3 | 2);
    pb_varint(m, n);
    pb_raw(m, p, n);
}
static inline void pb_text(struct pb *m, unsigned field, const char *s)
{
    pb_data(m, field, s, strlen(s));
}
static inline void pb_msg(struct pb *m, unsigned field, const struct pb *sub)
{
    pb_data(m, field, sub->b, sub->n);
}
static inline struct pb *pb_new(void)
{
    struct pb *m = calloc(1, sizeof *m);
    assert_non_null(m);
    return m;
}

/* Map entry {key, {1 key, 2 name, extra}} of event (4) or stat (5) metadata. */
static inline void plane_meta(struct pb *plane, unsigned field, uint64_t key, const char *name,
                              const struct pb *extra)
{
    struct pb *value = pb_new(), *entry = pb_new();
    pb_num(value, 1, key);
    pb_text(value, 2, name);
    if (extra)
        pb_raw(value, extra->b, extra->n);
    pb_num(entry, 1, key);
    pb_msg(entry, 2, value);
    pb_msg(plane, field, entry);
    free(value);
    free(entry);
}
/* A stat: number (field 3 or 4), or text (5). */
static inline void event_number(struct pb *event, unsigned field, uint64_t id, unsigned kind,
                                uint64_t v)
{
    struct pb *s = pb_new();
    pb_num(s, 1, id);
    pb_num(s, kind, v);
    pb_msg(event, field, s);
    free(s);
}
static inline void event_text(struct pb *event, unsigned field, uint64_t id, const void *p,
                              size_t n)
{
    struct pb *s = pb_new();
    pb_num(s, 1, id);
    pb_data(s, 5, p, n);
    pb_msg(event, field, s);
    free(s);
}
static inline void line_event(struct pb *line, uint64_t meta, uint64_t offset, uint64_t duration,
                              const struct pb *stats)
{
    struct pb *e = pb_new();
    pb_num(e, 1, meta);
    pb_num(e, 2, offset);
    pb_num(e, 3, duration);
    if (stats)
        pb_raw(e, stats->b, stats->n);
    pb_msg(line, 4, e);
    free(e);
}
static inline void line_head(struct pb *line, uint64_t id, const char *name, uint64_t timestamp_ns)
{
    pb_num(line, 1, id);
    pb_text(line, 2, name);
    pb_num(line, 3, timestamp_ns);
}

/* ids of stats that the planes below use */
enum { ST_CORR = 1, ST_PROGRAM, ST_OP, ST_MODULE, ST_DEVICE, ST_COPY };

static inline void stat_names(struct pb *plane)
{
    static const char *const names[] = { "correlation_id", "program_id", "hlo_op",
                                         "hlo_module",     "device_id",  "memcpy_details" };
    for (uint64_t i = 0; i < AZ_LENGTH(names); i++)
        plane_meta(plane, 5, i + 1, names[i], NULL);
}

/* One stream of device `ordinal`: a kernel of program 9 (`op`), a copy of 4096 bytes, both with
 * correlations. Lines come before the metadata, as profilers write them. */
static inline struct pb *gpu_plane(const char *name, const char *kernel, const char *op,
                                   uint64_t start, uint64_t ticks)
{
    struct pb *plane = pb_new(), *line = pb_new(), *stats = pb_new();
    pb_text(plane, 2, name);
    line_head(line, 7, "Stream #7(Kernel)", 1000);
    event_number(stats, 4, ST_CORR, 3, 11);
    event_number(stats, 4, ST_PROGRAM, 4, 9);
    event_text(stats, 4, ST_OP, op, strlen(op));
    event_text(stats, 4, ST_MODULE, "jit_f", 5);
    line_event(line, 1, start, ticks, stats);
    stats->n = 0;
    event_number(stats, 4, ST_CORR, 3, 12);
    event_text(stats, 4, ST_COPY, "kind:D2H size:4096 dest:0", 25);
    line_event(line, 2, start + ticks, 500000, stats);
    pb_msg(plane, 3, line);
    line->n = 0;
    line_head(line, 8, "XLA Ops", 1000);
    line_event(line, 1, start, ticks, NULL);
    pb_msg(plane, 3, line);
    plane_meta(plane, 4, 1, kernel, NULL);
    plane_meta(plane, 4, 2, "MemcpyD2H", NULL);
    stat_names(plane);
    free(line);
    free(stats);
    return plane;
}

/* Calls that launch the two events of gpu_plane, 2 us before the kernel, on device 0. */
static inline struct pb *host_plane(uint64_t start)
{
    struct pb *plane = pb_new(), *line = pb_new(), *stats = pb_new();
    pb_text(plane, 2, "/host:CPU");
    line_head(line, UINT64_C(0xffffffffffffff00), "python", 1000);
    event_number(stats, 4, ST_CORR, 3, 11);
    event_number(stats, 4, ST_DEVICE, 3, 0);
    line_event(line, 1, start - 2000000, 300000, stats);
    line_event(line, 2, start, 1000, NULL);
    line_event(line, 2, start, 3000, NULL);
    pb_msg(plane, 3, line);
    plane_meta(plane, 4, 1, "cuLaunchKernel", NULL);
    plane_meta(plane, 4, 2, "isinstance", NULL);
    stat_names(plane);
    free(line);
    free(stats);
    return plane;
}

static inline void shape_of(struct pb *out, uint64_t type, size_t n, const uint64_t *dims)
{
    struct pb *list = pb_new(), *layout = pb_new(), *order = pb_new();
    pb_num(out, 2, type);
    for (size_t i = 0; i < n; i++) {
        pb_varint(list, dims[i]);
        pb_varint(order, n - 1 - i);
    }
    if (n) {
        pb_msg(out, 3, list);
        pb_msg(layout, 1, order);
        pb_msg(out, 5, layout);
    }
    free(list);
    free(layout);
    free(order);
}

static inline void instruction(struct pb *computation, const char *name, const char *opcode,
                               uint64_t id, const struct pb *shape, const char *operands,
                               size_t n_operands, const struct pb *extra)
{
    struct pb *i = pb_new();
    pb_text(i, 1, name);
    pb_text(i, 2, opcode);
    pb_msg(i, 3, shape);
    pb_num(i, 35, id);
    if (n_operands)
        pb_data(i, 36, operands, n_operands);
    if (extra)
        pb_raw(i, extra->b, extra->n);
    pb_msg(computation, 2, i);
    free(i);
}

/* /host:metadata with program 9, whose HloProto is given. */
static inline struct pb *metadata_plane(const struct pb *proto)
{
    struct pb *plane = pb_new(), *stat = pb_new(), *extra = pb_new();
    pb_text(plane, 2, "/host:metadata");
    pb_num(stat, 1, 1);
    pb_msg(stat, 6, proto);
    pb_msg(extra, 5, stat);
    plane_meta(plane, 4, 9, "jit_f(9)", extra);
    plane_meta(plane, 5, 1, "Hlo Proto", NULL);
    free(stat);
    free(extra);
    return plane;
}

/* HloProto of one module with one computation. */
static inline struct pb *hlo_proto(const struct pb *computation)
{
    struct pb *proto = pb_new(), *module = pb_new();
    pb_text(module, 1, "jit_f");
    pb_msg(module, 3, computation);
    pb_msg(proto, 1, module);
    free(module);
    return proto;
}

static inline void add_plane(struct pb *space, struct pb *plane)
{
    pb_msg(space, 1, plane);
    free(plane);
}

#endif
