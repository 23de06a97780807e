/* Members of collectives in HLO: listed, in the short form of a reshaped range, and as pairs of
 * sources and targets. */
#include <stdio.h>

#include "unit/xplane_make.h"

#include "formats/xplane/xplane.h"

#define MOST 6

/* Numbers of a field, end at -1: packed into one, or each by itself. */
static void put_numbers(struct pb *m, unsigned field, const int64_t *v, bool packed)
{
    struct pb *list = pb_new();
    for (; *v >= 0; v++) {
        if (packed)
            pb_varint(list, (uint64_t)*v);
        else
            pb_num(m, field, (uint64_t)*v);
    }
    if (packed && list->n)
        pb_msg(m, field, list);
    free(list);
}

/* Groups as text: "0 1|2 3". */
static void groups_are(const struct pb *body, const char *want)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_hlo_op op = { .name = AZ_SV("all-reduce") };
    char text[512] = "";
    size_t n = 0;
    az_mem_init(&mem, 0);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    assert_int_equal(az_xplane_collective(&t, az_sv_make(body->b, body->n), &op), 0);
    assert_int_equal(op.kind, AZ_HLO_COLLECTIVE);
    for (size_t i = 0; i < op.n_groups; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", i ? "|" : "");
        for (size_t k = 0; k < op.groups[i].n; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld", k ? " " : "",
                                  (long long)op.groups[i].v[k]);
    }
    if (strcmp(text, want) != 0)
        fail_msg("'%s', not '%s'", text, want);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

struct iota {
    int64_t groups, size;
    int64_t dims[MOST], order[MOST]; /* end at -1 */
    const char *want;                /* "": one group of all */
};

static void reshaped_ranges(void **state)
{
    static const struct iota each[] = {
        { 2, 2, { 4, -1 }, { 0, -1 }, "0 1|2 3" },
        { 2, 2, { 4, -1 }, { -1 }, "0 1|2 3" }, /* an order that changes nothing is not there */
        { 2, 2, { 2, 2, -1 }, { 1, 0, -1 }, "0 2|1 3" },
        { 3, 2, { 2, 3, -1 }, { 1, 0, -1 }, "0 3|1 4|2 5" },
        { 2, 6, { 2, 2, 3, -1 }, { 1, 0, 2, -1 }, "0 1 2 6 7 8|3 4 5 9 10 11" },
        { 4, 3, { 2, 3, 2, -1 }, { 2, 0, 1, -1 }, "0 2 4|6 8 10|1 3 5|7 9 11" },
        { 1, 4, { 4, -1 }, { 0, -1 }, "0 1 2 3" },
        { 4, 1, { 4, -1 }, { 0, -1 }, "0|1|2|3" },
        { 1, 1, { 1, -1 }, { 0, -1 }, "0" },
        /* none: no such range, or one that is not covered once */
        { 2, 2, { 5, -1 }, { 0, -1 }, "" },
        { 2, 2, { 2, 2, -1 }, { 0, -1 }, "" },
        { 2, 2, { 2, 2, -1 }, { 0, 0, -1 }, "" },
        { 2, 2, { 2, 2, -1 }, { 0, 2, -1 }, "" },
        { 0, 2, { 2, -1 }, { 0, -1 }, "" },
        { 2, 0, { 2, -1 }, { 0, -1 }, "" },
        { 2, 2, { 0, 4, -1 }, { 0, 1, -1 }, "" },
        { 1 << 20, 2, { 1 << 20, 2, -1 }, { 0, 1, -1 }, "" },
        { (1 << 20) + 1, 1, { (1 << 20) + 1, -1 }, { 0, -1 }, "" },
        { 1, (1 << 20) + 1, { (1 << 20) + 1, -1 }, { 0, -1 }, "" },
        { -1, 2, { 2, -1 }, { 0, -1 }, "" },
        { 2, -1, { 2, -1 }, { 0, -1 }, "" },
    };
    (void)state;
    for (size_t i = 0; i < 2 * AZ_LENGTH(each); i++) {
        const struct iota *x = &each[i / 2];
        struct pb *list = pb_new(), *short_form = pb_new(), *body = pb_new();
        put_numbers(short_form, 1, (const int64_t[]){ x->groups, -1 }, false);
        put_numbers(short_form, 2, (const int64_t[]){ x->size, -1 }, false);
        put_numbers(short_form, 3, x->dims, i % 2);
        put_numbers(short_form, 4, x->order, i % 2);
        pb_msg(list, 2, short_form);
        pb_msg(body, 87, list);
        groups_are(body, x->want);
        free(list);
        free(short_form);
        free(body);
    }
}

