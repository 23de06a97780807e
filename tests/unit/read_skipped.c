/* Files of a folder that are no profiles: which are named, with which reason. */
#include "unit/io_temp.h"

#include "read/skipped_files.h"

#define EVENTS "\"traceEvents\""
#define CHUNK  65536 /* bytes of a file that are read at once */

static size_t before; /* messages of earlier checks */

/* The messages since the last call, without the folder's name. */
static void messages_are(const char *want)
{
    char text[4096] = "";
    size_t n = 0;
    for (; before < t_diag.list.n; before++) {
        struct az_sv m = t_diag.list.v[before].text, left = m;
        for (ptrdiff_t at; (at = az_sv_find(left, t_dir)) >= 0;) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%.*s", (int)at, left.p);
            left = az_sv_make(left.p + at + t_dir.n + 1, left.n - (size_t)at - t_dir.n - 1);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s\n", AZ_SVF(left));
    }
    if (strcmp(text, want) != 0)
        fail_msg("\n%swanted:\n%s", text, want);
}

static void write_text(const char *name, const char *text) { temp_write(name, az_sv_str(text)); }

/* A document of n bytes with a text at a place. */
static const char *document(const char *name, size_t n, const char *text, size_t at)
{
    char *p = az_arena_alloc(&t_arena, n);
    assert_non_null(p);
    memset(p, ' ', n);
    p[0] = '{';
    p[n - 1] = '}';
    assert_true(at + strlen(text) < n);
    memcpy(p + at, text, strlen(text));
    temp_write(name, az_sv_make(p, n));
    return temp_path(name);
}

/* Events are found wherever they are, also at the edge of what is read at once. */
static void documents_without_events(void **state)
{
    (void)state;
    for (size_t at = 2 * CHUNK - 15; at <= 2 * CHUNK + 2; at++) {
        assert_false(az_passed_document(document("d.json", 3 * CHUNK, EVENTS, at), &t_diag));
        assert_false(az_passed_document(document("d.json", 2 * CHUNK + 20, EVENTS, at), &t_diag));
    }
    assert_false(az_passed_document(document("d.json", 40, EVENTS, 1), &t_diag));
    messages_are("");
    assert_true(az_passed_document(document("d.json", 40, "\"traceEvent\"", 1), &t_diag));
    assert_true(
        az_passed_document(document("d.json", 3 * CHUNK, "\"traceEv ents\"", CHUNK - 8), &t_diag));
    assert_true(az_passed_document(document("d.json", 3 * CHUNK, "traceEvents\"", CHUNK), &t_diag));
    messages_are("d.json: skipped: no 'traceEvents' in this JSON, and no rank in its name\n"
                 "d.json: skipped: no 'traceEvents' in this JSON, and no rank in its name\n"
                 "d.json: skipped: no 'traceEvents' in this JSON, and no rank in its name\n");
    assert_false(az_passed_document(document("d.txt", 40, "", 1), &t_diag));
    assert_false(az_passed_document(temp_path("none.json"), &t_diag));
    messages_are("");
}

/* What begins like JSON and is whole. */
static void whole_documents(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } each[] = { { "{\"a\": 1}", true }, { "[1]", true },
                 { " \r\n\t{} ", true }, { "\xef\xbb\xbf{}", true },
                 { "\"text\"", true },   { "-1", true },
                 { "9", true },          { "true", true },
                 { "null", true },       { "{\"a\": 1", false },
                 { "[1", false },        { "{]", true },
                 { "", false },          { "  ", false },
                 { "a", false },         { "}", false },
                 { "{\x01}", false },    { "{\x1f}", false },
                 { "{\v}", false } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        write_text("w.json", each[i].text);
        if (az_passed_document(temp_path("w.json"), &t_diag) != each[i].is)
            fail_msg("'%s'", each[i].text);
    }
    before = t_diag.list.n;
}

static void names_of_profiles(void **state)
{
    static const char *const good[] = { "a.json",     "a.json.gz",   "x/b.csv",     "c.sqlite",
                                        "d.pftrace",  "e.xplane.pb", "f.nsys-rep",  "g.qdrep",
                                        "h.perfetto", "i.csv.zst",   "j.pftrace.gz" },
                             *const bad[] = { "a.db", "b.db3", "c.txt", "json",     "d.json.txt",
                                              "e.pb", "f",     "",      "a.csv.bak" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(good); i++)
        assert_true(az_skip_is_profile_name(az_sv_str(good[i])));
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        assert_false(az_skip_is_profile_name(az_sv_str(bad[i])));
}

