/* The parts of a rank as a file, and back. */
#include "read/part_file.h"

#include <string.h>

#include "base/struct_layout.h"
#include "io/sections.h"

#define BEGINNING  16384 /* bytes of an image in which its table and its source usually are */
#define MOST_NAMED 6     /* options that differ, in a message */

/* ---- content of the sections of a rank ---- */

struct source {
    struct az_sv path, format, hex;
    uint64_t bytes;
    bool failed;
    struct az_sv *option; /* that its reducing depended on */
    size_t n_options;
};
struct message {
    uint32_t severity;
    struct az_sv text;
};
struct record {
    int64_t state, error, by_name, hook_failed;
    uint64_t caps, errors, warnings, dropped, size;
    bool active;
    struct az_sv hex;
    struct message *messages;
    size_t n_messages;
    struct az_rank about;
};

static const struct az_shape_field source_fields[] = {
    AZ_TEXT_OF(struct source, path), AZ_TEXT_OF(struct source, format),
    AZ_TEXT_OF(struct source, hex),  AZ_PLAIN(struct source, bytes),
    AZ_PLAIN(struct source, failed), AZ_LIST_OF(struct source, option, n_options, az_shape_text),
};
static const struct az_shape source_shape = AZ_SHAPE(struct source, source_fields);

static bool message_valid(const void *of)
{
    return ((const struct message *)of)->severity <= AZ_HINT;
}
static const struct az_shape_field message_fields[] = { AZ_PLAIN(struct message, severity),
                                                        AZ_TEXT_OF(struct message, text) };
static const struct az_shape message_shape =
    AZ_SHAPE_IF(struct message, message_fields, message_valid);

static bool about_valid(const void *of)
{
    const int64_t per_ns = ((const struct az_rank *)of)->ticks_per_ns;
    return per_ns == 1 || per_ns == 1000; /* model/trace.h */
}
static const struct az_shape_field about_fields[] = {
    AZ_PLAIN(struct az_rank, rank),
    AZ_TEXT_OF(struct az_rank, path),
    AZ_TEXT_OF(struct az_rank, host),
    AZ_TEXT_OF(struct az_rank, device),
    AZ_PLAIN(struct az_rank, devices),
    AZ_PLAIN(struct az_rank, world_size),
    AZ_PLAIN(struct az_rank, base_ns),
    AZ_PLAIN(struct az_rank, ticks_per_ns),
    AZ_PLAIN(struct az_rank, read),
    AZ_PLAIN(struct az_rank, kept),
    AZ_LIST_OF(struct az_rank, facts, n_facts, az_rank_shape_fact),
};
static const struct az_shape about_shape = AZ_SHAPE_IF(struct az_rank, about_fields, about_valid);

static const struct az_shape_field record_fields[] = {
    AZ_PLAIN(struct record, state),
    AZ_PLAIN(struct record, error),
    AZ_PLAIN(struct record, by_name),
    AZ_PLAIN(struct record, hook_failed),
    AZ_PLAIN(struct record, caps),
    AZ_PLAIN(struct record, errors),
    AZ_PLAIN(struct record, warnings),
    AZ_PLAIN(struct record, dropped),
    AZ_PLAIN(struct record, size),
    AZ_PLAIN(struct record, active),
    AZ_TEXT_OF(struct record, hex),
    AZ_LIST_OF(struct record, messages, n_messages, message_shape),
    AZ_NEST_OF(struct record, about, about_shape),
};
static const struct az_shape record_shape = AZ_SHAPE(struct record, record_fields);

/* ---- writing ---- */

struct writing {
    struct az_sections_out out;
    struct az_vec_char bytes, dictionary;
    struct az_intern texts;
    struct az_arena *scratch;
    struct az_mem *mem;
};

static int add_section(struct writing *w, const char *name, const struct az_shape *s,
                       const void *from)
{
    w->bytes.n = 0;
    const int rc = az_shape_write(s, from, &w->texts, &w->bytes);
    return rc ? rc : az_sections_add(&w->out, name, az_shape_layout(s), az_text_view(&w->bytes));
}

