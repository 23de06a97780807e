#!/usr/bin/env python3
"""Writes traces of other backends of the PyTorch profiler, and what any correct analyzer makes of them, by brute force.

    make_backends.py xpu|cuspy FILE [--steps N] [--seed S] [--shuffle] [--pad BYTES]
        FILE and FILE.expected.json

xpu: calls in xpu_runtime and xpu_driver, kernels without a stream (queues of SYCL or of Level Zero).
cuspy: the CUPTI monitor: kinds of copies in arguments, logical lanes, graphs with node ids and dependencies (arrows of ids
from 2^40 on), annotations as text, list or keys, nodes of events and of the host, counters.
--shuffle: members of objects and events in any order; --pad: so many bytes of further events that mean nothing.
The forms are those of docs/formats-pytorch.md 1.6 and 1.7. Standard library only, deterministic."""
import argparse
import bisect
import gzip
import json
import random

DEPENDENCY = 1 << 40


def mean(samples, windows):
    """Mean by time of (time, value); each holds to the next one, the last for no time."""
    area = ticks = 0
    times = [at for at, _ in samples]
    for lo, hi in windows:
        first, last = max(bisect.bisect_right(times, lo) - 1, 0), bisect.bisect_left(times, hi) + 1
        for (at, value), (until, _) in zip(samples[first:last], samples[first + 1:last + 1]):
            span = min(until, hi) - max(at, lo)
            if span > 0:
                area += value * span
                ticks += span
    return area / ticks if ticks else None


class Trace:
    def __init__(self, seed):
        self.rng, self.events, self.corr, self.ext = random.Random(seed), [], 100, 1
        self.kernels, self.expected = {}, {}

    def span(self, cat, name, pid, tid, start, end, **args):
        """Times in ns; the file has us."""
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": (end - start) / 1000,
                            "args": args})

    def op(self, name, start, end):
        self.ext += 1
        self.span("cpu_op", name, 10, 10, start, end, **{"External id": self.ext, "Input Dims": [[64, 32], [32, 16]],
                                                         "Input type": ["float", "float"]})

    def arrow(self, ident, at, to):
        for ph, (pid, tid, ts), more in (("s", at, {}), ("f", to, {"bp": "e"})):
            self.events.append({"ph": ph, "id": ident, "pid": pid, "tid": tid, "ts": ts / 1000, "cat": "ac2g", "name": "ac2g", **more})


def xpu(t, steps):
    at, total = 1000, 0
    for s in range(steps):
        begin = at
        for k in range(12):
            t.corr += 1
            copy = k % 6 == 5
            name = "urEnqueueUSMMemcpy" if copy else "urEnqueueKernelLaunch"
            t.op("aten::copy_" if copy else f"aten::mm{k % 3}", at, at + 9000)
            t.span("xpu_runtime", name, 10, 10, at + 1000, at + 4000, correlation=t.corr)
            t.span("xpu_driver", "zeCommandListAppendLaunchKernel", 10, 10, at + 1500, at + 2500, correlation=t.corr)
            length = t.rng.randrange(2000, 9000)
            queue = {"sycl queue": k % 2} if k % 4 < 3 else {"l0 queue": hex(0x5555 + k % 2)}
            args = dict(device=0, correlation=t.corr, context="0x7f00", sycl_node_id=k, sycl_invocation_id=k, appended=1, submitted=2,
                        kernel_id=k, **queue)
            if copy:
                t.span("gpu_memcpy", "Memcpy M2D", 0, 77, at + 5000, at + 5000 + length, bytes=4096, **args)
            else:
                t.span("kernel", f"gemm_kernel_{k % 3}", 0, 77, at + 5000, at + 5000 + length, **args)
            total += length
            at += 16000
        t.span("user_annotation", f"ProfilerStep#{s}", 10, 10, begin - 500, at - 200)
        t.span("xpu_sync", "Queue Sync", 0, 77, at - 400, at - 300, correlation=t.corr + 500000)
        t.span("xpu_scope_profiler", "scope", 0, 77, at - 400, at - 300)
    t.expected = {"device_ns": total, "linked_percent": 100, "dropped": {"xpu_scope_profiler": steps}}


