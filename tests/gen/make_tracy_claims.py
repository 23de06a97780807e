#!/usr/bin/env python3
"""Operation reports of Tenstorrent with one fault each, and healthy counterparts, from random numbers.

    make_tracy_claims.py --seed N --kind KIND --out FILE      the report
    kinds(): names; make(kind, seed): (header, rows, facts)   what tests/tracy_claims_check.py expects of it

The rules are those of the specification, by brute force, without a line of the analyzer's: an operation is the interval
from the end of its firmware back by the duration of its kernel, sub devices run at the same time."""
import argparse
import csv
import random
import sys

HEADER = ("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,AVAILABLE WORKER CORE COUNT,SUB DEVICE ID,"
          "HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],DEVICE FW DURATION [ns],"
          "DEVICE KERNEL DURATION [ns],METAL TRACE ID,METAL TRACE REPLAY SESSION ID,PROGRAM CACHE HIT").split(",")
for _t in ("INPUT_0", "INPUT_1", "OUTPUT_0"):
    HEADER += ["%s_%s_PAD[LOGICAL]" % (_t, d) for d in "WZYX"] + [_t + "_DATATYPE", _t + "_MEMORY"]
PEAK = {"wormhole_b0": {"HiFi4": 74 / 72, "HiFi2": 148 / 72, "LoFi": 262 / 72}, "blackhole": {"HiFi4": 1.3824, "HiFi2": 2.7648, "LoFi": 5.5296}}
DRAM_WORKERS = {"wormhole_b0": 12, "blackhole": 8}
SHARDED = "{'program_config': 'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=4;per_core_M=1;per_core_N=6)'}"
COMM = ("AllGatherDeviceOperation", "ReduceScatterDeviceOperation", "AllReduceAsyncDeviceOperation")
PLAIN = ("LayerNormDeviceOperation", "UnaryDeviceOperation", "SoftmaxDeviceOperation")


class Report:
    def __init__(self, rnd):
        self.rnd, self.rows, self.calls, self.host = rnd, [], 0, rnd.randrange(10 ** 6, 10 ** 9)
        self.arch = rnd.choice(sorted(PEAK))
        self.workers = 64 if self.arch == "wormhole_b0" else 110
        self.cycles = 1.0 if self.arch == "wormhole_b0" else 1.35
        self.end = {}  # of the last operation, by device

    def op(self, code, kernel, gap=None, device=0, sub="", timed=True, begin=None, fidelity="HiFi2", cores=None, shapes=(), attributes="{}", firmware=None,
           latency=None, trace="", session="", hit="", workers=None):
        self.calls += 1
        self.host += 20000
        gap = self.rnd.randrange(300, 900) if gap is None else gap
        firmware = kernel + self.rnd.randrange(200, 800) if firmware is None else firmware
        last = self.end.get(device, 2 * 10 ** 6)
        start = last + gap + kernel - kernel if begin is None else begin
        end = start + kernel
        self.end[device] = max(end, last) if begin is None else end
        row = dict.fromkeys(HEADER, "")
        row.update({"OP CODE": code, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": self.calls * 1024 + device, "DEVICE ID": device, "DEVICE ARCH": self.arch,
                    "ATTRIBUTES": attributes, "MATH FIDELITY": fidelity, "CORE COUNT": self.workers if cores is None else cores,
                    "AVAILABLE WORKER CORE COUNT": self.workers if workers is None else workers, "SUB DEVICE ID": sub, "HOST START TS": self.host,
                    "HOST END TS": self.host + 4000, "HOST DURATION [ns]": 4000, "METAL TRACE ID": trace, "METAL TRACE REPLAY SESSION ID": session,
                    "PROGRAM CACHE HIT": hit})
        if timed:
            row.update({"DEVICE FW START CYCLE": round((end - firmware) * self.cycles), "DEVICE FW END CYCLE": round(end * self.cycles),
                        "OP TO OP LATENCY [ns]": gap if latency is None else latency, "DEVICE FW DURATION [ns]": firmware, "DEVICE KERNEL DURATION [ns]": kernel})
        for name, shape, memory, kind in shapes:
            row.update({"%s_%s_PAD[LOGICAL]" % (name, d): "%d[%d]" % (v, v) for d, v in zip("WZYX", shape)})
            row.update({name + "_DATATYPE": kind, name + "_MEMORY": memory})
        row["_"] = (device, start, end, code, timed)
        self.rows.append(row)
        return row

    def matmul(self, m, k, n, kernel, memory="DEV_0_DRAM_INTERLEAVED", code="MatmulDeviceOperation", batch=(1, 1, 1), **more):
        shapes = (("INPUT_0", (1, batch[0], m, k), memory, "BFLOAT16"), ("INPUT_1", (1, batch[1], k, n), "DEV_0_DRAM_INTERLEAVED", "BFLOAT8_B"),
                  ("OUTPUT_0", (1, batch[2], m, n), "DEV_0_DRAM_INTERLEAVED", "BFLOAT16"))
        return self.op(code, kernel, shapes=shapes, **more)

    def plain(self, kernel=None, **more):
        return self.op(self.rnd.choice(PLAIN), self.rnd.randrange(5000, 90000) if kernel is None else kernel, **more)


