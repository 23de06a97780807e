/* Paths become inputs: which files form one, in each way of grouping, and what is said of it. */
#include "run_files.h"

#define TRACE                                                                                      \
    "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\","    \
    "\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1,\"args\":{\"device\":0,\"stream\":7}}]}\n"
#define OPS "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\nUnary,tt_dnn_device,0,1000\n"

static int apart(struct az_config *c, const char *const *list, size_t n, struct az_diag *diag)
{
    return az_plan_paths(c, list, n, diag);
}
static int look(struct az_config *c, const char *const *list, size_t n, struct az_diag *diag)
{
    return az_plan_runs_of(c, list, n, diag);
}
static int runs(struct az_config *c, const char *const *list, size_t n, struct az_diag *diag)
{
    return n == 1 ? az_plan_runs(c, list[0], diag) : AZ_ECONFIG;
}
static int whole(struct az_config *c, const char *const *list, size_t n, struct az_diag *diag)
{
    return n == 1 ? az_plan_whole(c, list[0], diag) : AZ_ECONFIG;
}

/* Words of a text, at most 15; NULL at the end. */
static size_t words(char *text, const char **list)
{
    size_t n = 0;
    for (char *w = strtok(text, " "); w && n < 15; w = strtok(NULL, " "))
        list[n++] = w;
    list[n] = NULL;
    return n;
}

/* Writes these files, `x!` an empty one, and their folders; reads `paths`; compares the inputs,
 * each "title (format): files", "run" before it where it is one, and the messages. */
