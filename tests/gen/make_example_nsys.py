#!/usr/bin/env python3
"""Write the Nsight Systems example: one training job of five iterations on one GPU, as the three report CSVs that
`nsys stats` makes and as the SQLite export of the same events. Both give the same classic block.

    make_example_nsys.py --csv DIR           DIR/llama2_70b_cuda_gpu_kern_sum.csv, ..._mem_time_sum.csv, ..._nvtx_...
    make_example_nsys.py --sqlite FILE       the export (about 98,000 rows, 5 MB)
    make_example_nsys.py --sqlite FILE --blocks 10     the same job ten times over, for benchmarks

The names are invented; the sums are those of a published run of a 70-billion-parameter model: per class the total below
is cut exactly (integer nanoseconds) over the kernels, their instances and the iterations. Deterministic, standard
library only (random.random() of a seeded generator is the same in every Python 3).
"""
import argparse
import csv
import math
import os
import random
import sqlite3
import sys

ITERS = 5
LAYERS = 80
TAG_DOMAIN = "TSL"
TAG = "XlaModule:#hlo_module=jit_train_step,program_id=7#"
PID, TID = 4242, 4242
GLOBAL_PID = (1 << 56) | (PID << 24)
GLOBAL_TID = GLOBAL_PID | TID
COMPUTE_STREAM, COMM_STREAM = 18, 24
QUEUE_DEPTH = 1024  # launches the host may be ahead of the device

# Projected durations of the five iterations; they sum to 42,890,083,985 ns.
WINDOWS = [8578016797 + d for d in (3412905, -5120331, 1870664, 6905212, -7068450)]

# ---- what runs: (name, instances an iteration in each of the 80 layers, further instances an iteration, weight of one)
ARGS = "(ncclDevKernelArgsStorage<(unsigned long)4096>)"


def gemm_names():
    tail = "_stage4_warpgroup2_tensor64x128x16_execute_kernel"
    rows = [("tn_n_tile256x128x64_cga2x1", 4, 0, 1.00), ("nn_n_tile256x128x64_cga2x1", 3, 0, 1.18),
            ("nt_n_tile256x128x64_cga2x1", 2, 0, 1.42), ("tn_n_tile192x128x64_cga1x1", 2, 0, 0.71),
            ("nt_n_tile192x128x64_cga1x1", 2, 0, 0.64), ("nn_n_tile192x128x64_cga1x1", 1, 0, 0.69),
            ("tn_n_tile128x160x64_cga1x1", 1, 0, 0.32), ("nt_n_tile128x160x64_cga1x1", 1, 0, 0.29),
            ("nn_n_tile128x160x64_cga1x1", 1, 0, 0.34), ("tn_n_tile256x192x64_cga2x1_logits", 0, 1, 3.4),
            ("nn_n_tile256x192x64_cga2x1_logits", 0, 1, 3.6), ("nt_n_tile256x192x64_cga2x1_logits", 0, 1, 3.9)]
    return [("sm90_xmma_gemm_bf16bf16_bf16f32_f32_" + n + tail, a, b, w) for n, a, b, w in rows]


def fmha_names():
    return [("train_fmha_fprop_bf16_hd128_causal_sm90_tma_kernel", 2, 0, 1.0),
            ("train_fmha_dgrad_bf16_hd128_causal_sm90_tma_kernel", 1, 0, 2.6),
            ("train_attn_compute_dot_do_o_bf16_hd128_rows64_kernel", 1, 0, 0.09),
            ("train_attn_convert_dq_to_16bits_bf16_hd128_rows64_kernel", 1, 0, 0.07),
            ("train_fmha_offsets_from_seqlens_kernel", 1, 0, 0.002)]


def fusion_names():
    heads = ["loop_add_convert_norm", "input_square_reduce_norm", "loop_scale_shift_norm", "loop_rotary_sin_mul",
             "loop_rotary_cos_mul", "input_concat_rotary", "loop_silu_gate_mul", "loop_silu_gate_grad",
             "input_gate_reduce_grad", "loop_residual_add", "loop_residual_grad_add", "input_norm_grad_reduce",
             "loop_norm_grad_scale", "input_transpose_heads"]
    rows = []
    for i, h in enumerate(heads):  # 56 a layer: four variants of fourteen
        for v in range(4):
            rows.append(("%s_fusion_l%d" % (h, 4 * i + v), 1, 0, 0.3 + ((7 * i + 3 * v) % 11) / 6.0))
    for i in range(36):
        rows.append(("loop_adam_moment_update_fusion_p%d" % i, 0, 1, 2.2 + (i % 5) * 0.4))
    return rows


