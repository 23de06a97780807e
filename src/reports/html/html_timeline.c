/* The timeline of the page: a legend, the lanes as a table with a strip each, which is what there
 * is without scripts and on paper, and the data that the script (html_timeline.js) draws. */
#include "base/utf8.h"
#include "reports/html/html.h"

#include <string.h>

#include "base/human.h"
#include "document/claims.h"
#include "document/tracks.h"
#include "text/jsonw.h"

#define PLACES     400 /* of a strip */
#define STRIPS     64  /* lanes with one */
#define NAME_MAX   160 /* columns of a name */
#define NAME_LEAST 24
#define NAMES_MOST 400000 /* bytes of all names */
#define ABOUT_MOST 20000  /* names that all findings together are about */

size_t az_html_name_columns(size_t names)
{
    const size_t n = names ? NAMES_MOST / names : NAME_MAX;
    return n > NAME_MAX ? NAME_MAX : n < NAME_LEAST ? NAME_LEAST : n;
}

static struct az_sv lane_label(struct az_html *h, const struct az_track_lane *l)
{
    const struct az_sv rank =
        l->rank < 0 ? AZ_SV("") : az_arena_printf(h->scratch, "rank %lld, ", (long long)l->rank);
    if (l->kind == AZ_TRACK_STEPS)
        return az_arena_printf(h->scratch, "%.*ssteps", AZ_SVF(rank));
    if (l->device == AZ_TRACK_OTHER_DEVICES)
        return az_arena_printf(h->scratch, "%.*sother devices", AZ_SVF(rank));
    struct az_sv device = l->device < 0
                              ? AZ_SV("device")
                              : az_arena_printf(h->scratch, "device %lld", (long long)l->device);
    if (l->kind == AZ_TRACK_GAPS)
        return az_arena_printf(h->scratch, "%.*s%.*s idle", AZ_SVF(rank), AZ_SVF(device));
    if (l->stream < 0)
        return az_arena_printf(h->scratch, "%.*s%.*s other streams", AZ_SVF(rank), AZ_SVF(device));
    return az_arena_printf(h->scratch, "%.*s%.*s stream %lld", AZ_SVF(rank), AZ_SVF(device),
                           (long long)l->stream);
}

/* ---- strips ---- */
/* The coarsest level of a lane: all of the run. */
static const struct az_track_level *coarsest(const struct az_tracks *t, size_t lane)
{
    for (size_t i = 0; i < t->levels.n; i++)
        if (t->levels.v[i].lane == lane)
            return &t->levels.v[i];
    return NULL;
}

/* Time of each family in each place. */
static void sum_places(const struct az_tracks *t, const struct az_track_level *l, double *place)
{
    const double width = (double)t->span / PLACES;
    for (size_t i = 0; i < l->n; i++) {
        const struct az_track_mark *m = &t->marks.v[l->first + i];
        const double from = (double)m->start / width, to = (double)(m->start + m->duration) / width,
                     dense = m->duration ? (double)m->busy / (double)m->duration : 0;
        for (size_t p = (size_t)from; p < PLACES && (double)p < to; p++) {
            const double a = from > (double)p ? from : (double)p,
                         b = to < (double)(p + 1) ? to : (double)(p + 1);
            place[p * AZ_FAMILIES + m->family] += (b - a) * dense;
        }
    }
}

/* Family of a place: that with most of its time; -1 where a fiftieth of it is not reached. */
static int family_at(const double *place)
{
    int best = 0;
    double sum = 0;
    for (int f = 0; f < AZ_FAMILIES; f++) {
        sum += place[f];
        best = place[f] > place[best] ? f : best;
    }
    return sum < 0.02 ? -1 : best;
}

