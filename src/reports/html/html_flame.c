/* The flame view of the page: its largest paths as a table, and the tree that the script
 * (html_flame.js) draws. */
#include "base/utf8.h"
#include "reports/html/html.h"

#include "base/human.h"
#include "document/claims.h"
#include "document/flame.h"
#include "text/jsonw.h"

#define PATHS    25 /* in the table */
#define PATH_MAX 400

static struct az_sv name_of(struct az_html *h, const struct az_flame *f, uint32_t node)
{
    const struct az_sv name =
        az_field_line(h->scratch, az_intern_text(&f->names, f->nodes.v[node].name));
    return az_utf8_fit(h->scratch, name.n ? name : AZ_SV("(no name)"),
                       az_html_name_columns(f->nodes.n), true);
}

static struct az_sv path_of(struct az_html *h, const struct az_flame *f, uint32_t node)
{
    struct az_sv path = name_of(h, f, node);
    for (node = f->nodes.v[node].parent; node != AZ_NO_ID && node != 0 && path.n < PATH_MAX;
         node = f->nodes.v[node].parent)
        path = az_arena_printf(h->scratch, "%.*s \xe2\x80\xba %.*s", AZ_SVF(name_of(h, f, node)),
                               AZ_SVF(path));
    return path;
}

static void put_row(struct az_html *h, const struct az_flame *f, uint32_t node)
{
    const struct az_flame_node *n = &f->nodes.v[node];
    char time[AZ_HUMAN_MAX], count[AZ_HUMAN_MAX];
    az_human_time(n->self, time);
    az_human_count(n->count, count);
    az_html_put(h, AZ_SV("<tr><td class=\"t l\"><div>"));
    az_html_text(h, path_of(h, f, node));
    az_html_putf(h, "</div></td><td>%s</td><td>%.1f%%</td><td>%s</td></tr>\n", time,
                 100.0 * (double)n->self / (double)(f->nodes.v[0].total + !f->nodes.v[0].total),
                 count);
}

static void paths(struct az_html *h, const struct az_flame *f)
{
    int64_t last = INT64_MAX;
    size_t last_at = 0, shown = 0;
    az_html_put(h, AZ_SV("<details class=\"strips\" open><summary>The largest paths as a table"
                         "</summary>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
                         "aria-labelledby=\"flame-title\"><table>\n<thead><tr><th scope=\"col\" "
                         "class=\"t\">Path</th><th scope=\"col\">Time</th><th scope=\"col\">Of "
                         "device time</th><th scope=\"col\">Events</th></tr></thead>\n<tbody>\n"));
    for (; shown < PATHS; shown++) { /* by time, then place */
        size_t best = SIZE_MAX;
        for (size_t i = 1; i < f->nodes.n; i++) {
            const int64_t v = f->nodes.v[i].self;
            const bool after = v < last || (v == last && i > last_at);
            if (v > 0 && after && (best == SIZE_MAX || v > f->nodes.v[best].self))
                best = i;
        }
        if (best == SIZE_MAX)
            break;
        put_row(h, f, (uint32_t)best);
        last = f->nodes.v[best].self;
        last_at = best;
    }
    az_html_put(h, AZ_SV("</tbody>\n</table></div>\n</details>\n"));
}

void az_html_flame(struct az_html *h)
{
    const struct az_flame *f = h->doc->flame;
    char time[AZ_HUMAN_MAX];
    if (!f)
        return;
    az_human_time(f->nodes.v[0].total, time);
    az_html_put(h, AZ_SV("<section id=\"flame\">\n<h2 id=\"flame-title\">Device time by "));
    az_html_text(h, az_sv_str(f->of));
    az_html_putf(
        h,
        "</h2>\n<p class=\"words\" id=\"flame-text\">%s of device time%s, summed over devices and "
        "streams.<span class=\"drawn\"> The width of a box is the device time launched by it; its "
        "children are the operations it called, and the leaves are kernels.</span></p>\n<div "
        "id=\"icicle\"></div>\n",
        time,
        h->doc->claims && az_claims_has_outside(h->doc->claims) ? " of the whole recording" : "");
    paths(h, f);
    az_html_put(h, AZ_SV("</section>\n"));
}

/* ---- data: columns of nodes, each parent before its children ---- */
enum field { PARENT, TOTAL, COUNT, FAMILY };
static void column(struct az_jsonw *w, const char *key, const struct az_flame *f, enum field field)
{
    az_jsonw_key(w, key);
    az_jsonw_array(w);
    for (size_t i = 0; i < f->nodes.n; i++) {
        const struct az_flame_node *n = &f->nodes.v[i];
        az_jsonw_i64(w, field == PARENT  ? (n->parent == AZ_NO_ID ? -1 : (int64_t)n->parent)
                        : field == TOTAL ? n->total
                        : field == COUNT ? n->count
                                         : n->family);
    }
    az_jsonw_end_array(w);
}

int az_html_flame_data(struct az_html *h, struct az_vec_char *json)
{
    const struct az_flame *f = h->doc->flame;
    struct az_jsonw w;
    az_jsonw_init(&w, NULL, json, 0);
    az_jsonw_object(&w);
    column(&w, "parent", f, PARENT);
    column(&w, "total", f, TOTAL);
    column(&w, "count", f, COUNT);
    column(&w, "family", f, FAMILY);
    az_jsonw_key(&w, "name");
    az_jsonw_array(&w);
    for (uint32_t i = 0; i < f->nodes.n; i++)
        az_jsonw_text(&w, i ? name_of(h, f, i) : AZ_SV("all device time"));
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "families");
    az_jsonw_array(&w);
    for (int k = 0; k < AZ_FAMILIES; k++)
        az_jsonw_text(&w, az_family_text((enum az_family)k));
    az_jsonw_end_array(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}