def other_names():
    rows = [("wrapped_convert_bf16_f32_shard%d" % i, 2, 0, 1.0 + i / 9.0) for i in range(4)]
    rows += [("wrapped_slice_params_shard%d" % i, 2, 0, 0.5 + i / 7.0) for i in range(3)]
    rows += [("void jax_gather_rows<__nv_bfloat16, (int)%d>(T1 *, const T1 *, const int *, long)" % w, 1, 0, 0.4)
             for w in (128, 256, 512, 1024)]
    rows += [("input_row_max_softmax_xent", 0, 20, 1.2), ("input_row_sum_softmax_xent", 0, 20, 1.3),
             ("wrapped_iota_positions", 0, 20, 0.1), ("wrapped_global_norm_clip", 0, 18, 2.0)]
    return rows


CLASSES = [  # total ns of all iterations, kernels
    ("others", 397672704, other_names()),
    ("gemm", 34150572200, gemm_names()),
    ("fmha", 2778962700, fmha_names()),
    ("fusion", 2408652500, fusion_names()),
]
COMM = [
    ("AllGather", 11718848200, [("ncclDevKernel_AllGather_RING_SIMPLE" + ARGS, 2, 1, 1.0)]),
    ("ReduceScatter", 4623308200, [("ncclDevKernel_ReduceScatter_Sum_bf16_RING_SIMPLE" + ARGS, 1, -1, 1.0)]),
    ("AllReduce", 36138228, [("ncclDevKernel_AllReduce_Sum_f32_TREE_LL128" + ARGS, 0, 4, 1.0)]),
]
D2D, MEMSET, H2D = ("[CUDA memcpy Device-to-Device]", "[CUDA memset]", "[CUDA memcpy Host-to-Device]")
MEM = [
    (D2D, 153281460, [(D2D, 2, 21, 1.0)]),
    (MEMSET, 42848310, [(MEMSET, 19, 7, 1.0)]),
    (H2D, 49720, [(H2D, 0, 3, 1.0)]),
]


def cut(total, weights):
    """Integers in proportion to the weights that sum to the total exactly."""
    whole, run, last, out = math.fsum(weights), 0.0, 0, []
    for w in weights:
        run += w
        at = min(total, int(total * (run / whole)))
        out.append(at - last)
        last = at
    out[-1] += total - last
    return out


def instances(groups, rnd):
    """[{name: its durations in order of execution}], an iteration each; and the per-layer counts."""
    runs = {}
    for _, total, names in groups:
        counts = [a * LAYERS + b for _, a, b, _ in names]
        totals = cut(total, [w * c for (_, _, _, w), c in zip(names, counts)])
        for (name, a, b, _), count, t in zip(names, counts, totals):
            d = cut(t, [0.85 + 0.3 * rnd.random() for _ in range(count * ITERS)])
            assert min(d) > 0 and sum(d) == t
            runs[name] = (a, b, count, d)
    return runs


def sequence(runs, iteration):
    """Operations of one iteration in order: layer by layer, the further instances at the end."""
    taken = {n: 0 for n in runs}
    out = []

    def emit(name):
        _, _, count, d = runs[name]
        if taken[name] < count:
            out.append((name, d[iteration * count + taken[name]]))
            taken[name] += 1

    for layer in range(LAYERS):
        for name, (a, _, _, _) in runs.items():
            for _ in range(a):
                emit(name)
    for name, (_, b, _, _) in runs.items():
        for _ in range(max(b, 0)):
            emit(name)
    return out


def place(ops, start, end, rnd, edges):
    """Times for operations that follow each other on one stream between start and end; the idle time is cut at random,
    without idle time at the edges unless asked (then the window is touched by other streams only)."""
    idle = (end - start) - sum(d for _, d in ops)
    assert idle > 0
    gaps = cut(idle, [rnd.random() ** 6 + 1e-4 for _ in range(len(ops) + (1 if edges else -1))])
    t, out = start, []
    for i, (name, d) in enumerate(ops):
        t += gaps[i] if edges else (gaps[i - 1] if i else 0)
        out.append((t, t + d, name))
        t += d
    return out


def mix(kernels, fills, rnd):
    """Memory operations spread between the kernels of the same stream; a copy comes first."""
    out, m = [], 0
    for i, k in enumerate(kernels):
        while m < len(fills) and m * len(kernels) <= i * len(fills) and rnd.random() < 0.9:
            out.append(fills[m])
            m += 1
        out.append(k)
    return out[:-1] + fills[m:] + out[-1:]


