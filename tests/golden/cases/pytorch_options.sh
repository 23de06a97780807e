# Every option of PyTorch traces at least once: what it changes in the tables.
in=$SRC/example/pytorch
columns() { # file, pattern
    head -n 1 "$1" | tr ',' '\n' | grep -n -E "$2"
}
run() { # folder, trace, options: the CSVs
    dir=$1 trace=$2
    shift 2
    "$ANALYZER" run "$in/$trace" -q --compat=all --csv-dir "$dir" "$@" || echo "exit status $?"
}
run plain train_step.json
ls plain
for o in enable_kernel_summary=false disable_coll_analysis=true include_unlinked_kernels=true link_by=flow; do
    echo "== $o"
    run o inference.json --opt "$o"
    cat o/gpu_timeline.csv
    for t in kernel_summary coll_analysis; do [ -f o/$t.csv ] && echo "has $t"; done
    rm -r o
done
echo "== micro_idle_thresh_us"
run o inference.json --opt micro_idle_thresh_us=3
grep idle o/gpu_timeline.csv
echo "== topk_ops, topk_roofline_ops, topk_short_kernels"
run k train_step.json --opt topk_ops=2 --opt topk_roofline_ops=3 --opt short_kernel_study=true --opt topk_short_kernels=1
wc -l k/ops_summary.csv k/ops_all.csv k/roofline.csv k/unified_perf_summary.csv k/short_kernels_all_details.csv
grep "rows skipped" k/coverage.csv
cut -d, -f1,5,7- k/ops_summary.csv
echo "== short_kernel_threshold_us, short_kernel_histogram_bins"
run s train_step.json --opt short_kernel_study=true --opt short_kernel_threshold_us=6 --opt short_kernel_histogram_bins=4
cat s/short_kernels_histogram.csv
tail -n +2 s/short_kernels_all_details.csv | cut -c 1-40
echo "== group_by_num_kernels, include_first_occurrence_time, include_call_stack, detect_recompute, include_overlap_info"
run c train_step.json --opt group_by_num_kernels=true --opt include_first_occurrence_time=true --opt include_call_stack=true \
    --opt detect_recompute=true --opt include_overlap_info=true
columns c/ops_all.csv "num_kernels|first_occurrence|is_recompute"
columns c/unified_perf_summary.csv "entry_point|call_stack|is_recompute"
columns c/ops_all_kl_overlap.csv overlap
columns c/unified_perf_summary_kl_overlap.csv overlap
cat c/gpu_timeline.csv
echo "== gpu_arch_platform"
run g train_step.json --opt gpu_arch_platform=MI325X
grep "^roofline" g/coverage.csv
echo "== a device that is nearly one of the table"
"$ANALYZER" run "$in/train_step.json" --csv-dir g --opt gpu_arch_platform=H200X 2>&1 >/dev/null | grep "rates known"
run g train_step.json --opt gpu_arch_platform="AMD Instinct MI350X"
grep "^roofline" g/coverage.csv
echo "== gpu_arch_json_path"
cat >arch.json <<'END'
{ "name": "Lab card", "mem_bw_gbps": 5300, "max_achievable_tflops": { "matrix_bf16": 708, "matrix_bf17": 1 } }
END
run g train_step.json --opt gpu_arch_json_path=arch.json --opt gpu_arch_platform=MI325X
grep "^roofline" g/coverage.csv
sed -n 2p g/roofline.csv
run g train_step.json --opt gpu_arch_json_path=missing.json
for m in hybrid kernel_names operation_frequency framework_apis attention_patterns gemm_params annotation auto; do
    echo "== phase_detection_method $m"
    run p inference.json --opt inference_phase_analysis=true --opt phase_detection_method=$m --opt decode_threshold=32
    cat p/inference_phases.csv
    for t in p/*_prefill.csv p/*_decode.csv; do [ -f "$t" ] && basename "$t"; done
    rm -r p
done
