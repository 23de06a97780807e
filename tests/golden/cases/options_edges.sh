# Options at their edges: the rows that each changes, of every format.
gen() { # generator, arguments
    made=$SRC/tests/gen/$1
    shift
    "$PYTHON" "$made" "$@" >/dev/null || exit 99
}
gen make_rocprof_examples.py . --steps 3 --only json
gen make_nsys_sqlite.py . proc1_gpu2_v3_24
cp "$SRC/example/pytorch/train_step.json" "$SRC/example/xplane/tpu/tpu.xplane.pb" .
tables() { # folder, options: the CSVs
    dir=$1
    shift
    "$ANALYZER" run "$in" -q --compat=all --csv-dir "$dir" "$@" 2>&1 || echo "exit status $?"
    rm -f "$dir"/facts.csv "$dir"/unified* "$dir"/ops_all* "$dir"/ops_unique* "$dir"/*GEMM* "$dir"/*Elementwise* "$dir"/Norm* "$dir"/Multi* \
        "$dir"/roofline_chart.csv "$dir"/queue_length_over_time.csv
}
each() { # input, then one set of options a line on standard input
    in=$1
    tables plain
    while read -r options; do
        echo "== $in $options"
        # shellcheck disable=SC2086 # words of options
        tables out $options
        diff -rN plain out | grep -v -e '^[0-9,]*[acd][0-9,]*$' -e ^diff -e ^--- -e 'tables on request' | cut -c 1-160 | head -n 30
        rm -rf out
    done
    rm -rf plain
}
each train_step.json <<'END'
--opt steps=none
--opt steps=pattern
--opt warmup_iters=1
--opt num_of_iters=1
--opt gap_threshold_us=0
--opt micro_idle_thresh_us=0
--opt micro_idle_thresh_us=3
--opt topk_ops=1
--opt short_kernel_study=true --opt short_kernel_histogram_bins=1
--opt short_kernel_study=true --opt short_kernel_threshold_us=0
--opt short_kernel_study=true --opt short_kernel_threshold_us=7 --opt topk_short_kernels=1 --opt short_kernel_histogram_bins=2
--opt collective_patterns=gemm=allreduce
--opt roofline_basis=achievable
--opt device_peaks=mem_bw_gbps=1000
--opt link_by=flow
--opt collective_arguments=kernel
--opt top_rows=1
--opt rank_tables=always --opt consecutive_kernel_delay_ns=0 --opt last_step=keep
--opt rank_tables=always --opt consecutive_kernel_delay_ns=2000
--opt rank_tables=always --opt max_queue_length=1 --opt breakdown_kernels=1
--opt rank_tables=always --opt breakdown_ratio=0.5 --opt breakdown_kernels=0
--opt gpus_per_node=1
END
each train_results.json <<'END'
--opt kernel_details=true --opt topk_kernels=2
--opt min_event_ns=20000
--opt merge_kernels=true
--opt allow_multi_kernel_per_api=true
--opt exclude_kernels=gemm
--opt kernel_names=full
--opt kernel_names=mangled
--opt kernel_geometry=true
--opt util_chunks=1
--opt util_chunks=3
--opt gap_threshold_us=5
--opt num_of_iters=1
--opt warmup_iters=1
--opt disable_kernel_summary=true
--opt short_kernel_study=true --opt short_kernel_threshold_us=30 --opt short_kernel_histogram_bins=3
END
each proc1_gpu2_v3_24.sqlite <<'END'
--opt nccl_compat_names=true
--opt gap_threshold_us=10
--opt util_chunks=2
--opt num_of_iters=2
--opt num_of_iters=1 --opt num_of_gpus=2
--opt num_of_iters=3 --opt nvtx_tag_of_iter=iter
--opt warmup_iters=1
--opt kernel_names=short
--opt kernel_names=mangled
END
each tpu.xplane.pb <<'END'
--opt num_of_iters=1
--opt num_of_iters=2
--opt warmup_iters=1
--opt rank_tables=always
--opt roofline_basis=achievable
--opt device_peaks=mem_bw_gbps=1000
--opt micro_idle_thresh_us=1
END
