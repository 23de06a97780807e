#!/usr/bin/env python3
"""Operation reports of Tenstorrent from random numbers, and what tt-perf-report of September 2026 makes of each row.

    make(seed): (header, rows, options)     a report and options of the command line
    stacked_of(report): [row]               the stacked summary of these
    rows_of(header, rows, options): [row]   the cells of the operations, by the published rules (docs/formats-tracy.md), without
                                            a line of the analyzer's

Columns are shuffled, some are missing; architectures, grids, sub devices, sparse products, convolutions, impossible and
missing times, signposts, host operations vary."""
import math
import random
import statistics

TENSORS = ("INPUT_0", "INPUT_1", "OUTPUT_0")
SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"
_BH = {"HiFi4": 1.3824, "HiFi3": 1.8432, "HiFi2": 2.7648, "LoFi": 5.5296}
# name: (worker cores, cores of a DRAM-sharded product, DRAM GB/s, TFLOP/s of a core)
ARCH = {"wormhole_b0": (64, 12, 288, {"HiFi4": 74 / 72, "HiFi3": 74 * 4 / 3 / 72, "HiFi2": 148 / 72, "LoFi": 262 / 72}),
        "blackhole": (110, 8, 512, _BH), "p100": (110, 7, 448, _BH), "bh20": (20, 8, 512, _BH),
        "n1": (20, 8, 120, {"HiFi4": 0.6656, "HiFi3": 2.6624 / 3, "HiFi2": 1.3312, "LoFi": 2.6624})}
ALIAS = {"wormhole": "wormhole_b0", "p150": "blackhole", "P150b": "blackhole", "blackhole_p150": "blackhole", "blackhole_p100": "p100", "P100a": "p100", "": "wormhole_b0"}
CATEGORY = {"LayerNorm": "Compute", "ReshapeView": "TM", "AllToAllAsyncGeneric": "CCL", "Broadcast": "CCL", "Reshard": "DM", "SdpaDecode": "Compute", "Typecast": "TM",
            "SliceWrite": "TM", "AllGatherAsync": "CCL", "ReduceScatter": "CCL", "ArgMax": "Compute", "Conv2d": "Compute", "Matmul": "Compute", "SparseMatmul": "Compute", "Mystery": "Other", "SendAsync": "CCL"}
BYTES = {"BFLOAT16": 2, "BFLOAT8_B": 1, "BFLOAT4_B": 0.5, "UINT32": 4}
SHORT = {"BFLOAT16": "BF16", "BFLOAT8_B": "BFP8", "BFLOAT4_B": "BFP4"}


COLLECTIVES = ("AllGather", "ReduceScatter", "AllReduce")


def canonical(arch):
    return next((ALIAS.get(k, k) for k in list(ALIAS) + list(ARCH) if k.lower() == arch.lower()), None)


def on_devices(rnd, row, devices, mhz):
    """The operation on each device, now and then not on all; one with a fault is so on the first."""
    out = [row]
    bad = row["DEVICE KERNEL DURATION [ns]"] == "" or not 0 <= row["DEVICE KERNEL DURATION [ns]"] < 10 ** 9
    if bad and row["OP CODE"].startswith(COLLECTIVES):
        return out
    for d in range(1, devices):
        other = dict(row, **{"DEVICE ID": d, "GLOBAL CALL COUNT": row["GLOBAL CALL COUNT"] + d})
        if bad:  # a good one beside it
            other.update({"DEVICE KERNEL DURATION [ns]": 5000, "DEVICE FW DURATION [ns]": 5500, "OP TO OP LATENCY [ns]": 700, "DEVICE FW START CYCLE": "", "DEVICE FW END CYCLE": ""})
        else:
            less = rnd.randrange(0, 1500)
            other["DEVICE KERNEL DURATION [ns]"] -= less
            other["DEVICE FW DURATION [ns]"] -= less
            other["DEVICE FW START CYCLE"] += round(less * mhz / 1000)
        if rnd.random() < 0.95:
            out.append(other)
    return out


