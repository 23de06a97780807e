#!/usr/bin/env python3
"""Hold the sheets of several ranks against reference workbooks and against the traces themselves.

usage: multirank_check.py ANALYZER SHARED [CASE...]
Three parts for each set: the tables of the reference (SHARED/golden/multirank/seed_*) by key; the same figures computed here from
the trace files in whole nanoseconds; and identities of our own tables. The reference subtracts absolute times held in doubles of
microseconds, so each length it gives is off by up to 2^-10 us at these times: a length agrees within 1e-3 us or 1e-9 of it, what
is derived of lengths (rates, shares) within what that does to it. What is beyond must be excused in tests/deviations.json and is
then held to the noise of all intervals that were added up. Last line: N passed, N failed."""
import ast
import collections
import csv
import fnmatch
import glob
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NOISE = 2.0 ** -10  # us, of one length of the reference
KEYS = {"kernel_launchers": ["name"], "gpu_timelines": ["type"], "grouped_breakdown": ["Group"], "linked_and_short_kernels": ["rank"],
        "cuda_events_summary": ["name", "cat"], "kernels_*": ["UID"]}
CASES = [("seed_may_synth_fsdp8", "synth_fsdp8", "*.json.gz", 8), ("seed_nov_synth_fsdp8", "synth_fsdp8", "*.json.gz", 8),
         ("seed_may_synth_moe8_rank0", "synth_moe8", "rank0_trace.json.gz", 1),
         ("seed_may_dlrm8", "dlrm8", "*.json*", 8), ("seed_nov_dlrm8", "dlrm8", "*.json*", 8),
         (None, "dlrm4of8", "*.json", 4), (None, "synth_fsdp8_missing5", "*.json.gz", 7), (None, "synth_pp8", "*.json.gz", 8),
         (None, "synth_vllm4", "*.json.gz", 4), (None, "synth_moe8", "*.json.gz", 8)]
SHEETS = ("gemm", "conv", "attn", "un_elemwise", "bin_elemwise")
NOT_OURS = ("summary_nccl_", "long", "nccl_")  # sheets of the collectives, compared elsewhere


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    return (rows[0], rows[1:]) if rows else ([], [])


def value(text):
    """A number, a structure of lists and texts, or text; the same for a Python literal and JSON. None: empty."""
    text = text.strip()
    if text == "" or text == "nan":
        return None
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        pass
    if text[0] in "[({":
        for parse in (json.loads, ast.literal_eval):
            try:
                return plain(parse(text))
            except (ValueError, SyntaxError):
                continue
    return text


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return x


class Table:
    def __init__(self, header, rows):
        self.header, self.rows = header, [dict(zip(header, r)) for r in rows]

    @staticmethod
    def of(path):
        header, rows = read(path)
        if header and header[0] == "" and len(rows) > 2 and rows[1][:2] == ["name", "cat"]:  # three header rows
            figures, ranks = header[2:], rows[0][2:]
            names, last = [], ""
            for f, r in zip(figures, ranks):
                last = f or last
                names.append("%s_r%s" % (last, r))
            return Table(["name", "cat"] + names, rows[2:])
        return Table(header, rows)


def key_columns(name, table):
    for pattern, k in KEYS.items():
        if fnmatch.fnmatch(name, pattern):
            return k
    return ["name"] + sorted(c for c in table.header if c.startswith("param: "))


def key_of(row, columns):
    return json.dumps([value(row.get(c, "")) for c in columns], sort_keys=True)


def tolerances(name, column, row):
    """(tolerance of the cell if it comes of one length, lengths that were added up): what the noise of lengths does to it."""
    length, n = 1e-3, row["_n"]
    if column.startswith("time_ms_") or column == "kernel_time_ms":
        return length * 1e-3, n
    if column == "Time (s)":
        return length * 1e-6, n
    if column.startswith("percent_"):
        return 2 * 100 * length / (float(row["_total"]["time_ms_" + column[len("percent_"):]]) * 1e3), n
    if column in ("pct", "cum_pct"):
        return 2 * 100 * length * row["_all"] / row["_sum"], 1
    if column == "kernel_time_sum_cum_pct":
        return 2 * length * row["_all"] / row["_sum"], 1
    if "/s_mean" in column or "/s_std" in column:
        return float(row[column.replace("_std", "_mean")]) * length / float(row["Kernel Time (µs)_mean"]), 1
    if "µs" in column or "dur" in column or column == "Kernel t start":
        return length, n if column.endswith("_sum") else 1
    return (1e-7 if column.startswith("Percent of") else 0.0), 1


