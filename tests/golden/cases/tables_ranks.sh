# Every cell of the tables of a run of four ranks, one of them slow; the tables of other tools, too.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 4 --steps 2 --layers 1 --slow 2 || exit 99
"$ANALYZER" multirank -b run --all-ranks -q --compat=all --csv-dir out --opt all_kernels=true
sh "$SRC/tests/golden/tables.sh" out \
    account bin_elemwise clock_offsets comm_comp_overlap coverage critical_path_of_run critical_path_shares \
    cuda_events_summary cuda_kernel_launch_stats_describe exposed_communication findings gemm gpu_timelines \
    gpu_timelines_by_rank grouped_breakdown idle_causes idle_interval_stats idle_time_breakdown kernel_breakdown \
    kernel_launchers kernel_type_breakdown kernel_type_breakdown_by_rank kernels_0 launch_stats linked_and_short_kernels \
    long memory_bw_summary nccl_exposure nccl_exposure_ranks nccl_implicit_sync_cat nccl_implicit_sync_cat_detailed \
    nccl_summary_long nccl_wait_heatmap op_launches queue_length_summary rank_summary ranks straggler_candidates \
    straggler_summary summary_nccl_implicit_sync_cat temporal_breakdown time_by_family time_by_family_by_rank \
    trust_checks un_elemwise user_annotations verdict verdict_facts
echo "== what is said of them"
"$ANALYZER" multirank -b run --all-ranks -q --compat=all --format json --force
"$PYTHON" - <<'P'
import glob, json

for t in json.load(open(glob.glob("**/*report*.json", recursive=True)[0]))["tables"]:
    if t["id"] in ("clock_offsets", "critical_path_of_run", "exposed_communication", "grouped_breakdown", "idle_time_breakdown", "kernel_breakdown", "long",
                   "launch_stats", "nccl_exposure", "nccl_implicit_sync_cat", "ranks", "straggler_summary", "time_by_family", "user_annotations"):
        print(t["id"], {k: v for k, v in t.items() if k not in ("id", "rows", "columns")})
        print("   ", [(c["name"], c["type"], c.get("unit"), c.get("direction"), c.get("key")) for c in t["columns"]])
P
