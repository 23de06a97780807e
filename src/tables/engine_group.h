/* Items of a spec in groups, with the metrics of each. Private to the engine. */
#ifndef AZ_TABLES_ENGINE_GROUP_H
#define AZ_TABLES_ENGINE_GROUP_H

#include "facts/groups.h"
#include "tables/engine.h"

/* A row: of one item its figures are computed when it is written, as there may be many such. */
struct az_group_row {
    struct az_item first;
    uint32_t figure; /* place of its figures / n_values; AZ_NO_ID: those of `first` */
    int64_t n;       /* items; AZ_UNKNOWN */
};
AZ_VEC(struct az_group_row, az_group_rows);

struct az_grouping {
    const struct az_table_spec *spec;
    struct az_scope rows;
    const struct az_item_list *list;
    const struct az_spec_column *column[AZ_SPEC_COLUMNS]; /* those that are there */
    size_t n_columns;
    enum az_cell_type type[AZ_SPEC_COLUMNS]; /* of each, and a value's own unit per unit of it */
    double divisor[AZ_SPEC_COLUMNS];
    const struct az_key *key[AZ_GROUP_KEYS]; /* that part rows */
    size_t n_keys, n_values;
    bool exact;    /* ticks of the values are ns, and every extreme is an integer */
    int64_t ticks; /* per ns */
    struct az_group_rows groups;
    struct az_figures *figure; /* az_group_row.figure * n_values + value */
    size_t figure_room;
    struct az_name_sums sums; /* instead of groups, where the spec has a fact's */
    struct az_group one;      /* the row that is examined */
    struct az_figures one_figure[AZ_SPEC_VALUES];
    /* while grouping */
    size_t n;     /* items, skipped ones too */
    uint32_t *of; /* item -> group */
    size_t room;  /* of `of` */
    struct az_grouper by;
    struct az_intern texts; /* of text keys */
    struct az_arena names;
    uint32_t *by_name[AZ_GROUP_KEYS]; /* name -> number of the key's text + 1; in `names` */
    bool all_by_name;
    struct az_vec_u32 by_number; /* name id, or the spec's number -> group + 1, of one trace: */
    size_t alike_trace;
    struct az_cached_text { /* of a text key, and its number */
        struct az_sv text;
        uint32_t number;
    } seen[AZ_GROUP_KEYS][8]; /* by the text's address: most are one of a few */
};

/* Are events of that trace items? */
bool az_grouping_has_trace(const struct az_grouping *g, size_t trace);
/* Every item in the order of the source. */
typedef int az_grouping_visit(void *ctx, size_t i, const struct az_item *item);
int az_grouping_each(const struct az_grouping *g, az_grouping_visit *see, void *ctx) AZ_MUST_USE;
/* Metrics of one value of all groups that have a place for them (engine_figures.c). */
int az_grouping_figures(struct az_grouping *g, size_t value) AZ_MUST_USE;
/* The same of one item, and its sum alone. */
struct az_figures az_grouping_item_figures(const struct az_grouping *g, size_t value,
                                           const struct az_item *item);
int64_t az_grouping_item_sum(const struct az_grouping *g, size_t value, const struct az_item *item);

/* To be released also when it fails. */
int az_grouping_make(struct az_grouping *g) AZ_MUST_USE;
void az_grouping_release(struct az_grouping *g);
/* How many rows there are, and one of them, which is good until the next call. */
size_t az_grouping_rows(const struct az_grouping *g);
struct az_group *az_grouping_row(struct az_grouping *g, size_t k);
/* The sum of a value of one of them. */
int64_t az_grouping_sum(const struct az_grouping *g, size_t k, size_t value);

#endif