def details_differ(got, want):
    """Kernels of a row: ours has further figures."""
    if not isinstance(got, list) or len(got) != len(want):
        return "want %d kernels, got %s" % (len(want), got)
    for g, w in zip(got, want):
        for k, v in w.items():
            same = abs(g[k] - v) <= 1e-3 + 1e-9 * abs(v) if isinstance(v, float) else g[k] == v
            if not same:
                return "%s: want %s, got %s" % (k, v, g[k])
    return None


def enrich(name, table, events):
    """What the tolerances need: lengths behind a row (_n), behind the table (_all), their sum in us. events: device events a rank."""
    for r in table.rows:
        r["_n"] = 1
        if name in ("gpu_timelines", "grouped_breakdown"):
            r["_n"] = events
        if name == "gpu_timelines":
            r["_total"] = next(x for x in table.rows if x["type"] == "total_time")
        if name == "kernel_launchers":
            r["_n"] = r["_all"] = sum(float(x["count"]) for x in table.rows)
            r["_sum"] = sum(float(x["kernel_time_ms"]) for x in table.rows) * 1e3
        if "Kernel Time (µs)_sum" in r:
            r["_n"] = float(r["name_count"])
            r["_all"] = sum(float(x["name_count"]) for x in table.rows)
            r["_sum"] = sum(float(x["Kernel Time (µs)_sum"]) for x in table.rows)


class Checker:
    def __init__(self):
        self.passed = self.failed = self.cells = self.excused = 0
        path = os.path.join(HERE, "deviations.json")
        self.deviations = [d for d in json.load(open(path)) if d["case"].startswith("multirank/")]

    def say(self, name, bad):
        print("%s %s" % ("FAIL" if bad else "ok  ", name))
        for b in bad[:12]:
            print("     " + b)
        self.failed += bool(bad)
        self.passed += not bad

    def excuse(self, case, table, column, key):
        return any(fnmatch.fnmatch(case, d["case"]) and fnmatch.fnmatch(table, d["table"]) and fnmatch.fnmatch(column, d["column"])
                   and d.get("key", "") in key for d in self.deviations)

    def cell(self, case, name, column, row, got, want, key):
        self.cells += 1
        if column.startswith("kernel_details"):
            return details_differ(got, want)
        if want is None or got is None or isinstance(want, (str, list, bool)) or isinstance(got, (str, list, bool)):
            return None if got == want else "want %r, got %r" % (want, got)
        tolerance, lengths = tolerances(name, column, row)
        off = abs(got - want)
        if off <= tolerance or off <= 1e-9 * abs(want):
            return None
        if self.excuse(case, name, column, key) and off <= tolerance * lengths * NOISE / 1e-3:
            self.excused += 1
            return None
        return "want %r, got %r (off by %.3g)" % (want, got, off)

    def table(self, case, name, ours, want, events):
        keys = key_columns(name, want)
        index = collections.defaultdict(list)
        for r in ours.rows:
            index[key_of(r, keys)].append(r)
        enrich(name, want, events)
        bad = []
        if len(ours.rows) != len(want.rows) and name != "grouped_breakdown":  # ours has the groups of both stages
            bad.append("want %d rows, got %d" % (len(want.rows), len(ours.rows)))
        for w in want.rows:
            k = key_of(w, keys)
            if not index[k]:
                bad.append("no row " + k)
                continue
            g = index[k].pop(0)
            for c in want.header:
                if c not in g:
                    bad.append("no column " + c)
                    continue
                why = self.cell(case, name, c, w, value(g[c]), value(w[c]), k)
                if why:
                    bad.append("%s | %s: %s" % (k, c, why))
        self.say("%s %s" % (case, name), bad)


def our_name(golden):
    """12_gpu_timelines.csv -> gpu_timelines; 03_7_kernels.csv -> kernels_7"""
    name = os.path.basename(golden)[:-4].split("_", 1)[1]
    return "kernels_" + name[:-8] if name.endswith("_kernels") and name[:-8].isdigit() else name


