/* XPlane profiles: device planes that are in no account, events whose numbers are written in more
 * bytes than needed, attributes of attention. */
#include "formats_nsys.h"

#include <stdio.h>

#include "formats/xplane/xplane.h"
#include "model/xtrace.h"
#include "xplane_make.h"

struct span {
    uint64_t offset, duration;
};

static void put_line(struct pb *plane, uint64_t id, const char *name, const struct span *v,
                     size_t n)
{
    struct pb *line = pb_new();
    line_head(line, id, name, 1000);
    for (size_t i = 0; i < n; i++)
        line_event(line, 1, v[i].offset, v[i].duration, NULL);
    pb_msg(plane, 3, line);
    free(line);
}

static struct pb *named_plane(const char *name)
{
    struct pb *plane = pb_new();
    pb_text(plane, 2, name);
    plane_meta(plane, 4, 1, "op", NULL);
    return plane;
}

static void parse_space(struct fixture *f, struct pb *space)
{
    fixture_add(f, fixture_write(f, "host.xplane.pb", space->b, space->n), "", false);
    assert_int_equal(fixture_parse(f, &az_format_xplane), 0);
    assert_int_equal(az_trace_finalize(&f->trace), 0);
    free(space);
}

/* Time counts once where events overlap; of several lines that with the most of it. */
static void devices_in_no_account(void **state)
{
    static const struct span one[] = { { 0, 10 } },
                             nested[] = { { 100, 50 }, { 110, 10 }, { 140, 30 },
                                          { 170, 5 },  { 300, 7 },  { 300, 7 } },
                             more[] = { { 0, 20 }, { 20, 30 }, { 60, 60 } };
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = named_plane("/device:GPU:0");
    put_line(plane, 7, "Stream #7", one, 1);
    add_plane(space, plane);
    plane = named_plane("/device:CUSTOM:a");
    put_line(plane, 1, "Steps", more, 3);
    put_line(plane, 2, "XLA Ops", nested, 6);
    put_line(plane, 3, "Other Ops", one, 1);
    add_plane(space, plane);
    plane = named_plane("/device:CUSTOM:b");
    put_line(plane, 1, "Steps", nested, 6);
    put_line(plane, 2, "Modules", more, 3);
    put_line(plane, 3, "XLA Ops", NULL, 0);
    add_plane(space, plane);
    add_plane(space, named_plane("/device:CUSTOM:c"));
    plane = named_plane("/other:d");
    put_line(plane, 1, "Ops", more, 3);
    add_plane(space, plane);
    fixture_open(&f);
    parse_space(&f, space);
    const struct az_drops *s = &f.trace.skipped;
    assert_int_equal(s->n, 2);
    assert_true(az_sv_is(s->v[0].reason, "/device:CUSTOM:a"));
    assert_int_equal(s->v[0].count, 7);
    assert_int_equal(s->v[0].ticks, 50 + 20 + 5 + 7);
    assert_true(az_sv_is(s->v[1].reason, "/device:CUSTOM:b"));
    assert_int_equal(s->v[1].count, 9);
    assert_int_equal(s->v[1].ticks, 110);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(dropped(&f, "planes other than GPUs, TPU cores and hosts"), 22);
    fixture_close(&f);
}

/* A tag in two bytes, where one is enough. */
static void wide_number(struct pb *m, unsigned field, uint64_t v)
{
    const unsigned char tag[] = { (unsigned char)(field << 3 | 0x80), 0 };
    pb_raw(m, tag, 2);
    pb_varint(m, v);
}

static void wide_tags(void **state)
{
    (void)state;
    struct fixture f;
    struct pb *space = pb_new(), *plane = named_plane("/device:GPU:0"), *line = pb_new();
    plane_meta(plane, 4, 2, "second", NULL);
    plane_meta(plane, 5, ST_CORR, "correlation_id", NULL);
    line_head(line, 7, "Stream #7", 1000);
    for (uint64_t wide = 0; wide < 16; wide++) { /* bits: which of the fields */
        struct pb *e = pb_new(), *stat = pb_new();
        const uint64_t value[] = { 1 + wide % 2, 100 * wide, 10 + wide };
        for (unsigned field = 1; field <= 3; field++)
            if (wide >> (field - 1) & 1)
                wide_number(e, field, value[field - 1]);
            else
                pb_num(e, field, value[field - 1]);
        pb_num(stat, 1, ST_CORR);
        pb_num(stat, 3, 50 + wide);
        if (wide & 8) {
            const unsigned char tag[] = { 4 << 3 | 2 | 0x80, 0 };
            pb_raw(e, tag, 2);
            pb_varint(e, stat->n);
            pb_raw(e, stat->b, stat->n);
        } else {
            pb_msg(e, 4, stat);
        }
        pb_msg(line, 4, e);
        free(e);
        free(stat);
    }
    pb_msg(plane, 3, line);
    free(line);
    add_plane(space, plane);
    fixture_open(&f);
    parse_space(&f, space);
    const struct az_events *k = &f.trace.ev[AZ_KERNEL];
    assert_int_equal(k->n, 16);
    for (int64_t i = 0; i < 16; i++) {
        assert_int_equal(k->start[i], 100 * i);
        assert_int_equal(k->end[i], 100 * i + 10 + i);
        assert_int_equal(k->corr[i], 50 + i);
        assert_true(named(&f, k->name[i], i % 2 ? "second" : "op"));
    }
    fixture_close(&f);
}

