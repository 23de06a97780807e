# The same launches written by five profilers: one table of kernels by grid and block, equal to the byte. It is read on
# request only, by its option or with the tables of nsys; a file without grids says so.
"$PYTHON" "$SRC/tests/gen/make_launches.py" data || exit 99
for f in pytorch.json nsys.sqlite nsys_cuda_gpu_trace.csv jax.xplane.pb rocprof_kernel_trace.csv; do
    "$ANALYZER" run "data/$f" --opt kernel_geometry=true --csv-dir "o_$f" -q || exit 98
    "$ANALYZER" run "data/$f" --csv-dir "plain_$f" -q || exit 98
    "$ANALYZER" run "data/$f" --compat=nsys --csv-dir "nsys_$f" -q || exit 98
    cmp -s "o_$f/kernels_by_grid.csv" o_pytorch.json/kernels_by_grid.csv || echo "$f differs"
    cmp -s "nsys_$f/kernels_by_grid.csv" o_pytorch.json/kernels_by_grid.csv || echo "$f differs with compat"
    [ ! -e "plain_$f/kernels_by_grid.csv" ] || echo "$f: read without being asked"
    ! grep geometry "plain_$f/coverage.csv"
done
cat o_pytorch.json/kernels_by_grid.csv
sed 's/"grid"/"other"/g' data/pytorch.json > none.json
"$ANALYZER" run none.json --opt kernel_geometry=true --csv-dir none -q
grep geometry none/coverage.csv
"$PYTHON" - <<'PY'
import json
d = json.load(open("data/pytorch.json"))
odd = ["", None, [1, 2], [1, 2, 3, 4], [0, 1, 1], [-1, 1, 1], "x", [1.5, 1, 1], [5000000000, 1, 1]]
for e, grid in zip(d["traceEvents"], odd):
    e["args"]["grid"] = grid
d["traceEvents"][8]["args"].update({"grid": [9, 1, 1], "registers per thread": "?", "shared memory": -5})
json.dump(d, open("odd.json", "w"))
PY
"$ANALYZER" run odd.json --opt kernel_geometry=true --csv-dir odd -q
cat odd/kernels_by_grid.csv