def analyse(analyzer, files, out):
    config = os.path.join(out, "config.json")
    one = {"format": "pytorch", "title": "ranks", "all_kernels": True}
    if len(files) == 1:  # a run of one rank
        one["base_dir"], one["filters"], one["rank_pattern"] = os.path.dirname(files[0]), [os.path.basename(files[0])], "rank"
        one["extension"] = "gz" if files[0].endswith(".gz") else "json"
    else:
        one["paths"] = files
    with open(config, "w", encoding="utf-8") as f:
        json.dump({"inputs": [one]}, f)
    subprocess.run([analyzer, "--config=" + config, "--compat=all", "--csv-dir", os.path.join(out, "csv")], check=True, stdout=subprocess.DEVNULL)
    found = glob.glob(os.path.join(out, "csv", "**", "gpu_timelines.csv"), recursive=True)
    return os.path.dirname(found[0]) if len(found) == 1 else None


COMMUNICATION = re.compile("nccl|rccl|cross_device_reduce", re.IGNORECASE)


# ---- the same from the files, in whole nanoseconds ----
def ns(x):
    from decimal import Decimal
    return int((Decimal(str(x)) * 1000).to_integral_value())


def union(spans):
    out = []
    for s, e in sorted(spans):
        if out and s <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([s, e])
    return out


def length(spans):
    return sum(e - s for s, e in spans)


def minus(a, b):
    """Length of a without b, both merged."""
    common = i = j = 0
    while i < len(a) and j < len(b):
        lo, hi = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        common += max(0, hi - lo)
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return length(a) - common


def load(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        text = f.read()
    return json.loads(text, parse_float=str)


def timeline(trace):
    """Of the device events whose launch is in the trace."""
    groups = {"compute": [], "comm": [], "copy": []}
    launched = {e["args"]["correlation"] for e in trace["traceEvents"]
                if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e["args"]}
    for e in trace["traceEvents"]:
        if e.get("ph") != "X" or e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset") or e["args"].get("correlation") not in launched:
            continue
        start = ns(e["ts"])
        kind = "copy" if e["cat"] == "gpu_memcpy" else "comm" if COMMUNICATION.search(e["name"]) else "compute"
        groups[kind].append((start, start + ns(e["dur"])))
    c, n, m = (union(groups[k]) for k in ("compute", "comm", "copy"))
    every = union([tuple(s) for s in c + n + m])
    total = every[-1][1] - every[0][0] if every else 0
    return {"computation_time": length(c), "exposed_comm_time": minus(n, c), "exposed_memcpy_time": minus(m, union(c + n)),
            "busy_time": length(every), "idle_time": total - length(every), "total_time": total, "total_comm_time": length(n),
            "total_memcpy_time": length(m)}


def counts(trace):
    linked = unlinked = short_linked = short_unlinked = 0
    calls = collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            has, short = "External id" in e["args"], ns(e["dur"]) < 10000
            linked, unlinked = linked + has, unlinked + (not has)
            short_linked, short_unlinked = short_linked + (has and short), short_unlinked + (not has and short)
        elif e.get("ph") == "X" and e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls[e["name"], e["cat"]].append(ns(e["dur"]))
    return (linked + unlinked, linked, unlinked, short_linked, short_unlinked), calls


def launchers(trace, into):
    """Kernels by the innermost operator around the call that launched them."""
    ops, calls, of = collections.defaultdict(list), {}, collections.defaultdict(list)
    for i, e in enumerate(trace["traceEvents"]):
        if e.get("cat") == "cpu_op":
            ops[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), i, e["name"]))
        elif e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e["args"]:
            calls[e["args"]["correlation"]] = e
    for e in trace["traceEvents"]:
        call = calls.get(e["args"].get("correlation")) if e.get("cat") == "kernel" else None
        if call is None or COMMUNICATION.search(e["name"]):
            continue
        at, to = ns(call["ts"]), ns(call["ts"]) + ns(call["dur"])
        around = [o for o in ops[call["pid"], call["tid"]] if o[0] <= at and to <= o[1]]
        if around:
            of[max(around, key=lambda o: (o[0], -o[1], o[2]))].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    for op, spans in of.items():
        into[op[3]][0] += 1
        into[op[3]][1] += length(union(spans))


