/* Sessions of one folder: see the header. */
#include "read/rank_sessions.h"

#include <string.h>

#include "base/intern.h"
#include "base/num.h"
#include "base/sort.h"
#include "io/path.h"
#include "io/source.h"

#define LONG_NUMBER 9 /* digits: a time, which differs between the ranks of one session */
#define MOST_FIELDS 8 /* further numbers of a name are ignored */
#define HEAD        ((size_t)256 << 10) /* metadata come before the events */

struct parsed {
    struct az_session_file *file;
    int64_t rank; /* below -1: a worker whose rank is not known */
    int64_t time; /* -1: none in its name */
    struct az_sv time_text;
    int64_t
        field[MOST_FIELDS + 1]; /* of the name without numbers, its id; then its short numbers */
    struct az_sv text[MOST_FIELDS + 1]; /* of each field, with the word before it */
    size_t n_fields;
    uint32_t key; /* of its session, before times are compared */
};

struct parting {
    struct az_arena *a;
    struct parsed *v;
    size_t n;
    struct az_intern skeletons, workers, keys;
    size_t most; /* files of one rank */
    size_t by;   /* field that files are sorted by */
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

/* The number of a member of distributedInfo; -1: none. */
static int64_t number_after(struct az_sv head, struct az_sv key)
{
    int64_t number = -1;
    const ptrdiff_t at = az_sv_find(head, key);
    size_t i = at < 0 ? head.n : (size_t)at + key.n;
    while (i < head.n && memchr(" \t\n\r:", head.p[i], 5))
        i++;
    size_t end = i;
    while (end < head.n && is_digit(head.p[end]))
        end++;
    if (end == i || az_parse_i64(az_sv_make(head.p + i, end - i), &number) != 0 ||
        number > AZ_RANK_MOST)
        return -1;
    return number;
}

int64_t az_rank_peek(const char *path, int64_t *world)
{
    const struct az_source_opts o = { .window = HEAD };
    struct az_source *src = NULL;
    struct az_sv head = AZ_SV("");
    int64_t rank = -1;

    *world = -1;
    if (az_source_open(&src, path, &o) == AZ_OK && az_source_peek(src, HEAD, &head) == AZ_OK) {
        const ptrdiff_t at = az_sv_find(head, AZ_SV("\"distributedInfo\""));
        head = at < 0 ? AZ_SV("") : az_sv_make(head.p + at, head.n - (size_t)at);
        rank = number_after(head, AZ_SV("\"rank\""));
        *world = number_after(head, AZ_SV("\"world_size\""));
    }
    az_source_close(src);
    return rank;
}

/* A short number and the word before it, as "step_8". */
static void add_field(struct parsed *p, struct az_sv base, size_t from, size_t end)
{
    size_t word = from;
    if (p->n_fields > MOST_FIELDS ||
        az_parse_i64(az_sv_make(base.p + from, end - from), &p->field[p->n_fields]) != 0)
        return;
    if (word > 0 && !is_word(base.p[word - 1]))
        word--;
    while (word > 0 && is_word(base.p[word - 1]) && !is_digit(base.p[word - 1]))
        word--;
    if (word < from && !is_word(base.p[word]))
        word = from;
    p->text[p->n_fields++] = az_sv_make(base.p + word, end - word);
}

static void set_time(struct parsed *p, struct az_sv digits)
{
    if (az_parse_i64(digits, &p->time) == 0)
        p->time_text = digits;
    else
        p->time = -1;
}

/* Host and process in a name of the profiler's own handler; empty: it is none. */
static struct az_sv worker_in(struct az_sv base)
{
    size_t n = az_rank_host_in_name(base, -1).n;
    while (n > 0 && n < base.n && base.p[n] != '.')
        n++;
    return az_sv_make(base.p, n);
}

/* The name without the rank, numbers as #, times omitted. Of the handler's names the head is the
 * worker. */
static int parse(struct parting *s, struct parsed *p)
{
    static const char *const ends[] = { ".gz", ".zst", ".json", ".trace", ".pt" };
    struct az_session_file *f = p->file;
    struct az_sv base = az_path_base(f->path);
    const struct az_sv worker = f->named ? AZ_SV("") : worker_in(base);
    char *text = az_arena_str(s->a, base);
    size_t n = 0;
    uint32_t id = 0;
    int rc = text ? AZ_OK : az_arena_error(s->a);

    for (size_t k = 0; k < AZ_LENGTH(ends); k++)
        if (az_sv_ends(base, az_sv_str(ends[k])))
            base.n -= strlen(ends[k]);
    p->time = -1;
    p->n_fields = 1;
    for (size_t i = worker.n, end; rc == 0 && i < base.n; i = end) {
        end = i + 1;
        if (f->named && f->at.end && i == f->at.start) {
            end = f->at.end;
            continue;
        }
        while (is_digit(base.p[i]) && end < base.n && is_digit(base.p[end]))
            end++;
        if (!is_digit(base.p[i]))
            text[n++] = base.p[i];
        else if (end - i >= LONG_NUMBER)
            set_time(p, az_sv_make(base.p + i, end - i));
        else if (!worker.n) {
            add_field(p, base, i, end);
            text[n++] = '#';
        }
    }
    f->skeleton = az_sv_make(text, n);
    if (rc == 0)
        rc = az_intern(&s->skeletons, f->skeleton, &id);
    p->field[0] = id;
    p->text[0] = f->skeleton;
    p->rank = f->rank;
    if (rc == 0 && f->rank < 0 && worker.n)
        rc = az_intern(&s->workers, worker, &id);
    if (f->rank < 0)
        p->rank = worker.n ? -2 - (int64_t)id : -1;
    return rc;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
    const int64_t u = ((const struct parsed *)x)->rank, v = ((const struct parsed *)y)->rank;
    (void)ctx;
    return u < v ? -1 : u > v;
}

static int by_field(const void *x, const void *y, void *ctx)
{
    const struct parting *s = ctx;
    const int64_t u = ((const struct parsed *)x)->field[s->by],
                  v = ((const struct parsed *)y)->field[s->by];
    return u < v ? -1 : u > v;
}

static size_t most_of_a_rank(struct parting *s)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < s->n; i++) {
        run = i && s->v[i].rank == s->v[i - 1].rank ? run + 1 : 1;
        most = s->v[i].rank != -1 && run > most ? run : most;
    }
    return most;
}