static void inputs_are(int (*how)(struct az_config *, const char *const *, size_t,
                                  struct az_diag *),
                       const char *files, const char *paths, const char *want)
{
    void *state = NULL;
    char made[1024], given[1024], text[4096] = "";
    const char *list[16];
    size_t n = 0, k;

    assert_int_equal(set_up(&state), 0);
    struct setting *s = state;
    (void)snprintf(made, sizeof made, "%s", files);
    (void)words(made, list);
    for (const char **w = list; *w; w++) {
        char path[256];
        (void)snprintf(path, sizeof path, "%s", *w);
        for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            (void)mkdir(path, 0777);
            *slash = '/';
        }
        char *end = strchr(path, '!');
        if (end)
            *end = 0;
        write_file(path, end                        ? ""
                         : strstr(path, ".json")    ? TRACE
                         : strstr(path, "_sum.csv") ? KERNELS
                                                    : OPS);
    }
    (void)snprintf(given, sizeof given, "%s", paths);
    k = words(given, list);
    const int rc = how(&s->config, list, k, &s->diag);
    if (rc)
        n += (size_t)snprintf(text + n, sizeof text - n, "error %d\n", rc);
    for (size_t i = 0; i < s->config.inputs.n; i++) {
        const struct az_input *in = &s->config.inputs.v[i];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s (%.*s):", in->is_run ? "run " : "",
                              AZ_SVF(in->title), AZ_SVF(in->format));
        for (size_t j = 0; j < in->files.n; j++)
            n += (size_t)snprintf(text + n, sizeof text - n, " %.*s", AZ_SVF(in->files.v[j].path));
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    for (size_t i = 0; i < s->diag.list.n; i++)
        if (s->diag.list.v[i].severity != AZ_NOTE)
            n += (size_t)snprintf(text + n, sizeof text - n, "! %.*s\n",
                                  AZ_SVF(s->diag.list.v[i].text));
    if (strcmp(text, want) != 0)
        print_error("--- %s\n%swanted:\n%s", paths, text, want);
    assert_string_equal(text, want);
    assert_int_equal(tear_down(&state), 0);
}
static void files_of_inputs(void **state)
{
    static const struct {
        int (*how)(struct az_config *, const char *const *, size_t, struct az_diag *);
        const char *files, *paths, *want;
    } each[] = {
        /* ranks of a folder are one run, by name, if they are looked at, and whole */
        { look, "d/rank_0.json d/rank_1.json", "d",
          "run d (pytorch): d/rank_0.json d/rank_1.json\n" },
        { look, "d/rank_0.json d/rank_1.json", "d/rank_0.json d/rank_1.json",
          "run d (pytorch): d/rank_0.json d/rank_1.json\n" },
        { look, "d/rank_0.json d/rank_1.json", "d/rank_1.json",
          "rank_1 (pytorch): d/rank_1.json\n" },
        { apart, "d/rank_0.json d/rank_1.json", "d",
          "rank_0 (pytorch): d/rank_0.json\n"
          "rank_1 (pytorch): d/rank_1.json\n"
          "! 2 files appear to be ranks of one run but are reported separately; to combine them: "
          "analyzer multirank -b 'd'\n" },
        { runs, "d/rank_0.json d/rank_1.json", "d",
          "run d (pytorch): d/rank_0.json d/rank_1.json\n" },
        { whole, "d/rank_0.json d/rank_1.json", "d",
          "run d (pytorch): d/rank_0.json d/rank_1.json\n" },
        /* an empty file among ranks: named, or one of the ranks that fails */
        { look, "d/rank_0.json d/rank_1.json d/rank_2.json! d/other.json", "d",
          "other (pytorch): d/other.json\n"
          "run d (pytorch): d/rank_0.json d/rank_1.json\n"
          "! file skipped: d/rank_2.json: empty file (0 bytes)\n" },
        { runs, "d/rank_0.json d/rank_1.json d/rank_2.json! d/x_0.json! d/other.json", "d",
          "other (pytorch): d/other.json\n"
          "run d (pytorch): d/rank_0.json d/rank_1.json d/rank_2.json\n" },
        { whole, "d/rank_0.json d/rank_1.json d/rank_2.json! d/other.json", "d",
          "run d (pytorch): d/other.json d/rank_0.json d/rank_1.json d/rank_2.json\n" },
        /* runs below a folder */
        { look,
          "r/step_1/rank_0.json r/step_1/rank_1.json r/step_2/rank_0.json r/step_2/rank_1.json",
          "r",
          "run step_1 (pytorch): r/step_1/rank_0.json r/step_1/rank_1.json\n"
          "run step_2 (pytorch): r/step_2/rank_0.json r/step_2/rank_1.json\n" },
        { runs,
          "r/step_1/rank_0.json r/step_1/rank_1.json r/step_2/rank_0.json r/step_2/rank_1.json",
          "r",
          "run step_1 (pytorch): r/step_1/rank_0.json r/step_1/rank_1.json\n"
          "run step_2 (pytorch): r/step_2/rank_0.json r/step_2/rank_1.json\n" },
        { apart, "r/step_1/rank_0.json", "r",
          "error -6\n"
          "! r: no profile of a supported format in this folder; see 'analyzer list'\n" },
        /* a folder for each rank */
        { look, "t/rank0/trace.json t/rank1/trace.json t/rank2/other.json", "t",
          "run t (pytorch): t/rank0/trace.json t/rank1/trace.json\n"
          "other (pytorch): t/rank2/other.json\n" },
        { look, "t/rank0/trace.json u/rank0/trace.json", "t u",
          "t/rank0/trace.json (pytorch): t/rank0/trace.json\n"
          "u/rank0/trace.json (pytorch): u/rank0/trace.json\n" },
        /* equal titles are parted by the folder */
        { look, "t/a.json u/a.json t/b.json", "t u",
          "t/a.json (pytorch): t/a.json\n"
          "b (pytorch): t/b.json\n"
          "u/a.json (pytorch): u/a.json\n" },
        { look, "t/1/a.json t/2/a.json", "t",
          "t/1/a.json (pytorch): t/1/a.json\n"
          "t/2/a.json (pytorch): t/2/a.json\n" },
        /* sessions of one folder: by times, and by what else is in the name */
        { look,
          "d/rank_0_1700000000001.json d/rank_1_1700000000002.json d/rank_0_1700000009001.json "
          "d/rank_1_1700000009002.json",
          "d",
          "run d 1700000000001 (pytorch): d/rank_0_1700000000001.json d/rank_1_1700000000002.json\n"
          "run d 1700000009001 (pytorch): d/rank_0_1700000009001.json "
          "d/rank_1_1700000009002.json\n" },
        { look,
          "d/rank_0_step_7.json d/rank_1_step_7.json d/rank_0_step_8.json d/rank_1_step_8.json",
          "d",
          "run d step_7 (pytorch): d/rank_0_step_7.json d/rank_1_step_7.json\n"
          "run d step_8 (pytorch): d/rank_0_step_8.json d/rank_1_step_8.json\n" },
        { runs,
          "d/rank_0_step_7.json d/rank_1_step_7.json d/rank_0_step_8.json d/rank_1_step_8.json",
          "d",
          "run d step_7 (pytorch): d/rank_0_step_7.json d/rank_1_step_7.json\n"
          "run d step_8 (pytorch): d/rank_0_step_8.json d/rank_1_step_8.json\n" },
        /* a file of one folder, all of another */
        { look, "d/rank_0.json e/rank_0.json e/rank_1.json", "d/rank_0.json e",
          "rank_0 (pytorch): d/rank_0.json\n"
          "run e (pytorch): e/rank_0.json e/rank_1.json\n" },
        /* ranks that were not combined */
        { apart, "d/rank_0.json d/rank_1.json d/rank_1_x.json e/rank_2.json e/rank_3.json", "d e",
          "rank_0 (pytorch): d/rank_0.json\n"
          "rank_1 (pytorch): d/rank_1.json\n"
          "rank_1_x (pytorch): d/rank_1_x.json\n"
          "rank_2 (pytorch): e/rank_2.json\n"
          "rank_3 (pytorch): e/rank_3.json\n"
          "! 2 files appear to be ranks of one run but are reported separately; to combine them: "
          "analyzer multirank -b 'd'\n"
          "! 2 files appear to be ranks of one run but are reported separately; to combine them: "
          "analyzer multirank -b 'e'\n" },
        /* each file once */
        { apart, "d/rank_0.json", "d/rank_0.json d d/*.json", "rank_0 (pytorch): d/rank_0.json\n" },
        /* reports of one name */
        { apart, "d/a_cuda_gpu_kern_sum.csv d/b_cuda_gpu_kern_sum.csv e/a_cuda_gpu_kern_sum.csv",
          "d e",
          "d/a_cuda_gpu_kern_sum.csv (csv): d/a_cuda_gpu_kern_sum.csv\n"
          "b (csv): d/b_cuda_gpu_kern_sum.csv\n"
          "e/a_cuda_gpu_kern_sum.csv (csv): e/a_cuda_gpu_kern_sum.csv\n" },
        /* hosts of a run */
        { apart,
          "o/ops_host0.csv o/ops_host1.csv p/ops_node-3.csv p/ops_node-x.csv p/ops_noded.csv "
          "p/ops_h12.csv p/ops_ah1.csv",
          "o p",
          "ops_host0.csv (tracy): o/ops_host0.csv o/ops_host1.csv\n"
          "ops_ah1 (tracy): p/ops_ah1.csv\n"
          "ops_h12 (tracy): p/ops_h12.csv\n"
          "ops_node-3.csv (tracy): p/ops_node-3.csv p/ops_node-x.csv p/ops_noded.csv\n" },
        { apart,
          "o/host0.csv o/host1.csv o/rank_1_x.csv o/RANK_2_x.csv o/worker.3-x.csv o/worker3y.csv",
          "o",
          "RANK_2_x (tracy): o/RANK_2_x.csv\n"
          "o (tracy): o/host0.csv o/host1.csv\n"
          "rank_1_x (tracy): o/rank_1_x.csv\n"
          "worker.3-x (tracy): o/worker.3-x.csv\n"
          "worker3y (tracy): o/worker3y.csv\n" },
        /* nothing, and what is missing */
        { apart, "a.json", "", "" },
        { look, "a.json", "none.json a.json",
          "none (auto): none.json\n"
          "a (pytorch): a.json\n" },
        { look, "e/notes.txt!", "e",
          "error -6\n"
          "! e: no profile of a supported format in this folder or below it; see 'analyzer "
          "list'\n" },
        { apart, "e/notes.txt!", "e",
          "error -6\n"
          "! e: no profile of a supported format in this folder; see 'analyzer list'\n" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        inputs_are(each[i].how, each[i].files, each[i].paths, each[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files_of_inputs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
