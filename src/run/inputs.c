/* One input before the run: its format, its size, what it will cost; and piped inputs, which can be
 * read only once. */
#include "read/part_file.h"
#include "run/post_actions.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/outfile.h"
#include "io/path.h"
#include "run/internal.h"

#define SPOOL_BYTES 65536
/* Memory of a report per byte on disk (docs/performance.md: at most 0.25 of the JSON), how far gzip
 * traces inflate, and what a worker needs at least. Only for admission, so rough is enough. */
#define COST_SHARE 4
#define COST_GZIP  15
#define COST_FLOOR ((uint64_t)4 << 20)
/* Ranks: so many are in memory at a time, and such a part of the others is stored. */
#define COST_RANKS 2
#define COST_KEPT  32

/* An endless source, /dev/zero; a terminal is typed into. */
static bool is_device(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) && !isatty(fd);
}

static int copy_stream(int fd, struct az_outfile *out, struct az_sv name,
                       const struct az_cancel *cancel, struct az_diag *diag)
{
    char buf[SPOOL_BYTES];
    bool any = false, device = is_device(fd);

    for (;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        any |= n > 0;
        if (n > 0 && device)
            return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(name),
                                "is a device, not a profile; name a file or a pipe");
        if (n > 0)
            az_outfile_write(out, buf, (size_t)n);
        else if (n == 0)
            return any ? AZ_OK : az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(name), "empty (0 bytes)");
        else if (errno != EINTR)
            return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(name), "cannot read: %s", strerror(errno));
        if (az_cancelled(cancel))
            return AZ_EINTR;
    }
}

/* Copies a stream to the plan's temporary folder and lets the job read the copy. */
static int spool(struct az_plan *p, struct az_plan_job *job, struct az_file *f)
{
    bool is_stdin = az_sv_is(f->path, "-");
    struct az_sv base = is_stdin ? AZ_SV("stdin") : az_path_base(f->path), copy;
    struct az_sv name = is_stdin ? AZ_SV("standard input") : f->path;
    struct az_outfile *out = NULL;
    int fd = -1, rc = AZ_OK;

    if (!p->spool.n)
        rc = az_tmpdir_make(&p->arena, "analyzer", &p->spool, &job->diag);
    if (rc)
        return rc;
    copy = az_arena_printf(&p->arena, "%.*s/%zu-%.*s", AZ_SVF(p->spool), p->jobs.n, AZ_SVF(base));
    if (!copy.p)
        return az_arena_error(&p->arena);
    fd = is_stdin ? STDIN_FILENO : open(f->path.p, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EINTR && az_cancelled(job->cancel))
        return AZ_EINTR;
    if (fd < 0)
        return az_diag_fail(&job->diag, AZ_EIO, AZ_AT_FILE(name), "cannot read: %s",
                            strerror(errno));
    rc = az_outfile_open(&out, copy.p, &job->diag);
    if (!rc)
        rc = copy_stream(fd, out, name, job->cancel, &job->diag);
    if (!rc)
        rc = az_outfile_commit(out);
    else if (out)
        az_outfile_abort(out);
    if (!is_stdin)
        close(fd);
    if (!rc)
        f->path = copy;
    return rc;
}

/* Format of the copy of a stream; messages about the copy name the stream. */
static int probe_copy(struct az_plan_job *job, struct az_sv copy, struct az_sv name,
                      const struct az_format **out)
{
    struct az_diag diag;
    int rc;

    az_diag_init(&diag);
    rc = az_format_probe(copy.p, out, NULL, &diag);
    for (size_t i = 0; i < diag.list.n; i++) {
        struct az_sv text = diag.list.v[i].text;
        if (az_sv_starts(text, copy) && text.n > copy.n + 2)
            text = az_sv_make(text.p + copy.n + 2, text.n - copy.n - 2); /* "NAME: " */
        az_diag_add(&job->diag, diag.list.v[i].severity, AZ_AT_FILE(name), "%.*s", AZ_SVF(text));
    }
    az_diag_release(&diag);
    return rc;
}

/* Format of one file by content. What is piped is copied first; redirected standard input is put
 * back to its start. */
