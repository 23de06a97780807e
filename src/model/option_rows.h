/* Options of `options` and --opt, one row each: a row is the field of struct az_options and the key
 * with all that is said of it. Options of other places, and those whose field has another name, are
 * rows of config/options.c.
 *     X(type, key, range, values, default, formats, help, since)
 * type: BOOL, INT, REAL, TEXT, PATH or ENUM; the rest as in that table (struct az_option). */
#ifndef AZ_MODEL_OPTION_ROWS_H
#define AZ_MODEL_OPTION_ROWS_H

/* clang-format off */
#define AZ_OPTION_ROWS(X) \
    X(ENUM, rank_tables, NO_RANGE, "several|always", "several", "", \
      "the tables over ranks: of inputs of several files (and collectives between several devices of one), or all of them of one file, too", "0.1") \
    X(ENUM, last_step, NO_RANGE, "drop|keep", "drop", "pytorch", \
      "breakdowns of ranks: drop what was launched in the last profiler step, which is often cut short (of two or more steps), or keep it", "0.1") \
    X(INT, consecutive_kernel_delay_ns, ANY_INT, NULL, "30000", "", \
      "a shorter gap between kernels of a stream that were both launched is kernel_wait, nanoseconds", "0.1") \
    X(INT, max_queue_length, 1, 1e9, NULL, "1024", "", \
      "launches waiting on a stream from which on the host is blocked", "0.1") \
    X(INT, breakdown_kernels, 0, 1e9, NULL, "10", "", \
      "names kept a rank and kind in kernel_breakdown and user_annotations, the rest is `others`; 0: all", "0.1") \
    X(REAL, breakdown_ratio, 0, 1, NULL, "0.8", "", \
      "of more names than that, those above this quantile of the running sums are `others` too", "0.1") \
    X(REAL, runtime_cutoff_us, 0, 1e15, NULL, "50", "", \
      "a longer launch call is an outlier; of shorter ones, a kernel that takes less than its call is short; microseconds", "0.1") \
    X(REAL, launch_delay_cutoff_us, 0, 1e15, NULL, "100", "", \
      "a longer delay between call and kernel is an outlier, microseconds", "0.1") \
    X(BOOL, launch_details, NO_RANGE, NULL, "false", "", \
      "table of every launch of every rank (cuda_kernel_launch_stats)", "0.1") \
    X(TEXT, sequence_op, NO_RANGE, NULL, NULL, "pytorch", \
      "frequent kernel sequences of the operators with this in their name; absent: none", "0.1") \
    X(INT, sequence_min_kernels, 1, 1e9, NULL, "3", "pytorch", "shorter kernel sequences are skipped", "0.1") \
    X(INT, sequence_top, 0, 1e9, NULL, "5", "pytorch", "kernel sequences a rank; 0: all", "0.1") \
    X(INT, straggler_candidates, 1, 1e6, NULL, "2", "pytorch", \
      "ranks counted in each iteration as the last to start the collective that varies most", "0.1") \
    X(BOOL, critical_path, NO_RANGE, NULL, "false", "pytorch", "critical path of one rank", "0.1") \
    X(INT, critical_path_rank, 0, 1e9, NULL, NULL, "pytorch", \
      "of which rank; absent: the lowest that is there", "0.1") \
    X(TEXT, critical_path_annotation, NO_RANGE, NULL, NULL, "pytorch", \
      "the part of the trace: an annotation with this in its name; absent: a profiler step, else everything", "0.1") \
    X(INT, critical_path_instance, 0, 1e9, NULL, "0", "pytorch", "which occurrence of that annotation, from 0", "0.1") \
    X(BOOL, database_events, NO_RANGE, NULL, "false", "", \
      "the output format sqlite holds the events, too: kernels, copies, operators, calls, ...", "0.1")
/* clang-format on */

#define AZ_OPTION_HOLDS_BOOL            bool
#define AZ_OPTION_HOLDS_INT             int64_t /* AZ_UNSET_I64: no default, and not given */
#define AZ_OPTION_HOLDS_REAL            double
#define AZ_OPTION_HOLDS_TEXT            struct az_sv /* empty: no default, and not given */
#define AZ_OPTION_HOLDS_PATH            struct az_sv
#define AZ_OPTION_HOLDS_ENUM            struct az_sv
#define AZ_OPTION_FIELD(type, key, ...) AZ_OPTION_HOLDS_##type key;

#endif
