/* The parts of one job: what a worker that reads its ranks calls, apart from the command, which
 * prints. */
#include "read/map_run.h"

#include "document/tracks.h"
#include "io/outfile.h"

struct az_sv az_map_part_name(const struct az_map_opts *m, struct az_sv path, struct az_arena *a)
{
    const struct az_sv dir = az_path_dir(path), tag = az_sv_str(m->tag ? m->tag : "");
    const struct az_sv place = az_arena_printf(a, "%.*s\n%.*s", AZ_SVF(dir), AZ_SVF(tag));
    if (!place.p)
        return place;
    const struct az_sv name =
        az_arena_printf(a, "%.*s-%08x" AZ_PART_ENDING, AZ_SVF(az_path_base(path)),
                        (unsigned)az_checksum(place.p, place.n));
    return name.p ? az_path_join(a, az_sv_str(m->dir), name) : name;
}

size_t az_map_draw(const struct az_map_run *m, const struct az_trace *t)
{
    const size_t ranks = t->world_size > 0 ? (size_t)t->world_size : 1;
    return m->opts->draw ? AZ_TRACK_MARKS / ranks : 0;
}

static int write_part(struct az_map_run *m, struct az_input_run *o, const struct az_input_rank *x,
                      struct az_diag *diag)
{
    struct az_arena a;
    struct az_vec_char image;
    struct az_outfile *f = NULL;
    int rc;

    az_arena_init(&a, &o->res->mem);
    az_vec_init(&image, &o->res->mem);
    const struct az_sv path = az_map_part_name(m->opts, x->about.path, &a);
    rc = path.p ? az_part_image(o->job, x, &image, &o->res->mem) : az_arena_error(&a);
    if (rc == 0)
        rc = az_outfile_open(&f, path.p, diag);
    else
        az_diag_add(diag, AZ_ERROR, AZ_AT_FILE(x->about.path), "no part written: %s",
                    az_err_text(rc));
    if (f) {
        az_outfile_write(f, image.v, image.n);
        rc = az_outfile_commit(f);
    }
    az_vec_release(&image);
    az_arena_release(&a);
    return rc;
}

int az_map_done(struct az_map_run *m, struct az_input_run *o, size_t i, struct az_input_rank *x,
                struct az_arena *keep)
{
    struct az_diag *diag = &m->messages[i];
    const int why = x->error;

    for (size_t k = 0; k < x->n_messages; k++)
        az_diag_add(diag, x->messages[k].severity, AZ_NOWHERE, "%.*s", AZ_SVF(x->messages[k].text));
    if (!x->about.path.p) /* it was not read at all */
        x->about.path = o->job->files.v[i].path;
    if (why && !x->size)
        x->size = az_path_stat(x->about.path.p).size;
    if (why != AZ_EINTR) {
        m->error[i] = write_part(m, o, x, diag);
        atomic_fetch_add(m->error[i] ? &m->failed : &m->written, 1);
    }
    if ((why || x->hook_failed) && !m->error[i])
        atomic_fetch_add(&m->failed, 1);
    x->part = NULL;
    x->messages = NULL;
    x->n_messages = 0;
    az_arena_reset(keep);
    return why == AZ_EINTR ? AZ_EINTR : AZ_OK;
}
