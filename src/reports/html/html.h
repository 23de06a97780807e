/* Parts of the HTML writer. Private to the room. The report is one file that needs nothing next to
 * it: its style and scripts are in it, the policy in its head names them by their digests and
 * forbids all else (requests, images, other scripts, style attributes), so that whatever is in a
 * profile is only text. */
#ifndef AZ_REPORTS_HTML_HTML_H
#define AZ_REPORTS_HTML_HTML_H

#include "document/document.h"
#include "reports/shared/fields.h"

struct az_outfile;

struct az_html {
    struct az_outfile *f;
    struct az_arena *scratch;
    const struct az_document *doc;
    struct az_sv *anchor; /* id of the element of each table of the document; empty: the table is
                             not written */
    struct az_html_shown {
        size_t rows, columns; /* the first ones */
        size_t cell;          /* bytes from which a text is truncated; SIZE_MAX: none */
    } * shown;                /* of each table of the document */
    size_t n_plots;           /* charts that are drawn */
    struct az_plot *plot;
    struct az_about *about;      /* what the lines and findings that are written are about */
    struct az_name_index *names; /* of the timeline, for these; NULL: not made yet */
    int error;                   /* first failure that is not the file's */
};

/* ---- html_text.c: what is written ---- */
/* Markup as it is. */
void az_html_put(struct az_html *h, struct az_sv markup);
void az_html_putf(struct az_html *h, const char *format, ...) AZ_PRINTF(2, 3);
/* Text of elements and of quoted attributes: cleaned as in every report, and & < > " ' escaped. */
void az_html_text(struct az_html *h, struct az_sv s);
/* The same on one line. */
void az_html_line(struct az_html *h, struct az_sv s);
/* JSON for a script element: no `<`, U+2028 or U+2029 is left in it. */
void az_html_json(struct az_html *h, struct az_sv json);

/* Number cell for readers: az_field_number with thousands separators where the unit has them. buf
 * as there. */
struct az_sv az_html_number(const struct az_cell *c, const struct az_column *col, struct az_scale s,
                            char *buf);
/* Scale of a value that is by itself, in a chart or a sentence: unlike a table's column, whose
 * title names its unit, it may leave the unit of the file: it is in the largest in which it
 * is 1 or more, so that 0.0005 s is 500 us and 3,417 ms are 3.417 s. */
struct az_scale az_html_scale(enum az_unit unit, enum az_cell_type type, double largest);
/* What separates a number from its unit: nothing before %. */
const char *az_html_unit_gap(const char *unit);
/* A title without the unit at its end, where there is more of it: "Compute (ns)" -> "Compute". */
struct az_sv az_html_without_unit(struct az_html *h, struct az_sv title, const char *unit);
/* A value with its unit, three digits or so ("40.2 ms"); buf of AZ_FIELD_MAX. */
struct az_sv az_html_value(double v, enum az_unit unit, enum az_cell_type type, char *buf);

/* ---- html_data.c: files embedded when the program is built ---- */
enum az_html_part {
    AZ_HTML_STYLE,
    AZ_HTML_LIBRARY,
    AZ_HTML_CHARTS,
    AZ_HTML_TABLES,
    AZ_HTML_TIMELINE,
    AZ_HTML_FLAME,
    AZ_HTML_PARTS
};
struct az_sv az_html_part(enum az_html_part p);
/* SHA-256 of the part in base64, NUL-terminated. */
#define AZ_HTML_DIGEST 48
void az_html_digest(enum az_html_part p, char text[AZ_HTML_DIGEST]);

/* ---- html_budget.c ---- */
/* Fills h->shown. 0 or an error. */
int az_html_fit(struct az_html *h) AZ_MUST_USE;

/* ---- html_table.c ---- */
/* Section with the table, what is shown of it. */
void az_html_table(struct az_html *h, size_t index);
/* Finding of the table `findings` as a list; false if the document has none that can be read so. */
bool az_html_findings(struct az_html *h);

/* ---- html_verdict.c ---- */
/* Section with the table `verdict`, if the document has one. */
void az_html_verdict(struct az_html *h);

