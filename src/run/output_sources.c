/* What outputs must not replace: inputs, and reports of other inputs. The inputs are recorded in an
 * extended attribute of each output; where the file system has none, nothing is known, and a file
 * is replaced. */
#define _GNU_SOURCE /* for the declarations of extended attributes */
#include "run/output_sources.h"

#include <inttypes.h>
#include <sys/xattr.h>

#include "io/digest.h"
#include "io/path.h"
#include "run/internal.h"

#define ATTRIBUTE  "user.analyzer.inputs"
#define MOST_BYTES 1024 /* of the attribute; a longer list ends there, with its checksum */

struct az_sv az_source_short(struct az_arena *a, struct az_sv all)
{
    struct az_sv out = all;

    if (all.n > MOST_BYTES)
        out = az_arena_printf(a, "%.*s\n%016" PRIx64, MOST_BYTES, all.p, az_checksum(all.p, all.n));
    return out.p ? out : AZ_SV("");
}

struct az_sv az_source_hidden(struct az_arena *a, struct az_sv source)
{
    const struct az_sv out = az_arena_printf(a, "%016" PRIx64, az_checksum(source.p, source.n));
    return source.n && out.p ? out : AZ_SV("");
}

/* In one growing text: a run of many ranks has as many files. */
static int list_files(struct az_vec_char *text, const struct az_input_files *files)
{
    struct az_arena scratch;
    struct az_sv path;
    int rc = AZ_OK;

    az_arena_init(&scratch, NULL);
    for (size_t i = 0; !rc && i < files->n; i++) {
        rc = az_path_is_stream(files->v[i].path)
                 ? AZ_EIO
                 : az_path_canonical(&scratch, files->v[i].path.p, &path);
        if (!rc && i)
            rc = az_text_append(text, AZ_SV("\n"));
        if (!rc)
            rc = az_text_append(text, path);
        az_arena_reset(&scratch);
    }
    az_arena_release(&scratch);
    return rc;
}

struct az_sv az_source_of_files(struct az_arena *a, const struct az_input_files *files)
{
    struct az_vec_char text;

    az_vec_init(&text, NULL);
    const int rc = list_files(&text, files);
    const struct az_sv out =
        rc ? AZ_SV("") : az_arena_dup(a, az_source_short(a, az_text_view(&text)));
    az_vec_release(&text);
    return out.p ? out : AZ_SV("");
}

struct az_sv az_output_path(struct az_arena *a, struct az_sv stem, const struct az_report *r)
{
    if (!r->extension[0])
        return az_arena_printf(a, "%.*s_%ss", AZ_SVF(stem), r->name);
    return az_arena_printf(a, "%.*s%s", AZ_SVF(stem), r->extension);
}

struct az_sv az_outputs_replay_folder(struct az_arena *a, const struct az_plan_job *job)
{
    struct az_sv path = job->targets.n ? job->targets.v[0].path
                        : job->files.n ? job->files.v[0].path
                                       : AZ_SV("stdin");
    const bool of_run = !job->targets.n && job->input->stem.n;
    struct az_sv stem = of_run ? job->input->stem : az_path_stem(az_path_base(path));
    struct az_sv name = az_arena_printf(a, "%.*s_node_replay", AZ_SVF(stem));
    return name.p ? az_path_join(a, az_path_dir(path), name) : name;
}

/* Was the file or folder written for other inputs? *whose: the first of them. */
static bool is_of_others(struct az_arena *a, struct az_sv path, struct az_sv source,
                         struct az_sv *whose)
{
    char text[MOST_BYTES + 64];
    const ssize_t n = path.n ? getxattr(path.p, ATTRIBUTE, text, sizeof text) : -1;

    if (n <= 0 || !source.n || az_sv_eq(az_sv_make(text, (size_t)n), source))
        return false;
    struct az_sv rest = az_sv_make(text, (size_t)n);
    *whose = az_arena_dup(a, az_sv_cut(&rest, '\n'));
    return true;
}

/* The first output under this stem that others wrote; empty: none. */
static struct az_sv first_of_others(struct az_arena *a, struct az_sv source, struct az_sv stem,
                                    const struct az_report *const *reports, size_t n,
                                    struct az_sv *whose)
{
    for (size_t i = 0; i < n; i++) {
        const struct az_sv path = az_output_path(a, stem, reports[i]);
        if (is_of_others(a, path, source, whose))
            return path;
    }
    return AZ_SV("");
}

int az_output_stem(struct az_arena *a, struct az_sv source, const struct az_report *const *reports,
                   size_t n, struct az_sv *stem, struct az_diag *diag)
{
    const struct az_sv wanted = *stem;
    struct az_sv whose = AZ_SV(""), other,
                 first = first_of_others(a, source, wanted, reports, n, &whose);

    if (!first.n)
        return AZ_OK;
    for (size_t k = 2; stem->p; k++) {
        struct az_sv of;
        *stem = az_arena_printf(a, "%.*s-%zu", AZ_SVF(wanted), k);
        other = first_of_others(a, source, *stem, reports, n, &of);
        if (!other.n)
            break;
    }
    az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(first),
                "is a report of another input, '%.*s'; this one is written to '%.*s'",
                AZ_SVF(whose), AZ_SVF(*stem));
    return stem->p ? AZ_OK : az_arena_error(a);
}

void az_source_mark(struct az_sv path, struct az_sv source)
{
    if (source.n)
        (void)setxattr(path.p, ATTRIBUTE, source.p, source.n, 0);
}

int az_outputs_guard(const struct az_plan *p, const struct az_target *t,
                     const struct az_document *doc, struct az_diag *diag)
{
    struct az_arena scratch;
    int rc = AZ_OK;

    if (t->report->extension[0] || t->table.n)
        return AZ_OK;
    az_arena_init(&scratch, NULL);
    for (size_t i = 0; !rc && i < doc->tables.n; i++) {
        struct az_sv file = az_arena_printf(&scratch, "%.*s/%.*s.csv", AZ_SVF(t->path),
                                            AZ_SVF(doc->tables.v[i]->id));
        struct az_path_info info = { .kind = AZ_PATH_MISSING };
        if (file.p)
            info = az_path_stat(file.p);
        for (size_t k = 0; !rc && info.kind == AZ_PATH_FILE && k < p->n_input_files; k++) {
            const struct az_path_info *in = &p->input_files[k];
            if (in->kind == AZ_PATH_FILE && in->dev == info.dev && in->ino == info.ino)
                rc = az_diag_fail(diag, AZ_ECONFIG, AZ_AT_FILE(file),
                                  "is an input and is not overwritten; choose another folder");
        }
    }
    az_arena_release(&scratch);
    return rc;
}
