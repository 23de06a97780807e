# What counts of a report of operations: a gap that cannot be takes nothing from the operation behind it, before a first
# run it is one that compiled; a kernel that cannot be counts nowhere. Gates and comparisons have the account of the
# verdict, and their families are no more than it is busy, though the advice lists an operation several times.
"$PYTHON" - <<'PY' || exit 99
head = ["OP CODE", "OP TYPE", "DEVICE ID", "DEVICE ARCH", "MATH FIDELITY", "CORE COUNT", "DEVICE KERNEL DURATION [ns]",
        "DEVICE FW DURATION [ns]", "OP TO OP LATENCY [ns]"]
head += ["INPUT_%d_%s" % (i, d) for i in (0, 1) for d in ("W", "Z", "Y", "X", "DATATYPE", "MEMORY")]
head += ["OUTPUT_0_DATATYPE", "OUTPUT_0_MEMORY"]
dram = "DEV_0_DRAM_INTERLEAVED"
product = ["1", "1", "64", "128", "BFLOAT16", dram, "1", "1", "128", "32", "BFLOAT8_B", dram, "BFLOAT16", dram]


def report(path, rows):
    with open(path, "w") as f:
        f.write(",".join(head) + "\n")
        for code, ns, gap, *firmware in rows:
            tensors = product if code == "Matmul" else [""] * len(product)
            f.write(",".join([code, "tt_dnn_device", "0", "wormhole_b0", "HiFi4", "8", str(ns), str((firmware or [ns + 500])[0]), str(gap)] + tensors) + "\n")


slow = [("Matmul", 400000, 20000)] * 6
report("base.csv", [("Matmul", 400000, 0)] + slow + [("Pool2D", 700000, 1200000000), ("Unary", 30000, 150000)])
report("new.csv", [("Matmul", 400000, 0)] + slow + slow + [("Pool2D", 700000, 1500000000), ("Unary", 30000, 150000), ("Unary", 30000, 9000000),
                                                          ("Unary", 30000, -2000000), ("Unary", 6900000000, 100), ("Unary", 40000, 100, 30000)])
PY
show() {
    echo "== $*"
    "$ANALYZER" "$@" >got 2>&1
    echo "$?"
    grep -v "MB memory" got
}
show run base.csv --csv-dir base
"$PYTHON" -c "import csv; print(sum(float(r[\"Device Time\"]) for r in csv.DictReader(open(\"base/advice.csv\"))), \"us in the table of advice\")"
show run new.csv --opt max_gap_us=1000 --csv-dir out
cat out/time_by_family.csv out/data_quality.csv
cut -d, -f1,5,6 out/op_models.csv
show gate new.csv new.csv -v --opt max_gap_us=1000
show compare base.csv new.csv --opt max_gap_us=1000 --format text | head -10
show compare base.csv new.csv --opt max_gap_us=1000 --compat=all --format text | sed -n 4p
# Tables after the last signpost next to an account of steps: the page and the screen name their scope; where the scopes are
# the same, neither does.
"$ANALYZER" run base.csv --format html -o page -q 2>/dev/null
grep -c 'ables of operations: ' page/*.html
"$ANALYZER" run "$SRC/example/tracy/ops_perf_results_layers.csv" --format html -o layers -q 2>/dev/null
grep -hoE '(The timeline is of|Operations: )[^<]*' layers/*.html
"$ANALYZER" "$SRC/example/tracy/ops_perf_results_layers.csv" 2>/dev/null | grep -A 1 'tables of operations'
echo "== all operations of a window that the user chose, not those after its last signpost; also of its cut"
for window in "--steps 0" "--steps 0-1" "--range iteration"; do
    # shellcheck disable=SC2086 # words
    "$ANALYZER" "$SRC/example/tracy/ops_perf_results_layers.csv" $window --format csv --csv-dir windowed -q 2>/dev/null
    # shellcheck disable=SC2086
    "$ANALYZER" cut "$SRC/example/tracy/ops_perf_results_layers.csv" $window -o windowed.csv -q
    "$ANALYZER" windowed.csv --format csv --csv-dir again -q 2>/dev/null
    echo "$window: $(tail -n +2 windowed/ops.csv | wc -l) operations, $(tail -n +2 again/ops.csv | wc -l) of the cut"
    "$ANALYZER" windowed.csv 2>&1 | sed -n '/^Data/,/^$/p'
done