static int probe(struct az_plan *p, struct az_plan_job *job, struct az_file *f,
                 const struct az_format **out)
{
    struct az_sv given = f->path;
    struct stat st;
    off_t at = -1;
    int rc;

    if (az_sv_is(given, "-") && fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
        at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (at < 0 && az_path_is_stream(given)) {
        rc = spool(p, job, f);
        return rc ? rc
                  : probe_copy(job, f->path, az_sv_is(given, "-") ? AZ_SV("standard input") : given,
                               out);
    }
    rc = az_format_probe(given.p, out, NULL, &job->diag);
    if (at >= 0 && lseek(STDIN_FILENO, at, SEEK_SET) < 0)
        return az_diag_fail(&job->diag, AZ_EIO, AZ_AT_FILE(AZ_SV("standard input")),
                            "cannot rewind: %s", strerror(errno));
    return rc;
}

/* Size of a file on disk, 0 where it has none. Missing and empty files are reported here, in one
 * wording for all formats.
 */
static int size_of(const struct az_file *f, uint64_t *size, struct az_diag *diag)
{
    struct az_path_info info;

    *size = 0;
    *size = f->length;
    if (f->part.n || az_sv_is(f->path, "-"))
        return AZ_OK;
    info = az_path_stat(f->path.p);
    if (info.kind == AZ_PATH_MISSING && !f->optional)
        return errno == ENOENT
                   ? az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(f->path), "no such file or folder")
                   : az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(f->path), "cannot read: %s",
                                  strerror(errno));
    if (info.kind != AZ_PATH_FILE)
        return AZ_OK;
    if (info.size == 0 && !f->optional && faccessat(AT_FDCWD, f->path.p, R_OK, AT_EACCESS) != 0)
        return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(f->path), "cannot read: %s", strerror(errno));
    if (info.size == 0 && !f->optional)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(f->path), "empty file (0 bytes)");
    *size = info.size;
    return AZ_OK;
}

/* All files of an input must be of one format; optional ones that cannot be read do not matter.
 * *unknown: first file whose format is unknown, when the others' may do without it; then its
 * message is not reported. */
static int probe_all(struct az_plan *p, struct az_plan_job *job, size_t *unknown)
{
    for (size_t i = 0; i < job->files.n; i++) {
        struct az_file *f = &job->files.v[i];
        const struct az_format *found = NULL;
        struct az_diag messages = job->diag;
        const bool lenient = job->files.n > 1 && !az_path_is_stream(f->path);
        int rc;
        if (f->optional)
            continue;
        if (lenient)
            az_diag_init(&job->diag);
        rc = probe(p, job, f, &found);
        if (lenient) {
            az_diag_release(&job->diag);
            job->diag = messages;
            *unknown = rc && i < *unknown ? i : *unknown;
            if (rc)
                continue;
        }
        if (rc)
            return rc;
        if (job->format && job->format != found)
            return az_diag_fail(&job->diag, AZ_EFORMAT, AZ_AT_FILE(f->path),
                                "is '%s', but '%.*s' is '%s'; use one input per format",
                                found->name, AZ_SVF(job->files.v[0].path), job->format->name);
        job->format = found;
    }
    return AZ_OK;
}

/* Format by content. Of ranks that are read one by one a file that cannot be recognized fails
 * alone, in its turn. */
static int choose_format(struct az_plan *p, struct az_plan_job *job)
{
    const struct az_format *found;
    size_t unknown = job->files.n;
    uint64_t size;
    int rc = probe_all(p, job, &unknown);

    if (!rc && unknown < job->files.n && !(job->format && job->format->ranks_reduced)) {
        rc = size_of(&job->files.v[unknown], &size, &job->diag);
        if (!rc)
            rc = probe(p, job, &job->files.v[unknown], &found); /* again, to report why */
    }
    if (!rc && !job->format)
        return az_diag_fail(&job->diag, AZ_ECONFIG, job->input->where, "input '%.*s' has no file",
                            AZ_SVF(job->input->title));
    return rc;
}

/* Sizes and predicted memory. Of ranks only those being read are in memory, and little of the
 * others. */
static int measure(struct az_plan_job *job)
{
    const bool ranks = az_job_is_run(job);
    uint64_t most = 0, sum = 0;

    for (size_t i = 0; i < job->files.n; i++) {
        const struct az_file *f = &job->files.v[i];
        struct az_diag mute;
        uint64_t size, need;
        int rc;
        az_diag_init(&mute);
        rc = size_of(f, &size, ranks ? &mute : &job->diag); /* reported when the rank is read */
        az_diag_release(&mute);
        if (rc && !ranks)
            return rc;
        job->bytes += size;
        need = f->part.n ? size * COST_KEPT : size / COST_SHARE; /* a part stays as it is */
        need = !f->part.n && az_path_unpacked(f->path).n < f->path.n ? need * COST_GZIP : need;
        most = need > most && !f->part.n ? need : most;
        sum += need;
    }
    job->cost += ranks ? COST_RANKS * most + sum / COST_KEPT : sum;
    return AZ_OK;
}