/* u64 count, count + 1 places, texts. */
static int make_dictionary(struct writing *w)
{
    const struct az_vec_sv *t = &w->texts.text;
    uint64_t n = t->n, at = 0;
    int rc;

    w->dictionary.n = 0;
    rc = az_text_append(&w->dictionary, az_sv_make((const char *)&n, sizeof n));
    for (size_t i = 0; rc == 0 && i <= t->n; i++) {
        rc = az_text_append(&w->dictionary, az_sv_make((const char *)&at, sizeof at));
        at += i < t->n ? t->v[i].n + 1 : 0;
    }
    for (size_t i = 0; rc == 0 && i < t->n; i++)
        rc =
            az_text_append(&w->dictionary, az_sv_make(t->v[i].p, t->v[i].n + 1)); /* its NUL, too */
    return rc;
}

static int add_dictionary(struct writing *w, const char *name)
{
    const int rc = make_dictionary(w);
    return rc ? rc : az_sections_add(&w->out, name, 1, az_text_view(&w->dictionary));
}

static int add_source(struct writing *w, const struct az_plan_job *job,
                      const struct az_input_rank *x)
{
    struct az_vec_sv options;
    struct source s = { .path = x->about.path,
                        .format = job && job->format ? az_sv_str(job->format->name) : AZ_SV(""),
                        .hex = x->has_digest ? az_sv_str(x->hex) : AZ_SV(""),
                        .bytes = x->size,
                        .failed = x->state != AZ_RANK_THERE };
    az_vec_init(&options, w->mem);
    int rc = job ? az_part_options(&job->input->opts, w->scratch, &options) : AZ_OK;
    s.option = options.v;
    s.n_options = options.n;
    if (rc == 0)
        rc = az_sections_begin(&w->out, w->out.n, AZ_VERSION, az_part_key(&options), w->mem);
    if (rc == 0) {
        az_intern_init(&w->texts, w->scratch, w->mem);
        w->bytes.n = 0;
        rc = az_shape_write(&source_shape, &s, &w->texts, &w->bytes);
        if (rc == 0)
            rc = add_dictionary(w, "source.texts");
        if (rc == 0)
            rc = az_sections_add(&w->out, "source", az_shape_layout(&source_shape),
                                 az_text_view(&w->bytes));
        az_intern_release(&w->texts);
    }
    az_vec_release(&options);
    return rc;
}

static int add_record(struct writing *w, const struct az_input_rank *x)
{
    struct record r = { .state = x->state,
                        .error = x->error,
                        .by_name = x->by_name,
                        .hook_failed = x->hook_failed,
                        .caps = x->caps,
                        .errors = x->errors,
                        .warnings = x->warnings,
                        .dropped = x->dropped,
                        .size = x->size,
                        .active = x->active,
                        .hex = x->has_digest ? az_sv_str(x->hex) : (struct az_sv){ NULL, 0 },
                        .n_messages = x->n_messages,
                        .about = x->about };
    r.about.ticks_per_ns += r.about.ticks_per_ns == 0; /* of a failure */
    r.messages = az_arena_array(w->scratch, x->n_messages, sizeof *r.messages);
    if (!r.messages)
        return az_arena_error(w->scratch);
    for (size_t i = 0; i < x->n_messages; i++)
        r.messages[i] = (struct message){ (uint32_t)x->messages[i].severity, x->messages[i].text };
    return add_section(w, "rank", &record_shape, &r);
}

/* Sections of the analyses go into an image of their own first: their texts come before them. */
static int add_analyses(struct writing *w, const struct az_input_rank *x)
{
    const bool there = x->state == AZ_RANK_THERE;
    int rc = add_record(w, x);
    for (size_t k = 0; rc == 0 && there && az_rank_analyses[k]; k++)
        if (x->part[k])
            rc = add_section(w, az_rank_analyses[k]->name, az_rank_analyses[k]->shape, x->part[k]);
    return rc;
}

static size_t count_parts(const struct az_input_rank *x)
{
    size_t n = 0;
    for (size_t k = 0; x->state == AZ_RANK_THERE && az_rank_analyses[k]; k++)
        n += x->part[k] != NULL;
    return n;
}

int az_part_image(const struct az_plan_job *job, const struct az_input_rank *x,
                  struct az_vec_char *out, struct az_mem *mem)
{
    struct az_arena scratch;
    struct writing w = { .scratch = &scratch, .mem = mem };
    int rc;

