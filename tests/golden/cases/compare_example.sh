# The example: what is printed behind the inputs' own text, and what is written.
"$ANALYZER" --config="$SRC/example/compare.json" -o out -q --format text,xlsx,csv,json,md 2>&1 |
    sed -n '/^===== Side by side/,$p'
find out -mindepth 1 -maxdepth 1 | sort | sed 's|^out/|wrote |'
find out/comparison_csvs -type f | sort | sed 's|^.*/|table |'
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
"$PYTHON" - <<'PY'
import openpyxl
book = openpyxl.load_workbook("out/comparison.xlsx")
print("sheets:", book.sheetnames)
print("left out:", [r[3] for r in book["coverage"].iter_rows(values_only=True) if r[0] == "xlsx sheets skipped: tables"])
PY
"$PYTHON" "$SRC/tests/check_workbook.py" out/comparison.xlsx out/comparison_csvs && echo "workbook against CSV"
"$ANALYZER" --config="$SRC/example/compare.json" --set compare.all_sheets=true -o out -q --format xlsx 2>&1
"$PYTHON" - <<'PY'
import openpyxl
book = openpyxl.load_workbook("out/comparison.xlsx")
sheet = book["unified_perf_summary_only_basel"]
heads = {c.value: c.column_letter for c in sheet[1]}
print("folded away:", all(sheet.column_dimensions[heads["train::" + n]].hidden for n in ("TFLOPS/s_median", "ex_UID", "trunc_kernel_details")),
      "not:", not sheet.column_dimensions[heads["train::TFLOPS/s_mean"]].hidden)
sheet = book["kernel_summary"]
marks = {r.sqref.ranges[0].coord.split(":")[0].rstrip("0123456789"): [(x.operator, x.dxf.fill.bgColor.rgb) for x in r.rules]
         for r in sheet.conditional_formatting}
column = {c.value: c.column_letter for c in sheet[1]}["Kernel duration (\u00b5s)_sum__infer_diff"]
print("marks of a time:", sorted(marks[column]))
print("charts:", len(book["summary"]._charts))
PY
"$PYTHON" "$SRC/tests/check_workbook.py" out/comparison.xlsx out/comparison_csvs >check 2>&1
rc=$?
echo "workbook of all tables against CSV: $rc"
[ $rc -eq 0 ] || cat check
echo "== control flow is no cause: its own time is idle time"
"$ANALYZER" cut "$SRC/example/xplane/tpu/tpu.xplane.pb" --from 0% --to 50% -o half.xplane.pb -q
"$ANALYZER" compare "$SRC/example/xplane/tpu/tpu.xplane.pb" half.xplane.pb 2>/dev/null | sed -n 2,10p
