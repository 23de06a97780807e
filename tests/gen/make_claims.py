#!/usr/bin/env python3
"""Small traces with a known truth for every claim of the verdict, each fault with a healthy counterpart.

    make_claims.py FOLDER [SEED] [KIND...]      writes the traces of one seed

MAKERS is a list of (rule, maker). A maker takes a random generator and whether the fault is there, and returns a Case: the
trace (claims_trace.py) or a run of ranks (claims_ranks.py), and what the verdict has to say; the trust checks have their own
file (claims_trust.py). The expected account and idle gaps are computed from the written file by tests/claims_check.py, not here.
"""
import contextlib
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from claims_trace import COMM, Host, Trace, write  # noqa: E402

FORMATS = ["kineto", "kineto", "nsys", "rocprof", "rocprof_csv"]
US, MS = 1000, 1000000


class Case:
    """One trace and what is expected of its verdict; `checks` are tuples that tests/claims_check.py knows."""

    def __init__(self, tr, *checks, marks=True):
        self.tr, self.checks, self.marks = tr, list(checks), marks
        self.folder_run = False

    def write(self, folder):
        return write(self.tr, folder)


def mark_name(tr, i, first):
    names = tr.extra.setdefault("marks", tr.rng.choice(["ProfilerStep#%d"] if tr.fmt == "kineto" else
                                                       ["iteration %d", "step %d", "train_step %d", "Iteration %d", "step_%d"]))
    return names % (first + i)


def kernels(h, count=None, low=40, high=220, **facts):
    for _ in range(count or h.rng.randint(4, 9)):
        h.launch(h.rng.randint(low * US, high * US), **facts)


def loop(h, count, body, marks=True):
    """Iterations, with marks or without; returns the names of the marks."""
    tr, names, first = h.tr, [], h.rng.choice([0, 1, 2, 7, 113])
    for i in range(count):
        name = mark_name(tr, i, first)
        names.append(name)
        if marks:
            with h.span(tr.ranges, name) as s:
                s["mark"] = True
                body(i)
        else:
            body(i)
        h.busy(h.rng.randint(500, 3000))
    return names


@contextlib.contextmanager
def stacks(h, on, *names):
    """Python frames around everything."""
    with contextlib.ExitStack() as st:
        for n in (names or ("train.py(%d): <module>" % h.rng.randint(90, 400), "train.py(%d): train_loop" % h.rng.randint(5, 80))) if on else ():
            st.enter_context(h.span(h.tr.frames, n))
            h.busy(h.rng.randint(100, 900))
        yield


def start(rng, fmts=None, **words):
    tr = Trace(rng, rng.choice(fmts or FORMATS), **words)
    return tr, Host(tr)


# Account

def account_unlinked(rng, fault):
    tr, h = start(rng)
    marks = rng.random() < 0.5
    loop(h, rng.randint(4, 8), lambda i: kernels(h), marks)
    share = 0
    if fault:
        lost = rng.sample(tr.work, max(2, int(len(tr.work) * rng.choice([0.02, 0.3, 0.5]))))
        share = sum(w["end"] - w["start"] for w in lost) / sum(w["end"] - w["start"] for w in tr.work)
        gone = {id(w["call"]) for w in lost}
        tr.calls = [c for c in tr.calls if id(c) not in gone]
        if 0.04 < share < 0.06:
            return account_unlinked(rng, fault)
        time = sum(w["end"] - w["start"] for w in lost)
        return Case(tr, ("account",), ("trust", "unlinked_device_work", "warn" if share >= 0.05 else "pass", len(lost), None, time), marks=marks)
    return Case(tr, ("account",), ("trust", "unlinked_device_work", "pass", 0, None, 0), marks=marks)


def account_devices(rng, fault):
    """Several devices of one process; one idle (fault) or busy for 3% and more."""
    tr, h = start(rng)
    tr.devices = rng.randint(2, 4)
    marks = rng.random() < 0.5
    odd = rng.randrange(tr.devices)

    def body(i):
        for d in range(tr.devices):
            if d != odd:
                kernels(h, rng.randint(3, 7), dev=d)
            elif fault:
                if i == 2:
                    h.launch(rng.randint(2 * US, 4 * US), dev=d)
            else:
                h.launch(rng.randint(150 * US, 300 * US), dev=d)
    loop(h, rng.randint(5, 8), body, marks)
    return Case(tr, ("account",), ("idle_devices", [odd] if fault else []), ("devices", tr.devices), marks=marks)


