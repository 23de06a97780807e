# The example: what is printed behind the inputs' own text, and what is written.
"$ANALYZER" --config="$SRC/example/compare.json" -o out -q --format text,xlsx,csv,json,md 2>&1 |
    sed -n '/^===== Side by side/,$p'
ls out | sed 's/^/wrote /'
ls out/comparison_csvs | sed 's/^/table /'
"$PYTHON" - "$SRC" <<'PY'
import json, os, sys
import jsonschema
for kind, names in (("comparison", ["comparison"]), ("result", ["train_step_perf_report", "inference_perf_report", "side_by_side"])):
    schema = json.load(open(os.path.join(sys.argv[1], "schemas", kind + ".schema.json")))
    jsonschema.Draft7Validator.check_schema(schema)
    for name in names:
        doc = json.load(open("out/%s.json" % name))
        jsonschema.validate(doc, schema)
        print(name, "is valid by", kind + ".schema.json")
print("Markdown under 60 KB:", os.path.getsize("out/comparison.md") < 60000)
PY
"$PYTHON" "$SRC/tests/check_workbook.py" out/comparison.xlsx out/comparison_csvs >check 2>&1
rc=$?
echo "workbook against CSV: $rc"
[ $rc -eq 0 ] || cat check