static struct az_sv known_extensions(const char *list)
{
    struct az_vec_sv known;
    char text[64] = "";
    struct az_sv rest = az_sv_str(list);
    az_vec_init(&known, NULL);
    while (rest.n)
        assert_int_equal(az_passed_add_extension(&known, az_sv_cut(&rest, ' ')), 0);
    for (size_t i = 0; i < known.n; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s|",
                       AZ_SVF(known.v[i]));
    az_vec_release(&known);
    return az_arena_dup(&t_arena, az_sv_str(text));
}

static void extensions(void **state)
{
    (void)state;
    assert_true(az_sv_is(known_extensions("a.json b.json c/d.e/f.csv.gz g.a.b"), ".json|.csv|.b|"));
    assert_true(az_sv_is(known_extensions("plain .hidden x/.y z. trace.json.gz"), "||.|.json|") ||
                az_sv_is(known_extensions("plain .hidden x/.y z. trace.json.gz"), "|.|.json|"));
}

static void add_path(struct az_vec_sv *paths, const char *name)
{
    assert_int_equal(az_vec_push(paths, az_sv_str(temp_path(name))), 0);
}

/* Next to profiles what is odd; without any all that is called like one. */
static void odd_files(void **state)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        { "config.json", "{\"x\": 1}" },
        { "cut.json", "{\"x\": 1" },
        { "empty.json", "" },
        { "table.csv", "a,b\n1,2\n" },
        { "bytes.csv", "a,\x01\n" },
        { "notes.txt", "text" },
        { "some.pftrace", "garbage" },
        { "text.db", "text" },
        { "rows.db", "SQLite format 3" },
        { "other.bin", "bytes" },
        { "gates.json", "{\"schema\": \"analyzer-gates/1\"}" },
    };
    struct az_vec_sv paths, known;
    (void)state;
    az_vec_init(&paths, NULL);
    az_vec_init(&known, NULL);
    for (size_t i = 0; i < AZ_LENGTH(files); i++) {
        write_text(files[i].name, files[i].text);
        add_path(&paths, files[i].name);
    }
    assert_int_equal(mkfifo(temp_path("pipe.json"), 0600), 0);
    assert_int_equal(symlink("nothing", temp_path("link.json")), 0);
    assert_int_equal(mkdir(temp_path("folder.json"), 0700), 0);
    add_path(&paths, "pipe.json");
    add_path(&paths, "link.json");
    add_path(&paths, "folder.json");
    assert_int_equal(az_passed_add_extension(&known, AZ_SV("t.json")), 0);
    before = t_diag.list.n;
    az_passed_report(&paths, &known, t_dir, &t_diag);
#define UNKNOWN                                                                                    \
    ": not a profile of a known format (see 'analyzer list'; a configuration can name its "        \
    "\"format\")\n"
    messages_are("file skipped: cut.json" UNKNOWN "file skipped: empty.json: empty file (0 bytes)\n"
                 "file skipped: bytes.csv" UNKNOWN "file skipped: some.pftrace" UNKNOWN
                 "pipe.json: skipped: pipe, socket or device; name it as an operand to read it\n"
                 "link.json: skipped: broken link\n");
    az_passed_report(&paths, NULL, t_dir, &t_diag);
    messages_are("file skipped: config.json" UNKNOWN "file skipped: cut.json" UNKNOWN
                 "file skipped: empty.json: empty file (0 bytes)\n"
                 "file skipped: table.csv" UNKNOWN "file skipped: bytes.csv" UNKNOWN
                 "file skipped: some.pftrace" UNKNOWN "file skipped: text.db" UNKNOWN
                 "file skipped: rows.db" UNKNOWN
                 " 2 more files named like profiles skipped: not profiles\n");
    az_vec_release(&paths);
    az_vec_release(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_without_events),
        cmocka_unit_test(whole_documents),
        cmocka_unit_test(names_of_profiles),
        cmocka_unit_test(extensions),
        cmocka_unit_test(odd_files),
    };
    return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
