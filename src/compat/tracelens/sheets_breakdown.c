/* grouped_breakdown (docs/formulas-multirank.md 4.3): time by groups of operators. Next to the sums
 * of what each group launched, in which concurrent work counts several times, the time by which it
 * keeps the device busy: an instant of computation belongs to what began first, communication and
 * copies count where nothing computes. That adds up to busy_time. */
#include "compat/tracelens/sheets_common.h"

#include "base/num.h"
#include "compat/tracelens/sheets_groups.h"
#include "document/record.h"

struct group {
    struct az_sv name;
    uint32_t class;        /* of the user's map; AZ_CLASS_OTHERS: by operators alone */
    int64_t time, exposed; /* ns, of all ranks */
};
AZ_VEC(struct group, groups);

/* The groups of the data file, then the classes of the user's map that are none of them. */
static int make_groups(const struct az_tracelens_ranks *m, struct groups *g)
{
    struct az_sv name[AZ_TRACELENS_GROUPS];
    const struct az_classifier *c = m->job->classes;
    const size_t n = az_tracelens_names(AZ_TRACELENS_GROUP, name);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = az_vec_push(g, ((struct group){ .name = name[i] }));
    for (uint32_t k = AZ_CLASS_OTHERS + 1; rc == 0 && k < c->names.n; k++) {
        size_t i = 0;
        if (k == c->nccl)
            continue;
        while (i < g->n && !az_sv_ieq(g->v[i].name, c->names.v[k]))
            i++;
        if (i < g->n)
            g->v[i].class = k;
        else
            rc = az_vec_push(g, ((struct group){ .name = c->names.v[k], .class = k }));
    }
    return rc;
}

/* in: the groups of the data file that the operator is in; these come first. */
static bool belongs(const struct groups *g, size_t k, const struct az_tracelens_launch_sum *s,
                    uint32_t in)
{
    if (s->sum.class != AZ_CLASS_OTHERS)
        return g->v[k].class == s->sum.class;
    return k < AZ_TRACELENS_GROUPS && (in >> k & 1);
}

/* Adds every launcher to its groups; `other` takes what is in none. */
static void fill_groups(const struct az_tracelens_launch_sums *s,
                        const struct az_tracelens_words *words, struct groups *g,
                        struct group *other)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct az_tracelens_launch *l = &s->v[i].sum;
        const uint32_t in = s->v[i].name.p ? az_tracelens_sets(words, s->v[i].name) : 0;
        bool any = false;
        for (size_t k = 0; k < g->n; k++) {
            if (!belongs(g, k, &s->v[i], in))
                continue;
            g->v[k].time = az_add_sat(g->v[k].time, s->v[i].name.p ? l->time : 0);
            if (!any) /* of several groups, the first */
                g->v[k].exposed = az_add_sat(g->v[k].exposed, l->exposed);
            any = true;
        }
        if (!any) {
            other->time = az_add_sat(other->time, s->v[i].name.p ? l->time : 0);
            other->exposed = az_add_sat(other->exposed, l->exposed);
        }
    }
}

static int64_t sum_of(const struct az_tracelens_ranks *m, enum az_tracelens_figure f)
{
    int64_t sum = 0;
    for (size_t i = 0; i < m->ranks->n; i++)
        sum = az_add_sat(sum, m->part[i] ? m->part[i]->figure[f] : 0);
    return sum;
}

struct breakdown { /* a row */
    const struct group *group;
    double ranks;
};
AZ_OF_RECORD(double, mean_time, struct breakdown, (double)r->group->time / 1e9 / r->ranks)
AZ_OF_RECORD(double, mean_exposed, struct breakdown, (double)r->group->exposed / 1e9 / r->ranks)

static const struct az_record_column grouped_breakdown_columns[] = {
    { "Group", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct breakdown, group, name) },
    { "Time (s)", AZ_REAL, AZ_UNIT_S, AZ_LOWER_BETTER, .real = mean_time },
    { "Exposed (s)", AZ_REAL, AZ_UNIT_S, AZ_LOWER_BETTER, .real = mean_exposed },
};

static void put_group(const struct az_tracelens_ranks *m, struct az_table *t, const struct group *g,
                      struct group *total)
{
    az_put_row(t, &(struct breakdown){ g, (double)m->n });
    if (total) {
        total->time = az_add_sat(total->time, g->time);
        total->exposed = az_add_sat(total->exposed, g->exposed);
    }
}

static int put_rows(const struct az_tracelens_ranks *m, const struct az_tracelens_launch_sums *s,
                    struct az_table *t)
{
    struct groups g;
    struct group other = { .name = AZ_SV("Other") }, total = { .name = AZ_SV("Total") };
    const struct group comms = { .name = AZ_SV("Comms"),
                                 .time = sum_of(m, AZ_TRACELENS_COMM),
                                 .exposed = sum_of(m, AZ_TRACELENS_EXPOSED_COMM) },
                       copies = { .name = AZ_SV("Memcpy"),
                                  .time = sum_of(m, AZ_TRACELENS_MEMCPY),
                                  .exposed = sum_of(m, AZ_TRACELENS_EXPOSED_MEMCPY) };
    az_vec_init(&g, m->job->mem);
    struct az_tracelens_words words;
    int rc = make_groups(m, &g);
    if (rc == 0)
        rc = az_tracelens_words(AZ_TRACELENS_GROUP, m->job->arena, &words);
    if (rc == 0) {
        fill_groups(s, &words, &g, &other);
        for (size_t i = 0; i < g.n; i++)
            put_group(m, t, &g.v[i], &total);
        put_group(m, t, &comms, &total);
        put_group(m, t, &copies, &total);
        put_group(m, t, &other, &total);
        put_group(m, t, &total, NULL);
        const int64_t exposed = total.exposed == INT64_MIN ? INT64_MAX : -total.exposed,
                      rest = az_add_sat(sum_of(m, AZ_TRACELENS_BUSY), exposed);
        az_cover(m->job, "grouped_breakdown: busy_time - total of Exposed, all ranks", (double)rest,
                 "ns", rest ? AZ_SV("must be 0; report this as a bug") : AZ_SV("exact"));
    }
    az_vec_release(&g);
    return rc;
}

/* Both columns as bars; the last row is the total of the others. */
static int chart(struct az_job *job, size_t rows)
{
    struct az_chart c = { .kind = AZ_CHART_BAR,
                          .table = AZ_SV("grouped_breakdown"),
                          .title = AZ_SV("Time by operator group"),
                          .x = AZ_SV("Group"),
                          .x_title = AZ_SV("Group"),
                          .y_title = AZ_SV("s"),
                          .max_rows = rows - 1 };
    az_vec_init(&c.y, job->doc->mem);
    int rc = az_vec_push(&c.y, AZ_SV("Time (s)"));
    if (rc == 0)
        rc = az_vec_push(&c.y, AZ_SV("Exposed (s)"));
    if (rc) {
        az_vec_release(&c.y);
        return rc;
    }
    return az_document_chart(job->doc, c);
}

int az_tracelens_breakdown(const struct az_tracelens_ranks *m,
                           const struct az_tracelens_launch_sums *s)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "grouped_breakdown", "Mean time by operator group",
                        AZ_TABLE_SUMMARY | AZ_TABLE_SHORT, grouped_breakdown_columns);
    if (!t)
        return az_arena_error(m->job->arena);
    int rc = put_rows(m, s, t);
    const size_t n = t->rows;
    rc = az_job_add(m->job, t, rc);
    return rc || n < 2 ? rc : chart(m->job, n);
}
