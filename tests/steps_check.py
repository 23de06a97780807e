#!/usr/bin/env python3
"""Steps that nobody marked (src/docs/steps.md 5): seeded traces with a known loop, with and without anything that makes it
hard, must give their steps back; traces without a loop must give none; marks must be found, and hidden marks again by the
pattern.

    steps_check.py --analyzer ANALYZER [--shared DIR] [--seeds N] [--verbose]

A step is found if it begins at its true first kernel or the one before or after. Inputs are rocprofv3 kernel traces, which
hold nothing but kernels; marks are tested on PyTorch traces. With DIR the marks of the traces in DIR/data are hidden. The
last line is "N passed, N failed".
"""
import argparse
import bisect
import collections
import csv
import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "gen"))
import causes_nsys  # noqa: E402
import causes_rocprof  # noqa: E402

WANTED = 0.98 # of the steps
REAL = 0.95 # of the steps of real traces, which are few
EXPERTS = 0.85 # where one kernel of twenty is another one in each step, the first of a step too
passed = failed = 0
verbose = False


def verdict(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good or verbose:
        print("%s %s%s" % ("ok  " if good else "FAIL", what, ": " + detail if detail else ""))


# ---- what runs: lists of (kernel, stream, microseconds); a step begins where BEGIN stands ----
BEGIN = object()


class Model:
    """Names and durations of the kernels of one made-up model; all of its choices come from the seed."""

    def __init__(self, rng, layers=None, length=None):
        self.rng = rng
        self.layers = layers or rng.randint(3, 16)
        self.length = length or rng.randint(9, 30)
        self.tag = "%05x" % rng.randrange(1 << 20)
        self.time = {}
        self.layer = [self.kernel("layer", i % rng.randint(5, 9)) for i in range(self.length)]
        self.back = [self.kernel("layer_backward", i % rng.randint(5, 9)) for i in range(self.length + 5)]
        self.first = [self.kernel("embedding", 0), self.kernel("position", 0), self.kernel("layer", 1)]
        self.last = [self.kernel("final_norm", 0), self.kernel("head_gemm", 0), self.kernel("argmax", 0)]
        self.loss = [self.kernel("head_gemm", 0), self.kernel("log_softmax", 0), self.kernel("nll_loss", 0)]
        self.update = [self.kernel("multi_tensor_apply_adam", i) for i in (0, 1, 1, 1, 2)]

    def kernel(self, what, number):
        name = "%s_%s_%d" % (what, self.tag, number)
        self.time.setdefault(name, self.rng.choice((3, 5, 9, 20, 60)) * self.rng.uniform(0.8, 1.2))
        return name

    def forward(self):
        return self.first + self.layer * self.layers

    def train(self, update=True):
        return self.forward() + self.loss + self.back * self.layers + (self.update if update else [])


def repeat(steps, body):
    out = []
    for i in range(steps):
        out += [BEGIN] + (body(i) if callable(body) else list(body))
    return out


def with_loops(rng):
    """Name, kernels with BEGIN at each step."""
    m = Model(rng)
    n = rng.randint(3, 40)
    yield "training", repeat(n, m.train()), m
    m = Model(rng)
    yield "inference", repeat(n, m.forward() + m.last), m
    m = Model(rng, layers=1, length=rng.randint(20, 60)) # nothing repeats inside
    yield "convolutions", repeat(n, m.forward() + m.last), m
    m, micro = Model(rng), rng.randint(2, 8)
    yield "gradient accumulation", repeat(max(3, n // 2), m.train(False) * micro + m.update), m
    m = Model(rng)
    tune = [m.kernel("autotune", i % 11) for i in range(rng.randint(20, 200))]
    yield "other first step", repeat(max(8, n), lambda i: (m.first + tune + m.train()[3:]) if i == 0 else m.train()), m
    m = Model(rng)
    yield "start of the program", [m.kernel("fill", i % 3) for i in range(rng.randint(30, 300))] + repeat(max(10, n), m.train()), m
    m, each = Model(rng), rng.randint(4, 7)
    test = (m.forward() + m.loss + [m.kernel("accuracy", 0)]) * 1
    out = []
    for i in range(max(4, n // each)):
        out += repeat(each, m.train()) + test
    yield "evaluation between", out, m
    m, each = Model(rng), rng.randint(3, 6)
    out = []
    for i in range(max(4, n // each)):
        out += repeat(each, m.train()) + [m.kernel("write_log", 0)]
    yield "a line in a log", out, m
    m = Model(rng)
    decode = m.forward() + m.last
    out = []
    for i in range(3):
        prefill = [x.replace("layer", "layer_prefill") for x in m.forward()] + m.last
        for x in prefill:
            m.time.setdefault(x, 80)
        out += [BEGIN] + prefill + repeat(rng.randint(12, 30), decode)
    yield "prefill and decode", out, m
    m = Model(rng)

    def moe(i):
        body = m.train()
        for k in range(len(body)): # a twentieth of the kernels depends on the tokens
            if rng.random() < 0.05:
                body[k] = m.kernel("expert_gemm", rng.randrange(12))
        return body
    yield "experts", repeat(n, moe), m
    m = Model(rng)
    body = m.train() # what is left of the first and the last step is none
    part = rng.randrange(len(body) // 5, len(body)), rng.randrange(1, 4 * len(body) // 5)
    yield "cut at both ends", body[part[0]:] + repeat(max(4, n), body) + body[:part[1]], m


def without_loops(rng):
    m = Model(rng, layers=rng.randint(4, 48))
    yield "one forward pass", m.forward() + m.last, m
    m = Model(rng, layers=rng.randint(4, 48))
    yield "one training step", m.train(), m
    m, micro = Model(rng), rng.randint(3, 12)
    yield "one step of gradient accumulation", m.train(False) * micro + m.update, m
    m = Model(rng)
    names = [m.kernel("random", i) for i in range(rng.randint(3, 60))]
    yield "random kernels", [rng.choice(names) for _ in range(rng.randint(100, 5000))], m
    m = Model(rng)
    yield "random layers", [k for _ in range(40) for k in rng.choice((m.layer, m.back, m.first, m.last, m.update))], m
    m = Model(rng)
    out = []
    for i in range(rng.randint(10, 60)): # each candidate alone, with the cache flushed
        out += [m.kernel("flush", 0), m.kernel("candidate", i)] * rng.randint(5, 20)
    yield "autotune sweep", out, m
    m = Model(rng)
    out = []
    for i in range(rng.randint(10, 60)): # one name for all candidates, as Triton has it
        m.time["flush"], m.time["triton_candidate"] = 30, 10
        out += ["flush", "triton_candidate"] * rng.randint(5, 20)
    yield "autotune of one kernel", out, m
    m = Model(rng)
    a, b = m.forward() + m.last, m.train()
    yield "two steps", a + a, m
    yield "different passes", a + b + m.layer * 2 + m.last + b[:40], m


# ---- traces ----
HEAD = ("Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"
        "End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,"
        "Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z")


def write(path, rng, work, model, side=0.0, cut=False):
    """A rocprofv3 kernel trace. side: part of the kernels also followed by one on another stream, which starts early or late.
    Returns starts of all kernels of the main stream and the places where steps begin."""
    now, starts, begins, rows = 1000000, [], [], []
    for x in work:
        if x is BEGIN:
            begins.append(len(starts))
            now += rng.randint(2000, 40000)
            continue
        t = int(1000 * model.time.get(x, 10) * rng.uniform(0.95, 1.05)) + 200
        starts.append(now)
        rows.append((now, now + t, x, 1))
        if rng.random() < side:
            at = now + rng.randint(-1500, 1500)
            rows.append((at, at + t // 2, "side_%d" % rng.randrange(4), 2))
        now += t + rng.choice((100, 300, 900))
    rows.sort()
    with open(path, "w") as f:
        print(HEAD, file=f)
        for i, (a, b, name, stream) in enumerate(rows):
            print('"KERNEL_DISPATCH","Agent 1",%d,%d,77,%d,9,"%s",%d,%d,%d,0,0,32,0,32,64,1,1,64,1,1'
                  % (stream, stream, i + 1, name, i + 1, a, b), file=f)
    first = rows[0][0]
    return [s - first for s in starts], begins


def steps_of(analyzer, path, folder, how):
    """Starts of the steps in ns from the first work, and the line of coverage."""
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([analyzer, "run", path, "--opt", "steps=" + how, "--format", "csv", "--csv-dir", out, "-q"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
    if done.returncode:
        return None, done.stdout.decode(errors="replace")[:200]
    table = glob.glob(os.path.join(out, "**", "steps.csv"), recursive=True)
    note = ""
    for c in glob.glob(os.path.join(out, "**", "coverage.csv"), recursive=True):
        with open(c, newline="", encoding="utf-8") as f:
            note = next((r["Note"] for r in csv.DictReader(f) if r["Item"] == "steps"), "")
    if not table:
        return [], note
    with open(table[0], newline="", encoding="utf-8") as f:
        return [round(float(r["start_ms"]) * 1e6) for r in csv.DictReader(f)], note


def hits(starts, truth, found):
    """How many true steps begin at a found one, give or take a kernel."""
    places = {min(range(max(0, i - 1), min(len(starts), i + 2)), key=lambda k: abs(starts[k] - t))
              for t in found for i in [bisect.bisect_left(starts, t)]}
    return sum(any(p + d in places for d in (-1, 0, 1)) for p in truth)


def generated(analyzer, folder, seeds):
    path = os.path.join(folder, "made_kernel_trace.csv")
    by = {}
    for seed in seeds:
        rng = random.Random(seed)
        for name, work, model in with_loops(rng):
            starts, truth = write(path, rng, work, model, side=0.2 if seed % 2 else 0.0)
            found, note = steps_of(analyzer, path, folder, "auto")
            n = hits(starts, truth, found or [])
            extra = len(found or []) - len(truth)
            all_, good, more = by.get(name, (0, 0, 0))
            by[name] = all_ + len(truth), good + n, more + max(0, extra)
            if verbose and (n < len(truth) or extra):
                print("     seed %d %s: %d of %d, %d found (%s)" % (seed, name, n, len(truth), len(found or []), note))
    for name, (all_, good, more) in by.items():
        verdict(good >= (EXPERTS if name == "experts" else WANTED) * all_ and more <= (1 - WANTED) * all_, "%-24s %5d of %5d steps found, %d too many"
                % (name, good, all_, more))
    total, good = sum(v[0] for v in by.values()), sum(v[1] for v in by.values())
    verdict(good >= WANTED * total, "generated: %d of %d steps found (%.2f %%)" % (good, total, 100 * good / total))
    print("generated: %d of %d steps found (%.2f %%)" % (good, total, 100 * good / total))
    wrong = runs = 0
    for seed in seeds:
        rng = random.Random(1000 + seed)
        for name, work, model in without_loops(rng):
            write(path, rng, work, model, side=0.2 if seed % 2 else 0.0)
            found, note = steps_of(analyzer, path, folder, "auto")
            runs += 1
            wrong += found != []
            verdict(found == [], "seed %d: no loop in %s" % (seed, name), note)
    print("generated: a loop said to be in %d of %d traces without one" % (wrong, runs))


def lanes(analyzer, folder, seeds):
    """Few kernel names on two streams that take turns as they like: their order differs from step to step."""
    path = os.path.join(folder, "lanes_kernel_trace.csv")
    for seed in seeds:
        rng = random.Random(2000 + seed)
        layers, now, rows, truth = rng.randint(3, 6), 1000000, [], []
        for _ in range(rng.randint(3, 9)):
            now += rng.randint(20000, 50000)
            truth.append(now)
            at = [now, now + 50]
            for layer in range(2 * layers):
                sends = ["ncclDevKernel_AllGather_RING_LL" if layer < layers else "ncclDevKernel_ReduceScatter_RING_LL"]
                for stream, names in ((1, sends), (0, ["gemm", "gemm", "add"] if layer < layers else ["gemm", "gemm"])):
                    for name in names:
                        t = int(rng.uniform(0.7, 1.3) * {"gemm": 90000, "add": 10000}.get(name, 180000))
                        rows.append((at[stream], at[stream] + t, name, stream + 1))
                        at[stream] += t + rng.randint(100, 900)
            rows.append((max(at), max(at) + 9000, "ncclDevKernel_AllReduce_RING_LL", 2))
            now = max(at) + 9000
        rows.sort()
        with open(path, "w") as f:
            print(HEAD, file=f)
            for i, (a, b, name, stream) in enumerate(rows):
                print('"KERNEL_DISPATCH","Agent 1",%d,%d,77,%d,9,"%s",%d,%d,%d,0,0,32,0,32,64,1,1,64,1,1'
                      % (stream, stream, i + 1, name, i + 1, a, b), file=f)
        found, note = steps_of(analyzer, path, folder, "pattern")
        first = rows[0][0]
        near = sum(any(abs(t - first - x) <= 200000 for x in found or []) for t in truth)
        verdict(near == len(truth) == len(found or []), "seed %d: %d steps of two lanes" % (seed, len(truth)), "%s, %s" % (found, note))


# ---- marks ----
def pytorch(path, marks, work):
    """marks: (name, start, end) in us; work: (thread, call, start, end)."""
    ev = [{"ph": "X", "cat": "user_annotation", "name": n, "pid": 1, "tid": 1, "ts": a, "dur": b - a, "args": {}} for n, a, b in marks]
    for i, (thread, call, a, b) in enumerate(work):
        ev.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": thread, "ts": call, "dur": 2,
                   "args": {"correlation": i + 1}})
        ev.append({"ph": "X", "cat": "kernel", "name": "k%d" % (i % 3), "pid": 0, "tid": 7, "ts": a, "dur": b - a,
                   "args": {"correlation": i + 1, "device": 0, "stream": 7}})
    with open(path, "w") as f:
        json.dump({"traceEvents": ev}, f)


def marked(analyzer, folder):
    """Names that mark steps, and names that only look so; work of any thread, later than its mark."""
    path = os.path.join(folder, "marks.json")
    work = [(1 + i % 2, 100 * i + 10 * k, 100 * i + 40 + 20 * k, 100 * i + 55 + 20 * k) for i in range(4) for k in range(3)]
    for names, how in ((["ProfilerStep#%d" % i for i in range(4)], "ProfilerStep"),
                       (["train_step"] * 4, "ranges"), (["iteration %d" % i for i in range(4)], "ranges"),
                       (["step=%d" % i for i in range(4)], "ranges"), (["TrainStep 1"] * 4, "ranges"),
                       (["execute_context_1(5)_generation_0(0)"] * 4, "engine"), (["step[DECODE bs=8]"] * 4, "engine"),
                       (["Optimizer.step#Adam.step"] * 4, None), (["train_step/forward"] * 4, None),
                       (["time step embedding"] * 4, None), (["DataLoader"] * 4, None)):
        pytorch(path, [(n, 100 * i, 100 * i + 100) for i, n in enumerate(names)], work)
        found, note = steps_of(analyzer, path, folder, "auto")
        want = [100000 * i for i in range(4)] if how else []
        verdict(found == want and (how or "no loop") in note, "marks %s" % names[0], "%s, %s" % (found, note))
        found, note = steps_of(analyzer, path, folder, "none")
        verdict(found == [] and "none" in note, "marks %s: switched off" % names[0], note)


# ---- what is said of each step: held against a count of its own ----
def rows_of(analyzer, path):
    done = subprocess.run([analyzer, "query", path, "select * from steps order by id", "--format", "json"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return None
    d = json.loads(done.stdout.decode())
    return [dict(zip(d["columns"], r)) for r in d["rows"]]


def random_marks(rng, path):
    """Marks of one kind with work of two devices and two threads; some empty, some without length, some that overlap by
    rounding; the host may run ahead, the first step may take long. Returns (name, start, end), work of each in us."""
    text = rng.choice(("ProfilerStep#%d", "iteration %d", "step=%d", "train_step_%d", "iter[%d]"))
    number, at, ends, ev, marks, corr = rng.randrange(500), 1000, [0, 0], [], [], 0
    typical, slow, ahead = rng.randint(200, 5000), rng.choice((1, 1, 1.4, 1.7, 20)), rng.choice((1, 1, 4))
    category = rng.choice(("user_annotation", "Operator", "cpu_op"))
    for i in range(rng.randint(1, 12)):
        length = int(typical * rng.uniform(0.9, 1.1) * (1 if i else slow))
        flat, empty = rng.random() < 0.07, rng.random() < 0.1
        mark = (text % (number + i), at, at if flat else at + length + rng.choice((0, 1)), [])
        for _ in range(0 if empty else rng.randint(1, 5)):
            corr += 1
            call, d = at + rng.randrange(1, length - 10), rng.randrange(2)
            begin = max(call + 5, ends[d] + 1)
            ends[d] = begin + rng.randint(2, 1 + ahead * length // 12)
            ev.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": rng.choice((1, 2)),
                       "ts": call, "dur": 2, "args": {"correlation": corr}})
            ev.append({"ph": "X", "cat": "kernel", "name": "k", "pid": d, "tid": 7, "ts": begin, "dur": ends[d] - begin,
                       "args": {"correlation": corr, "device": d, "stream": 7}})
            if not flat:
                mark[3].append((begin, ends[d]))
        ev.append({"ph": "X", "cat": category, "name": mark[0], "pid": 1, "tid": 1, "ts": mark[1], "dur": mark[2] - mark[1]})
        if not flat:
            marks.append(mark)
        at += length
    with open(path, "w") as f:
        json.dump({"traceEvents": ev}, f)
    out = []
    for i, (name, a, b, work) in enumerate(marks): # a mark ends where the next one begins
        out.append((name, a, min([b] + [m[1] for m in marks[i + 1:i + 2]]), work))
    return out


def middle(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def described(analyzer, folder, seeds):
    path = os.path.join(folder, "described.json")
    for seed in seeds:
        marks = random_marks(random.Random(4000 + seed), path)
        first = [min((a for a, _ in m[3]), default=None) for m in marks]
        length = []
        for i, m in enumerate(marks):
            later = [x for x in first[i + 1:] if x is not None]
            end = later[0] if later else max((b for _, b in m[3]), default=0)
            length.append(max(m[2] - m[1], end - first[i] if first[i] is not None and marks[i][3] else 0))
        if not any(m[3] for m in marks):
            continue
        slow = len(marks) > 2 and length[0] > 1.5 * middle(length[1:])
        rows = rows_of(analyzer, path) or []
        by = {r["name"]: r for r in rows}
        good = len(rows) == len(marks) and all(m[0] in by for m in marks)
        for i, m in enumerate(marks if good else []):
            r = by[m[0]]
            want = (1000 * first[i] if m[3] else None, 1000 * max(b for _, b in m[3]) if m[3] else None, 1000 * length[i],
                    int(slow and i == 0))
            have = tuple(r[k] for k in ("work_start_ns", "work_end_ns", "length_ns", "excluded"))
            good = good and want == have
            if want != have and verbose:
                print("     %s: %s, not %s" % (m[0], have, want))
        verdict(good, "seed %d: %d steps described" % (seed, len(marks)), "%d rows" % len(rows))


LOOPS = ("main", "<module>", "train", "Trainer.fit", "run_epochs", "train_one_epoch", "main_loop", "bench", "Bench.run",
         "generate", "epoch 4")
BLOCKS = ("Encoder.forward", "forward", "layers", "UNet", "run_backward", "backward", "train.forward", "decoder_stack",
          "micro_batches", "retry", "DenseTower", "nn.Module: Trainer_0")


def contained(analyzer, folder, seeds):
    """Repeats inside one range or frame: steps of a loop of the program, blocks of a model, by its name alone."""
    path = os.path.join(folder, "contained.json")
    for seed in seeds:
        for name, loop in [(n, True) for n in LOOPS] + [(n, False) for n in BLOCKS]:
            rng = random.Random("%d %s" % (6000 + seed, name))
            frame, n, length = rng.random() < 0.5, rng.randint(4, 30), rng.randint(5, 14)
            marks, work, at = [], [], 1000
            for _ in range(n):
                for k in range(length):
                    work.append((1, at, at + 9, at + 20, "adam_multi_tensor" if k + 1 == length else "k%d" % k))
                    at += 30
            pytorch(path, [], [w[:4] for w in work])
            with open(path) as f:
                d = json.load(f)
            kernels = [e for e in d["traceEvents"] if e["cat"] == "kernel"]
            for e, w in zip(kernels, work):
                e["name"] = w[4]
            around = [("<string>(1): <module>", 900), ("app/run_it.py(%d): %s" % (seed, name), 950)] if frame else [(name, 950)]
            for text, begin in around:
                d["traceEvents"].append({"ph": "X", "cat": "python_function" if frame else "user_annotation", "name": text,
                                         "pid": 1, "tid": 1, "ts": begin, "dur": at + 1000 - 2 * begin + 900})
            with open(path, "w") as f:
                json.dump(d, f)
            rows = rows_of(analyzer, path)
            good = rows is not None and (len(rows) in (n - 1, n) and rows[0]["source"] == "kernel_pattern" if loop else not rows)
            verdict(good, "seed %d: %d repeats in %s %s" % (seed, n, "frame" if frame else "range", name),
                    "%s steps" % (len(rows) if rows is not None else "no"))


# ---- real traces ----
WARM_UPS = ("Warm-up", "warmup", "GPU warm up", "warm_up_phase", "Warm-up Step 1", "WarmUp iterations")
NO_WARM_UPS = ("lr_warmup", "WarmupLRScheduler", "after warmup", "warmup done", "skip_warmup", "epoch", "swarm")


def warmed_up(analyzer, folder, seeds):
    """Steps inside a range that is named as warm-up are none, with marks and without, as three profilers write them."""
    for seed in seeds:
        for name, warm in [(n, True) for n in WARM_UPS] + [(n, False) for n in NO_WARM_UPS]:
            rng = random.Random("%d %s" % (7000 + seed, name))
            first, n, length, marks = rng.randint(2, 5), rng.randint(6, 20), rng.randint(5, 14), rng.random() < 0.5
            work, step, at = [], [], 1000
            for _ in range(first + n):
                step.append(at)
                for k in range(length):
                    work.append((1, at, at + 9, at + 20))
                    at += 30
            path = os.path.join(folder, "warm.json")
            ranges = [("train_loop", 500, at + 500), (name, 900, step[first] - 1)]
            pytorch(path, ranges + ([("iteration %d" % i, t, t + 30 * length - 2) for i, t in enumerate(step)] if marks else []), work)
            with open(path) as f:
                d = json.load(f)
            d["deviceProperties"] = [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]
            for i, e in enumerate(e for e in d["traceEvents"] if e["cat"] == "kernel"):
                e["name"] = "adam_multi_tensor" if i % length == length - 1 else "k%d" % (i % length)
            with open(path, "w") as f:
                json.dump(d, f)
            for form, save in (("json", None), ("sqlite", causes_nsys.save), ("_results.json", causes_rocprof.save)):
                of = path if not save else os.path.join(folder, "warm" + ("." + form if form[0] != "_" else form))
                if save:
                    save(d, of)
                found = len(rows_of(analyzer, of) or [])
                most = n + (0 if warm else first)
                verdict(most - (not marks) <= found <= most, "seed %d: %d of %d steps in '%s', %s%s" % (
                    seed, first, first + n, name, form, ", marks" if marks else ""), "%d steps" % found)


def kernels_of(path):
    """Starts of the kernels of the lane with the most, in ns from the first work."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as f:
        d = json.load(f)
    ev = d["traceEvents"] if isinstance(d, dict) else d
    k = [e for e in ev if e.get("ph") == "X" and str(e.get("cat", "")).lower() == "kernel"]
    lanes = collections.Counter((e.get("pid"), e.get("tid")) for e in k)
    most = lanes.most_common(1)[0][0] if lanes else None
    k = [e for e in k if (e.get("pid"), e.get("tid")) == most]
    work = [e for e in ev if e.get("ph") == "X" and str(e.get("cat", "")).lower() in ("kernel", "gpu_memcpy", "gpu_memset")]
    first = min((round(float(e["ts"]) * 1000) for e in work), default=0)
    return [s - first for s in sorted(round(float(e["ts"]) * 1000) for e in k)]


def real(analyzer, folder, shared):
    """Marks hidden: of traces with three steps or more."""
    all_ = good = none = 0
    for path in sorted(glob.glob(os.path.join(shared, "data", "pytorch", "*.gz")) +
                       glob.glob(os.path.join(shared, "data", "multirank", "*", "*"))):
        path = os.path.abspath(path)
        truth, _ = steps_of(analyzer, path, folder, "marks")
        found, note = steps_of(analyzer, path, folder, "pattern")
        if truth is None or found is None or not truth:
            continue
        name = os.path.relpath(path, os.path.join(shared, "data"))
        if len(truth) < 3:
            none += 1
            if found:
                print("note %s: %d marked, %s" % (name, len(truth), note))
            continue
        starts = kernels_of(path)
        places = [bisect.bisect_left(starts, t - 1) for t in truth]
        n = hits(starts, places, found)
        print("real %s: %d steps marked, %d found (%s)" % (name, len(truth), n, note))
        if found:
            all_, good = all_ + len(truth), good + n
    if all_:
        verdict(good >= REAL * all_, "real: hidden steps")
        print("real: %d of %d hidden steps found; %d traces of one or two steps" % (good, all_, none))


def main():
    global verbose
    parser = argparse.ArgumentParser()
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--shared")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="the first seed: fresh ones now and then")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    verbose = args.verbose
    analyzer = os.path.abspath(args.analyzer)
    seeds = range(args.first, args.first + args.seeds)
    with tempfile.TemporaryDirectory() as folder:
        generated(analyzer, folder, seeds)
        marked(analyzer, folder)
        lanes(analyzer, folder, seeds)
        described(analyzer, folder, range(args.first, args.first + 8 * args.seeds))
        contained(analyzer, folder, seeds)
        warmed_up(analyzer, folder, seeds)
        if args.shared and os.path.isdir(os.path.join(args.shared, "data")):
            real(analyzer, folder, os.path.abspath(args.shared))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