class Cuspy:
    """Graph of a replay: four nodes, of which the last two wait for the first: 0 -> 1 -> 3, 0 -> 2 -> 3 (lanes 42 and 43)."""
    ANNOTATIONS = [{"annotation": "layers.0.attn"}, {"annotation": json.dumps(["layers.0", "mlp"])},
                   {"module": "layers.1.moe", "process_group": "tp"}, {}]

    def __init__(self, t):
        self.t, self.next, self.path, self.modules = t, DEPENDENCY, [], {}

    def device(self, cat, name, lane, start, end, corr, **more):
        base = dict(device=0, context=1, stream=lane, correlation=corr)
        if cat == "kernel":
            base.update({"grid": [1, 1, 1], "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0, "priority": 0,
                         "queued": 0, "channel": 1, "channel_type": 1})
            self.t.kernels.setdefault(name, []).append((start, end))
        self.t.span(cat, name, 0, lane, start, end, **base, **more)

    def launch(self, at, name, call):
        self.t.corr += 1
        self.t.op(name, at, at + 8000)
        self.t.span("cuda_runtime", call, 10, 10, at + 1000, at + 4000, cbid=211, correlation=self.t.corr)
        return self.t.corr

    def replay(self, at):
        t = self.t
        corr = self.launch(at, "graph_replay", "cudaGraphLaunch")
        begin, ends, nodes = at + 6000, [], []
        lengths = [t.rng.randrange(5000, 20000) for _ in range(4)]
        waits = [[], [0], [0], [1, 2]]
        through = len(self.path) % 2 == 1  # 0 -> 2 goes through a node that records an event
        for k in range(4):
            start = max([ends[w] for w in waits[k]], default=begin) + 400
            ends.append(start + lengths[k])
            lane = 43 if k == 2 else 42
            nodes.append((0, lane, start, ends[-1]))
            self.device("kernel", f"node_{k}", lane, start, ends[-1], corr, original_stream=7,
                        **{"graph id": 5, "graph node id": k + 1}, **self.ANNOTATIONS[k])
        t.arrow(corr, (10, 10, at + 1000), nodes[0][:3])
        for k in range(4):
            for w in waits[k]:
                before = nodes[w]
                if through and (w, k) == (0, 2):
                    before = (0, 43, ends[0] + 100, ends[0] + 100)
                    self.device("graph_event_node", "EventRecord", 43, before[2], before[3], corr, **{"graph id": 5, "graph node id": 8})
                    t.arrow(self.next, (0, nodes[0][1], nodes[0][3]), before[:3])
                    self.next += 1
                t.arrow(self.next, (0, before[1], before[3]), nodes[k][:3])
                self.next += 1
        for k, module in enumerate(["layers.0.attn", "layers.0/mlp", "layers.1.moe"]):
            x = self.modules.setdefault(module, [0, 0])
            x[0], x[1] = x[0] + 1, x[1] + lengths[k]
        slow = 1 if ends[1] >= ends[2] else 2
        self.path.append([["node_0", lengths[0]], [f"node_{slow}", lengths[slow]], ["node_3", lengths[3]]])
        self.device("graph_event_node", "EventRecord", 42, ends[3], ends[3], corr, **{"graph id": 5, "graph node id": 9, "cuda event": 3})
        self.device("graph_host_node", "HostNode: cb", 42, ends[3] + 10, ends[3] + 900, 0, **{"graph id": 5, "graph node id": 10,
                                                                                         "host fn": "cb"})
        return ends[3] + 2000


