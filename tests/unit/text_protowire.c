/* The wire reader: every wire type, every way of being wrong, and where the cursor then stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/protowire.h"

struct field {
    uint32_t number;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes;
};

static struct az_protobuf over(const void *p, size_t n) { return az_protobuf_of(az_sv_make(p, n)); }
#define OVER(lit) over((lit), sizeof(lit) - 1)

static int next(struct az_protobuf *m, struct field *f)
{
    return az_protobuf_next(m, &f->number, &f->wire, &f->value, &f->bytes);
}

static void every_wire_type(void **state)
{
    (void)state;
    struct az_protobuf m =
        OVER("\x08\x96\x01"                         /* 1: 150 */
             "\x11\x00\x00\x00\x00\x00\x00\xf8\x3f" /* 2: double 1.5 */
             "\x1a\x03"
             "abc"                      /* 3: bytes */
             "\x25\x00\x00\x20\x40"     /* 4: float 2.5 */
             "\xfa\xff\xff\xff\x0f\x00" /* the largest field number, empty */
             "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* 5: -1 in ten bytes */);
    struct field f;
    assert_int_equal(next(&m, &f), 1);
    assert_int_equal(f.number, 1);
    assert_int_equal(f.value, 150);
    assert_int_equal(next(&m, &f), 1);
    assert_int_equal(f.wire, AZ_PROTOBUF_FIXED64);
    assert_true(az_protobuf_double(f.value) == 1.5);
    assert_int_equal(next(&m, &f), 1);
    assert_true(az_sv_is(f.bytes, "abc"));
    assert_int_equal(next(&m, &f), 1);
    assert_int_equal(f.wire, AZ_PROTOBUF_FIXED32);
    assert_true(az_protobuf_float(f.value) == 2.5f);
    assert_int_equal(next(&m, &f), 1);
    assert_int_equal(f.number, (1u << 29) - 1);
    assert_int_equal(f.bytes.n, 0);
    assert_int_equal(next(&m, &f), 1);
    assert_true((int64_t)f.value == -1);
    assert_int_equal(next(&m, &f), 0);
    assert_int_equal(next(&m, &f), 0);
}

static void an_empty_message_has_no_fields(void **state)
{
    (void)state;
    struct az_protobuf m = az_protobuf_of((struct az_sv){ NULL, 0 });
    struct field f;
    assert_int_equal(next(&m, &f), 0);
}

static void errors_stand_at_the_bad_byte(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, at;
    } bad[] = {
        { "\x08", 1, 1 },                                               /* value missing */
        { "\x08\x80", 2, 2 },                                           /* number cut */
        { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, 10 },     /* 65 bits */
        { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, 10 }, /* eleven bytes */
        { "\x0a\x05"
          "abcd",
          6, 1 },                                                  /* length beyond the end */
        { "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 1 }, /* length 2^64 - 1 */
        { "\x09\x00\x00", 3, 3 },                                  /* fixed64 cut */
        { "\x0d\x00\x00", 3, 3 },                                  /* fixed32 cut */
        { "\x0b", 1, 0 },                                          /* start of a group */
        { "\x0c", 1, 0 },                                          /* end of a group */
        { "\x0e", 1, 0 },                                          /* wire type 6 */
        { "\x02\x00", 2, 0 },                                      /* field 0 */
        { "\x80\x80\x80\x80\x80\x01\x00", 7, 0 },                  /* field number over 29 bits */
    };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct az_protobuf m = over(bad[i].bytes, bad[i].n);
        const uint8_t *begin = m.p;
        struct field f;
        assert_int_equal(next(&m, &f), AZ_EFORMAT);
        assert_int_equal(m.p - begin, bad[i].at);
    }
}

static void a_cut_at_any_byte_is_an_end_or_an_error(void **state)
{
    (void)state;
    static const char text[] = "\x08\x96\x01\x12\x06\x0a\x04"
                               "abcd\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read beyond the end */
        memcpy(exact, text, n);
        struct az_protobuf m = over(exact, n);
        struct field f;
        int rc;
        while ((rc = next(&m, &f)) > 0)
            ;
        bool between_fields = n == 0 || n == 3 || n == 11 || n == 16;
        assert_int_equal(rc, between_fields ? 0 : AZ_EFORMAT);
        free(exact);
    }
}