def union(spans):
    total, last = 0, None
    for a, b in sorted(spans):
        if last is None or a > last:
            total, last = total + b - a, b
        elif b > last:
            total, last = total + b - last, b
    return total


def account(rows, window=None):
    """The mean over the devices: span, computing, exposed communication, idle."""
    devices = sorted({r["_"][0] for r in rows})
    lo = min(r["_"][1] for r in rows) if window is None else window[0]
    hi = max(r["_"][2] for r in rows) if window is None else window[1]
    computing = exposed = 0
    for d in devices:
        spans = [(max(a, lo), min(b, hi), code) for dev, a, b, code, _ in (r["_"] for r in rows) if dev == d and b > lo and a < hi]
        work = union([(a, b) for a, b, code in spans if code not in COMM])
        computing += work
        exposed += union([(a, b) for a, b, _ in spans]) - work
    n = len(devices)
    return {"span_ns": hi - lo, "computing_ns": computing / n, "exposed_communication_ns": exposed / n, "idle_ns": hi - lo - (computing + exposed) / n}


def healthy(r):
    """Operations with small gaps: nothing to find about gaps."""
    for _ in range(r.rnd.randrange(10, 60)):
        r.plain()
    return {"account": account(r.rows), "pass": ["lost_device_events", "impossible_times"], "no_rule": ["op_to_op_gaps", "idle"]}


def devices(r):
    n = r.rnd.randrange(2, 5)
    for _ in range(r.rnd.randrange(8, 25)):
        code, kernel = (r.rnd.choice(COMM), r.rnd.randrange(3000, 30000)) if r.rnd.random() < 0.3 else (r.rnd.choice(PLAIN), r.rnd.randrange(5000, 90000))
        at = max(list(r.end.values()) + [2 * 10 ** 6]) + 500
        for d in range(n):
            r.calls -= d > 0
            r.host -= 20000 * (d > 0)
            r.op(code, kernel + r.rnd.randrange(0, 500), device=d, begin=at)
    return {"account": account(r.rows), "pass": ["lost_device_events", "impossible_times"], "tol": 10}


