#!/bin/sh
# Runs every configuration under example/ into a scratch folder: exit status 0, text on standard output, nothing but
# readable workbooks written, and byte-identical results from a second run.
#   environment: ANALYZER, PYTHON (with openpyxl), EXAMPLE_DATA (the generated inputs)
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
        (cd "$tmp" && "$ANALYZER" --config="$config" -o "$tmp/$run" >"$tmp/$run.stdout" 2>"$tmp/$run.stderr" </dev/null)
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
    "$PYTHON" - "$tmp/1" <<'PY'
import os, sys
import openpyxl

books = sorted(f for f in os.listdir(sys.argv[1]) if f.endswith(".xlsx"))
bad = "" if books else "no workbook was written"
for b in books:
    w = openpyxl.load_workbook(os.path.join(sys.argv[1], b))
    empty = [s.title for s in w.worksheets if s.max_row < 1 or s["A1"].value is None]
    if w.sheetnames[0] != "summary" or w.sheetnames[-1] != "facts" or "coverage" not in w.sheetnames:
        bad = "%s: sheets %s" % (b, ", ".join(w.sheetnames))
    elif empty:
        bad = "%s: empty sheets %s" % (b, ", ".join(empty))
if bad:
    print("     " + bad)
sys.exit(1 if bad else 0)
PY
    verdict $? "$name: workbooks with summary first and coverage, facts last"
    rm -rf "$tmp/1" "$tmp/2"
done
[ $passed -gt 0 ] || verdict 1 "no configuration under example/"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
