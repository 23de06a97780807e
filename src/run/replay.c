/* The replay folder of an input: next to its other outputs, from its own tables. */
#include "replay/replay.h"
#include "run/internal.h"

static bool interrupted(void *ctx)
{
    (void)ctx;
    return az_interrupted();
}

/* Runs the commands of the folder; their times are tables of the document. Missing tools are no
 * failure of the report. */
static int run_commands(const char *dir, struct az_document *doc, struct az_diag *diag)
{
    const struct az_replay_run_opts opts = { .cancelled = interrupted };
    struct az_diag messages;
    size_t failed = 0;

    az_diag_init(&messages);
    const int rc = az_replay_run(dir, &opts, doc, &failed, &messages);
    for (size_t i = 0; i < messages.list.n; i++)
        az_diag_add(diag,
                    messages.list.v[i].severity == AZ_ERROR ? AZ_WARNING
                                                            : messages.list.v[i].severity,
                    AZ_NOWHERE, "%.*s", AZ_SVF(messages.list.v[i].text));
    az_diag_release(&messages);
    return rc == AZ_EEMPTY ? AZ_OK : rc;
}

int az_outputs_replay(const struct az_plan_job *job, struct az_document *doc, bool force,
                      struct az_vec_char *text, struct az_diag *diag)
{
    const struct az_replay_opts opts = { .force = force };
    struct az_replay_counts n = { 0 };
    struct az_document own;
    struct az_arena a;
    int rc = 0;

    az_arena_init(&a, NULL);
    az_document_init(&own, &a);
    bool grouped = az_document_table(doc, "gemm") || az_document_table(doc, "conv");
    struct az_sv dir = az_outputs_replay_folder(&a, job);
    if (!dir.p)
        rc = az_arena_error(&a);
    if (!rc && !grouped)
        rc = az_replay_tables(doc, &own, diag);
    if (!rc)
        rc = az_replay_emit(grouped ? doc : &own, dir.p, &opts, text, &n, diag);
    if (!rc)
        rc = az_text_printf(text, "%zu of %zu rows selected, %zu command%s in %.*s\n", n.kept,
                            n.rows, n.commands, n.commands == 1 ? "" : "s", AZ_SVF(dir));
    if (!rc && job->input->opts.run_replay && n.commands)
        rc = run_commands(dir.p, doc, diag);
    az_document_release(&own);
    az_arena_release(&a);
    return rc;
}
