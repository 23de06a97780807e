#!/usr/bin/env python3
"""Made-up runs of several ranks with known faults, as PyTorch traces: claims about waiting are tested with them (ranks_claims_check.py).

A rank is a host, a compute stream and a communication stream. Its program of a step is a list of instructions; all ranks run theirs until
each needs a collective or a message that others have not reached, a fixed point. A collective ends at the last arrival plus its transfer.
The saving that a fault is worth is the difference to the same run without it. Times in us.
"""
import gzip
import json
import os
import random

NAMES = {"allreduce": "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL128(ncclDevKernelArgsStorage<4096ul>)",
         "allgather": "ncclDevKernel_AllGather_RING_SIMPLE(ncclDevKernelArgsStorage<4096ul>)",
         "alltoall": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
         "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}
BASE = 1_750_000_000_000_000


class Faults:
    """factor: rank -> of its kernels; more: rank -> further kernels; host: rank -> us before each step; link: ranks -> of its transfers;
    jitter: share of a step by which a random rank is late; stage: weights of a pipeline."""

    def __init__(self, factor=None, more=None, host=None, link=None, jitter=0.0, stage=None):
        self.factor, self.more, self.host, self.link = factor or {}, more or {}, host or {}, link or {}
        self.jitter, self.stage = jitter, stage


def plan(pattern, n, node, r, f, rng, p):
    """Instructions of a step: (kernel, name, us), (host, us), (coll, kind, members, elements, us), (send|recv, peer, tag, elements, us), (join,)."""
    def k(name, us, noise=p["noise"]):
        return ("kernel", name, us * f.factor.get(r, 1.0) * max(0.2, rng.gauss(1, noise)))

    def c(kind, members, elements, us):
        return ("coll", kind, members, elements, us * f.link.get(members, 1.0))
    everyone, us, x = tuple(range(n)), p["us"], p["transfer"]
    out = [("host", f.host[r])] if r in f.host else []
    if pattern == "buckets":  # data parallel with unequal buckets
        out += [k("sm80_gemm_bf16_embed", us)] + [k("sm80_gemm_bf16_block_%d" % (i % 3), us) for i in range(5)]
        for i in range(5):
            out += [k("sm80_gemm_bf16_grad_%d" % (i % 3), 1.7 * us), c("allreduce", everyone, (i + 1) << 20, x * (1 + i / 4))]
        out += [("join",), k("sm80_gemm_bf16_lamb", us / 3)]
    elif pattern == "tensor":  # groups in a node, blocking, and data parallel across at the end
        size = node
        low = r - r % size
        inner, outer = tuple(range(low, min(low + size, n))), tuple(range(r % size, n, size))
        for i in range(6):
            out += [k("sm80_gemm_bf16_qkv", us / 2), k("sm80_gemm_bf16_mlp", us), c("allreduce", inner, 3 << 20, x / 2), ("join",)]
        for i in range(3):
            out += [k("sm80_gemm_bf16_wgrad", us), c("allreduce", outer, 7 << 20, x)]
        out += [("join",), k("sm80_gemm_bf16_sgd", us / 4)]
    elif pattern == "experts":  # all-to-all in pairs of nodes, unequal expert load for everyone
        half = max(n // 2, 2)
        low = r - r % half
        group = tuple(range(low, min(low + half, n)))
        for i in range(4):
            out += [k("sm80_gemm_bf16_attn", us), c("alltoall", group, 2 << 20, x), ("join",), k("sm80_gemm_bf16_expert", us, p["noise"] * 4),
                    c("alltoall", group, 2 << 20, x), ("join",)]
        out += [k("sm80_gemm_bf16_wgrad", 2 * us), c("allreduce", everyone, 9 << 20, 2 * x), ("join",)]
    elif pattern == "gpipe":  # all forward, then all backward, one chain
        w = (f.stage or [1] * n)[r]
        for m in range(p["micro"]):
            if r:
                out += [("recv", r - 1, ("f", m), 1 << 20, x / 5), ("join",)]
            out += [k("sm80_gemm_bf16_fw", us * w)]
            if r < n - 1:
                out += [("send", r + 1, ("f", m), 1 << 20, x / 5)]
        for m in range(p["micro"]):
            if r < n - 1:
                out += [("recv", r + 1, ("b", m), 1 << 20, x / 5), ("join",)]
            out += [k("sm80_gemm_bf16_bw", 2 * us * w)]
            if r:
                out += [("send", r - 1, ("b", m), 1 << 20, x / 5)]
        out += [("join",), k("sm80_gemm_bf16_step", us / 2)]
    if r in f.more:
        at = [i for i, o in enumerate(out) if o[0] == "kernel"]
        for i in reversed(at[:f.more[r]]):
            out.insert(i, k(out[i][1], out[i][2]))
    return out


class Run:
    def __init__(self, pattern, n, steps, seed, faults=None, node=8, **p):
        self.pattern, self.n, self.node, self.steps, self.seed, self.f = pattern, n, node, steps, seed, faults or Faults()
        self.p = dict(dict(us=300.0, transfer=120.0, noise=0.01, micro=6), **p)
        self.events = [[] for _ in range(n)]  # (kind, name, launch, start, end, instruction)
        self.marks = [[] for _ in range(n)]
        self.work = [[] for _ in range(n)]  # of the host: (start, end)
        self.simulate()

    def simulate(self):
        n = self.n
        host, comp, comm, tail = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
        late = random.Random(self.seed * 7 + 1)
        noise = [random.Random(self.seed * 131 + r) for r in range(n)]  # the same with and without the fault
        for step in range(self.steps):
            programs = [plan(self.pattern, n, self.node, r, self.f, noise[r], self.p) for r in range(n)]
            if self.f.jitter:
                who = late.randrange(n)
                programs[who].insert(0, ("host", self.f.jitter * self.length(programs[who])))
            for r in range(n):
                host[r] = max(host[r], comp[r], comm[r]) + 15
                self.marks[r].append(host[r])
            at, waiting, seen = [0] * n, {}, [{} for _ in range(n)]
            ready = list(range(n))
            while ready:
                r = ready.pop()
                while at[r] < len(programs[r]):
                    o = programs[r][at[r]]
                    at[r] += 1
                    if o[0] == "host":
                        self.work[r].append((host[r], host[r] + o[1]))
                        host[r] += o[1]
                    elif o[0] == "join":
                        comp[r] = max(comp[r], tail[r])
                    elif o[0] == "kernel":
                        host[r] += 5
                        start = max(comp[r], host[r] + 3)
                        comp[r] = start + o[2]
                        self.events[r].append(("kernel", o[1], host[r], start, comp[r], o))
                    else:
                        host[r] += 7
                        start = max(comm[r], comp[r], host[r] + 3)
                        if o[0] == "coll":
                            number = seen[r].get(o[1:3], 0)
                            seen[r][o[1:3]] = number + 1
                            key, size = (o[1], o[2], number), len(o[2])
                        else:
                            key, size = (o[2], min(r, o[1]), max(r, o[1])), 2
                        there = waiting.setdefault(key, {})
                        there[r] = (start, host[r], o)
                        if len(there) < size:
                            break
                        end = max(s for s, _, _ in there.values()) + max(i[4] for _, _, i in there.values()) * noise[r].uniform(0.98, 1.04)
                        for q, (s, launched, i) in there.items():
                            e = end + noise[q].uniform(-0.5, 0.5)
                            self.events[q].append(("comm", i[1] if i[0] == "coll" else i[0], launched, s, e, i))
                            comm[q], tail[q] = e, e
                            if q != r:
                                ready.append(q)
                        del waiting[key]
        self.end = [max(h, a, b) for h, a, b in zip(host, comp, comm)]

    @staticmethod
    def length(program):
        return sum(o[2] for o in program if o[0] == "kernel")

    def step(self):
        return sum(e - m[0] for e, m in zip(self.end, self.marks)) / self.n / self.steps

    def write(self, folder, missing=(), range_name="augment_batch"):
        os.makedirs(folder, exist_ok=True)
        for r in range(self.n):
            if r not in missing:
                with gzip.open(os.path.join(folder, "trace_rank%d.json.gz" % r), "wt", compresslevel=1) as out:
                    json.dump(self.document(r, range_name), out)

    def document(self, r, range_name):
        events, device = [], r % self.node

        def x(cat, name, pid, tid, start, end, **args):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(BASE + start, 3), "dur": round(end - start, 3), "args": args})
        bounds = self.marks[r] + [self.end[r] + 1]
        for i in range(self.steps):
            x("user_annotation", "ProfilerStep#%d" % (i + 3), 50 + r, 1, bounds[i], bounds[i + 1] - 1)
        for a, b in self.work[r]:
            x("user_annotation", range_name, 50 + r, 1, a, b)
        for i, (what, name, launched, start, end, o) in enumerate(sorted(self.events[r], key=lambda e: e[2])):
            x("cpu_op", "aten::work" if what == "kernel" else "record_param_comms", 50 + r, 1, launched - 1, launched + 3, **{"External id": i + 1})
            x("cuda_runtime", "cudaLaunchKernel", 50 + r, 1, launched, launched + 2, correlation=i + 1, **{"External id": i + 1})
            args = {"device": device, "stream": 7 if what == "kernel" else 33, "correlation": i + 1, "External id": i + 1}
            if what == "comm":
                members = list(o[2]) if o[0] == "coll" else sorted((r, o[1]))
                args.update({"Collective name": name, "Group size": len(members), "dtype": "BFloat16", "In msg nelems": o[3], "Out msg nelems": o[3],
                             "In split size": "[]", "Out split size": "[]", "Process Group Ranks": str(members),
                             "Process Group Name": "pg_" + "_".join(map(str, members)), "Process Group Description": "mesh"})
                if o[0] in ("send", "recv"):
                    args["Dst Rank" if o[0] == "send" else "Src Rank"] = o[1]
            x("kernel", name if what == "kernel" else NAMES[name], device, args["stream"], start, end, **args)
        return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": r, "world_size": self.n}, "hostname": "box-%02d" % (r // self.node),
                "deviceProperties": [{"id": d, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85_000_000_000, "numSms": 108} for d in range(self.node)],
                "traceEvents": events}


def worth(pattern, n, steps, seed, faults, **p):
    """(the run with the faults, what they cost it in us)."""
    run, plain = Run(pattern, n, steps, seed, faults, **p), Run(pattern, n, steps, seed, None, **p)
    return run, (run.step() - plain.step()) * steps
