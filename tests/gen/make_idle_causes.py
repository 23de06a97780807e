#!/usr/bin/env python3
"""Traces whose idle time has one known cause, place, count and length (docs/verdict.md 3.1), and near misses, in which the
same events do not cover half of the gap or come too late.

    make(name, seed, vendor) -> (trace, truth)     vendor: "cuda" or "hip"; NAMES: what there is

truth: {"cause": [ID, ...], "count": N, "saving_ns": N, "range": NAME or None, "frame": ..., "call": ..., "operation": ...};
keys that are not there are not tested. Times in the trace are microseconds with three decimals.
"""
import random

BASE = 5_000_000  # us


class Host:
    """A thread that launches, one stream that works off its queue; integer ns."""

    def __init__(self, rng, vendor):
        self.rng, self.vendor, self.events, self.number = rng, vendor, [], 0
        self.busy_to, self.gaps = None, []

    def add(self, cat, name, start, end, tid=1, pid=100, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": BASE + start / 1000, "dur": (end - start) / 1000, "args": args})

    def call(self, name, start, end, tid=1):
        self.number += 1
        self.add("cuda_runtime", name.replace("cuda", "hip") if self.vendor == "hip" and name.startswith("cuda") else name, start, end, tid, correlation=self.number)
        return self.number

    def kernel(self, correlation, start, end, name="gemm_kernel"):
        if self.busy_to is not None and start > self.busy_to:
            self.gaps.append(start - self.busy_to)
        self.add("kernel", name, start, end, 7, 0, correlation=correlation, device=0, stream=7)
        self.busy_to = end

    def system(self, name, start, end):
        self.add("os_runtime", name, start, end)

    def range(self, name, start, end):
        self.add("user_annotation", name, start, end)

    def frame(self, name, start, end):
        self.number += 1
        self.add("python_function", name, start, end, **{"Python id": self.number, "Python parent id": None})

    def op(self, name, start, end):
        self.number += 1
        self.add("cpu_op", name, start, end, **{"External id": self.number})

    def burst(self, at, n, length, launch=4000):
        """n kernels in a row, launched from `at` on; the first starts when its launch ends. Returns when the device is done."""
        start = at + launch - 500
        for i in range(n):
            begin = at + i * (launch + 1000)
            self.kernel(self.call("cudaLaunchKernel", begin, begin + launch), start, start + length)
            start += length
        return start

    def trace(self):
        return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A10G" if self.vendor == "cuda" else "AMD Instinct MI250X", "numSms": 80}],
                "traceEvents": self.events}


def truth(h, causes, **more):
    return dict({"cause": [causes] if isinstance(causes, str) else list(causes), "count": len(h.gaps), "saving_ns": sum(h.gaps)}, **more)


def rounds(rng, vendor, fill, least=300_000, most=4_000_000):
    """Bursts of kernels with gaps between; fill(host, a, b): what the host does from the end of the device's work to the next launch."""
    h = Host(rng, vendor)
    at, base = 0, rng.randint(least, most)
    for i in range(rng.randint(4, 9)):
        end = h.burst(at, rng.randint(2, 6), rng.randint(60_000, 400_000))
        at = end + int(base * rng.uniform(0.8, 1.2))
        fill(h, end, at)
    h.burst(at, 3, 80_000)
    return h


def part(rng, a, b, low, high):
    """A span in [a, b] that covers such a share of it."""
    n = int((b - a) * rng.uniform(low, high))
    start = a + rng.randint(0, b - a - n)
    return start, start + n


COVER, MISS = (0.515, 0.97), (0.1, 0.485)
HOST = ["host_compute", "unknown_host"]


def covering(kind, names, cause, field, cover=COVER, missed=None):
    """An event of a kind over the gap; a near miss has `missed` as its cause."""
    def make(rng, vendor):
        name = rng.choice(names)
        h = rounds(rng, vendor, lambda h, a, b: getattr(h, kind)(name, *part(rng, a, b - 1000, *cover)))
        if missed:
            return h, truth(h, missed)
        shown = name.replace("cuda", "hip") if kind == "call" and vendor == "hip" and name.startswith("cuda") else name
        return h, truth(h, cause, **({field: shown} if field else {}))
    return make


