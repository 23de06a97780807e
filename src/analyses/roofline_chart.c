#include "analyses/roofline_chart.h"

#include <math.h>

#include "document/record.h"

#define GRID 57 /* points of a roof line: eight a decade over seven decades */

/* A row of the chart: a dot of an operation, or a point of the roofs. */
struct chart_row {
    struct az_roofline_dot dot;   /* NaN: none */
    const struct az_roofs *roofs; /* NULL: none */
};

/* TFLOP/s = FLOP/B * GB/s / 1000, up to the peak. */
static double roof_at(const void *row, size_t roof)
{
    const struct chart_row *r = row;
    return r->roofs ? fmin(r->roofs->v[roof].tflops, r->dot.intensity * r->roofs->v[roof].bw / 1e3)
                    : NAN;
}
static const struct az_record_column columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct chart_row, dot.name) },
    { "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_KEY,
      AZ_FIELD(struct chart_row, dot.intensity) },
    { "operations", AZ_REAL, AZ_UNIT_TFLOPS, AZ_FIELD(struct chart_row, dot.tflops) },
};
static const struct az_record_column roof_column = { "roof", AZ_REAL, AZ_UNIT_TFLOPS,
                                                     .real_nth = roof_at };
static const struct az_record_column area_column = { "time", AZ_REAL, AZ_UNIT_US,
                                                     AZ_FIELD(struct chart_row, dot.us) };

static void put_rows(struct az_table *t, const struct az_roofline_dots *dots,
                     const struct az_roofs *roofs)
{
    for (size_t i = 0; i < dots->n; i++)
        az_put_row(t, &(struct chart_row){ .dot = dots->v[i] });
    for (int g = 0; g < GRID; g++)
        az_put_row(t,
                   &(struct chart_row){ .dot = { AZ_SV("roof"), pow(10, -2 + g / 8.0), NAN, NAN },
                                        .roofs = roofs });
}

int az_roofline_chart(struct az_job *job, const struct az_roofline_dots *dots,
                      const struct az_roofs *roofs, const char *time)
{
    int rc;

    if (dots->n == 0 || roofs->n == 0)
        return AZ_OK;
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "roofline_chart", "Roofline data",
                                         AZ_TABLE_WHOLE | AZ_TABLE_LAST, columns);
    struct az_chart c = { .kind = AZ_CHART_SCATTER_LOG,
                          .table = AZ_SV("roofline_chart"),
                          .title = AZ_SV("Roofline"),
                          .x_title = AZ_SV("FLOP per byte"),
                          .y_title = AZ_SV("TFLOP/s"),
                          .x = AZ_SV("FLOPS/Byte"),
                          .size = az_sv_str(time) };
    az_vec_init(&c.y, job->mem);
    rc = az_vec_push(&c.y, AZ_SV("operations"));
    for (size_t k = 0; rc == 0 && k < roofs->n; k++) {
        const struct az_sv name =
            az_arena_printf(job->arena, "roof %.*s", AZ_SVF(roofs->v[k].name));
        az_record_column_nth(t, &roof_column, name, k);
        rc = az_vec_push(&c.y, name);
    }
    az_record_column_named(t, &area_column, az_sv_str(time));
    put_rows(t, dots, roofs);
    rc = az_job_add(job, t, rc);
    if (rc == 0) {
        t->columns.v[0].title = AZ_SV("Operation");
        return az_document_chart(job->doc, c);
    }
    az_vec_release(&c.y);
    return rc;
}
