"""Traces for the trust checks that a single file can have: with the fault, and with what only looks like it."""
from claims_trace import Host
from make_claims import Case, US, kernels, loop, start


def base(rng, fmts=None, marks=None, count=None):
    tr, h = start(rng, fmts)
    marks = rng.random() < 0.5 if marks is None else marks
    loop(h, count or rng.randint(5, 9), lambda i: kernels(h), marks)
    return tr, h, marks


def trust_lost(rng, fault):
    tr, h, marks = base(rng)
    launches = len(tr.work)
    if fault:
        few = rng.random() < 0.5 and launches > 45
        k = 1 if few else rng.randint(max(2, launches // 8), launches // 2)
        for w in rng.sample(sorted(tr.work, key=lambda w: w["start"])[1:-2], k):
            tr.work.remove(w)
        status = "warn" if k / launches < 0.05 else "fail"
        return Case(tr, ("account",) if few else ("qualified", "lost_device_events"), ("trust", "lost_device_events", status, k, launches, None),
                    marks=marks)
    how = rng.choice(["queued", "copies", "capture" if tr.fmt == "kineto" or tr.fmt == "nsys" else "queued"])
    if how == "queued":
        for w in sorted(tr.work, key=lambda w: w["start"])[-rng.randint(1, 4):]:
            tr.work.remove(w)
    elif how == "copies":
        for _ in range(rng.randint(3, 9)):
            h.launch(1000, kind="copy", way="HtoD", bytes=0, lost=True)
        kernels(h, 3)
    else:
        h.sync()
        h.call("begin", 4000)
        kernels(h, rng.randint(5, 9), lost=True)
        h.call("end", 9000)
        tr.free[(0, h.stream)] = h.t
        kernels(h, 4)
    return Case(tr, ("account",), ("trust", "lost_device_events", "pass", 0, None, None), marks=marks)


def trust_times(rng, fault):
    """Impossible times, or kernels of zero length at a good time."""
    tr, h, marks = base(rng)
    picks = rng.sample(tr.work[3:-3], rng.choice([1, max(3, len(tr.work) // 6)]))
    if len(picks) / len(tr.work) > 0.04 and len(picks) / len(tr.work) < 0.06:
        picks = picks[:1] if len(tr.work) > 25 else picks
    for w in picks:
        if not fault:
            w["end"] = w["start"]
            continue
        how = rng.choice(["zero", "end"])
        if how == "zero":
            w["end"], w["start"] = w["end"] - w["start"], 0
        else:
            w["end"] = w["start"] - rng.randint(1000, 9000)
    if not fault:
        return Case(tr, ("account",), ("trust", "impossible_times", "pass", 0, None, None), marks=marks)
    share = len(picks) / len(tr.work)
    return Case(tr, ("account",), ("trust", "impossible_times", "fail" if share >= 0.05 else "warn", len(picks), len(tr.work), None), marks=marks)


def trust_order(rng, fault):
    """Work that starts before its launch call: for more than 1 us (fault) or less."""
    tr, h = start(rng)
    lead, n = 0, 0

    def body(i):
        nonlocal lead, n
        kernels(h)
        h.sync(late=200 * US)
        w = h.launch(rng.randint(40 * US, 90 * US))
        if i % step == 1:
            early = rng.randint(5 * US, 90 * US) if fault else rng.randint(100, 900)
            w["start"], w["end"] = w["call"]["start"] - early, w["call"]["start"] - early + w["end"] - w["start"]
            lead, n = max(lead, early), n + 1
    step = rng.choice([2, 4])
    loop(h, rng.randint(6, 9), body, marks := rng.random() < 0.5)
    if not fault:
        return Case(tr, ("account",), ("trust", "launch_order", "pass", 0, None, None), marks=marks)
    share = n / len(tr.work)
    return Case(tr, ("account",), ("trust", "launch_order", "fail" if share >= 0.1 else "warn", n, len(tr.work), lead), marks=marks)


def trust_marks(rng, fault):
    """Marks without length, or without device work."""
    tr, h = start(rng)
    n = rng.randint(6, 9)
    empty = set(rng.sample(range(n), 1 if rng.random() < 0.5 else n // 2 + 1)) if fault else set()
    zero = rng.random() < 0.5
    many = len(empty) > n / 2
    loop(h, n, lambda i: h.busy(rng.randint(50 * US, 90 * US)) if i in empty and not zero else kernels(h))
    if zero:
        for i, r in enumerate(tr.ranges):
            if i in empty:
                r["end"] = r["start"]
    checks = [("trust", "step_marks", ("fail" if many else "warn") if fault else "pass", len(empty), n, None)]
    if not fault:
        checks.append(("account",))
    return Case(tr, *checks)


def trust_cut(rng, fault):
    tr, h, marks = base(rng, ["kineto"])
    if fault:
        tr.extra["cut"] = rng.uniform(0.4, 0.9)
        return Case(tr, ("trust", "truncated_input", "fail", None, None, None), ("qualified", "truncated_input"))
    return Case(tr, ("account",), ("trust", "truncated_input", "pass", None, None, None), marks=marks)


def trust_ranks(rng, fault):
    """A single file never says anything about missing ranks, whether or not it belongs to a larger world."""
    tr, h, marks = base(rng, ["kineto"])
    if fault:
        tr.extra["head"] = {"distributedInfo": {"backend": "nccl", "rank": rng.randint(0, 7), "world_size": 8}}
    return Case(tr, ("account",), ("trust", "missing_ranks", "not_applicable", None, None, None), marks=marks)


def trust_collisions(rng, fault):
    """Launches of one process that share a number; of two processes (counterpart)."""
    tr, h, marks = base(rng, ["nsys"] if not fault else ["nsys", "kineto"])
    if not fault:
        other = Host(tr, t=tr.base + 777)
        other.stream = 33
        before = len(tr.calls), len(tr.work)
        tr.corr = 0
        numbers = [c["corr"] for c in tr.calls]
        kernels(other, min(9, len(numbers)))
        for c, w, n in zip(tr.calls[before[0]:], tr.work[before[1]:], numbers):
            c["corr"] = w["corr"] = n
            c["pid"] = w["pid"] = (tr.pid & 0xFFFF) + 1
        return Case(tr, ("trust", "correlation_collisions", "pass", 0, None, None), marks=marks)
    few = len(tr.calls) > 45 and rng.random() < 0.5
    k = 1 if few else max(3, len(tr.calls) // 6)
    used = rng.sample(range(1, len(tr.work) - 1), 2 * k)
    for a, b in zip(used[:k], used[k:]):
        tr.work[b]["corr"] = tr.work[b]["call"]["corr"] = tr.work[a]["corr"]
    return Case(tr, ("trust", "correlation_collisions", "warn" if 2 * k / len(tr.calls) < 0.05 else "fail", (k, 2 * k), None, None), marks=marks)


def trust_unknown(rng, fault):
    tr, h, marks = base(rng)
    names = ["zq_%s_%d" % ("".join(rng.choice("bdfgklptvz") for _ in range(6)), rng.randint(3, 99)) for _ in range(3)]
    picks = rng.sample(tr.work, max(3, int(len(tr.work) * rng.choice([0.25, 0.6]))) if fault else 1)
    for w in picks:
        w["name"] = rng.choice(names)
        if not fault:
            w["end"] = w["start"] + 1500
    time = sum(w["end"] - w["start"] for w in picks)
    share = time / sum(w["end"] - w["start"] for w in tr.work)
    return Case(tr, ("account",), ("trust", "unknown_kernels", "warn" if share >= 0.05 else "pass", len(picks), None, time), marks=marks)


def trust_graph(rng, fault):
    """Graph launches without anything recorded; with nodes (counterpart)."""
    tr, h = start(rng, ["kineto", "nsys", "kineto"])
    gone, short = 0, fault and rng.random() < 0.4
    n = rng.randint(5, 8)
    hold = 0

    def body(i):
        nonlocal gone, hold
        kernels(h, 6, 100, 200)
        c = h.call("graph", rng.randint(9 * US, 20 * US))
        if fault and (not short or i == 2) and i < n - 1:
            gone += 1
            lead = h.lead()
            h.sync(late=rng.randint(5 * US, 12 * US) if short else rng.randint(400 * US, 900 * US))
            assert lead >= 0
        else:
            for k in range(rng.randint(3, 6)):
                h.put(c, rng.randint(9 * US, 30 * US), None, "kernel", 0, h.stream, node=(7 << 32) + k + 1)
            h.busy(2000)
    loop(h, n, body, marks := rng.random() < 0.5)
    kernels(h, 2)
    if not fault:
        return Case(tr, ("account",), ("trust", "graph_unrecorded", "pass", 0, None, None),
                    ("trust", "lost_device_events", "pass", 0, None, None), marks=marks)
    return Case(tr, ("account",), ("trust", "graph_unrecorded", "warn" if short else "fail", gone, n, None),
                ("trust", "lost_device_events", "pass", 0, None, None), marks=marks)


def trust_peaks(rng, fault):
    tr, h, marks = base(rng, ["kineto", "nsys"])
    if fault:
        tr.device = rng.choice([("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16, 10 * 10**9), ("Quaxon Q7", 64, 16 * 10**9),
                                ("NVIDIA H100 80GB HBM3", 60, 40 * 10**9)] if tr.vendor == "cuda" else [("Quaxon Q7", 64, 16 * 10**9)])
    elif tr.vendor == "cuda":
        tr.device = rng.choice([tr.device, ("NVIDIA A100-SXM4-80GB", 108, 85161672704)])
    return Case(tr, ("account",), ("trust", "device_peaks", "warn" if fault else "pass", None, None, None),
                ("peaks", ("scaled", "unknown") if fault else ("data sheet",)), marks=marks)


def trust_rates(rng, fault):
    """Matrix products faster than the device can be."""
    tr, h = start(rng, ["kineto"])
    h.wrap_ops = False
    few = fault and rng.random() < 0.5
    n = rng.randint(5, 8)
    bad = 0

    def product(dur, m):
        o = {"name": "aten::mm", "start": h.t, "tid": h.tid,
             "args": {"Input Dims": [[m, m], [m, m]], "Input type": ["c10::BFloat16"] * 2, "Input Strides": [[m, 1], [m, 1]],
                      "Concrete Inputs": ["", ""]}}
        h.t += 900
        h.launch(dur, name=tr.pool[0] if "gemm" in tr.pool[0] or "Cijk" in tr.pool[0] else next(
            p for p in tr.pool if "gemm" in p or "Cijk" in p))
        o["end"] = h.t
        tr.ops.append(o)

    def body(i):
        nonlocal bad
        for _ in range(8):
            m = rng.choice([4096, 8192])
            good = int(2 * m**3 / 400e3)  # 400 TFLOP/s
            if fault and (i == 1 and bad == 0 if few else rng.random() < 0.5):
                bad += 1
                good //= 12
            product(good + rng.randint(0, 5000), m)
    loop(h, n, body)
    status = "pass" if not bad else "fail" if bad / (8 * n) >= 0.05 else "warn"
    return Case(tr, ("account",), ("trust", "impossible_rates", status, bad, 8 * n, None))


MAKERS = [
    ("trust: lost_device_events", trust_lost),
    ("trust: impossible_times", trust_times),
    ("trust: launch_order", trust_order),
    ("trust: step_marks", trust_marks),
    ("trust: truncated_input", trust_cut),
    ("trust: missing_ranks", trust_ranks),
    ("trust: correlation_collisions", trust_collisions),
    ("trust: unknown_kernels", trust_unknown),
    ("trust: graph_unrecorded", trust_graph),
    ("trust: device_peaks", trust_peaks),
    ("trust: impossible_rates", trust_rates)]