def below(trace, names, into):
    """Operators of these names that have shapes: count, and the union of what was launched within each."""
    calls, gpu = collections.defaultdict(list), collections.defaultdict(list)
    for e in trace["traceEvents"]:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["args"].get("correlation")))
        elif e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            gpu[e["args"].get("correlation")].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    for e in trace["traceEvents"]:
        if e.get("cat") == "cpu_op" and e["name"] in names and "Input Dims" in e["args"]:
            at, to = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
            spans = [s for c in calls[e["pid"], e["tid"]] if at <= c[0] and c[1] <= to for s in gpu.get(c[2], [])]
            into[e["name"]][0] += 1
            into[e["name"]][1] += length(union(spans))


def close(got, want):
    return got is not None and abs(got - want) <= 1e-9 * abs(want) + 1e-12


def from_files(check, case, ours, files):
    traces = {}
    for path in files:
        t = load(path)
        traces[int(t["distributedInfo"]["rank"])] = t
    n = len(traces)
    lines = {r: timeline(t) for r, t in traces.items()}
    bad = []
    rows = {r["type"]: r for r in ours["gpu_timelines"].rows}
    for kind in lines[min(lines)]:
        v = [lines[r][kind] for r in sorted(lines)]
        mean = sum(v) / n
        want = {"time_ms_%d" % r: lines[r][kind] / 1e6 for r in lines}
        want.update({"percent_%d" % r: 100 * lines[r][kind] / lines[r]["total_time"] for r in lines})
        want.update(time_ms_avg=mean / 1e6, time_ms_std=math.sqrt(sum((x - mean) ** 2 for x in v) / n) / 1e6,
                    time_ms_min=min(v) / 1e6, time_ms_max=max(v) / 1e6)
        bad += ["%s %s: want %r, got %s" % (kind, c, w, rows[kind][c]) for c, w in want.items() if not close(value(rows[kind][c]), w)]
        if lines[int(rows[kind]["rank_max"])][kind] != max(v):
            bad.append("%s rank_max: %s" % (kind, rows[kind]["rank_max"]))
    check.say("%s gpu_timelines from the files" % case, bad)
    bad, calls = [], {}
    for r in ours["linked_and_short_kernels"].rows:
        want, calls[int(r["rank"])] = counts(traces[int(r["rank"])])
        got = tuple(int(r[c]) for c in ours["linked_and_short_kernels"].header[1:])
        bad += [] if got == want else ["rank %s: want %s, got %s" % (r["rank"], want, got)]
    for r in ours["cuda_events_summary"].rows:
        for k in traces:
            d = calls[k].pop((r["name"], r["cat"]), None)
            got = [value(r["%s_r%d" % (c, k)]) for c in ("count", "min_dur", "max_dur", "mean_dur")]
            want = [len(d), min(d) / 1e3, max(d) / 1e3, sum(d) / len(d) / 1e3] if d else [None] * 4
            bad += [] if all(g == w or (w is not None and close(g, w)) for g, w in zip(got, want)) else ["%s: %s %s" % (r["name"], want, got)]
    bad += ["calls not listed: %s" % list(c)[:3] for c in calls.values() if c]
    check.say("%s counts from the files" % case, bad)
    bad, want = [], collections.defaultdict(lambda: [0, 0])
    for t in traces.values():
        launchers(t, want)
    for r in ours["kernel_launchers"].rows if "kernel_launchers" in ours else []:
        count, time = want.pop(r["name"], (None, None))
        if count != int(r["count"]) or not close(value(r["kernel_time_ms"]), time / 1e6) or not close(value(r["time_ms_avg"]), time / n / 1e6):
            bad.append("%s: want %s %s, got %s" % (r["name"], count, time, r))
    bad += ["not listed: %s" % list(want.items())[:3]] if want else []
    check.say("%s kernel_launchers from the files" % case, bad)


