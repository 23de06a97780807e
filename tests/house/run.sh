#!/bin/sh
# How much must be touched to add something? Each addition is made in a copy of the tree, built and run on a small input,
# and what was touched is counted: a format 1 file + 1 row, a table 1 row, an output 1 file + 1 row, an option 1 row + its
# use, an operator's model 1 row + 1 function. The last line is "N passed, N failed"; well under two minutes, as only what
# an addition touches is compiled.
#   environment: BUILD (a finished build, default build), CC
# shellcheck disable=SC1003 # a backslash at the end of a row of a list
SRC=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${BUILD:=build}"
case $BUILD in /*) ;; *) BUILD=$SRC/$BUILD ;; esac
[ -x "$BUILD/analyzer" ] || { echo "no program at $BUILD/analyzer (run make first)"; exit 1; }
here=$SRC/tests/house
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
tree=$tmp/tree
mkdir "$tree"
# with times, so that make finds up to date what is
(cd "$SRC" && tar -cf - Makefile src configs) | tar -xf - -C "$tree"
mkdir "$tree/build" && cp -p "$BUILD/flags" "$BUILD/inside" "$BUILD/release" "$tree/build/" && cp -pR "$BUILD/obj" "$BUILD/lib" "$tree/build/"
# the compiler of that build: another one would compile everything again
cc=$(sed 's/ -std=c11.*//' "$BUILD/flags")
export CCACHE_NOHASHDIR=1
passed=0 failed=0 files=0 rows=0

ok() {
    passed=$((passed + 1))
    echo "ok   $1"
}
bad() {
    failed=$((failed + 1))
    echo "FAIL $1"
}
add_file() { # from to
    cp "$here/$1" "$tree/$2" || exit 1
    files=$((files + 1))
}
# A line after the first one that matches; nothing else of the file changes.
add_row() { # file pattern line
    P=$2 LINE=$3 awk '{ print } !done && $0 ~ ENVIRON["P"] { print ENVIRON["LINE"]; done = 1 } END { exit !done }' \
        "$tree/$1" >"$tmp/changed" || {
        bad "$1: no line like /$2/"
        return 1
    }
    cat "$tmp/changed" >"$tree/$1"
    rows=$((rows + 1))
}
build() { # what, variables of make...: builds
    what=$1
    shift
    echo "$what: $files file(s), $rows row(s)"
    if make --no-print-directory -C "$tree" -j2 BUILD=build CC="$cc" "$@" >"$tmp/log" 2>&1; then
        set -- "$what"
        ok "$1 builds"
    else
        bad "$what does not build"
        tail -n 20 "$tmp/log"
    fi
}
touched() { # what files rows
    if [ "$files" -le "$2" ] && [ "$rows" -le "$3" ]; then ok "$1 touches no more"; else bad "$1: at most $2 file(s), $3 row(s)"; fi
    files=0 rows=0
}
has() { # what file pattern
    if grep -Eq "$3" "$2" 2>/dev/null; then
        ok "$1"
    else
        bad "$1: no line like /$3/ in $(basename "$2")"
        head -n 20 "$2" 2>/dev/null
    fi
}
run() { "$tree/build/analyzer" run "$@" >"$tmp/stdout" 2>"$tmp/stderr" || { cat "$tmp/stderr"; bad "run: exit status $?"; }; }

printf 'name,start_ns,duration_ns,device,stream\ngemm_kernel,1000,300,0,7\ncopy_kernel,1400,100,0,7\ngemm_kernel,2000,500,0,7\n' \
    >"$tmp/kernels.csv"

add_file kernels_csv.c src/formats/kernels_csv.c
add_row src/formats/list.h '^#define AZ_FORMATS.X' '    X(kernels_csv) \'
build format
touched format 1 1
run "$tmp/kernels.csv" -q --compat=all --csv-dir "$tmp/format"
has "a format's kernels are summed" "$tmp/format/kern_sum.csv" '800,2,.*gemm_kernel'
has "and have a timeline" "$tmp/format/gpu_timeline.csv" '^(computation|busy)_time,'
has "and families" "$tmp/format/time_by_family.csv" '^gemm,2,'