    az_arena_init(&scratch, mem);
    az_vec_init(&w.bytes, mem);
    az_vec_init(&w.dictionary, mem);
    w.out.n = 4 + count_parts(x); /* sections that there will be */
    rc = add_source(&w, job, x);
    if (rc == 0) {
        az_intern_init(&w.texts, &scratch, mem);
        rc = add_analyses(&w, x);
        if (rc == 0)
            rc = add_dictionary(&w, "texts");
        az_intern_release(&w.texts);
    }
    if (rc == 0)
        rc = az_sections_end(&w.out);
    if (rc == 0)
        rc = az_text_append(out, az_text_view(&w.out.image));
    az_sections_release(&w.out);
    az_vec_release(&w.bytes);
    az_vec_release(&w.dictionary);
    az_arena_release(&scratch);
    return rc;
}

/* ---- reading ---- */

struct reading {
    struct az_sections s;
    struct az_arena *keep;
    struct az_arena *own;     /* of the analyses' parts, by analysis; NULL: keep */
    struct az_arena *scratch; /* freed when the rank is read */
    bool again;               /* az_part_again */
    bool check;               /* the section is read again later */
    const uint64_t *layouts;  /* by analysis; NULL */
    struct az_intern *texts;  /* of all ranks of a thread; NULL: each has its own */
    struct az_sv *text;
    size_t n_texts;
    const char *wrong;  /* with the image; NULL: nothing */
    struct az_sv where; /* section that it is in */
};

