#!/usr/bin/env python3
"""Write a trace with graph replays, the traces of their captures beside it, and what is true of it; made up, the same bytes
for the same seed.

    make_graph_captures.py FOLDER [--seed N] [--layout NAME] [--names full|none|nodes] [--order same|surplus|streams|mixed]
                           [--lost N] [--steps N] [--ranks N] [--other-thread]

Layouts: vllm (one trace, annotations capture_<batch>_<mode>), sglang (bs_<batch>_rank<n>.json.gz), atom (one file a batch),
xdit (one file and execution_details.json). FOLDER gets trace.json.gz, capture_traces/ and truth.json:
{"operators": {"name dims": [count, ns]}, "launches": n, "lost": n}. --lost: graph launches whose kernels are not recorded.
"""
import argparse
import collections
import gzip
import json
import os
import random

BF16 = "c10::BFloat16"
BATCHES = (8, 16, 32)


class Trace:
    def __init__(self, rank):
        self.events, self.rank = [], rank

    def span(self, cat, name, tid, ts, dur, args=None, pid=100):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args or {}})

    def write(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(gzip.compress(json.dumps({"distributedInfo": {"rank": self.rank, "world_size": 2}, "traceEvents": self.events}).encode(),
                                  mtime=0))


def program(rng, batch, part):
    """What one graph runs: (operator, dims, kernel, branch)."""
    out = []
    for layer in range(rng.randint(2, 4)):
        hidden = 64 * (layer + 1 + part)
        out.append(("aten::mm", [[batch, hidden], [hidden, 128]], "gemm_%d" % hidden, 0))
        out.append(("aten::silu", [[batch, 128]], "silu_kernel", layer % 2))
        if layer == 1:
            out.append(("aten::copy_", [[batch, 4], [batch, 4]], "Memcpy DtoD (Device -> Device)", 0))
    return out


def capture(t, at, code, names, surplus):
    """One capture: its calls launch nothing. An operator around each, in a module."""
    t.span("cuda_runtime", "hipStreamBeginCapture", 1, at, 1)
    t.span("python_function", "nn.Module: Block_0", 1, at + 2, 20 * len(code) + 40)
    ts = at + 5
    for i, (op, dims, kernel, _) in enumerate(code + surplus):
        t.span("cpu_op", op, 1, ts, 15, {"Input Dims": dims, "Input type": [BF16] * len(dims), "External id": i + 1})
        t.span("cpu_op", "aten::empty", 1, ts + 1, 2)
        copy = kernel.startswith("Memcpy")
        call = "hipMemcpyAsync" if copy else "hipModuleLaunchKernel" if names == "full" else "cudaLaunchKernel"
        t.span("cuda_runtime", call, 1, ts + 5, 5, {"kernel": kernel} if names == "full" and not copy else {})
        ts += 20
    t.span("cuda_runtime", "hipStreamEndCapture", 1, ts + 25, 1)
    return ts + 50


def write_captures(folder, layout, codes, a):
    """codes: (batch, mode) -> list of programs."""
    files = collections.OrderedDict()
    for (batch, mode), parts in codes.items():
        for rank in range(a.ranks):
            name = {"vllm": "graph_capture_rank_%d.17.pt.trace.json.gz" % rank, "sglang": "bs_%d_rank%d.json.gz" % (batch, rank),
                    "atom": "rank_%d/graph_bs_%d.json.gz" % (rank, batch), "xdit": "capture_%d_%s_r.json.gz" % (batch, mode)}[layout]
            if name in files and layout != "vllm":
                continue
            t, at = files.setdefault(name, [Trace(rank), 1000])
            start = at
            for code in parts:
                extra = [("aten::zeros", [[1]], "setup_kernel", 0)] if a.order == "surplus" else []
                # the captures of another rank have other shapes: they must not be taken
                mine = code if rank == 0 else [(op, [[1, 1]], k, b) for op, _, k, b in code]
                at = capture(t, at, mine, a.names, extra)
            if layout == "vllm":
                t.span("user_annotation", "capture_%d_%s" % (batch, mode), 1, start - 5, at - start + 5)
            files[name][1] = at + 100
    for name, (t, _) in files.items():
        t.write(os.path.join(folder, "capture_traces", name))
    if layout == "xdit":
        details = [{"file": "capture_%d_%s_r.json.gz" % k, "batch_size": k[0], "mode": k[1]} for k in codes]
        with open(os.path.join(folder, "capture_traces", "execution_details.json"), "w") as f:
            json.dump(details, f)


def replay(rng, t, at, code, corr, a, lost):
    t.span("cuda_runtime", "hipGraphLaunch", 1, at, 3, {"correlation": corr})
    if lost:
        return at + 200, []
    ran, device = [], at + 10
    order = list(range(len(code)))
    if a.names == "nodes" or a.order == "mixed":
        rng.shuffle(order)
    if a.order == "streams": # the branches one after the other
        order.sort(key=lambda i: code[i][3])
    for i in order:
        op, dims, kernel, branch = code[i]
        stream, dur = 7 + (branch if a.order == "streams" else 0), rng.randint(2000, 9000)
        args = {"device": 0, "stream": stream, "correlation": corr}
        if a.names == "nodes":
            args["graph node id"] = (5 << 32) + i + 1
        t.span("gpu_memcpy" if kernel.startswith("Memcpy") else "kernel", kernel, stream, device, dur / 1000, args, pid=0)
        ran.append((op, dims, dur))
        device += 10
    return device + 20, ran


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--layout", choices=("vllm", "sglang", "atom", "xdit"), default="vllm")
    ap.add_argument("--names", choices=("full", "none", "nodes"), default="full")
    ap.add_argument("--order", choices=("same", "surplus", "streams", "mixed"), default="same")
    ap.add_argument("--lost", type=int, default=0)
    ap.add_argument("--steps", type=int, default=6)
    ap.add_argument("--ranks", type=int, default=1)
    ap.add_argument("--other-thread", action="store_true", help="steps are annotated on a thread of their own")
    a = ap.parse_args()
    rng = random.Random(a.seed)
    modes = {"vllm": ("FULL", "PIECEWISE"), "xdit": ("FULL", "PIECEWISE")}.get(a.layout, ("FULL",))
    codes = collections.OrderedDict()
    for batch in BATCHES:
        for mode in modes:
            codes[batch, mode] = [program(rng, batch, p) for p in range(3 if mode == "PIECEWISE" else 1)]
    write_captures(a.folder, a.layout, codes, a)

    t, at, corr, launches, ran = Trace(0), 0, 1, 0, []
    steps = [(rng.choice((5, 8, 11, 16, 30, 32)), rng.choice(modes)) for _ in range(a.steps)]
    total = sum(3 if mode == "PIECEWISE" else 1 for _, mode in steps)
    lost = set(rng.sample(range(total), min(a.lost, total)))
    for size, mode in steps:
        batch = min(b for b in BATCHES if b >= size)
        label = {"vllm": "execute_%d_context_0(sq0)_generation_%d(sq1)", "xdit": "execute_context_0(0)_generation_%d(%d)",
                 "sglang": "step[DECODE bs=%d toks=%d]", "atom": "decode[bs=%d tok=%d]"}[a.layout] % (size, size)
        start = at
        for code in codes[batch, mode]:
            at, some = replay(rng, t, at + 5, code, corr, a, launches in lost)
            corr, launches = corr + 1, launches + 1
            ran += some
        t.span("user_annotation", label, 2 if a.other_thread else 1, start, at - start)
        at += 10
    t.write(os.path.join(a.folder, "trace.json.gz"))
    operators = {}
    for op, dims, ns in ran:
        x = operators.setdefault("%s %s" % (op, json.dumps(dims, separators=(",", ":"))), [0, 0])
        x[0], x[1] = x[0] + 1, x[1] + ns
    with open(os.path.join(a.folder, "truth.json"), "w") as f:
        json.dump({"operators": operators, "launches": launches, "lost": len(lost)}, f, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
