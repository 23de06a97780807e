# The verdict of two traces whole: changes of metrics and of what the report asserts, every cell of every form.
. "$SRC/tests/golden/gate_inputs.sh"
for i in 1 2; do
    "$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" $i.json --steps 3 --layers 1 --seed $i || exit 99
done
sed 's/ampere_bf16/cutlass_80_tensorop_bf16/g' 2.json >new.json
cp 1.json old.json
analyzer gate old.json new.json --format verdict,junit,openmetrics,csv,md -o out -v
rm -rf out/*.sqlite
whole() { # every element of every list of a verdict on a line of its own
    "$PYTHON" - "$1" <<'P'
import json, sys
doc = json.load(open(sys.argv[1], encoding="utf-8"))
for k, v in doc.items():
    if isinstance(v, list):
        print(k + ":", *(json.dumps(x, ensure_ascii=False) for x in v), sep="\n    ")
    elif k not in ("analyzer", "generator", "version"):
        print(k + ":", json.dumps(v, ensure_ascii=False))
P
}
whole out/gates.json
cat out/gates.prom out/gates.xml out/gates.md
for f in out/gates_csvs/*.csv out/*/*.csv; do
    [ -f "$f" ] && echo "== $(basename "$f")" && cat "$f" && rm "$f"
done
echo "== repeated runs of both"
for i in 1 2 3 4 5; do
    kernels base$i.csv gemm:$((50000000 + 100000 * i)) attention:$((30000000 + 70000 * (i % 3))) norm:$((9000000 + 1000000 * (i % 2))) small:$((1000 * i)) gone:500
    kernels cand$i.csv gemm:$((54000000 + 90000 * i)) attention:$((29900000 + 80000 * (i % 2))) norm:$((8000000 + 1300000 * (i % 3))) small:$((1000 * i)) new:700
done
analyzer gate base1.csv cand?.csv -b base2.csv -b base3.csv -b base4.csv -b base5.csv -r 'table=kern_sum,column=Total Time (ns)' \
    -r 'table=kern_sum,column=Instances,max=10' --format verdict -o twice -v
whole twice/gates.json
analyzer gate --calibrate base?.csv -r 'table=kern_sum,column=Total Time (ns)'
