/* The verdict of inputs side by side: the input with the shortest step, by how much, and the part
 * of the time that differs most. Only times are compared, not how good the inputs are: their work
 * may differ. */
#include <math.h>
#include <stdlib.h>

#include "compare/configurations.h"
#include "document/change.h"
#include "document/name_words.h"
#include "document/step_samples.h"
#include "document/verdict_table.h"

#define MANY_TIMES    10   /* so many times as long: no percent */
#define REFERENCES    16   /* inputs that may be the reference where none was chosen */
#define CLOSE_PERCENT 0.05 /* smaller differences do not matter to a reader */

struct writer {
    struct az_table *t;
    struct az_arena *a;
    const struct az_compare_input *in;
    struct az_change_side *side; /* one per input */
    struct az_change *change;    /* from the reference */
    bool *compared;              /* its time per step */
    size_t n, base, others;      /* others: compared, next to the reference */
    bool chosen;                 /* a user named the reference: it is the baseline */
};

static void put_line(struct writer *w, enum az_line_kind kind, struct az_sv label,
                     struct az_sv text, int64_t ns)
{
    if (!text.p && !w->t->error)
        w->t->error = az_arena_error(w->a);
    else
        az_headline_put(w->t, &(struct az_line){ .kind = kind,
                                                 .label = label,
                                                 .text = text,
                                                 .ns = ns,
                                                 .change = ns != -1,
                                                 .percent = (double)NAN });
}

/* Compares all with the input `base`. */
static void compare_with(struct writer *w, size_t base)
{
    const struct az_change_opts opts = { .by_device = false };
    const struct az_change_side *side = w->side;

    w->base = base;
    w->others = 0;
    for (size_t i = 0; i < w->n; i++) {
        struct az_change *c = &w->change[i];
        az_change_make(&side[base], &side[i], &opts, c);
        w->compared[i] = c->comparable && c->per_step && c->a_ns > 0 && c->b_ns > 0 &&
                         side[base].has_account && side[i].has_account;
        w->others += i != base && w->compared[i];
    }
}

/* Without a baseline the reference is the input that most others can be compared with, the first
 * of several. */
static void choose_reference(struct writer *w)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < w->n && i < REFERENCES && most + 1 < w->n; i++) {
        compare_with(w, i);
        best = w->others > most ? i : best;
        most = w->others > most ? w->others : most;
    }
    compare_with(w, best);
}

/* The shortest of those compared, without the reference; n: none. */
static size_t shortest(const struct writer *w)
{
    size_t least = w->n;

    for (size_t i = 0; i < w->n; i++)
        if (i != w->base && w->compared[i] &&
            (least == w->n || w->change[i].b_ns < w->change[least].b_ns))
            least = i;
    return least;
}

/* "a and b: no steps"; "different kinds of steps, ProfilerStep in a, signposts in b". */
static struct az_sv reason_of(const struct writer *w, size_t i)
{
    const struct az_change *c = &w->change[i];
    const struct az_sv base = w->in[w->base].tag, tag = w->in[i].tag;
    const struct az_change_side *x = &w->side[w->base], *y = &w->side[i];

    if (!c->comparable && !w->chosen && c->reason != AZ_CHANGE_DEVICE_DIFFERS)
        return az_change_text_of(w->a, c, x, y, base, tag);
    const struct az_sv text = !c->comparable ? az_change_text(w->a, c, x, y)
                              : c->per_step  ? AZ_SV("the file has no timeline")
                                             : AZ_SV("no steps");
    return az_arena_printf(w->a, "%.*s and %.*s: %.*s", AZ_SVF(base), AZ_SVF(tag), AZ_SVF(text));
}

/* ---- what ---- */

/* "b has the shortest step, 13.4% shorter than a: 520 -> 451 us"; of the reference: "a has the
 * shortest step; that of b is 15.4% longer: 451 -> 520 us" */
static struct az_sv relation_text(const struct writer *w, size_t i)
{
    const struct az_change *c = &w->change[i];
    const bool is_less = c->b_ns < c->a_ns;
    const double from = (double)c->a_ns, to = (double)c->b_ns;
    const struct az_sv base = w->in[w->base].tag, tag = w->in[i].tag,
                       pair = az_words_pair(w->a, c->a_ns, c->b_ns, "->");

    if (is_less && from >= MANY_TIMES * to)
        return az_arena_printf(w->a, "%.*s has the shortest %s, %.*s shorter than %.*s: %.*s",
                               AZ_SVF(tag), c->noun, AZ_SVF(az_words_factor(w->a, from / to)),
                               AZ_SVF(base), AZ_SVF(pair));
    if (is_less)
        return az_arena_printf(w->a, "%.*s has the shortest %s, %.1f%% shorter than %.*s: %.*s",
                               AZ_SVF(tag), c->noun, -100 * c->share, AZ_SVF(base), AZ_SVF(pair));
    if (to >= MANY_TIMES * from)
        return az_arena_printf(w->a, "%.*s has the shortest %s; %.*s takes %.*s the time: %.*s",
                               AZ_SVF(base), c->noun, AZ_SVF(tag),
                               AZ_SVF(az_words_factor(w->a, to / from)), AZ_SVF(pair));
    return az_arena_printf(w->a, "%.*s has the shortest %s; that of %.*s is %.1f%% longer: %.*s",
                           AZ_SVF(base), c->noun, AZ_SVF(tag), 100 * c->share, AZ_SVF(pair));
}