class Job:
    """Device operations, their launches and the ranges around them, as plain lists."""

    def __init__(self, blocks):
        rnd = random.Random(70)
        kernels = instances(CLASSES, rnd)
        comm = instances(COMM, rnd)
        mem = instances(MEM, rnd)
        self.ops = []     # (start, end, name, stream, correlation)
        self.calls = []   # (start, end, api, correlation)
        self.ranges = []  # (host start, host end, device start, device end, operations)
        self.corr = 1000
        host, device = 1_000_000_000, 1_004_000_000
        for _ in range(blocks):
            for it in range(ITERS):
                start, end = device, device + WINDOWS[it]
                main = mix(sequence(kernels, it), sequence(mem, it), rnd)
                ops = [o + (COMPUTE_STREAM,) for o in place(main, start, end, rnd, False)]
                ops += [o + (COMM_STREAM,) for o in place(sequence(comm, it), start, end, rnd, True)]
                ops.sort()
                host = self.launch(ops, host)
                self.ranges[-1] += (start, end, len(ops))
                device = end + 3_000_000 + 1_000_000 * it

    def launch(self, ops, t):
        first = t
        t += 40_000
        for i, (s, e, name, stream) in enumerate(ops):
            if i >= QUEUE_DEPTH:  # the queue is full: wait until an earlier operation has started
                t = max(t, ops[i - QUEUE_DEPTH][0])
            length = 3_000 + (i * 7919) % 1_500
            assert t < s, "launched after it ran"
            self.calls.append((t, t + length, api_of(name), self.corr))
            self.ops.append((s, e, name, stream, self.corr))
            self.corr += 1
            t += length + 150
        self.ranges.append((first, t + 20_000))
        return t + 200_000


def api_of(name):
    if name == MEMSET:
        return "cuMemsetD8Async"
    if name == D2D:
        return "cuMemcpyDtoDAsync_v2"
    if name == H2D:
        return "cuMemcpyHtoDAsync_v2"
    return "cudaLaunchKernelExC_v11060" if "nccl" in name else "cuLaunchKernelEx"


# ---- nsys stats CSV
def sums(job, wanted):
    by_name = {}
    for s, e, name, _, _ in job.ops:
        if name.startswith("[CUDA") == wanted:
            by_name.setdefault(name, []).append(e - s)
    whole = sum(sum(v) for v in by_name.values())
    rows = []
    for name, v in by_name.items():
        v.sort()
        n, total = len(v), sum(v)
        mean = total / n
        median = v[n // 2] if n % 2 else (v[n // 2 - 1] + v[n // 2]) / 2
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in v) / (n - 1)) if n > 1 else 0.0
        rows.append(["%.1f" % (100.0 * total / whole), total, n, "%.1f" % mean, "%.1f" % median, v[0], v[-1],
                     "%.1f" % sd, name])
    rows.sort(key=lambda r: (-r[1], r[2], r[8]))
    return rows


def write_csv(job, folder):
    os.makedirs(folder, exist_ok=True)

    def dump(report, head, rows):
        with open(os.path.join(folder, "llama2_70b_%s.csv" % report), "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(head)
            w.writerows(rows)

    stat = ["Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"]
    dump("cuda_gpu_kern_sum", ["Time (%)", "Total Time (ns)", "Instances"] + stat + ["Name"], sums(job, False))
    dump("cuda_gpu_mem_time_sum", ["Time (%)", "Total Time (ns)", "Count"] + stat + ["Operation"], sums(job, True))
    dump("nvtx_gpu_proj_trace",
         ["Name", "Projected Start (ns)", "Projected Duration (ns)", "Orig Start (ns)", "Orig Duration (ns)", "Style",
          "PID", "TID", "NumGPUOps", "Lvl", "NumChild", "RangeId", "ParentId", "RangeStack"],
         [[TAG_DOMAIN + ":" + TAG, ds, de - ds, hs, he - hs, "PushPop", PID, TID, n, 0, 0, i, "", ":%d" % i]
          for i, (hs, he, ds, de, n) in enumerate(job.ranges, 2)])  # event 1 creates the domain


# ---- nsys export --type sqlite, schema 3.16.1
ACTIVITY = ("start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
            "greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, ")
TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "CUPTI_ACTIVITY_KIND_KERNEL": ACTIVITY +
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, "
    "cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
    "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
    "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
    "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, "
    "sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": ACTIVITY +
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, "
    "srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, "
    "graphNodeId INTEGER, virtualAddress INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": ACTIVITY +
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, "
    "callchainId INTEGER",
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
    "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
    "domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, "
    "int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT",
    "TARGET_INFO_GPU": "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, isDiscrete INTEGER, "
    "totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, cuDevice INTEGER, "
    "computeMajor INTEGER, computeMinor INTEGER",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "META_DATA_EXPORT": "name TEXT NOT NULL, value TEXT",
    "ENUM_CUDA_MEMCPY_OPER": "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT",
}


