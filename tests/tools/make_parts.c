/* Parts of the ranks of a made-up run of any size, from the part of one rank: what a report of many
 * ranks costs, without the traces. make_parts PART OUT KEY=VALUE...
 *   ranks    how many; a file OUT-<k>.part for each `per_file` of them
 *   per_host ranks of a host; the group of that name has these as its members
 *   world    full: the group of all lists its members in each part, as a small run's traces do;
 *            cut: as the profiler writes the list of a large group, the first ones and the last
 *   local    often: all collectives but those of one kind are of a host
 * Every part is that of the given rank but for its number, path and host, the groups of its
 * collectives, and that it arrives up to 20 us later at each, by its number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/collectives/collectives.h"
#include "io/outfile.h"
#include "read/part_file.h"

static int64_t ranks = 1024, per_host = 8, per_file = 1024;
static bool full = true, often;

static struct az_sv list(struct az_arena *a, int64_t from, int64_t to, bool all)
{
    struct az_vec_char t;
    struct az_sv text;
    int rc;
    az_vec_init(&t, NULL);
    rc = az_text_append(&t, AZ_SV("["));
    for (int64_t r = from; rc == 0 && r < to; r++) {
        if (!all && r == from + 29 && r < to - 1) {
            rc = az_text_append(&t, AZ_SV(", ..."));
            r = to - 1;
        }
        if (rc == 0)
            rc = az_text_printf(&t, "%s%" PRId64, r > from ? ", " : "", r);
    }
    if (rc == 0)
        rc = az_text_append(&t, AZ_SV("]"));
    text = rc ? (struct az_sv){ NULL, 0 } : az_arena_dup(a, az_text_view(&t));
    az_vec_release(&t);
    return text;
}

static void groups_of(struct az_coll_part *p, struct az_sv world, struct az_arena *a, int64_t r)
{
    const int64_t host = r / per_host * per_host;
    for (size_t i = 0; i < p->n_what; i++) {
        struct az_coll_what *w = &p->what[i];
        const bool local = often ? i > 0 : i % 2;
        w->group = local ? AZ_SV("tp") : AZ_SV("0");
        w->size = local ? per_host : ranks;
        w->ranks = local ? list(a, host, host + per_host, true) : world;
    }
}

/* All its collectives begin later, and end and are launched as they are. */
static void arrive(struct az_coll_part *p, int64_t late)
{
    p->start.base += (uint64_t)late;
    p->length.base -= (uint64_t)late;
    p->lead.base += (uint64_t)late;
}

static struct az_coll_part *collectives(const struct az_input_rank *x)
{
    for (size_t k = 0; az_rank_analyses[k]; k++)
        if (strcmp(az_rank_analyses[k]->name, "collectives") == 0)
            return x->part[k];
    return NULL;
}

static int write_all(const struct az_plan_job *job, struct az_input_rank *x, const char *out,
                     struct az_diag *diag)
{
    struct az_arena a, one;
    struct az_outfile *f = NULL;
    struct az_vec_char image;
    struct az_coll_part *p = collectives(x);
    char name[4096];
    int rc = 0;

    az_arena_init(&a, NULL);
    az_arena_init(&one, NULL);
    az_vec_init(&image, NULL);
    const struct az_sv world = list(&a, 0, ranks, full);
    for (int64_t r = 0; rc == 0 && r < ranks; r++) {
        const int64_t late = r * 7919 % 20000;
        if (r % per_file == 0) {
            snprintf(name, sizeof name, "%s-%05" PRId64 ".part", out, r / per_file);
            rc = f ? az_outfile_commit(f) : 0;
            rc = rc ? rc : az_outfile_open(&f, name, diag);
        }
        x->about.rank = x->by_name = r;
        x->about.world_size = ranks;
        x->about.path = az_arena_printf(&one, "/run/rank%" PRId64 "_trace.json", r);
        x->about.host = az_arena_printf(&one, "host%" PRId64, r / per_host);
        if (p)
            groups_of(p, world, &one, r);
        if (p)
            arrive(p, late);
        image.n = 0;
        if (rc == 0)
            rc = az_part_image(job, x, &image, NULL);
        if (rc == 0)
            az_outfile_write(f, image.v, image.n);
        if (p)
            arrive(p, -late);
        az_arena_reset(&one);
    }
    if (f)
        rc = rc ? rc : az_outfile_commit(f);
    az_vec_release(&image);
    az_arena_release(&one);
    az_arena_release(&a);
    return rc;
}

int main(int argc, char **argv)
{
    struct az_plan_job job = { .format = az_format_find(AZ_SV("pytorch")) };
    struct az_input in = { .title = AZ_SV("made up") };
    struct az_part_places places;
    struct az_input_rank x = { .by_name = -1 };
    struct az_result res;
    struct az_diag diag;
    int rc;

    if (argc < 3)
        return 2;
    for (int i = 3; i < argc; i++) {
        ranks = strncmp(argv[i], "ranks=", 6) == 0 ? atoll(argv[i] + 6) : ranks;
        per_host = strncmp(argv[i], "per_host=", 9) == 0 ? atoll(argv[i] + 9) : per_host;
        per_file = strncmp(argv[i], "per_file=", 9) == 0 ? atoll(argv[i] + 9) : per_file;
        often = often || strcmp(argv[i], "local=often") == 0;
        full = strncmp(argv[i], "world=", 6) == 0 ? strcmp(argv[i] + 6, "full") == 0 : full;
    }
    az_options_default(&in.opts, NULL);
    az_result_init(&res, 0);
    az_diag_init(&diag);
    az_vec_init(&places, NULL);
    job.input = &in;
    struct az_input_run one = { .job = &job, .res = &res, .diag = &diag };
    rc = az_part_list(argv[1], &res.arena, &places, &diag);
    if (rc == 0 && places.n) {
        const struct az_file f = { .path = places.v[0].path,
                                   .part = places.v[0].file,
                                   .at = places.v[0].at,
                                   .length = places.v[0].length };
        rc = az_part_rank(&one, &f, &res.arena, NULL, NULL, &x);
        x.state = rc ? AZ_RANK_FAILED : AZ_RANK_THERE;
    }
    if (rc == 0)
        rc = write_all(&job, &x, argv[2], &diag);
    for (size_t i = 0; i < diag.list.n; i++)
        fprintf(stderr, "%.*s\n", AZ_SVF(diag.list.v[i].text));
    az_vec_release(&places);
    az_diag_release(&diag);
    az_result_release(&res);
    az_options_release(&in.opts);
    return rc != 0;
}