def synchronization(rng, vendor):
    call = rng.choice(["cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"])

    def fill(h, a, b):
        h.call(call, a - 30_000, b - int((b - a) * rng.uniform(0.05, 0.15)))
    h = rounds(rng, vendor, fill, 30_000, 300_000)
    return h, truth(h, "synchronization", call=call if vendor == "cuda" else call.replace("cuda", "hip"))


def sync_and_late(rng, vendor):
    def fill(h, a, b):
        h.call("cudaStreamSynchronize", a - 30_000, a + (b - a) // 50)
    h = rounds(rng, vendor, fill)
    return h, truth(h, HOST)


def launches(rng, vendor, low, high):
    h, at = Host(rng, vendor), 0
    length = rng.randint(4000, low // 4)
    for _ in range(rng.randint(60, 200)):
        h.kernel(h.call("cudaLaunchKernel", at, at + rng.randint(3000, 6000)), at + 7000, at + 7000 + length)
        at += rng.randint(low, high)
    return h


def launch_bound(rng, vendor):
    h = launches(rng, vendor, 24_000, 95_000)
    name = rng.choice(["forward", "step_body", "decode loop"])
    h.range(name, -9000, 10**9)
    return h, truth(h, "launch_bound", range=name)


def slow_frames(rng, vendor):
    h = launches(rng, vendor, 24_000, 95_000)
    starts = sorted(e["ts"] for e in h.events if e["cat"] == "cuda_runtime")
    for a, b in zip(starts, starts[1:]):
        a, b = round((a - BASE) * 1000), round((b - BASE) * 1000)
        h.frame("layers.py(17): apply", a + 500, b + 400)
    return h, truth(h, "launch_bound", frame="layers.py(17): apply")


def far_launches(rng, vendor):
    h = launches(rng, vendor, 115_000, 380_000)
    return h, truth(h, HOST)


def queued(rng, vendor, low, high, cause):
    h, start, launch = Host(rng, vendor), 2_000_000, 0
    h.range("forward", -5000, 10**9)
    for _ in range(rng.randint(80, 200)):
        length = rng.randint(20_000, 60_000)
        h.kernel(h.call("cudaLaunchKernel", launch, launch + 4000), start, start + length)
        launch += 6000
        start += length + rng.randint(low, high)
    return h, truth(h, cause)


def graph(rng, vendor):
    h, at = Host(rng, vendor), 100_000
    for _ in range(rng.randint(5, 15)):
        c = h.call("cudaGraphLaunch", at - 90_000, at - 60_000)
        for _ in range(rng.randint(10, 30)):
            length = rng.randint(5000, 30_000)
            h.kernel(c, at, at + length)
            at += length + rng.randint(700, 3000)
    return h, truth(h, "graph_gap")


def long_launch(rng, vendor):
    """Some first launches take long with the device idle; the others are short and their kernels queued."""
    h, at, loads = Host(rng, vendor), 0, 0
    slow_gaps = []
    for i in range(40):
        slow = i and rng.random() < 0.25
        begin = h.busy_to + 500 if slow else at
        length = rng.randint(150_000, 300_000) if slow else 5000
        start = max(begin + length + 1000, h.busy_to or 0)
        if slow:
            slow_gaps.append(start - h.busy_to)
            loads += 1
        h.kernel(h.call("cudaLaunchKernel", begin, begin + length), start, start + 90_000, "kernel_%d" % i)
        at = begin + length + 2000
    return h, {"cause": ["module_loading"], "saving_ns": sum(slow_gaps), "count": loads}


def unknown(rng, vendor):
    h, at = Host(rng, vendor), 0
    for _ in range(rng.randint(20, 60)):
        h.number += 1
        h.kernel(10**6 + h.number, at, at + 50_000)
        at += 50_000 + rng.randint(20_000, 70_000)
    h.call("cudaGetDevice", 0, 1000)
    return h, truth(h, "unknown")


def frames(rng, vendor):
    inner = rng.choice(["text.py(8): clean", "lib/augment.py(120): crop", "metrics.py(55): update"])

    def fill(h, a, b):
        h.frame("run.py(9): main", a - 20_000, b + 3000)
        x, y = part(rng, a, b - 1000, *COVER)
        h.frame(inner, x, y)
        h.frame("<built-in method sort of list object>", x + 10, y - 10)
    h = rounds(rng, vendor, fill)
    return h, truth(h, "host_frame", frame=inner)


def step_marks(rng, vendor):
    """Ranges that mark steps are no place."""
    h, at = Host(rng, vendor), 0
    for i in range(8):
        begin = at
        end = h.burst(at, 3, 200_000)
        at = end + rng.randint(1_500_000, 2_000_000)
        h.range("ProfilerStep#%d" % i, begin - 1500, at - 2000)
    return h, truth(h, HOST, range=None)


def unlike(rng, vendor):
    """Long and short gaps of one place: more than a factor of four apart, they are not one finding."""
    h, at, long = Host(rng, vendor), 0, []
    for i in range(12):
        end = h.burst(at, 3, 100_000)
        at = end + (rng.randint(9_000_000, 12_000_000) if i < 3 else rng.randint(400_000, 1_500_000))
        h.range("postprocess", end + 1000, at - 1000)
        long += [at + 3500 - end] if i < 3 else []
    h.burst(at, 3, 80_000)
    return h, {"cause": ["host_range"], "count": 3, "saving_ns": sum(long), "range": "postprocess"}


def other_thread(rng, vendor):
    """The thread that launches does nothing in the gap; the main thread loads data. Kineto: the main thread has the process's number."""
    h = rounds(rng, vendor, lambda h, a, b: h.add("user_annotation", "load_batch", *part(rng, a, b - 1000, *COVER), tid=100))
    return h, truth(h, "data_loading", range="load_batch")


def own_thread_only(rng, vendor):
    """A thread that is neither the main one nor launches says nothing of the gap."""
    h = rounds(rng, vendor, lambda h, a, b: h.add("user_annotation", "load_batch", a, b, tid=55))
    return h, truth(h, HOST)


def nested(rng, vendor):
    """The inner of two ranges over the gap is the place; a range around everything is not."""
    def fill(h, a, b):
        x, y = part(rng, a, b - 1000, 0.75, 0.95)
        h.range("evaluate", x, y)
        n = int((b - a) * 0.55)
        h.range("bleu score", x + 1000, min(x + 1000 + n, y - 1))
    h = rounds(rng, vendor, fill)
    h.range("epoch_body", -9000, 10**9)
    return h, truth(h, "host_range", range="bleu score")


def wait_before_range(rng, vendor):
    """A wait ends as the gap begins, but then the host is in a range: the wait is not the cause."""
    def fill(h, a, b):
        h.call("cudaDeviceSynchronize", a - 30_000, a + 4000)
        h.range("postprocess", a + 8000, b - 3000)
    h = rounds(rng, vendor, fill)
    return h, truth(h, "host_range", range="postprocess")


def activation_checkpoint(rng, vendor):
    """Recomputation under torch.utils.checkpoint and compiled functions that run are no checkpoint and no compilation."""
    name = rng.choice(["torch/utils/checkpoint.py(481): checkpoint", "torch/_dynamo/eval_frame.py(655): _fn"])
    h = rounds(rng, vendor, lambda h, a, b: (h.frame(name, a - 9000, b + 500), h.frame("net.py(31): block", a + 1000, b - 2000)))
    return h, truth(h, "host_frame", frame="net.py(31): block")


SYSTEM = ["read", "getc", "nanosleep", "poll", "pthread_cond_wait", "fwrite"]


def system_calls(rng, vendor):
    """Many calls of one name, half of the gap together; one around each of them, or a lock, takes the rest of the time."""
    name = rng.choice(SYSTEM)

    def fill(h, a, b):
        n = rng.randint(3, 60)
        each = (b - a - 4000) // n
        for i in range(n):
            x = a + 2000 + i * each
            h.system(name, x, x + int(each * rng.uniform(0.6, 0.95)))
        h.system("pthread_mutex_lock", b - 1500, b - 1200)
    h = rounds(rng, vendor, fill)
    return h, truth(h, "blocking_call", call=name)


def system_call_in_range(rng, vendor):
    """The range is the cause, the call its place."""
    name = rng.choice(SYSTEM)
    h = rounds(rng, vendor, lambda h, a, b: (h.range("postprocess", a + 1000, b - 2000), h.system(name, *part(rng, a, b - 1000, *COVER))))
    return h, truth(h, "host_range", range="postprocess", call=name)


def system_call_elsewhere(rng, vendor):
    """Another thread sleeps all the time; the one that launches waits in a call of the device."""
    h = rounds(rng, vendor, lambda h, a, b: (h.call("cudaMalloc", *part(rng, a, b - 1000, *COVER)), h.system("ioctl", a + 2000, b - 3000)))
    h.add("os_runtime", "pthread_cond_wait", -9000, 10**9, tid=55)
    return h, truth(h, "allocation", call="cudaMalloc")


SCENES = {
    "synchronization": synchronization, "launch_bound": launch_bound, "launch_bound frames": slow_frames, "graph_gap": graph,
    "device_gap": lambda r, v: queued(r, v, 800, 9000, "device_gap"), "dependency": lambda r, v: queued(r, v, 12_000, 40_000, "dependency"),
    "allocation": covering("call", ["cudaMalloc", "cudaFree", "cudaHostAlloc"], "allocation", "call"),
    "blocking_call": covering("call", ["cudaStreamCreateWithFlags", "cudaIpcOpenMemHandle"], "blocking_call", "call"),
    "blocking_copy": covering("call", ["cudaMemcpy", "cudaMemcpy2D"], "blocking_copy", "call"),
    "module_loading": covering("call", ["cuModuleLoadData", "cuLibraryLoadData"], "module_loading", "call"), "module_loading launch": long_launch,
    "data_loading": covering("range", ["load_batch", "DataLoader.next", "fetch_data"], "data_loading", "range"),
    "checkpoint": covering("range", ["save_checkpoint", "checkpoint_save", "torch.save"], "checkpoint", "range"),
    "compilation": covering("range", ["backend_compile", "XlaCompile", "autotune"], "compilation", "range"),
    "host_range": covering("range", ["postprocess", "log metrics", "beam_update"], "host_range", "range"),
    "host_frame": frames, "host_compute": covering("op", ["aten::item_cpu", "my::sort"], HOST, "operation"), "unknown": unknown,
    "profiler_overhead": None, "unlike lengths": unlike, "data_loading on the main thread": other_thread, "host_range nested": nested,
    "healthy: a wait before a range": wait_before_range, "healthy: a third thread": own_thread_only,
    "healthy: checkpoint and compiled frames": activation_checkpoint,
    "healthy: a short range": covering("range", ["load_batch", "postprocess"], None, None, MISS, HOST),
    "healthy: a short allocation": covering("call", ["cudaMalloc", "cudaMemcpy"], None, None, MISS, HOST),
    "healthy: launch long after a wait": sync_and_late, "healthy: launches far apart": far_launches, "healthy: step marks": step_marks,
}
SCENES["system call"] = covering("system", SYSTEM, "blocking_call", "call")
SCENES["system call, many"] = system_calls
SCENES["system call in a range"] = system_call_in_range
SCENES["healthy: a system call in a call"] = system_call_elsewhere
SCENES["healthy: a short system call"] = covering("system", SYSTEM, None, None, MISS, HOST)
NSYS_ONLY = tuple(n for n in SCENES if "system call" in n)
KINETO_ONLY = ("launch_bound frames", "host_frame", "host_compute", "profiler_overhead", "data_loading on the main thread", "healthy: a third thread",
               "healthy: checkpoint and compiled frames")
CUDA_ONLY = ("module_loading",)


def overhead(rng, vendor):
    name = rng.choice(["Activity Buffer Request", "Buffer Flush", "Instrumentation"])
    h = rounds(rng, vendor, lambda h, a, b: h.add("overhead", name, *part(rng, a, b - 1000, *COVER), tid=0, pid=-1))
    return h, truth(h, "profiler_overhead")


SCENES["profiler_overhead"] = overhead
NAMES = list(SCENES)


def make(name, seed, vendor="cuda"):
    rng = random.Random("%s %d" % (name, seed))
    h, t = SCENES[name](rng, vendor)
    h.events.sort(key=lambda e: e["ts"])
    return h.trace(), t
