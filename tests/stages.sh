#!/bin/sh
# Runs the stages of the test suite named as arguments and adds up what they report; `make test` and `make sanitize` call
# it. Every stage counts: one that prints no "N passed, N failed" counts as one test by its exit status.
#   environment: BUILD ANALYZER PYTHON UNITS (unit test programs) EXAMPLE_DATA REPLAY (folder of fuzz replays)
#                SHARED (default ../shared beside the checkout); for the stage `threads` also TSAN; OTHER: a build that the
#                examples are compared with
# With -j the stages run at the same time, JOBS of them (default: one a processor), those named first begin first.
# golden:K/N is a part of the stage golden: every Nth case from the Kth.
# The last line is the sum; it is also left in $BUILD/test-totals.
SRC=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$SRC" || exit 1
: "${BUILD:=build}" "${PYTHON:=python3}" "${SHARED:=$SRC/../shared}"
case $BUILD in /*) ;; *) BUILD=$SRC/$BUILD ;; esac
: "${ANALYZER:=$BUILD/analyzer}" "${EXAMPLE_DATA:=$BUILD/example-data}" "${REPLAY:=$BUILD-asan/replay}"
export SRC ANALYZER PYTHON EXAMPLE_DATA SHARED OTHER
ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}"
UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export ASAN_OPTIONS UBSAN_OPTIONS
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 summary=""
SUMMARY='^[^ ]+ +[0-9]+ passed +[0-9]+ failed +[0-9]+ s$' # a line of a stage at the end
HANG=2700 # seconds after which a test that waits for something fails, so that the others are run

# Each stage by a run of this script of its own; what they print comes stage after stage.
at_the_same_time() {
    n=0
    # shellcheck disable=SC2016 # expanded by the inner shell
    for s in "$@"; do
        n=$((n + 1))
        echo "$n $s"
    done | QUEUE=$tmp STAGES=$0 xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}" -L 1 \
        sh -c 'TOTALS=$QUEUE/totals$1 sh "$STAGES" "$2" >"$QUEUE/out$1" 2>&1' sh
    for i in $(seq $#); do
        grep -vE "$SUMMARY|^[0-9]+ passed, [0-9]+ failed$" "$tmp/out$i"
        passed_there='' failed_there=''
        read -r passed_there _ failed_there _ <"$tmp/totals$i"
        passed=$((passed + ${passed_there:-0})) failed=$((failed + ${failed_there:-1}))
    done
    echo
    for i in $(seq $#); do
        grep -E "$SUMMARY" "$tmp/out$i" || echo "a stage did not end: $(head -n 1 "$tmp/out$i")"
    done
    echo "$passed passed, $failed failed" | tee "$TOTALS"
    [ "$failed" -eq 0 ]
    exit
}

tally() { # stage passed failed
    passed=$((passed + $2)) failed=$((failed + $3))
    stage_passed=$((stage_passed + $2)) stage_failed=$((stage_failed + $3))
}

# Runs a command that ends with a line "N passed, N failed" (anything else: one test, by exit status).
counted() { # stage command...
    stage=$1
    shift
    timeout $HANG "$@" >"$tmp/log" 2>&1 </dev/null
    rc=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$tmp/log" | tail -n 1)
    p=0 f=0
    if [ -n "$line" ]; then
        p=${line%% passed*} f=${line#*, } f=${f%% failed*}
    elif [ "$rc" -eq 0 ]; then
        p=1
    fi
    [ "$rc" -ne 0 ] && [ "$f" -eq 0 ] && f=1
    # what passed one by one is not repeated
    if [ "$f" -ne 0 ]; then cat "$tmp/log"; else grep -vE '(^|^[^ ]+ )ok |^[0-9]+ passed, 0 failed$' "$tmp/log"; fi
    [ "$rc" -ne 0 ] && [ -z "$line" ] && echo "$stage: exit status $rc of $*"
    tally "$stage" "$p" "$f"
}

stage_unit() {
    [ -n "$UNITS" ] || echo "no unit tests"
    for t in $UNITS; do
        timeout $HANG "$t" >"$tmp/log" 2>&1 </dev/null
        rc=$?
        all=$(sed -n 's/^\[==========\] Running \([0-9]*\) test.*/\1/p' "$tmp/log" | awk '{n += $1} END {print n + 0}')
        ok=$(grep -c '^\[       OK \]' "$tmp/log")
        bad=$((all - ok)) # failed, or never reached because it crashed
        [ "$rc" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
        [ "$all" -eq 0 ] && [ "$bad" -eq 0 ] && { echo "$t ran no test"; bad=1; }
        if [ "$bad" -ne 0 ]; then
            echo "FAIL $(basename "$t") (exit status $rc)"
            grep -v '^\[       OK \]\|^\[ RUN ' "$tmp/log" | tail -n 60
        fi
        tally unit "$ok" "$bad"
    done
}

