/* Contract of an input format: recognize a file from its first bytes, and parse it into a trace. */
#ifndef AZ_FORMATS_FORMAT_H
#define AZ_FORMATS_FORMAT_H

#include "io/source.h"
#include "model/options.h"
#include "model/trace.h"

struct az_file {
    struct az_sv path; /* NUL-terminated */
    struct az_sv role; /* "kernel_sum", "nvtx_proj_trace", "mem_time_sum"; empty: by content */
    bool optional;     /* unreadable: a warning, not a failure */
    struct az_sv part; /* a rank that is kept (read/part_file.h): the file that has its part, which
                          is read instead; NUL-terminated; empty: none */
    uint64_t at, length; /* of its part in that file; length 0: there should be one, and is none */
};
AZ_VEC(struct az_file, az_files);

struct az_parse {
    const struct az_file *files; /* of one trace */
    size_t n_files;
    const struct az_options *opts;
    struct az_trace *trace;
    struct az_diag *diag;
    struct az_mem *mem;
    unsigned threads;             /* threads this job may use (>= 1) */
    _Atomic uint64_t *progress;   /* bytes read so far, for the progress line; may be NULL */
    bool (*cancelled)(void *ctx); /* poll now and then; NULL: never */
    void *ctx;
    struct az_digest *const
        *digests; /* one per file, for az_source_opts.digest of who reads it whole; may be NULL */
};
static inline struct az_digest *az_parse_digest(const struct az_parse *p, size_t file)
{
    return p->digests ? p->digests[file] : NULL;
}

/* A part of a profile, written in its own format. */
struct az_window;
enum { AZ_CUT_KERNELS = 1, AZ_CUT_OPS = 2, AZ_CUT_PYTHON = 4, AZ_CUT_ALL = 7 };
struct az_cut {
    struct az_sv in;                /* NUL-terminated; a regular file: it is read twice */
    const struct az_file *files;    /* with cuts_sets: of one trace, `in` is the first */
    size_t n_files;                 /* 0: `in` only */
    const char *out;                /* compressed where its name ends so; with cuts_sets a folder */
    const struct az_window *window; /* NULL: all of the recording */
    unsigned keep;                  /* AZ_CUT_*: device work with its calls, operators, frames */
    struct az_sv extra;             /* events to add, for viewers: objects with commas between */
    const struct az_options *opts;
    struct az_diag *diag;
    struct az_mem *mem;
    bool (*cancelled)(void); /* polled; NULL: never */
    uint64_t read, kept;     /* events; results */
};

struct az_format {
    const char *name; /* as in a config: "nsys-sqlite" */
    const char *help; /* one line */
    const char *const
        *aliases;         /* further names accepted in a config, NULL-terminated; may be NULL */
    bool files_are_ranks; /* several files: one trace each; else one trace of all files */
    bool ranks_reduced;   /* several files: ranks, each reduced (analyses/ranks/ranks.h) and given
                             back */
    bool files_are_hosts; /* files whose names differ in the host only (host0, host1) are one run,
                             and one trace. Digits alone are no evidence: the writer puts the time
                             into the names of different runs */
    bool one_file;        /* paths on the command line are inputs of their own */
    /* With files_are_ranks: is a file of this name a trace of its own? The others of one input are
     * one trace together. NULL: every file is. */
    bool (*is_rank)(struct az_sv path);
    /* Stem that the profiler itself numbers: "report1", "report2" are recordings one after the
     * other, and no ranks. NULL: none. */
    const char *numbered;
    bool processes; /* files of one folder with a process id as stem are one run, and one trace */
    /* With processes: the machine that a file was recorded on; empty: the file does not name it.
     * Folders of one machine are no hosts of one run. */
    int (*machine)(struct az_sv path, struct az_arena *a, struct az_sv *machine);
    bool converts;         /* starts another program, which makes of the file what is parsed */
    unsigned text_classic; /* stdout is the classic block by default */
    unsigned tool; /* AZ_TOOL_* (model/options.h): whose tables the users of this format expect; 0:
                      none */
    /* What to record so that idle time of a device shows what the host did; an imperative sentence.
     * NULL: nothing more can be recorded. */
    const char *record_host;
    /* The same of a trace without operators of the host, where that is a choice when recording;
     * NULL: record_host. */
    const char *record_operators;
    /* How sure is it that this is mine: 0..100. Pure: only these bytes (decompressed) and the name.
     */
    int (*probe)(struct az_sv head, struct az_sv path);
    /* Fills job->trace (initialized, not sealed) and its caps. 0, or an error with its message in
     * diag. A tolerated defect is a warning and a count in trace->drops. */
    int (*parse)(struct az_parse *job) AZ_MUST_USE;
    /* Writes the window of a file as a file of this format. A message in diag, and nothing is
     * written unless it returns 0. NULL: it cannot. */
    int (*cut)(struct az_cut *cut);
    /* May a cut of a file of this name have az_cut.extra, events as viewers of Chrome traces read
     * them? NULL: none may. */
    bool (*cut_extra)(struct az_sv path);
    /* Is a file of this name one of several of a trace, which are cut together into a folder, under
     * their names? NULL: none is. */
    bool (*cuts_sets)(struct az_sv path);
    /* Name of the report of a set of files, from the first file's base name: stem with
     * format-specific suffixes cut (nsys CSV:
     * `_cuda_gpu_kern_sum`). NULL: az_path_stem. */
    struct az_sv (*stem)(struct az_sv path);
    /* Folders of runs, for formats whose profiler writes one; NULL: none. `run_folder` is a glob,
     * as plugins, profile and any name: a folder with this tail is one run. It is also searched
     * below a folder that is given. */
    const char *run_folder;
    const char *run_files;  /* glob of its files in such a folder */
    const char *companions; /* name of a folder whose files belong to the traces next to it: omitted
                           where a folder is searched */
    /* For databases: is a table of this name one of the format's? NULL: others. */
    bool (*knows_table)(struct az_sv name);
    /* Files that may repeat another one of the same folder, and are omitted then: by an ending,
     * where the name is the same but for it; by a whole name, whatever the other's. NULL: none. */
    const char *twin, *copy;
    bool reads_folder; /* a file names a set: the others of its folder are read, too */
};

#endif
