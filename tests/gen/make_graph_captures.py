#!/usr/bin/env python3
"""Write a trace with graph replays, the traces of their captures beside it, and what is true of it; made up, the same bytes
for the same seed.

    make_graph_captures.py FOLDER [--seed N] [--layout NAME] [--names full|none|nodes] [--order same|surplus|streams|mixed|later|cut]
                           [--lost N] [--steps N] [--ranks N] [--other-thread] [--experts] [--latent] [--foreign] [--speculator]
                           [--plain]

Layouts: vllm (one trace, annotations capture_<batch>_<mode>), sglang (bs_<batch>_rank<n>.json.gz), atom (one file a batch),
xdit (one file and execution_details.json). FOLDER gets trace.json.gz, capture_traces/ and truth.json:
{"operators": {"name dims": [count, ns]}, "launches": n, "lost": n}. --lost: graph launches whose kernels are not recorded.
--experts: a mixture of experts in each layer. --latent: attention on latent vectors (MLA). --foreign: the captures are of another model, with as many launches.
--speculator: vllm: captures of decoder and speculator in files of their own; a step launches both. --order later: the
first replay of each graph has the kernels in order, the others have not. --order cut: the first replay of each graph lacks its
last kernel. With --names none and --order surplus the captures have one launch more, which no name tells from the others: of a
replay only what is before its copy, and the copy, can be paired, and only that counts in truth.json. --plain: not compressed.
example/pytorch/decode is made with --layout sglang --experts --steps 3 --plain, without truth.json.
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

    def write(self, path, plain):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        about = {"distributedInfo": {"rank": self.rank, "world_size": 2}}
        if plain:
            with open(path[:-len(".gz")], "w") as f:
                f.write(json.dumps(about)[:-1] + ', "traceEvents": [\n' + ",\n".join(json.dumps(e) for e in self.events) + "\n]}\n")
            return
        with open(path, "wb") as f:
            f.write(gzip.compress(json.dumps({**about, "traceEvents": self.events}).encode(), mtime=0))


class Item:
    """A launch: its operator, kernel, branch of the graph; the operator around it; the operator that it counts for."""

    def __init__(self, op, dims, kernel, branch=0, around=None, counts=None):
        self.op, self.dims, self.kernel, self.branch, self.around, self.counts = op, dims, kernel, branch, around, counts or (op, dims)


def experts(batch, hidden):
    """vllm::moe_forward: a router below it, and the products that it launches itself."""
    dims = [[batch, hidden], [batch, 8], [], []]
    around = ("vllm::moe_forward", dims)
    pseudo = "pseudo_op::moe_triton_unfused_"
    return [Item("TopK", [[batch, 8], [], []], "_topk_forward", 0, around),
            Item(None, dims, "_matmul_ogs_bf16xmxfp4_swiglu", 0, around, (pseudo + "up", dims)),
            Item(None, dims, "_matmul_ogs_bf16xmxfp4", 0, around, (pseudo + "down", dims))]


def fused_experts(batch, hidden):
    """aiter::fused_moe_: two products of FlyDSL."""
    dims = [[batch, hidden], [8, 2 * hidden, hidden], [8, hidden, hidden], [batch, 2]]
    around = ("aiter::fused_moe_", dims)
    return [Item(None, dims, "flydsl_moe%d_bf16_kernel" % i, 0, around, ("pseudo_op::moe_flydsl_stage%d" % i, dims)) for i in (1, 2)]


def latent_attention(batch):
    """aiter::mla_decode_fwd: a stage that is an operator, and the kernel that adds up its parts."""
    dims = [[batch, 16, 576], [4096, 1, 1, 576], [batch + 1], [batch + 1]]
    around = ("aiter::mla_decode_fwd", dims)
    return [Item("aiter::mla_decode_stage1_asm_fwd", dims, "mla_dec_stage1_bf16_a16w16", 0, around, ("pseudo_mla_decode_fwd", dims)),
            Item("reduce_stage2", [[batch, 16, 512]], "_fwd_kernel_stage2_asm", 0, around)]


def program(rng, batch, part, a):
    """What one graph runs."""
    out = []
    for layer in range(rng.randint(2, 4)):
        hidden = 64 * (layer + 1 + part)
        out.append(Item("aten::mm", [[batch, hidden], [hidden, 128]], "gemm_%d" % hidden))
        out.append(Item("aten::silu", [[batch, 128]], "silu_kernel", layer % 2))
        if layer == 1:
            out.append(Item("aten::copy_", [[batch, 4], [batch, 4]], "Memcpy DtoD (Device -> Device)"))
        if a.latent:
            out += latent_attention(batch)
        if a.experts:
            out += fused_experts(batch, hidden) if layer == 1 else experts(batch, hidden)
    return out


def foreign(code):
    """Another model with as many launches: its norms are where this one has products, and the other way round."""
    other = {"gemm": ("aten::native_layer_norm", "layer_norm_kernel"), "silu": ("aten::mm", "gemm_other")}
    out = []
    for item in code:
        op, kernel = other.get(item.kernel[:4], (item.op, item.kernel))
        out.append(Item(op, item.dims, kernel, item.branch, item.around))
    return out


def capture(t, at, code, names, surplus):
    """One capture: its calls launch nothing. An operator around each, in a module."""
    t.span("cuda_runtime", "hipStreamBeginCapture", 1, at, 1)
    t.span("python_function", "nn.Module: Block_0", 1, at + 2, 20 * len(code) + 40)
    ts, around = at + 5, None
    for i, item in enumerate(code + surplus):
        if item.around and item.around is not around:
            inside = sum(1 for x in code if x.around is item.around)
            t.span("cpu_op", item.around[0], 1, ts - 1, 20 * inside,
                   {"Input Dims": item.around[1], "Input type": [BF16 if d else "" for d in item.around[1]], "Concrete Inputs": ["", "", "", ""]})
        around = item.around
        if item.op:
            t.span("cpu_op", item.op, 1, ts, 15, {"Input Dims": item.dims, "Input type": [BF16] * len(item.dims), "External id": i + 1,
                                                  "Concrete Inputs": ["", "2", "True"] if item.op == "TopK" else [""] * len(item.dims)})
            t.span("cpu_op", "aten::empty", 1, ts + 1, 2)
        copy = item.kernel.startswith("Memcpy")
        call = "hipMemcpyAsync" if copy else "hipModuleLaunchKernel" if names == "full" else "cudaLaunchKernel"
        t.span("cuda_runtime", call, 1, ts + 5, 5, {"kernel": item.kernel} if names == "full" and not copy else {})
        ts += 20
    t.span("cuda_runtime", "hipStreamEndCapture", 1, ts + 25, 1)
    return ts + 50


def write_captures(folder, layout, codes, a):
    """codes: (batch, mode) -> list of programs."""
    files = collections.OrderedDict()
    whole = [(batch, mode, parts, "") for (batch, mode), parts in codes.items()]
    if a.speculator:
        whole = [(batch, mode, [part], "decoder_" if i == 0 else "speculator_") for batch, mode, parts, _ in whole for i, part in enumerate(parts)]
    for batch, mode, parts, component in whole:
        for rank in range(a.ranks):
            name = {"vllm": "graph_capture_%srank_%d.17.pt.trace.json.gz" % (component, rank), "sglang": "bs_%d_rank%d.json.gz" % (batch, rank),
                    "atom": "rank_%d/graph_bs_%d.json.gz" % (rank, batch), "xdit": "capture_%d_%s_r.json.gz" % (batch, mode)}[layout]
            if name in files and layout != "vllm":
                continue
            t, at = files.setdefault(name, [Trace(rank), 1000])
            start = at
            for code in parts:
                extra = [Item("aten::zeros", [[1]], "setup_kernel")] if a.order == "surplus" else []
                # the captures of another rank have other shapes: they must not be taken
                mine = foreign(code) if a.foreign else code
                if rank:
                    mine = [Item(x.op, [[1, 1]], x.kernel, x.branch, x.around) for x in mine]
                at = capture(t, at, mine, a.names, extra)
            if layout == "vllm":
                t.span("user_annotation", "capture_%d_%s" % (batch, mode), 1, start - 5, at - start + 5)
            files[name][1] = at + 100
    for name, (t, _) in files.items():
        t.write(os.path.join(folder, "capture_traces", name), a.plain)
    if layout == "xdit":
        details = [{"file": "capture_%d_%s_r.json.gz" % k, "batch_size": k[0], "mode": k[1]} for k in codes]
        with open(os.path.join(folder, "capture_traces", "execution_details.json"), "w") as f:
            json.dump(details, f)


def replay(rng, t, at, code, corr, a, lost, again):
    t.span("cuda_runtime", "hipGraphLaunch", 1, at, 3, {"correlation": corr})
    if lost:
        return at + 200, []
    ran, device = [], at + 10
    order = list(range(len(code)))
    if a.names == "nodes" or a.order == "mixed" or (a.order == "later" and again):
        rng.shuffle(order)
    if a.order == "streams": # the branches one after the other
        order.sort(key=lambda i: code[i].branch)
    for i in order:
        item = code[i]
        stream, dur = 7 + (item.branch if a.order == "streams" else 0), rng.randint(2000, 9000)
        if a.order == "cut" and not again and i == len(code) - 1:
            continue
        args = {"device": 0, "stream": stream, "correlation": corr}
        if a.names == "nodes":
            args["graph node id"] = (5 << 32) + i + 1
        t.span("gpu_memcpy" if item.kernel.startswith("Memcpy") else "kernel", item.kernel, stream, device, dur / 1000, args, pid=0)
        known = a.names == "full" or a.order != "surplus" or i <= max(k for k, x in enumerate(code) if x.kernel.startswith("Memcpy"))
        if known:
            ran.append((item.counts[0], item.counts[1], dur))
        device += 10
    return device + 20, ran


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--layout", choices=("vllm", "sglang", "atom", "xdit"), default="vllm")
    ap.add_argument("--names", choices=("full", "none", "nodes"), default="full")
    ap.add_argument("--order", choices=("same", "surplus", "streams", "mixed", "later", "cut"), default="same")
    ap.add_argument("--lost", type=int, default=0)
    ap.add_argument("--steps", type=int, default=6)
    ap.add_argument("--ranks", type=int, default=1)
    ap.add_argument("--other-thread", action="store_true", help="steps are annotated on a thread of their own")
    ap.add_argument("--experts", action="store_true")
    ap.add_argument("--latent", action="store_true")
    ap.add_argument("--foreign", action="store_true")
    ap.add_argument("--speculator", action="store_true")
    ap.add_argument("--plain", action="store_true")
    a = ap.parse_args()
    rng = random.Random(a.seed)
    modes = ("FULL", "PIECEWISE") if a.layout in ("vllm", "xdit") and not a.speculator else ("FULL",)
    codes = collections.OrderedDict()
    for batch in BATCHES:
        for mode in modes:
            codes[batch, mode] = [program(rng, batch, p, a) for p in range(3 if mode == "PIECEWISE" else 2 if a.speculator else 1)]
    write_captures(a.folder, a.layout, codes, a)

    t, at, corr, launches, ran = Trace(0), 0, 1, 0, []
    steps = [(rng.choice((5, 8, 11, 16, 30, 32)), rng.choice(modes)) for _ in range(a.steps)]
    replayed = set()
    total = sum(len(codes[BATCHES[0], mode]) for _, mode in steps)
    lost = set(rng.sample(range(total), min(a.lost, total)))
    for size, mode in steps:
        batch = min(b for b in BATCHES if b >= size)
        label = {"vllm": "execute_%d_context_0(sq0sk0)_generation_%d(sq@sk99)".replace("@", str(size)), "xdit": "execute_context_0(0)_generation_%d(%d)",
                 "sglang": "step[DECODE bs=%d toks=%d]", "atom": "decode[bs=%d tok=%d]"}[a.layout] % (size, size)
        if a.layout == "vllm" and mode == "PIECEWISE": # as many tokens, of two requests
            label = "execute_2_context_1(sq%dsk%d)_generation_1(sq1sk99)" % (size - 1, size - 1)
        start = at
        for code in codes[batch, mode]:
            at, some = replay(rng, t, at + 5, code, corr, a, launches in lost, id(code) in replayed)
            replayed.add(id(code))
            corr, launches = corr + 1, launches + 1
            ran += some
        t.span("user_annotation", label, 2 if a.other_thread else 1, start, at - start)
        at += 10
    t.write(os.path.join(a.folder, "trace.json.gz"), a.plain)
    operators = {}
    for op, dims, ns in ran:
        x = operators.setdefault("%s %s" % (op, json.dumps(dims, separators=(",", ":"))), [0, 0])
        x[0], x[1] = x[0] + 1, x[1] + ns
    with open(os.path.join(a.folder, "truth.json"), "w") as f:
        json.dump({"operators": operators, "launches": launches, "lost": len(lost)}, f, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