add_row src/analyses/kernels/kernels.c '^static const struct az_table_spec specs' \
    '    { "house_table", "Kernels by stream", .help = "kernel time by stream", .needs = AZ_CAP_TIMELINE, .n_kinds = 1, .kinds = { AZ_KERNEL }, .columns = { { "stream", &az_key_stream, .flags = AZ_KEY, .sort = 1 }, { "count", .figure = AZ_FIG_COUNT }, { "total_ns", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS } } },'
build table
touched table 0 1
run "$tmp/kernels.csv" -q --csv-dir "$tmp/table"
has "a table has its figures" "$tmp/table/house_table.csv" '^7,3,900'
"$tree/build/analyzer" list >"$tmp/list"
has "the list has it" "$tmp/list" 'house_table +kernel time by stream'
printf 'Time (%%),Total Time (ns),Instances,Name\n100,500,2,gemm_kernel\n' >"$tmp/sums_cuda_gpu_kern_sum.csv"
run "$tmp/sums_cuda_gpu_kern_sum.csv" -q --compat=all --csv-dir "$tmp/skipped"
has "and says where it is skipped" "$tmp/skipped/coverage.csv" 'no timeline.*house_table'

add_file tsv.c src/reports/tsv.c
add_row src/reports/list.h '^#define AZ_REPORTS.X' '    X(tsv) \'
build output
touched output 1 1
run "$tmp/kernels.csv" -q --compat=all --format tsv -o "$tmp/output"
has "an output holds the tables" "$tmp/output/kernels_perf_report.tsv" 'gemm_kernel	'

# twice the elements in FLOP, three tensors in bytes
cat >>"$tree/src/perf/elementwise.c" <<'EOC'

AZ_PERF_MODEL(house)
{
    const struct az_perf_arg *x = az_perf_model_arg(r, 0);
    if (!az_perf_model_dims(x))
        return az_perf_model_fail(r, "no tensor");
    az_perf_model_unit(r, "vector", x->type);
    return az_perf_model_done(r, 2 * x->elements, 3 * az_perf_model_size(x));
}
EOC
add_row configs/op_models.csv '^op,family' 'house::op,UnaryElementwise,,house,'
build model
touched "model (row and function)" 0 1
cat >"$tmp/trace.json" <<'EOJ'
{"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "house::op", "pid": 1, "tid": 1, "ts": 10, "dur": 20,
 "args": {"External id": 1, "Input Dims": [[1000, 1000]], "Input type": ["float"], "Concrete Inputs": [""]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 15, "dur": 5,
 "args": {"External id": 1, "correlation": 9}},
{"ph": "X", "cat": "kernel", "name": "house_kernel", "pid": 0, "tid": 7, "ts": 40, "dur": 10,
 "args": {"External id": 1, "correlation": 9, "device": 0, "stream": 7}}
]}
EOJ
run "$tmp/trace.json" -q --compat=all --format json -o "$tmp/model"
has "an operator has its model" "$tmp/model/trace_perf_report.json" '"GFLOPS'
run "$tmp/trace.json" -q --compat=all --csv-dir "$tmp/model"
has "with its FLOP" "$tmp/model/unified_perf_summary.csv" '^house::op,.*,0\.002,'

add_row src/model/option_rows.h '^#define AZ_OPTION_ROWS' '    X(INT, house_number, 0, 100, NULL, "7", "", "house test", "0.1") \'
add_row src/analyses/findings/coverage.c 'AZ_SV."event and summary rows in the file"' \
    '        az_cover(job, "house number", (double)job->opts->house_number, "", AZ_SV(""));'
# every file sees the options: built without optimization, and with ccache if it is there
command -v ccache >/dev/null 2>&1 && cc="ccache ${cc#ccache }"
build option CFLAGS=-O0 HARDEN=-fPIE
touched "option (row and use)" 0 2
run "$tmp/kernels.csv" -q --compat=all --csv-dir "$tmp/option1"
has "an option has its default" "$tmp/option1/coverage.csv" '^house number,7'
run "$tmp/kernels.csv" -q --compat=all --opt house_number=42 --csv-dir "$tmp/option2"
has "and takes a value" "$tmp/option2/coverage.csv" '^house number,42'
"$tree/build/analyzer" schema >"$tmp/schema"
has "the schema has it" "$tmp/schema" house_number
if "$tree/build/analyzer" run "$tmp/kernels.csv" -q --opt house_number=101 >"$tmp/stdout" 2>&1; then bad "its range is not checked"; else ok "its range is checked"; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
