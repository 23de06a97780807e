# Every operator model on random shapes, types and arguments, right and wrong ones: of each operator how many of its calls
# have FLOPs and bytes, and a digest of these and of the parameters; why the others have none.
"$PYTHON" - "$SRC/configs/op_models.csv" <<'P' || exit 99
import csv, json, random, sys

TYPES = ["float", "c10::BFloat16", "c10::Half", "c10::Float8_e4m3fn", "unsigned char", "long int", "Scalar", "", "TensorList", "c10::complex<float>"]
CONCRETE = ["", "", "0", "1", "2", "True", "False", "[1, 1]", "[2]", "[0, 1]", "[True, False, True]", "0.5", "-1", "15", "[]", "None", "fp8", "[4]"]
with open(sys.argv[1], encoding="utf-8") as f:
    names = [r[0] for r in csv.reader(line for line in f if not line.startswith("#")) if r and r[0] and r[0] != "op"]
events, n = [], 0


def add(cat, name, pid, tid, ts, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": {k.replace("__", " "): v for k, v in args.items()}})


def shape(rnd, pool):
    return [rnd.choice(pool) for _ in range(rnd.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5]))]


def case(rnd):
    pool = rnd.choice([[2, 4], [4], [1, 8], [2, 3, 5], [16, 32], [0, 2]])
    count = rnd.choice([0, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10])
    dims = [shape(rnd, pool) for _ in range(count)]
    if dims and rnd.random() < 0.4:
        dims = [list(dims[0]) for _ in dims]
    if len(dims) > 1 and rnd.random() < 0.3:
        dims[1] = list(reversed(dims[0]))
    kind = rnd.choice(TYPES)
    types = [kind if rnd.random() < 0.8 else rnd.choice(TYPES) for _ in dims]
    return dims, types, [rnd.choice(CONCRETE) for _ in dims]


for name in names:
    rnd = random.Random("7" + name)
    for _ in range(30):
        dims, types, concrete = case(rnd)
        n += 1
        t = 10 * n
        add("cpu_op", name, 9, 9, t, 8, External__id=n, Ev__Idx=n, Input__Dims=dims, Input__type=types, Concrete__Inputs=concrete,
            Input__Strides=[[1] * len(d) for d in dims])
        add("cuda_runtime", "cudaLaunchKernel", 9, 9, t + 1, 1, External__id=n, cbid=211, correlation=n)
        add("kernel", "k%d" % (n % 5), 0, 7, t + 3, 2, External__id=n, correlation=n, device=0, stream=7, grid=[8, 1, 1], block=[128, 1, 1])
json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}], "traceEvents": events}, open("all.json", "w"))
P
"$ANALYZER" run -q --csv-dir out --compat=all all.json
"$PYTHON" - <<'P'
import csv, glob, hashlib, sys

csv.field_size_limit(1 << 30)
of = {}
for path in sorted(glob.glob("out/*.csv")):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    if not rows or "name" not in rows[0] or not any(c.startswith("GFLOPS") for c in rows[0]):
        continue
    for r in rows:
        values = [r[c] for c in r if c.startswith(("GFLOPS", "Data Moved", "param", "FLOPS/Byte", "Compute Spec"))]
        of.setdefault(r["name"], []).append((any(v for c, v in r.items() if c.startswith("GFLOPS")), repr((path, values, r.get("Input Dims") or r.get("Input Dims_first")))))
for name, rows in sorted(of.items()):
    print("%-70s %4d of %4d %s" % (name[:70], sum(r[0] for r in rows), len(rows), hashlib.sha256("".join(r[1] for r in rows).encode()).hexdigest()[:12]))
P
grep '^no model' out/coverage.csv
