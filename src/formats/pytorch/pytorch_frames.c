/* The longest Python frames of a trace whose frames are not stored: those that contain a whole
 * loop, which decide whether it is one of the program (docs/steps.md 3.6). A min-heap of fixed
 * size, so that memory does not grow with the stacks; most frames cost one comparison. */
#include "base/sort.h"
#include "formats/pytorch/pytorch.h"

/* Is a the one to drop first: shorter, or equally long and later in the file? */
static bool is_dropped_first(const struct az_pytorch_heap_item *a,
                             const struct az_pytorch_heap_item *b)
{
    return a->length != b->length ? a->length < b->length : a->uid > b->uid;
}

static void sift_up(struct az_pytorch_heap_item *v, size_t i, struct az_pytorch_heap_item x)
{
    while (i > 0 && is_dropped_first(&x, &v[(i - 1) / 2])) {
        v[i] = v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    v[i] = x;
}

static void sift_down(struct az_pytorch_heap_item *v, size_t n, struct az_pytorch_heap_item x)
{
    size_t i = 0;
    for (size_t c = 1; c < n; c = 2 * i + 1) {
        c += c + 1 < n && is_dropped_first(&v[c + 1], &v[c]);
        if (!is_dropped_first(&v[c], &x))
            break;
        v[i] = v[c];
        i = c;
    }
    v[i] = x;
}

/* The place of a frame of that length, which is one of the longest; NULL: it is none. */
static struct az_pytorch_frame *place_for(struct az_pytorch_reader *r, int64_t length, uint32_t uid,
                                          int *rc)
{
    struct az_pytorch_frames *f = &r->long_frames;
    struct az_pytorch_heap_item x = { length, uid, (uint32_t)f->n };
    if (f->n < AZ_PYTORCH_LONG_FRAMES) {
        *rc = az_vec_push(f, ((struct az_pytorch_frame){ .uid = uid }));
        if (*rc)
            return NULL;
        sift_up(r->heap, x.at, x);
    } else if (is_dropped_first(&r->heap[0], &x)) {
        x.at = r->heap[0].at;
        sift_down(r->heap, f->n, x);
    } else {
        return NULL;
    }
    r->long_enough = f->n == AZ_PYTORCH_LONG_FRAMES ? r->heap[0].length : 0;
    return &f->v[x.at];
}

int az_pytorch_frame_add(struct az_pytorch_reader *r, const struct az_pytorch_frame *f)
{
    int rc = 0;
    struct az_pytorch_frame *to = place_for(r, f->end - f->start, f->uid, &rc);
    if (to)
        *to = *f;
    return rc;
}

/* The name of the function, without its file: "model.py(20): Block.forward". The end of a name that
 * is too long. */
static void set_name(struct az_pytorch_frame *f, struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV("): "));
    if (at >= 0)
        name = az_sv_make(name.p + at + 3, name.n - (size_t)at - 3);
    f->n = name.n < sizeof f->name ? (uint8_t)name.n : (uint8_t)sizeof f->name;
    if (f->n) /* an event without a name has no text at all */
        memcpy(f->name, name.p + name.n - f->n, f->n);
}

int az_pytorch_frame_long(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          uint64_t pid, uint64_t tid)
{
    int rc = 0;
    struct az_sv name = e->name;
    struct az_pytorch_frame *f = place_for(r, e->dur, r->uid, &rc);
    if (!f)
        return rc;
    if (e->name_escaped) {
        name = az_json_unescape(&r->scratch, name);
        if (!name.p)
            return az_arena_error(&r->scratch);
    }
    f->start = e->ts;
    f->end = e->ts + e->dur;
    f->pid = pid;
    f->tid = tid;
    f->uid = r->uid;
    set_name(f, name);
    return 0;
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_pytorch_frame *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->uid < b->uid ? -1 : a->uid > b->uid;
}

/* Those of threads with other events; a thread of frames alone launches nothing. */
int az_pytorch_frames_finish(struct az_pytorch_reader *r)
{
    struct az_trace *t = r->trace;
    struct az_pytorch_frames *h = &r->long_frames;
    int rc = 0;
    az_sort_cmp(h->v, h->n, sizeof *h->v, by_start, NULL, t->mem);
    for (size_t i = 0; rc == 0 && i < h->n; i++) {
        const struct az_pytorch_frame *f = &h->v[i];
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