stage_golden() { counted golden sh tests/golden/run.sh ${part:+--part "$part"}; }
stage_examples() {
    counted examples sh tests/examples.sh
    counted examples "$PYTHON" tests/text_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted examples "$PYTHON" tests/compat_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
}
stage_documented() {
    counted documented "$PYTHON" tests/options_documented.py --analyzer "$ANALYZER"
    counted documented "$PYTHON" tests/columns_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted documented "$PYTHON" tests/migration_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted documented "$PYTHON" tests/docs_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted documented "$PYTHON" tests/tutorial_check.py --analyzer "$ANALYZER"
    counted documented "$PYTHON" tests/site_check.py
}
stage_faults() {
    counted faults "$PYTHON" tests/faults_check.py --analyzer "$ANALYZER"
    counted faults "$PYTHON" tests/hardening_check.py --analyzer "$ANALYZER"
    counted faults "$PYTHON" tests/faults/flips.py --analyzer "$ANALYZER" --flips 15
    counted faults "$PYTHON" tests/faults/campaign.py --analyzer "$ANALYZER"
}
stage_sizes() {
    counted sizes "$PYTHON" tests/sizes_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted sizes "$PYTHON" tests/cores_check.py --analyzer "$ANALYZER"
}
stage_library() { # `make installed` before
    counted library "$PYTHON" tests/library_check.py --installed "$BUILD/installed" --analyzer "$ANALYZER" --cc "${CC:-cc}" \
        --example-data "$EXAMPLE_DATA"
}
stage_watch() { counted watch "$PYTHON" tests/watch_check.py --analyzer "$ANALYZER"; }
stage_python() { # `make wheel` before
    counted python "$PYTHON" tests/python_check.py --analyzer "$ANALYZER" --build "$BUILD"
}
stage_packages() { # `make installed` before
    counted packages "$PYTHON" tests/packages_check.py --analyzer "$ANALYZER" --build "$BUILD"
}
stage_html() { counted html "$PYTHON" tests/html_check.py --analyzer "$ANALYZER" --samples "$BUILD/tools/html_samples"; }
# What must be touched to add a format, an output, an option, a model: in a copy of the tree (.ci/run).
stage_house() { counted house sh tests/house/run.sh; }
# SQL against plain tables of SQLite, the database as output, the server by a client of its own and a public one.
stage_query() {
    counted query "$PYTHON" tests/query_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted query "$PYTHON" tests/serve_check.py --analyzer "$ANALYZER"
}
# Trust checks against profiles with known faults.
stage_trust() { counted trust "$PYTHON" tests/trust_check.py "$ANALYZER" 1 60; }
# Instructions against the size of inputs of many shapes; skipped where valgrind is missing.
stage_growth() { counted growth "$PYTHON" tests/growth_check.py --analyzer "$ANALYZER"; }
stage_graphs() { counted graphs "$PYTHON" tests/graphs_check.py --analyzer "$ANALYZER"; }
stage_counters() { counted counters "$PYTHON" tests/counters_check.py --analyzer "$ANALYZER" --seeds 2; }
stage_schema() { counted schema "$PYTHON" tests/schema_check.py --analyzer "$ANALYZER"; }

# Tables that answer the same question agree, over inputs of all formats.
stage_accounts() {
    counted accounts "$PYTHON" tests/account_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA" --shared "$SHARED"
}

# Steps of traces that mark them, of seeded ones that do not, and none where there is no loop.
stage_steps() {
    counted steps "$PYTHON" tests/steps_check.py --analyzer "$ANALYZER" --shared "$SHARED" --seeds 4
}

# Regions against a quadratic search over the events of seeded trees; cut profiles against windows of whole ones.
stage_regions() {
    counted regions "$PYTHON" tests/regions_check.py --analyzer "$ANALYZER" --example-data "$EXAMPLE_DATA"
    counted regions "$PYTHON" tests/cut_check.py --analyzer "$ANALYZER" --size 60
}

# Families of kernel names.
stage_names() { counted names "$PYTHON" tests/kernel_names_check.py --analyzer "$ANALYZER"; }

# What gates write, by schemas of others; how often they and comparisons are wrong; a history that is written by two and killed; workbooks
# as what is compared.
stage_gates() {
    counted gates "$PYTHON" tests/verdict_check.py --analyzer "$ANALYZER" --stats "$BUILD/tools/gate_stats"
    counted gates "$PYTHON" tests/history_stress.py --analyzer "$ANALYZER"
    counted gates "$PYTHON" tests/gate_rates.py "$ANALYZER" --trials 20
    counted gates "$PYTHON" tests/compare_rates.py "$ANALYZER" --seeds 1
    counted gates "$PYTHON" tests/nightly_check.py --analyzer "$ANALYZER"
    counted gates "$PYTHON" tests/nightly_rates.py "$BUILD/tools/nightly_rates" --histories 6 --only-ours
    counted gates "$PYTHON" tests/trend_rates.py "$BUILD/tools/trend_rates" --histories 30
    counted gates "$PYTHON" tests/xlsx_read_check.py "$ANALYZER" "$SRC"
}