static void strip(struct az_html *h, const struct az_tracks *t, size_t lane, double *place)
{
    const struct az_track_level *l = coarsest(t, lane);
    const bool work = t->lanes.v[lane].kind == AZ_TRACK_STREAM;
    int family[PLACES];
    memset(place, 0, PLACES * AZ_FAMILIES * sizeof *place);
    if (l)
        sum_places(t, l, place);
    for (size_t p = 0; p < PLACES; p++)
        family[p] = family_at(&place[p * AZ_FAMILIES]);
    az_html_putf(h, "<svg viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                 PLACES);
    for (int f = 0; f < AZ_FAMILIES; f++) {
        bool any = false;
        for (size_t p = 0; p < PLACES; p++) {
            size_t from = p;
            while (p < PLACES && family[p] == f)
                p++;
            if (p == from)
                continue;
            if (!any && work)
                az_html_putf(h, "<path class=\"f%d\" d=\"", f);
            else if (!any)
                az_html_put(h, AZ_SV("<path class=\"gap\" d=\""));
            any = true;
            az_html_putf(h, "M%zu 0h%zuv10h-%zuz", from, p - from, p - from);
        }
        if (any)
            az_html_put(h, AZ_SV("\"/>"));
    }
    az_html_put(h, AZ_SV("</svg>"));
}

static void lane_row(struct az_html *h, const struct az_tracks *t, size_t lane, double *place)
{
    const struct az_track_lane *l = &t->lanes.v[lane];
    char time[AZ_HUMAN_MAX], count[AZ_HUMAN_MAX];
    int best = 0;
    for (int f = 1; f < AZ_FAMILIES; f++)
        best = l->family[f] > l->family[best] ? f : best;
    az_human_time(l->busy, time);
    az_human_count(l->events, count);
    az_html_put(h, AZ_SV("<tr><th scope=\"row\" class=\"t\">"));
    az_html_line(h, lane_label(h, l));
    az_html_put(h, AZ_SV("</th><td class=\"strip\">"));
    strip(h, t, lane, place);
    az_html_putf(h, "</td><td>%s</td><td>%.1f%%</td><td>%s</td><td class=\"t\">", time,
                 100.0 * (double)l->busy / (double)t->span, count);
    if (l->kind == AZ_TRACK_STREAM)
        az_html_text(h, az_family_text((enum az_family)best));
    az_html_put(h, AZ_SV("</td></tr>\n"));
}

static void lanes(struct az_html *h, const struct az_tracks *t)
{
    double *place = az_arena_array(h->scratch, PLACES * AZ_FAMILIES, sizeof *place);
    if (!place)
        return;
    az_html_put(h, AZ_SV("<details class=\"strips\" open><summary>The lanes as a table</summary>\n"
                         "<div class=\"box\" tabindex=\"0\" role=\"region\" "
                         "aria-labelledby=\"timeline-title\"><table>\n<thead><tr><th scope=\"col\" "
                         "class=\"t\">Lane</th><th scope=\"col\" class=\"t\">Whole run</th>"
                         "<th scope=\"col\">Time</th><th scope=\"col\">Of the run</th>"
                         "<th scope=\"col\">Events</th><th scope=\"col\" class=\"t\">Most of it"
                         "</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < t->lanes.n && i < STRIPS; i++)
        lane_row(h, t, i, place);
    az_html_put(h, AZ_SV("</tbody>\n</table></div>\n"));
    if (t->lanes.n > STRIPS)
        az_html_putf(h, "<p class=\"note\">The first %d of %zu lanes.</p>\n", STRIPS, t->lanes.n);
    az_html_put(h, AZ_SV("</details>\n"));
}

/* ---- words and legend ---- */

/* ", of which ...": where the verdict is about less than what is drawn, or a mean over devices. */
static struct az_sv verdict_part(struct az_html *h, const char *drawn)
{
    const struct az_claims *c = h->doc->claims;
    char span[AZ_HUMAN_MAX];

    if (!c || !c->has_account || c->account.span <= 0)
        return AZ_SV("");
    az_human_time(c->account.span, span);
    return strcmp(span, drawn) == 0
               ? AZ_SV("")
               : az_arena_printf(h->scratch, ", of which the verdict covers %s%s", span,
                                 c->scope == AZ_SCOPE_STEPS ? " of steps" : "");
}

static void words(struct az_html *h, const struct az_tracks *t)
{
    char span[AZ_HUMAN_MAX], count[AZ_HUMAN_MAX];
    size_t n[AZ_TRACK_KINDS] = { 0 };
    int64_t events = 0;
    for (size_t i = 0; i < t->lanes.n; i++) {
        n[t->lanes.v[i].kind]++;
        events += t->lanes.v[i].kind == AZ_TRACK_STREAM ? t->lanes.v[i].events : 0;
    }
    events += t->hidden_events;
    n[AZ_TRACK_STREAM] = t->streams ? t->streams : n[AZ_TRACK_STREAM];
    n[AZ_TRACK_GAPS] = t->devices ? t->devices : n[AZ_TRACK_GAPS];
    az_human_time(t->span, span);
    az_human_count(events, count);
    az_html_putf(
        h,
        "<p class=\"words\" id=\"timeline-text\">%s with %s device events on %zu stream%s "
        "of %zu device%s%.*s. Idle: no work on the device. Shares are of the summed time of "
        "device events.</p>\n",
        span, count, n[AZ_TRACK_STREAM], n[AZ_TRACK_STREAM] == 1 ? "" : "s", n[AZ_TRACK_GAPS],
        n[AZ_TRACK_GAPS] == 1 ? "" : "s", AZ_SVF(verdict_part(h, span)));
    if (t->hidden_ranks)
        az_html_putf(h, "<p class=\"note\">The last %zu ranks are not drawn.</p>\n",
                     t->hidden_ranks);
    if (h->doc->claims && h->doc->claims->tables_scope.n) {
        az_html_put(h, AZ_SV("<p class=\"note\">The timeline is of the whole file, by device. "
                             "Tables: "));
        az_html_line(h, h->doc->claims->tables_scope);
        az_html_put(h, AZ_SV(".</p>\n"));
    }
}

/* Families by their time; their share is of the time of all events. */
static void legend(struct az_html *h, const struct az_tracks *t)
{
    double time[AZ_FAMILIES] = { 0 }, all = 0;
    bool shown[AZ_FAMILIES] = { false };
    for (size_t i = 0; i < t->lanes.n; i++)
        for (int f = 0; f < AZ_FAMILIES && t->lanes.v[i].kind == AZ_TRACK_STREAM; f++) {
            time[f] += (double)t->lanes.v[i].family[f];
            all += (double)t->lanes.v[i].family[f];
        }
    az_html_put(h, AZ_SV("<ul class=\"legend\" aria-label=\"Families by device time\">\n"));
    for (;;) {
        int best = -1;
        for (int f = 0; f < AZ_FAMILIES; f++)
            if (!shown[f] && time[f] > 0 && (best < 0 || time[f] > time[best]))
                best = f;
        if (best < 0)
            break;
        shown[best] = true;
        az_html_putf(h, "<li data-family=\"%d\"><span class=\"key f%d\"></span> ", best, best);
        az_html_text(h, az_family_text((enum az_family)best));
        az_html_putf(h, " <span class=\"count\">%.1f%%</span></li>\n", 100.0 * time[best] / all);
    }
    az_html_put(h, AZ_SV("</ul>\n"));
}

void az_html_timeline(struct az_html *h)
{
    const struct az_tracks *t = h->doc->tracks;
    if (!t)
        return;
    az_html_put(h, AZ_SV("<section id=\"timeline\">\n<h2 id=\"timeline-title\">Timeline</h2>\n"));
    words(h, t);
    legend(h, t);
    az_html_put(h, AZ_SV("<div id=\"track\"></div>\n"));
    lanes(h, t);
    az_html_put(h, AZ_SV("</section>\n"));
}

/* ---- data ---- */
static bool any_density(const struct az_tracks *t, const struct az_track_level *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (t->marks.v[l->first + i].count != 1)
            return true;
    return false;
}

static int64_t density(const struct az_track_mark *m)
{
    return m->duration ? (int64_t)(100.0 * (double)m->busy / (double)m->duration + 0.5) : 100;
}

enum field { START, DURATION, NAME, COUNT, BUSY, FAMILY };
static void column(struct az_jsonw *w, const char *key, const struct az_tracks *t,
                   const struct az_track_level *l, enum field field)
{
    int64_t last = 0;
    az_jsonw_key(w, key);
    az_jsonw_array(w);
    for (size_t i = 0; i < l->n; i++) {
        const struct az_track_mark *m = &t->marks.v[l->first + i];
        const int64_t name = m->name == AZ_NO_ID ? -1 : (int64_t)m->name;
        az_jsonw_i64(w, field == START      ? m->start - last
                        : field == DURATION ? m->duration
                        : field == NAME     ? name
                        : field == COUNT    ? (int64_t)m->count
                        : field == BUSY     ? density(m)
                                            : m->family);
        last = m->start;
    }
    az_jsonw_end_array(w);
}

/* Starts are distances from the start before; what only densities have is skipped without them. */
static void level(struct az_jsonw *w, const struct az_tracks *t, const struct az_track_level *l)
{
    az_jsonw_object(w);
    az_jsonw_key(w, "r");
    az_jsonw_i64(w, l->resolution);
    az_jsonw_key(w, "from");
    az_jsonw_i64(w, l->from);
    az_jsonw_key(w, "to");
    az_jsonw_i64(w, l->to);
    column(w, "s", t, l, START);
    column(w, "d", t, l, DURATION);
    column(w, "n", t, l, NAME);
    if (any_density(t, l)) {
        column(w, "c", t, l, COUNT);
        column(w, "b", t, l, BUSY);
        column(w, "f", t, l, FAMILY);
    }
    az_jsonw_end_object(w);
}

/* Levels by lane, in their order: the first of each, and after each the next. */
struct lane_levels {
    uint32_t *first, *next;
};

static bool levels_by_lane(struct az_html *h, const struct az_tracks *t, struct lane_levels *of)
{
    of->first = az_arena_array(h->scratch, t->lanes.n + 1, sizeof *of->first);
    of->next = az_arena_array(h->scratch, t->levels.n + 1, sizeof *of->next);
    if (!of->first || !of->next)
        return false;
    memset(of->first, 0xff, (t->lanes.n + 1) * sizeof *of->first);
    for (size_t i = t->levels.n; i-- > 0;) {
        uint32_t *first = &of->first[t->levels.v[i].lane];
        of->next[i] = *first;
        *first = (uint32_t)i;
    }
    return true;
}

static void lane_data(struct az_html *h, struct az_jsonw *w, const struct az_tracks *t, size_t lane,
                      const struct lane_levels *of)
{
    static const char *const kinds[AZ_TRACK_KINDS] = { "steps", "idle", "stream" };
    const struct az_track_lane *l = &t->lanes.v[lane];
    az_jsonw_object(w);
    az_jsonw_key(w, "kind");
    az_jsonw_text(w, az_sv_str(kinds[l->kind]));
    az_jsonw_key(w, "label");
    az_jsonw_text(w, lane_label(h, l));
    az_jsonw_key(w, "levels");
    az_jsonw_array(w);
    for (uint32_t i = of->first[lane]; i != AZ_NO_ID; i = of->next[i])
        level(w, t, &t->levels.v[i]);
    az_jsonw_end_array(w);
    az_jsonw_end_object(w);
}

static void about_data(struct az_html *h, struct az_jsonw *w)
{
    size_t left = ABOUT_MOST;
    az_jsonw_key(w, "about");
    az_jsonw_array(w);
    for (const struct az_about *a = h->about; a; a = a->next) {
        az_jsonw_object(w);
        az_jsonw_key(w, "idle");
        az_jsonw_bool(w, a->gaps);
        az_jsonw_key(w, "families");
        az_jsonw_array(w);
        for (int f = 0; f < AZ_FAMILIES; f++)
            if (a->families & 1u << f)
                az_jsonw_i64(w, f);
        az_jsonw_end_array(w);
        az_jsonw_key(w, "names");
        az_jsonw_array(w);
        for (size_t i = 0; i < a->n_names && left; i++, left--)
            az_jsonw_i64(w, a->name[i]);
        az_jsonw_end_array(w);
        az_jsonw_end_object(w);
    }
    az_jsonw_end_array(w);
}

/* The first event of devices after the first of the recording, from which tables count starts. */
static int64_t begin_of(const struct az_html *h, const struct az_tracks *t)
{
    const int64_t origin = h->doc->origin_ns;
    return origin >= 0 && t->begin > origin ? t->begin - origin : 0;
}

int az_html_timeline_data(struct az_html *h, struct az_vec_char *json)
{
    const struct az_tracks *t = h->doc->tracks;
    const size_t width = az_html_name_columns(t->names.n);
    struct lane_levels of;
    struct az_jsonw w;
    if (!levels_by_lane(h, t, &of))
        return az_arena_error(h->scratch);
    az_jsonw_init(&w, NULL, json, 0);
    az_jsonw_object(&w);
    az_jsonw_key(&w, "span");
    az_jsonw_i64(&w, t->span);
    az_jsonw_key(&w, "begin");
    az_jsonw_i64(&w, begin_of(h, t));
    az_jsonw_key(&w, "families");
    az_jsonw_array(&w);
    for (int f = 0; f < AZ_FAMILIES; f++)
        az_jsonw_text(&w, az_family_text((enum az_family)f));
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "names");
    az_jsonw_array(&w);
    for (size_t i = 0; i < t->names.n; i++)
        az_jsonw_text(
            &w, az_utf8_fit(h->scratch, az_field_line(h->scratch, t->names.v[i]), width, true));
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "family");
    az_jsonw_array(&w);
    for (size_t i = 0; i < t->families.n; i++)
        az_jsonw_i64(&w, t->families.v[i]);
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "lanes");
    az_jsonw_array(&w);
    for (size_t i = 0; i < t->lanes.n; i++)
        lane_data(h, &w, t, i, &of);
    az_jsonw_end_array(&w);
    about_data(h, &w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}