def cuspy(t, steps):
    c, at, copies = Cuspy(t), 1000, {}
    for s in range(steps):
        begin = at
        for k in range(3):
            corr = c.launch(at, f"aten::mm{k}", "cudaLaunchKernel")
            c.device("kernel", f"gemm_{k}", 7, at + 5000, at + 9000 + t.rng.randrange(4000), corr)
            at += 15000
        kind, source, target = [("HtoD", "pageable", "device"), ("DtoH", "device", "pinned"), ("PtoP", "device", "device")][s % 3]
        corr = c.launch(at, "aten::copy_", "cudaMemcpyAsync")
        c.device("gpu_memcpy", "Memcpy", 7, at + 5000, at + 8000, corr, bytes=1 << 20, flags=0,
                 **{"copy kind": kind, "src kind": source, "dst kind": target})
        shown = f"Memcpy {kind} ({source.capitalize()} -> {target.capitalize()})"
        copies[shown] = copies.get(shown, 0) + 1
        at = c.replay(at + 12000)
        t.span("user_annotation", f"ProfilerStep#{s}", 10, 10, begin - 500, at - 600)
    t.expected = {"copies": copies, "graph_paths": c.path, "modules": c.modules, "counters": counters(t, at)}
    for x in t.expected["counters"].values():
        x["kernels"] = {k: mean(x["list"], w) for k, w in t.kernels.items()}
        del x["list"]


def counters(t, end):
    out = {}
    for name, cat, pid, low, high in (("Power (W)", None, "GPU 0 Counters", 90, 700), ("SM Active (%)", None, "GPU 0 Counters", 0, 100),
                                      ("sm__cycles_active.avg", "hardware_counters", 0, 0, 1000)):
        samples, at = [], 0
        while at < end:
            samples.append((at, t.rng.randrange(low * 8, high * 8) / 8))
            event = {"ph": "C", "name": name, "pid": pid, "ts": at / 1000, "args": {"": samples[-1][1]}}
            if cat:
                event.update(cat=cat, tid=0)
            t.events.append(event)
            at += t.rng.choice([7000, 8000, 9000])
        values = [v for _, v in samples]
        out[name] = {"samples": len(samples), "mean": mean(samples, [(-1 << 60, 1 << 60)]), "min": min(values), "max": max(values),
                     "list": samples}
    return out


def mixed(rng, x):
    """The same value with the members of its objects in another order."""
    if isinstance(x, dict):
        items = [(k, mixed(rng, v)) for k, v in x.items()]
        rng.shuffle(items)
        return dict(items)
    return [mixed(rng, v) for v in x] if isinstance(x, list) and x and isinstance(x[0], dict) else x


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["xpu", "cuspy"])
    p.add_argument("file")
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--shuffle", action="store_true")
    p.add_argument("--rank", type=int, default=0)
    p.add_argument("--pad", type=int, default=0)
    a = p.parse_args()
    t = Trace(a.seed)
    {"xpu": xpu, "cuspy": cuspy}[a.what](t, a.steps)
    filler = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]" + "x" * 400, "pid": 10, "tid": 10, "ts": 1.0, "s": "t", "args": {}}
    t.events += [filler] * (a.pad // 500)
    head = {"schemaVersion": 1, "distributedInfo": {"rank": a.rank, "world_size": 2}, "deviceProperties": [{"id": 0, "name": "made", "totalGlobalMem": 1 << 36}], "traceEvents": t.events}
    if a.shuffle:
        t.rng.shuffle(t.events)
        head = {"deviceProperties": head["deviceProperties"], "distributedInfo": head["distributedInfo"], "traceEvents": [mixed(t.rng, e) for e in t.events], "schemaVersion": 1}
    with (gzip.open(a.file, "wt", 1) if a.file.endswith(".gz") else open(a.file, "w", encoding="utf-8")) as f:
        json.dump(head, f)
    with open(a.file + ".expected.json", "w", encoding="utf-8") as f:
        json.dump(t.expected, f, indent=1)


if __name__ == "__main__":
    main()
