# Traces of PyTorch, copied with some seeded changes: rows and messages of each copy, a digest of each table.
for seed in 51 52; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" $seed.json --seed $seed --steps 3 || exit 99
done
"$PYTHON" "$SRC/tests/golden/edits.py" 1 60 51.json 52.json short_kernel_study=true short_kernel_threshold_us=1,2 \
    short_kernel_histogram_bins=1,3 topk_short_kernels=1 include_overlap_info=true detect_recompute=true micro_idle_thresh_us=1 \
    include_unlinked_kernels=true include_first_occurrence_time=true group_by_num_kernels=true topk_ops=2 link_by=flow \
    topk_roofline_ops=2 critical_path=true rank_tables=always steps=pattern,none,2