def account_clipping(rng, fault):
    """Events that overlap on a stream: far (clipped), or with the next one only (dependent launch)."""
    tr, h = start(rng)
    loop(h, rng.randint(5, 8), lambda i: kernels(h), marks := rng.random() < 0.5)
    same = sorted(tr.work, key=lambda w: w["start"])
    picks, cut = [], 0
    i = 2
    while i < len(same) - 4:
        a, b, c = same[i:i + 3]
        old = a["end"]
        if fault:
            a["end"] = rng.choice([b, c])["end"] + rng.randint(3 * US, 30 * US)
            cut += a["end"] - b["start"]
        else:
            a["end"] = rng.randint(b["start"], b["end"] - 1)
        picks.append((a, old))
        i += rng.randint(4, 9)
    if not fault:
        return Case(tr, ("account",), ("trust", "stream_overlap", "pass", 0, None, 0), marks=marks)
    return Case(tr, ("account",), ("trust", "stream_overlap", ("warn", "fail"), len(picks), None, cut), marks=marks)


def account_mixed(rng, fault):
    """Communication, copies and fills on other streams, overlapped (healthy) or exposed (fault)."""
    tr, h = start(rng)
    fill = tr.fmt in ("kineto", "nsys")

    def body(i):
        kernels(h, rng.randint(2, 4))
        if fault:
            after = max(tr.free.values())
        else:
            after = 0
        big = rng.randint(100 * US, 500 * US)
        h.launch(big, name=rng.choice(COMM), stream=50, after=after)
        way = rng.choice(["HtoD", "DtoH"])
        kinds = {"src": "Pinned", "dst": "Device"} if way == "HtoD" else {"src": "Device", "dst": "Pinned"}
        h.launch(rng.randint(50 * US, 200 * US), kind="copy", way=way, bytes=rng.randint(10**5, 10**6), stream=51, after=after, **kinds)
        if fill:
            h.launch(rng.randint(20 * US, 90 * US), kind="fill", stream=52, bytes=65536, after=after)
        kernels(h, rng.randint(2, 4))
        if fault:
            h.sync("dsync")
    loop(h, rng.randint(4, 9), body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), marks=marks)


def account_scope(rng, fault):
    """Work before and after the steps (fault); a slow first step is left out."""
    tr, h = start(rng)
    if fault:
        kernels(h, rng.randint(2, 20))
        h.sync()
        h.busy(rng.randint(100 * US, 4 * MS))
    slow = fault and rng.random() < 0.6
    n = rng.randint(4, 7)

    def body(i):
        kernels(h, 6, 50, 60)
        if slow and i == 0:
            h.sync()
            h.busy(rng.randint(1500 * US, 9000 * US))
            kernels(h, 2)
        if rng.random() < 0.5:
            h.sync()
    names = loop(h, n, body)
    if fault:
        h.sync()
        h.busy(rng.randint(50 * US, 2 * MS))
        kernels(h, rng.randint(1, 5))
    return Case(tr, ("account",), ("steps", n, names[0], [names[0]] if slow else [], None),
                ("finding" if slow else "no_finding", "warm_up", None))


def account_none(rng, fault):
    """A host that launches nothing that was recorded (fault): no account."""
    tr, h = start(rng, ["kineto"])
    h.wrap_ops = True
    loop(h, 4, lambda i: kernels(h))
    if fault:
        tr.work = []
        tr.calls = []
        return Case(tr, ("null_account",))
    return Case(tr, ("account",))


# Steps

def steps_marks(rng, fault):
    """Steps by marks of each kind; layers inside of one frame are none (counterpart)."""
    tr, h = start(rng)
    if not fault:
        name = rng.choice(["layer_%d", "block %d", "decoder.%d", "head%d"])
        tr.extra["marks"] = name
        with h.span(tr.ranges, rng.choice(["forward", "model_forward", "inference call"])):
            loop(h, rng.randint(6, 12), lambda i: kernels(h))
        for r in tr.ranges:
            r.pop("mark", None)
        return Case(tr, ("no_steps",), ("account",), marks=False)
    if tr.fmt == "kineto":
        source = rng.choice(["profiler_step", "operator", "named_range"])
        tr.extra["marks"] = "ProfilerStep#%d" if source != "named_range" else rng.choice(["iteration %d", "step %d", "train_step %d", "iter %d"])
        if source == "operator":
            tr.extra["mark_category"] = "cpu_op"
        source = source.replace("operator", "profiler_step")
    else:
        source = "named_range"
    ahead = rng.random() < 0.5

    def body(i):
        kernels(h, 7, 80, 100)
        if not ahead:
            h.sync()
    n = rng.randint(4, 11)
    names = loop(h, n, body)
    if rng.random() < 0.3:
        h.sync()
        tr.ranges.append({"name": names[0].replace(names[0].lstrip("abcdefghijklmnopqrstuvwxyzPSI#_ "), "9999"), "start": h.t, "end": h.t,
                          "tid": h.tid, "mark": True, "zero": True})
    return Case(tr, ("account",), ("steps", n, names[0], [], source))


