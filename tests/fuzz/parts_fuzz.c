/* Part files: two ranks of a run, the first one damaged by the input, reported as `reduce` does.
 * Bytes that begin as a part file are the file; all else is a list of edits of what the sections of
 * a good part hold, whose checksums are made anew, so that what is read of them is reached: three
 * bytes each, place (two) and what is put there; the first byte chooses how many bytes an edit
 * changes. Nothing may crash; an error has a message; all memory is given back. */
#include "format_fuzz.h"
#include "formats/pytorch/pytorch.h"
#include "io/sections.h"
#include "read/part_file.h"
#include "registry.h"

static const char trace_text[] =
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\"}],\"distributedInfo\":"
    "{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":2},\"baseTimeNanoseconds\":5,\"traceEvents\":"
    "["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
    "\"ts\":0,"
    "\"dur\":100},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\",\"pid\":1,\"tid\":1,"
    "\"ts\":100,"
    "\"dur\":100},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":"
    "9,"
    "\"args\":{\"External id\":1,\"Input Dims\":[[4,4],[4,4]],\"Input "
    "type\":[\"float\",\"float\"]}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":12,"
    "\"dur\":4,\"args\":{\"correlation\":1,\"External id\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,\"ts\":20,\"dur\":30,"
    "\"args\":{\"correlation\":1,\"External id\":1,\"device\":0,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":110,"
    "\"dur\":4,\"args\":{\"correlation\":2}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_bf16\",\"pid\":0,"
    "\"tid\":9,"
    "\"ts\":120,\"dur\":%d,\"args\":{\"correlation\":2,\"device\":0,\"stream\":9,\"Collective "
    "name\":\"allreduce\",\"In msg nelems\":64,\"Out msg nelems\":64,\"Group size\":2,\"dtype\":"
    "\"BFloat16\",\"Process Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":1}},"
    "{\"ph\":\"C\",\"name\":\"SM Active (%%)\",\"pid\":\"GPU 0 "
    "Counters\",\"ts\":30,\"args\":{\"\":40}},"
    "{\"ph\":\"C\",\"name\":\"SM Active (%%)\",\"pid\":\"GPU 0 "
    "Counters\",\"ts\":60,\"args\":{\"\":50}}";
/* More collectives, each with a kernel that it overlaps: columns of several bits a value. */
static const char more_text[] =
    ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
    "\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllGather_RING_LL\",\"pid\":0,"
    "\"tid\":9,"
    "\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d,\"device\":0,\"stream\":%d,\"Collective "
    "name\":\"allgather\",\"In msg nelems\":%d,\"Out msg nelems\":64,\"Group size\":2,\"dtype\":"
    "\"BFloat16\",\"Process Group Name\":\"1\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":%d}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sgemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,"
    "\"args\":{\"device\":0,\"stream\":7}}";
#define MORE 20

static struct az_vec_char good[2]; /* images of both ranks; for as long as the program runs */

static int reduce_to(struct az_input_run *o, struct az_trace *t, int rank, struct az_vec_char *out)
{
    struct az_input_rank x = { .by_name = rank };
    const char *path = rank ? "/run/rank1.json" : "/run/rank0.json";
    int rc = az_rank_reduce(o, t, az_sv_str(path), &o->res->arena, NULL, &x);
    return rc ? rc : az_part_image(o->job, &x, out, NULL);
}

