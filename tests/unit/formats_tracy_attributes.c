/* What the attributes of an operation say, one by one: values at the end of the text, before each
 * sign that ends them, twice, and what is none. */
#include "formats_nsys.h"

#include "formats/tracy/tracy_csv.h"

static struct az_opargs read_text(struct az_trace *t, const char *text)
{
    struct az_opargs a;
    memset(&a, 0, sizeof a);
    az_tracy_attributes(t, az_sv_str(text), &a);
    return a;
}

static void numbers(void **state)
{
    static const struct {
        const char *value;
        int32_t digits, whole, alone; /* first digits; up to the next ';'; all of a value */
    } each[] = {
        { "7", 7, 7, 7 },
        { "0", 0, 0, 0 },
        { "12; more", 12, 12, 12 },
        { "12x", 12, -1, -1 },
        { "12 ;", 12, 12, 12 },
        { "12, 3", 12, -1, 12 },
        { "12}", 12, -1, 12 },
        { "-1", -1, -1, -1 },
        { "x", -1, -1, -1 },
        { "", -1, -1, -1 },
        { "2147483647", INT32_MAX, INT32_MAX, INT32_MAX },
        { "2147483648", -1, -1, -1 },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "program_config=(in0_block_w=%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).block_w, each[i].digits);
        (void)snprintf(text, sizeof text, "in0_block_w=%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).block_w, -1); /* of no program */
        (void)snprintf(text, sizeof text, "program_config out_subblock_h=x out_subblock_h=%s",
                       each[i].value);
        assert_int_equal(read_text(&f.trace, text).subblock_h, each[i].digits);
        (void)snprintf(text, sizeof text, "program_config out_subblock_w=%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).subblock_w, each[i].digits);
        (void)snprintf(text, sizeof text, "{'num_links': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).num_links, each[i].digits);
        (void)snprintf(text, sizeof text, "{'groups': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).groups, each[i].digits);
        (void)snprintf(text, sizeof text, "{'sliding_window_size': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).window, each[i].digits);
        (void)snprintf(text, sizeof text, "act_block_h_ntiles=%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).act_block_tiles, each[i].whole);
        (void)snprintf(text, sizeof text, "per_core_out_matrix_height_ntile=%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).out_height_tiles, each[i].whole);
        (void)snprintf(text, sizeof text, "{'nnz': %s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).nonzero, each[i].alone);
        (void)snprintf(text, sizeof text, "{'nnz': '%s'", each[i].value);
        assert_int_equal(read_text(&f.trace, text).nonzero, each[i].alone);
    }
    fixture_close(&f);
}

static void flags(void **state)
{
    static const struct {
        const char *value;
        int begins, whole;
    } each[] = {
        { "true'", AZ_FLAG_TRUE, AZ_FLAG_TRUE },     { "1'", AZ_FLAG_TRUE, AZ_FLAG_TRUE },
        { "True'", AZ_FLAG_FALSE, AZ_FLAG_TRUE },    { "false'", AZ_FLAG_FALSE, AZ_FLAG_FALSE },
        { "0'", AZ_FLAG_FALSE, AZ_FLAG_FALSE },      { "FALSE;", AZ_FLAG_FALSE, AZ_FLAG_FALSE },
        { "truer'", AZ_FLAG_TRUE, AZ_FLAG_ABSENT },  { "none'", AZ_FLAG_FALSE, AZ_FLAG_ABSENT },
        { "1 ; 0'", AZ_FLAG_TRUE, AZ_FLAG_TRUE },    { "", AZ_FLAG_FALSE, AZ_FLAG_ABSENT },
        { "0, true", AZ_FLAG_FALSE, AZ_FLAG_FALSE }, { "10}", AZ_FLAG_TRUE, AZ_FLAG_ABSENT },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "enable_act_double_buffer': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).double_buffer, each[i].begins);
        (void)snprintf(text, sizeof text, "enable_split_reader': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).split_reader, each[i].begins);
        (void)snprintf(text, sizeof text, "'is_causal': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).causal, each[i].begins);
        (void)snprintf(text, sizeof text, "'is_input_a_sparse': '%s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).sparse_a, each[i].whole);
        (void)snprintf(text, sizeof text, "'is_input_b_sparse': %s", each[i].value);
        assert_int_equal(read_text(&f.trace, text).sparse_b, each[i].whole);
    }
    const struct az_opargs none = read_text(&f.trace, "{}");
    assert_int_equal(none.double_buffer, AZ_FLAG_ABSENT);
    assert_int_equal(none.split_reader, AZ_FLAG_ABSENT);
    assert_int_equal(none.causal, AZ_FLAG_ABSENT);
    assert_int_equal(none.sparse_a, AZ_FLAG_ABSENT);
    assert_int_equal(none.sparse_b, AZ_FLAG_ABSENT);
    assert_int_equal(none.linear, AZ_FLAG_ABSENT);
    assert_int_equal(none.dram_sharded, 0);
    assert_int_equal(read_text(&f.trace, "Topology::Ring").linear, AZ_FLAG_FALSE);
    assert_int_equal(read_text(&f.trace, "Topology::Linear").linear, AZ_FLAG_TRUE);
    fixture_close(&f);
}

static void windows(void **state)
{
    static const struct {
        const char *value;
        int32_t h, w;
        const char *text; /* of the same in the halo's form; NULL: none */
    } each[] = {
        { "window_hw=(3;5)", 3, 5, "(3,5)" },
        { "window_hw=( 3 ; 5 ) x", 3, 5, "( 3 , 5 )" },
        { "window_hw=(0;1)", 0, 1, "(0,1)" },
        { "window_hw=(3;x)", -1, -1, "(3,x)" },
        { "window_hw=(x;5)", -1, -1, "(x,5)" },
        { "window_hw=(3;5", -1, -1, "(3,5" },
        { "window_hw=(3)", -1, -1, "(3)" },
        { "window_hw=(3) ; (4;5)", -1, -1, "(3)" },
        { "window_hw=3;5)", -1, -1, "3" },
        { "window_hw=(", -1, -1, "(" },
        { "window_hw=(;)", -1, -1, "(,)" },
        { "window_hw=", -1, -1, "" },
        { "window_hw=((1; 2); (3; 4)); 9", -1, -1, "((1, 2), (3, 4))" },
        { "window_hw=9' more", -1, -1, "9" },
        { "window_hw=9) more", -1, -1, "9" },
        { "no window", -1, -1, NULL },
    };
    struct fixture f;
    (void)state;
    fixture_open(&f);
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        const struct az_opargs a = read_text(&f.trace, each[i].value);
        if (a.window_h != each[i].h || a.window_w != each[i].w)
            fail_msg("%s: %d, %d", each[i].value, a.window_h, a.window_w);
        if (!each[i].text)
            assert_int_equal(a.halo_window, AZ_NO_ID);
        else
            assert_true(named(&f, a.halo_window, each[i].text));
    }
    char longest[200] = "dilation_hw=";
    memset(longest + 12, '7', sizeof longest - 13);
    const struct az_opargs a = read_text(&f.trace, longest);
    assert_int_equal(az_trace_text(&f.trace, a.halo_dilation).n, 128);
    assert_true(
        named(&f, read_text(&f.trace, "memory_layout=X::SHARDED;b").halo_layout, "SHARDED"));
    assert_true(named(&f, read_text(&f.trace, "memory_layout=X::SHARDED").halo_layout, "SHARDED"));
    assert_true(named(&f, read_text(&f.trace, "memory_layout=plain;a::b").halo_layout, "plain"));
    assert_int_equal(read_text(&f.trace, "layout=X::Y;").halo_layout, AZ_NO_ID);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(flags),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