def operators_from_files(check, case, ours, files):
    bad, got, want = [], collections.defaultdict(lambda: [0, 0.0]), collections.defaultdict(lambda: [0, 0])
    for name in SHEETS:
        for r in ours[name].rows if name in ours else []:
            got[r["name"]][0] += int(r["name_count"])
            got[r["name"]][1] += float(r["Kernel Time (µs)_sum"])
            if int(r["name_count"]) > 0 and not close(value(r["Kernel Time (µs)_mean"]), float(r["Kernel Time (µs)_sum"]) / int(r["name_count"])):
                bad.append("%s: mean" % r["name"])
    for path in files:
        below(load(path), set(got), want)
    bad += ["%s: want %s, got %s" % (k, want[k], g) for k, g in got.items() if g[0] != want[k][0] or not close(g[1], want[k][1] / 1e3)]
    check.say("%s operator groups from the files" % case, bad)


def identities(check, case, ours, ranks):
    bad = []
    lines = {r["type"]: r for r in ours["gpu_timelines"].rows}
    for c in [c for c in ours["gpu_timelines"].header if c.startswith("time_ms_") and c[8:].isdigit()]:
        whole = {k: round(float(r[c]) * 1e6) for k, r in lines.items()}
        parts = sum(whole[k] for k in ("computation_time", "exposed_comm_time", "exposed_memcpy_time"))
        if parts != whole["busy_time"] or parts + whole["idle_time"] != whole["total_time"]:
            bad.append("%s: %s" % (c, whole))
    groups = ours["grouped_breakdown"].rows
    busy = float(lines["busy_time"]["time_ms_avg"]) * 1e6 * ranks
    for c, want in (("Exposed (s)", busy), ("Time (s)", None)):
        parts = round(sum(round(float(g[c]) * 1e9 * ranks) for g in groups if g["Group"] != "Total"))
        total = round(float(groups[-1][c]) * 1e9 * ranks)
        if parts != total or groups[-1]["Group"] != "Total" or (want is not None and total != round(want)):
            bad.append("%s: parts %d, total %d, busy %s" % (c, parts, total, want))
    listed = sum(float(r["kernel_time_ms"]) for r in ours["kernel_launchers"].rows) if "kernel_launchers" in ours else 0
    named = sum(float(g["Time (s)"]) for g in groups if g["Group"] not in ("Comms", "Memcpy", "Total"))
    if abs(named * 1e3 * ranks - listed) > 1e-6 * (1 + listed):
        bad.append("groups %.9f ms, launchers %.9f ms" % (named * 1e3 * ranks, listed))
    for name in SHEETS:
        if name in ours:
            share = [float(r["kernel_time_sum_cum_pct"]) for r in ours[name].rows]
            if share != sorted(share) or share[-1] != 1:
                bad.append("%s: shares %s" % (name, share[-3:]))
    if int(float(ours["coverage"].rows[[r["Item"] for r in ours["coverage"].rows].index("ranks in averages")]["Value"])) != ranks:
        bad.append("averages divided by another number of ranks")
    check.say("%s identities" % case, bad)


def main():
    analyzer, shared, wanted = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    check = Checker()
    for golden, data, pattern, ranks in CASES:
        case = "multirank/" + (golden or data)
        files = sorted(glob.glob(os.path.join(shared, "data", "multirank", data, pattern)))
        if not files or (wanted and not any(w in case for w in wanted)):
            continue
        with tempfile.TemporaryDirectory() as tmp:
            folder = analyse(analyzer, files, tmp)
            if not folder:
                check.say(case, ["no gpu_timelines"])
                continue
            ours = {os.path.basename(p)[:-4]: Table.of(p) for p in glob.glob(os.path.join(folder, "*.csv"))}
        events = max(float(r["num_kernel_events"]) for r in ours["linked_and_short_kernels"].rows)
        for path in sorted(glob.glob(os.path.join(shared, "golden", "multirank", golden or "-", "*.csv"))):
            name = our_name(path)
            if name.startswith(NOT_OURS):
                continue
            if name in ours:
                check.table(case, name, ours[name], Table.of(path), events)
            else:
                check.say("%s %s" % (case, name), ["no such table"])
        from_files(check, case, ours, files)
        operators_from_files(check, case, ours, files)
        identities(check, case, ours, ranks)
    print("cells %d, excused by tests/deviations.json: %d" % (check.cells, check.excused))
    print("%d passed, %d failed" % (check.passed, check.failed))
    return 1 if check.failed or not check.passed else 0


if __name__ == "__main__":
    sys.exit(main())