/* Is the difference none that the steps prove? */
static bool is_close(struct writer *w, size_t i)
{
    const struct az_change *c = &w->change[i];
    struct az_step_spread spread;
    const int rc = az_step_spread_of(w->in[w->base].doc, w->in[i].doc, &spread);

    if (rc && !w->t->error)
        w->t->error = rc;
    return 100 * fabs(c->share) < CLOSE_PERCENT || fabs(c->share) < spread.least;
}

static struct az_sv close_text(const struct writer *w, size_t i)
{
    const struct az_change *c = &w->change[i];
    const struct az_sv base = w->in[w->base].tag, tag = w->in[i].tag,
                       times = c->a_ns == c->b_ns ? az_words_time(w->a, c->a_ns)
                                                  : az_words_pair(w->a, c->a_ns, c->b_ns, "->");

    if (w->others > 1)
        return az_arena_printf(w->a,
                               "no %s is shorter than that of %.*s beyond the spread of %ss; "
                               "%.*s: %.*s",
                               c->noun, AZ_SVF(base), c->noun, AZ_SVF(tag), AZ_SVF(times));
    if (c->a_ns == c->b_ns)
        return az_arena_printf(w->a, "%.*s and %.*s take the same time per %s: %.*s", AZ_SVF(base),
                               AZ_SVF(tag), c->noun, AZ_SVF(times));
    if (100 * fabs(c->share) < CLOSE_PERCENT)
        return az_arena_printf(w->a, "%.*s and %.*s differ by less than %.2g%% per %s: %.*s",
                               AZ_SVF(base), AZ_SVF(tag), CLOSE_PERCENT, c->noun, AZ_SVF(times));
    return az_arena_printf(w->a, "%.*s and %.*s do not differ beyond the spread of their %ss: %.*s",
                           AZ_SVF(base), AZ_SVF(tag), c->noun, AZ_SVF(times));
}

static void put_largest_part(struct writer *w, size_t i)
{
    static const char *const names[AZ_CHANGE_PARTS] = { "compute", "exposed communication",
                                                        "exposed copies", "idle" };
    const struct az_change *c = &w->change[i];
    size_t most = 0;

    if (!c->has_parts)
        return;
    for (size_t k = 1; k < AZ_CHANGE_PARTS; k++)
        if (llabs(c->part[k][1] - c->part[k][0]) > llabs(c->part[most][1] - c->part[most][0]))
            most = k;
    const int64_t from = c->part[most][0], to = c->part[most][1];
    if (from != to)
        put_line(w, AZ_LINE_FINDING, az_words_change(w->a, to - from),
                 az_arena_printf(w->a, "%s: %.*s (%.*s -> %.*s)", names[most],
                                 AZ_SVF(az_words_pair(w->a, from, to, "->")),
                                 AZ_SVF(w->in[w->base].tag), AZ_SVF(w->in[i].tag)),
                 to - from);
}

static void put_what(struct writer *w, size_t i)
{
    const struct az_change *c = &w->change[i];
    const char *single = az_change_single_step(c);
    const bool close = is_close(w, i);
    const bool all = w->others + 1 == w->n || (close && w->others == 1);
    const struct az_sv among =
        all ? AZ_SV("")
            : az_arena_printf(w->a, "of %zu inputs that can be compared, ", w->others + 1);
    const struct az_sv text = close ? close_text(w, i) : relation_text(w, i);

    put_line(w, AZ_LINE_WHAT, AZ_SV(""),
             az_arena_printf(w->a, "%.*s%.*s (%s%s)", AZ_SVF(among), AZ_SVF(text),
                             single ? single : "median ", single ? "" : c->noun),
             close ? -1 : c->b_ns - c->a_ns);
    if (!close)
        put_largest_part(w, i);
}

/* ---- what is not compared ---- */

static void put_rest(struct writer *w)
{
    size_t first = w->n, n = 0;

    for (size_t i = 0; i < w->n; i++) {
        if (i == w->base || w->compared[i])
            continue;
        first = n++ ? first : i;
    }
    if (n == 0)
        return;
    struct az_sv text = reason_of(w, first);
    if (n > 1)
        text =
            az_arena_printf(w->a, "%.*s; %zu more input%s", AZ_SVF(text), n - 1, n == 2 ? "" : "s");
    if (w->others)
        put_line(w, AZ_LINE_TRUST, AZ_SV("Data"),
                 az_arena_printf(w->a, "steps not compared, %.*s", AZ_SVF(text)), -1);
    else
        put_line(w, AZ_LINE_WHAT, AZ_SV(""),
                 az_arena_printf(w->a, "times per step are not comparable, %.*s", AZ_SVF(text)),
                 -1);
}

int az_configurations_verdict(struct az_document *doc, const struct az_compare_input *in, size_t n,
                              size_t base)
{
    struct az_arena *a = doc->arena;
    struct writer w = { .a = a, .in = in, .n = n, .chosen = base < n };

    if (n < 2)
        return AZ_OK;
    w.t = az_headline_table(a);
    w.side = az_arena_array(a, n, sizeof *w.side);
    w.change = az_arena_array(a, n, sizeof *w.change);
    w.compared = az_arena_array(a, n, sizeof *w.compared);
    if (!w.t || !w.side || !w.change || !w.compared) {
        az_table_free(w.t);
        return az_arena_error(a);
    }
    for (size_t i = 0; i < n; i++)
        az_change_side_of(in[i].doc, &w.side[i]);
    if (base < n)
        compare_with(&w, base);
    else
        choose_reference(&w);
    if (w.others)
        put_what(&w, shortest(&w));
    put_rest(&w);
    return az_headline_add(doc, w.t);
}
