#!/bin/sh
# Runs every configuration under example/ into a scratch folder: exit status 0, text on standard output, byte-identical
# results from a second run, and workbooks that hold the same cells as the CSVs.
#   environment: ANALYZER, PYTHON (with openpyxl), EXAMPLE_DATA (the generated inputs), OTHER (another build, which makes
#   the second run)
SRC=$(cd "$(dirname "$0")/.." && pwd) || exit 1
: "${ANALYZER:=$SRC/build/analyzer}" "${PYTHON:=python3}" "${EXAMPLE_DATA:=$SRC/build/example-data}"
export EXAMPLE_DATA
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

verdict() { # 0 or 1, what
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok   $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2"
    fi
}

for config in "$SRC"/example/*.json; do
    [ -f "$config" ] || continue
    name=$(basename "$config")
    for run in 1 2; do
        mkdir -p "$tmp/$run"
        program=$ANALYZER
        [ $run -eq 1 ] || program=${OTHER:-$ANALYZER}
        (cd "$tmp" && "$program" --config="$config" -o "$tmp/$run" >"$tmp/$run.stdout" 2>"$tmp/$run.stderr" </dev/null)
        rc=$?
    done
    [ "$rc" -eq 0 ] || {
        echo "     exit status $rc"
        sed 's/^/     /' "$tmp/2.stderr"
    }
    verdict "$rc" "$name: runs"
    [ -s "$tmp/1.stdout" ]
    verdict $? "$name: prints text"
    cmp "$tmp/1.stdout" "$tmp/2.stdout" && diff -r "$tmp/1" "$tmp/2"
    verdict $? "$name: a second run gives the same bytes"
    "$ANALYZER" --config="$config" --format csv,xlsx --csv-dir "$tmp/csv" -o "$tmp/xlsx" >/dev/null 2>&1 </dev/null
    inputs=0
    for dir in "$tmp"/csv "$tmp"/csv/*; do # one input: the tables; several: a folder each
        [ -f "$dir/facts.csv" ] || continue
        inputs=$((inputs + 1))
        title=$(basename "$dir")
        book=
        for f in "$tmp"/xlsx/*.xlsx; do
            case $f in *"_$title.xlsx" | */"${title}_perf_report.xlsx") book=$f ;; *) [ "$dir" = "$tmp/csv" ] && book=$f ;; esac
        done
        "$PYTHON" "$SRC/tests/check_workbook.py" "${book:-/nonexistent}" "$dir" >"$tmp/check" 2>&1
        rc=$?
        [ $rc -eq 0 ] || sed 's/^/     /' "$tmp/check"
        verdict $rc "$name: the workbook of $title holds what its CSVs hold"
    done
    [ $inputs -gt 0 ]
    verdict $? "$name: writes CSVs"
    rm -rf "$tmp/csv" "$tmp/xlsx"
    rm -rf "$tmp/1" "$tmp/2"
done
[ $passed -gt 0 ] || verdict 1 "no configuration under example/"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