static void make_good(int rank)
{
    char text[32768];
    int n = snprintf(text, sizeof text, trace_text, rank, 40 - 5 * rank);
    for (int i = 0; i < MORE; i++) {
        const int at = 200 + 50 * i + i * i % 7 * rank;
        n += snprintf(text + n, sizeof text - (size_t)n, more_text, at - 20 + i % 3, 3 + i, at,
                      20 + i % 5, 3 + i, 9 + i % 2, 32 << i % 2, i + 1, at + 5 + i % 4, 9 + i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "]}");
    struct az_input in = { .title = AZ_SV("fuzz"), .is_run = true };
    struct az_plan_job job = { .input = &in, .format = az_format_find(AZ_SV("pytorch")) };
    struct az_result res;
    struct az_diag diag;
    struct az_trace t;
    struct az_source *src;
    struct az_file file = { .path = AZ_SV("fuzz") };

    az_options_default(&in.opts, NULL);
    az_result_init(&res, 0);
    az_diag_init(&diag);
    struct az_input_run one = { .job = &job, .res = &res, .diag = &diag };
    if (az_trace_init(&t, &res.mem) != 0)
        abort();
    struct az_parse parse = { .files = &file,
                              .n_files = 1,
                              .opts = &in.opts,
                              .trace = &t,
                              .diag = &diag,
                              .mem = &res.mem,
                              .threads = 1 };
    const struct az_source_opts so = { .mem = &res.mem, .diag = &diag };
    if (az_source_open_memory(&src, az_sv_make(text, (size_t)n), "fuzz", &so) != 0 ||
        az_pytorch_parse_source(&parse, src, 65536) != 0)
        abort();
    az_source_close(src);
    az_vec_init(&good[rank], NULL);
    if (az_trace_finalize(&t) != 0 || reduce_to(&one, &t, rank, &good[rank]) != 0)
        abort();
    az_trace_release(&t);
    az_diag_release(&diag);
    az_result_release(&res);
    az_options_release(&in.opts);
}

/* The sections of a good part, one after the other, with the edits. */
static void edit(struct az_vec_char *all, const uint8_t *data, size_t size)
{
    const size_t width = (size_t)1 << (data[0] & 3);
    for (size_t i = 1; i + 2 < size; i += 3) {
        const size_t at = ((size_t)data[i] << 8 | data[i + 1]) % all->n;
        for (size_t k = 0; k < width && at + k < all->n; k++)
            all->v[at + k] = (char)data[i + 2];
    }
}

static void damaged(const uint8_t *data, size_t size, struct az_vec_char *out)
{
    struct az_sections s;
    struct az_sections_out o;
    struct az_vec_char all;
    int rc = 0;
    if (az_sections_open(&s, az_text_view(&good[0])))
        abort();
    az_vec_init(&all, NULL);
    for (size_t i = 0; rc == 0 && i < s.n; i++)
        rc = az_text_append(&all, az_sections_at(&s, i).bytes);
    edit(&all, data, size);
    rc = rc ? rc : az_sections_begin(&o, s.n, "fuzz", s.key, NULL);
    for (size_t i = 0, at = 0; rc == 0 && i < s.n; i++) {
        const struct az_section x = az_sections_at(&s, i);
        rc = az_sections_add(&o, x.name, x.layout, az_sv_make(all.v + at, x.bytes.n));
        at += x.bytes.n;
    }
    rc = rc ? rc : az_sections_end(&o);
    if (rc || az_text_append(out, az_text_view(&o.image)))
        abort();
    az_sections_release(&o);
    az_vec_release(&all);
}

/* As `reduce` reports the parts of a file. Is there nothing wrong with them? */
static bool report(const char *path)
{
    struct az_input in = { .title = AZ_SV("fuzz"), .is_run = true, .parts = true };
    struct az_plan_job job = { .input = &in,
                               .format = az_format_find(AZ_SV("pytorch")),
                               .parts = true };
    const struct az_run_opts opts = { .quiet = true };
    struct az_part_places places;
    struct az_result res;
    struct az_diag diag;

    az_options_default(&in.opts, NULL);
    az_result_init(&res, (uint64_t)256 << 20);
    az_diag_init(&diag);
    az_vec_init(&places, NULL);
    az_vec_init(&in.files, NULL);
    az_vec_init(&job.files, NULL);
    int rc = az_part_list(path, &res.arena, &places, &diag);
    for (size_t i = 0; rc == 0 && i < places.n && i < 8; i++) {
        const struct az_part_place *p = &places.v[i];
        const struct az_file f = {
            .path = p->path, .part = p->file, .at = p->at, .length = p->length
        };
        const struct az_input_file g = { .path = p->path, .part = p->file };
        rc = az_vec_push(&job.files, f);
        rc = rc ? rc : az_vec_push(&in.files, g);
    }
    in.opts.rank_pattern = AZ_SV("rank");
    if (rc == 0 && job.files.n) {
        rc = az_analyze_input(&job, &opts, 1, &res, &diag, NULL);
        if (rc && diag.errors == 0)
            abort(); /* an error always has a message */
    }
    for (size_t i = 0; i < res.doc.tables.n; i++) { /* rows that are made when they are written */
        const int held = az_table_store_rows(res.doc.tables.v[i], 1000);
        if (held != 0 && held != AZ_ELIMIT && held != AZ_ENOMEM)
            abort();
    }
    az_vec_release(&in.files);
    az_vec_release(&job.files);
    az_vec_release(&places);
    az_result_release(&res);
    if (res.mem.used)
        abort(); /* something was not given back */
    const bool sound = diag.errors == 0 && diag.warnings == 0;
    az_diag_release(&diag);
    az_options_release(&in.opts);
    return sound;
}

static bool report_input(const uint8_t *data, size_t size)
{
    struct az_vec_char file;
    char path[] = "/tmp/az-parts-XXXXXX";
    az_vec_init(&file, NULL);
    if (az_sections_is(az_sv_make((const char *)data, size))) {
        if (az_text_append(&file, az_sv_make((const char *)data, size)))
            abort();
    } else {
        damaged(data, size, &file);
        if (az_text_append(&file, az_text_view(&good[1])))
            abort();
    }
    const int fd = fuzz_file(path);
    fuzz_bytes(fd, az_text_view(&file));
    (void)close(fd);
    const bool sound = report(path);
    (void)unlink(path);
    az_vec_release(&file);
    return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (!good[0].n) {
        make_good(0);
        make_good(1);
    }
    (void)report_input(data, size);
    return 0;
}
