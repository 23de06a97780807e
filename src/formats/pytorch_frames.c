/* The longest Python frames of a trace whose frames are not kept: those that contain a whole loop,
 * which decide whether it is one of the program (docs/steps.md 3.6). A min-heap of fixed size, so
 * that memory does not grow with the stacks; most frames cost one comparison. */
#include "base/sort.h"
#include "formats/pytorch.h"

/* Is a the one to drop first: shorter, or equally long and later in the file? */
static bool less(const struct az_pt_frame *a, const struct az_pt_frame *b)
{
    const int64_t x = a->end - a->start, y = b->end - b->start;
    return x != y ? x < y : a->uid > b->uid;
}

static void sift_up(struct az_pt_frame *v, size_t i)
{
    while (i > 0 && less(&v[i], &v[(i - 1) / 2])) {
        const struct az_pt_frame x = v[i];
        v[i] = v[(i - 1) / 2];
        v[(i - 1) / 2] = x;
        i = (i - 1) / 2;
    }
}

static void sift_down(struct az_pt_frame *v, size_t n)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t c = 2 * i + 1; c <= 2 * i + 2 && c < n; c++)
            least = less(&v[c], &v[least]) ? c : least;
        if (least == i)
            return;
        const struct az_pt_frame x = v[i];
        v[i] = v[least];
        v[least] = x;
        i = least;
    }
}

int az_pt_frame_keep(struct az_pt_reader *r, const struct az_pt_frame *f)
{
    struct az_pt_frames *h = &r->long_frames;
    int rc = 0;
    if (h->n < AZ_PT_LONG_FRAMES) {
        rc = az_vec_push(h, *f);
        if (rc == 0)
            sift_up(h->v, h->n - 1);
    } else if (less(&h->v[0], f)) {
        h->v[0] = *f;
        sift_down(h->v, h->n);
    }
    if (rc == 0 && h->n == AZ_PT_LONG_FRAMES)
        r->long_enough = h->v[0].end - h->v[0].start;
    return rc;
}

/* The name of the function, without its file: "model.py(20): Block.forward". The end of a name that
 * is too long. */
static void set_name(struct az_pt_frame *f, struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV("): "));
    if (at >= 0)
        name = az_sv_make(name.p + at + 3, name.n - (size_t)at - 3);
    f->n = name.n < sizeof f->name ? (uint8_t)name.n : (uint8_t)sizeof f->name;
    memcpy(f->name, name.p + name.n - f->n, f->n);
}

int az_pt_frame_long(struct az_pt_reader *r, const struct az_pt_event *e, uint64_t pid,
                     uint64_t tid)
{
    struct az_pt_frame f = {
        .start = e->ts, .end = e->ts + e->dur, .pid = pid, .tid = tid, .uid = r->uid
    };
    struct az_sv name = e->name;
    if (e->name_escaped) {
        name = az_json_unescape(&r->scratch, name);
        if (!name.p)
            return az_arena_error(&r->scratch);
    }
    set_name(&f, name);
    return az_pt_frame_keep(r, &f);
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_pt_frame *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->uid < b->uid ? -1 : a->uid > b->uid;
}

/* Those of threads with other events; a thread of frames alone launches nothing. */
int az_pt_frames_finish(struct az_pt_reader *r)
{
    struct az_trace *t = r->trace;
    struct az_pt_frames *h = &r->long_frames;
    int rc = az_sort_cmp(h->v, h->n, sizeof *h->v, by_start, NULL, t->mem);
    for (size_t i = 0; rc == 0 && i < h->n; i++) {
        const struct az_pt_frame *f = &h->v[i];
        const uint32_t lane = az_map_get(&r->lanes, f->pid, f->tid);
        if (lane == AZ_NO_ID)
            continue;
        const struct az_sv name = az_arena_dup(&t->arena, az_sv_make(f->name, f->n));
        rc = name.p ? az_vec_push(&az_optrace(t)->long_frames,
                                  ((struct az_long_frame){ f->start, f->end, lane, name }))
                    : az_arena_error(&t->arena);
    }
    return rc;
}
