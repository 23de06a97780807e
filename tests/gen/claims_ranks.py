"""Runs of several ranks with a known truth: each rank is a host thread and a device of claims_trace.py; a collective of a group
ends on all its ranks a transfer after the last of them has started it.
"""

from claims_trace import Host, Trace, write
from make_claims import US, WORDS  # noqa: E402

FAMILY = {"allreduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
          "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"}


class Run:
    """The ranks of one run; also the Case that tests/claims_check.py takes."""

    def __init__(self, rng, world, groups=None, nodes=1):
        self.rng, self.world, self.checks, self.folder_run, self.marks = rng, world, [], True, True
        self.groups = groups or [list(range(world))]
        self.ranks, self.seq = [], 0
        vendor = rng.choice(["cuda", "hip"])
        base = rng.randint(10**12, 5 * 10**15)
        pool = Trace(rng, "kineto", vendor).pool
        stacked = rng.random() < 0.4
        for r in range(world):
            tr = Trace(rng, "kineto", vendor)
            tr.pool, tr.base = pool, base
            h = Host(tr, t=base + rng.randint(0, 30 * US))
            h.wrap_ops = False
            tr.extra["head"] = {"host_name": "node%d" % (r * nodes // world), "distributedInfo": {
                "backend": "nccl", "rank": r, "world_size": world, "pg_count": 1 + len(self.groups),
                "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": world,
                               "ranks": list(range(world))}] + [
                    {"pg_name": str(i + 1), "pg_desc": "tp", "backend_config": "cuda:nccl", "pg_size": len(g), "ranks": g}
                    for i, g in enumerate(self.groups) if len(g) < world]}}
            self.ranks.append(h)
        self.first, self.stacked = rng.choice([0, 1, 5, 50]), stacked
        self.shift = [0] * world if rng.random() < 0.5 else [rng.randint(0, 10**9) for _ in range(world)]
        self.missing = set()
        self.plan = []

    def collective(self, group, transfer, what="allreduce", nelems=1 << 22, side_stream=True):
        """One collective of a group, after the compute work that each of its ranks has queued."""
        self.seq += 1
        index = self.groups.index(group) + 1 if group in self.groups and len(group) < self.world else 0
        work = []
        for r in group:
            h = self.ranks[r]
            args = {"Collective name": what, "In msg nelems": nelems, "Out msg nelems": nelems, "Group size": len(group), "dtype": "BFloat16",
                    "Process Group Name": str(index), "Process Group Description": "tp" if index else "default_pg",
                    "Process Group Ranks": str(list(group)), "Seq": self.seq, "In split size": "[]", "Out split size": "[]"}
            work.append(h.launch(0, name=FAMILY[what], stream=20 if side_stream else h.stream, after=max(h.tr.free.values() or [0]), args=args))
        end = max(w["start"] for w in work) + transfer
        for r, w in zip(group, work):
            w["end"] = end + self.rng.randint(0, 400)
            tr = self.ranks[r].tr
            tr.free[(0, w["stream"])] = w["end"]
            tr.free[(0, self.ranks[r].stream)] = w["end"]

    def steps(self, count, body):
        marks = [[] for _ in self.ranks]
        for i in range(count):
            for r, h in enumerate(self.ranks):
                marks[r].append(h.t)
            body(i)
            for r, h in enumerate(self.ranks):
                h.tr.ranges.append({"name": "ProfilerStep#%d" % (self.first + i), "start": marks[r][-1], "end": h.t, "tid": h.tid, "mark": True})
                h.t += 1000

    def write(self, folder):
        style = self.rng.choice(["rank%d", "trace_rank_%d", "rank-%d_trace", "worker%d", "%d"])
        for r, h in enumerate(self.ranks):
            if r in self.missing:
                continue
            tr, d = h.tr, self.shift[r]
            if self.stacked and not tr.frames:
                tr.frames.append({"name": "train.py(3): <module>", "start": tr.base - 5000, "end": h.t + 5000, "tid": h.tid})
            for s in tr.calls + tr.work + tr.ranges + tr.frames + tr.ops:
                s["start"] += d
                s["end"] += d
            write(tr, folder, style % r)
        return folder


def even_work(run, durs, scale=None, extra=None):
    """The same kernels on every rank within 1%; scale: by rank."""
    for r, h in enumerate(run.ranks):
        for j, d in enumerate(durs):
            for _ in range(1 + (extra or {}).get((r, j), 0)):
                h.launch(int(d * (scale or {}).get(r, 1) * h.rng.uniform(0.995, 1.005)), name=h.tr.pool[j % len(h.tr.pool)])


