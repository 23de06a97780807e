/* The user's hook into a trace before it is finalized: changes by `tree_postprocess` of an
 * extension_file and by pseudo operators. */
#ifndef AZ_ANALYSES_TREE_HOOKS_TREE_HOOK_H
#define AZ_ANALYSES_TREE_HOOKS_TREE_HOOK_H

#include "base/diag.h"
#include "model/options.h"
#include "model/trace.h"

struct az_hook_job {
    const struct az_options *opts;
    struct az_diag *diag;
    bool loaded;   /* the script was examined: its errors are or will be reported */
    bool unloaded; /* it could not be loaded; its categories and models report that, too */
    int failed; /* AZ_ECONFIG: the script failed; its message is in diag and the trace is as it was
                   read */
};
/* For az_trace_hook.run; ctx: struct az_hook_job. An error is one of the program's own (memory). */
int az_framework_tree_hook(struct az_trace *t, struct az_tree_edits *edits, void *ctx);

/* Can the script of extension_file be loaded? AZ_ECONFIG with a message, as az_extend_open. For
 * traces without operators, where nothing else loads it. */
int az_framework_script_check(const struct az_options *opts, struct az_diag *diag) AZ_MUST_USE;

#endif
