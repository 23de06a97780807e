"""Pairs of profiles with a known change, for tests/compare_rates.py: the same program twice, written as PyTorch, Nsight Systems,
rocprofv3 or XPlane profiles, of which the second one differs in one respect (or in none).

    make(kind, seed) -> Pair       KINDS: the kinds of pairs
The truth of a pair is computed from the intervals that are written, not from the plan: median period, parts of the median step,
time by kernel name in it (truth()).
"""
import contextlib
import copy
import os
import random

import claims_xplane
from claims_trace import COMM, KERNELS, Host, Trace, write
from make_claims import mark_name

US = 1000
FORMATS = ["kineto", "kineto", "nsys", "nsys", "rocprof", "rocprof_csv", "xplane"]
OPS = ["aten::mm", "aten::add_", "aten::native_layer_norm", "aten::_softmax", "aten::mean", "aten::addmm", "aten::sdpa", "aten::bmm"]
COPY_STREAM, COMM_STREAM = 30, 20
XPLANE_KERNELS = ["gemm_fusion_dot_general_3", "loop_multiply_fusion_1", "input_reduce_fusion_2", "wrapped_transpose_4",
                  "loop_add_fusion_7", "input_reduce_fusion_9", "gemm_fusion_dot_general_12", "wrapped_concatenate_5"]