def make(seed):
    rnd = random.Random(seed)
    arch = rnd.choice(list(ARCH) + list(ALIAS))
    grid = ARCH[canonical(arch)][0]
    head = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT", "HOST START TS", "OP TO OP LATENCY [ns]",
            "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"]
    head += [c for c in ("DEVICE ARCH", "AVAILABLE WORKER CORE COUNT", "SUB DEVICE ID", "METAL TRACE ID") if rnd.random() < 0.8]
    tail = rnd.choice(("_PAD[LOGICAL]", ""))
    head += ["%s_%s%s" % (t, d, tail) for t in TENSORS for d in "WZYX"] + [t + c for t in TENSORS for c in ("_DATATYPE", "_MEMORY")]
    rnd.shuffle(head)
    subs = rnd.choice(([""], [""], ["0", "1"], ["0", "1", "2"], ["left", "right"])) if "SUB DEVICE ID" in head else [""]
    mhz = rnd.choice((1000, 1350, 800))
    devices = rnd.choice((1, 1, 2, 3)) if subs == [""] else 1
    rows, now, host, busy_until = [], 10 ** 6, 10 ** 6, dict.fromkeys(subs, 10 ** 6)

    def shape(row, t, dims, kind, memory):
        for d, v in zip("WZYX", dims):
            row["%s_%s%s" % (t, d, tail)] = "%d[%d]" % (v, v) if tail else str(v)
        row[t + "_DATATYPE"], row[t + "_MEMORY"] = kind, "DEV_1_" + memory

    def product(row, sparse):
        m, k, n = (32 * rnd.randrange(1, 70) for _ in range(3))
        b0, b1 = (rnd.choice((1, 1, 2, 8)), rnd.choice((1, 1, 4, 32))) if sparse else (rnd.choice((1, 1, 3)), rnd.choice((1, 1, 3)))
        where = [rnd.choice(("DRAM_INTERLEAVED", "L1_WIDTH_SHARDED")) for _ in range(3)]
        shape(row, "INPUT_0", (1, b0, m, k), rnd.choice(("BFLOAT16", "BFLOAT8_B")), where[0])
        shape(row, "INPUT_1", (1, b1, k, n), rnd.choice(("BFLOAT16", "BFLOAT8_B", "BFLOAT4_B")), where[1])
        shape(row, "OUTPUT_0", (1, max(b0, b1), m, n), "BFLOAT16", where[2])
        row["MATH FIDELITY"] = rnd.choice(("HiFi4", "HiFi3", "HiFi2", "LoFi"))
        if sparse:
            q = rnd.choice(("'", ""))
            parts = [] if rnd.random() < 0.3 else ["'nnz': %s%s%s" % (q, rnd.choice((str(rnd.randrange(1, 33)), "std::nullopt")), q)]
            for f in ("a", "b"):
                parts += [] if rnd.random() < 0.4 else ["'is_input_%s_sparse': %s%s%s" % (f, q, rnd.choice(("true", "false")), q)]
            row["ATTRIBUTES"] = "{" + "; ".join(parts) + "}"
        elif rnd.random() < 0.3:
            row["ATTRIBUTES"] = "{'program_config': '%s(in0_block_w=%d;per_core_M=1)'}" % (SHARDED, rnd.randrange(1, 9))
        if rnd.random() < 0.06:
            row["INPUT_1_X" + tail] = rnd.choice(("0", "1.5", "many", "", "4294967297"))
        return 2 * m * k * n * max(b0, b1)

    for i in range(rnd.randrange(8, 40)):
        host += 20000
        if rnd.random() < 0.05:
            rows.append({"OP CODE": rnd.choice(("warm-up", "measured", "=end")), "OP TYPE": "signpost", "HOST START TS": host})
            continue
        if rnd.random() < 0.05:
            rows.append({"OP CODE": "(torch) numel", "OP TYPE": "python_fallback", "HOST START TS": host, "GLOBAL CALL COUNT": 1024 * i})
            continue
        row = {"OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": 1024 * i, "DEVICE ID": 0, "HOST START TS": host, "ATTRIBUTES": "{}", "DEVICE ARCH": arch,
               "CORE COUNT": rnd.randrange(1, grid + 1)}
        kind, flop = rnd.choice(("Matmul", "Matmul", "SparseMatmul", "Conv2d", "plain", "plain")), 10 ** 7
        code = kind if kind != "plain" else rnd.choice([c for c in CATEGORY if "Matmul" not in c and c != "Conv2d"])
        row["OP CODE"] = code + rnd.choice(("", "DeviceOperation"))
        if "Matmul" in kind:
            flop = product(row, kind == "SparseMatmul")
        elif kind == "Conv2d":
            shape(row, "INPUT_0", (1, 1, 32 * rnd.randrange(1, 200), 64), "BFLOAT16", "L1_HEIGHT_SHARDED")
            shape(row, "INPUT_1", (1, 1, 576, 64), "BFLOAT16", "DRAM_INTERLEAVED")
            shape(row, "OUTPUT_0", (1, 1, 32 * rnd.randrange(1, 200), 64), "BFLOAT16", "L1_HEIGHT_SHARDED")
            row.update({"MATH FIDELITY": rnd.choice(("HiFi4", "LoFi")), "ATTRIBUTES": "{'window_hw=(3;3)'}"})
        else:
            shape(row, "INPUT_0", (1, 1, 32, 4096), "BFLOAT16", "DRAM_INTERLEAVED")
        sub = rnd.choice(subs)
        kernel = int(flop / rnd.choice((2e4, 6e4, 1.2e5))) + rnd.randrange(2000, 40000)
        kernel = min(kernel, 400000) if len(subs) > 1 else kernel  # longer overlaps are impossible gaps there
        firmware = kernel + rnd.randrange(200, 900)
        begin = (max(busy_until[sub], now - 900000) if len(subs) > 1 else now) + rnd.randrange(400, 30000)
        gap = begin - now
        end = begin + kernel
        busy_until[sub], now = end, max(now, end) if len(subs) == 1 else end
        if "SUB DEVICE ID" in head:
            row["SUB DEVICE ID"] = rnd.choice((sub, sub + ".0")) if sub.isdigit() else sub
        row["AVAILABLE WORKER CORE COUNT"] = grid // len(subs) if sub != subs[-1] or len(subs) == 1 else grid - grid // len(subs)
        row.update({"OP TO OP LATENCY [ns]": gap, "DEVICE FW DURATION [ns]": firmware, "DEVICE KERNEL DURATION [ns]": kernel,
                    "DEVICE FW START CYCLE": round((end - firmware) * mhz / 1000), "DEVICE FW END CYCLE": round(end * mhz / 1000)})
        fault = rnd.random()
        if fault < 0.05:
            for c in ("OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE"):
                row[c] = ""
        elif fault < 0.09 and len(subs) == 1:  # a time that begins seconds before the end of the one before it
            wrong = rnd.randrange(2 * 10 ** 9, 7 * 10 ** 9)
            row.update({"OP TO OP LATENCY [ns]": kernel - wrong, "DEVICE KERNEL DURATION [ns]": wrong, "DEVICE FW DURATION [ns]": wrong + 300,
                        "DEVICE FW START CYCLE": round((end - wrong - 300) * mhz / 1000)})
        elif fault < 0.11:
            row["DEVICE KERNEL DURATION [ns]"] = -kernel
        rows += on_devices(rnd, row, devices, mhz)
    options = {}
    for key, value, odds in (("no-merge-devices", True, 0.2 if devices > 1 else 0), ("ignore-signposts", True, 0.4), ("print-signposts", True, 0.2), ("no-host-ops", True, 0.2), ("active-experts", rnd.randrange(1, 9), 0.3),
                             ("arch", rnd.choice(("p100", "N1", "blackhole", "Wormhole")), 0.25), ("id-range", "5-%d" % rnd.randrange(6, 40), 0.15)):
        if rnd.random() < odds:
            options[key] = value
    return head, rows, options


