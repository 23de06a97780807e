# Inputs that are cut or have another byte, at places over the whole file: exit status, first message, and of some tables of
# the report the rows and the sum of all numbers, and what was dropped.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" rocprof --steps 1 || exit 99
"$PYTHON" "$SRC/tests/gen/make_torch_pftrace.py" "$SRC/example/pytorch/inference.json" torch.pftrace --plain || exit 99
"$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" trace.json --steps 1 --layers 1 --layout indented || exit 99
"$PYTHON" - <<'P'
import json, math, os, random, shutil, subprocess

SRC, ANALYZER = os.environ["SRC"], os.environ["ANALYZER"]
inputs = ["trace.json", "torch.pftrace", "rocprof/train_results.json", "rocprof/train_results.pftrace", "rocprof/train_pftrace.json",
          "rocprof/train_kernel_trace.csv", "rocprof/train_counter_collection.csv", SRC + "/example/xplane/tpu/tpu.xplane.pb",
          SRC + "/example/xplane/plugins/profile/train_step/alpha.xplane.pb", SRC + "/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv",
          SRC + "/example/tracy/ops_perf_results_host0.csv"]
PRINTED = ("gpu_timeline", "kernel_summary", "kern_sum", "ops_summary", "ops", "data_quality", "time_by_family", "steps")


def of_report(doc):
    tables = {t["id"]: t["rows"] for t in doc["tables"]}
    rows = [r for t in PRINTED for r in tables.get(t, ())]
    numbers = [c for r in rows for c in r if isinstance(c, (int, float)) and not isinstance(c, bool) and math.isfinite(c)]
    dropped = [r[1] for r in tables["coverage"] if str(r[0]).startswith("dropped")]
    return "%d rows, %.12g%s" % (len(rows), math.fsum(numbers), ", dropped %s" % dropped if dropped else "")


def run(path, what):
    shutil.rmtree("out", ignore_errors=True)
    p = subprocess.run([ANALYZER, "run", path, "--format", "json", "-o", "out"], capture_output=True, text=True)
    said = [line for line in p.stderr.splitlines() if "error:" in line or "warning:" in line]
    made = [f for f in os.listdir("out") if f.endswith(".json")] if os.path.isdir("out") else []
    report = "no report"
    if made:
        report = of_report(json.load(open("out/" + made[0], encoding="utf-8")))
    print("%-16s %d, %s%s" % (what, p.returncode, report, "; " + said[0].split(": ", 1)[1][:150] if said else ""))


for name in inputs:
    data = open(name, "rb").read()
    print("== %s" % os.path.basename(name))
    os.makedirs("damaged", exist_ok=True)
    path = "damaged/" + os.path.basename(name)
    places = random.Random(len(os.path.basename(name)))
    for k in range(28):
        at = places.randrange(len(data))
        if k % 4 == 0:
            bad, what = data[:at], "cut %d" % at
        elif k % 4 == 1:
            bad, what = data[:at] + bytes([places.choice(b'"{}[],:0-9ex\n\0\xff')]) + data[at + 1:], "byte %d" % at
        elif k % 4 == 2:
            bad, what = data[:at] + data[at + 1:], "without %d" % at
        else:
            bad, what = data[:at] + data[max(0, at - 40):], "twice %d" % at
        open(path, "wb").write(bad)
        run(path, what)
    shutil.rmtree("damaged")
P
