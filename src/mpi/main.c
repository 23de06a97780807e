/* analyzer-mpi: a run's report by the ranks of an MPI job (docs/cluster.md 4). Each rank maps its
 * share of the traces, by size; their parts travel to rank 0 in pieces, by MPI_Gatherv, which is a
 * tree over the nodes; rank 0 makes the report of them. A trace that cannot be read is named in the
 * report. A rank that dies ends the job, as MPI has it; what was mapped until then is not read
 * again by a second start of as many ranks. analyzer-mpi [MAP-OPTIONS] PATH... [-- REDUCE-OPTIONS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cmds/cmds.h"
#include "io/path.h"

#define PIECES ((size_t)64 << 20) /* bytes that rank 0 takes at a time */

struct job {
    int rank, ranks;
    char **map, **reduce; /* arguments of the two commands */
    int n_map, n_reduce;
    const char *parts; /* folder */
    char own[4096];    /* this rank's folder of parts */
    char merged[4096]; /* rank 0: the file of all */
    struct az_vec_char bytes;
    size_t sent;
};

static void *alloc_or_abort(size_t n, size_t size)
{
    void *p = az_mem_alloc(NULL, n * size + 1);
    if (!p) {
        fprintf(stderr, "analyzer-mpi: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    memset(p, 0, n * size + 1);
    return p;
}

/* The command lines of both steps; the option -o of the first is the folder of all parts. */
static bool split(struct job *j, int argc, char **argv)
{
    j->map = alloc_or_abort((size_t)argc + 8, sizeof *j->map);
    j->reduce = alloc_or_abort((size_t)argc + 8, sizeof *j->reduce);
    j->map[j->n_map++] = argv[0];
    static char map[] = "map", reduce[] = "reduce";
    j->map[j->n_map++] = map;
    j->reduce[j->n_reduce++] = argv[0];
    j->reduce[j->n_reduce++] = reduce;
    j->parts = "parts";
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            j->parts = argv[++i];
        else
            j->map[j->n_map++] = argv[i];
    }
    for (i++; i < argc; i++)
        j->reduce[j->n_reduce++] = argv[i];
    return j->n_map > 2;
}

static int map_share(struct job *j)
{
    static char task[64], o[] = "-o", t[] = "--task", one[] = "-j1";
    snprintf(j->own, sizeof j->own, "%s/%d-of-%d", j->parts, j->rank, j->ranks);
    snprintf(j->merged, sizeof j->merged, "%s/all-of-%d.part", j->parts, j->ranks);
    snprintf(task, sizeof task, "%d/%d", j->rank, j->ranks);
    char *const more[] = { o, j->own, t, task, one };
    for (size_t i = 0; i < AZ_LENGTH(more); i++)
        j->map[j->n_map++] = more[i];
    return az_command(j->n_map, j->map);
}

/* ---- parts as bytes ---- */

static int append(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct job *j = ctx;
    (void)depth;
    if (info->kind != AZ_PATH_FILE || !az_sv_ends(az_sv_str(path), AZ_SV(".part")))
        return 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? AZ_EIO : az_vec_reserve(&j->bytes, (size_t)info->size + 1);
    for (uint64_t left = info->size; rc == 0 && left > 0;) {
        const ssize_t n = read(fd, j->bytes.v + j->bytes.n, (size_t)left);
        if (n <= 0)
            rc = AZ_EIO;
        j->bytes.n += n > 0 ? (size_t)n : 0;
        left -= n > 0 ? (uint64_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

static int load_parts(struct job *j)
{
    const struct az_walk w = { .visit = append, .ctx = j };
    struct az_diag diag;
    az_diag_init(&diag);
    az_vec_init(&j->bytes, NULL);
    const int rc = az_path_stat(j->own).kind == AZ_PATH_DIR ? az_path_walk(j->own, &w, &diag) : 0;
    az_diag_release(&diag);
    return rc;
}

/* What each rank sends has its place in the file: those of lower ranks come before it. */
static bool gather(struct job *j)
{
    const size_t n = (size_t)j->ranks, piece = PIECES / n + 1;
    uint64_t own = j->bytes.n, most = 0;
    uint64_t *all = alloc_or_abort(n, sizeof *all), *at = alloc_or_abort(n, sizeof *at);
    int *counts = alloc_or_abort(n, sizeof *counts), *places = alloc_or_abort(n, sizeof *places);
    char *in = j->rank == 0 ? alloc_or_abort(n, piece) : NULL;
    int fd = -1, good = 1;

    MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (size_t r = 0; r < n; r++) {
        at[r] = r ? at[r - 1] + all[r - 1] : 0;
        most = all[r] > most ? all[r] : most;
        places[r] = (int)(r * piece);
    }
    if (j->rank == 0)
        good = (fd = open(j->merged, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) >= 0;
    for (uint64_t from = 0; from < most; from += piece) {
        for (size_t r = 0; r < n; r++) {
            const uint64_t left = all[r] > from ? all[r] - from : 0;
            counts[r] = (int)(left < piece ? left : piece);
        }
        MPI_Gatherv(own > from ? j->bytes.v + from : NULL, counts[j->rank], MPI_BYTE, in, counts,
                    places, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (size_t r = 0; j->rank == 0 && r < n; r++)
            good = good && pwrite(fd, in + places[r], (size_t)counts[r], (off_t)(at[r] + from)) ==
                               counts[r];
    }
    if (fd >= 0 && close(fd) != 0)
        good = 0;
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    az_mem_free(NULL, all, n * sizeof *all + 1);
    az_mem_free(NULL, at, n * sizeof *at + 1);
    az_mem_free(NULL, counts, n * sizeof *counts + 1);
    az_mem_free(NULL, places, n * sizeof *places + 1);
    if (in)
        az_mem_free(NULL, in, n * piece + 1);
    return good;
}

/* Status 2 of a share without files is none of the run: there are more ranks than traces. */
static int worst(const struct job *j, int status)
{
    int all = 0, mine = status == 2 && j->rank > 0 ? 0 : status;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    struct job j = { .rank = 0 };
    int status;

    az_mem_trim();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
    if (!split(&j, argc, argv)) {
        if (j.rank == 0)
            fprintf(stderr, "usage: analyzer-mpi [-o PARTS] [MAP-OPTION...] PATH... "
                            "[-- REDUCE-OPTION...]\n");
        MPI_Finalize();
        return 2;
    }
    status = worst(&j, map_share(&j));
    if (status != 0 && status != 3) {
        MPI_Finalize();
        return j.rank == 0 ? status : 0;
    }
    if (load_parts(&j) != 0) {
        fprintf(stderr, "analyzer-mpi: rank %d: %s: cannot read its parts\n", j.rank, j.own);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    const bool good = gather(&j);
    az_vec_release(&j.bytes);
    if (!good && j.rank == 0)
        fprintf(stderr, "analyzer-mpi: %s: cannot write\n", j.merged);
    status = good ? 0 : 3;
    if (good && j.rank == 0) {
        j.reduce[j.n_reduce++] = j.merged;
        status = az_main(j.n_reduce, j.reduce);
    }
    MPI_Finalize();
    return j.rank == 0 ? status : 0;
}
