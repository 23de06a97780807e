/* Names in the file system: joining, globs, walking. */
#ifndef AZ_IO_PATH_H
#define AZ_IO_PATH_H

#include "base/diag.h"

/* Last component; directory part ("." if none); name without `.gz` and its last extension. Views
 * into `path`. */
struct az_sv az_path_base(struct az_sv path);
struct az_sv az_path_dir(struct az_sv path);
struct az_sv az_path_stem(struct az_sv path);
/* Without the ending of a compressed file, .gz or .zst, if it has one. */
struct az_sv az_path_unpacked(struct az_sv path);
/* dir + "/" + name in the arena (name alone if it is absolute or dir is empty). NUL-terminated. */
struct az_sv az_path_join(struct az_arena *a, struct az_sv dir, struct az_sv name);
/* Absolute path by name: "." and ".." resolved, links not. In the arena, NUL-terminated; AZ_EIO
 * leaves errno. */
int az_path_absolute(struct az_arena *a, struct az_sv path, struct az_sv *out) AZ_MUST_USE;
/* Canonical absolute path even if the last components do not exist yet; for "is this the same
 * file". */
int az_path_canonical(struct az_arena *a, const char *path, struct az_sv *out) AZ_MUST_USE;

enum az_path_kind { AZ_PATH_MISSING, AZ_PATH_FILE, AZ_PATH_DIR, AZ_PATH_OTHER };
struct az_path_info {
    enum az_path_kind kind;
    uint64_t size;
    int64_t mtime_ns;
    uint64_t dev, ino;
    int error; /* errno of what is MISSING */
};
/* Never fails: MISSING with errno left set, too. */
struct az_path_info az_path_stat(const char *path);
/* May something be there that could not be checked (not permitted, a disk that fails)? Not where
 * nothing is: a link that leads nowhere, what is gone since its folder was read. */
bool az_path_is_unread(const struct az_path_info *info);
/* Standard input ("-"), a pipe, a device: has no name to write next to and can be read once. NUL-
 * terminated. */
bool az_path_is_stream(struct az_sv path);
/* mkdir -p. */
int az_path_mkdirs(const char *path, struct az_diag *diag) AZ_MUST_USE;

bool az_path_is_glob(struct az_sv pattern); /* holds * ? or [ */
/* All matches of `*`, `?`, `[..]`, `**` (any depth, symlinked directories are not entered by `**`),
 * sorted bytewise, in the arena, NUL-terminated. Dot files only where the pattern's component
 * starts with a dot. No match: 0 and an empty list. `**` as the last component matches files and
 * folders at any depth; a pattern ending in "/" matches folders only. AZ_ERANGE: more than 63
 * components from the first wildcard on. */
int az_path_glob(struct az_arena *a, struct az_sv pattern, struct az_vec_sv *out) AZ_MUST_USE;

/* Walks a tree depth first, entries of a folder sorted bytewise; a folder already seen (dev, ino)
 * is not entered again, so symlink loops end; with `aliases` a folder is entered by each of its
 * names, but not inside itself (AZ_ERANGE with a message where that makes more than AZ_WALK_MOST
 * folders after links). `visit` returns 0 to go on, 1 not to enter this folder, negative to stop
 * with that code. The root folder itself is not visited; its entries have depth 1. A root that is a
 * file is visited once, depth 0. A link counts as what it points to (MISSING if nothing); folders
 * after links are entered only with follow_links. A folder that cannot be read is a warning; a root
 * that cannot be read is AZ_EIO. Paths are root + "/" + names. */
#define AZ_WALK_MOST 20000
struct az_walk {
    bool follow_links, hidden, aliases;
    unsigned max_depth; /* 0: none */
    int (*visit)(void *ctx, const char *path, const struct az_path_info *info, unsigned depth);
    void *ctx;
};
int az_path_walk(const char *root, const struct az_walk *w, struct az_diag *diag) AZ_MUST_USE;

#endif