/* Is this field the same for the ranks of a session? It varies within a rank, and has no more
 * values than a rank has files: a process id has. */
static bool tells_session(struct parting *s, size_t field)
{
    size_t values = 1;
    bool varies = false;
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_rank, NULL, NULL);
    for (size_t i = 1; i < s->n; i++)
        varies |= s->v[i].rank == s->v[i - 1].rank && s->v[i].rank != -1 &&
                  s->v[i].field[field] != s->v[i - 1].field[field];
    s->by = field;
    if (varies)
        az_sort_cmp(s->v, s->n, sizeof *s->v, by_field, s, NULL);
    for (size_t i = 1; varies && i < s->n; i++)
        values += s->v[i].field[field] != s->v[i - 1].field[field];
    return varies && values <= s->most;
}

/* Of names that differ in a text, what differs: whole words. */
static void shorten_skeletons(struct parting *s)
{
    const struct az_sv first = s->v[0].text[0];
    size_t head = first.n, tail = first.n;
    for (size_t i = 1; i < s->n; i++) {
        const struct az_sv t = s->v[i].text[0];
        size_t h = 0, e = 0;
        while (h < head && h < t.n && t.p[h] == first.p[h])
            h++;
        while (e < tail && e < t.n - h && e < first.n - h &&
               t.p[t.n - 1 - e] == first.p[first.n - 1 - e])
            e++;
        head = h;
        tail = e;
    }
    while (head > 0 && is_word(first.p[head - 1]))
        head--;
    while (tail > 0 && is_word(first.p[first.n - tail]))
        tail--;
    for (size_t i = 0; i < s->n; i++) {
        struct az_sv *t = &s->v[i].text[0];
        *t = t->n > head + tail ? az_sv_make(t->p + head, t->n - head - tail) : AZ_SV("");
        while (t->n && strchr("_-. #", t->p[0]))
            *t = az_sv_make(t->p + 1, t->n - 1);
        while (t->n && strchr("_-. #", t->p[t->n - 1]))
            t->n--;
    }
}

static void add_label(struct parting *s, struct parsed *p, struct az_sv text)
{
    struct az_sv *label = &p->file->session;
    if (text.n)
        *label = label->n ? az_arena_printf(s->a, "%.*s_%.*s", AZ_SVF(*label), AZ_SVF(text))
                          : az_arena_dup(s->a, text);
}

/* Numbers and texts of the names that distinguish sessions become part of their labels. */
static int label_fields(struct parting *s)
{
    int rc = AZ_OK;
    for (size_t f = 0; f <= MOST_FIELDS; f++) {
        if (!tells_session(s, f))
            continue;
        if (f == 0)
            shorten_skeletons(s);
        for (size_t i = 0; i < s->n; i++)
            add_label(s, &s->v[i], s->v[i].text[f]);
    }
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        struct az_sv label = s->v[i].file->session;
        rc = s->a->failed ? az_arena_error(s->a) : az_intern(&s->keys, label, &s->v[i].key);
    }
    return rc;
}