def rows_of(job):
    """{table: rows}, ids of StringIds in order of first use."""
    ids = {"[Unknown]": 0}

    def sid(text):
        return ids.setdefault(text, len(ids))

    rows = {t: [] for t in TABLES}
    for s, e, name, stream, corr in job.ops:
        head = (s, e, 0, 1, None, stream, corr, GLOBAL_PID)
        if name == MEMSET:
            rows["CUPTI_ACTIVITY_KIND_MEMSET"].append(head + (0, (e - s) * 1200, None, 2))
        elif name in (D2D, H2D):
            kind, source, rate = (8, 2, 1300) if name == D2D else (1, 1, 24)
            rows["CUPTI_ACTIVITY_KIND_MEMCPY"].append(
                head + ((e - s) * rate, kind, None, source, 2, 0, 1, 0, 1, None, None, None))
        else:
            short = name.split("(")[0].split("<")[0].split(" ")[-1]
            grid = (132, 1, 1, 384, 1, 1) if "gemm" in name or "fmha" in name else (64, 8, 1, 256, 1, 1)
            rows["CUPTI_ACTIVITY_KIND_KERNEL"].append(
                head + (sid(name), sid(short), sid(short), 1, 0, 168) + grid +
                (0, 196608 if "gemm" in name else 0, 0, 0, corr, 233472, None, 0))
    for s, e, api, corr in job.calls:
        rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append((s, e, 0, GLOBAL_TID, corr, sid(api), 0, None))
    nvtx = rows["NVTX_EVENTS"]

    def event(start, end, kind, text):
        nvtx.append((start, end, kind, None, None, None, None, GLOBAL_TID, None, sid(text), 3) + (None,) * 9)

    event(900_000_000, None, 75, TAG_DOMAIN)
    for hs, he, _, _, _ in job.ranges:
        event(hs, he, 59, TAG)
    rows["TARGET_INFO_GPU"].append((0, 0, "NVIDIA H100 80GB HBM3", "0000:19:00.0", 1, 85_045_870_592, 3352320000000,
                                    1980000000, 132, 0, 9, 0))
    rows["TARGET_INFO_SESSION_START_TIME"].append((1700000000000000000, "2023-11-14T22:13:20", "2023-11-14T22:13:20"))
    rows["META_DATA_EXPORT"] += [("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"),
                                 ("EXPORT_PRODUCT_VERSION", "2024.6.2.225"), ("EXPORT_SCHEMA_VERSION", "3.16.1")]
    rows["META_DATA_EXPORT"] += [("EXPORT_SCHEMA_VERSION_" + k, v)
                                 for k, v in (("MAJOR", "3"), ("MINOR", "16"), ("MICRO", "1"))]
    rows["ENUM_CUDA_MEMCPY_OPER"] += [(1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
                                      (2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"),
                                      (8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device")]
    rows["StringIds"] = [(i, t) for t, i in ids.items()]
    return rows


def write_sqlite(job, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    part = path + ".part"
    if os.path.exists(part):
        os.remove(part)
    db = sqlite3.connect(part)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    for table, rows in rows_of(job).items():
        db.execute("CREATE TABLE %s (%s)" % (table, TABLES[table].replace(" end ", ' "end" ')))
        if rows:
            db.executemany("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(rows[0]))), rows)
    db.commit()
    db.close()
    os.replace(part, path)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--csv", metavar="DIR")
    p.add_argument("--sqlite", metavar="FILE")
    p.add_argument("--blocks", type=int, default=1, metavar="N")
    a = p.parse_args()
    if not (a.csv or a.sqlite):
        p.error("nothing to write: give --csv DIR or --sqlite FILE")
    job = Job(a.blocks)
    if a.csv:
        write_csv(job, a.csv)
    if a.sqlite:
        write_sqlite(job, a.sqlite)
    return 0


if __name__ == "__main__":
    sys.exit(main())
