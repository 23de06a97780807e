#!/usr/bin/env python3
"""One account of time (src/docs/account.md): over inputs of all formats, every pair of tables that answers the same question
says the same, to the nanosecond (kernel sums to a rounding of their columns).

    account_check.py --analyzer ANALYZER [--example-data DIR] [--shared DIR]

Inputs: example/, the generated example data, traces of tests/gen, and DIR/data where there is one. Differences that are
meant are in EXCEPT, by table, with the reason. The last line is "N passed, N failed".
"""
import argparse
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GEN = os.path.join(SRC, "tests", "gen")

# What is not compared with the account of time, and why.
EXCEPT = {
    "temporal_breakdown": "HTA's words: fills are memory, the last profiler step skipped (last_step: keep here), and work "
                          "without a launch counts; compared where none of that applies",
    "kernel_summary_by_shape": "kernels without communication",
    "unified_perf_summary": "operators: work without a launch is in none of them",
    "ops_summary": "operators without collectives",
    "hlo_op_summary": "operations without a program are not in it",
}

CLAIMS = ("account", "step_work", "trust_checks", "verdict_facts")
RANK_RULES = ()

csv.field_size_limit(1 << 27)

PARTS = ("computation_time", "exposed_comm_time", "exposed_memcpy_time")
passed = failed = 0