# ---- the rules ----
def num(row, key):
    try:
        v = float(row.get(key, ""))
    except (TypeError, ValueError):
        return None
    return v if math.isfinite(v) else None


def dims(row, t):
    out = []
    for d in "WZYX":
        text = str(row.get("%s_%s_PAD[LOGICAL]" % (t, d), row.get("%s_%s" % (t, d), ""))).split("[")[0]
        v = float(text) if text.replace(".", "", 1).isdigit() else 0
        out.append(int(v) if v == int(v) and 1 <= v <= 2 ** 32 else None)
    return out


def mul(*v):
    return None if None in v else math.prod(v)


def window(rows, o):
    order = sorted(range(len(rows)), key=lambda i: (num(rows[i], "HOST START TS") is None, num(rows[i], "HOST START TS") or 0))
    posts = [i for i in order if rows[i]["OP TYPE"] == "signpost"]
    if o.get("ignore-signposts") or not posts:
        return order
    first = next(k for k, i in enumerate(order) if rows[i]["OP CODE"] == rows[posts[-1]]["OP CODE"])
    return [i for i in order[first + 1:] if rows[i]["OP TYPE"] != "signpost" or o.get("print-signposts")]


def valid(row):
    k, g = num(row, "DEVICE KERNEL DURATION [ns]"), num(row, "OP TO OP LATENCY [ns]")
    return k is not None and k >= 0 and not (g is not None and g < -1e6 and -g > max(k / 2, 1e6))


