"""Traces for single rules of the verdict: few blocks, uneven steps, places of idle time and their advice, sizes in sentences.
Makers as in make_claims.py; what is expected is computed from the written file by tests/claims_rules_check.py."""
import contextlib

from claims_trace import COMM
from make_claims import MS, US, Case, kernels, loop, stacks, start

GRIDS = ["kineto", "kineto", "nsys", "rocprof"]


def grid(rng, blocks):
    """That many blocks in up to three dimensions."""
    out = [1, 1, 1]
    for p in (2, 3, 5, 7):
        while blocks % p == 0 and rng.random() < 0.5:
            blocks //= p
            out[rng.randrange(3)] *= p
    out[rng.randrange(3)] *= blocks
    return out


def units_of(tr, rng):
    """The device that the profiler recorded, or one that no table knows, with any number of units."""
    if rng.random() < 0.5:
        tr.device = ("Example Accelerator %d" % rng.randint(1, 900), rng.randint(24, 300), 64 * 10**9)
    return tr.device[1]


# Few blocks

class Few:
    """Kernels of few blocks of one case."""

    def __init__(self, tr, h, kind):
        self.tr, self.h, self.rng, self.kind = tr, h, h.rng, kind
        self.units, self.other = units_of(tr, h.rng), h.stream + 1
        self.names, self.dev = h.rng.sample(tr.pool, 2), 0

    def end(self):
        return max(e for (d, _), e in self.tr.free.items() if d == self.dev)

    def low(self, stream=None, after=0, dur=None):
        rng, units, kind = self.rng, self.units, self.kind
        blocks = rng.randint(1, units // 2) if rng.random() < 0.8 else units // 2
        if kind == "enough":
            blocks = rng.choice([units, rng.randint(units, 4 * units)])
        elif kind == "above half":
            blocks = rng.randint(units // 2 + 1, units)
        lengths = (8 * US, 59 * US) if kind == "short" else (60 * US, 500 * US)
        name = rng.choice(COMM if kind == "communication" else self.names)
        return self.h.launch(dur or rng.randint(*lengths), name=name, grid=None if kind == "no grid" else grid(rng, blocks), stream=stream,
                             after=after, dev=self.dev)

    def overlapped(self, after):
        """Next to another kernel or a copy on another stream: all of it if healthy."""
        rng, h = self.rng, self.h
        how = "inside" if self.kind == "beside" else rng.choice(["end", "begin", "around", "communication", "copy"])
        if how in ("inside", "end"):
            first = h.launch(rng.randint(300 * US, 500 * US), after=after, dev=self.dev)
            dur = rng.randint(80 * US, 200 * US)
            at = first["start"] + rng.randint(10 * US, 60 * US) if how == "inside" else first["end"] - rng.randint(10 * US, dur - 10 * US)
            self.low(self.other, at, dur)
            return
        first = self.low(after=after, dur=rng.randint(200 * US, 400 * US))
        at = first["start"] + rng.randint(70 * US, 150 * US)
        dur = rng.randint(10 * US, 40 * US) if how == "around" else rng.randint(400 * US, 500 * US)
        if how == "copy":
            h.launch(dur, kind="copy", way="DtoH", src="Device", dst="Pinned", bytes=10**6, stream=self.other, after=at, dev=self.dev)
        else:
            h.launch(dur, name=rng.choice(COMM) if how == "communication" else None, stream=self.other, after=at, dev=self.dev)


def few_blocks(rng, fault):
    """Long kernels with at most half as many blocks as units, alone or partly next to others; healthy: as many blocks, more than half,
    short kernels, communication, next to longer kernels, in the step of warm-up, or units or blocks that nobody recorded."""
    kind = "few" if fault else rng.choice(["enough", "above half", "short", "communication", "beside", "warm-up", "no units", "no grid"])
    tr, h = start(rng, ["kineto"] if kind == "no grid" else GRIDS)
    few = Few(tr, h, kind)
    tr.devices = rng.choice([1, 1, 2])
    tr.extra["variant"] = kind

    def device(i):
        kernels(h, rng.randint(4, 5), dev=few.dev)
        after = few.end()
        if kind == "warm-up":
            for _ in range(0 if i else 12):
                few.low(after=after, dur=rng.randint(200 * US, 300 * US))
        elif kind == "beside" or (fault and i % 3 == 2):
            few.overlapped(after)
        else:
            for _ in range(rng.randint(1, 3)):
                few.low(after=after)
        h.launch(rng.randint(100 * US, 200 * US), after=few.end(), dev=few.dev)
        if rng.random() < 0.5:
            h.sync("dsync", dev=few.dev)

    def body(i):
        for few.dev in range(tr.devices):
            device(i)
    loop(h, rng.randint(4, 8), body, marks := kind == "warm-up" or rng.random() < 0.6)
    if kind == "no units":
        tr.device = ("Example Accelerator", None, 64 * 10**9)
    return Case(tr, ("account",), ("low_parallelism",), marks=marks)


# Uneven steps

def uneven(rng, fault):
    """Steps of unlike lengths; healthy: a short last one, a host that runs ahead, one slow step or every fifth, a host whose launches
    alternate while the device is even, too few steps, differences of a few percent, a slow first step, no marks."""
    tr, h = start(rng)
    h.device_gap = 0
    kind = rng.choice(["alternate", "two of three", "any"]) if fault else rng.choice(
        ["short last", "ahead", "one slow", "every fifth", "uneven host", "four", "small", "warm-up", "no marks"])
    tr.extra["variant"] = kind
    n = 4 if kind == "four" else rng.randint(8, 15)
    unit, factor = rng.randint(60, 110), rng.uniform(1.4, 2.2)
    by = rng.choice(["kernels", "host", "length"])
    ahead = kind in ("ahead", "uneven host") or (by == "kernels" and rng.random() < 0.5)
    odd = rng.randrange(2, n - 1)

    def part(i):
        """Of a step, by the kind: 1 is a whole one."""
        if kind in ("alternate", "four"):
            return factor if i % 2 else 1
        if kind == "two of three":
            return factor if i % 3 else 1
        if kind in ("any", "no marks"):
            return rng.uniform(1, 2.2) if i else 1
        if kind == "every fifth":
            return factor if i % 5 == 3 else 1
        if kind == "small":
            return rng.uniform(1, 1.05)
        if kind == "short last" and i == n - 1:
            return rng.uniform(0.2, 0.6)
        return factor if (kind == "one slow" and i == odd) or (kind == "warm-up" and i == 0) else 1

    def body(i):
        p = part(i)
        count = round(10 * p) if by == "kernels" and kind != "small" else 10
        for _ in range(count):
            h.launch(int(unit * US * (p if by == "length" or kind == "small" else 1)) + rng.randint(0, 500))
        if kind == "uneven host" and i % 2:
            h.busy(h.lead() // 3)
        if not ahead:
            h.sync()
            if by == "host" and p > 1 and kind != "small":
                h.busy(int((p - 1) * 10 * unit * US))
        if kind == "ahead" and i == n - 1:
            h.sync()
    loop(h, n, body, marks := kind != "no marks")
    return Case(tr, ("account",), ("step_jitter", fault), marks=marks) if marks else Case(tr, ("step_jitter", fault), marks=marks)


def unlike_steps(rng, fault):
    """A few steps that are several times as long: the line of steps has median and mean; healthy: similar ones."""
    tr, h = start(rng)
    n, unit = rng.randint(7, 12), rng.randint(60, 110)
    slow = rng.sample(range(2, n - 1), rng.choice([1, 2]) if fault else 0)
    factor = rng.uniform(8, 15)

    def body(i):
        for _ in range(8):
            h.launch(int(unit * US * (factor if i in slow else 1)) + rng.randint(0, 900))
        if i % 2:
            h.sync()
    loop(h, n, body)
    return Case(tr, ("account",), ("step_line", fault))


# Places of idle time and their advice

RANGES = ["router_logic", "log_stats", "update_schedule", "post_process", "sampling_params", "plan_batches"]
FRAMES = ["sched.py(77): plan", "engine.py(130): route_tokens", "sampler.py(9): pick"]
MODEL = ["forward", "backward", "model_forward", "loss.backward"]


def gaps(h, count, low, inside, outside):
    """Some gaps: `inside` is a context around the pauses with their launches, `outside` one around each pause."""
    with inside():
        h.launch(h.rng.randint(60 * US, 90 * US))
        for _ in range(count):
            with outside():
                h.busy(h.lead() + h.rng.randint(low, low * 11 // 10))
            h.tag = "place"
            h.launch(h.rng.randint(60 * US, 90 * US))
            h.launch(h.rng.randint(60 * US, 90 * US))


def one_side(h, count, low, span, before):
    """Gaps in ranges that launch the work before them, or only that after them."""
    for _ in range(count):
        h.launch(h.rng.randint(60 * US, 90 * US))
        with span():
            if before:
                h.launch(h.rng.randint(60 * US, 90 * US))
            h.busy(h.lead() + h.rng.randint(low, low * 11 // 10))
            h.tag = "place"
            if not before:
                h.launch(h.rng.randint(60 * US, 90 * US))
        h.busy(h.rng.randint(100, 900))
        h.launch(h.rng.randint(60 * US, 90 * US))


def place(rng, fault):
    """Pauses in a range or frame that launches before and after them; healthy: a range between launches, perhaps in one that launches,
    or with those of one side, or pauses of milliseconds."""
    by_frame = rng.random() < 0.3
    tr, h = start(rng, ["kineto"] if by_frame else None)
    name, outer = rng.sample(FRAMES if by_frame else RANGES, 2)
    where = tr.frames if by_frame else tr.ranges
    kind = "around" if fault else rng.choice(["between", "nested", "before", "after", "long"])
    low = rng.randint(150 * US, 850 * US) if kind != "long" else rng.randint(1100 * US, 3 * MS)
    tr.extra["variant"] = kind
    none = contextlib.nullcontext

    def span():
        return h.span(where, name)

    def body(i):
        kernels(h, 3)
        count = rng.randint(2, 4)
        if kind in ("before", "after"):
            one_side(h, count, low, span, kind == "before")
        elif kind == "nested":
            gaps(h, count, low, lambda: h.span(where, outer), span)
        else:
            gaps(h, count, low, none if kind == "between" else span, span if kind == "between" else none)
        kernels(h, 3)
    with stacks(h, by_frame):
        loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    cause = "host_frame" if by_frame else "host_range"
    return Case(tr, ("account",), ("place", cause, {"frame" if by_frame else "range": [name]},
                                   ["reduce_launch_overhead" if fault else "move_host_work"]), marks=marks)


def model_place(rng, fault):
    """Short pauses in a range or frame named as a pass of a model, or long ones in what a framework opens; healthy: another name, or
    long ones in a pass."""
    by_frame = rng.random() < 0.3
    tr, h = start(rng, ["kineto"] if by_frame else None)
    names = MODEL + (["Optimizer.step#AdamW.step", "Optimizer.zero_grad#SGD.zero_grad"] if tr.fmt == "kineto" else [])
    passes = fault or rng.random() < 0.5
    name = rng.choice((["model.py(31): forward", "loss.py(7): backward"] if by_frame else names if fault else MODEL) if passes
                      else FRAMES if by_frame else RANGES)
    where = tr.frames if by_frame else tr.ranges
    low = rng.randint(1100 * US, 3 * MS) if not fault or name.startswith("Optimizer") else rng.randint(150 * US, 850 * US)

    def body(i):
        kernels(h, 3)
        gaps(h, rng.randint(1, 3), low, lambda: h.span(where, name), contextlib.nullcontext)
    with stacks(h, by_frame):
        loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    cause = "host_frame" if by_frame else "host_range"
    return Case(tr, ("account",), ("place", cause, {"frame" if by_frame else "range": [name]},
                                   ["reduce_launch_overhead" if fault else "move_host_work"]), marks=marks)


def no_place(rng, fault):
    """A hundred pauses and more without any place; healthy: a few."""
    tr, h = start(rng)
    h.wrap_ops = False
    steps = rng.randint(4, 7)
    each = 100 // steps + rng.randint(2, 8) if fault else rng.randint(1, 60 // steps)
    low = rng.randint(150 * US, 400 * US)

    def body(i):
        kernels(h, 3)
        gaps(h, each, low, contextlib.nullcontext, contextlib.nullcontext)
    loop(h, steps, body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("place", "host_compute", {}, ["reduce_launch_overhead" if fault else "record_stacks"]), marks=marks)


def in_operator(rng, fault):
    """Pauses in an operator of under (fault) or over a millisecond."""
    tr, h = start(rng, ["kineto"])
    name = rng.choice(["aten::nonzero_numpy", "aten::index_put_", "mylib::decode", "aten::topk"])
    low = rng.randint(150 * US, 850 * US) if fault else rng.randint(1100 * US, 3 * MS)

    def body(i):
        kernels(h, 3)
        gaps(h, rng.randint(2, 4), low, contextlib.nullcontext, lambda: h.span(tr.ops, name))
    loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    return Case(tr, ("account",), ("place", "host_compute", {"operation": [name]},
                                   ["reduce_launch_overhead"] if fault else ["record_stacks", "move_host_work"]), marks=marks)


def waiting_operator(rng, fault):
    """A wait inside of an operator, which is named; healthy: a wait in none, next to operators that launch."""
    tr, h = start(rng, ["kineto"])
    outer, inner = rng.choice([("aten::item", "aten::_local_scalar_dense"), ("aten::to", "aten::copy_"), ("aten::is_nonzero", "aten::item"),
                               ("mylib::drain", "mylib::wait")])
    nested = rng.random() < 0.6
    kind, gap = rng.choice(["ssync", "dsync", "esync"]), rng.randint(100 * US, 300 * US)
    short = rng.random() < 0.5  # the wait ends with the device's work, and the launch follows later
    tr.extra["variant"] = "short" if short else "long"

    def body(i):
        kernels(h, rng.randint(3, 6))
        with contextlib.ExitStack() as st:
            for name in ([outer] + ([inner] if nested else [])) if fault else []:
                st.enter_context(h.span(tr.ops, name))
                h.busy(rng.randint(500, 2000))
            h.sync(kind, late=None if short else rng.randint(gap, 2 * gap))
        h.busy(rng.randint(30 * US, 80 * US) if short else 0)
        h.tag = "place"
        h.launch(rng.randint(60 * US, 90 * US), op="aten::mul")
        kernels(h, 3)
    loop(h, rng.randint(4, 8), body, marks := rng.random() < 0.6)
    names = ([outer] + ([inner] if nested else [])) if fault else [None]
    return Case(tr, ("account",), ("place", "synchronization", {"operation": names}, ["defer_sync"]), marks=marks)


# Sizes

def copy_sizes(rng, fault):
    """Exposed copies of one direction whose sizes differ by more than a factor of 2 (a range), or by less."""
    tr, h = start(rng, ["kineto", "nsys", "rocprof"])
    h.device_gap = 0
    low = rng.choice([rng.randint(70000, 900000), rng.randint(10**6, 9 * 10**6)])
    ratio = rng.uniform(2.3, 60) if fault else rng.uniform(1.0, 1.8)
    way = rng.choice(["HtoD", "DtoH"])
    ends = ("Pinned", "Device") if way == "HtoD" else ("Device", "Pinned")
    n = rng.randint(5, 9)

    def body(i):
        kernels(h, 6, 100, 110)
        size = [low, int(low * ratio)][i - 2] if i in (2, 3) else int(low * rng.uniform(1, ratio))
        h.launch(int(40 * US + size / rng.uniform(30, 40)), kind="copy", way=way, src=ends[0], dst=ends[1], bytes=size)
        kernels(h, 3, 100, 110)
    loop(h, n, body, False)  # without marks, so that the copies are not a part of uneven steps
    return Case(tr, ("account",), ("copy_sizes", fault), marks=False)


def first_use(rng, fault):
    """Code is loaded and memory allocated for the first time as the program starts: one sentence. Healthy: it allocates later, again."""
    tr, h = start(rng, ["kineto", "nsys"])
    low = rng.randint(2 * MS, 9 * MS)

    def slow(kind):
        h.launch(rng.randint(60 * US, 90 * US))
        h.call(kind, h.lead() + rng.randint(low, 2 * low))
        h.tag = kind
        h.launch(rng.randint(60 * US, 90 * US))
    if not fault:
        slow("alloc")  # its first call; the others are no first use
    slow("load")
    if fault:
        slow("alloc")
    else:
        for _ in range(3):
            slow("alloc")
    for _ in range(rng.randint(100, 200)):
        h.launch(rng.randint(60 * US, 90 * US))
    return Case(tr, ("account",), ("first_use", fault), marks=False)


MAKERS = [("rules: first use", first_use), ("rules: low_parallelism", few_blocks), ("rules: step_jitter", uneven), ("rules: unlike steps", unlike_steps),
          ("rules: place that launches", place), ("rules: pass of a model", model_place), ("rules: no place", no_place),
          ("rules: operator", in_operator), ("rules: operator that waits", waiting_operator), ("rules: sizes of copies", copy_sizes)]
