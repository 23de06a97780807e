# Command lines of TraceLens over folders: the traces of ranks, the output of rocprofv3.
t() {
    echo "== $*"
    "$ANALYZER" "$@" 2>&1
    echo "exit $?"
}
mkdir ranks rocm rocm/kernel_trace perfetto plain empty
n=0
for f in "$SRC"/example/multirank/step_120/*.json; do
    [ $n -lt 3 ] && cp "$f" ranks/rank${n}_trace.json
    n=$((n + 1))
done
c() { t tracelens-collectives "$@" -q; }
c --trace_dir ranks --output_csvs_dir dir && ls ranks dir
c --trace_pattern 'ranks/rank*_trace.json' --world_size 3 --output_csvs_dir pattern --agg_metrics mean max
c --trace_glob 'ranks/*.json' --output_csvs_dir glob --rank_regex 'rank(?P<rank>[0-9]+)_' --max_workers 1
diff -rq dir pattern | sort | head -n 5
diff -rq dir glob
for sheet in dir/*summary*.csv pattern/*summary*.csv; do head -n 1 "$sheet" | tr ',' '\n' | tail -n 2; done | sort -u
c --trace_pattern 'ranks/rank*_trace.json' --world_size 4 --output_csvs_dir missing
c --trace_pattern 'ranks/rank*_trace.json' --world_size 1 --output_csvs_dir first
c --trace_dir ranks --world_size 0
c --trace_dir ranks --world_size x
c --trace_dir ranks --agg_metrics std
c --trace_dir none
c --trace_glob 'none/*.json'
c --trace_pattern 'none/rank*.json'
c
c --trace_dir ranks --trace_glob 'ranks/*'

cp "$EXAMPLE_DATA"/rocprof/train_*_trace.csv "$EXAMPLE_DATA"/rocprof/train_agent_info.csv rocm/kernel_trace
cp "$EXAMPLE_DATA"/rocprof/train_results.pftrace rocm/kernel_trace
cp "$EXAMPLE_DATA"/rocprof/train_results.pftrace perfetto
cp "$EXAMPLE_DATA"/rocprof/train_kernel_trace.csv "$EXAMPLE_DATA"/rocprof/train_results.pftrace plain
printf 'start\nwall_time=0.5 s\nwall_time=0.25 s\n' >rocm/run.log
g() { t tracelens-genesis "$@" -q; }
for dir in rocm perfetto plain empty none; do
    g --capture-dir $dir --output-dir out_$dir
    ls out_$dir 2>/dev/null
    head -n 12 out_$dir/*.md 2>/dev/null
done
g --combined-run-dir rocm --output-dir short --no-short-kernel-study --steady-state-fallback-s 1 && head -n 12 short/*.md
g --capture-dir ''
g