/* ---- finding_links.c ---- */
struct az_about {
    struct az_sv rule, row, text,
        evidence; /* of a finding; row: what to search for in the evidence */
    /* what of the timeline it is about: filled in */
    bool gaps;
    uint32_t families; /* bits 1 << family */
    uint32_t name[512];
    size_t n_names;
    struct az_about *next;
};
/* Attributes of a finding's element, by which the scripts find it in the drawings: data-about, a
 * number of what the timeline's data have, and data-row, text for the flame view. */
void az_html_subject(struct az_html *h, const struct az_about *finding);

/* ---- html_timeline.c ---- */
/* Columns of a name in the data of a drawing with so many of them: fewer where these would be more
 * than the rest of the page. */
size_t az_html_name_columns(size_t names);
/* Section with the timeline, if the document has tracks. */
void az_html_timeline(struct az_html *h);
/* The data that the script draws, as JSON. 0 or an error. After all lines and findings. */
int az_html_timeline_data(struct az_html *h, struct az_vec_char *json) AZ_MUST_USE;

/* ---- html_flame.c ---- */
/* Section with the flame view, if the document has one, and the data that the script draws. */
void az_html_flame(struct az_html *h);
int az_html_flame_data(struct az_html *h, struct az_vec_char *json) AZ_MUST_USE;

/* ---- html_plot.c: what a chart draws ---- */
#define AZ_HTML_MARKS 2000 /* bars, points, cells of one chart at most */
#define AZ_HTML_BARS  40   /* with a name each */
struct az_mark {           /* a place on the axis, or a point */
    size_t row, rows;      /* first row of the table, and how many rows it stands for */
};
AZ_VEC(struct az_mark, az_marks);
struct az_series {
    struct az_sv name;
    size_t column;
    double *v; /* of each mark, NaN: nothing to be drawn */
};
struct az_plot {
    const struct az_chart *c;
    const struct az_table *t;
    size_t table; /* index of t in the document */
    ptrdiff_t x;  /* column of the labels, -1: none */
    size_t rows;  /* of the table that belong to the chart */
    struct az_marks marks;
    struct az_series *series;
    size_t n_series;
    struct az_sv *label; /* of each mark */
    bool upright;        /* bars that should be, but are too many */
    struct az_sv note;   /* what was folded or skipped; empty: nothing */
};
/* false: nothing to be drawn (no such table or column, no row), or h->error. The marks are released
 * by the caller. */
bool az_html_plot(struct az_html *h, const struct az_chart *c, struct az_plot *p);
/* Number of a cell, NaN without a column. */
double az_plot_at(const struct az_plot *p, size_t row, ptrdiff_t column);
/* Unit of the values. */
const struct az_column *az_plot_unit(const struct az_plot *p);

/* ---- html_merge_points.c: marks of the kinds that fold in their own way; 0 or an error ---- */
int az_fold_points(struct az_html *h, struct az_plot *p) AZ_MUST_USE;
/* Also fills the values; p->label of the mark that sums up others is set. */
int az_fold_changes(struct az_html *h, struct az_plot *p, ptrdiff_t total) AZ_MUST_USE;
/* Is the row a point (series 0), or on a line? */
bool az_fold_drawable(const struct az_plot *p, size_t row, size_t series);

/* ---- html_caption.c: the text of a chart, for those who do not see it ---- */
void az_html_caption(struct az_html *h, const struct az_plot *p);
/* Name of a series without its unit: "Compute (ns)" -> "Compute". */
struct az_sv az_html_series_name(struct az_html *h, const struct az_plot *p, size_t series);

/* ---- html_heat.c ---- */
/* `index`: of the plot, for the element's name. */
void az_html_heat(struct az_html *h, const struct az_plot *p, size_t index);

/* ---- html_limits.c ---- */
/* Changes against their limits, as a table with a picture in each row. */
void az_html_limits(struct az_html *h, const struct az_plot *p, size_t index);

/* ---- html_charts.c ---- */
/* Is a plot drawn by the script? Then the page contains it, and the library. */
bool az_html_scripted(const struct az_html *h);
/* Brings h->plot into the order of the page. */
void az_html_order(struct az_html *h);
/* Figures of h->plot, each with its caption and the link to its table. */
void az_html_charts(struct az_html *h);
/* The data that the script draws, as JSON. 0 or an error. */
int az_html_chart_data(struct az_html *h, struct az_vec_char *json) AZ_MUST_USE;

#endif
