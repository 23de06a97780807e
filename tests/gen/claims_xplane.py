"""XPlane profiles for the claims tests: a Python thread with annotations, frames, calls of compiled functions and events of the
runtime, and a device that works off its stream. The writer encodes a Trace of claims_trace.py; the reader returns its work."""
import contextlib
import os
import re

from claims_trace import COMM, GRID, Host, Trace
from make_claims import US, Case
from make_xplane_example import Plane, num, data, space

# What the runtime of JAX writes around a launch, from the call of a compiled function inwards.
AROUND = ["PjRtCApiLoadedExecutable::Execute", "PJRT_LoadedExecutable_Execute", "CommonPjRtLoadedExecutable::Execute (jit_f)"]
RUNTIME = ["PjRtCApiClient::BufferFromHostBuffer", "CommonPjRtBuffer::Await", "PythonRefManager::CollectGarbage",
           "ThenExecuteCallback:GetEventForComputeStreamSyncPoint", "LocalDeviceState::WaitFor",
           "ComputeSemaphoreAcquire [capacity=32, value=32]", "PJRT_Buffer_ReadyEvent"]
INSIDE = ["Wait for usage holds", "Handle inputs", "Build buffer allocations", "Wait for donation holds"]
POOL = ["ThreadpoolListener::Region", "host_callback_poll", "EventLoop wait"]  # on threads of the runtime
UNITS = 132
DETAILS = "regs:64 static_shared:0 dynamic_shared:0 grid:%d,%d,%d block:256,1,1 occ_pct:50"
KERNELS = ["gemm_fusion_dot_general_%d", "loop_multiply_fusion_%d", "input_reduce_fusion_%d", "wrapped_transpose_%d"]


def write(tr, folder, stem="host"):
    gpu, cpu = Plane("/device:GPU:0"), Plane("/host:CPU")
    base = min(x["start"] for x in tr.work + tr.calls + tr.ranges + tr.frames) - tr.rng.randint(0, 10**6)

    def at(plane, x, **stats):
        return plane.event(plane.meta(x["name"]), (x["start"] - base) * 1000, (x["end"] - x["start"]) * 1000, **stats)
    for s in sorted({w["stream"] for w in tr.work}):
        gpu.line(s, "Stream #%d(Kernel)" % s, base, [
            at(gpu, w, correlation_id=w["corr"], kernel_details=DETAILS % tuple(w.get("grid", GRID)))
            for w in tr.work if w["stream"] == s])
    for k, v in (("device_vendor", "Nvidia"), ("core_count", UNITS), ("clock_rate", 1980000), ("memory_size", 85017755648),
                 ("memory_bandwidth", 3352320000000)):
        gpu.stats += data(6, gpu.stat(k, v, ref=False))
    lines = {}
    for x in tr.ranges + tr.frames:
        lines.setdefault(x["tid"], []).append((x["start"], -x["end"], at(cpu, x, **({"step_num": x["step"]} if "step" in x else {}))))
    for c in tr.calls:
        lines.setdefault(c["tid"], []).append((c["start"], -c["end"], at(cpu, c, device_id=0, correlation_id=c["corr"])))
    for tid, events in lines.items():
        name = tr.extra.get("lines", {}).get(tid, "python3")
        cpu.line(tid, name, base, [e[2] for e in sorted(events, key=lambda e: e[:2])])
    env = Plane("Task Environment")
    env.stats += data(6, num(1, env.stat_id("profile_start_time")) + num(3, 1736937000 * 10**9))
    path = os.path.join(folder, stem + ".xplane.pb")
    with open(path, "wb") as f:
        f.write(space([gpu, cpu, env] if tr.rng.random() < 0.5 else [env, cpu, gpu], "host"))
    return path


def varint(b, i):
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s, i = s + 7, i + 1
        if b[i - 1] < 128:
            return v, i


def fields(b):
    """(field, value) of a message: numbers and bytes."""
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        if key & 7 == 0:
            v, i = varint(b, i)
        elif key & 7 == 1:
            v, i = b[i:i + 8], i + 8
        else:
            n, i = varint(b, i)
            v, i = b[i:i + n], i + n
        yield key >> 3, v


def read(path):
    """(kernels as (name, start, end, stream, correlation, blocks), calls by correlation, annotations of steps) of a file."""
    kernels, calls, marks = [], {}, []
    with open(path, "rb") as f:
        planes = [list(fields(p)) for k, p in fields(f.read()) if k == 1]
    for p in planes:
        plane = next(v for k, v in p if k == 2).decode()
        names, stats = ({dict(fields(v))[1]: dict(fields(dict(fields(v))[2])).get(2, b"").decode() for k, v in p if k == field}
                        for field in (4, 5))
        for line in (list(fields(v)) for k, v in p if k == 3):
            stream, base = next(v for k, v in line if k == 1), next(v for k, v in line if k == 3)
            for e in (list(fields(v)) for k, v in line if k == 4):
                name, offset, dur = names[e[0][1]], next(v for k, v in e if k == 2), next(v for k, v in e if k == 3)
                said = {stats[dict(fields(v))[1]]: list(fields(v))[-1][1] for k, v in e if k == 4}
                s, t = base + offset // 1000, base + (offset + dur) // 1000
                if plane.startswith("/device:"):
                    x, y, z = re.search(r"grid:(\d+),(\d+),(\d+)", stats[said["kernel_details"]]).groups()
                    kernels.append((name, s, t, stream, said["correlation_id"], int(x) * int(y) * int(z)))
                elif "correlation_id" in said:
                    calls[said["correlation_id"]] = s
                elif "step_num" in said:
                    marks.append(("%s %d" % (name, said["step_num"]), s, t))
    return kernels, calls, marks