def durations(rng):
    return [rng.randint(60, 200) * US for _ in range(rng.randint(5, 9))]


def sync_all(run):
    for h in run.ranks:
        h.sync("dsync")


def straggler(kind):
    def make(rng, fault):
        """One rank that arrives late in every step; the counterpart is even."""
        run = Run(rng, rng.choice([4, 4, 6, 8]))
        late, durs, pace = rng.randrange(run.world), durations(rng), rng.random() < 0.6
        factor = rng.uniform(1.25, 1.8)
        cause = rng.choice(["data_loading", "host_range", "checkpoint", "allocation"])
        name = rng.choice(WORDS.get(cause, [""]))
        extra = {(late, j): rng.randint(1, 2) for j in range(len(durs)) if kind == "more_work"} if fault else {}

        def body(i):
            if fault and kind == "host":
                h = run.ranks[late]
                gap = h.lead() + int(sum(durs) * rng.uniform(0.4, 0.6))
                if cause == "allocation":
                    h.call("alloc", gap)
                else:
                    with h.span(h.tr.ranges, name):
                        h.busy(gap)
            even_work(run, durs, {late: factor} if fault and kind == "slow_kernels" else None, extra)
            run.collective(run.groups[0], rng.randint(90, 120) * US)
            if pace:
                sync_all(run)
        run.steps(rng.randint(6, 10), body)
        if fault:
            run.checks = [("straggler", late, {"slow_kernels": "slow_kernels", "more_work": "more_work", "host": cause}[kind])]
        else:
            run.checks = [("no_finding", "straggler", 0.02), ("no_finding", "slow_group", 0.02)]
        run.checks += [("account",), ("ranks", run.world, [])]
        return run
    return make


def never_idle(rng, fault):
    """Devices that never stop (fault), so that rounded means may not leave less than no idle time; with gaps (counterpart)."""
    run = Run(rng, rng.choice([3, 4, 6, 7]))
    durs = durations(rng)
    for h in run.ranks:
        h.device_gap = 0 if fault else 700

    def body(i):
        even_work(run, durs)
        run.collective(run.groups[0], rng.randint(90, 120) * US)
    run.steps(rng.randint(5, 9), body)
    run.checks = [("account",), ("no_idle", 0.03)]
    return run


def jitter(rng, fault):
    """Another rank is late in each step, so that no rank is the straggler (fault: one is, in the same noise)."""
    run = Run(rng, rng.choice([4, 8]))
    durs, late = durations(rng), rng.randrange(run.world)
    order = list(range(run.world))
    rng.shuffle(order)

    def body(i):
        scale = {order[i % run.world]: 1.35}
        if fault:
            scale = {r: rng.uniform(1, 1.08) for r in range(run.world)}
            scale[late] = 1.6
        even_work(run, durs, scale)
        run.collective(run.groups[0], rng.randint(90, 120) * US)
        if i % 2:
            sync_all(run)
    run.steps(run.world * (2 if run.world == 4 else 1), body)
    run.checks = [("account",), ("straggler", late, "slow_kernels") if fault else ("no_finding", "straggler", 0.02)]
    return run


def two_stragglers(rng, fault):
    """A rank with slow kernels and one that is late by a little: the waiting is the first one's (fault); both alone are not there."""
    run = Run(rng, rng.choice([4, 6, 8]))
    late, little = rng.sample(range(run.world), 2)
    durs, factor = durations(rng), rng.uniform(1.3, 1.7)

    def body(i):
        even_work(run, durs, {late: factor, little: rng.uniform(1.03, 1.05)} if fault else None)
        run.collective(run.groups[0], rng.randint(40, 60) * US)
        if i % 2:
            sync_all(run)
    run.steps(rng.randint(6, 10), body)
    run.checks = [("account",)] + ([("straggler", late, "slow_kernels"), ("waits_once", "straggler")] if fault else
                                   [("no_finding", "straggler", 0.02)])
    return run


