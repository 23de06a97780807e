"""What the verdict has to say of the traces of tests/gen/claims_rules.py and claims_xplane.py, computed by brute force from the
written files. Checks as in claims_check.py: each yields what is wrong."""
import collections
import gzip
import json
import re
import sqlite3
import statistics

import claims_xplane  # in tests/gen, which claims_check.py adds

SIZE = re.compile(r" of ([\d.,]+) ([kMGT]?B)(?: to ([\d.,]+) ([kMGT]?B))?")
LENGTH = r"([\d.,]+) (ns|us|ms|s)\b"
BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
LEAST, WITHIN = 60000, 0.05


def of_rule(v, rule):
    return [f for f in v["findings"] if f["rule"] == rule]


# Few blocks

def kineto_grids(path):
    with (gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")) as f:
        doc = json.loads(f.read().decode())
    units = {d["id"]: d.get("numSms") for d in doc["deviceProperties"]}
    for e in doc["traceEvents"]:
        if e.get("cat") == "kernel":
            g, s = e["args"].get("grid"), round(e["ts"] * 1000)
            d = e["args"]["device"]
            yield e["name"], s, s + round(e["dur"] * 1000), g and g[0] * g[1] * g[2], units[d], d


def nsys_grids(path):
    db = sqlite3.connect(path)
    yield from db.execute('SELECT value, start, "end", gridX * gridY * gridZ, smCount, deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL k '
                          "JOIN StringIds s ON s.id = demangledName JOIN TARGET_INFO_GPU g ON g.id = deviceId")
    db.close()


def rocprof_grids(path):
    with open(path, encoding="utf-8") as f:
        p = json.load(f)["rocprofiler-sdk-tool"][0]
    names = {k["kernel_id"]: k["formatted_kernel_name"] for k in p["kernel_symbols"]}
    units = {a["id"]["handle"]: a["cu_count"] for a in p["agents"]}
    for r in p["buffer_records"]["kernel_dispatch"]:
        i, blocks = r["dispatch_info"], 1
        for axis in "xyz":
            blocks *= -(-i["grid_size"][axis] // i["workgroup_size"][axis])
        d = i["agent_id"]["handle"]
        yield names[i["kernel_id"]], r["start_timestamp"], r["end_timestamp"], blocks, units[d], d


def xplane_grids(path):
    for name, s, e, _, _, blocks in claims_xplane.read(path)[0]:
        yield name, s, e, blocks, claims_xplane.UNITS, 0


GRIDS = {"kineto": kineto_grids, "nsys": nsys_grids, "rocprof": rocprof_grids, "xplane": xplane_grids}


def parts_of(kernels):
    """Per device: (start, end, kernels that run throughout), in order."""
    for dev in {k[5] for k in kernels}:
        own = [k for k in kernels if k[5] == dev]
        times = sorted({t for k in own for t in k[1:3]})
        for s, e in zip(times, times[1:]):
            yield s, e, [k for k in own if k[1] <= s and k[2] >= e]


def low_parallelism(v, case, truth, tr):
    """Time of long kernels of few blocks in which the kernels that run together have few, by the part of the device that they leave
    idle. A kernel that is cut by the window of the steps may be too short to count."""
    kernels = sorted(GRIDS[tr.fmt](tr.extra["path"]), key=lambda k: k[1])
    lo, hi, whole, cut = truth[0].lo, truth[0].hi, [], []
    long = [k for k in kernels if k[3] and k[4] and 2 * k[3] <= k[4] and k[2] - k[1] >= LEAST and "nccl" not in k[0]]
    time = collections.Counter()
    for s, e, run in parts_of(kernels):
        first, units = next((k for k in run if k in long), None), run and run[0][4]
        if first and all(k[3] for k in run) and 2 * (blocks := sum(k[3] for k in run)) <= units:
            time[first] += max(min(e, hi) - max(s, lo), 0) * (1 - blocks / units) / len(truth[0].devices)
    for k in long:
        if time[k] > 0:
            (whole if lo <= k[1] and k[2] <= hi else cut).append((k[0], time[k]))
    found, by_name = of_rule(v, "low_parallelism"), collections.Counter()
    for name, part in whole:
        by_name[name] += part
    saving, count = sum(f["saving_ns"] for f in found), sum(f["count"] for f in found)
    least, most = (sum(x[1] for x in y) for y in (whole, whole + cut))
    large = sum(x > (hi - lo) / 1000 for x in by_name.values())  # smaller ones may not be listed
    if not least * (1 - WITHIN) <= saving <= most * (1 + WITHIN) or (not most and found):
        yield "low_parallelism of %d, not %d to %d" % (saving, least, most)
    elif not large <= len(found) <= len({x[0] for x in whole + cut}) or {f["advice"] for f in found} - {"more_blocks"}:
        yield "low_parallelism %s, not of %d names" % ([(f["advice"], f["count"]) for f in found], large)
    elif large == len(by_name) and not len(whole) <= count <= len(whole + cut):
        yield "low_parallelism of %d calls, not %d to %d" % (count, len(whole), len(whole + cut))


# Uneven steps

def lengths(truth):
    """Of the steps in the account, from the first work to that of the next one."""
    first = [s[2] for s in truth.steps][len(truth.excluded):]
    return sorted(b - a for a, b in zip(first, first[1:]))


def step_jitter(v, case, truth, tr, there):
    every, found = lengths(truth[0]), of_rule(v, "step_jitter")
    if not there:
        if found:
            yield "step_jitter of %.1f%% of %s" % (100 * found[0]["share"], every)
        return
    n, median = len(every), statistics.median(every)
    low, _, high = statistics.quantiles(every, n=4, method="inclusive")
    if (high - low) / 1.349 < 0.12 * median:  # by chance nearly even
        return
    if not found:
        if not of_rule(v, "clock_drop"):  # which is reported in its place
            yield "no step_jitter of %s" % every
        return
    # A decile of few steps is between two of them.
    least, most = (median - every[min(n - 1, n // 10 + 1)]) * n, (median - every[0]) * (n + 1)
    if not (1 - WITHIN) * least <= found[0]["saving_ns"] <= (1 + WITHIN) * most:
        yield "step_jitter of %d, not %d to %d" % (found[0]["saving_ns"], least, most)


def number(text, unit, units):
    return float(text.replace(",", "")) * units[unit]


def step_line(v, case, truth, tr, there):
    """The line of the steps: median and mean where the mean is longer by a third. The mean is that of the distances, or of all
    steps with the last one."""
    every = lengths(truth[0])
    text = next(x["text"] for x in v["lines"] if x["kind"] == "what")
    median, means = statistics.median(every), [statistics.mean(every), truth[0].account["span_ns"] / (len(every) + 1)]
    if {m > median * 4 / 3 for m in means} != {there}:
        return
    said = re.search(r"mean " + LENGTH, text)
    if bool(said) != there:
        yield "steps of median %d, mean %d: %s" % (median, means[0], text)
    elif said and min(abs(number(*said.groups(), TIMES) - m) for m in means) > 0.06 * TIMES[said[2]]:
        yield "mean %d: %s" % (means[0], text)
    else:
        said = re.search(r"steps,(?: median)? " + LENGTH, text)
        if not said or abs(number(*said.groups(), TIMES) - median) > 0.02 * median:
            yield "median %d: %s" % (median, text)


# Places of idle time

def place(v, case, truth, tr, cause, where, advice):
    """The gaps that are tagged have the cause, the place, and the advice."""
    tags = {(w["dev"], w["start"]) for w in tr.work if w["tag"] == "place"}
    mine = [g for k, g in truth[0].gaps().items() if k in tags and g > 0]
    idle = of_rule(v, "idle")
    found = [f for f in idle if f["cause"] == cause and all(f[k] in names for k, names in where.items())]
    saving = sum(f["saving_ns"] for f in found)
    if abs(saving - sum(mine)) > WITHIN * sum(mine):
        yield "%s %s: %d of %d; found %s" % (cause, where, saving, sum(mine), [
            (f["cause"], f["count"], f["saving_ns"], f["range"], f["frame"], f["operation"], f["advice"]) for f in idle])
    elif found[0]["advice"] not in advice:
        yield "%s %s: advice %s of %d gaps, median %d" % (cause, where, found[0]["advice"], found[0]["count"], statistics.median(mine))


def xplane_place(v, case, truth, tr, names, wrong, step):
    """The tagged gaps are in one of `names` (none: anything), and no gap is in one of `wrong` or an annotation of a step."""
    tags = {(w["dev"], w["start"]) for w in tr.work if w["tag"] == "place"}
    mine = [g for k, g in truth[0].gaps().items() if k in tags and g > 0]
    idle = of_rule(v, "idle")
    found = [f for f in idle if any(n in str(f["range"]) + str(f["frame"]) for n in names)]
    told = [(f["cause"], f["count"], f["saving_ns"], f["range"], f["frame"]) for f in idle]
    saving = sum(f["saving_ns"] for f in found)
    if names and abs(saving - sum(mine)) > WITHIN * sum(mine):
        yield "%s: %d of %d; found %s" % (names, saving, sum(mine), told)
    if not idle or sum(f["saving_ns"] for f in idle) < 0.9 * sum(mine):
        yield "idle %s, not %d" % (told, sum(mine))
    for f in idle:
        if f["range"] in wrong or f["frame"] in wrong or (step and str(f["range"]).startswith(step)):
            yield "in %s %s: %s" % (f["range"], f["frame"], told)


# Sizes

def copy_sizes(v, case, truth, tr, there):
    """The size of copies in a sentence: a range where they differ by more than a factor of 2."""
    sizes = sorted(w["bytes"] for w in tr.work if w["kind"] == "copy" and truth[0].lo <= w["start"] < truth[0].hi)
    text = next((x["text"] for x in v["lines"] if x["kind"] == "finding" and x["rule"] == "exposed_copy"), None)
    said = text and SIZE.search(text)
    if not said:
        yield "no size of copies: %s" % text
        return
    got = [number(said[i], said[i + 1], BYTES) for i in (1, 3) if said[i]]
    if there != (sizes[-1] > 2 * sizes[0]):
        return
    if (len(got) == 2) != there:
        yield "sizes %d to %d: %s" % (sizes[0], sizes[-1], text)
    elif there and (abs(got[0] - sizes[0]) > WITHIN * sizes[0] or abs(got[1] - sizes[-1]) > WITHIN * sizes[-1]):
        yield "sizes %d to %d: %s" % (sizes[0], sizes[-1], text)
    elif not there and not (1 - WITHIN) * sizes[0] <= got[0] <= (1 + WITHIN) * sizes[-1]:
        yield "sizes %d to %d: %s" % (sizes[0], sizes[-1], text)
    took = [w["end"] - w["start"] for w in tr.work if w["kind"] == "copy" and truth[0].lo <= w["start"] < truth[0].hi]
    if len(took) > 1 and not 9.9 < max(took) / min(took) < 10.1 and (" calls of " in text) != (max(took) > 10 * min(took)):
        yield "copies of %d to %d ns: %s" % (min(took), max(took), text)


def first_use(v, case, truth, tr, there):
    """One sentence of what a program does once as it starts; what it does again has its own."""
    lines = [x["text"] for x in v["lines"] if x["kind"] == "finding" and x["rule"] == "idle"]
    first = [x for x in lines if "during first use" in x]
    if len(first) != there:
        yield "%d sentences about first use: %s" % (len(first), lines)
    elif there and not all(c["name"] in first[0] for c in tr.calls if c["end"] - c["start"] > 2 * 10**6):
        yield "calls of the first use: %s" % first[0]
    elif there and any("loading:" in x or "allocation:" in x for x in lines):
        yield "first use is in two sentences: %s" % lines
