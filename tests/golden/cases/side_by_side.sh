# Inputs side by side: a configuration of Nsight profiles prints its blocks alone, with "text": "full" the table comes first;
# a baseline; lines of 80 columns; one output of each kind; many inputs by the pattern of their titles.
t="$SRC/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv" o="$SRC/tests/data/nsys/other_cuda_gpu_kern_sum.csv"
cat >nsight.json <<JSON
{"inputs": [
    {"format": "csv", "title": "tiny", "nsys_csv_file_path": {"kernel_sum": "$t"}, "analysis_args": {"num_of_iters": 2}},
    {"format": "csv", "title": "other", "nsys_csv_file_path": {"kernel_sum": "$o"}, "analysis_args": {"num_of_iters": 1}}],
 "kernel_to_class_map": {"gemm": "gemm"}, "outputs": {"formats": ["text"]}}
JSON
echo "== classic"
"$ANALYZER" --config=nsight.json | grep =====
"$ANALYZER" gpu-perf-analyzer --config=nsight.json -v 2>/dev/null | grep =====
echo "== full"
"$ANALYZER" --config=nsight.json --text=full | sed '/^Kernel Statistic/,$d'
echo "== off"
"$ANALYZER" --config=nsight.json --text=full --set side_by_side=false | grep =====
cat >mixed.json <<JSON
{"baseline": "first", "inputs": [
    {"title": "training", "path": "$SRC/example/pytorch/train_step.json"},
    {"title": "serving", "path": "$SRC/example/pytorch/inference.json"},
    {"title": "sums", "path": "$t"}, {"title": "missing", "path": "missing.json"}]}
JSON
echo "== baseline, 80 columns"
COLUMNS=80 "$ANALYZER" --config=mixed.json -o out --format text,xlsx,html,json,md,csv 2>/dev/null | sed '/^===== training/,$d'
ls -d out/side_by_side*
ls out/side_by_side_csvs
"$PYTHON" - <<'PY'
import openpyxl
book = openpyxl.load_workbook("out/side_by_side.xlsx")
print(book.sheetnames)
for row in book["Configurations"].iter_rows(min_row=1, max_row=2, max_col=10):
    print([(c.value, c.number_format) for c in row])
PY
"$ANALYZER" --config=mixed.json --set baseline=nobody
echo "exit $?"
echo "== many"
"$PYTHON" - "$t" >many.json <<'PY'
import json, sys
print(json.dumps({"inputs": [{"title": "bs%d_run%d" % (b, r), "path": sys.argv[1]} for b in (8, 16, 32) for r in range(7)]}))
PY
"$ANALYZER" --config=many.json -q --format text -o out | sed '/^Time by family/,$d'