def slow_node(rng, fault):
    """All ranks of one of two nodes have slow kernels."""
    run = Run(rng, 8, nodes=2)
    durs, node, factor = durations(rng), rng.randrange(2), rng.uniform(1.3, 1.7)
    slow = [r for r in range(8) if r // 4 == node]

    def body(i):
        even_work(run, durs, {r: factor for r in slow} if fault else None)
        run.collective(run.groups[0], rng.randint(90, 120) * US)
        if i % 2:
            sync_all(run)
    run.steps(rng.randint(6, 9), body)
    run.checks = [("account",), ("straggler_group", slow, "slow_kernels") if fault else ("no_finding", "straggler", 0.02)]
    return run


def slow_link(rng, fault):
    """Groups of equal ranks; the transfers of one group take three times and more."""
    size = rng.choice([2, 4])
    stride = rng.random() < 0.5
    groups = [list(range(g, 8, 8 // size)) for g in range(8 // size)] if stride else [list(range(g, g + size)) for g in range(0, 8, size)]
    run = Run(rng, 8, groups)
    durs, bad, factor = durations(rng), rng.choice(groups), rng.uniform(3, 5)

    def body(i):
        even_work(run, durs)
        for g in groups:
            run.collective(g, int(rng.randint(180, 200) * US * (factor if fault and g == bad else 1)))
        if i % 2:
            sync_all(run)
    run.steps(rng.randint(6, 9), body)
    run.checks = [("account",), ("slow_group", bad) if fault else ("no_finding", "slow_group", 0.0)]
    if not fault:
        run.checks += [("equal_groups", len(groups)), ("no_finding", "straggler", 0.02)]
    return run


def pipeline(rng, fault):
    """Stages that pass micro-batches on; the counterpart has no pipeline."""
    if not fault:
        return straggler("even")(rng, False)
    stages = rng.choice([2, 4])
    links = [[s, s + 1] for s in range(stages - 1)]
    run = Run(rng, stages, links)
    micro, dur = rng.choice([4, 8]), rng.randint(200, 400) * US

    def message(pair, what):
        """The receiver waits from its own start, the sender gives its data when it has it."""
        a, b = (pair if what == "forward" else pair[::-1])
        run.seq += 1
        work = []
        for r, name in ((a, "send"), (b, "recv")):
            h = run.ranks[r]
            args = {"Collective name": name, "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20, "Group size": 2, "dtype": "BFloat16",
                    "Process Group Name": str(run.groups.index(pair) + 1), "Process Group Description": "pp", "Process Group Ranks": str(pair),
                    "Seq": run.seq}
            work.append(h.launch(0, name=FAMILY[name], after=max(h.tr.free.values() or [0]), args=args))
        end = max(w["start"] for w in work) + 15 * US
        for r, w in zip((a, b), work):
            w["end"] = end
            run.ranks[r].tr.free[(0, w["stream"])] = end

    def compute(s, scale):
        h = run.ranks[s]
        for k in range(3):
            h.launch(int(dur * scale * rng.uniform(0.99, 1.01)), name=h.tr.pool[k], args={"grid": [264 * scale, 1, 1]})

    def body(i):
        for m in range(micro):
            for s in range(stages):
                if s:
                    message(links[s - 1], "forward")
                compute(s, 1)
        for m in range(micro):
            for s in reversed(range(stages)):
                if s < stages - 1:
                    message(links[s], "backward")
                compute(s, 2)
        sync_all(run)
    run.steps(rng.randint(4, 6), body)
    run.checks = [("finding", "pipeline_bubble", None), ("waits_once", "pipeline_bubble"), ("account",), ("no_finding", "straggler", 0.05)]
    return run


def missing(rng, fault):
    """A rank without a file."""
    run = Run(rng, rng.choice([4, 8]))
    durs = durations(rng)

    def body(i):
        even_work(run, durs)
        run.collective(run.groups[0], rng.randint(90, 120) * US)
        if i % 2:
            sync_all(run)
    run.steps(rng.randint(5, 8), body)
    if fault:
        run.missing = set(rng.sample(range(run.world), rng.choice([1, 2])))
    run.checks = [("account",), ("ranks", run.world, sorted(run.missing)),
                  ("trust", "missing_ranks", "warn" if fault else "pass", len(run.missing), run.world, None), ("no_finding", "straggler", 0.02)]
    return run


MAKERS = [("account: never idle", never_idle), ("ranks: slow kernels", straggler("slow_kernels")), ("ranks: late host", straggler("host")),
          ("ranks: more work", straggler("more_work")), ("ranks: jitter", jitter), ("ranks: two stragglers", two_stragglers), ("ranks: slow node", slow_node),
          ("ranks: slow link, equal groups", slow_link), ("ranks: pipeline", pipeline), ("ranks: missing", missing)]