def pattern(h, n, names, low=60, busy=0):
    durs = [h.rng.randint(low * US, 2 * low * US) for _ in names]
    for _ in range(n):
        for name, d in zip(names, durs):
            h.launch(d + h.rng.randint(0, 900), name=name)
        h.busy(busy)


def steps_pattern(rng, fault):
    """A repetition of kernels in the frame of a program or loop (steps), or in one frame of a model (none)."""
    tr, h = start(rng, ["kineto"] if not fault or rng.random() < 0.6 else None)
    h.wrap_ops = False
    n = rng.randint(6, 12)
    names = rng.sample(tr.pool, min(len(tr.pool), rng.randint(4, 6)))
    if tr.fmt == "kineto":
        outer = ["%s.py(%d): <module>" % (rng.choice(["run", "main_program", "job"]), rng.randint(5, 99))]
        inner = rng.choice([[], ["train.py(20): train"], ["loop.py(9): fit"], ["serve.py(33): generate"]]) if fault else \
            ["model.py(%d): forward" % rng.randint(5, 200)]
        with stacks(h, True, *(outer + inner)):
            pattern(h, n, names)
    else:
        pattern(h, n, names)
    return Case(tr, ("pattern", n) if fault else ("no_steps",), marks=False)


def steps_random(rng, fault):
    """No repetition at all: no steps; the counterpart repeats in a <module>."""
    tr, h = start(rng)
    if fault:
        kernels(h, rng.randint(30, 60), 20, 400)
        return Case(tr, ("no_steps",), ("account",), marks=False)
    return steps_pattern(rng, True)


def steps_warm_up(rng, fault):
    """A first step that is at least 1.7 (fault) or at most 1.3 times as long as the others."""
    tr, h = start(rng)
    unit, n = rng.randint(60, 120), rng.randint(4, 9)
    by_host = rng.random() < 0.5
    factor = rng.uniform(1.8, 6) if fault else rng.uniform(1.0, 1.25)

    def body(i):
        f = factor if i == 0 else 1
        if by_host:
            kernels(h, 8, unit, unit + 3)
            h.sync()
            h.busy(int((f - 1) * 8 * (unit + 1) * US))
        else:
            kernels(h, 8, int(unit * f), int(unit * f) + 3)
            if ahead:
                return
            h.sync()
    ahead = rng.random() < 0.4
    names = loop(h, n, body)
    return Case(tr, ("account",), ("steps", n, names[0], [names[0]] if fault else [], None), ("warm_up", fault))


# Idle