# Who is slow among the ranks of made-up runs: how often the verdict is right, and where it must be silent.
stage_stragglers() {
    counted stragglers "$PYTHON" tests/straggler_rates.py --analyzer "$ANALYZER" --tool "$BUILD/tools/rank_runs" --quick
    counted stragglers "$PYTHON" tests/ranks_claims_check.py --analyzer "$ANALYZER" --seeds 2
}

# The verdict of reports of made-up traces with a known cause of lost time, and of healthy ones; causes of idle time and
# near misses; claims about operation reports; every claim with a healthy counterpart; recorded profiles with known causes.
stage_verdict() {
    counted verdict "$PYTHON" tests/findings_check.py --analyzer "$ANALYZER" --seeds 2
    counted verdict "$PYTHON" tests/idle_causes_check.py --analyzer "$ANALYZER" --seeds 2
    counted verdict "$PYTHON" tests/tracy_claims_check.py "$ANALYZER" --seeds 2
    counted verdict "$PYTHON" tests/tracy_metamorphic.py "$ANALYZER"
    counted verdict "$PYTHON" tests/claims_check.py --analyzer "$ANALYZER" --seeds 2
    counted verdict "$PYTHON" tests/recorded_check.py --analyzer "$ANALYZER"
}

# Runs over several machines: part files and their faults, growth, the path over ranks, and under a real Slurm and Open MPI
# where they are installed (tests/cluster/).
stage_cluster() {
    counted cluster "$PYTHON" tests/cluster/parts_check.py --analyzer "$ANALYZER"
    counted cluster "$PYTHON" tests/cluster/growth_check.py --analyzer "$ANALYZER" --tools "$BUILD/tools"
    counted cluster "$PYTHON" tests/cluster/slurm_check.py --analyzer "$ANALYZER"
    counted cluster "$PYTHON" tests/cluster/mpi_check.py --analyzer "$ANALYZER" --mpi "$BUILD/analyzer-mpi"
}

