#!/usr/bin/env python3
"""Traces of PyTorch with a known cause of lost time, and healthy ones: a host that launches and a device that works off
its queue are simulated; what a cause costs is counted while they run.

    make_causes.py CAUSE SEED FILE     prints the truth as JSON
    import make_causes                 make(cause, seed) -> (trace, truth)

truth: {"rule": name, "recoverable": ns, "cause": text in `idle_causes` or None}; several for two causes at once.
"""
import json
import random
import statistics
import statistics
import sys

DEVICES = [("NVIDIA H100 80GB HBM3", 989.4e12, 3350e9, 132, 85000000000), ("AMD Instinct MI300X", 1307.4e12, 5300e9, 304, 206141652992)]
NAME, PEAK, BANDWIDTH, UNITS, MEMORY = DEVICES[0]  # bf16 FLOP/s, bytes/s, as in configs/devices.csv, bytes; by the seed
# What AMD's runtime calls the same. Its products are not named by alignment.
HIP = [("cudaMemcpyAsync", "hipMemcpyWithStream"), ("cudaLaunchKernel", "hipLaunchKernel"), ("cuModuleLoadData", "hipModuleLoadData"),
       ("cuda", "hip"), ("Pageable", "Host"), ("Pinned", "Host"),
       ("sm90_xmma_gemm_bf16bf16_bf16f32_tn_tilesize128x128x64", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1"),
       ("sm90_xmma_gemm_bf16bf16_bf16f32_nn", "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32_MI16x16x1"),
       ("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_tn_align1", "Cijk_Alik_Bljk_BBS_BH_MT64x64x32_MI16x16x1"),
       ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)")]
GEMM_AT, MEMORY_AT = 0.84, 0.86     # of the peaks that healthy kernels reach
LAUNCH, OP = 4.0, 6.0               # us: of a call that launches, of an operator around it


class Trace:
    """One host thread, streams of one device. Times in us."""

    def __init__(self, rng, device=0, ids=1, pid=100):
        self.rng, self.device, self.pid, self.events, self.id = rng, device, pid, [], ids
        self.now, self.free, self.origin, self.kernels = 1000.0, {}, 1000.0, []
        self.scale = 1.0
        self.gaps = {}  # what a cause costs, by name
        self.pending = None
        self.end = self.last_step = 0.0  # of all device work, and at the end of the last step
        self.sync = rng.choice(["cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"])

    def event(self, cat, name, ts, dur, tid, args, pid=None):
        if NAME.startswith("AMD"):
            for nvidia, amd in HIP:
                name = name.replace(nvidia, amd)
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": self.pid if pid is None else pid, "tid": tid,
                            "ts": round(ts, 3), "dur": round(dur, 3), "args": args})

    def host(self, name, dur, cat="cpu_op"):
        self.event(cat, name, self.now, dur, 1, {"External id": self.new()} if cat == "cpu_op" else {})
        self.now += dur

    def new(self):
        self.id += 1
        return self.id

    def call(self, name, dur):
        self.event("cuda_runtime", name, self.now, dur, 1, {"correlation": self.new()})
        self.now += dur

    def blame(self, cause):
        """The next gap of the device is that of a cause."""
        self.pending = cause

    def launch(self, op, kernel, dur, dims=None, types=None, stream=7, after=(), call="cudaLaunchKernel", cat="kernel", more=None,
               op_time=OP, wait=False):
        """An operator that launches; returns when its work ends. after: times it waits for on the device."""
        begin, ext, corr = self.now, self.new(), self.new()
        args = {"External id": ext}
        if dims is not None:
            args.update({"Input Dims": dims, "Input type": types, "Input Strides": [], "Concrete Inputs": []})
        at = begin + op_time / 2 - LAUNCH / 2
        dur = dur * (self.scale if cat == "kernel" else 1.0)
        start = max([at + LAUNCH * 0.8, self.free.get(stream, 0.0) + 0.9] + [t + 0.9 for t in after])
        busy = max(self.free.values(), default=start)
        if self.pending and start > busy:
            self.gaps[self.pending] = self.gaps.get(self.pending, 0.0) + round(start, 3) - round(busy, 3)
        self.pending = None
        end = start + dur
        length = end - at if wait else LAUNCH
        self.event("cpu_op", op, begin, op_time - LAUNCH + length, 1, args)
        self.event("cuda_runtime", call, at, length, 1, {"correlation": corr, "External id": ext})
        info = {"correlation": corr, "External id": ext, "device": self.device, "stream": stream}
        info.update(more or {})
        self.event(cat, kernel, start, dur, stream, info, pid=self.device)
        self.free[stream] = end
        self.end = max(self.end, end)
        self.now = begin + op_time - LAUNCH + length
        self.kernels.append((start, dur, kernel))
        return end

    def step(self, number, begin):
        """The host stays at most a step ahead of the device."""
        self.now = max(self.now, self.last_step)
        self.last_step = self.end
        self.event("user_annotation", "ProfilerStep#%d" % number, begin, self.now - begin, 1, {})

    # ---- work at healthy rates ----
    def noise(self):
        return self.rng.uniform(0.985, 1.015)

    def gemm(self, m, n, k, rate=1.0, kernel="sm90_xmma_gemm_bf16bf16_bf16f32_tn_tilesize128x128x64", after=()):
        dur = 2.0 * m * n * k / (PEAK * GEMM_AT * rate) * 1e6 * self.noise()
        return self.launch("aten::mm", kernel, dur, [[m, k], [k, n]], ["c10::BFloat16", "c10::BFloat16"], after=after)

    def elementwise(self, op, elements, tensors=2, kernel="vectorized_elementwise_kernel"):
        dur = tensors * elements * 2 / (BANDWIDTH * MEMORY_AT) * 1e6 * self.noise()
        name = "void at::native::%s<4, at::native::%s_functor<c10::BFloat16>>(int)" % (kernel, op.split("::")[1])
        return self.launch(op, name, dur, [[4096, elements // 4096]] * (tensors - 1), ["c10::BFloat16"] * (tensors - 1))

    def allreduce(self, dur, after=(), stream=20):
        return self.launch("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", dur,
                           stream=stream, after=after,
                           more={"Collective name": "allreduce", "In msg nelems": 1 << 24, "Out msg nelems": 1 << 24, "Group size": 8,
                                 "dtype": "BFloat16", "Process Group Name": "0"})

    def save(self, rank=0, world=1):
        return {"schemaVersion": 1,
                "deviceProperties": [{"id": self.device, "name": NAME, "totalGlobalMem": MEMORY, "numSms": UNITS}],
                "distributedInfo": {"rank": rank, "world_size": world, "backend": "nccl"},
                "traceEvents": self.events}


def healthy_layer(t, size, comm):
    """Products and element-wise work at the rates that the device reaches, communication under it."""
    before = t.gemm(size, size, size)
    if comm:
        t.allreduce(t.rng.uniform(40, 80), after=[before])
    t.elementwise("aten::gelu", size * size)
    t.gemm(size, 2 * size, size)
    t.gemm(size, size, 2 * size)
    t.elementwise("aten::silu", size * size)


def run(t, steps, layers, size, inject, comm=True, before=None):
    """inject(t, step, layer) after each layer; before(t, step) at the start of a step."""
    for s in range(steps):
        begin = t.now
        if before:
            before(t, s)
        for layer in range(layers):
            healthy_layer(t, size, comm)
            inject(t, s, layer)
        t.step(s, begin)


def nothing(t, step, layer):
    pass


# ---- causes ----
IDLE = {"loading": "data_loading", "allocating": "allocation", "compiling": "module_loading", "saving": "checkpoint", "other": "host_compute",
        "copying": "blocking_copy",
        "sync": "host_compute"}  # a wait ends as the gap begins, but the host does not launch immediately afterwards


def stall(t, cause, dur):
    """The queue runs empty while the host does something else for `dur`."""
    drained = max(t.free.values()) - t.now
    if cause == "sync":
        t.call(t.sync, max(drained, 0) + 5.0)
        for _ in range(int(dur / 40)):
            t.host("aten::item", 35.0)
            t.now += 5.0
    else:
        t.now += 2.0
        length = max(drained, 0) + dur
        if cause == "loading":
            t.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", length)
        elif cause == "allocating":
            t.call("cudaMalloc", length)
        elif cause == "compiling":
            t.call("cuModuleLoadData", length)
        elif cause == "saving":
            t.host("save_checkpoint", length, "user_annotation")
        elif cause == "copying":
            t.blame(cause)
            t.now += 1.0
            corr, ext = t.new(), t.new()
            start = t.now + length
            t.gaps[cause] = t.gaps.get(cause, 0.0) + start - max(t.free.values())
            t.event("cpu_op", "aten::copy_", t.now, length + 40, 1, {"External id": ext})
            t.event("cuda_runtime", "cudaMemcpyAsync", t.now + 1, length + 35, 1, {"correlation": corr, "External id": ext})
            t.event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", start, 12.0, 7,
                    {"correlation": corr, "External id": ext, "device": t.device, "stream": 7, "bytes": 600000}, pid=t.device)
            t.free[7] = start + 12.0
            t.now = t.now + length + 41
            t.pending = None
            return
        else:
            t.now += length
    t.blame(cause)


def one(cause, rng, size_of=1.0):
    """(kwargs of run, function that says the truth from the finished trace)."""
    if cause in IDLE:
        each = rng.uniform(2500, 6000) * size_of
        rule = ("idle",)
        return (lambda t, s, l: stall(t, cause, each) if l == 1 else None,
                lambda t: {"rule": rule, "recoverable": t.gaps[cause] * 1e3, "cause": IDLE[cause]})
    if cause == "exposed_communication":
        dur = rng.uniform(1500, 4000) * size_of

        def comm(t, s, l):
            if l == 1:
                end = t.allreduce(dur, after=[t.free[7], t.free.get(20, 0)])
                t.gaps["comm"] = t.gaps.get("comm", 0) + dur
                t.free[7] = end  # what follows waits for it
        return comm, lambda t: {"rule": ("exposed_communication",), "recoverable": t.gaps["comm"] * 1e3, "cause": None}
    if cause == "exposed_copy":
        dur = rng.uniform(1500, 4000) * size_of

        def copy(t, s, l):
            if l == 1:
                t.launch("aten::copy_", "Memcpy HtoD (Pinned -> Device)", dur, cat="gpu_memcpy", call="cudaMemcpyAsync",
                         more={"bytes": int(dur * 25e3)}, after=[t.free.get(20, 0)])
                t.gaps["copy"] = t.gaps.get("copy", 0) + dur
        return copy, lambda t: {"rule": ("exposed_copy",), "recoverable": t.gaps["copy"] * 1e3, "cause": None}
    if cause == "misaligned_shape":
        odd, slow, n = rng.choice([4095, 5185, 4097]), rng.uniform(0.25, 0.5), max(1, round(rng.randint(2, 3) * size_of))

        def odd_gemm(t, s, l):
            for _ in range(n if l < 2 else 0):
                before = len(t.kernels)
                t.gemm(4096, odd, 4096, slow, "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_tn_align1")
                t.gaps["odd"] = t.gaps.get("odd", 0) + t.kernels[before][1] - 2.0 * 4096 * odd * 4096 / (PEAK * GEMM_AT) * 1e6
        return odd_gemm, lambda t: {"rule": ("misaligned_shape",), "recoverable": t.gaps["odd"] * 1e3, "cause": None}
    if cause == "fusible_chain":
        n, elements = rng.randint(4, 6), int(4096 * 4096 * 8 * size_of) // 4096 * 4096

        def chain(t, s, l):
            if l != 1:
                return
            at = len(t.kernels)
            t.gemm(256, 256, 4096)
            for i in range(n):
                t.elementwise(("aten::mul", "aten::add", "aten::sigmoid")[i % 3], elements, 2)
            mine = [k[1] for k in t.kernels[at + 1:]]
            t.gaps["chain"] = t.gaps.get("chain", 0) + min(2 * (n - 1) * elements * 2 / (BANDWIDTH * 0.8) * 1e6, sum(mine) - max(mine))
        return chain, lambda t: {"rule": ("fusible_chain",), "recoverable": t.gaps["chain"] * 1e3, "cause": None}
    if cause == "unfused_attention":
        dur = rng.uniform(600, 1500) * size_of

        def attention(t, s, l):
            if l != 1:
                return
            dims = [[64, 2048, 128], [64, 128, 2048]]
            b = 2.0 * 64 * 2048 * 2048 * 128 / (PEAK * GEMM_AT) * 1e6
            types = ["c10::BFloat16"] * 2
            t.launch("aten::bmm", "sm90_xmma_gemm_bf16bf16_bf16f32_nn", b * 2, dims, types)
            at = len(t.kernels)
            t.launch("aten::div", "void at::native::vectorized_elementwise_kernel<4, div>(int)", dur / 4, [[64, 2048, 2048]], types[:1])
            t.launch("aten::_softmax", "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, 11>(int)", dur, [[64, 2048, 2048]],
                     types[:1])
            t.gaps["attention"] = t.gaps.get("attention", 0) + sum(k[1] for k in t.kernels[at:])
            t.launch("aten::bmm", "sm90_xmma_gemm_bf16bf16_bf16f32_nn", b * 2, [[64, 2048, 2048], [64, 2048, 128]], types)
        return attention, lambda t: {"rule": ("unfused_attention",), "recoverable": t.gaps["attention"] * 1e3, "cause": None}
    raise ValueError(cause)


SINGLE = sorted(IDLE) + ["exposed_communication", "exposed_copy", "misaligned_shape", "fusible_chain", "unfused_attention"]
WHOLE = ["step_jitter", "clock_drop", "graph_unrecorded", "launch_bound", "warm_up", "device_imbalance"]
RANKS = ["straggler"]
PAIRS = [("loading", "exposed_communication"), ("sync", "misaligned_shape"), ("exposed_copy", "fusible_chain"),
         ("copying", "unfused_attention"), ("allocating", "exposed_communication")]


def whole(cause, rng, t):
    """Causes of a trace as a whole."""
    steps, layers, size = 12, 3, 4096
    if cause == "step_jitter":
        lengths = [500.0] + [rng.uniform(500, 6000) for _ in range(steps - 1)]

        def uneven(t, s, layer):
            if layer == 1:
                t.launch("my::op", "my_kernel(int)", lengths[s])
        run(t, steps, layers, size, uneven, comm=False)
        starts = [k[0] for k in t.kernels][::5 * layers + 1]
        every = sorted(b - a for a, b in zip(starts, starts[1:]))  # the last step has no next one
        n = len(every)
        return {"rule": ("step_jitter",), "recoverable": (statistics.median(every) - every[n // 10]) * steps * 1e3, "cause": None}
    if cause == "clock_drop":
        factor = rng.uniform(1.25, 1.5)

        def slow(t, s):
            t.scale = factor if s >= steps // 2 else 1.0
        run(t, steps, layers, size, nothing, comm=False, before=slow)
        extra = sum(d - d / factor for _, d, _ in t.kernels[len(t.kernels) // 2:])
        return {"rule": ("clock_drop",), "recoverable": extra * 1e3, "cause": None}
    if cause == "launch_bound":
        for s in range(steps):
            begin = t.now
            for _ in range(200):
                t.blame("launch")
                op = rng.choice(["aten::add", "aten::mul", "aten::relu"])
                t.launch(op, "void at::native::vectorized_elementwise_kernel<4, at::native::%s_f>(int)" % op[6:], 3.0, [[64, 64]],
                         ["float"], op_time=rng.uniform(12, 30))
            t.step(s, begin)
        return {"rule": ("idle",), "recoverable": t.gaps["launch"] * 1e3, "cause": "launch_bound"}
    if cause == "graph_unrecorded":
        for s in range(steps):
            begin = t.now
            healthy_layer(t, 4096, False)
            t.now = max(t.now, max(t.free.values()))
            t.call("cudaGraphLaunch", 20.0)
            t.now += rng.uniform(4000, 8000)
            t.step(s, begin)
        return {"rule": ("graph_unrecorded",), "recoverable": None, "cause": None}
    if cause == "warm_up":
        length = rng.uniform(60000, 90000)
        run(t, 6, layers, size, lambda t, s, l: stall(t, "compiling", length) if s == 0 and l == 0 else None, comm=False)
        starts = [k[0] for k in t.kernels][::5 * layers] + [t.end]
        each = [b - a for a, b in zip(starts, starts[1:])]
        return {"rule": ("warm_up",), "recoverable": (each[0] - sorted(each[1:])[len(each[1:]) // 2]) * 1e3, "cause": None}
    raise ValueError(cause)


def imbalance(rng):
    """Two devices in one trace; the first computes longer, the second waits in each all-reduce."""
    a, b = Trace(rng, 0, 1), Trace(rng, 1, 10 ** 6)
    more = rng.uniform(1.3, 1.6)
    waits = 0.0
    for t in (a, b):
        t.event = (lambda tid, keep: lambda cat, name, ts, dur, at, args, pid=None: keep(cat, name, ts, dur, tid if at == 1 else at, args, pid))(
            t.device + 1, t.event)
    for s in range(10):
        t0 = max(a.now, b.now)
        a.now = b.now = t0
        for t in (a, b):
            t.scale = more if t is a else 1.0
            for _ in range(2):
                healthy_layer(t, 4096, False)
            t.scale = 1.0
        ready, end = max(a.free[7], b.free[7]), 0
        for t in (a, b):
            end = ready + 30.0
            start = t.free[7]
            t.allreduce(end - start - 0.9, after=[start])
            t.free[7] = t.free[20]
        waits += a.kernels[-1][0] - b.kernels[-1][0]  # each step ends so much earlier if both compute as long as the second
    a.events += b.events
    trace = a.save()
    trace["deviceProperties"].append(dict(trace["deviceProperties"][0], id=1))
    return trace, {"rule": ("device_imbalance",), "recoverable": waits * 1e3, "cause": None}


def choose(seed):
    global NAME, PEAK, BANDWIDTH, UNITS, MEMORY
    NAME, PEAK, BANDWIDTH, UNITS, MEMORY = DEVICES[seed % len(DEVICES)]


def make(cause, seed):
    """(trace, [truth, ...]): truths by what they bring, most first."""
    choose(seed)
    rng = random.Random("%s %d" % (cause, seed))
    t = Trace(rng)
    steps, layers, size = rng.randint(8, 12), 3, 4096
    if cause == "device_imbalance":
        trace, truth = imbalance(rng)
        return trace, [truth]
    if cause == "healthy":
        run(t, steps, layers, rng.choice([4096, 6144, 8192]), nothing, comm=rng.random() < 0.5)
        return t.save(), []
    if cause in WHOLE:
        truth = whole(cause, rng, t)
        return t.save(), [truth]
    names = cause.split("+")
    # the second brings less than the first
    parts = [one(n, rng, 1.0 if i == 0 else 0.3) for i, n in enumerate(names)]

    def inject(t, s, layer):
        for i, (f, _) in enumerate(parts):
            f(t, s, (layer + i) % layers if i else layer)
    run(t, steps, layers, size, inject, comm=False)
    truths = [truth(t) for _, truth in parts]
    truths.sort(key=lambda x: -x["recoverable"])
    return t.save(), truths


def ranks(seed, world=4):
    """Traces of a run in which one rank is slower: [trace, ...], truth with the rank."""
    choose(seed)
    rng = random.Random("straggler %d" % seed)
    slow, more, steps = rng.randrange(world), rng.uniform(1.2, 1.4), 10
    ts = [Trace(random.Random("%d %d" % (seed, r))) for r in range(world)]
    waits = []
    for s in range(steps):
        begin = [t.now for t in ts]
        for r, t in enumerate(ts):
            t.scale = more if r == slow else 1.0
            for _ in range(3):
                healthy_layer(t, 4096, False)
            t.scale = 1.0
        ready = max(t.free[7] for t in ts) + 1.0
        for r, t in enumerate(ts):
            t.allreduce(ready + 50.0 - t.free[7] - 0.9, after=[t.free[7]])
            if r != slow:
                waits.append(ready - 1.0 - t.free[7])
            t.free[7] = t.free[20]
            t.step(s, begin[r])
    return ([t.save(r, world) for r, t in enumerate(ts)],
            {"rule": ("straggler",), "recoverable": statistics.mean(waits) * steps * 1e3, "cause": None, "rank": slow})


def main():
    cause, seed, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    trace, truths = make(cause, seed)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(trace, f)
    print(json.dumps(truths))


if __name__ == "__main__":
    main()