def begin(rng):
    tr = Trace(rng, "xplane", "cuda")
    h = Host(tr)
    h.wrap_ops = False
    tr.pool = [k % rng.randint(1, 40) for k in KERNELS]
    tr.extra["lines"] = {h.tid: rng.choice(["python3", "python", "MainThread", "main/%d" % h.tid, "Thread-2 (worker)"])}
    return tr, h


def dispatch(h, count, low=40, high=200):
    """A compiled function that launches some kernels."""
    with contextlib.ExitStack() as st:
        for name in ["PjitFunction(step)"] + AROUND:
            st.enter_context(h.span(h.tr.ranges, name))
            h.busy(h.rng.randint(300, 2000))
        for _ in range(count):
            h.launch(h.rng.randint(low * US, high * US), call=h.rng.choice(["cuLaunchKernelEx", "cuLaunchKernel"]))


def steps(h, n, body, marks):
    for i in range(n):
        with h.span(h.tr.ranges, marks) if marks else contextlib.nullcontext({}) as s:
            s["step"] = i
            body(i)
        h.busy(h.rng.randint(500, 3000))


def frames(h, on, *names):
    """Frames of the tracer of Python around everything."""
    st = contextlib.ExitStack()
    for n in names if on else ():
        st.enter_context(h.span(h.tr.frames, n))
        h.busy(h.rng.randint(20 * US, 60 * US))
    return st


def gap_of(h):
    return h.lead() + h.rng.randint(300 * US, 900 * US)


def xplane(kind):
    def make(rng, fault):
        """Idle time in the middle of steps, and what the Python thread does meanwhile."""
        tr, h = begin(rng)
        n, name = rng.randint(5, 8), rng.choice(["host_input", "tokenize", "log_metrics", "shuffle_rows"])
        frame = rng.choice(["$pipeline.py:%d read_rows", "$metrics.py:%d summarize"]) % rng.randint(4, 90)
        event = rng.choice(RUNTIME)
        marks = rng.choice(["train", "step", "eval_loop"]) if kind == "step" or rng.random() < 0.6 else None
        tracer = kind == "frame" or rng.random() < 0.5
        around = rng.choice(["", "input_stage"])  # an annotation around the one that is named
        nested = kind == "runtime" and rng.random() < 0.5  # in the call of a compiled function, which is a place

        def pause():
            with h.span(tr.frames, "$time sleep") if tracer else contextlib.nullcontext():
                h.busy(gap_of(h))

        def part():
            if kind == "annotation" and not fault:  # too short to be the place
                gap = gap_of(h)
                with h.span(tr.ranges, name):
                    h.busy(int(gap * rng.uniform(0.05, 0.3)))
                h.busy(gap)
            elif kind == "annotation" or (kind == "step" and fault):
                with h.span(tr.ranges, around) if around else contextlib.nullcontext(), h.span(tr.ranges, name):
                    pause()
            elif kind == "frame" and fault:
                with h.span(tr.frames, frame):
                    pause()
            elif kind == "runtime":
                with h.span(tr.ranges, name) if fault else contextlib.nullcontext():
                    outer = ["PjitFunction(step)"] + AROUND + [rng.choice(INSIDE)] if nested else [event]
                    with contextlib.ExitStack() as st:
                        for x in outer:
                            st.enter_context(h.span(tr.ranges, x))
                        h.busy(gap_of(h))
            else:
                pause() if kind == "frame" else h.busy(gap_of(h))

        def body(i):
            dispatch(h, rng.randint(4, 8))
            part()
            h.tag = "place"
            dispatch(h, rng.randint(3, 5))
        with frames(h, tracer, "$train.py:%d <module>" % rng.randint(60, 90), "$train.py:%d main" % rng.randint(5, 50)):
            steps(h, n, body, marks)
        for k in range(rng.randint(0, 2)):  # threads of the runtime, busy all the time
            tr.extra["lines"][h.tid + 1 + k] = "tf_XLAEigen/%d" % (h.tid + 1 + k)
            tr.ranges.append({"name": rng.choice(POOL), "start": tr.base, "end": h.t, "tid": h.tid + 1 + k})
        wrong = RUNTIME + AROUND + INSIDE + POOL + ["input_stage"] + ["$time sleep"] + ([name] if not fault else [])
        want = [frame.split()[1] if kind == "frame" else name] + (["PjitFunction(step)"] if nested else []) if fault else []
        return XplaneCase(tr, ("account",), ("xplane_place", want, wrong, marks), marks=bool(marks))
    return make


def few_blocks(rng, fault):
    """Long kernels of few blocks; healthy: short ones, more than half as many as units, communication."""
    tr, h = begin(rng)
    name, kind = rng.choice(KERNELS) % 77, "few" if fault else rng.choice(["short", "above half", "communication"])
    tr.extra["variant"] = kind

    def body(i):
        dispatch(h, rng.randint(3, 5))
        blocks = rng.randint(UNITS // 2 + 1, UNITS) if kind == "above half" else rng.randint(1, UNITS // 2)
        shape = [blocks, 1, 1]
        rng.shuffle(shape)
        h.launch(rng.randint(8 * US, 59 * US) if kind == "short" else rng.randint(60 * US, 400 * US), call="cuLaunchKernel", grid=shape,
                 name=rng.choice(COMM) if kind == "communication" else name)
    steps(h, rng.randint(5, 8), body, "train" if rng.random() < 0.5 else None)
    return XplaneCase(tr, ("account",), ("low_parallelism",))


class XplaneCase(Case):
    def write(self, folder):
        return write(self.tr, folder)


MAKERS = [("xplane: " + k, xplane(k)) for k in ("annotation", "frame", "runtime", "step")] + [("xplane: low_parallelism", few_blocks)]