/* ---- attention ---- */

#define ALL                                                                                        \
    "input_batch = 2 : i64, attn_heads = 16 : i64, num_gqa_groups = 4 : i64, q_max_seqlen = 128, " \
    "kv_max_seqlen = 256, qk_head_dim = 64, v_head_dim = 32"

static const struct {
    const char *text, *want;
} configs[] = {
    { "{" ALL ", mask_type = \"causal\", qkv_layout = \"bshd\"}",
      "2 16 4 128 256 64 32 causal bshd" },
    { "{x_input_batch = 9, " ALL "}", "2 16 4 128 256 64 32 - -" },
    { "{mask_type=\"a, b\", input_batch: 3, input_batch = 2:i64,attn_heads=1,\n\tq_max_seqlen = 5,"
      "kv_max_seqlen = 6, head_dim = 7}",
      "2 1 -1 5 6 7 7 - -" },
    { "{" ALL ", head_dim = 9, mask_type = \"\", qkv_layout = b", "2 16 4 128 256 64 32 - b" },
    { "{qk_head_dim = 8, head_dim = 9, input_batch = 1, attn_heads = 1, q_max_seqlen = 0, "
      "kv_max_seqlen = 0, mask_type = \"}",
      "1 1 -1 0 0 8 8 \" -" },
    { "input_batch = 1", "11 13 23 12 22 14 34 - -" },
    { "", "11 13 23 12 22 14 34 - -" },
    { "{input_batch = -2, attn_heads = 1, q_max_seqlen = 1, kv_max_seqlen = 1, head_dim = 1}",
      "11 13 23 12 22 14 34 - -" },
    { "{input_batch = 5, attn_heads = x, q_max_seqlen = 1, kv_max_seqlen = 1, head_dim = 1, "
      "num_gqa_groups = 3}",
      "11 13 23 12 22 14 34 - -" },
};

static const char *config_of(struct fixture *f, const char *text, size_t operands, size_t dims)
{
    static char out[200];
    int64_t dim[3][4];
    struct az_hlo_shape shape[3];
    struct az_hlo_op op = { .n_operands = operands, .operands = shape };
    memset(shape, 0, sizeof shape);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            dim[i][k] = 10 * (i + 1) + k + 1;
        shape[i].dims = dim[i];
        shape[i].n_dims = i == (int)dims ? 3 : 4;
    }
    assert_int_equal(az_xplane_attention_config(&f->trace, az_sv_str(text), &op), 0);
    snprintf(out, sizeof out, "%d %d %d %d %d %d %d %.*s %.*s", (int)op.batch, (int)op.heads,
             (int)op.kv_heads, (int)op.q_len, (int)op.kv_len, (int)op.qk_dim, (int)op.v_dim,
             AZ_SVF(op.mask.n ? op.mask : AZ_SV("-")),
             AZ_SVF(op.layout.n ? op.layout : AZ_SV("-")));
    return out;
}

static void attention(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    for (size_t i = 0; i < AZ_LENGTH(configs); i++)
        assert_string_equal(config_of(&f, configs[i].text, 3, 3), configs[i].want);
    /* too few operands, or one that is no tensor of four dimensions */
    assert_string_equal(config_of(&f, "head_dim = 3", 2, 3), "-1 -1 -1 -1 -1 3 3 - -");
    for (size_t k = 0; k < 3; k++)
        assert_string_equal(config_of(&f, "v_head_dim = 3", 3, k), "-1 -1 -1 -1 -1 -1 3 - -");
    fixture_close(&f);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xb39f9f70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_in_no_account),
        cmocka_unit_test(wide_tags),
        cmocka_unit_test(attention),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