# Every file of the corpus once through its harness, built with address and undefined sanitizers.
stage_fuzz() {
    found=0
    for h in tests/fuzz/*_fuzz.c; do
        [ -f "$h" ] || continue
        name=$(basename "$h" _fuzz.c)
        found=1
        if ! [ -x "$REPLAY/$name" ]; then
            echo "FAIL $name: no $REPLAY/$name (make replays)"
            tally fuzz 0 1
            continue
        fi
        set --
        for f in "tests/fuzz/corpus/$name"/* tests/fuzz/corpus/*; do
            [ -f "$f" ] && set -- "$@" "$f"
        done
        if [ $# -eq 0 ]; then
            echo "FAIL $name: no seeds in tests/fuzz/corpus/$name"
            tally fuzz 0 1
        elif timeout 300 "$REPLAY/$name" "$@" >"$tmp/log" 2>&1 </dev/null; then
            tally fuzz $# 0
        else
            echo "FAIL $name: exit status $? while replaying tests/fuzz/corpus/$name"
            tail -n 40 "$tmp/log"
            tally fuzz 0 1
        fi
    done
    [ "$found" -eq 1 ] || echo "no fuzz harnesses"
}

# The comparison suites outside the project, one shell command a line in tests/shared-suites.
stage_shared() {
    if ! [ -d "$SHARED" ]; then # .ci/run lets this pass only with --without-comparison-data
        echo "skipped: no shared folder beside the checkout ($SHARED); nothing is compared with it"
        return
    fi
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        echo "$line"
        counted shared sh -c "$line"
    done <tests/shared-suites
}

# Many inputs on eight workers under the thread sanitizer: no report, and the same output as on one worker.
stage_threads() {
    TSAN_OPTIONS="suppressions=$SRC/tests/tsan.supp"
    export TSAN_OPTIONS
    UNITS=$TSAN/unit/base_pool
    stage_unit
    mkdir -p "$tmp/t" "$tmp/books"
    counted threads "$TSAN/stress/xlsx_stress" 8 100 "$tmp/books"
    counted threads "$PYTHON" tests/stress/check_equal_zips.py "$tmp/books" 100
    {
        echo '{ "inputs": ['
        for i in 1 2 3 4 5 6 7 8; do
            cat <<JSON
  { "format": "csv", "title": "csv $i", "nsys_csv_file_path": {
      "kernel_sum": "$SRC/example/nsys/llama2_70b_cuda_gpu_kern_sum.csv",
      "nvtx_proj_trace": "$SRC/example/nsys/llama2_70b_nvtx_gpu_proj_trace.csv",
      "mem_time_sum": "$SRC/example/nsys/llama2_70b_cuda_gpu_mem_time_sum.csv" },
    "analysis_args": { "num_of_iters": 5, "num_of_gpus": 1,
      "nvtx_tag_of_iter": "TSL:XlaModule:#hlo_module=jit_train_step,program_id=7#" } },
JSON
            [ "$i" -le 4 ] && cat <<JSON
  { "format": "nsys-sqlite", "title": "sqlite $i", "path": "$EXAMPLE_DATA/llama2_70b.sqlite",
    "analysis_args": { "num_of_iters": 5, "num_of_gpus": 1,
      "nvtx_tag_of_iter": "TSL:XlaModule:#hlo_module=jit_train_step,program_id=7#" } },
JSON
        done
        echo '], "kernel_to_class_map": { "xmma_gemm": "gemm", "fusion": "fusion" } }'
    } >"$tmp/t/config.json"
    for j in 1 8; do
        "$TSAN/analyzer" --config="$tmp/t/config.json" -j $j -o "$tmp/t/out$j" >"$tmp/t/stdout$j" 2>"$tmp/t/stderr$j" </dev/null
        rc=$?
        if [ $rc -eq 0 ] && ! grep -q 'ThreadSanitizer' "$tmp/t/stderr$j" && [ -s "$tmp/t/stdout$j" ]; then
            tally threads 1 0
        else
            echo "FAIL run on $j workers: exit status $rc"
            head -n 60 "$tmp/t/stderr$j"
            tally threads 0 1
        fi
    done
    if cmp -s "$tmp/t/stdout1" "$tmp/t/stdout8"; then
        tally threads 1 0
    else
        echo "FAIL output differs between 1 and 8 workers"
        tally threads 0 1
    fi
    threads_of_ranks
    counted threads "$PYTHON" tests/cores_check.py --analyzer "$TSAN/analyzer" --every --example-data "$EXAMPLE_DATA"
}

# The ranks of one run, one of them damaged, and of three runs, side by side: the same bytes on one thread and on four.
threads_of_ranks() {
    "$PYTHON" tests/gen/make_ranks.py "$tmp/t/ranks/a/rank_{rank}.json" --ranks 8
    "$PYTHON" tests/gen/make_ranks.py "$tmp/t/ranks/b/rank_{rank}.json.gz" --ranks 8 --slow 3
    "$PYTHON" tests/gen/make_ranks.py "$tmp/t/ranks/c/rank_{rank}.json" --ranks 12 --steps 4
    echo broken >"$tmp/t/ranks/a/rank_5.json"
    for run in a .; do
        for j in 1 4; do
            "$TSAN/analyzer" multirank -b "$tmp/t/ranks/$run" -e auto --all-ranks -j $j --format text,csv,json --force \
                --csv-dir "$tmp/t/csv$j" >"$tmp/t/stdout$j" 2>"$tmp/t/stderr$j" </dev/null
            rc=$?
            sed -i "s|/t/csv$j|/t/csv|" "$tmp/t/stderr$j" # the note of what was written
            cat "$tmp/t/ranks"/*/*_performance_report.json >>"$tmp/t/stdout$j"
            rm -f "$tmp/t/ranks"/*/*_performance_report.json
            if [ $rc -eq 3 ] && ! grep -q 'ThreadSanitizer' "$tmp/t/stderr$j"; then
                tally threads 1 0
            else
                echo "FAIL ranks on $j threads: exit status $rc"
                head -n 60 "$tmp/t/stderr$j"
                tally threads 0 1
            fi
        done
        if cmp "$tmp/t/stdout1" "$tmp/t/stdout4" && cmp "$tmp/t/stderr1" "$tmp/t/stderr4" &&
            diff -r "$tmp/t/csv1" "$tmp/t/csv4"; then
            tally threads 1 0
        else
            echo "FAIL ranks: output differs between 1 and 4 threads"
            tally threads 0 1
        fi
        rm -rf "$tmp/t/csv1" "$tmp/t/csv4"
    done
}

: "${TOTALS:=$BUILD/test-totals}"
mkdir -p "$BUILD"
if [ "$1" = -j ]; then
    shift
    at_the_same_time "$@"
fi
for s in "$@"; do
    part=''
    case $s in *:*) part=${s#*:} ;; esac
    stage_passed=0 stage_failed=0
    begin=$(date +%s)
    echo "== $s"
    "stage_${s%%:*}" || exit 2
    summary="$summary$(printf '%-12s %6d passed %4d failed %5d s' "$s" $stage_passed $stage_failed $(($(date +%s) - begin)))
"
done
echo
printf '%s' "$summary"
echo "$passed passed, $failed failed" | tee "$TOTALS"
[ "$failed" -eq 0 ]
