#!/usr/bin/env python3
"""Graph replays with their captures (src/docs/graphs.md) against what the maker of the traces says: every layout of captures,
every rule of pairing, ranks, captures that are damaged or of another model, lost kernels.

    graphs_check.py --analyzer ANALYZER
The last line is "N passed, N failed".
"""
import argparse
import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAKER = os.path.join(SRC, "tests", "gen", "make_graph_captures.py")
csv.field_size_limit(1 << 27)
passed = failed = 0


def hold(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL %s: %s" % (what, detail))


def rows(folder, table):
    path = os.path.join(folder, table + ".csv")
    return list(csv.DictReader(open(path))) if os.path.exists(path) else []


def run(a, tmp, options, more=(), before=None):
    data, out = os.path.join(tmp, "data"), os.path.join(tmp, "out")
    subprocess.run(["rm", "-rf", data, out], check=True)
    subprocess.run([sys.executable, MAKER, data] + options, check=True)
    if before:
        before(data)
    p = subprocess.run([a.analyzer, "run", os.path.join(data, "trace.json.gz"), "--csv-dir", out] + list(more), capture_output=True,
                       text=True)
    p.stderr = "".join(line for line in p.stderr.splitlines(True) if ": note: " not in line)
    return out, json.load(open(os.path.join(data, "truth.json"))), p


def operators(out):
    t = {}
    for r in rows(out, "unified_perf_summary"):
        x = t.setdefault("%s %s" % (r["name"], r["Input Dims"]), [0, 0])
        x[0], x[1] = x[0] + int(r["operation_count"]), x[1] + round(1000 * float(r["Kernel Time (µs)_sum"]))
    return t


def share(out, text):
    return sum(float(r["Value"]) for r in rows(out, "coverage") if text in r["Item"])


def pairing(out):
    """Rule, or reason why not -> graph launches."""
    t = {}
    for r in rows(out, "coverage"):
        if r["Item"].startswith("graph kernels "):
            words = r["Note"].split(" events of ")[1].split()
            if words[0].isdigit(): # not those of a launch that is paired in part
                t[r["Item"].split(": ", 1)[1]] = int(words[0])
    return t


def layouts(a, tmp):
    rules = (("full", "same", "by order, names equal"), ("full", "surplus", "by name, forward"), ("full", "streams", "by name, each stream"),
             ("none", "same", "by order, checked by family only"), ("nodes", "same", "by order, checked by family only"),
             ("none", "later", "by order, checked by family only"))
    for layout in ("vllm", "sglang", "atom", "xdit"):
        for names, order, rule in rules:
            what = "%s, names %s, order %s" % (layout, names, order)
            ranks = [] if layout == "xdit" else ["--ranks", "2"]
            out, truth, p = run(a, tmp, ["--layout", layout, "--names", names, "--order", order] + ranks)
            hold(p.returncode == 0 and not p.stderr, what, p.stderr)
            hold(operators(out) == truth["operators"], what, "%s, not %s" % (operators(out), truth["operators"]))
            hold(share(out, rule) > 0 and abs(share(out, "matched to a capture") - 100) < 1e-9, what + ": rule", p.stderr)
            hold(sum(pairing(out).values()) == truth["launches"], what + ": every launch is counted", pairing(out))
            shapes = rows(out, "graph_captures")
            hold(sum(int(r["Graph launches"]) for r in shapes) == truth["launches"] and {int(r["Batch"]) for r in shapes} <= {8, 16, 32} and
                 {r["Paired"] for r in shapes} == {"yes"} and abs(sum(float(r["Share of graph time (%)"]) for r in shapes) - 100) < 1e-6,
                 what + ": by shape", shapes)
    # Kernels in any order: those of one name are told apart by their order only, so only their sums are known.
    out, truth, p = run(a, tmp, ["--order", "mixed"])
    hold(share(out, "matched to a capture") == 100, "mixed order")
    hold(sum(x[1] for x in operators(out).values()) == sum(x[1] for x in truth["operators"].values()), "mixed order: time")
    for names in ("full", "none"):
        for what, options in (("steps on another thread", ["--layout", "sglang", "--other-thread"]), ("decoder and speculator", ["--speculator"]),
                              ("mixtures of experts", ["--experts"]), ("latent attention", ["--latent"]), ("many replays", ["--experts", "--steps", "60"])):
            out, truth, p = run(a, tmp, options + ["--names", names], ["--compat", "tracelens"])
            hold(operators(out) == truth["operators"], "%s, names %s" % (what, names), "%s, not %s" % (operators(out), truth["operators"]))
    # the experts of a token are the router's argument, so that the products have work
    out, _, _ = run(a, tmp, ["--experts", "--names", "none"], ["--compat=tracelens"])
    products = [r for r in rows(out, "MoE_unfused_fwd") if r["name"].startswith("pseudo_op::moe_triton")]
    hold(products and all(r["param: topk"] == "2" and float(r["GFLOPS_first"]) > 0 for r in products), "experts of a token", products)
    products = [r for r in rows(out, "MoE_unfused_fwd") if r["name"].startswith("pseudo_op::moe_flydsl")]
    hold(products and all(r["param: topk"] == "2" and float(r["GFLOPS_first"]) > 0 for r in products), "products of FlyDSL", products)
    said = next(r["text"] for r in rows(out, "verdict") if r["line"] == "trust")
    hold("launched by graphs" not in said and "by order" in said, "what the captures are worth", said)


def other_counts(a, tmp):
    """Captures without names that have more launches than a replay has kernels."""
    for seed in ("1", "2", "3"):
        what = "one launch more, seed " + seed
        out, truth, p = run(a, tmp, ["--names", "none", "--order", "surplus", "--seed", seed])
        got = {k: x for k, x in operators(out).items() if "Synthetic" not in k}
        hold(got == truth["operators"], what, "%s, not %s" % (got, truth["operators"]))
        ways = pairing(out)
        hold(ways == {"by order between known kernels": truth["launches"]}, what + ": rule", ways)
        left = share(out, "of another number")
        hold(left > 0 and abs(left + share(out, "matched to a capture") - 100) < 1e-9, what + ": all events are counted", left)
        shapes = rows(out, "graph_captures")
        hold(sum(int(r["Graph launches"]) for r in shapes) == truth["launches"], what + ": by shape", shapes)
        # a later replay that is whole names the kernels of the earlier one
        out, truth, p = run(a, tmp, ["--names", "none", "--order", "cut", "--steps", "40", "--seed", seed])
        hold(operators(out) == truth["operators"] and share(out, "matched to a capture") == 100, "first replays that are cut, seed " + seed,
             "%s, not %s" % (operators(out), truth["operators"]))


def phases(a, tmp):
    out, truth, p = run(a, tmp, ["--layout", "atom"], ["--opt", "inference_phase_analysis=true", "--opt", "phase_detection_method=annotation",
                                                      "--opt", "include_call_stack=true"])
    phase = rows(out, "inference_phases")
    hold([r["Phase"] for r in phase] == ["Decode"] and int(phase[0]["Launches"]) == sum(x[0] for x in truth["operators"].values()), "phases", phase)
    stacks = [json.loads(r["call_stack_full"]) for r in rows(out, "unified_perf_summary")]
    hold(stacks and all("nn.Module: Block" in s for s in stacks), "modules", stacks[:2])


def ranks(a, tmp):
    """One folder of captures for all ranks, beside the traces or above the folders of the ranks, or one for each rank."""
    for where in ("beside", "above", "each", "named"):
        run(a, tmp, ["--layout", "sglang", "--ranks", "2"])
        data = os.path.join(tmp, "data")
        trace = json.loads(gzip.open(os.path.join(data, "trace.json.gz")).read())
        for rank in (0, 1):
            folder = os.path.join(data, "runs") if where == "beside" else os.path.join(data, "runs", "rank_%d" % rank)
            os.makedirs(folder, exist_ok=True)
            trace["distributedInfo"]["rank"] = rank
            with gzip.open(os.path.join(folder, "trace_rank%d.json.gz" % rank), "wt") as f:
                json.dump(trace, f)
            if where == "each":
                shutil.copytree(os.path.join(data, "capture_traces"), os.path.join(folder, "capture_traces"))
        captures = os.path.join(data, "capture_traces")
        if where in ("beside", "above"):
            shutil.move(captures, os.path.join(data, "runs", "capture_traces"))
        options = ["--opt", "capture_folder=" + captures] if where == "named" else []
        for rank in (0, 1):
            folder = os.path.join(data, "runs") if where == "beside" else os.path.join(data, "runs", "rank_%d" % rank)
            out = os.path.join(tmp, "rank")
            subprocess.run([a.analyzer, "run", os.path.join(folder, "trace_rank%d.json.gz" % rank), "--csv-dir", out, "-q"] + options, check=True)
            own = set(k.split(" ", 1)[1] for k in operators(out))
            hold(own and ("[[1,1]]" in own) == (rank == 1), "captures %s, rank %d" % (where, rank), own)


def damage(a, tmp):
    """What is no capture, or not of this model, costs its own graphs their operators and nothing else."""
    def one(what, change, said, launches):
        out, truth, p = run(a, tmp, ["--layout", "sglang", "--steps", "12"], before=lambda data: change(os.path.join(data, "capture_traces")))
        hold(p.returncode == 0 and said in p.stderr and "error:" not in p.stderr, what, p.stderr)
        wrong = {k: x for k, x in operators(out).items() if k in truth["operators"] and x != truth["operators"][k]}
        lost = sum(n for k, n in pairing(out).items() if k == "no capture of their shape")
        hold(not wrong and (lost > 0) == launches and lost + pairing(out).get("by order, names equal", 0) in (0, truth["launches"]), what, pairing(out))

    def put(content, name="bs_16_rank0.json.gz"):
        def change(folder):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        return change

    def cut(folder):
        path = os.path.join(folder, "bs_16_rank0.json.gz")
        with open(path, "rb") as f:
            content = f.read()
        put(content[:len(content) // 3])(folder)

    def drop(folder):
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))

    one("empty file", put(b""), "empty file", True)
    one("text", put(b"hello"), "malformed JSON", True)
    one("cut", cut, "no graph capture in this trace", True)
    one("database", put(b"SQLite format 3\0" + bytes(100)), "malformed JSON", True)
    one("JSON of something else", put(gzip.compress(b'{"a": [1, 2]}')), "no 'traceEvents'", True)
    one("a file of no known shape", put(b"hello", "notes.json"), "malformed JSON", False)
    one("malformed list", put(b"{", "execution_details.json"), "no list of captures", False)
    one("a list that is cut", put(gzip.compress(b"[]")[:8], "execution_details.json"), "", False)
    def twice(folder):
        """A list that names one file once for each of its captures."""
        name = os.listdir(folder)[0]
        with open(os.path.join(folder, "execution_details.json"), "w") as f:
            json.dump([{"file": name, "batch_size": b, "mode": m} for b in (8, 16, 32) for m in ("FULL", "PIECEWISE")], f)

    def moved(folder):
        path = os.path.join(folder, "execution_details.json")
        with open(path) as f:
            details = json.load(f)
        for i, x in enumerate(details):
            x["file"] = ("/gone/", "run/capture_traces/")[i % 2] + x["file"]
        with open(path, "w") as f:
            json.dump(details, f)

    out, truth, p = run(a, tmp, ["--layout", "xdit"], before=lambda data: moved(os.path.join(data, "capture_traces")))
    hold(operators(out) == truth["operators"] and not p.stderr, "a list that was made elsewhere", p.stderr)
    out, truth, p = run(a, tmp, ["--layout", "vllm"], before=lambda data: twice(os.path.join(data, "capture_traces")))
    hold(operators(out) == truth["operators"] and not p.stderr, "a list that names a file often", p.stderr)
    captured = [a.analyzer, "run", os.path.join(tmp, "data", "capture_traces")]
    p = subprocess.run(captured, capture_output=True, text=True)
    hold(p.returncode != 0 and "trace of a graph capture" in p.stderr, "a capture without the run", p.stderr)
    out, truth, p = run(a, tmp, [], before=lambda data: drop(os.path.join(data, "capture_traces")))
    hold(p.returncode == 0 and "no graph capture in this folder" in p.stderr and share(out, "matched to a capture") == 0, "empty folder", p.stderr)
    out, truth, p = run(a, tmp, [], ["--opt", "capture_folder=" + os.path.join(tmp, "gone")])
    hold(p.returncode != 0 and "gone: no such folder; name the folder with the traces" in p.stderr, "capture_folder that is not there", p.stderr)
    out, truth, p = run(a, tmp, [], ["--opt", "capture_folder=" + os.path.join(tmp, "data", "trace.json.gz")])
    hold(p.returncode != 0 and "trace.json.gz: is not a folder; name the folder" in p.stderr, "capture_folder that is a file", p.stderr)
    for names, reason in (("full", "other kernels than captured"), ("none", "kernels of other families than the captured operators")):
        for seed in ("1", "2", "3"):
            out, truth, p = run(a, tmp, ["--foreign", "--names", names, "--seed", seed])
            hold(pairing(out) == {reason: truth["launches"]}, "captures of another model, names " + names, pairing(out))


def rewrite(path, change):
    """The events of a trace, changed."""
    with gzip.open(path) as f:
        t = json.load(f)
    change(t["traceEvents"])
    with gzip.open(path, "wt") as f:
        json.dump(t, f)


def of_no_known_shape(a, tmp):
    """Captures without a shape, and files that are cut short, change nothing but where a step's own shape may be theirs."""
    def captures(data):
        return [os.path.join(data, "capture_traces", x) for x in os.listdir(os.path.join(data, "capture_traces"))][0]

    def launches(data):
        """(Batch, launches) of each step: those with a prompt are launched in three parts."""
        with gzip.open(os.path.join(data, "trace.json.gz")) as f:
            steps = [e["name"] for e in json.load(f)["traceEvents"] if e["name"].startswith("execute_")]
        return [(sum(int(x.split("sk")[0]) for x in s.split("(sq")[1:]), 3 if "context_1" in s else 1) for s in steps]

    def another(events, model):
        """One more capture, around which is no annotation: of `model`, or of kernels that no graph has."""
        last = max(e["ts"] + e["dur"] for e in events) + 100
        def span(name, at, **args):
            events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 100, "tid": 1, "ts": last + at, "dur": 1, "args": args})
        span("hipStreamBeginCapture", 0)
        for i, kernel in enumerate(model):
            span("hipModuleLaunchKernel", 5 + 2 * i, kernel=kernel)
        span("hipStreamEndCapture", 10 + 2 * len(model))

    out, truth, p = run(a, tmp, [], before=lambda d: rewrite(captures(d), lambda e: another(e, ["encoder_a", "encoder_b"])))
    hold(operators(out) == truth["operators"] and pairing(out) == {"by order, names equal": truth["launches"]}, "a capture without a shape", pairing(out))

    def copy(events):
        """A capture of batch 32 without its annotation, and only that of its kernels."""
        begin = next(e["ts"] for e in events if e["name"] == "capture_32_FULL")
        end = next(e["ts"] for e in events if e["ts"] > begin and e["name"].endswith("EndCapture"))
        another(events, [e["args"].get("kernel", "copyBuffer") for e in events if begin < e["ts"] < end and "hip" in e["name"] and "Capture" not in e["name"]])

    for seed in ("1", "2", "3"):
        out, truth, p = run(a, tmp, ["--seed", seed], before=lambda d: rewrite(captures(d), copy))
        steps = launches(os.path.join(tmp, "data"))
        low, high = sum(x == (30, 1) for x in steps), sum(n for size, n in steps if size not in (8, 16, 32))
        hold(low <= pairing(out).get("more than one capture has these kernels", 0) <= high and
             pairing(out).get("by order, names equal", 0) >= sum(n for _, n in steps) - high, "a second capture of its kernels, seed " + seed, pairing(out))

    def cut(data):
        """All but the first two thirds of the captures, which begin with the largest batch, are lost."""
        def order(events):
            size = [(e["ts"], -int(e["name"].split("_")[1])) for e in events if e["name"].startswith("capture_")]
            events.sort(key=lambda e: (max((at, n) for at, n in size if at <= e["ts"])[1], e["ts"]))
        path = captures(data)
        rewrite(path, order)
        with gzip.open(path) as f:
            text = f.read()
        with gzip.open(path, "wb") as f:
            f.write(text[:len(text) * 2 // 3])

    for seed in ("1", "2", "3"):
        out, truth, p = run(a, tmp, ["--seed", seed, "--steps", "12"], before=cut)
        got = {k: x for k, x in operators(out).items() if "Synthetic" not in k}
        hold("truncated" in p.stderr and all(x[0] <= truth["operators"].get(k, [0])[0] for k, x in got.items()),
             "captures that are cut short, seed " + seed, (got, truth["operators"]))
        largest = sum(n for size, n in launches(os.path.join(tmp, "data")) if size == 32)
        hold(pairing(out).get("by order, names equal", 0) >= largest, "what is whole, seed " + seed, pairing(out))


def shares(a, tmp):
    """Shares of kernel time that the report states, with copies in the graphs."""
    for what, text, options, before in (
            ("by order", "operators of 100% of kernel time matched to graph captures by order", ["--names", "none"], None),
            ("hidden", "100% of kernel time launched by graphs, without operators", [], lambda d: shutil.rmtree(os.path.join(d, "capture_traces")))):
        out, truth, p = run(a, tmp, options, before=before)
        said = next(r["text"] for r in rows(out, "verdict") if r["line"] == "trust")
        hold(text in said, "share of kernel time, " + what, said)


def odd_lists(a, tmp):
    """Labels of other versions, lists that are cut, a file by two names, ranks that only the folder says."""
    def relabel(events):
        for e in events:
            if e["name"].startswith("execute_"):
                size = sum(int(x.split("sk")[0]) for x in e["name"].split("(sq")[1:])
                e["name"] = "execute_new_0_cached_%d" % size

    out, truth, p = run(a, tmp, [], before=lambda d: rewrite(os.path.join(d, "trace.json.gz"), relabel))
    hold(operators(out) == truth["operators"], "new and cached requests", pairing(out))

    # the run in the profiler's native Perfetto output
    run(a, tmp, [])
    data, out = os.path.join(tmp, "data"), os.path.join(tmp, "out")
    with gzip.open(os.path.join(data, "trace.json.gz")) as f, open(os.path.join(data, "plain"), "wb") as to:
        shutil.copyfileobj(f, to)
    native = os.path.join(data, "trace.pftrace")
    subprocess.run([sys.executable, os.path.join(SRC, "tests", "gen", "make_torch_pftrace.py"), os.path.join(data, "plain"), native], check=True)
    subprocess.run(["rm", "-rf", out], check=True)
    subprocess.run([a.analyzer, "run", native, "--csv-dir", out, "-q"], check=True)
    hold(operators(out) == truth["operators"], "the native Perfetto output", pairing(out))

    def details(text):
        def put(data):
            with open(os.path.join(data, "capture_traces", "execution_details.json"), "w") as f:
                f.write(text)
        return put

    name = "graph_capture_rank_0.17.pt.trace.json.gz"
    for text in ('[{"file": "%s", "batch_si' % name, '[{"file": "%s", "batch_size": 8}, {"file": "gone' % name, '[3, {}]'):
        out, truth, p = run(a, tmp, [], before=details(text))
        hold(operators(out) == truth["operators"] and "no list of captures" in p.stderr, "a list that is cut: " + text, p.stderr)
    out, truth, p = run(a, tmp, [], before=details('[{"file": "%s", "batch_size": 8}, {"file": "./%s", "batch_size": 16}]' % (name, name)))
    hold(operators(out) == truth["operators"] and not p.stderr, "a file by two names", (p.stderr, pairing(out)))

    run(a, tmp, ["--layout", "sglang", "--ranks", "2"])
    data, out = os.path.join(tmp, "data"), os.path.join(tmp, "rank")
    with gzip.open(os.path.join(data, "trace.json.gz")) as f:
        trace = json.load(f)
    del trace["distributedInfo"]
    os.makedirs(os.path.join(data, "rank_1"))
    with gzip.open(os.path.join(data, "rank_1", "trace.json.gz"), "wt") as f:
        json.dump(trace, f)
    for where, path in ((tmp, os.path.join(data, "rank_1", "trace.json.gz")), (os.path.join(data, "rank_1"), "trace.json.gz")):
        subprocess.run(["rm", "-rf", out], check=True)
        subprocess.run([a.analyzer, "run", path, "--csv-dir", out, "-q"], check=True, cwd=where)
        hold(set(k.split(" ", 1)[1] for k in operators(out)) == {"[[1,1]]"}, "a rank that the folder says", operators(out))


def bare_steps(data):
    """Steps with a graph launch that no device event has the correlation of."""
    with gzip.open(os.path.join(data, "trace.json.gz")) as f:
        events = json.load(f)["traceEvents"]
    device = set(e["args"]["correlation"] for e in events if e["cat"] in ("kernel", "gpu_memcpy"))
    bare = [e["ts"] for e in events if "GraphLaunch" in e["name"] and e["args"]["correlation"] not in device]
    return sum(any(e["ts"] <= t < e["ts"] + e["dur"] for t in bare) for e in events if e["name"].startswith("execute_"))


def lost_kernels(a, tmp):
    """Graph launches whose kernels were lost are said; where none was, nothing is."""
    for seed in range(1, 31):
        for lost in (seed % 4 + 1, 0):
            out, truth, p = run(a, tmp, ["--seed", str(seed), "--lost", str(lost), "--steps", "12"])
            said = share(out, "graph launches without device events")
            found = any(r["Rule"] == "graph_unrecorded" for r in rows(out, "findings"))
            hold(said == truth["lost"] and found == (lost > 0), "seed %d, %d lost" % (seed, lost), "said %s" % said)
            hold(operators(out) == truth["operators"], "seed %d, %d lost: operators" % (seed, lost))
            note = [r["Note"] for r in rows(out, "coverage") if r["Item"] == "graph launches without device events"]
            hold(all(", in %d of 12 steps" % bare_steps(os.path.join(tmp, "data")) in n for n in note), "seed %d, %d lost: steps" % (seed, lost), note)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--analyzer", required=True)
    a = ap.parse_args()
    a.analyzer = os.path.abspath(a.analyzer)
    with tempfile.TemporaryDirectory() as tmp:
        for part in (layouts, other_counts, phases, ranks, damage, of_no_known_shape, shares, odd_lists, lost_kernels):
            part(a, tmp)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
