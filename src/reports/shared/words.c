/* Words of identifiers: those that need others than their own, then underscores as blanks. */
#include "reports/shared/words.h"

static const struct {
    const char *id, *words;
} parts[] = {
    { "computation_time", "compute" },
    { "exposed_comm_time", "exposed communication" },
    { "exposed_memcpy_time", "exposed copies" },
    { "total_comm_time", "communication" },
    { "total_memcpy_time", "copies" },
    { "busy_time", "busy" },
    { "idle_time", "idle" },
    { "total_time", "total" },
    { "exposed_transfer_ms", "exposed transfer" },
    { "exposed_wait_ms", "exposed wait" },
    { "hidden_ms", "overlapped" },
    { "roof matrix_fp64", "fp64 matrix peak" },
    { "roof matrix_fp32", "fp32 matrix peak" },
    { "roof matrix_tf32", "tf32 matrix peak" },
    { "roof matrix_bf16", "bf16 matrix peak" },
    { "roof matrix_fp16", "fp16 matrix peak" },
    { "roof matrix_fp8", "fp8 matrix peak" },
    { "roof matrix_fp6", "fp6 matrix peak" },
    { "roof matrix_fp4", "fp4 matrix peak" },
    { "roof matrix_int8", "int8 matrix peak" },
    { "roof vector_fp64", "fp64 vector peak" },
    { "roof vector_fp32", "fp32 vector peak" },
    { "roof vector_fp16", "fp16 vector peak" },
    { "roof vector_bf16", "bf16 vector peak" },
};

/* Rules whose names are no terms of the field. */
static const struct {
    const char *id, *words;
} rules[] = {
    { "roofline_headroom", "below roofline" },
    { "exposed_copy", "exposed copies" },
    { "api_sync", "host synchronization" },
    { "fusible_chain", "fusible operators" },
    { "outside_ranges", "work outside ranges" },
    { "small_work", "short kernels" },
    { "op_to_op_gaps", "gaps between operations" },
    { "graph_hidden", "graph launches without operators" },
    { "graph_unrecorded", "graph launches without kernels" },
    { "precision", "FP32 GEMM without TF32" },
    { "misaligned_shape", "misaligned GEMM shape" },
    { "clock_drop", "falling clock" },
    { "step_jitter", "uneven steps" },
    { "tt_slow", "below roofline" },
    { "tt_low_cores", "few cores used" },
    { "mixed_stream", "communication on a compute stream" },
    { "memcpy_sync", "synchronous copies" },
    { "memset_sync", "synchronous fills" },
    { "memcpy_async", "asynchronous copies of pageable memory" },
    { "exposed_nccl", "exposed communication" },
    { "impossible_rows", "rows with impossible values" },
    { "stragglers_not_judged", "straggler test skipped" },
    { "outside_steps", "work outside steps" },
    { "low_parallelism", "few blocks" },
};

struct az_sv az_words_of_part(struct az_sv id)
{
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        if (az_sv_is(id, parts[i].id))
            return az_sv_str(parts[i].words);
    return id;
}

struct az_sv az_words_of(struct az_arena *scratch, struct az_sv id)
{
    const struct az_sv part = az_words_of_part(id);
    char *out;

    if (part.p != id.p)
        return part;
    for (size_t i = 0; i < AZ_LENGTH(rules); i++)
        if (az_sv_is(id, rules[i].id))
            return az_sv_str(rules[i].words);
    for (size_t i = 0; i < id.n; i++)
        if (id.p[i] != '_' && (id.p[i] < 'a' || id.p[i] > 'z') && (id.p[i] < '0' || id.p[i] > '9'))
            return id;
    out = az_arena_str(scratch, id);
    for (size_t i = 0; out && i < id.n; i++)
        out[i] = out[i] == '_' ? ' ' : out[i];
    return out ? az_sv_make(out, id.n) : id;
}

struct az_sv az_words_of_subject(struct az_sv rule_words, struct az_sv subject)
{
    const bool repeated = subject.n <= rule_words.n &&
                          az_sv_ieq(az_sv_make(rule_words.p, subject.n), subject) &&
                          (subject.n == rule_words.n || rule_words.p[subject.n] == ' ');

    return repeated ? az_sv_make(subject.p, 0) : subject;
}