static void messages_nest_to_a_limit(void **state)
{
    (void)state;
    struct az_protobuf m = OVER("\x08\x01"), sub;
    for (unsigned i = 0; i < AZ_PROTOBUF_DEPTH; i++) {
        assert_int_equal(az_protobuf_sub(&m, AZ_SV("\x08\x01"), &sub), 0);
        m = sub;
    }
    assert_int_equal(az_protobuf_sub(&m, AZ_SV("\x08\x01"), &sub), AZ_EFORMAT);
}

static void numbers_packed_or_not(void **state)
{
    (void)state;
    uint64_t v = 0;
    struct az_protobuf_numbers it =
        az_protobuf_numbers(AZ_PROTOBUF_BYTES, 0, AZ_SV("\x01\x96\x01\x00"));
    assert_int_equal(az_protobuf_number(&it, &v), 1);
    assert_int_equal(v, 1);
    assert_int_equal(az_protobuf_number(&it, &v), 1);
    assert_int_equal(v, 150);
    assert_int_equal(az_protobuf_number(&it, &v), 1);
    assert_int_equal(v, 0);
    assert_int_equal(az_protobuf_number(&it, &v), 0);
    it = az_protobuf_numbers(AZ_PROTOBUF_INT, 7, AZ_SV(""));
    assert_int_equal(az_protobuf_number(&it, &v), 1);
    assert_int_equal(v, 7);
    assert_int_equal(az_protobuf_number(&it, &v), 0);
    it = az_protobuf_numbers(AZ_PROTOBUF_BYTES, 0, AZ_SV("\x01\x80"));
    assert_int_equal(az_protobuf_number(&it, &v), 1);
    assert_int_equal(az_protobuf_number(&it, &v), AZ_EFORMAT);
    it = az_protobuf_numbers(AZ_PROTOBUF_FIXED32, 7, AZ_SV(""));
    assert_int_equal(az_protobuf_number(&it, &v), 0);
}

static void zigzag(void **state)
{
    (void)state;
    assert_true(az_protobuf_zigzag(0) == 0);
    assert_true(az_protobuf_zigzag(1) == -1);
    assert_true(az_protobuf_zigzag(2) == 1);
    assert_true(az_protobuf_zigzag(UINT64_MAX) == INT64_MIN);
    assert_true(az_protobuf_zigzag(UINT64_MAX - 1) == INT64_MAX);
}

static void one_field_is_found(void **state)
{
    (void)state;
    const struct az_sv m = AZ_SV("\x08\x01\x12\x02hi\x12\x02no");
    assert_true(az_sv_is(az_protobuf_find(m, 2), "hi"));
    assert_null(az_protobuf_find(m, 3).p);
    assert_null(az_protobuf_find(AZ_SV("\x0b\x12\x02hi"), 2).p);
}

/* The last of each wanted field; a field of another wire type is none. */
static void fields_are_picked(void **state)
{
    (void)state;
    uint64_t iid = 7, other = 9;
    struct az_sv name = AZ_SV("none");
    const struct az_protobuf_field want[] = { { 1, &iid, NULL },
                                              { 2, NULL, &name },
                                              { 3, &other, NULL } };
    const struct az_protobuf top = az_protobuf_of(AZ_SV(""));
    struct az_protobuf sub;
    assert_int_equal(
        az_protobuf_pick(&top, AZ_SV("\x08\x01\x12\x02hi\x08\x05\x1a\x01x\x20\x03"), want, 3, &sub),
        0);
    assert_int_equal(iid, 5);
    assert_true(az_sv_is(name, "hi"));
    assert_int_equal(other, 9);
    assert_int_equal(sub.depth, 1);
    assert_int_equal(az_protobuf_pick(&top, AZ_SV("\x08\x01\x12\x09hi"), want, 3, NULL),
                     AZ_EFORMAT);
    const struct az_protobuf deep = { .depth = AZ_PROTOBUF_DEPTH };
    assert_int_equal(az_protobuf_pick(&deep, AZ_SV(""), want, 3, NULL), AZ_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wire_type),
        cmocka_unit_test(an_empty_message_has_no_fields),
        cmocka_unit_test(errors_stand_at_the_bad_byte),
        cmocka_unit_test(a_cut_at_any_byte_is_an_end_or_an_error),
        cmocka_unit_test(messages_nest_to_a_limit),
        cmocka_unit_test(numbers_packed_or_not),
        cmocka_unit_test(zigzag),
        cmocka_unit_test(one_field_is_found),
        cmocka_unit_test(fields_are_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