class Plan:
    """One side: the work of a step, the number of steps, and what is around them."""

    def __init__(self, rng, fmt):
        self.fmt, self.vendor = fmt, {"nsys": "cuda", "xplane": "cuda", "kineto": rng.choice(["cuda", "hip"])}.get(fmt, "hip")
        self.names = rng.sample(XPLANE_KERNELS if fmt == "xplane" else KERNELS[self.vendor], 6)
        unit = rng.choice([1, 1, 3]) * US
        self.ops = [kernel(rng.choice(self.names[:5]), rng.randint(60, 260) * unit) for _ in range(rng.randint(9, 15))]
        for i, n in enumerate(self.names[:5]):
            self.ops.insert(rng.randint(1, len(self.ops)), kernel(n, rng.randint(90, 200) * unit))
        self.steps, self.first, self.marks, self.sync = rng.randint(4, 9), rng.choice([0, 1, 7]), True, rng.random() < 0.7
        self.noise, self.clock, self.warm, self.before, self.after, self.slow_step = 0.0, 1.0, 1.0, 0, 0, None
        self.devices, self.ranks, self.device, self.lost, self.cut, self.half, self.absent = 1, 0, None, 0, None, 0, None
        comm, hidden = rng.random() < 0.6, rng.random() < 0.6
        if comm:
            self.ops.insert(len(self.ops) // 2, {"do": "comm", "name": COMM[0], "ns": int(0.2 * self.compute())})
            self.ops += [{"do": "join"}, kernel(rng.choice(self.names[:5]), 60 * unit)]
        if hidden and fmt != "xplane":
            self.ops.insert(2, {"do": "copy", "way": "HtoD", "bytes": rng.randint(1, 40) << 18, "ns": rng.randint(50, 200) * US,
                                "stream": COPY_STREAM})
        if self.sync:
            self.ops.append({"do": "host", "ns": int(rng.uniform(0.02, 0.12) * self.compute()), "range": "prepare batch"})

    def compute(self):
        return sum(o["ns"] for o in self.ops if o["do"] == "kernel")

    def of(self, name):
        return [o for o in self.ops if o.get("name") == name]

    def time_of(self, name):
        return sum(o["ns"] for o in self.of(name))


def kernel(name, ns):
    return {"do": "kernel", "name": name, "ns": ns}


class Pair:
    """Two plans and what must be reported: `claim`: a difference per step (None: none; False: not comparable), `cause`: the row of
    the waterfall that must be first, `gate`: its exit status, `part`: the metric that fails, `reason`: why not comparable."""

    def __init__(self, a, b, claim=True, cause=None, gate=None, part=None, reason=None, basis="step", **more):
        self.a, self.b, self.claim, self.cause, self.gate, self.part, self.reason, self.basis = a, b, claim, cause, gate, part, reason, basis
        self.args, self.gate_args, self.largest = more.get("args", []), more.get("gate_args", []), more.get("largest", True)
        self.family = False  # kernels are reported by families
        self.also, self.failures = more.get("also", []), more.get("failures", 1)


# ---- from a plan to a profile ----

def trace_of(plan, rng, like=None):
    tr, h = claims_xplane.begin(rng) if plan.fmt == "xplane" else (None, None)
    if tr is None:
        tr = Trace(rng, plan.fmt, plan.vendor)
        h = Host(tr)
    h.wrap_ops = plan.fmt == "kineto" and len(plan.names[0]) % 2 == 0
    h.cost, h.latency, h.device_gap, h.stream, tr.devices = 4000, 2000, 0, 7, plan.devices
    if like is not None:  # as another rank of the same run
        tr.extra.update(like)
    if plan.device:
        tr.device = plan.device
    return tr, h


def perform(plan, h, o, factor, step):
    """One operation of a step, on every device of the process."""
    facts = {"step": step}
    if plan.fmt == "xplane":
        facts["call"] = "cuLaunchKernel"
    for d in range(plan.devices):
        free = h.tr.free
        noise = factor * h.rng.gauss(1, plan.noise) * plan.clock
        if o["do"] == "kernel":
            after = free.get((d, COMM_STREAM), 0) if h.tr.extra.get("join") else 0
            h.launch(max(1500, int(o["ns"] * noise)), o["name"], dev=d, after=after, cost=4000, op=OPS[plan.names.index(o["name"])]
                     if o["name"] in plan.names else "aten::mul", **facts)
        elif o["do"] == "comm":
            h.launch(int(o["ns"] * noise), o["name"], dev=d, stream=COMM_STREAM, after=free.get((d, h.stream), 0), cost=4000,
                     op="c10d::allreduce_", **facts)
        elif o["do"] == "copy":
            stream = o["stream"] or h.stream
            h.launch(int(o["ns"] * noise), "Memcpy", "copy", dev=d, stream=stream, cost=4000, op="aten::copy_", way=o["way"], bytes=o["bytes"],
                     src="Pinned", after=free.get((d, h.stream), 0), **facts)
    if o["do"] in ("join", "kernel"):
        h.tr.extra["join"] = o["do"] == "join"
    if o["do"] == "host":
        h.sync("dsync")
        with h.span(h.tr.ranges, o["range"]) if o["ns"] > 3000 else contextlib.nullcontext():
            h.busy(int(o["ns"] * factor * h.rng.gauss(1, plan.noise)))


def simulate(plan, rng, **like):
    tr, h = trace_of(plan, rng, like)
    for i in range(plan.before):
        h.launch(rng.randint(50, 90) * US, plan.names[5], step=None, **({"call": "cuLaunchKernel"} if plan.fmt == "xplane" else {}))
        h.busy(30 * US)
    if plan.before:
        h.sync("dsync")
    for i in range(plan.steps):
        factor = plan.warm if i == 0 else 2.5 if i == plan.slow_step else 1.0
        name = "train" if plan.fmt == "xplane" else mark_name(tr, i, plan.first)
        with h.span(tr.ranges, name) if plan.marks else contextlib.nullcontext({}) as s:
            s["mark"], s["step"] = True, plan.first + i
            for o in plan.ops:
                perform(plan, h, o, factor, i)
        h.busy(500)
    for o in plan.ops[:plan.half]:
        perform(plan, h, o, 1.0, None)
    for _ in range(plan.after):
        h.launch(rng.randint(50, 90) * US, plan.names[5], step=None, **({"call": "cuLaunchKernel"} if plan.fmt == "xplane" else {}))
    h.sync("dsync")
    if plan.lost:
        kernels = [w for w in tr.work if w["kind"] == "kernel"][3:-3]
        gone = {id(w) for w in rng.sample(kernels, max(2, int(plan.lost * len(kernels))))}
        tr.work = [w for w in tr.work if id(w) not in gone]
    tr.extra.pop("join", None)
    if plan.cut:
        tr.extra["cut"] = plan.cut
    return tr


def save(plan, seed, folder):
    """Writes a side; returns (operand of a command, traces)."""
    os.makedirs(folder)
    marks = random.Random(seed).choice(["iteration %d", "step %d", "train_step %d"])
    like = {} if plan.fmt in ("kineto", "xplane") else {"marks": marks}
    if not plan.ranks:
        tr = simulate(plan, random.Random(seed), **like)
        path = claims_xplane.write(tr, folder) if plan.fmt == "xplane" else write(tr, folder)
        return (folder if plan.fmt in ("rocprof_csv", "xplane") else path), [tr]
    traces = []
    for r in range(plan.ranks):
        head = {"distributedInfo": {"backend": "nccl", "rank": r, "world_size": plan.ranks}}
        traces.append(simulate(plan, random.Random(seed + 7919 * r), head=head, **like))
        if r != plan.absent:
            write(traces[-1], folder, "rank%d" % r)
    return folder, traces


# ---- the truth ----

def length(intervals):
    total, end = 0, None
    for s, e in sorted(intervals):
        if end is None or s > end:
            total, end = total + e - s, e
        elif e > end:
            total, end = total + e - end, e
    return total


def part_of(w):
    return "copy" if w["kind"] == "copy" else "comm" if w["name"].startswith("nccl") else "compute"


def account(work, lo, hi, devices):
    """Parts and rows of a window, the mean of the devices."""
    out = {}
    for d in range(devices):
        own = [(part_of(w), max(lo, w["start"]), min(hi, w["end"])) for w in work if w["dev"] == d and w["start"] < hi and w["end"] > lo]
        of = {p: [(s, e) for q, s, e in own if q == p] for p in ("compute", "comm", "copy")}
        c, cn, all_of = length(of["compute"]), length(of["compute"] + of["comm"]), length(of["compute"] + of["comm"] + of["copy"])
        for p, v in (("computing", c), ("exposed_communication", cn - c), ("exposed_copy", all_of - cn), ("idle", hi - lo - all_of)):
            out[p] = out.get(p, 0) + v / devices
    for w in work:
        if part_of(w) == "compute" and w["start"] < hi and w["end"] > lo:
            out[w["name"]] = out.get(w["name"], 0) + (min(hi, w["end"]) - max(lo, w["start"])) / devices
    return out


def side(tr, plan):
    """(period, parts and rows of the median step) of a trace; without steps of the recording."""
    work, devices = tr.work, plan.devices
    if not plan.marks:
        lo, hi = min(w["start"] for w in work), max(w["end"] for w in work)
        return hi - lo, account(work, lo, hi, devices)
    starts = [min(w["start"] for w in work if w["step"] == i) for i in range(plan.steps)]
    periods = [(starts[i + 1] - starts[i], starts[i]) for i in range(1 if plan.warm > 1.5 else 0, plan.steps - 1)]
    if not periods:
        return None, {}
    order = sorted(periods)
    middle = order[(len(order) - 1) // 2:len(order) // 2 + 1]
    rows = [account(work, s, s + p, devices) for p, s in middle]
    return (sum(p for p, _ in middle) / len(middle),
            {k: sum(r.get(k, 0) for r in rows) / len(rows) for r in rows for k in r})


def truth(traces, plan):
    """Of several ranks the mean of theirs."""
    sides = [side(tr, plan) for tr in traces]
    if any(p is None for p, _ in sides):
        return None, {}
    keys = {k for _, r in sides for k in r}
    return sum(p for p, _ in sides) / len(sides), {k: sum(r.get(k, 0) for _, r in sides) / len(sides) for k in keys}


# ---- kinds of pairs ----

def two(rng, fmts=None):
    a = Plan(rng, rng.choice(fmts or FORMATS))
    b = copy.deepcopy(a)
    return a, b


def largest(plan):
    return max(plan.names[:5], key=plan.time_of)


def scale(plan, name, change):
    """Makes a kernel slower so that its total grows by a part of all compute time."""
    f = 1 + change * plan.compute() / plan.time_of(name)
    for o in plan.of(name):
        o["ns"] = int(o["ns"] * f)


def equal(rng):
    a, b = two(rng)
    return Pair(a, b, None, gate=0)


def noise(rng):
    a, b = two(rng)
    a.noise = b.noise = rng.choice([0.005, 0.01, 0.02])
    return Pair(a, b, None, gate=0)


def number_of_steps(rng):
    a, b = two(rng)
    a.steps, b.steps = rng.sample([3, 4, 5, 6, 8, 12], 2)
    return Pair(a, b, None, gate=0)


def warm_up(rng):
    a, b = two(rng)
    rng.choice([a, b]).warm = rng.uniform(1.9, 4)
    a.steps, b.steps = rng.randint(5, 8), rng.randint(5, 8)
    return Pair(a, b, None, gate=0)


def one_slow_step(rng):
    a, b = two(rng)
    b.steps = a.steps = rng.randint(6, 9)
    b.slow_step = rng.randrange(1, b.steps - 1)
    return Pair(a, b, None, gate=0)


def outside(rng):
    a, b = two(rng)
    b.before, b.after = rng.randint(10, 40), rng.randint(0, 20)
    return Pair(a, b, None, gate=0)


def renamed(rng):
    """Kernels with other names of the same family and the same times."""
    a, b = two(rng, ["kineto", "nsys", "rocprof"])
    rename(rng, b, largest(b))
    return Pair(a, b, None, gate=0)


def rename(rng, plan, old):
    new = old.replace("128", "192").replace("bf16", "f16") if rng.random() < 0.5 else old + "_v2"
    if new == old:
        new = old + "_v2"
    for o in plan.of(old):
        o["name"] = new
    plan.names[plan.names.index(old)] = new
    return new


def cut_off(rng):
    """A recording that ends in the middle of its second or a later step: the last mark is missing."""
    a, b = two(rng)
    b.steps = rng.choice([1, 1, 2, 3])
    b.half = rng.randint(2, len(b.ops) // 2)
    return Pair(*rng.choice([(a, b), (b, a)]), None, gate=0)


def slower(rng, fmts=None):
    a, b = two(rng, fmts)
    name = rng.choice(sorted(b.names[:5], key=b.time_of)[2:])
    scale(b, name, rng.uniform(0.07, 0.3))
    a.noise = b.noise = rng.choice([0, 0, 0.003])
    return Pair(a, b, cause=name, gate=1)


def slightly_slower(rng):
    a, b = two(rng)
    name = largest(b)
    scale(b, name, rng.uniform(0.008, 0.018))
    return Pair(a, b, cause=name, gate=0)


def faster(rng):
    a, b = two(rng)
    name = largest(a)
    scale(a, name, rng.uniform(0.1, 0.3))
    return Pair(a, b, cause=name, gate=0)


def slower_other_steps(rng):
    p = slower(rng)
    p.a.steps, p.b.steps = rng.sample([3, 4, 5, 7, 9, 12], 2)
    return p


def slower_warm_up(rng):
    p = slower(rng)
    rng.choice([p.a, p.b]).warm = rng.uniform(2, 5)
    p.a.steps = p.b.steps = rng.randint(5, 8)
    return p


def slower_outside(rng):
    p = slower(rng)
    side_of = rng.choice([p.a, p.b])
    side_of.before, side_of.after = rng.randint(10, 60), rng.randint(0, 30)
    return p


def more_calls(rng):
    a, b = two(rng)
    name = rng.choice(sorted(b.names[:5], key=b.time_of)[2:])
    at, mean = b.ops.index(b.of(name)[0]), b.time_of(name) // len(b.of(name))
    for _ in range(max(1, round(rng.uniform(0.1, 0.25) * b.compute() / mean))):
        b.ops.insert(at, kernel(name, mean))
    return Pair(a, b, cause=name, gate=1)


def replaced(rng):
    """Another kernel of the same family in place of one, and slower."""
    a, b = two(rng, ["kineto", "nsys", "rocprof", "rocprof_csv"])
    old = sorted(b.names[:5], key=b.time_of)[2]
    scale(b, old, rng.uniform(0.08, 0.2))
    new = rename(rng, b, old)
    return Pair(a, b, cause=(old, new), gate=1)


def new_kernel(rng):
    a, b = two(rng)
    b.ops.insert(rng.randint(1, 5), kernel(b.names[5], int(rng.uniform(0.1, 0.25) * b.compute())))
    return Pair(a, b, cause=b.names[5], gate=1)


def exposed_copy(rng):
    """A copy that was hidden is on the stream of the kernels."""
    a, b = two(rng, ["kineto", "nsys", "rocprof", "rocprof_csv"])
    for p in (a, b):
        p.ops = [o for o in p.ops if o["do"] != "copy"]
        p.ops.insert(1, {"do": "copy", "way": "HtoD", "bytes": 8 << 20, "ns": int(0.15 * a.compute()), "stream": COPY_STREAM if p is a else None})
    return Pair(a, b, cause="exposed copies", gate=1)


def idle_by_host(rng):
    a, b = two(rng)
    b.ops.insert(rng.randint(3, 6), {"do": "host", "ns": int(rng.uniform(0.12, 0.4) * b.compute()), "range": "load batch"})
    return Pair(a, b, cause="idle", gate=1)


def communication(rng, change):
    a, b = two(rng)
    for p in (a, b):
        p.ops = [o for o in p.ops if o["do"] not in ("comm", "join")]
        p.ops.insert(len(p.ops) // 3, {"do": "comm", "name": COMM[0], "ns": int(rng.uniform(0.15, 0.151) * a.compute())})
        p.ops.insert(len(p.ops) - 1, {"do": "join"})
    change(b, next(i for i, o in enumerate(b.ops) if o["do"] == "comm"))
    return Pair(a, b, cause="exposed communication", gate=1)


def less_hidden(rng):
    """The next kernel waits for the collective."""
    return communication(rng, lambda b, i: b.ops.insert(i + 1, {"do": "join"}))


def slow_link(rng):
    """A collective that takes longer than what hides it."""
    def change(b, i):
        b.ops[i]["ns"] = int(b.compute() * rng.uniform(0.95, 1.3))
    return communication(rng, change)


def all_slower(rng):
    a, b = two(rng)
    f = rng.uniform(1.08, 1.5)
    for o in b.ops:
        if o["do"] in ("kernel", "comm"):
            o["ns"] = int(o["ns"] * f)
    return Pair(a, b, cause=largest(a), gate=1)


def larger_batch(rng):
    """The same calls, products twice as long, everything else longer, too."""
    a, b = two(rng)
    f = {n: rng.uniform(1.3, 2.1) for n in b.names}
    for o in b.ops:
        if o["do"] == "kernel":
            o["ns"] = int(o["ns"] * f[o["name"]])
    return Pair(a, b, gate=1, failures=None)


def two_causes(rng):
    """A kernel slower, and the host, too."""
    a, b = two(rng)
    scale(b, largest(b), 0.25)
    b.ops.insert(4, {"do": "host", "ns": int(0.1 * a.compute()), "range": "log"})
    return Pair(a, b, cause=largest(a), also=["idle"], gate=1, failures=2)


def opposite_causes(rng):
    """A kernel slower, another one faster by less."""
    a, b = two(rng)
    names = sorted(b.names[:5], key=b.time_of)
    scale(a, names[-2], 0.12)
    scale(b, names[-1], 0.3)
    return Pair(a, b, cause=names[-1], also=[names[-2]], gate=1)


def hidden_by_idle(rng):
    """A kernel slower while the host waits as much less: the same step, other parts."""
    a, b = two(rng)
    a.sync = True
    add = int(0.12 * a.compute())
    for p in (a, b):
        p.ops = [o for o in p.ops if o["do"] != "host"]
        p.ops.append({"do": "host", "ns": 3 * add if p is a else 2 * add, "range": "prepare batch"})
    scale(b, largest(b), add / b.compute())
    return Pair(a, b, None, also=["idle", largest(a)])


def ranks_slower(rng):
    p = slower(rng)
    to_kineto(rng, p, 3)
    return p


def to_kineto(rng, p, ranks):
    """The pair again as runs of ranks of PyTorch."""
    a = Plan(rng, "kineto")
    b = copy.deepcopy(a)
    name = largest(b)
    scale(b, name, rng.uniform(0.08, 0.25))
    a.ranks = b.ranks = ranks
    p.a, p.b, p.cause, p.family = a, b, name, True


def ranks_equal(rng):
    a, b = two(rng, ["kineto"])
    a.ranks = b.ranks = rng.choice([2, 4])
    return Pair(a, b, None, gate=0)


def other_ranks(rng):
    """All ranks of a smaller or larger world; a gate does not compare them."""
    a, b = two(rng, ["kineto"])
    a.ranks, b.ranks = rng.sample([2, 3, 4], 2)
    return Pair(a, b, None, gate=3)


def missing_rank(rng):
    a, b = two(rng, ["kineto"])
    a.ranks = b.ranks = rng.randint(3, 4)
    b.absent = rng.randrange(b.ranks)
    return Pair(a, b, False, gate=3, reason="missing_ranks")


def devices_slower(rng):
    """Two devices of one process."""
    p = slower(rng, [f for f in FORMATS if f != "xplane"])
    p.a.devices = p.b.devices = 2
    return p


def other_devices(rng):
    """One device, and two that do the same each."""
    a, b = two(rng, [f for f in FORMATS if f != "xplane"])
    b.devices = 2
    return Pair(a, b, None, gate=0)


def other_device(rng):
    a, b = two(rng, ["kineto", "nsys", "rocprof"])
    b.device = ("NVIDIA H200", 132, 150754820096) if a.vendor == "cuda" else ("AMD Instinct MI325X", 304, 274877906944)
    scale(b, largest(b), 0.2)
    return Pair(a, b, cause=largest(a), gate=3)


def steps_on_one_side(rng):
    """Marks on one side only, of a program without a loop on the other."""
    a, b = two(rng)
    b.marks, b.steps = False, 1
    return Pair(a, b, False, gate=3, reason="steps_on_one_side")


def one_pass(rng, fmts=None):
    a, b = two(rng, fmts or ["kineto", "nsys", "rocprof", "rocprof_csv"])
    for p in (a, b):
        p.marks, p.steps = False, 1
    return a, b


def passes_slower(rng):
    a, b = one_pass(rng)
    scale(b, largest(b), rng.uniform(0.08, 0.3))
    return Pair(a, b, cause=largest(a), gate=1, basis="recording")


def passes_equal(rng):
    a, b = one_pass(rng)
    return Pair(a, b, None, gate=0, basis="recording")


def passes_other_length(rng):
    a, b = one_pass(rng)
    b.ops = b.ops + [copy.deepcopy(o) for o in b.ops[2:7]]
    return Pair(a, b, False, gate=3, reason="different_length", basis="recording")


def truncated(rng):
    a, b = two(rng, ["kineto"])
    b.cut = rng.uniform(0.3, 0.9)
    return Pair(a, b, False, gate=3, reason=("truncated_input", "unreadable_input"))


def lost_events(rng):
    a, b = two(rng, ["kineto", "nsys", "rocprof"])
    b.lost = rng.uniform(0.12, 0.4)
    a.steps = b.steps = 8
    return Pair(a, b, False, gate=3, reason="lost_device_events")


def window(rng):
    """A window of both sides that cuts a step; a kernel is slower."""
    p = slower(rng)
    p.a.steps = p.b.steps = rng.randint(6, 9)
    p.a.noise = p.b.noise = 0
    synchronize(p.a, p.b)
    p.args = p.gate_args = ["--from", "%d%%" % rng.randint(10, 20), "--to", "%d%%" % rng.randint(75, 90)]
    return p


def synchronize(*plans):
    """The host waits in each step: a window is of launches."""
    for p in plans:
        if p.ops[-1]["do"] != "host":
            p.ops.append({"do": "host", "ns": p.compute() // 20, "range": "prepare batch"})


def window_equal(rng):
    a, b = two(rng)
    synchronize(a, b)
    a.steps = b.steps = rng.randint(6, 9)
    args = ["--from", "%d%%" % rng.randint(10, 20), "--to", "%d%%" % rng.randint(70, 90)]
    return Pair(a, b, None, gate=0, args=args, gate_args=args)


def whole_recordings(rng):
    """`--basis recording` of other numbers of steps."""
    a, b = two(rng)
    a.steps, b.steps = 4, 6
    return Pair(a, b, "recording", gate=1, basis="recording", args=["--basis", "recording"], gate_args=["--basis", "recording"])


HEALTHY = [equal, noise, number_of_steps, warm_up, one_slow_step, outside, renamed, cut_off, ranks_equal, other_devices, passes_equal,
           window_equal, other_ranks]
CHANGED = [slower, slightly_slower, faster, slower_other_steps, slower_warm_up, slower_outside, more_calls, replaced, new_kernel, exposed_copy,
           idle_by_host, less_hidden, slow_link, all_slower, larger_batch, two_causes, opposite_causes, hidden_by_idle, ranks_slower,
           devices_slower, other_device, passes_slower, window]
INCOMPARABLE = [missing_rank, steps_on_one_side, passes_other_length, truncated, lost_events]
KINDS = {f.__name__.replace("_", " "): f for f in HEALTHY + CHANGED + INCOMPARABLE}


def make(kind, seed):
    return KINDS[kind](random.Random("%s %d" % (kind, seed)))