static int by_key_and_rank(const void *x, const void *y, void *ctx)
{
    const struct parsed *a = x, *b = y;
    (void)ctx;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct parsed *a = x, *b = y;
    (void)ctx;
    return a->time < b->time ? -1 : a->time > b->time;
}

/* One key: the files of a rank that are left are sessions after each other. Those of the ranks of a
 * session are closer together than half of what is between two files of a rank. */
static int label_times(struct parting *s, struct parsed *v, size_t n)
{
    int64_t least = INT64_MAX;
    struct az_map in_session; /* ranks */
    for (size_t i = 1; i < n; i++)
        if (v[i].rank == v[i - 1].rank && v[i].rank != -1) {
            const int64_t apart = v[i].time - v[i - 1].time;
            if (v[i - 1].time < 0)
                return AZ_OK; /* times do not distinguish them */
            least = apart < least ? apart : least;
        }
    if (least == INT64_MAX)
        return AZ_OK;
    az_sort_cmp(v, n, sizeof *v, by_time, NULL, NULL);
    int rc = 0;
    az_map_init(&in_session, NULL, 0);
    size_t first = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&in_session, (uint64_t)v[i].rank, 0, (uint32_t)i, &at, &added);
        const bool again = rc == 0 && !added && *at >= first && v[i].rank != -1;
        if (i == 0 || again || v[i].time - v[first].time > least / 2)
            first = i;
        if (rc == 0)
            *at = (uint32_t)i;
        add_label(s, &v[i], v[first].time_text);
    }
    az_map_release(&in_session);
    return rc ? rc : s->a->failed ? az_arena_error(s->a) : AZ_OK;
}

static int split_sessions(struct parting *s)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < s->n; i++)
        rc = parse(s, &s->v[i]);
    if (rc == 0)
        az_sort_cmp(s->v, s->n, sizeof *s->v, by_rank, NULL, NULL);
    s->most = most_of_a_rank(s);
    if (rc || s->most < 2)
        return rc;
    rc = label_fields(s);
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_key_and_rank, NULL, NULL);
    for (size_t i = 0, k; rc == 0 && i < s->n; i = k) {
        for (k = i + 1; k < s->n && s->v[k].key == s->v[i].key;)
            k++;
        rc = label_times(s, s->v + i, k - i);
    }
    return rc;
}

/* Else a rank occurs twice by the names, or some have none: the metadata have more. */
static bool names_suffice(const struct az_session_file *v, size_t n)
{
    struct az_map seen;
    bool suffice = true;
    az_map_init(&seen, NULL, 0);
    for (size_t i = 0; suffice && i < n; i++) {
        uint32_t *at;
        bool added = false;
        suffice = v[i].rank >= 0 &&
                  az_map_put(&seen, (uint64_t)v[i].rank, 0, 0, &at, &added) == AZ_OK && added;
    }
    az_map_release(&seen);
    return suffice;
}

/* Ranks of one number of ranks, by their metadata alone and each once, are one run, whatever their
 * names are. */
static bool metadata_suffice(const struct az_session_file *v, size_t n, const int64_t *world)
{
    bool suffice = n > 1 && world[0] >= (int64_t)n && names_suffice(v, n);
    for (size_t i = 0; suffice && i < n; i++)
        suffice = !v[i].named && world[i] == world[0] && v[i].rank < world[0];
    return suffice;
}

int az_rank_sessions_part(struct az_session_file *v, size_t n, struct az_arena *a)
{
    struct parting s = { .a = a, .n = n };
    const bool peek = n > 1 && !names_suffice(v, n);
    int64_t *world = az_arena_array(a, n + 1, sizeof *world);
    int rc;

    if (!world)
        return az_arena_error(a);
    for (size_t i = 0; i < n; i++) {
        world[i] = -1;
        const int64_t said = peek ? az_rank_peek(v[i].path.p, &world[i]) : -1;
        v[i].rank = said >= 0 ? said : v[i].rank;
        v[i].session = v[i].skeleton = AZ_SV("");
    }
    s.v = az_arena_array(a, n + 1, sizeof *s.v);
    if (!s.v)
        return az_arena_error(a);
    az_intern_init(&s.skeletons, a, NULL);
    az_intern_init(&s.workers, a, NULL);
    az_intern_init(&s.keys, a, NULL);
    for (size_t i = 0; i < n; i++)
        s.v[i] = (struct parsed){ .file = &v[i] };
    rc = split_sessions(&s);
    const bool numbered = rc == 0 && peek && metadata_suffice(v, n, world);
    for (size_t i = 0; numbered && i < n; i++)
        v[i].skeleton = AZ_SV("");
    az_intern_release(&s.skeletons);
    az_intern_release(&s.workers);
    az_intern_release(&s.keys);
    return rc;
}