static bool find_section(const struct az_sections *s, const char *name, struct az_section *out)
{
    for (size_t i = 0; i < s->n; i++) {
        *out = az_sections_at(s, i);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

static int wrong(struct reading *r, const char *why, const char *section)
{
    r->wrong = why;
    r->where = az_arena_dup(r->scratch, az_sv_str(section));
    return AZ_EFORMAT;
}

static int keep_text(struct reading *r, struct az_sv text, struct az_sv *out)
{
    uint32_t id;
    int rc = AZ_OK;
    if (r->texts && text.n) {
        rc = az_intern(r->texts, text, &id);
        *out = rc ? (struct az_sv){ NULL, 0 } : az_intern_text(r->texts, id);
    } else {
        *out = az_arena_dup(r->keep, text);
    }
    return rc ? rc : out->p ? AZ_OK : az_arena_error(r->keep);
}

static int read_dictionary(struct reading *r, const char *name)
{
    struct az_section x;
    uint64_t n, from, to;
    int rc = AZ_OK;

    if (!find_section(&r->s, name, &x) || !x.sound || x.bytes.n < 16)
        return wrong(r, "is damaged", name);
    memcpy(&n, x.bytes.p, sizeof n);
    if (x.layout != 1 || n > (x.bytes.n - 16) / 8)
        return wrong(r, "is damaged", name);
    const struct az_sv all = az_sv_make(x.bytes.p + 16 + 8 * n, x.bytes.n - 16 - 8 * (size_t)n);
    r->text = az_arena_array(r->scratch, (size_t)n + 1, sizeof *r->text);
    if (!r->text)
        return az_arena_error(r->scratch);
    for (uint64_t i = 0; rc == 0 && i < n; i++) {
        memcpy(&from, x.bytes.p + 8 + 8 * i, 8);
        memcpy(&to, x.bytes.p + 16 + 8 * i, 8);
        if (to > all.n || from >= to || all.p[to - 1])
            return wrong(r, "is damaged", name);
        rc = keep_text(r, az_sv_make(all.p + from, (size_t)(to - from - 1)), &r->text[i]);
    }
    r->n_texts = (size_t)n;
    return rc;
}

static int read_section(struct reading *r, const struct az_section *x, const struct az_shape *s,
                        uint64_t layout, void *to)
{
    if (!x->sound)
        return wrong(r, "is damaged", x->name);
    if (x->layout != layout)
        return wrong(r, "was written by another version of the program", x->name);
    const int rc =
        (r->check ? az_shape_check : az_shape_read)(s, to, x->bytes, r->text, r->n_texts, r->keep);
    return rc == AZ_EFORMAT ? wrong(r, "is damaged", x->name) : rc;
}

static int read_named(struct reading *r, const char *name, const struct az_shape *s, void *to)
{
    struct az_section x;
    return find_section(&r->s, name, &x) ? read_section(r, &x, s, az_shape_layout(s), to)
                                         : wrong(r, "is not there", name);
}

/* Read and dropped. */
static int read_source(struct reading *r, struct source *s)
{
    struct reading own = *r;
    own.keep = r->scratch;
    own.texts = NULL;
    int rc = read_dictionary(&own, "source.texts");
    if (rc == 0)
        rc = read_named(&own, "source", &source_shape, s);
    r->wrong = own.wrong;
    r->where = own.where;
    return rc;
}

/* ---- which ranks are in a file ---- */

bool az_part_is(const char *path)
{
    struct az_vec_char head;
    bool is = false;
    az_vec_init(&head, NULL);
    if (az_path_stat(path).kind == AZ_PATH_FILE && az_sections_read(path, 0, 8, &head, NULL) == 0)
        is = az_sections_is(az_text_view(&head));
    az_vec_release(&head);
    return is;
}

/* One image by its beginning; `more`: how many bytes were not enough. */
static int read_image(struct az_sv head, uint64_t length, struct az_arena *a,
                      struct az_part_place *p)
{
    struct reading r = { .keep = a, .scratch = a };
    struct source s = { .bytes = 0 };
    int rc;

    p->failed = true;
    if (az_sections_open_head(&r.s, head, length))
        return AZ_EFORMAT;
    rc = read_source(&r, &s);
    if (rc || !s.path.p)
        return rc ? rc : AZ_EFORMAT;
    p->path = s.path;
    p->format = s.format;
    p->bytes = s.bytes;
    p->failed = s.failed;
    p->key = r.s.key;
    if (s.hex.n == AZ_DIGEST_HEX - 1)
        memcpy(p->hex, s.hex.p, AZ_DIGEST_HEX - 1);
    return AZ_OK;
}

static int list_one(const char *path, uint64_t size, struct az_arena *a, struct az_part_place *p,
                    struct az_diag *diag)
{
    struct az_vec_char head;
    int rc = AZ_OK;

    az_vec_init(&head, NULL);
    for (uint64_t want = BEGINNING;; want = p->length) {
        head.n = 0;
        rc = az_sections_read(path, p->at, want < size - p->at ? want : size - p->at, &head, diag);
        if (rc)
            break;
        p->length = az_sections_length(az_text_view(&head));
        if (p->length == 0 || p->length > size - p->at) { /* truncated, or no image at all */
            p->length = size - p->at;
            p->failed = true;
            break;
        }
        rc = read_image(az_text_view(&head), p->length, a, p);
        if (rc != AZ_EFORMAT || want >= p->length)
            break;
    }
    az_vec_release(&head);
    return rc == AZ_EFORMAT ? AZ_OK : rc;
}

int az_part_list(const char *path, struct az_arena *a, struct az_part_places *out,
                 struct az_diag *diag)
{
    const uint64_t size = az_path_stat(path).size;
    const struct az_sv file = az_arena_dup(a, az_sv_str(path));
    int rc = file.p ? AZ_OK : az_arena_error(a);

    for (uint64_t at = 0; rc == 0 && at < size;) {
        struct az_part_place p = { .file = file, .path = file, .format = AZ_SV(""), .at = at };
        rc = list_one(path, size, a, &p, diag);
        at += p.length;
        if (rc == 0)
            rc = az_vec_push(out, p);
    }
    return rc;
}

/* ---- a rank ---- */

static bool among(const struct az_sv *v, size_t n, struct az_sv s)
{
    for (size_t i = 0; i < n; i++)
        if (az_sv_eq(v[i], s))
            return true;
    return false;
}

/* "last_step=keep" of one that the other has not. */
static struct az_sv differing(struct az_arena *a, const struct az_sv *v, size_t n,
                              const struct az_sv *other, size_t n_other)
{
    struct az_sv list = AZ_SV("");
    size_t named = 0;
    for (size_t i = 0; i < n && named < MOST_NAMED; i++)
        if (!among(other, n_other, v[i])) {
            list = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(list), named ? ", " : "", AZ_SVF(v[i]));
            named++;
        }
    return named ? list : AZ_SV("the defaults");
}

static int check_options(struct az_input_run *o, const struct reading *r, const struct source *s,
                         struct az_sv file)
{
    struct az_arena a;
    struct az_vec_sv now;
    int rc;

    if (o->has_part_key && o->part_key == r->s.key)
        return AZ_OK;
    az_arena_init(&a, NULL);
    az_vec_init(&now, NULL);
    rc = az_part_options(&o->job->input->opts, &a, &now);
    if (rc == 0 && az_part_key(&now) != r->s.key) {
        const struct az_sv its = differing(&a, s->option, s->n_options, now.v, now.n),
                           ours = differing(&a, now.v, now.n, s->option, s->n_options);
        rc = az_diag_fail(o->diag, AZ_ECONFIG, AZ_AT_FILE(file),
                          "was mapped with other options: '%.*s', here '%.*s'; use the same "
                          "options, or map it again",
                          AZ_SVF(its), AZ_SVF(ours));
    }
    az_vec_release(&now);
    az_arena_release(&a);
    return rc;
}

static int take_record(struct az_input_run *o, const struct record *r, struct az_input_rank *x)
{
    x->about = r->about;
    x->by_name = x->by_name >= 0 ? x->by_name : r->by_name;
    x->caps = (unsigned)r->caps;
    x->active = r->active;
    x->size = r->size;
    x->has_digest = r->hex.n == AZ_DIGEST_HEX - 1;
    if (x->has_digest)
        memcpy(x->hex, r->hex.p, AZ_DIGEST_HEX);
    o->hook_failed = (int)r->hook_failed;
    for (size_t i = 0; i < r->n_messages; i++) /* texts have their places in them */
        az_diag_add(o->diag, (enum az_severity)r->messages[i].severity, AZ_NOWHERE, "%.*s",
                    AZ_SVF(r->messages[i].text));
    o->diag->errors = r->errors > o->diag->errors ? r->errors : o->diag->errors;
    o->diag->warnings = r->warnings > o->diag->warnings ? r->warnings : o->diag->warnings;
    o->diag->dropped += r->dropped;
    if ((r->state != AZ_RANK_THERE || r->hook_failed) && o->diag->errors == 0)
        az_diag_add(o->diag, AZ_ERROR, AZ_AT_FILE(r->about.path),
                    "failed, with no reason in its part; map it again");
    if (r->state != AZ_RANK_THERE)
        return r->error < 0 && r->error >= AZ_EINTERNAL ? (int)r->error : AZ_EFORMAT;
    return AZ_OK;
}

/* Place of an analysis by its name; where the list ends: none. */
static size_t analysis_named(const char *name)
{
    size_t k = 0;
    while (az_rank_analyses[k] && strcmp(az_rank_analyses[k]->name, name) != 0)
        k++;
    return k;
}

/* A part that stays until the report is written is only checked, and read when its turn comes
 * (az_part_again): so it is not there while the tables of the analyses before it are made. */
static int read_analysis(struct reading *r, const struct az_section *s, size_t k, void **part)
{
    static const char later;
    const struct az_rank_analysis *an = az_rank_analyses[k];
    const bool now = r->again || !an->keeps_parts;
    struct az_arena *all = r->keep;
    r->keep = !r->own ? all : now ? &r->own[k] : r->scratch;
    void *p = az_arena_alloc(r->keep, an->shape->size);
    r->check = r->own && !now;
    const uint64_t layout = r->layouts ? r->layouts[k] : az_shape_layout(an->shape);
    const int rc = p ? read_section(r, s, an->shape, layout, p) : az_arena_error(r->keep);
    r->keep = all;
    *part = rc ? NULL : r->check ? (void *)(uintptr_t)&later : p;
    r->check = false;
    return rc;
}

static int read_analyses(struct az_input_run *o, struct reading *r, struct az_input_rank *x,
                         struct az_sv file)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->s.n; i++) {
        const struct az_section s = az_sections_at(&r->s, i);
        const size_t k = analysis_named(s.name);
        if (az_rank_analyses[k])
            rc = read_analysis(r, &s, k, &x->part[k]);
        else if (strcmp(s.name, "rank") != 0 && strcmp(s.name, "texts") != 0 &&
                 strncmp(s.name, "source", 6) != 0)
            az_diag_add(o->diag, AZ_WARNING, AZ_AT_FILE(file), "unknown section '%s' skipped",
                        s.name);
    }
    return rc;
}

