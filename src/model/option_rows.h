/* Options of `options` and --opt, one row each: a row is the field of struct az_options and the key
 * with all its properties. Options of other places, and those whose field has another name, are
 * rows of config/options.c.
 *     X(type, key, range, values, default, formats, help, since)
 * type: BOOL, INT, REAL, TEXT, PATH or ENUM; the rest as in that table (struct az_option). */
#ifndef AZ_MODEL_OPTION_ROWS_H
#define AZ_MODEL_OPTION_ROWS_H

/* clang-format off */
#define AZ_OPTION_ROWS(X) \
    X(BOOL, no_paths, NO_RANGE, NULL, "false", "", \
      "name inputs in reports without their folders, for reports that are published", "0.1") \
    X(ENUM, rank_tables, NO_RANGE, "several|always", "several", "", \
      "tables over ranks: only for inputs of several files (and collectives between several devices), or also for a single file", "0.1") \
    X(ENUM, last_step, NO_RANGE, "drop|keep", "drop", "pytorch", \
      "breakdowns of ranks: drop or keep work launched in the last profiler step, which is often truncated (with two or more steps)", "0.1") \
    X(INT, consecutive_kernel_delay_ns, ANY_INT, NULL, "30000", "", \
      "gap between two launched kernels of a stream below which it is kernel_wait, nanoseconds", "0.1") \
    X(INT, max_queue_length, 1, 1e9, NULL, "1024", "", \
      "number of pending launches on a stream at which the host blocks", "0.1") \
    X(INT, breakdown_kernels, 0, 1e9, NULL, "10", "", \
      "names per rank and kind in kernel_breakdown and user_annotations; the rest is `others`; 0: all", "0.1") \
    X(REAL, breakdown_ratio, 0, 1, NULL, "0.8", "", \
      "if there are more names, those above this quantile of the cumulative sums are also `others`", "0.1") \
    X(REAL, runtime_cutoff_us, 0, 1e15, NULL, "50", "", \
      "duration above which a launch call is an outlier, microseconds; below it, a kernel that is shorter than its call is short", "0.1") \
    X(REAL, launch_delay_cutoff_us, 0, 1e15, NULL, "100", "", \
      "delay between call and kernel above which it is an outlier, microseconds", "0.1") \
    X(BOOL, launch_details, NO_RANGE, NULL, "false", "", \
      "add a table of every launch of every rank (cuda_kernel_launch_stats)", "0.1") \
    X(TEXT, sequence_op, NO_RANGE, NULL, NULL, "pytorch", \
      "report frequent kernel sequences of operators with this text in their name; absent: none", "0.1") \
    X(INT, sequence_min_kernels, 1, 1e9, NULL, "3", "pytorch", "minimum length of a kernel sequence", "0.1") \
    X(INT, sequence_top, 0, 1e9, NULL, "5", "pytorch", "kernel sequences per rank; 0: all", "0.1") \
    X(INT, straggler_candidates, 1, 1e6, NULL, "2", "pytorch", \
      "number of ranks counted per iteration as the last to start the collective with the largest skew", "0.1") \
    X(BOOL, critical_path, NO_RANGE, NULL, "false", "pytorch", "compute the critical path of one rank", "0.1") \
    X(INT, critical_path_rank, 0, 1e9, NULL, NULL, "pytorch", \
      "rank of the critical path; absent: the lowest rank", "0.1") \
    X(TEXT, critical_path_annotation, NO_RANGE, NULL, NULL, "pytorch", \
      "annotation with this text in its name limits the critical path; absent: a profiler step, else the whole trace", "0.1") \
    X(INT, critical_path_instance, 0, 1e9, NULL, "0", "pytorch", "index of the occurrence of that annotation, from 0", "0.1") \
    X(ENUM, sheets_as, NO_RANGE, \
      "own|tracelens-inference|tracelens-jax|tracelens-pftrace-hip-api|tracelens-pftrace-hip-activity|tracelens-pftrace-memory-copy|tracelens-genesis|tracelens-collectives|tracelens-compare|tracelens-multirank", \
      "own", "", \
      "write the sheets of another program, under its names, with its columns, in its order; own: those of this program", "0.4") \
    X(PATH, comparison_capture_folder, NO_RANGE, NULL, NULL, "pytorch", \
      "folder with the traces of graph captures of the second trace (comparison_json_path); absent: capture_traces next to it", "0.4") \
    X(BOOL, run_replay, NO_RANGE, NULL, "false", "pytorch", \
      "with node_replay: run the benchmark commands, too, and add their times to the report", "0.4") \
    X(BOOL, include_nonlaunch_apis, NO_RANGE, NULL, "false", "rocprof rocpd pftrace", \
      "launch latency: add calls that launch nothing", "0.4") \
    X(TEXT, exclude_kernel_regex, NO_RANGE, NULL, NULL, "rocprof rocpd pftrace", \
      "launch latency: skip kernels whose name matches this POSIX extended regular expression, instead of exclude_kernels; empty: skip none", "0.4") \
    X(BOOL, no_kernel_summary, NO_RANGE, NULL, "false", "rocprof rocpd pftrace", \
      "omit the activity table of kernels", "0.4") \
    X(BOOL, kernel_summary_include_rccl, NO_RANGE, NULL, "false", "rocprof rocpd pftrace", \
      "activity table of kernels: include communication", "0.4") \
    X(ENUM, kernel_summary_baseline, NO_RANGE, "total|compute", "total", "rocprof rocpd pftrace", \
      "activity table of kernels: shares of all kernel time, or of computation", "0.4") \
    X(ENUM, kernel_summary_group, NO_RANGE, "config|name", "config", "rocprof rocpd pftrace", \
      "activity table of kernels: rows by launch configuration and name, or by name", "0.4") \
    X(BOOL, no_hip_summary, NO_RANGE, NULL, "false", "rocprof rocpd pftrace", \
      "omit the activity table of HIP calls", "0.4") \
    X(ENUM, hip_summary_group, NO_RANGE, "name|name+stream|name+op|name+stream+op", "name", "pftrace", \
      "activity table of HIP calls: rows by name, and by stream, by operation", "0.4") \
    X(INT, min_tid, -9e15, 9e15, NULL, "-1000000000", "pftrace", \
      "skip slices of threads with a smaller id", "0.4") \
    X(INT, max_tid, -9e15, 9e15, NULL, "1000000000", "pftrace", \
      "skip slices of threads with a larger id", "0.4") \
    X(REAL, steady_state_gap_ms, 0, 1e12, NULL, "1000", "rocprof rocpd pftrace", \
      "with sheets_as tracelens-genesis: gap between dispatches after which the steps begin, milliseconds", "0.4") \
    X(REAL, steady_state_fallback_s, 0, 1e9, NULL, "5", "rocprof rocpd pftrace", \
      "with sheets_as tracelens-genesis: length of the end of the run that is the steps where no gap is that long, seconds", "0.4") \
    X(TEXT, collective_metrics, NO_RANGE, NULL, NULL, "pytorch", \
      "with sheets_as tracelens-collectives: statistics of the summaries of collectives, blanks between them: mean median min max std; absent: all but std", "0.4") \
    X(INT, top_xla, 0, 1e9, NULL, "30", "rocprof rocpd pftrace", \
      "rows of xla_top; 0: all", "0.4") \
    X(TEXT, from, NO_RANGE, NULL, NULL, "", \
      "start of the window: a time from the start of the recording (1.5s, 250ms), a part of it (50%), or @RANGE; steps and range choose it, too", "0.4") \
    X(TEXT, to, NO_RANGE, NULL, NULL, "", "end of the window, as from; @RANGE: the end of the last range of that name", "0.4") \
    X(TEXT, range, NO_RANGE, NULL, NULL, "", \
      "window of the ranges, record_functions or modules of this name (* and ? match any text): host activity in them and the device work that it launches", "0.4") \
    X(BOOL, database_events, NO_RANGE, NULL, "false", "", \
      "include events in the output format sqlite: kernels, copies, operators, calls, ...", "0.1")
/* clang-format on */

#define AZ_OPTION_HOLDS_BOOL            bool
#define AZ_OPTION_HOLDS_INT             int64_t /* AZ_UNSET_I64: no default, and not set */
#define AZ_OPTION_HOLDS_REAL            double
#define AZ_OPTION_HOLDS_TEXT            struct az_sv /* empty: no default, and not set */
#define AZ_OPTION_HOLDS_PATH            struct az_sv
#define AZ_OPTION_HOLDS_ENUM            struct az_sv
#define AZ_OPTION_FIELD(type, key, ...) AZ_OPTION_HOLDS_##type key;

#endif