def merged(rows, inside, o):
    """Rows of the report in order, with their kernel times: devices of an operation together."""
    def time(i):
        return num(rows[i], "DEVICE KERNEL DURATION [ns]") if valid(rows[i]) else None
    devices = {rows[i]["DEVICE ID"] for i in inside if rows[i]["OP TYPE"] == "tt_dnn_device"}
    if len(devices) < 2:
        return [(i, time(i)) for i in sorted(inside)]
    if o.get("no-merge-devices"):
        return [(i, time(i)) for i in inside]
    out, blocks = [], {}
    for i in inside:
        if rows[i]["OP TYPE"] == "tt_dnn_device":
            blocks.setdefault(rows[i]["GLOBAL CALL COUNT"] >> 10, []).append(i)
        else:
            out.append((i, None))
    for block in blocks.values():
        block.sort(key=lambda i: rows[i]["DEVICE ID"])
        good = [i for i in block if time(i) is not None]
        if rows[block[0]]["OP CODE"].startswith(COLLECTIVES):
            out.append((block[0], sum(time(i) for i in good) / len(good) if good else None))
        else:
            best = max(good, key=time) if good else block[0]
            out.append((best, time(best) if good else None))
    return sorted(out)


def rates(row, code, arch, o):
    """Shown code, cores, FLOP, bytes in DRAM."""
    text, a, b, c = row.get("ATTRIBUTES", ""), dims(row, "INPUT_0"), dims(row, "INPUT_1"), dims(row, "OUTPUT_0")
    cores = num(row, "CORE COUNT")
    if "Matmul" not in code:
        if "Conv2d" not in code:
            return code, cores, None, None
        m, k, n = c[2], mul(a[3], 9), b[3]
        return "%s %d x %d x %d [ABH=x|x ADB SR]" % (code, m, k, n), cores, 2 * m * k * n, None
    m, k, n = a[2], a[3], b[3]
    if SHARDED in text:
        cores = ARCH[arch][1]
    if None in (m, k, n):
        return code, cores, None, None
    size = {t: BYTES[row[t + "_DATATYPE"]] if "DRAM" in row[t + "_MEMORY"] else 0 for t in TENSORS}
    if "SparseMatmul" not in code:
        batch = max(a[0], b[0]) * max(a[1], b[1])
        moved = sum(size[t] * math.prod(d) for t, d in zip(TENSORS, (a, b, c)))
        return code + (" b={%d} x" % batch if batch > 1 else "") + " %d x %d x %d" % (m, k, n), cores, 2 * m * k * n * batch, moved
    flat = text.replace("'", "").replace("{", "").replace("}", "")
    attr = dict(p.strip().split(": ") for p in flat.split(";") if ": " in p)
    sa, sb = attr.get("is_input_a_sparse", "false") == "true", attr.get("is_input_b_sparse", "true") == "true"
    b0, b1 = a[0] * a[1], b[0] * b[1]
    groups = (1 if sb else max(1, b0 // b1)) if sa else b0
    dense = groups * b1 if sa or sb else max(b0, b1)
    active = int(attr["nnz"]) if attr.get("nnz", "").isdigit() else o["active-experts"] * groups if "active-experts" in o else None
    shown = "%s active=%s/%d x %d x %d x %d" % (code, "?" if active is None else active, dense, m, k, n)
    each = size["INPUT_0"] * m * k + size["INPUT_1"] * k * n + size["OUTPUT_0"] * m * n
    return shown, cores, None if active is None else 2 * m * k * n * active, None if active is None else each * active


def overlaps(rows, kept):
    """ns under operations that began before, by row."""
    cycles = []
    for i in kept:
        a, b, fw = (num(rows[i], k) for k in ("DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]"))
        if rows[i]["OP TYPE"] == "tt_dnn_device" and None not in (a, b, fw) and valid(rows[i]) and b > a:
            cycles.append((i, (b - a) / fw, b))
    if not cycles:
        return {}
    speeds = sorted(q for _, q, _ in cycles)
    q = (speeds[(len(speeds) - 1) // 2] + speeds[len(speeds) // 2]) / 2
    until, out = -math.inf, {}
    for start, end, i in sorted(((b / q - num(rows[i], "DEVICE KERNEL DURATION [ns]"), b / q, i) for i, _, b in cycles), key=lambda x: x[0]):
        out[i] = min(num(rows[i], "DEVICE KERNEL DURATION [ns]"), max(0, until - start))
        until = max(until, end)
    return {i: v for i, v in out.items() if v >= 1}


def rows_of(header, rows, o):
    head = set(header)
    rows = [{k: v for k, v in r.items() if k in head} for r in rows]
    named = next((str(r["DEVICE ARCH"]) for r in rows if r.get("DEVICE ARCH")), "")
    arch = canonical(o["arch"] if "arch" in o else named)
    budgets = [int(num(r, "AVAILABLE WORKER CORE COUNT")) for r in rows if num(r, "AVAILABLE WORKER CORE COUNT")]
    grid = max(budgets) if budgets else ARCH[arch][0]
    low, high = (int(v) for v in o["id-range"].split("-")) if "id-range" in o else (0, 10 ** 9)
    inside = window(rows, o)
    report = merged(rows, inside, o)
    times = dict(report)
    kept = [i for i, _ in report if low <= i + 2 <= high]
    leads = next((i for i in kept if rows[i]["OP TYPE"] != "signpost"), None)
    kept = [i for i in kept if not (o.get("no-host-ops") and "(torch)" in rows[i]["OP CODE"])]
    device = [i for i in kept if rows[i]["OP TYPE"] == "tt_dnn_device"]
    parts = any(rows[i].get("SUB DEVICE ID", "") != "" for i in device) or len({rows[i]["AVAILABLE WORKER CORE COUNT"] for i in device if "AVAILABLE WORKER CORE COUNT" in head}) > 1
    overlap = overlaps(rows, device) if parts else {}
    out, before = [], True
    invalid_before = {}
    for i, time in report:
        invalid_before[i] = not before
        if rows[i]["OP TYPE"] != "signpost":
            before = time is not None or rows[i]["OP TYPE"] != "tt_dnn_device"
    for i in kept:
        r, code = rows[i], rows[i]["OP CODE"]
        post, host = r["OP TYPE"] == "signpost", "(torch)" in code
        kernel, gap = times[i] if not post and not host else None, num(r, "OP TO OP LATENCY [ns]")
        good = kernel is not None
        bad = not good and not host and not post
        if i == leads or (gap is not None and (bad or invalid_before[i]) and abs(gap) > 1e6):
            gap = None
        shown, cores, flop, moved = rates(r, code, arch, o) if not post and not host else (code + (" (signpost)" if post else ""), None, None, None)
        seconds = kernel * 1e-9 if kernel else None
        x = {"ID": i + 2, "OP Code": shown, "Device": num(r, "DEVICE ID"), "Device Time": None if kernel is None else kernel / 1000, "Op-to-Op Gap": None if gap is None else gap / 1000, "Cores": cores,
             "DRAM": moved / seconds / 1e9 if moved and seconds else None, "FLOPs": flop / seconds / 1e12 if flop and seconds else None, "Bound": "HOST" if host else ""}
        x["DRAM %"] = x["DRAM"] / ARCH[arch][2] * 100 if x["DRAM"] is not None else None
        peak = ARCH[arch][3].get(r.get("MATH FIDELITY", ""))
        x["FLOPs %"] = x["FLOPs"] / (peak * cores) * 100 if x["FLOPs"] is not None and peak and cores else None
        if "Matmul" in code and x["DRAM %"] is not None and x["FLOPs %"] is not None:
            x["Bound"] = {(1, 1): "BOTH", (1, 0): "DRAM", (0, 1): "FLOP", (0, 0): "SLOW"}[x["DRAM %"] >= 65, x["FLOPs %"] >= 65]
        sub = str(r.get("SUB DEVICE ID", ""))
        x["Sub Device ID"] = sub[:-2] if sub.endswith(".0") else sub
        x["Available Cores"] = None if post or host else num(r, "AVAILABLE WORKER CORE COUNT") or grid
        x["Op Category"] = "" if post else "Host" if host else CATEGORY[code.replace("DeviceOperation", "")]
        x["Bound Analysis"] = "full" if "Matmul" in code else "flops_only" if "Conv2d" in code else "none"
        x["Overlap"] = overlap[i] / 1000 if i in overlap else None
        memory = [p.lower() for p in r.get("INPUT_0_MEMORY", "").split("_")[-2:]]
        x["Label"] = "" if post else x["OP Code"].split(" ")[0] + (" (in0:%s)" % "_".join(memory) if len(memory) == 2 else "")
        x["_"] = (kernel or 0) + max(gap or 0, 0) if kernel is not None or gap is not None else None
        out.append(x)
    total = sum(x["_"] or 0 for x in out)
    for x in out:
        x["Total %"] = x["_"] / total * 100 if x["_"] is not None and total else None
        x["Busy"] = (x["Device Time"] or 0) - (x["Overlap"] or 0)
    return out


def stacked_of(report):
    """The stacked summary by operation and memory of its first input."""
    groups, out = {}, []
    for x in report:
        if x["Label"]:
            groups.setdefault(x["Label"], []).append(x)
    total = sum(x["Device Time"] or 0 for x in report)
    for label, rows in groups.items():
        time = sum(x["Device Time"] or 0 for x in rows)
        rated = [(x["FLOPs %"], x["Device Time"]) for x in rows if x["FLOPs %"] is not None]
        rates = [f for f, _ in rated]
        out.append({"Total % [%]": time / total * 100 if total else 0, "Op Code": label, "Device Time Sum [μs]": time, "Op Count": len(rows), "Op Category": rows[0]["Op Category"],
                    "Min FLOPs [%]": min(rates) if rates else None, "Max FLOPs [%]": max(rates) if rates else None, "Mean FLOPs [%]": statistics.mean(rates) if rates else None,
                    "Std FLOPs [%]": statistics.stdev(rates) if len(rates) > 1 else None,
                    "Weighted Mean FLOPs [%]": sum(f * t for f, t in rated) / sum(t for _, t in rated) if rated else None})
    return sorted(out, key=lambda g: (-round(g["Device Time Sum [μs]"], 3), g["Op Code"]))