static int read_rank(struct az_input_run *o, struct reading *r, struct az_sv file,
                     struct az_input_rank *x)
{
    struct source s = { .bytes = 0 };
    struct record rec = { .state = 0 };
    size_t n = 0;
    int rc = read_source(r, &s);

    while (az_rank_analyses[n])
        n++;
    x->part = az_arena_array(r->keep, n + 1, sizeof *x->part);
    if (rc == 0 && !x->part)
        rc = az_arena_error(r->keep);
    if (rc == 0 && !s.failed)
        rc = check_options(o, r, &s, file);
    if (rc == 0)
        rc = read_dictionary(r, "texts");
    if (rc == 0)
        rc = read_named(r, "rank", &record_shape, &rec);
    if (rc == 0 && !rec.about.path.p)
        rc = wrong(r, "is damaged", "rank");
    if (rc)
        return rc;
    rc = take_record(o, &rec, x);
    return rc ? rc : read_analyses(o, r, x, file);
}

/* The image of a rank; its bytes are the caller's to release. */
static int open_image(struct az_input_run *o, const struct az_file *f, struct reading *r,
                      struct az_vec_char *bytes)
{
    const char *why;
    int rc = az_sections_read(f->part.p, f->at, f->length, bytes, o->diag);
    if (rc == 0 && (why = az_sections_open(&r->s, az_text_view(bytes))) != NULL)
        rc = az_diag_fail(o->diag, AZ_EFORMAT, AZ_AT_FILE(f->part), "the part %s (map it again)",
                          why);
    return rc;
}