/* Is there a file of this name but for its ending? */
static bool is_repeated(const struct az_format *f, struct az_sv path, const struct az_vec_sv *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (az_sv_eq(f->stem(found->v[i]), f->stem(path)))
            return true;
    return false;
}

/* Other formats have names like those of copies. */
static bool is_of_format(const struct az_format *f, struct az_sv path)
{
    const struct az_format *of = NULL;
    struct az_diag mute;
    az_diag_init(&mute);
    const bool known = az_format_probe(path.p, &of, NULL, &mute) == AZ_OK;
    az_diag_release(&mute);
    return known && of == f;
}

/* Files with the same content in another form, of which the usual one is missing. */
static int add_copies(struct az_plan *p, const struct az_format *f, struct az_sv folder,
                      struct az_sv name, struct az_vec_sv *found)
{
    struct az_vec_sv more;
    const struct az_sv glob = az_path_join(&p->arena, folder, name);

    az_vec_init(&more, NULL);
    int rc = glob.p ? az_path_glob(&p->arena, glob, &more) : az_arena_error(&p->arena);
    for (size_t i = 0; !rc && i < more.n; i++)
        if (!is_repeated(f, more.v[i], found) && is_of_format(f, more.v[i]))
            rc = az_vec_push(found, more.v[i]);
    az_vec_release(&more);
    return rc;
}

/* Files of a run in this folder. */
static int files_in(struct az_plan *p, const struct az_format *f, struct az_sv folder,
                    struct az_vec_sv *found)
{
    struct az_sv glob = az_path_join(&p->arena, folder, az_sv_str(f->run_files));
    int rc = glob.p ? az_path_glob(&p->arena, glob, found) : az_arena_error(&p->arena);

    if (!rc && f->twin) {
        glob = az_arena_printf(&p->arena, "*%s", f->twin);
        rc = glob.p ? add_copies(p, f, folder, glob, found) : az_arena_error(&p->arena);
    }
    if (!rc && f->copy && !found->n)
        rc = add_copies(p, f, folder, az_sv_str(f->copy), found);
    return rc;
}

/* Files of the newest run (by name) in a folder, or below it. */
static int files_of_run(struct az_plan *p, struct az_plan_job *job, const struct az_format *f,
                        struct az_sv folder, struct az_vec_sv *found)
{
    struct az_vec_sv runs;
    struct az_sv glob;
    int rc = files_in(p, f, folder, found);

    if (rc || found->n)
        return rc;
    az_vec_init(&runs, NULL);
    glob = az_arena_printf(&p->arena, "%.*s/%s/", AZ_SVF(folder), f->run_folder);
    rc = glob.p ? az_path_glob(&p->arena, glob, &runs) : az_arena_error(&p->arena);
    if (!rc && runs.n > 1)
        az_diag_add(&job->diag, AZ_WARNING, AZ_AT_FILE(folder),
                    "%zu runs below this folder; reading the last one, '%.*s'", runs.n,
                    AZ_SVF(runs.v[runs.n - 1]));
    if (!rc && runs.n)
        rc = files_in(p, f, runs.v[runs.n - 1], found);
    az_vec_release(&runs);
    return rc;
}

/* A folder in place of a file: the run of a format with folders; else it stays, and fails as
 * what it is. */
static int add_folder(struct az_plan *p, struct az_plan_job *job, const struct az_input_file *given)
{
    struct az_vec_sv found;
    int rc = AZ_OK;

    az_vec_init(&found, NULL);
    for (const struct az_format *const *f = az_formats; !rc && *f && !found.n; f++) {
        if ((*f)->run_folder && (!job->format || job->format == *f))
            rc = files_of_run(p, job, *f, given->path, &found);
    }
    if (!rc && !found.n)
        rc = az_vec_push(&found, given->path);
    for (size_t i = 0; !rc && i < found.n; i++)
        rc = az_vec_push(&job->files, ((struct az_file){ .path = found.v[i],
                                                         .role = given->role,
                                                         .optional = given->optional }));
    az_vec_release(&found);
    return rc;
}

