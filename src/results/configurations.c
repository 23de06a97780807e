/* Table `configurations`: a row per input of a report, per step where steps are known. Read from
 * the tables of claims (results/change.h), so that saved results have rows, too. */
#include "results/configurations.h"

#include <math.h>

#include "results/change.h"
#include "results/times.h"

static double fact_of(const struct az_document *d, const char *name, struct az_sv *text)
{
    const struct az_table *t = az_document_table(d, "verdict_facts");
    const ptrdiff_t fact = t ? az_table_find(t, "Fact") : -1,
                    value = t ? az_table_find(t, "Value") : -1,
                    words = t ? az_table_find(t, "Text") : -1;
    for (size_t r = 0; fact >= 0 && value >= 0 && words >= 0 && r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)fact)), name)) {
            *text = az_cell_text(az_table_at(t, r, (size_t)words));
            return az_cell_number(az_table_at(t, r, (size_t)value));
        }
    *text = AZ_SV("");
    return NAN;
}

/* The rule of the first row of findings with a saving; empty: none. */
static struct az_sv first_finding(const struct az_document *d)
{
    struct az_sv rule;
    (void)fact_of(d, "first_finding", &rule);
    return rule;
}

/* The family with the most time in a table that has a row per name or family. */
static struct az_sv top_family(const struct az_document *d, const char *table)
{
    const struct az_table *t = az_document_table(d, table);
    const ptrdiff_t family = t ? az_text_column(t, "family") : -1,
                    time = t ? az_time_column(t, "kernel_time") : -1;
    double ns[AZ_FAMILIES] = { 0 };
    size_t most = 0;
    enum az_family f;
    if (family < 0 || time < 0 || !az_is_read(t))
        return AZ_SV("");
    for (size_t r = 0; r < t->rows; r++)
        if (az_family_of(az_cell_text(az_table_at(t, r, (size_t)family)), &f))
            ns[f] += az_time_at(t, r, time);
    for (size_t k = 1; k < AZ_FAMILIES; k++)
        most = ns[k] > ns[most] ? k : most;
    return ns[most] > 0 ? az_family_text((enum az_family)most) : AZ_SV("");
}

static void put_share(struct az_table *t, const struct az_change_side *s, int64_t part)
{
    az_put_f64(t, s->has_account ? (double)part / (double)s->whole.span : NAN);
}

static void put_count(struct az_table *t, int64_t n, bool known)
{
    if (known)
        az_put_i64(t, n);
    else
        az_put_empty(t);
}

static int64_t ranks_of(struct az_sv list)
{
    int64_t n = 0;
    while (list.n)
        n += az_sv_cut(&list, ' ').n > 0;
    return n ? n : 1;
}

static void put_row(struct az_table *t, const struct az_compare_input *in)
{
    struct az_change_side s;
    struct az_sv unused;
    az_change_side_of(in->doc, &s);
    struct az_sv family = in->doc ? top_family(in->doc, "step_work") : AZ_SV("");
    if (in->doc && !family.n)
        family = top_family(in->doc, "time_by_family");
    az_put_text(t, in->tag);
    az_put_given(t, s.device);
    put_count(t, s.devices, s.known);
    put_count(t, ranks_of(s.ranks), s.known);
    put_count(t, s.steps, s.has_steps);
    put_count(t, s.step.span, s.has_steps);
    put_share(t, &s, s.whole.computing);
    put_share(t, &s, s.whole.exposed_communication);
    put_share(t, &s, s.whole.exposed_copy);
    put_share(t, &s, s.whole.idle);
    az_put_f64(t, in->doc ? fact_of(in->doc, "flops_per_s", &unused) : NAN);
    az_put_f64(t, in->doc ? fact_of(in->doc, "mfu", &unused) : NAN);
    az_put_given(t, family);
    az_put_given(t, in->doc ? first_finding(in->doc) : AZ_SV(""));
}

int az_configurations(struct az_document *doc, const struct az_compare_input *in, size_t n)
{
    struct az_table *t =
        az_table_new(doc->arena, "configurations", "Configurations", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(doc->arena);
    az_table_column(t, "Title", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Device", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Devices", AZ_INT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Ranks", AZ_INT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Steps", AZ_INT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Step (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Computing share", AZ_REAL, AZ_UNIT_NONE, 0);
    az_table_column(t, "Exposed communication share", AZ_REAL, AZ_UNIT_NONE, AZ_LOWER_BETTER);
    az_table_column(t, "Exposed copy share", AZ_REAL, AZ_UNIT_NONE, AZ_LOWER_BETTER);
    az_table_column(t, "Idle share", AZ_REAL, AZ_UNIT_NONE, AZ_LOWER_BETTER);
    az_table_column(t, "FLOPs per s", AZ_REAL, AZ_UNIT_NONE, AZ_HIGHER_BETTER);
    az_table_column(t, "MFU", AZ_REAL, AZ_UNIT_NONE, AZ_HIGHER_BETTER);
    az_table_column(t, "Top family", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "First finding", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < n; i++)
        put_row(t, &in[i]);
    return az_document_add(doc, t);
}
