# Operation reports of Tracy, copied with some seeded changes: rows and messages of each copy, a digest of each table.
"$PYTHON" "$SRC/tests/gen/make_ties_tracy.py" "$SRC/example/tracy/ops_perf_results_layers.csv" ties.csv 57 || exit 99
"$PYTHON" "$SRC/tests/golden/edits.py" 6 40 ties.csv group_by=op,category no_merge_devices=true min_percentage=0,5 hide_small=true \
    signpost=iteration drop_impossible=true no_host_ops=true raw_op_codes=true tracing_mode=true print_signposts=true last_signpost=first \
    arch=blackhole,grayskull worker_cores=1,64 op_rules=first id_range=5-20,-12 active_experts=1