int az_part_again(struct az_input_run *o, const struct az_file *f, struct az_arena *own,
                  struct az_intern *texts, void **part)
{
    struct az_arena scratch;
    struct reading r = { .own = own,
                         .keep = &scratch,
                         .scratch = &scratch,
                         .texts = texts,
                         .again = true,
                         .layouts = o->layouts };
    struct az_vec_char bytes;

    az_arena_init(&scratch, &o->res->mem);
    az_vec_init(&bytes, &o->res->mem);
    int rc = open_image(o, f, &r, &bytes);
    if (rc == 0)
        rc = read_dictionary(&r, "texts");
    for (size_t i = 0; rc == 0 && i < r.s.n; i++) {
        const struct az_section s = az_sections_at(&r.s, i);
        const size_t k = analysis_named(s.name);
        if (az_rank_analyses[k] && az_rank_analyses[k]->keeps_parts)
            rc = read_analysis(&r, &s, k, &part[k]);
    }
    if (rc == AZ_EFORMAT)
        rc = az_diag_fail(o->diag, AZ_EFORMAT, AZ_AT_FILE(f->part),
                          "the part changed while it was read; reduce again");
    az_arena_release(&scratch);
    az_vec_release(&bytes);
    return rc;
}

int az_part_rank(struct az_input_run *o, const struct az_file *f, struct az_arena *keep,
                 struct az_arena *own, struct az_intern *texts, struct az_input_rank *x)
{
    struct az_arena scratch;
    struct reading r = {
        .keep = keep, .own = own, .scratch = &scratch, .texts = texts, .layouts = o->layouts
    };
    struct az_vec_char bytes;
    int rc;

    az_arena_init(&scratch, &o->res->mem);
    az_vec_init(&bytes, &o->res->mem);
    x->about = (struct az_rank){ .rank = -1, .path = f->path, .world_size = -1, .ticks_per_ns = 1 };
    rc = open_image(o, f, &r, &bytes);
    if (rc == 0)
        rc = read_rank(o, &r, f->part, x);
    if (rc == AZ_EFORMAT && r.wrong)
        rc = az_diag_fail(o->diag, AZ_EFORMAT, AZ_AT_FILE(f->part),
                          "section '%.*s' of the part %s (map it again)", AZ_SVF(r.where), r.wrong);
    az_arena_release(&scratch);
    az_vec_release(&bytes);
    return rc;
}
