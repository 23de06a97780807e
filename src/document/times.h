/* Times in the tables of a result, whatever format they are from: the account of time, and
 * the rows of kernels, operators or groups with their times. */
#ifndef AZ_DOCUMENT_TIMES_H
#define AZ_DOCUMENT_TIMES_H

#include "classify/kernels.h"
#include "document/document.h"

/* Account of time as the tables of a result have it, in whole nanoseconds: total = busy + idle,
 * and if `parted` busy = compute + comm + copies. Of several devices the mean. */
struct az_sum_of_time {
    bool known, parted;
    bool serial; /* work runs one after another: rows of it add up to `busy` at most */
    int64_t total, busy, idle, compute, comm, copies;
    size_t devices;
    size_t steps; /* rows are sums over so many of what the account is about; 0: one */
    struct az_sv table;
};

/* The row of `data_quality` in which a report of operations defines which of its time counts. */
#define AZ_TIME_ACCOUNT "account of time"

/* Are the table's rows there to be read one by one? */
bool az_is_read(const struct az_table *t);
/* Column of a stem with times, or texts; -1: none. */
ptrdiff_t az_time_column(const struct az_table *t, const char *stem);
ptrdiff_t az_text_column(const struct az_table *t, const char *stem);
/* A time in nanoseconds; 0 where there is none. */
double az_time_at(const struct az_table *t, size_t row, ptrdiff_t column);
/* Not known: no table of the document has it. */
void az_time_of_document(const struct az_document *d, struct az_sum_of_time *out);

/* Where rows with a name and a time are in a document. */
struct az_time_rows {
    const struct az_table *t; /* NULL: nowhere */
    ptrdiff_t label, time, family;
    size_t category; /* of the operation: 1 + its column; 0: there is none */
    double sum;      /* ns */
    double per;      /* ranks or devices that the sums are of */
};
/* The table that has the most time by this label: parts of the work have tables, too. Where the
 * account is of work that runs one after another, one that has more than the busy time is skipped
 * in favor of one that has not: it has an operation several times (as the advice on them does), or
 * rows outside the account. One by ranges, which nest, only where there is no other. 0, AZ_ENOMEM,
 * AZ_ELIMIT. */
int az_time_rows_find(const struct az_document *d, const char *label, const char *time,
                      const struct az_sum_of_time *account, struct az_time_rows *out) AZ_MUST_USE;
/* Is the row the whole, next to its parts, or control flow, whose own time is no work? */
bool az_time_rows_contains_others(const struct az_time_rows *s, size_t row);
/* Is it a copy between memories, as profilers name them? */
bool az_time_named_copy(struct az_sv name);
/* Is the row a copy between memories, not a kernel that computes, by its name? */
bool az_time_rows_copied(const struct az_time_rows *s, size_t row,
                         const struct az_kernel_rules *rules);
/* By the column of families, else by the name. */
enum az_family az_time_rows_family(const struct az_time_rows *s, size_t row,
                                   const struct az_kernel_rules *rules);

#endif
