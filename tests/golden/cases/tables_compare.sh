# Every cell of the comparison of two made-up ranks with other kernels, and of their call trees; three runs, the best as baseline.
for i in 1 2 3; do
    "$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" $i.json --steps $((i + 1)) --layers 1 --seed $i || exit 99
done
sed 's/ampere/sm80/g; s/aten::gelu/aten::silu/' 2.json >b.json
"$ANALYZER" compare 1.json b.json --tree --names a,b --csv-dir out -q --format text,csv -v
sh "$SRC/tests/golden/tables.sh" out \
    account compare_inputs compare_summary compare_unmatched diff_by_op diff_stats diff_stats_unique_args_summary \
    gpu_timeline host_operators idle_causes kernel_summary mem_time_sum names_diff op_kernel_map ops_all_only_baseline_b \
    ops_all_only_variant_b ops_summary ops_summary_by_category side_by_side_account side_by_side_families \
    side_by_side_families_chart step_work steps time_by_family unified_perf_summary_only_baseline_b \
    unified_perf_summary_only_variant_b verdict waterfall
"$ANALYZER" compare 1.json b.json 3.json --names a,b,c --baseline best --csv-dir three -q
sh "$SRC/tests/golden/tables.sh" three \
    account compare_inputs compare_summary compare_unmatched gpu_timeline host_operators idle_causes kernel_summary \
    mem_time_sum ops_summary ops_summary_by_category side_by_side_account side_by_side_families \
    side_by_side_families_chart step_work steps time_by_family top_changes__c verdict waterfall__b waterfall__c
"$ANALYZER" compare 1.json b.json --names a,b --csv-dir whole -q --basis recording --sheets gpu_timeline,ops_summary,kernel_summary --normalize
sh "$SRC/tests/golden/tables.sh" whole \
    compare_inputs compare_summary gpu_timeline kernel_summary ops_summary top_changes verdict waterfall
