/* Items of a spec in groups, with the figures of each. Private to the engine. */
#ifndef AZ_TABLES_ENGINE_GROUP_H
#define AZ_TABLES_ENGINE_GROUP_H

#include "tables/engine.h"

AZ_VEC(struct az_group, az_group_rows);

struct az_grouping {
    const struct az_table_spec *spec;
    struct az_scope rows;
    const struct az_item_list *list;
    const struct az_spec_column *column[AZ_SPEC_COLUMNS]; /* those that are there */
    size_t n_columns;
    const struct az_key *key[AZ_SPEC_KEYS]; /* that part rows */
    size_t n_keys, n_values;
    bool exact;    /* ticks of the values are ns, and every extreme is an integer */
    int64_t ticks; /* per ns */
    struct az_group_rows groups;
    struct az_figures *figure; /* group * n_values + value; arena */
    /* while grouping */
    size_t n;                 /* items, skipped ones too */
    uint32_t *of;             /* item -> group */
    size_t room;              /* of `of` */
    struct az_map map;        /* keys, or their hash and a count of others of that hash -> group */
    struct az_vec_u64 tuples; /* group -> its keys, where there are more than two */
    struct az_intern texts;   /* of text keys */
    uint32_t *by_name[AZ_SPEC_KEYS]; /* name -> number of the key's text + 1; arena */
    uint32_t *direct; /* the only key, where it is bounded: number -> group; AZ_NO_ID: none */
    size_t below;
    uint64_t last[AZ_SPEC_KEYS]; /* of the item before, and its group */
    uint32_t last_group;
    struct az_sv last_text[AZ_SPEC_KEYS]; /* of a text key, and its number */
    uint32_t last_number[AZ_SPEC_KEYS];
};

/* To be released also when it fails. */
int az_grouping_make(struct az_grouping *g) AZ_MUST_USE;
void az_grouping_release(struct az_grouping *g);

#endif
