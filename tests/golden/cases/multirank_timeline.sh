# One account of device time: gpu_timeline of a trace and the row of its rank in gpu_timelines, to the nanosecond, over the
# examples and made traces (both in the population of TraceLens), some of whose launches are not recorded; by default, with include_unlinked_kernels, by flow arrows.
mkdir -p made
for seed in 1 2 3; do
    "$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" made/whole_$seed.json --steps 2 --layers 2 --seed $seed
done
"$PYTHON" "$SRC/tests/gen/make_ranks.py" 'made/ranks_{rank}.json' --ranks 2
"$PYTHON" - <<'P'
import glob, json, random
for path in sorted(glob.glob("made/*.json")):
    with open(path) as f:
        t = json.load(f)
    pick = random.Random(path)
    calls = ("cuda_runtime", "cuda_driver")
    start = sorted(e["ts"] for e in t["traceEvents"] if e.get("cat") in calls)[len(t["traceEvents"]) // 20]
    early = [e for e in t["traceEvents"] if e.get("cat") not in calls or float(e["ts"]) >= float(start)]
    lost = [e for e in t["traceEvents"] if e.get("cat") not in calls or pick.random() < 0.7]
    none = [e for e in t["traceEvents"] if e.get("cat") not in calls]
    for name, events in (("early", early), ("lost", lost), ("none", none)):
        with open(path.replace("made/", "made/%s_" % name), "w") as f:
            json.dump(dict(t, traceEvents=events), f)
P
"$PYTHON" - "$ANALYZER" "$SRC" <<'P'
import csv, glob, json, os, shutil, subprocess, sys
analyzer, src = sys.argv[1:]

def figures(path, column):
    with open(path, newline="") as f:
        return {r["type"]: round(float(r[column(r)]) * 1e6) for r in csv.DictReader(f)}

files = sorted(glob.glob(src + "/example/pytorch/*.json") + glob.glob("made/*.json"))
files += sorted(glob.glob(src + "/example/multirank/**/*.json*", recursive=True))
for options in ([], ["include_unlinked_kernels=true"], ["link_by=flow"]):
    wrong, left = [], 0
    more = [x for o in options for x in ("--opt", o)]
    for path in files:
        shutil.rmtree("t", ignore_errors=True)
        os.makedirs("t/in")
        shutil.copy(path, "t/in/rank_0" + path[path.index(".json"):])
        subprocess.run([analyzer, "run", "-q", "--compat=tracelens", path, "--format", "csv", "--csv-dir", "t/run"] + more, check=True)
        subprocess.run([analyzer, "multirank", "-q", "--compat=tracelens", "-b", "t/in", "-e", "auto", "-f", "rank_0", "--format", "csv",
                        "--csv-dir", "t/ranks"] + more, check=True)
        one = figures("t/run/gpu_timeline.csv", lambda r: "time ms")
        many = figures("t/ranks/gpu_timelines.csv", lambda r: next(c for c in r if c.startswith("time_ms_")))
        with open("t/ranks/grouped_breakdown.csv", newline="") as f:
            groups = {r["Group"]: round(float(r["Exposed (s)"]) * 1e9) for r in csv.DictReader(f)}
        if one != many or groups["Total"] != one["busy_time"]:
            wrong.append("%s: %s %s %s" % (os.path.basename(path), one, many, groups))
        left += one["total_time"] == 0
    print("%s: %d traces, %d without linked work, %d differ" % (" ".join(options) or "default", len(files), left, len(wrong)))
    print("".join("  %s\n" % w for w in wrong), end="")
P