def sub_devices(r):
    half = r.workers // 2
    r.plain(sub="0", workers=half)
    for _ in range(r.rnd.randrange(3, 12)):
        at, kernel = r.end[0] + 700, r.rnd.choice((30_000, 200_000, 9_000_000)) + r.rnd.randrange(1000)
        r.op(PLAIN[0], kernel, sub="0", begin=at, workers=half, latency=700)
        other = r.rnd.randrange(kernel // 2, kernel)
        r.op(PLAIN[1], other, sub="1", begin=at + 100, workers=half, latency=at + 100 - r.end[0])
        r.end[0] = max(x["_"][2] for x in r.rows)
    return {"account": account(r.rows), "pass": ["lost_device_events", "impossible_times"]}


def impossible(r):
    n, at = r.rnd.randrange(1, 4), 40 * 10 ** 9
    good = []
    if r.rnd.random() < 0.5:  # good ones before, too
        good += [r.plain() for _ in range(r.rnd.randrange(3, 9))]
        at = r.end[0] + 5000
        length = at - 10 ** 5
    else:
        length = r.rnd.randrange(2 * 10 ** 7, 7 * 10 ** 9)
    for i in range(n):  # their ends are right
        r.op(PLAIN[2], length, begin=at + i * 4000 - length if good else at + i * 4000, latency=-length - r.rnd.randrange(10 ** 6))
        r.end[0] = r.rows[-1]["_"][2]
    for _ in range(r.rnd.randrange(3, 40)):
        good.append(r.plain())
    bad = len(r.rows) - len(good)
    return {"account": account(good), "check": {"impossible_times": ("fail" if bad * 20 >= len(r.rows) else "warn", bad, len(r.rows))}}


def lost(r):
    n, gone = r.rnd.randrange(20, 90), 0
    for i in range(n):
        timed = i == 0 or r.rnd.random() > r.rnd.choice((0.02, 0.5))
        r.plain(timed=timed)
        gone += not timed
    status = "pass" if gone == 0 else "fail" if gone * 20 >= n else "warn"
    return {"account": account([x for x in r.rows if x["_"][4]]), "check": {"lost_device_events": (status, gone, n)}, "no_rule": ["op_to_op_gaps", "idle"]}


def replays(r):
    n, ops, between = r.rnd.randrange(3, 9), r.rnd.randrange(2, 8), r.rnd.choice((40_000, 200_000, 9_000_000)) + r.rnd.randrange(1000)
    slow = r.rnd.random() < 0.5
    for _ in range(r.rnd.randrange(0, 3)):
        r.plain(gap=90_000)
    steps = []
    kernels = [r.rnd.randrange(5000, 60_000) for _ in range(ops)]
    for q in range(n):
        for i in range(ops):
            more = r.rnd.randrange(50) + (2 * kernels[i] + between if slow and q == 0 else 0)
            r.host -= 20000 * ops if q and i == 0 else 0  # the host times are those of the capture
            r.calls -= ops if q and i == 0 else 0
            x = r.op(PLAIN[i % 3], kernels[i] + more, gap=between if i == 0 else 500, trace=4, session=q + 1, hit="False",
                     firmware=kernels[i] + more + (0 if i == 0 else kernels[i - 1] // 2))  # it starts early
            steps += [[]] * (i == 0)
            steps[-1] = steps[-1] + [x]
    begin = [s[0]["_"][1] for s in steps] + [steps[-1][-1]["_"][2]]
    length = [b - a for a, b in zip(begin, begin[1:])]  # to the next one, the last to its end
    rest = sorted(length[1:])
    warm = length[0] > 1.5 * (rest[(len(rest) - 1) // 2] + rest[len(rest) // 2]) / 2
    counted = steps[1:] if warm else steps
    window = (counted[0][0]["_"][1], counted[-1][-1]["_"][2])
    starts = [s[0]["_"][1] for s in counted]
    period = sorted(b - a for a, b in zip(starts, starts[1:]))
    middle = (period[(len(period) - 1) // 2] + period[len(period) // 2]) / 2
    return {"account": account(r.rows, window), "steps": (n, "trace_replay", middle, int(warm)), "no_advice": ["capture_trace", "reduce_launch_overhead"],
            "rule": {"warm_up": warm}}


def untraced(r):
    gap = r.rnd.choice((20_000, 60_000, 400_000, 3_000_000))
    for i in range(r.rnd.randrange(8, 30)):
        r.plain(kernel=r.rnd.randrange(5000, 20_000), gap=gap + r.rnd.randrange(1000))
    return {"account": account(r.rows), "pass": ["lost_device_events", "impossible_times"], "first": ("op_to_op_gaps", "capture_trace"), "steps": None}


def some_lost(r):
    """Two operations of many without times: only the gaps around them have no finding; half of the seeds have an impossible one, too."""
    n = r.rnd.randrange(60, 120)
    gone = set(r.rnd.sample(range(5, n - 5), 2))
    gap = r.rnd.randrange(30_000, 90_000)
    for i in range(n):
        r.plain(kernel=r.rnd.randrange(5000, 20_000), gap=gap + r.rnd.randrange(1000), timed=i not in gone)
    bad = 0
    if r.rnd.random() < 0.5:
        at = r.end[0] + 3000
        r.op(PLAIN[0], 5 * 10 ** 9, begin=at - 5 * 10 ** 9, latency=-5 * 10 ** 9)
        r.end[0] = at
        bad = 1
    rows = [x for x in r.rows if x["_"][4]]
    good = rows[:len(rows) - bad]
    clean = sum(1 for i in range(n - 1) if i not in gone and i + 1 not in gone)
    return {"account": account(good), "check": {"lost_device_events": ("warn", 2, n + bad), "impossible_times": ("warn" if bad else "pass", bad, n + bad - 2)},
            "first": ("op_to_op_gaps", "capture_trace"), "count": clean}


def compiled(r):
    """The first run of each operation compiles it: that is no reason to capture a trace."""
    for i in range(3):
        r.op(PLAIN[i], 20_000, gap=r.rnd.randrange(5 * 10 ** 6, 10 ** 8), hit="False")
    for _ in range(r.rnd.randrange(5, 20)):
        r.plain(hit="True")
    return {"account": account(r.rows), "first": ("idle", "compile_ahead"), "no_advice": ["capture_trace"]}


def sparse(r):
    a, b = r.rnd.choice((("false", "true"), ("true", "true"), ("true", "false"), ("false", "false")))
    m, k, n, experts, groups = 32, 32 * r.rnd.randrange(20, 90), 32 * r.rnd.randrange(20, 90), r.rnd.choice((8, 32)), 1
    known = r.rnd.random() < 0.6
    nnz = r.rnd.randrange(1, experts)
    kernel = max(20_000, 2 * m * k * n * nnz // 40000 // 1000)
    text = "{'is_input_a_sparse': '%s'; 'is_input_b_sparse': '%s'; 'nnz': '%s'}" % (a, b, nnz if known else "std::nullopt")
    r.plain()
    x = r.matmul(m, k, n, kernel, code="SparseMatmulDeviceOperation", attributes=text, batch=(groups, experts, experts))
    flops = 2 * m * k * n * nnz / kernel / 1000
    percent = flops / (PEAK[r.arch]["HiFi2"] * r.workers) * 100
    return {"cell": (x["GLOBAL CALL COUNT"], percent if known else None)}


def dram_sharded(r):
    k, n = 32 * r.rnd.randrange(30, 120), 32 * r.rnd.randrange(30, 120)
    kernel = r.rnd.randrange(60_000, 200_000)
    r.plain()
    x = r.matmul(32, k, n, kernel, memory="DEV_0_L1_WIDTH_SHARDED", attributes=SHARDED, fidelity="LoFi", cores=r.rnd.choice((12, 80)))
    percent = 2 * 32 * k * n / kernel / 1000 / (PEAK[r.arch]["LoFi"] * DRAM_WORKERS[r.arch]) * 100
    return {"cell": (x["GLOBAL CALL COUNT"], percent), "no_rule": ["tt_low_cores"]}


def rate(r):
    m = k = n = 32 * r.rnd.randrange(32, 64)
    factor = r.rnd.choice((0.5, 0.9, 1.2, 3.0))  # of the peak
    kernel = round(2 * m * k * n / (PEAK[r.arch]["HiFi4"] * r.workers * factor) / 1000)
    r.plain()
    r.matmul(m, k, n, kernel, memory="DEV_0_L1_WIDTH_SHARDED", fidelity="HiFi4")
    dram = (k * n + 2 * m * n) / kernel > (288 if r.arch == "wormhole_b0" else 512)
    above = factor > 1 or dram
    return {"check": {"impossible_rates": ("fail" if above else "pass", int(above), 1)}, "no_rule": ["tt_slow", "tt_dram"] if above else []}


def low_cores(r):
    """The counterpart of dram_sharded: an operation on few cores is one."""
    r.plain(kernel=10_000)
    for _ in range(r.rnd.randrange(2, 6)):
        r.plain(kernel=r.rnd.randrange(50_000, 90_000), cores=r.rnd.randrange(1, r.workers // 3))
    return {"account": account(r.rows), "first": ("tt_low_cores", "more_cores")}


MAKERS = {f.__name__: f for f in (healthy, devices, sub_devices, impossible, lost, some_lost, replays, untraced, compiled, sparse, dram_sharded, rate, low_cores)}


def kinds():
    return list(MAKERS)


def make(kind, seed):
    r = Report(random.Random("%s %s" % (kind, seed)))
    facts = MAKERS[kind](r)
    return HEADER, [[x[h] for h in HEADER] for x in r.rows], facts


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow(header)
        w.writerows(rows)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--kind", choices=kinds(), default="healthy")
    ap.add_argument("--out", required=True)
    a = ap.parse_args()
    header, rows, _ = make(a.kind, a.seed)
    write(a.out, header, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