WORDS = {"data_loading": ["enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "dataloader_next", "load_batch", "DataLoader wait"],
         "checkpoint": ["save_checkpoint", "checkpoint", "torch.save", "checkpoint_write"],
         "compilation": ["torch_compile", "jit_compile", "compile_model", "Triton compile"],
         "host_range": ["router_logic", "log_stats", "update_schedule", "post_process", "sampling_params"]}
FRAMES = {"data_loading": ["data/dataloader.py(41): __next__", "dataset.py(12): load_batch"], "checkpoint": ["ckpt.py(3): save_checkpoint"],
          "compilation": ["jit.py(8): compile_kernel"], "host_frame": ["sched.py(77): plan", "engine.py(130): route_tokens"]}


def host_fault(h, cause, gap, stack):
    """What the host does for so long that the device is idle for about `gap`; returns the expected fields."""
    tr, rng = h.tr, h.rng
    if cause in ("host_range", "host_frame", "data_loading", "checkpoint", "compilation", "host_compute") and rng.random() < 0.5:
        h.sync()
    if cause == "synchronization":
        kind = rng.choice(["ssync", "dsync", "esync"])
        h.sync(kind, late=gap)
        h.tag = cause
        return {"advice": "defer_sync"}
    dur, place, at = h.lead() + gap, {}, h.t
    words = tr.extra.setdefault("words", {})
    if cause in WORDS and not (stack and cause in FRAMES and words.setdefault("by_frame", rng.random() < 0.5)):
        name = words.setdefault(cause, rng.choice(WORDS[cause]))
        with h.span(tr.ranges, name):
            h.busy(dur)
        place = {"range": name}
    elif cause in FRAMES:
        name = words.setdefault(cause, rng.choice(FRAMES[cause]))
        with h.span(tr.frames, name):
            with h.span(tr.frames, rng.choice(["<built-in method sleep>", "threading.py(12): wait"])):
                h.busy(dur)
        place = {"frame": name}
    elif cause == "allocation":
        place = {"call": h.call("alloc", dur)["name"]}
    elif cause == "module_loading" and words.setdefault("load_call", rng.random() < 0.6):
        place = {"call": h.call("load", dur)["name"]}
    elif cause == "module_loading":
        h.tag = cause
        loaded = len(tr.work)  # a kernel that was never launched: its code is loaded
        h.launch(rng.randint(40 * US, 90 * US), name="ampere_sgemm_%dx%d_nn" % (32 + loaded % 97, 32 + loaded // 97), cost=dur)
        return {}
    elif cause == "blocking_copy":
        end = max(tr.free.get((0, h.stream), 0), h.t) + gap
        c = h.call("bcopy", end - h.t)
        size, way = rng.randint(10**5, 10**6), words.setdefault("way", rng.choice(["HtoD", "DtoH"]))
        start = end - rng.randint(1000, 3000)
        took = rng.randint(15 * US, 40 * US)
        w = {"kind": "copy", "name": "", "start": start, "end": start + took, "dev": 0, "stream": h.stream, "corr": c["corr"],
             "tag": cause, "call": c, "way": way, "bytes": size}
        w.update({"src": "Pageable", "dst": "Device"} if way == "HtoD" else {"src": "Device", "dst": "Pageable"})
        tr.work.append(w)
        tr.free[(0, h.stream)] = w["end"]
        c["end"] = h.t = w["end"] + rng.randint(1000, 3000)
        h.tag = None
        return {"call": c["name"]}
    elif cause == "profiler_overhead":
        h.busy(dur)
        tr.overhead.append({"name": "Activity Buffer Request" if tr.fmt == "kineto" else "CUPTI buffer flush", "start": at, "end": h.t})
    else:
        h.busy(dur)
    h.tag = cause
    return {k: v for k, v in place.items()}


IDLE = ["data_loading", "checkpoint", "compilation", "host_range", "host_frame", "host_compute", "allocation", "module_loading",
        "blocking_copy", "synchronization", "profiler_overhead"]


def idle_formats(cause):
    if cause == "host_frame":
        return ["kineto"]
    if cause == "profiler_overhead":
        return ["kineto", "nsys"]
    return FORMATS


def idle_host(cause):
    def make(rng, fault):
        """Gaps of one cause in some iterations; the counterpart has none."""
        tr, h = start(rng, idle_formats(cause))
        stack = tr.fmt == "kineto" and (cause == "host_frame" or (cause != "host_compute" and rng.random() < 0.4))
        marks = rng.random() < 0.6
        gap = rng.randint(150 * US, 2 * MS)
        expected, n = {}, rng.randint(5, 9)

        def body(i):
            kernels(h)
            if fault and 0 < i < n - 1:
                expected.update(host_fault(h, cause, int(gap * rng.uniform(0.8, 1.6)), stack))
            kernels(h, 2)
        with stacks(h, stack):
            loop(h, n, body, marks)
        if not fault:
            return Case(tr, ("account",), ("no_idle", 0.03), marks=marks)
        return Case(tr, ("account",), ("idle", cause, cause, expected), marks=marks)
    return make


def idle_near_miss(rng, fault):
    """A range of a well-known name over a fifth to two fifths of the gap (counterpart), or over three fifths and more."""
    tr, h = start(rng)
    cause = rng.choice(["data_loading", "checkpoint", "compilation", "host_range", "allocation"])
    n, name = rng.randint(5, 9), rng.choice(WORDS.get(cause, [""]))
    share = (lambda: rng.uniform(0.6, 0.9)) if fault else (lambda: rng.uniform(0.1, 0.38))

    def body(i):
        kernels(h)
        if 0 < i < n - 1:
            h.sync()
            gap = rng.randint(400 * US, 900 * US)
            part = int(gap * share())
            if cause == "allocation":
                h.call("alloc", part)
            else:
                with h.span(tr.ranges, name):
                    h.busy(part)
            h.busy(gap - part)
            h.tag = cause if fault else "host_compute"
        kernels(h, 2)
    loop(h, n, body, marks := rng.random() < 0.6)
    want = cause if fault else "host_compute"
    return Case(tr, ("idle", want, want, {"range": name} if fault and cause != "allocation" else {}), ("account",), marks=marks)


def idle_launch_bound(rng, fault):
    """Small kernels launched slowly; the counterpart has kernels longer than their launch."""
    tr, h = start(rng)
    h.device_gap = 0
    stack = tr.fmt == "kineto" and rng.random() < 0.5
    pause = rng.randint(6, 45)

    def body(i):
        for _ in range(rng.randint(20, 40)):
            frame = h.span(tr.frames, "functional.py(5): linear") if stack else contextlib.nullcontext()
            with frame:
                h.busy(rng.randint(pause * US, pause * US + 4000) if fault else 500)
                if fault:
                    h.tag = "launch_bound"
                h.launch(rng.randint(3 * US, 5 * US) if fault else rng.randint(40 * US, 60 * US))
    with stacks(h, stack):
        loop(h, rng.randint(3, 6), body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("idle", "launch_bound", "launch_bound", {}) if fault else ("no_idle", 0.03), marks=marks)


def idle_device(rng, fault):
    """Work launched ahead: gaps under 10 us are device_gap (fault), the others dependency (also a fault); none (counterpart)."""
    tr, h = start(rng)
    h.device_gap = 0
    cause = rng.choice(["device_gap", "dependency"])
    lo, hi = (2 * US, 8 * US) if cause == "device_gap" else (40 * US, 120 * US)

    def body(i):
        kernels(h, 9, 60, 90)
        for _ in range(4):
            if fault:
                h.tag = cause
                h.launch(rng.randint(20 * US, 40 * US), after=max(tr.free.values()) + rng.randint(lo, hi))
            else:
                h.launch(rng.randint(20 * US, 40 * US))
    loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("idle", cause, cause, {}) if fault else ("no_idle", 0.02), marks=marks)


def idle_graph(rng, fault):
    """Gaps between the nodes of graph launches."""
    tr, h = start(rng, ["kineto", "nsys"])
    h.device_gap, gap = 0, rng.choice([rng.randint(4 * US, 9 * US), rng.randint(20 * US, 60 * US)])

    def body(i):
        kernels(h, 3, 100, 200)
        c = h.call("graph", rng.randint(9 * US, 20 * US))
        for k in range(rng.randint(6, 12)):
            after = 0
            if fault and k:
                h.tag, after = "graph_gap", tr.free[(0, h.stream)] + rng.randint(gap // 2, gap)
            h.put(c, rng.randint(9 * US, 30 * US), None, "kernel", 0, h.stream, after=after, node=(7 << 32) + k + 1)
        h.busy(2000)
    loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("idle", "graph_gap", "graph_gap", {}) if fault else ("no_idle", 0.03), marks=marks)


def idle_unknown(rng, fault):
    """Gaps before work whose launch is not recorded."""
    tr, h = start(rng)
    n, gone = rng.randint(5, 9), []

    def body(i):
        kernels(h)
        if fault and 0 < i < n - 1:
            h.sync()
            h.busy(rng.randint(200 * US, 600 * US))
            h.tag = "unknown"
            gone.append(h.launch(rng.randint(50 * US, 90 * US)))
        kernels(h, 3)
    loop(h, n, body, marks := rng.random() < 0.6)
    dead = {id(w["call"]) for w in gone}
    tr.calls = [c for c in tr.calls if id(c) not in dead]
    return Case(tr, ("account",), ("idle", "unknown", "unknown", {}) if fault else ("no_idle", 0.03), marks=marks)


def idle_page_fault(rng, fault):
    """Gaps between migrations of managed memory."""
    tr, h = start(rng, ["nsys"])
    h.device_gap = 0
    n = rng.randint(5, 8)

    def body(i):
        kernels(h)
        if fault and 0 < i < n - 1:
            t = max(tr.free.values())
            for k in range(rng.randint(6, 12)):
                t += rng.randint(15 * US, 30 * US) if k else 0
                w = {"kind": "copy", "name": "", "start": t, "end": t + rng.randint(5 * US, 12 * US), "dev": 0, "stream": h.stream, "corr": None,
                     "tag": "page_fault" if k else None, "call": {"tid": h.tid}, "way": "UHtoD", "bytes": 65536, "src": "Managed", "dst": "Managed"}
                tr.work.append(w)
                t = w["end"]
            tr.free[(0, h.stream)] = t
        kernels(h, 3)
    loop(h, n, body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("idle", "page_fault", "page_fault", {}) if fault else ("no_idle", 0.03), marks=marks)


def idle_two(rng, fault):
    """Two causes in one trace."""
    fmt = rng.choice(FORMATS)
    fit = [c for c in IDLE if fmt in idle_formats(c) and c not in ("module_loading", "host_frame", "host_compute")]
    one, two = rng.sample(fit, 2)
    tr, h = start(rng, [fmt])
    gap, n = rng.randint(200 * US, 900 * US), rng.randint(6, 10)
    want = {one: {}, two: {}}

    def body(i):
        kernels(h)
        if fault and 0 < i < n - 1:
            c = one if i % 2 else two
            want[c].update(host_fault(h, c, int(gap * rng.uniform(0.8, 1.6)), False))
        kernels(h, 2)
    loop(h, n, body, marks := rng.random() < 0.6)
    if not fault:
        return Case(tr, ("account",), ("no_idle", 0.03), marks=marks)
    return Case(tr, ("account",), *[("idle", c, c, want[c]) for c in (one, two)], marks=marks)


def idle_equal_start(rng, fault):
    """A range or frame that begins at the same time as what is around it, in any order in the file."""
    tr, h = start(rng, ["kineto", "nsys", "rocprof", "rocprof_csv"])
    cause = rng.choice(["host_range", "data_loading", "checkpoint"] + (["host_frame"] if tr.fmt == "kineto" else []))
    name, n = rng.choice((FRAMES if cause == "host_frame" else WORDS)[cause]), rng.randint(5, 9)
    where, around = (tr.frames, "loop.py(4): run_epoch") if cause == "host_frame" else (tr.ranges, "outer_part")

    def body(i):
        spans = [h.span(where, around), h.span(where, name)]
        if rng.random() < 0.5:  # the inner one first in the file
            spans.reverse()
        with contextlib.ExitStack() as st:
            for s in spans:
                st.enter_context(s)
            if fault and i:
                h.busy(h.lead() + rng.randint(200 * US, 500 * US))
                h.tag = cause
        for s in where[-2:]:
            if s["name"] == around:
                outer = s
        kernels(h)
        outer["end"] = h.t
    loop(h, n, body, marks := rng.random() < 0.6)
    where_key = "frame" if cause == "host_frame" else "range"
    return Case(tr, ("account",), ("idle", cause, cause, {where_key: name}) if fault else ("no_idle", 0.03), marks=marks)


# Copies

def copies(kind):
    def make(rng, fault):
        """Exposed copies with one remedy; the counterpart's are overlapped."""
        tr, h = start(rng, ["kineto", "nsys"] if kind in ("pin_memory", "overlap_copies") else ["nsys"] if kind in (
            "avoid_fills", "prefetch_managed_memory") else ["kineto", "nsys", "rocprof"] if kind == "keep_on_device" else FORMATS)
        h.device_gap = 0
        size = rng.randint(5 * 10**5, 4 * 10**6)

        def copy(way, src, dst, bytes_=None):
            h.launch(rng.randint(90 * US, 200 * US), kind="copy", way=way, src=src, dst=dst, bytes=bytes_ or rng.randint(10**5, 10**7),
                     stream=h.stream if fault else 61)

        def body(i):
            kernels(h, 6)
            if kind == "keep_on_device":
                copy("DtoH", "Device", "Pinned", size)
                kernels(h, 1)
                copy("HtoD", "Pinned", "Device", size)
            elif kind == "avoid_device_copies":
                copy("DtoD", "Device", "Device")
            elif kind == "avoid_fills":
                h.launch(rng.randint(90 * US, 200 * US), kind="fill", bytes=10**6, stream=h.stream if fault else 61)
            elif kind == "prefetch_managed_memory":
                t = max(tr.free.values()) if fault else h.t + 40 * US
                w = {"kind": "copy", "name": "", "start": t, "end": t + rng.randint(90 * US, 160 * US), "dev": 0, "stream": 77, "corr": None,
                     "tag": None, "call": {"tid": h.tid}, "way": "UHtoD", "bytes": 10**6, "src": "Managed", "dst": "Managed"}
                tr.work.append(w)
                if fault:
                    tr.free[(0, h.stream)] = w["end"]
            else:
                src = "Pageable" if kind == "pin_memory" else "Pinned"
                way = rng.choice(["HtoD", "DtoH"])
                copy(way, *((src, "Device") if way == "HtoD" else ("Device", src)))
            kernels(h, 4)
        loop(h, rng.randint(5, 9), body, marks := rng.random() < 0.6)
        if fault:
            return Case(tr, ("account",), ("copies", kind), marks=marks)
        return Case(tr, ("account",), ("no_finding", "exposed_copy", 0.05), marks=marks)
    return make


def two_faults(rng, fault):
    """An idle cause and exposed copies or communication."""
    tr, h = start(rng, ["kineto", "nsys"])
    h.device_gap = 0
    cause = rng.choice(["data_loading", "allocation", "synchronization", "host_range"])
    comm = rng.random() < 0.5
    n, want, gap = rng.randint(5, 9), {}, rng.randint(200 * US, 900 * US)

    def body(i):
        kernels(h)
        if fault and 0 < i < n - 1:
            want.update(host_fault(h, cause, int(gap * rng.uniform(0.8, 1.6)), False))
        kernels(h, 2)
        if comm:
            h.launch(rng.randint(100 * US, 300 * US), name=COMM[0], stream=h.stream if fault else 50)
        else:
            h.launch(rng.randint(100 * US, 300 * US), kind="copy", way="HtoD", src="Pageable", dst="Device", bytes=10**6,
                     stream=h.stream if fault else 50)
        kernels(h, 3, 150, 200)
    loop(h, n, body, marks := rng.random() < 0.6)
    if not fault:
        return Case(tr, ("account",), ("no_idle", 0.03), marks=marks)
    return Case(tr, ("account",), ("idle", cause, cause, want), ("copies", "pin_memory") if not comm else ("finding", "exposed_communication", None),
                marks=marks)


MAKERS = [("account: unlinked work", account_unlinked), ("account: devices", account_devices), ("account: clipping", account_clipping),
          ("account: communication, copies, fills", account_mixed), ("account: scope", account_scope), ("account: no device work", account_none),
          ("steps: marks, layers", steps_marks), ("steps: pattern, block of a model", steps_pattern), ("steps: no repetition", steps_random),
          ("steps: warm_up", steps_warm_up)] + \
    [("idle: " + c, idle_host(c)) for c in IDLE] + \
    [("idle: near misses", idle_near_miss), ("idle: equal starts", idle_equal_start),
     ("idle: launch_bound", idle_launch_bound), ("idle: device_gap, dependency", idle_device),
     ("idle: graph_gap", idle_graph), ("idle: unknown", idle_unknown), ("idle: page_fault", idle_page_fault), ("idle: two causes", idle_two)] + \
    [("copies: " + c, copies(c)) for c in ("pin_memory", "overlap_copies", "keep_on_device", "avoid_device_copies", "avoid_fills",
                                           "prefetch_managed_memory")] + \
    [("two faults", two_faults)]


def all_makers():
    import claims_ranks
    import claims_rules
    import claims_trust
    import claims_xplane
    return MAKERS + claims_trust.MAKERS + claims_ranks.MAKERS + claims_rules.MAKERS + claims_xplane.MAKERS


def make(rule, maker, seed, fault):
    return maker(random.Random("%s/%d/%d" % (rule, seed, fault)), fault)


if __name__ == "__main__":
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for rule_, maker_ in all_makers():
        if len(sys.argv) > 3 and not any(k in rule_ for k in sys.argv[3:]):
            continue
        for fault_ in (True, False):
            folder_ = os.path.join(sys.argv[1], rule_.replace(": ", "-").replace(" ", "_").replace(",", ""), "fault" if fault_ else "healthy")
            os.makedirs(folder_, exist_ok=True)
            print(make(rule_, maker_, seed, fault_).write(folder_))