/* A part file that a configuration names: its ranks, as their traces. */
static int add_parts(struct az_plan *p, struct az_plan_job *job, const struct az_input_file *given)
{
    struct az_part_places all;
    int rc;

    az_vec_init(&all, NULL);
    rc = az_part_list(given->path.p, &p->arena, &all, &job->diag);
    for (size_t i = 0; !rc && i < all.n; i++) {
        if (!job->format && all.v[i].format.n)
            job->format = az_format_find(all.v[i].format);
        rc = az_vec_push(&job->files, ((struct az_file){ .path = all.v[i].path,
                                                         .role = given->role,
                                                         .part = all.v[i].file,
                                                         .at = all.v[i].at,
                                                         .length = all.v[i].length }));
    }
    az_vec_release(&all);
    job->parts = true;
    return rc;
}

static int add_files(struct az_plan *p, struct az_plan_job *job)
{
    const struct az_input *in = job->input;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < in->files.n; i++) {
        const struct az_input_file *f = &in->files.v[i];
        if (!f->part.n && !az_sv_is(f->path, "-") && az_path_stat(f->path.p).kind == AZ_PATH_DIR)
            rc = add_folder(p, job, f);
        else if (!f->part.n && !az_sv_is(f->path, "-") && az_part_is(f->path.p))
            rc = add_parts(p, job, f);
        else
            rc = az_vec_push(&job->files, ((struct az_file){ .path = f->path,
                                                             .role = f->role,
                                                             .optional = f->optional,
                                                             .part = f->part,
                                                             .at = f->at,
                                                             .length = f->length }));
    }
    return rc;
}

/* Results of earlier runs: named so in the configuration, and similar to one. They serve the
 * steps after the inputs only. */
static int resolve_saved(struct az_plan *p, struct az_plan_job *job)
{
    const struct az_input *in = job->input;
    bool named = az_sv_ieq(in->format, AZ_SV(AZ_FORMAT_RESULT));
    struct az_sv path = in->files.n ? in->files.v[0].path : AZ_SV("");

    if ((!named && in->format.n && !az_sv_ieq(in->format, AZ_SV("auto"))) || in->files.n == 0 ||
        az_path_is_stream(path))
        return named ? az_diag_fail(&job->diag, AZ_EFORMAT, in->where,
                                    "a saved result is one file or folder")
                     : AZ_OK;
    if (named && in->files.n > 1)
        return az_diag_fail(&job->diag, AZ_ECONFIG, in->where,
                            "%zu files; a saved result is one file or folder", in->files.n);
    if (in->files.n > 1 || in->parts)
        return AZ_OK;
    job->saved = az_saved_kind(path.p);
    if (job->saved == AZ_SAVED_NONE)
        return named && az_path_stat(path.p).kind != AZ_PATH_MISSING
                   ? az_diag_fail(
                         &job->diag, AZ_EFORMAT, AZ_AT_FILE(path),
                         "not an analyzer result; use a result JSON, or a folder of CSV tables")
                   : AZ_OK;
    if (!az_followup_wanted(p->config) && !p->config->takes_results)
        return az_diag_fail(&job->diag, AZ_EFORMAT, AZ_AT_FILE(path),
                            "is a result, not a profile; use analyzer compare");
    return AZ_OK;
}

static int resolve(struct az_plan *p, struct az_plan_job *job)
{
    const struct az_input *in = job->input;
    uint64_t size;
    int rc = resolve_saved(p, job);

    if (rc)
        return rc;
    if (!job->saved && in->format.n && !az_sv_ieq(in->format, AZ_SV(AZ_FORMAT_RESULT)) &&
        !az_sv_ieq(in->format, AZ_SV("auto"))) {
        job->format = az_format_find(in->format);
        if (!job->format)
            return az_diag_fail(&job->diag, AZ_ECONFIG, in->where, "unknown format '%.*s'",
                                AZ_SVF(in->format));
    }
    if (in->trouble.n)
        return az_diag_fail(&job->diag, AZ_EIO, AZ_AT_FILE(in->search.base_dir), "%.*s",
                            AZ_SVF(in->trouble));
    rc = add_files(p, job);
    if (!rc && !job->format && !job->saved && job->files.n == 1)
        rc = size_of(&job->files.v[0], &size, &job->diag);
    if (!rc && !job->format && !job->saved)
        rc = choose_format(p, job);
    return rc ? rc : measure(job);
}

int az_inputs_resolve(struct az_plan *p, struct az_plan_job *job)
{
    job->cost = COST_FLOOR;
    job->error = resolve(p, job);
    if (job->error == AZ_EINTR || job->error == AZ_ENOMEM)
        return job->error;
    if (job->error && job->diag.errors == 0)
        az_diag_add(&job->diag, AZ_ERROR, AZ_AT_FILE(job->input->title), "%s",
                    az_err_text(job->error));
    return AZ_OK;
}
