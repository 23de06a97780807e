#!/usr/bin/env python3
"""Every claim of the verdict against traces with a known truth (tests/gen/make_claims.py): is it made where the fault is there,
and not made of the healthy counterpart. Accounts, windows of steps, and idle gaps are computed by brute force from the files.

    claims_check.py [--analyzer FILE] [--seeds N] [--first N] [--only TEXT] [--keep FOLDER] [--table] [-v]
                                           --table writes the error rates to src/docs/verdict-accuracy.md (with --only, these rows)
The last line is "N passed, N failed".
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
import claims_rules_check  # noqa: E402
import claims_xplane  # noqa: E402
import make_claims  # noqa: E402

PAGE = os.path.join(os.path.dirname(HERE), "src", "docs", "verdict-accuracy.md")
MARKS = ("<!-- generated: tests/claims_check.py -->\n", "<!-- /generated -->")
CHECKS = ["lost_device_events", "unlinked_device_work", "impossible_times", "stream_overlap", "launch_order", "step_marks",
          "skipped_device_work", "truncated_input", "missing_ranks", "correlation_collisions", "unknown_kernels", "graph_unrecorded",
          "device_peaks", "impossible_rates", "earlier_work"]
ADVICE = {"data_loading": ["prefetch_data"], "allocation": ["preallocate"], "compilation": ["compile_ahead"],
          "checkpoint": ["async_checkpoint"], "module_loading": ["preload_modules"], "synchronization": ["defer_sync"],
          "dependency": ["check_dependencies"], "device_gap": ["use_graphs"], "profiler_overhead": ["rerun_without_profiler"],
          "launch_bound": ["reduce_launch_overhead", "use_graphs"], "page_fault": ["prefetch_managed_memory"],
          "host_range": ["move_host_work"], "host_frame": ["move_host_work"], "blocking_copy": ["pin_memory"],
          "host_compute": ["record_stacks", "move_host_work"]}
CAUSES = ("straggler", "slow_group", "pipeline_bubble", "stage_imbalance", "device_imbalance")
STEP = re.compile(r"(ProfilerStep#|iteration |iter |step |step_|train_step )\d+$", re.I)
Work = collections.namedtuple("Work", "kind start end dev stream launch node migration")
PARTS = ("computing_ns", "exposed_communication_ns", "exposed_copy_ns", "idle_ns")


# Readers: work and marks of one file

def kind_of(name, cat):
    if cat in ("copy", "fill"):
        return cat
    return "comm" if "nccl" in name.lower() else "comp"


def read_kineto(path):
    with (gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")) as f:
        text = f.read().decode()
    # Times as text: doubles do not hold nanoseconds of an epoch.
    doc = json.loads(text, parse_float=lambda t: t)

    def t(v):
        if isinstance(v, int):
            return v * 1000
        whole, part = v.split(".")
        return (int(whole) if whole != "-0" else 0) * 1000 + (-1 if v[0] == "-" else 1) * int(part)
    calls, work, marks, graphs = {}, [], [], set()
    for e in doc["traceEvents"]:
        cat = e.get("cat")
        if e.get("ph") != "X":
            continue
        s, d = t(e["ts"]), t(e["dur"])
        if cat in ("cuda_runtime", "cuda_driver"):
            calls[e["args"]["correlation"]] = s
            if "GraphLaunch" in e["name"]:
                graphs.add(e["args"]["correlation"])
        elif cat in ("user_annotation", "cpu_op") and STEP.match(e["name"]):
            marks.append((e["name"], s, s + d))
    for e in doc["traceEvents"]:
        cat = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "comp"}.get(e.get("cat"))
        if cat and e["ph"] == "X":
            s, d, c = t(e["ts"]), t(e["dur"]), e["args"].get("correlation")
            work.append(Work("comp" if cat == "comp" else kind_of(e["name"], cat), s, s + d, e["args"]["device"], e["args"]["stream"],
                             calls.get(c), c in graphs, False))
    return work, marks


def read_nsys(path):
    db = sqlite3.connect(path)
    have = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
    names = dict(db.execute("SELECT id, value FROM StringIds"))
    calls, graphs = {}, set()
    for s, g, c, n in db.execute("SELECT start, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        calls[(g >> 24, c)] = s
        if "GraphLaunch" in names[n]:
            graphs.add((g >> 24, c))
    work = []
    for table, cat, col in (("KERNEL", "kernel", "demangledName"), ("MEMCPY", "copy", "copyKind"), ("MEMSET", "fill", "1")):
        if "CUPTI_ACTIVITY_KIND_" + table not in have:
            continue
        for s, e, d, st, c, g, n in db.execute('SELECT start, "end", deviceId, streamId, correlationId, globalPid, %s FROM '
                                               "CUPTI_ACTIVITY_KIND_%s" % (col, table)):
            kind = kind_of(names[n], cat) if cat == "kernel" else "copy"
            work.append(Work(kind, s, e, d, st, calls.get((g >> 24, c)), (g >> 24, c) in graphs, cat == "copy" and 11 <= n <= 13))
    marks = [(n, s, e) for s, e, n in db.execute('SELECT start, "end", text FROM NVTX_EVENTS')] if "NVTX_EVENTS" in have else []
    db.close()
    return work, [m for m in marks if STEP.match(m[0])]


def read_rocprof(path):
    with open(path, encoding="utf-8") as f:
        p = json.load(f)["rocprofiler-sdk-tool"][0]
    b = p["buffer_records"]
    names = {k["kernel_id"]: k["formatted_kernel_name"] for k in p["kernel_symbols"]}
    calls = {c["correlation_id"]["internal"]: c["start_timestamp"] for c in b["hip_api"]}
    work = []
    for r in b["kernel_dispatch"] + b["memory_copy"]:
        i = r.get("dispatch_info")
        dev = (i["agent_id"]["handle"] if i else max(r["src_agent_id"]["handle"], r["dst_agent_id"]["handle"])) - 901
        work.append(Work(kind_of(names[i["kernel_id"]], "kernel") if i else "copy", r["start_timestamp"], r["end_timestamp"], dev,
                         r["stream_id"]["handle"], calls.get(r["correlation_id"]["internal"]), False, False))
    text = {m["key"]: m["value"] for m in p["strings"]["marker_api"]}
    marks = [(text[m["correlation_id"]["internal"]], m["start_timestamp"], m["end_timestamp"]) for m in b["marker_api"]]
    return work, [m for m in marks if STEP.match(m[0])]


def read_csv(path):
    def table(name):
        try:
            with open(path.replace("kernel_trace", name), newline="", encoding="utf-8") as f:
                return list(csv.DictReader(f))
        except OSError:
            return []

    def agent(text):
        return int(text.split()[1]) - 1
    calls = {r["Correlation_Id"]: int(r["Start_Timestamp"]) for r in table("hip_api_trace")}
    work = [Work(kind_of(r["Kernel_Name"], "kernel"), int(r["Start_Timestamp"]), int(r["End_Timestamp"]), agent(r["Agent_Id"]), r["Stream_Id"],
                 calls.get(r["Correlation_Id"]), False, False) for r in table("kernel_trace")]
    work += [Work("copy", int(r["Start_Timestamp"]), int(r["End_Timestamp"]), max(agent(r["Source_Agent_Id"]), agent(r["Destination_Agent_Id"])),
                  r["Stream_Id"], calls.get(r["Correlation_Id"]), False, False) for r in table("memory_copy_trace")]
    marks = [(r["Function"], int(r["Start_Timestamp"]), int(r["End_Timestamp"])) for r in table("marker_api_trace")]
    return work, [m for m in marks if STEP.match(m[0])]


def read_xplane(path):
    kernels, calls, marks = claims_xplane.read(path)
    return [Work(kind_of(n, "kernel"), s, e, 0, stream, calls.get(c), False, False) for n, s, e, stream, c, _ in kernels], marks


READ = {"kineto": read_kineto, "nsys": read_nsys, "rocprof": read_rocprof, "rocprof_csv": read_csv, "xplane": read_xplane}


# The oracle

def clean(work):
    """Without impossible times, and clipped (claims.md 3.1)."""
    good = [w for w in work if w.start > 0 and w.end >= w.start]
    lanes = collections.defaultdict(list)
    for w in good:
        lanes[(w.dev, w.stream) if not w.node and not w.migration else id(w)].append(w)
    out = []
    for lane in lanes.values():
        lane.sort(key=lambda w: (w.start, w.end))
        for i, w in enumerate(lane):
            if any(w.end > c.end + 1000 for c in lane[i + 1:]):
                w = w._replace(end=lane[i + 1].start)
            out.append(w)
    return out


def union(spans):
    out = []
    for s, e in sorted(spans):
        if out and s <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        elif e > s:
            out.append([s, e])
    return out


def length(spans):
    return sum(e - s for s, e in union(spans))


class Truth:
    """Steps, window, and account of one file."""

    def __init__(self, work, marks):
        self.work = clean(work)
        prof = [m for m in marks if m[0].startswith("ProfilerStep#")]
        marks = sorted([m for m in prof or marks if m[2] > m[1]], key=lambda m: m[1])
        self.steps = []
        for name, s, e in marks:
            mine = [w for w in self.work if w.launch is not None and s <= w.launch < e]
            if mine:
                self.steps.append((name, e - s, min(w.start for w in mine), max(w.end for w in mine), mine))
        self.last_durations = self.durations()

    def durations(self):
        first = [s[2] for s in self.steps]
        return [max(s[1], (first[i + 1] if i + 1 < len(first) else s[3]) - s[2]) for i, s in enumerate(self.steps)]

    def finish(self, excluded):
        """The account, without the first `excluded` steps."""
        self.excluded = [s[0] for s in self.steps[:excluded]]
        kept = self.steps[excluded:]
        first = [s[2] for s in kept]
        self.period = statistics.median([b - a for a, b in zip(first, first[1:])]) if len(first) > 1 else None
        devices = sorted({w.dev for w in self.work})
        self.idle_devices = []
        for _ in range(2):
            mine = [w for s in kept for w in s[4] if w.dev in devices] or [w for w in self.work if w.dev in devices]
            if not mine:
                self.account = None
                return
            self.lo, self.hi = min(w.start for w in mine), max(w.end for w in mine)
            busy = {d: length(self.clip(d)) for d in devices}
            gone = [d for d in devices if busy[d] * 100 < max(busy.values())]
            self.idle_devices += gone
            devices = [d for d in devices if d not in gone]
        sums = collections.Counter()
        for d in devices:
            comp, comm, copy = (self.clip(d, k) for k in (("comp",), ("comm",), ("copy", "fill")))
            sums["computing_ns"] += length(comp)
            sums["exposed_communication_ns"] += length(comp + comm) - length(comp)
            sums["exposed_copy_ns"] += length(comp + comm + copy) - length(comp + comm)
            sums["idle_ns"] += self.hi - self.lo - length(comp + comm + copy)
            sums["communication_ns"] += length(comm)
            sums["copy_ns"] += length(copy)
        self.account = {k: v / len(devices) for k, v in sums.items()}
        self.account["span_ns"] = self.hi - self.lo
        self.devices = devices
        self.outside = (self.lo - min(w.start for w in self.work), max(w.end for w in self.work) - self.hi)

    def clip(self, dev, kinds=None):
        return [(max(w.start, self.lo), min(w.end, self.hi)) for w in self.work
                if w.dev == dev and w.end > self.lo and w.start < self.hi and (not kinds or w.kind in kinds)]

    def gaps(self):
        """Idle gaps in the window, by (device, end)."""
        out = {}
        for d in self.devices:
            u = union(self.clip(d))
            out.update({(d, b[0]): b[0] - a[1] for a, b in zip(u, u[1:])})
        return out


def warm(durations):
    return len(durations) >= 3 and durations[0] > 1.5 * statistics.median(durations[1:])


def truths(case, path):
    if not case.folder_run:
        t = [Truth(*READ[case.tr.fmt](path))]
    else:
        t = [Truth(*read_kineto(os.path.join(path, f))) for f in sorted(os.listdir(path))]
    rows = [x.last_durations for x in t]
    excluded = 1 if rows and rows[0] and warm([statistics.median(c) for c in zip(*rows)]) else 0
    for x in t:
        x.finish(excluded)
    return t


# Checks: each yields what is wrong

def near(a, b, tolerance):
    return a is not None and abs(a - b) <= tolerance


def check_account(v, case, truth, tr):
    a = v["account"]
    if a is None:
        yield "no account"
        return
    n, slack = len(truth), 3
    scope = "steps" if truth[0].steps else "recording"
    if a["scope"] != scope:
        yield "scope %s, not %s" % (a["scope"], scope)
        return
    for k in truth[0].account:
        want = sum(t.account[k] for t in truth) / n
        if not near(a[k], want, slack):
            yield "%s %s, not %d" % (k, a[k], want)
    if n == 1:
        for k, want in zip(("before_ns", "after_ns"), truth[0].outside):
            if not near(v["outside"][k], want, slack):
                yield "outside %s %s, not %d" % (k, v["outside"][k], want)


def check_null_account(v, *_):
    if v["account"] is not None:
        yield "an account without device work"


def check_idle_devices(v, case, truth, tr, want):
    want = [d + case.tr.fmt.startswith("rocprof") for d in want]  # agents: number 0 is the CPU
    if v["devices"]["idle"] != want:
        yield "idle devices %s, not %s" % (v["devices"]["idle"], want)


def check_devices(v, case, truth, tr, want):
    if v["devices"]["count"] != want:
        yield "%s devices, not %d" % (v["devices"]["count"], want)


def check_peaks(v, case, truth, tr, want):
    if v["devices"]["peaks"] not in want:
        yield "peaks %s, not %s" % (v["devices"]["peaks"], want)


def check_steps(v, case, truth, tr, count, first, excluded, source):
    s = v["steps"]
    if s is None:
        yield "no steps"
        return
    if (s["count"], s["first"], s["excluded"]) != (count, first, excluded):
        yield "steps %s, not %s" % ((s["count"], s["first"], s["excluded"]), (count, first, excluded))
    if source and s["source"] != source:
        yield "source %s, not %s" % (s["source"], source)
    if truth[0].period and not near(s["period_ns"], truth[0].period, 2):
        yield "period %s, not %s" % (s["period_ns"], truth[0].period)


def check_no_steps(v, *_):
    if v["steps"] is not None:
        yield "%s steps (%s)" % (v["steps"]["count"], v["steps"]["source"])


def check_pattern(v, case, truth, tr, count):
    s = v["steps"]
    if s is None or s["source"] != "kernel_pattern":
        yield "steps %s" % (s and s["source"])
        return
    names = collections.defaultdict(list)
    for w in sorted(tr.work, key=lambda w: w["start"]):
        names[w["name"]].append(w["start"])
    period = statistics.median(b - a for x in names.values() for a, b in zip(x, x[1:]))
    if not count - 2 <= s["count"] <= count or not near(s["period_ns"], period, period * 0.02):
        yield "%d steps of %s, not %d of %d" % (s["count"], s["period_ns"], count, period)


def check_trust(v, case, truth, tr, name, status, count, of, time):
    t = next((t for t in v["trust"] if t["check"] == name), None)
    if t is None:
        yield "no check %s" % name
        return
    for key, want in (("status", status), ("count", count), ("of", of)):
        if want is not None and t[key] not in (want if isinstance(want, tuple) else (want,)):
            yield "%s: %s %s, not %s" % (name, key, t[key], want)
    if time is not None and not near(t["time_ns"], time, 3):
        yield "%s: time %s, not %s" % (name, t["time_ns"], time)


def check_qualified(v, case, truth, tr, name):
    if v["account"] is not None and name not in v["account"]["qualified_by"]:
        yield "account is not qualified by %s" % name


def of_rule(v, rule):
    return [f for f in v["findings"] if f["rule"] == rule]


def check_finding(v, case, truth, tr, rule, cause):
    if not any(cause in (None, f["cause"]) for f in of_rule(v, rule)):
        yield "no finding %s" % rule


def check_no_finding(v, case, truth, tr, rule, share=0.0):
    for f in of_rule(v, rule):
        if f["share"] > (share or 0):
            yield "%s %.1f%% (rank %s %s, cause %s)" % (rule, f["share"] * 100, f["rank"], f["ranks"], f["cause"])


def check_warm_up(v, case, truth, tr, there):
    found, d = of_rule(v, "warm_up"), truth[0].last_durations
    if not there and found:
        yield "warm_up without one"
    if there and not found:
        yield "no warm_up"
    if there and found:
        want = d[0] - statistics.median(d[1:])
        if not near(found[0]["saving_ns"], want, want * 0.01) or not found[0]["outside_scope"] or found[0]["part_of"] is not None:
            yield "warm_up of %s (outside %s, part_of %s), not %d" % (found[0]["saving_ns"], found[0]["outside_scope"], found[0]["part_of"], want)


def check_no_idle(v, case, truth, tr, share):
    for f in of_rule(v, "idle"):
        if f["share"] > share:
            yield "idle %.1f%%, cause %s" % (f["share"] * 100, f["cause"])


def check_idle(v, case, truth, tr, cause, tag, place):
    gaps = truth[0].gaps()
    tags = {(w["dev"], w["start"]) for w in tr.work if w["tag"] == tag}
    mine = [g for k, g in gaps.items() if k in tags and g > 0]
    if not mine:
        return
    found = [f for f in of_rule(v, "idle") if f["cause"] == cause]
    if found and found[0]["count"] == len(mine):  # the others are of another place
        found = found[:1]
    saving, count = sum(f["saving_ns"] for f in found), sum(f["count"] for f in found)
    if not near(saving, sum(mine), sum(mine) * 0.01 + 2000) or count != len(mine):
        yield "%s: %d gaps of %d, not %d of %d; found %s" % (cause, count, saving, len(mine), sum(mine), [
            (f["cause"], f["count"], f["saving_ns"], f["call"], f["range"], f["frame"]) for f in of_rule(v, "idle")])
        return
    for key in ("call", "range", "frame"):
        if key in place and found[0][key] != place[key] and not (key == "frame" and place[key] in str(found[0][key])):
            yield "%s: %s %s, not %s" % (cause, key, found[0][key], place[key])
    advice = [place["advice"]] if "advice" in place else ADVICE.get(cause)
    if cause == "blocking_copy" and tr.fmt.startswith("rocprof"):  # kinds of memory are not recorded
        advice = ["defer_sync", "overlap_copies", "separate_stream"]
    if advice and found[0]["advice"] not in advice:
        yield "%s: advice %s" % (cause, found[0]["advice"])


def check_copies(v, case, truth, tr, advice):
    found = [f for f in of_rule(v, "exposed_copy")]
    mine = [f for f in found if f["advice"] == advice]
    total = truth[0].account["exposed_copy_ns"]
    if total and not near(sum(f["saving_ns"] for f in mine), total, total * 0.02 + 2000):
        yield "exposed copies %s of %d, not %s" % ([(f["advice"], f["saving_ns"]) for f in found], total, advice)


def check_ranks(v, case, truth, tr, world, missing):
    r = v["ranks"]
    present = [x for x in range(world) if x not in missing]
    if (r["present"], r["world"], r["missing"]) != (present, world, missing):
        yield "ranks %s" % r


def stragglers(v):
    return [(f["rank"], f["ranks"], f["cause"], f["group"], round(f["share"], 3)) for f in of_rule(v, "straggler")]


def check_straggler(v, case, truth, tr, rank, cause):
    found = of_rule(v, "straggler")
    if not found or found[0]["rank"] != rank or found[0]["cause"] != cause:
        yield "straggler %s, not rank %d by %s" % (stragglers(v), rank, cause)


def check_straggler_group(v, case, truth, tr, ranks, cause):
    found = of_rule(v, "straggler")
    if not found or found[0]["ranks"] != ranks or found[0]["cause"] != cause or not found[0]["group"]:
        yield "straggler %s, not ranks %s by %s" % (stragglers(v), ranks, cause)


def check_waits_once(v, case, truth, tr, rule):
    """Communication that mostly waits for a cause is part of it; the rest and a bubble are no more than what is exposed and idle."""
    cause = next((i for i, f in enumerate(v["findings"]) if f["rule"] == rule), None)
    comm = [f for f in of_rule(v, "exposed_communication") if f["part_of"] is None]
    if cause is not None and rule == "straggler" and comm:
        yield "communication of %s is no part of the straggler" % [f["saving_ns"] for f in comm]
    room = v["account"]["exposed_communication_ns"] + v["account"]["idle_ns"]
    if cause is not None and rule == "pipeline_bubble" and v["findings"][cause]["saving_ns"] + sum(f["saving_ns"] for f in comm) > room:
        yield "bubble and communication count the same time: %d and %s in %d" % (
            v["findings"][cause]["saving_ns"], [f["saving_ns"] for f in comm], room)


def check_slow_group(v, case, truth, tr, ranks):
    found = of_rule(v, "slow_group")
    if not found or found[0]["group"] != ",".join(map(str, ranks)):
        yield "slow_group %s, not %s" % ([(f["group"], f["share"]) for f in found], ranks)


def check_equal_groups(v, case, truth, tr, groups):
    found = of_rule(v, "exposed_communication")
    if len(found) != 1 or found[0]["groups"] != groups:
        yield "exposed communication in %s groups, not %d" % ([f["groups"] for f in found], groups)


def check_form(v):
    """What holds of every verdict."""
    a = v["account"]
    if [t["check"] for t in v["trust"]] != CHECKS:
        yield "checks %s" % [t["check"] for t in v["trust"]]
    if a:
        if sum(a[k] for k in PARTS) != a["span_ns"] or min(a[k] for k in PARTS) < 0:
            yield "account does not add up"
        top = sum(f["saving_ns"] for f in v["findings"] if f["part_of"] is None and not f["outside_scope"])
        if top > a["span_ns"] + 1:
            yield "savings of %d in a span of %d" % (top, a["span_ns"])
        failed = {t["check"] for t in v["trust"] if t["status"] == "fail"}
        if not set(a["qualified_by"]) <= failed:
            yield "qualified by %s, failed %s" % (a["qualified_by"], failed)
    # A cause of waiting comes before the communication that waits, even if the transfer makes that the larger one.
    top = [f["saving_ns"] for f in v["findings"] if f["part_of"] is None and not f["outside_scope"] and f["rule"] not in CAUSES]
    if top != sorted(top, reverse=True):
        yield "findings are not in order of saving"


def check_advice_facts(v, truth, tr):
    """Sentences whose advice depends on what is in the file."""
    text = " ".join(x["text"] for x in v["lines"])
    streams = max((len({w.stream for w in truth[0].work if w.dev == d}) for d in {w.dev for w in truth[0].work}), default=0)
    if "host functions in the stream" in text and streams > 1:
        yield "one stream, of %d" % streams
    if "stream and event dependencies" in text and streams == 1:
        yield "dependencies of streams, of which there is one"
    if tr.fmt == "kineto" and "record stacks" in text.lower() and not tr.ops:
        yield "stacks without operators"
    if "ProfilerActivity.CPU" in text and (tr.fmt != "kineto" or tr.ops):
        yield "activity of the CPU, which is recorded"


def run(analyzer, case, path, tmp):
    words = [analyzer] + (["multirank", "-b"] if case.folder_run else ["run"]) + [path, "--format", "json", "-o", os.path.join(tmp, "report")]
    p = subprocess.run(words, capture_output=True, timeout=120, check=False)
    found = [os.path.join(d, f) for d, _, fs in os.walk(tmp) for f in fs if f.endswith(".json") and d.startswith(os.path.join(tmp, "report"))]
    found += [os.path.join(tmp, "report.json")]
    for f in found:
        if os.path.exists(f):
            with open(f, encoding="utf-8") as h:
                return json.load(h)["verdict"], p.returncode
    return None, "%d %s" % (p.returncode, p.stderr.decode(errors="replace")[-200:])


def judge(analyzer, rule, maker, seed, fault, keep):
    with tempfile.TemporaryDirectory() as tmp:
        data = os.path.join(keep, "%s-%d-%s" % (re.sub(r"\W+", "_", rule), seed, "fault" if fault else "healthy")) if keep else os.path.join(tmp, "data")
        os.makedirs(data, exist_ok=True)
        case = make_claims.make(rule, maker, seed, fault)
        path = case.write(data)
        v, code = run(analyzer, case, path, tmp)
        if v is None:
            return ["no verdict: %s" % code]
        tr = None if case.folder_run else case.tr
        cut = not case.folder_run and tr.extra.get("cut")
        truth = [] if cut else truths(case, path)
        bad = list(check_form(v))
        if tr:
            tr.extra["path"] = path
            bad += check_advice_facts(v, truth, tr) if truth else []
        for c in case.checks:
            bad += (globals().get("check_" + c[0]) or getattr(claims_rules_check, c[0]))(v, case, truth, tr, *c[1:])
        return ["[%s] %s" % ("run" if case.folder_run else " ".join([tr.fmt, tr.extra.get("variant", "")]).strip(), b) for b in bad]


def table(rows):
    lines = ["| rule | traces | right | missed | false alarms |", "|---|---|---|---|---|"]
    for rule, r in rows.items():
        lines.append("| %s | %d | %d | %d of %d | %d of %d |" % (rule, r["n"], r["n"] - r["fn"] - r["fp"], r["fn"], r["n"] // 2, r["fp"], r["n"] // 2))
    return "\n".join(lines) + "\n"


def write_table(text, only):
    """The table of the page; some rows of it, where only some rules were tested."""
    with open(PAGE, encoding="utf-8") as f:
        head, rest = f.read().split(MARKS[0])
    old, tail = rest.split(MARKS[1], 1)
    if only:
        rows = {line.split("|")[1]: line for part in (old, text) for line in part.splitlines()}
        text = "\n".join(rows.values()) + "\n"
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(head + MARKS[0] + text + MARKS[1] + tail)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", default=os.path.join(os.path.dirname(HERE), "build", "analyzer"))
    a.add_argument("--seeds", type=int, default=1)
    a.add_argument("--first", type=int, default=1)
    a.add_argument("--only", default="")
    a.add_argument("--keep", default="")
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--table", action="store_true")
    a.add_argument("-v", action="store_true")
    a = a.parse_args()
    makers = [m for m in make_claims.all_makers() if a.only in m[0]]
    jobs = [(rule, maker, seed, fault) for rule, maker in makers for seed in range(a.first, a.first + a.seeds) for fault in (True, False)]
    rows = {rule: collections.Counter() for rule, _ in makers}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for (rule, _, seed, fault), bad in zip(jobs, pool.map(lambda j: judge(a.analyzer, *j, a.keep), jobs)):
            rows[rule]["n"] += 1
            if bad:
                rows[rule]["fn" if fault else "fp"] += 1
                print("FAIL %s, seed %d, %s: %s" % (rule, seed, "fault" if fault else "counterpart",
                                                  "; ".join(bad if a.v else bad[:2])), flush=True)
    text = table(rows)
    print(text)
    if a.table:
        write_table(text, a.only)
    failed = sum(r["fn"] + r["fp"] for r in rows.values())
    print("%d passed, %d failed" % (len(jobs) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