def verdict(good, what, detail=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAIL %s%s" % (what, ": " + detail if detail else ""))


def same(what, a, b, tolerance=0.5):
    """Two times in ns; exact but for the last digit that a column in ms or us holds."""
    verdict(abs(a - b) <= tolerance, what, "%.3f ns against %.3f ns" % (a, b))


def tables(command, folder, view=("--compat=all",)):
    """Runs the analyzer; {table: rows}, or None where the input is none that it reads."""
    out = os.path.join(folder, "csv")
    subprocess.run(["rm", "-rf", out], check=True)
    done = subprocess.run(command + [*view, "--format", "csv", "--csv-dir", out, "-q"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
    if done.returncode not in (0, 3):
        print("note %s: exit status %d" % (command[-1], done.returncode))
        return None
    found = {}
    for path in glob.glob(os.path.join(out, "**", "*.csv"), recursive=True):
        with open(path, newline="", encoding="utf-8") as f:
            found[os.path.basename(path)[:-4]] = list(csv.DictReader(f))
    return found


def number(row, column):
    return float(row[column]) if row.get(column) else 0.0


def blocks(rows, time="time ms"):
    """Rows of a timeline -> {key: {type: ns}}; key: the columns before `type`, and behind percent."""
    out = {}
    for r in rows:
        key = tuple(v for k, v in r.items() if k not in ("type", time, "percent"))
        out.setdefault(key, {})[r["type"]] = number(r, time) * 1e6
    return out


def idle_of(b):
    return b["idle_time"] if "idle_time" in b else b["micro_idle_time"] + b["macro_idle_time"]


def identity(what, b):
    same(what + ": parts add up to the total", sum(b[p] for p in PARTS) + idle_of(b), b["total_time"])
    same(what + ": parts and busy", sum(b[p] for p in PARTS), b["busy_time"])
    verdict(b["total_comm_time"] + 0.5 >= b["exposed_comm_time"] and b["total_memcpy_time"] + 0.5 >= b["exposed_memcpy_time"],
            what + ": exposed is a part of all")


def equal_blocks(what, a, b):
    for k in sorted(set(a) & set(b)):
        same("%s, %s" % (what, k), a[k], b[k])


def column_sum(rows, column, scale):
    return sum(number(r, column) for r in rows) * scale


# Tables that add up all kernels: column and its unit in ns.
KERNEL_SUMS = {
    "kern_sum": [("Total Time (ns)", 1)],
    "kernel_summary": [("Kernel duration (µs)_sum", 1e3), ("Total Kernel Time (ms)", 1e6), ("total_us", 1e3)],
    "kernel_class_summary": [("Kernel duration (ms)_sum", 1e6)],
    "kernel_summary_by_category": [("total_direct_kernel_time_ms", 1e6), ("total_us", 1e3)],
    "kernels_by_name": [("total_ns", 1)],
    "kernels_by_grid": [("total_ns", 1)],
    "classes": [("Total Time (ns)", 1)],
}


def kernel_sums(what, t):
    sums = {}
    for name, columns in KERNEL_SUMS.items():
        for column, scale in columns:
            if t.get(name) and column in t[name][0]:
                sums[name] = column_sum(t[name], column, scale)
                break
    names = sorted(sums)
    for n in names[1:]:
        same("%s: kernel time of %s and %s" % (what, names[0], n), sums[names[0]], sums[n],
             max(10.0, 1e-6 * sums[names[0]]))


def unlinked(t):
    return any("unlinked device events" in r["Check"] and int(float(r["Count"] or 0)) for r in t.get("data_quality", []))


def families(what, t):
    """time_by_family adds up the kernels of kernels_by_name, which has those without a launch, too; operations of a TPU count
    without what is inside them."""
    if unlinked(t):
        return
    if not t.get("kernels_by_name") or t.get("tpu_op_summary"):
        return
    times = {r["family"]: number(r, "time_ms") * 1e6 for r in t.get("time_by_family", [])}
    verdict(bool(times), what + ": has time_by_family")
    sums = {}
    for r in t["kernels_by_name"]:
        sums[r["family"]] = sums.get(r["family"], 0) + number(r, "total_ns")
    for f, ns in sums.items():
        if f not in ("copy", "fill", "other"): # those hold copies, fills and graphs, too
            same("%s: kernels of %s, time_by_family" % (what, f), ns, times.get(f, 0), max(10.0, 1e-6 * ns))


def device_iterations(what, t, lines):
    """Steps of a tag on one device: the windows are the same."""
    rows = t.get("device_iterations")
    steps = [s for s in lines if s[-1].startswith("iteration ")]
    if not rows or not steps or len(rows) != len(steps):
        return
    rows = sorted(rows, key=lambda r: (int(r["Window Start (ns)"]), int(r["RangeId"])))
    pairs = {"computation_time": "Compute (ns)", "exposed_comm_time": "Exposed NCCL (ns)", "exposed_memcpy_time":
             "Exposed Mem (ns)", "busy_time": "Busy (ns)", "total_time": "Window (ns)", "total_comm_time": "NCCL (ns)"}
    for s, r in zip(sorted(steps, key=lambda s: int(s[-1].split()[1])), rows):
        for a, b in pairs.items():
            same("%s: gpu_timeline_by_step %s, device_iterations" % (what, s), lines[s][a], number(r, b))


def gaps(what, t, line, devices):
    """Gaps of all sizes of one device are its idle time; not where the profiler's overhead is busy or launches are missing."""
    quality = {r["Check"]: int(float(r["Count"] or 0)) for r in t.get("data_quality", [])}
    if t.get("gpu_gaps_histogram") and len(devices) == 1 and not any("unlinked device events" in k and n for k, n in quality.items()):
        same(what + ": gpu_gaps_histogram and idle time", column_sum(t["gpu_gaps_histogram"], "Time (ns)", 1), idle_of(line))


def one_input(what, t):
    whole = t.get("gpu_timeline", [])
    kernel_sums(what, t)
    families(what, t)
    if not whole:
        return
    if "time_ms" in whole[0]: # by device of its own
        for k, b in blocks(whole, "time_ms").items():
            identity("%s: gpu_timeline %s" % (what, k), b)
        return
    whole = blocks(whole)
    if any("kernel" in b for b in whole.values()): # in the words of rocprofv3's tools
        dispatches(what, t, whole)
        return
    for k, b in whole.items():
        identity("%s: gpu_timeline %s" % (what, k), b)
    devices, steps = blocks(t.get("gpu_timeline_by_device", [])), blocks(t.get("gpu_timeline_by_step", []))
    for name, lines in (("gpu_timeline_by_device", devices), ("gpu_timeline_by_step", steps)):
        for k, b in lines.items():
            identity("%s: %s %s" % (what, name, k), b)
    if len(whole) == 1:
        line = whole[()] if () in whole else next(iter(whole.values()))
        if len(devices) == 1:
            equal_blocks(what + ": gpu_timeline and gpu_timeline_by_device", line, next(iter(devices.values())))
        for kind in ("computation_time", "total_comm_time", "total_memcpy_time", "busy_time"):
            if devices:
                verdict(sum(b[kind] for b in devices.values()) + 0.5 >= line[kind],
                        "%s: %s of all devices is at least that of the pool" % (what, kind))
        device_iterations(what, t, steps)
        gaps(what, t, line, devices)


def dispatches(what, t, whole):
    line, agents = whole[()], blocks(t.get("gpu_timeline_by_agent", []))
    same(what + ": busy and idle add up", line["busy_time"] + line["idle"], line["total_time"])
    if len(agents) == 1:
        equal_blocks(what + ": gpu_timeline and gpu_timeline_by_agent", line, next(iter(agents.values())))
    for r in t.get("comm_overlap", []):
        key = tuple(r[k] for k in ("rank", "agent") if k in r)
        same("%s: comm_overlap %s, parts" % (what, key), number(r, "overlapped ms") + number(r, "exposed ms"),
             number(r, "communication ms"), 1e-6)
        if key in agents:
            used = (number(r, "computation ms") + number(r, "exposed ms")) * 1e6
            copies = "copyBuffer" in str(t.get("kernel_summary")) # kernels that copy are copies there
            verdict(abs(used - agents[key]["kernel"]) < 0.5 or (copies and used < agents[key]["kernel"]),
                    "%s: comm_overlap %s, kernel time" % (what, key))
    busy = column_sum(t.get("nccl_exposure_ranks", []), "comm_busy_ms", 1e6)
    if busy and t.get("comm_overlap"):
        same(what + ": communication of nccl_exposure_ranks and comm_overlap", busy,
             column_sum(t["comm_overlap"], "communication ms", 1e6))
        same(what + ": exposed communication of nccl_exposure_ranks and comm_overlap",
             column_sum(t["nccl_exposure_ranks"], "exposed_comm_ms", 1e6), column_sum(t["comm_overlap"], "exposed ms", 1e6))


def by_rank(rows):
    return {r["rank"]: r for r in rows or []}


def ranks(what, t, alone):
    """Tables over ranks against each other, and against each rank's own report."""
    lines = by_rank(t.get("gpu_timelines_by_rank"))
    verdict(bool(lines), what + ": gpu_timelines_by_rank is there")
    flat = {r["type"]: r for r in t.get("gpu_timelines", [])}
    temporal, hidden = by_rank(t.get("temporal_breakdown")), by_rank(t.get("comm_comp_overlap"))
    exposure = by_rank(t.get("nccl_exposure_ranks"))
    said = any(r["Rule"] == "collectives_as_computation" for r in t.get("findings", []))
    for rank, r in lines.items():
        b = {k: number(r, k) * 1e6 for k in r if k != "rank"}
        here = "%s: rank %s" % (what, rank)
        identity(here, b)
        for kind in b:
            same("%s: gpu_timelines %s" % (here, kind), b[kind], number(flat[kind], "time_ms_" + rank) * 1e6)
        if rank in alone:
            equal_blocks(here + ": run and multirank", alone[rank]["line"], b)
        own = alone.get(rank, {})
        if rank in temporal and not own.get("unlinked") and not said:
            one = temporal[rank]
            same(here + ": temporal_breakdown, total", number(one, "kernel_time(us)") * 1e3, b["total_time"])
            same(here + ": temporal_breakdown, idle", number(one, "idle_time(us)") * 1e3, b["idle_time"])
            same(here + ": temporal_breakdown, communication", number(one, "communication_time(us)") * 1e3, b["total_comm_time"])
            if not own.get("fills"):
                same(here + ": temporal_breakdown, computation", number(one, "compute_time(us)") * 1e3, b["computation_time"])
                same(here + ": temporal_breakdown, exposed", number(one, "exposed_communication_time(us)") * 1e3,
                     b["exposed_comm_time"])
                same(here + ": comm_comp_overlap, exposed", number(hidden[rank], "exposed(us)") * 1e3, b["exposed_comm_time"])
        if rank in exposure and not own.get("unlinked"):
            same(here + ": nccl_exposure_ranks, communication", number(exposure[rank], "comm_busy_ms") * 1e6,
                 b["total_comm_time"])
            if own.get("devices", 1) == 1:
                same(here + ": nccl_exposure_ranks, exposed", number(exposure[rank], "exposed_comm_ms") * 1e6,
                     b["exposed_comm_time"])
        names = [x for x in t.get("exposed_communication", []) if x["rank"] == rank]
        if names:
            total = column_sum(names, "sum (us)", 1e3)
            verdict(total + 0.5 >= b["total_comm_time"], here + ": exposed_communication holds all communication")
            if abs(total - b["total_comm_time"]) < 0.5: # no two at once
                same(here + ": exposed_communication, exposed", column_sum(names, "exposed (us)", 1e3), b["exposed_comm_time"])


def operation_report(analyzer, path, what, folder, options):
    """What a report of operations counts is in its families, in the operations by arguments, and in the gate of it with itself."""
    more = [x for o in options for x in ("--opt", o)]
    t = tables([analyzer, "run", path] + more, folder, ())
    row = next((r for r in t.get("data_quality", []) if r["Check"] == "account of time"), None) if t else None
    verdict(bool(row) or not (t and t.get("time_by_family")), what + ": has an account")
    if not row:
        return
    busy, gap = number(row, "Device Time") * 1e3, number(row, "Op-to-Op Gap") * 1e3
    # tables about rows have those of the signposts that were chosen; the account has the scope of the verdict
    every = next(r for r in t["data_quality"] if r["Check"] == "all rows")
    kernels, each = number(every, "Device Time") * 1e3, int(every["Rows"]) / 2 + 1 # means over devices are rounded
    same(what + ": families and rows", sum(number(r, "time_ms") for r in t["time_by_family"]) * 1e6, kernels, each)
    same(what + ": op_models and rows", sum(number(r, "Device Time Sum") for r in t["op_models"]) * 1e3, kernels, each)
    parts = ("Computing (ns)", "Exposed communication (ns)", "Exposed copy (ns)")
    same(what + ": parts of the account and busy time", sum(number(t["account"][0], c) for c in parts), busy, 2)
    same(what + ": idle time of the account", number(t["account"][0], "Idle (ns)"), gap, 2)
    head = next(int(r["time (ns)"]) for r in t["verdict"] if r["line"] == "what")
    same(what + ": verdict and account", head, busy + gap, 2)
    subprocess.run([analyzer, "gate", path, path, "-q", "--format=verdict", "-o", "gate"] + more, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    with open(os.path.join(folder, "gate", "gates.json")) as f:
        results = [r for r in json.load(f)["results"] if r["unit"] == "ns"]
    figures = {r["key"]["Figure"]: r["candidate"]["median"] for r in results}
    verdict("busy" in figures and "total" in figures, what + ": a gate has busy and total", str(figures))
    step = next((r for r in t["account"] if r["Scope"] == "step"), None) # of several steps a gate has one
    if step:
        busy, gap = sum(number(step, c) for c in parts), number(step, "Idle (ns)")
    same(what + ": busy of a gate", figures.get("busy", 0), busy, 2)
    same(what + ": total of a gate", figures.get("total", 0), busy + gap, 2)
    parts = sum(v for k, v in figures.items() if k not in ("busy", "total", "idle"))
    verdict(parts <= busy * (1 + 1e-5), what + ": families of a gate are no more than busy", "%g against %g" % (parts, busy))


def families_of_ranks(what, t, alone):
    """time_by_family of a run: of each rank what its own report says, and of all the sum."""
    one, sums = {}, {}
    for r in t.get("time_by_family_by_rank", []):
        key = (r["rank"], r["family"])
        one[key] = one.get(key, 0) + number(r, "time_ms") * 1e6
        sums[r["family"]] = sums.get(r["family"], 0) + number(r, "time_ms") * 1e6
    over = {r["family"]: number(r, "time_ms") * 1e6 for r in t.get("time_by_family", [])}
    verdict(bool(over) and set(over) == set(sums), what + ": families", str((sorted(over), sorted(sums))))
    for f in over:
        same("%s: %s of time_by_family and of its ranks" % (what, f), over[f], sums.get(f, 0))
    for rank, own in alone.items():
        for f, ns in own["families"].items():
            same("%s: rank %s: %s of run and multirank" % (what, rank, f), ns, one.get((rank, f), 0))


def run_of_ranks(analyzer, what, folder, tmp, pattern="*.json*"):
    alone = {}
    for path in sorted(glob.glob(os.path.join(folder, pattern))):
        t = tables([analyzer, "run", path], tmp)
        if not t or not t.get("gpu_timeline"):
            continue
        quality = {r["Check"]: int(float(r["Count"] or 0)) for r in t.get("data_quality", [])}
        name = os.path.basename(path)
        rank = next((r["Value"] for r in t.get("facts", []) if r.get("Key", r.get("Fact", "")) == "rank"), None)
        rank = rank or "".join(c for c in name.split(".")[0].split("step")[0] if c.isdigit())
        alone[rank] = {
            "line": next(iter(blocks(t["gpu_timeline"]).values())),
            "devices": len(blocks(t.get("gpu_timeline_by_device", []))),
            "families": {r["family"]: number(r, "time_ms") * 1e6 for r in t.get("time_by_family", [])},
            "unlinked": sum(n for k, n in quality.items() if "unlinked device events" in k),
            "fills": any("emset" in r.get("Operation", r.get("Name", "")) for r in t.get("mem_time_sum", [])),
        }
    command = [analyzer, "multirank", "--all-ranks", "-e", "auto", "--force", "--opt", "last_step=keep", "-b", folder]
    t = tables(command, tmp)
    if os.path.abspath(folder).startswith((SRC + os.sep, os.path.abspath(tmp))):
        shown = tables(command, tmp, ())
        if shown:
            default_view(what, shown, 22)
    verdict(t is not None, what + ": runs")
    if t:
        ranks(what, t, alone)
        families_of_ranks(what, t, alone)


def generated(tmp):
    def gen(script, *args):
        subprocess.run([sys.executable, os.path.join(GEN, script), *args], check=True, stdout=subprocess.DEVNULL)

    gen("make_nsys_sqlite.py", os.path.join(tmp, "nsys"))
    gen("make_pytorch_trace.py", os.path.join(tmp, "pytorch.json"))
    gen("make_pytorch_moe.py", os.path.join(tmp, "moe.json"))
    gen("make_rocprof_examples.py", os.path.join(tmp, "rocprof"), "--steps", "6")
    gen("make_xplane_example.py", "--dir", os.path.join(tmp, "xplane"))
    gen("make_ranks.py", os.path.join(tmp, "ranks", "rank_{rank}.json"), "--ranks", "4", "--steps", "3", "--slow", "2")
    return (glob.glob(os.path.join(tmp, "nsys", "*.sqlite")) + [os.path.join(tmp, "pytorch.json"), os.path.join(tmp, "moe.json")] +
            glob.glob(os.path.join(tmp, "rocprof", "*.json")) + glob.glob(os.path.join(tmp, "rocprof", "*.db")) +
            glob.glob(os.path.join(tmp, "rocprof", "*.pftrace")) + glob.glob(os.path.join(tmp, "rocprof", "*_kernel_trace.csv")) +
            glob.glob(os.path.join(tmp, "xplane", "**", "*.pb"), recursive=True))


def default_view(what, t, most):
    """What is shown unasked: not too many tables, and each finding names one of them that has its row. The claims of the
    verdict as tables are for programs, which read them together."""
    t = {name: r for name, r in t.items() if name not in CLAIMS}
    verdict(len(t) <= most, what + ": number of tables", "%d: %s" % (len(t), " ".join(sorted(t))))
    for name, columns in (("verdict", ("rule", "evidence", "evidence row")), ("findings", ("Rule", "Evidence", "Evidence row"))):
        for row in t.get(name, []):
            rule, evidence, key = (row[c] for c in columns)
            cells = [c for r in t.get(evidence, []) for c in r.values()]
            verdict(not evidence or evidence in t, "%s: evidence of %s" % (what, rule), "no table '%s'" % evidence)
            verdict(not evidence or any(key in c for c in cells), "%s: row of %s" % (what, rule), "no '%s' in %s" % (key, evidence))
            verdict(bool(evidence) or not key or rule in RANK_RULES, "%s: %s" % (what, rule), "no table proves it")


def tagged(analyzer, path, tag, tmp):
    t = tables([analyzer, "run", path, "--opt", "nvtx_tag_of_iter=" + tag], tmp)
    verdict(t is not None and bool(t.get("gpu_timeline")), "%s: with an iteration tag" % os.path.basename(path))
    if t:
        verdict(bool(t.get("gpu_timeline_by_step")), "%s: has steps" % os.path.basename(path))
        one_input(os.path.basename(path) + " with a tag", t)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--example-data", default=os.path.join(SRC, "build", "example-data"))
    p.add_argument("--shared", default=os.path.join(SRC, "..", "shared"))
    a = p.parse_args()
    analyzer = os.path.abspath(a.analyzer)
    with tempfile.TemporaryDirectory() as tmp:
        inputs = glob.glob(os.path.join(SRC, "example", "pytorch", "*.json")) + glob.glob(
            os.path.join(SRC, "example", "xplane", "**", "*.pb"), recursive=True)
        inputs += glob.glob(os.path.join(os.path.abspath(a.example_data), "*.sqlite")) + generated(tmp)
        data = os.path.join(os.path.abspath(a.shared), "data")
        for part in ("pytorch/*.json.gz", "nsys/real/*.sqlite", "nsys/synth/*.sqlite", "rocprof/small*.db", "rocprof/small*.gz",
                     "rocprof/small.pftrace", "rocprof/908*.gz", "jax/*.pb"):
            inputs += glob.glob(os.path.join(data, part))
        for path in sorted(inputs):
            t = tables([analyzer, "run", path], tmp)
            name = os.path.relpath(path, tmp if path.startswith(tmp) else SRC)
            if t is not None:
                one_input(name, t)
            if t and unlinked(t): # all count with the option
                all_of_it = tables([analyzer, "run", path, "--opt", "include_unlinked_kernels=true"], tmp)
                families(name + ", all", {**all_of_it, "data_quality": []})
            shown = tables([analyzer, "run", path], tmp, ()) if t is not None and not path.startswith(data) else None
            if shown:
                default_view(name, shown, 22 if "nsys/" not in name else 24) # of an export with all that a database can have
            if path.endswith(".sqlite") and os.path.dirname(path) == os.path.join(tmp, "nsys") and "no_kernels" not in path:
                verdict(bool(t and t.get("gpu_timeline")), name + ": has a timeline")
        for path in sorted(glob.glob(os.path.join(SRC, "example", "tracy", "*.csv")) + glob.glob(os.path.join(data, "tracy", "*.csv"))):
            for options in ([], ["ignore_signposts=true"]):
                operation_report(analyzer, path, " ".join([os.path.basename(path)] + options), tmp, options)
        tagged(analyzer, os.path.join(a.example_data, "llama2_70b.sqlite"),
               "TSL:XlaModule:#hlo_module=jit_train_step,program_id=7#", tmp)
        run_of_ranks(analyzer, "example ranks", os.path.join(SRC, "example", "multirank", "step_120"), tmp)
        run_of_ranks(analyzer, "generated ranks", os.path.join(tmp, "ranks"), tmp)
        for folder in sorted(glob.glob(os.path.join(data, "multirank", "*"))):
            if glob.glob(os.path.join(folder, "*.json*")):
                run_of_ranks(analyzer, os.path.basename(folder), folder, tmp)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
