# Findings of traces with one cause of lost time or two, as PyTorch, Nsight Systems and rocprofv3 record them: whole rows, and a
# digest of the tables that they name.
"$PYTHON" - "$SRC/tests/gen" <<'P' || exit 99
import json, os, sys

sys.path.insert(0, sys.argv[1])
import causes_nsys, causes_rocprof, make_causes

NO_SHAPES = ("misaligned_shape", "fusible_chain", "unfused_attention")
single = make_causes.SINGLE + make_causes.WHOLE


def folder(name):
    os.makedirs("in/" + name)
    return "in/" + name


def dump(trace, path):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(trace, f)


for cause in single + ["+".join(x) for x in make_causes.PAIRS]:
    dump(make_causes.make(cause, 5)[0], folder("pytorch " + cause) + "/trace.json")
for cause in [c for c in single if c not in NO_SHAPES]:
    causes_nsys.save(make_causes.make(cause, 10)[0], folder("nsys " + cause) + "/trace.sqlite")
    causes_rocprof.save(make_causes.make(cause, 11)[0], folder("rocprof " + cause) + "/trace_results.json")
for r, trace in enumerate(make_causes.ranks(5)[0]):
    os.makedirs("ranks", exist_ok=True)
    dump(trace, "ranks/rank_%d.json" % r)
P
show() { # folder of tables
    cut -d, -f1-10 "$1/findings.csv" | sed 1d
    (cd "$1" && cat account.csv verdict_facts.csv idle_causes.csv idle_gaps.csv step_work.csv steps.csv 2>/dev/null) | sha256sum | cut -c 1-16
    rm -rf "$1"
}
for d in in/*; do
    echo "===== ${d#in/}"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    show out
done
echo "===== ranks"
"$ANALYZER" multirank -b ranks --all-ranks -q --csv-dir out
show out