/* The most ranks that a short form may have. */
static void largest_range(void **state)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_hlo_op op = { .n_groups = 0 };
    struct pb *list = pb_new(), *short_form = pb_new(), *body = pb_new();
    (void)state;
    pb_num(short_form, 1, 1024);
    pb_num(short_form, 2, 1024);
    pb_num(short_form, 3, 1 << 20);
    pb_msg(list, 2, short_form);
    pb_msg(body, 87, list);
    az_mem_init(&mem, 0);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    assert_int_equal(az_xplane_collective(&t, az_sv_make(body->b, body->n), &op), 0);
    assert_int_equal(op.n_groups, 1024);
    assert_int_equal(op.groups[1023].n, 1024);
    assert_int_equal(op.groups[1023].v[1023], (1 << 20) - 1);
    az_trace_release(&t);
    free(list);
    free(short_form);
    free(body);
}

static void put_group(struct pb *to, unsigned field, const int64_t *members, bool packed)
{
    struct pb *group = pb_new();
    put_numbers(group, 1, members, packed);
    pb_msg(to, field, group);
    free(group);
}

/* Groups that are listed, in the list or the instruction; the list wins; else the pairs. */
static void listed_groups_and_pairs(void **state)
{
    struct pb *list = pb_new(), *body = pb_new(), *pair = pb_new();
    (void)state;
    groups_are(body, "");
    put_group(body, 49, (const int64_t[]){ 0, 2, -1 }, true);
    pb_num(body, 49, 7); /* no message */
    put_group(body, 49, (const int64_t[]){ 1, 3, 5, -1 }, false);
    groups_are(body, "0 2|1 3 5");
    put_group(list, 1, (const int64_t[]){ 4, 6, -1 }, true);
    pb_msg(body, 87, list);
    groups_are(body, "4 6");
    body->n = 0;
    /* rank 0 is not written; each rank is there once, in its order */
    static const int64_t pairs[][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 5, 3 }, { 3, 5 } };
    for (size_t i = 0; i < AZ_LENGTH(pairs); i++) {
        pair->n = 0;
        if (pairs[i][0])
            pb_num(pair, 1, (uint64_t)pairs[i][0]);
        if (pairs[i][1])
            pb_num(pair, 2, (uint64_t)pairs[i][1]);
        pb_msg(body, 52, pair);
        pb_num(body, 52, 9); /* no message */
        pb_num(body, 51, 9);
    }
    groups_are(body, "0 1 2 5 3");
    put_group(body, 49, (const int64_t[]){ 8, -1 }, true);
    groups_are(body, "8");
    free(list);
    free(body);
    free(pair);
}

/* Pairs of too many ranks are one group of all. */
static void too_many_pairs(void **state)
{
    struct pb *body = pb_new(), *pair = pb_new();
    (void)state;
    pb_num(pair, 1, 1);
    for (int i = 0; i < 6000; i++)
        pb_msg(body, 52, pair);
    groups_are(body, "1 0");
    free(body);
    free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reshaped_ranges),
        cmocka_unit_test(largest_range),
        cmocka_unit_test(listed_groups_and_pairs),
        cmocka_unit_test(too_many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
