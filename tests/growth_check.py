#!/usr/bin/env python3
"""Does any input make the program slower than it is long? Each case writes an input of one shape. Two tests of each:

- small: CSV of a base size, four and sixteen times as large. What the four times larger one needs beyond a tiny one may
  grow by at most 6 to the sixteen times larger one: 4 is linear, 16 quadratic (docs/performance.md 7).
- large: 8,000 and 32,000 elements (fewer where an element is a file), as CSV, HTML, workbook, JSON and database, and an
  SQL statement. The same factor. A report may take as many times the CSV one as FORMATS says, a page 3 MB.

- memory: what a run of 32,000 elements may request (--memory-limit) beyond its output and its events, for the shapes of
  MEMORY (docs/performance-reports.md 4).

Instructions are counted (valgrind, not a clock). To save time the large test measures processor time first, and counts
only what exceeds a limit in it; with --count it counts all, which takes an hour.

    growth_check.py --analyzer PATH [-v] [--small | --large | --memory] [--count] [CASE...]   -v prints the figures of every case

The last line is "N passed, N failed"; without valgrind "0 passed, 0 failed" and a word why.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 6.0
SUSPECT = 5.0  # of processor times, from which instructions are counted
PAGE = 3000000
NOISE = 0.03  # seconds of processor time below which nothing is concluded
MEMORY = {"nested_operators": 96, "equal_operators": 96, "kernel_names": 96, "shapes": 96, "steps": 115, "streams": 45,
          "amd_agents": 135, "devices": 760}  # bytes an event beyond 1.2 x the output
FIXED = 8000000  # bytes that a run may take in addition: rules, buffers, blocks that are not full
QUERY = "select name, stream, count(*), sum(dur_ns) from kernels group by name, stream"
FORMATS = {"csv": None, "html": 3.0, "xlsx": 2.0, "json": None, "sqlite": None, "query": None}  # most, as a multiple of CSV
T0 = 1000000  # us
ROCM_KERNEL = ('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",'
               '"LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",'
               '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n')
ROCM_CALL = '"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n'


class Trace:
    """A PyTorch trace of events in any order."""

    def __init__(self):
        self.events = []
        self.corr = 0

    def span(self, cat, name, ts, dur, tid=1, pid=1, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": T0 + ts, "dur": dur, "args": args})

    def op(self, name, ts, dur, dims=None, tid=1):
        self.span("cpu_op", name, ts, dur, tid, **{"External id": len(self.events) + 1, "Input Dims": dims or [], "Input type": ["float"] * len(dims or []),
                                                   "Concrete Inputs": [""] * len(dims or [])})

    def launch(self, ts, dur, name, start, length, tid=1, device=0, stream=7, call="cudaLaunchKernel"):
        self.corr += 1
        self.span("cuda_runtime", call, ts, dur, tid, correlation=self.corr)
        self.kernel(name, start, length, device, stream)

    def kernel(self, name, start, length, device=0, stream=7):
        self.span("kernel", name, start, length, stream, device, device=device, stream=stream, correlation=self.corr, grid=[1, 1, 1], block=[32, 1, 1])

    def write(self, folder, name="t.json", **more):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100"}], "traceEvents": self.events, **more}, f)
        return path


CASES = {}
LARGE = {}  # elements of the smaller one of the large test


def case(base, large=8000):
    def note(function):
        CASES[function.__name__] = (function, base)
        LARGE[function.__name__] = large
        return function
    return note


@case(80)
def equal_operators(n, folder):
    """Operators of equal start and end, n deep, with kernels below the deepest."""
    t = Trace()
    for i in range(n):
        t.op("aten::op_%d" % (i % 7), 0, 10 * n, [[64, 64]])
    for i in range(n // 2):
        t.launch(20 + i, 0.5, "kernel_%d" % (i % 5), 200 + i, 0.5)
    return ["run", t.write(folder)]


@case(80)
def nested_operators(n, folder):
    """Operators inside one another, n deep, each with a launch of its own."""
    t = Trace()
    for i in range(n):
        t.op("aten::op_%d" % (i % 7), i * 3, 6 * n - 6 * i, [[64, 64]])
        t.launch(i * 3 + 1, 1, "kernel_%d" % (i % 5), 10 * n + i * 3, 2)
    return ["run", t.write(folder)]


@case(80)
def nested_launches(n, folder):
    """Launch calls inside one another: each waits for all below it."""
    t = Trace()
    t.op("aten::mm", 0, 10 * n, [[64, 64], [64, 64]])
    for i in range(n):
        t.launch(i + 1, 5 * n - 2 * i, "kernel", 10 * n + i * 3, 2)
    return ["run", t.write(folder)]


@case(40)
def overlapping_kernels(n, folder):
    """Kernels of different operators that all overlap, on streams of their own."""
    t = Trace()
    for i in range(n):
        t.op("aten::mm", i * 2, 1.5, [[64, 64], [64, 64]])
        t.launch(i * 2, 1, "kernel_%d" % (i % 9), 3 * n + i, 10 * n, stream=7 + i % 64)
    return ["run", t.write(folder), "--opt", "include_overlap_info=true"]


@case(40)
def kernel_names(n, folder):
    """Kernels of n names."""
    t = Trace()
    for i in range(n):
        t.op("aten::mm", i * 10, 8, [[64, 64], [64, 64]])
        t.launch(i * 10 + 1, 2, "void kernel_%d<float, (anonymous namespace)::Functor_%d>(int, float*)" % (i, i * 7), 10 * n + i * 3, 2)
    return ["run", t.write(folder)]


@case(40)
def communication_names(n, folder):
    """Exposed collectives of n names: a finding each."""
    t = Trace()
    for i in range(n):
        t.launch(i * 100, 2, "ncclDevKernel_AllReduce_Sum_f%d_RING_LL(ncclDevKernelArgsStorage<4096ul>)" % i, i * 100 + 10, 80, stream=20)
    return ["run", t.write(folder)]


@case(50)
def shapes(n, folder):
    """One operator with n shapes."""
    t = Trace()
    for i in range(n):
        t.op("aten::mm", i * 10, 8, [[64, i + 1], [i + 1, 64]])
        t.launch(i * 10 + 1, 2, "kernel", 10 * n + i * 3, 2)
    return ["run", t.write(folder)]


@case(80)
def graph_launch(n, folder):
    """One launch of a graph that runs n kernels."""
    t = Trace()
    t.op("aten::mm", 0, 100, [[64, 64], [64, 64]])
    t.launch(1, 20, "kernel", 10, 2, call="cudaGraphLaunch")
    for i in range(n):
        t.kernel("kernel_%d" % (i % 13), 20 + i * 3, 2)
    return ["run", t.write(folder)]


@case(40)
def devices(n, folder):
    """n devices in one trace, with collectives on each."""
    t = Trace()
    for i in range(n):
        t.launch(i * 10, 2, "kernel", 100 + i, 20, device=i)
        t.launch(i * 10 + 3, 2, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 200 + i, 20, device=i, stream=20)
    return ["run", t.write(folder)]


@case(100)
def streams(n, folder):
    """A stream for every kernel."""
    t = Trace()
    for i in range(n):
        t.launch(i * 10, 2, "kernel", 100 + i, 20, stream=i + 7)
    return ["run", t.write(folder)]


@case(60)
def steps(n, folder):
    """n steps of one kernel each."""
    t = Trace()
    for i in range(n):
        t.span("user_annotation", "ProfilerStep#%d" % i, i * 100, 90)
        t.op("aten::mm", i * 100 + 1, 50, [[64, 64], [64, 64]])
        t.launch(i * 100 + 5, 5, "kernel", i * 100 + 30, 20)
    return ["run", t.write(folder)]


@case(60)
def work_over_steps(n, folder):
    """n steps, and n kernels that each take as long as all of them."""
    t = Trace()
    for i in range(n):
        t.span("user_annotation", "ProfilerStep#%d" % i, i * 100, 100)
        t.launch(i * 100 + 5, 5, "kernel", i * 100 + 30, n * 100)
    return ["run", t.write(folder)]


@case(80)
def long_next_to_short(n, folder):
    """One kernel next to n short ones and copies, which are on other streams."""
    t = Trace()
    t.launch(0, 5, "long_kernel", 10, n * 20, stream=8)
    for i in range(n):
        t.launch(i * 20 + 6, 3, "kernel_%d" % (i % 5), i * 20 + 12, 7)
        t.launch(i * 20 + 10, 3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", i * 20 + 15, 9, stream=20)
    return ["run", t.write(folder)]


@case(400)
def steps_that_overlap(n, folder):
    """CSV of rocprofv3 with a mark for every four kernels, one of which is as long as all that follow on a queue of its own, and copies."""
    ns = 1000000
    rows = {"kernel": ROCM_KERNEL, "memory_copy": '"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id",'
            '"Start_Timestamp","End_Timestamp"\n', "hip_api": ROCM_CALL, "marker_api": ROCM_CALL}
    for i in range(n):
        start, end = ns + i * 1000 + 10, ns + (n * 1000 if i % 4 == 3 else i * 1000 + 700)
        rows["kernel"] += ('"KERNEL_DISPATCH","Agent 4",%d,%d,77,%d,8,"kernel_%d(float*)",%d,%d,%d,0,0,32,0,32,64,1,1,4096,1,1\n'
                           % (i % 4 // 3 + 1, i % 4 // 3 + 1, i + 1, i % 4, i + 1, start, end))
        rows["hip_api"] += '"HIP_RUNTIME_API","hipLaunchKernel",77,77,%d,%d,%d\n' % (i + 1, start - 5000, start - 4500)
        rows["memory_copy"] += '"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",3,"Agent 0","Agent 4",%d,%d,%d\n' % (n + i + 1, start + 500, start + 800)
        if i % 4 == 0:
            rows["marker_api"] += '"MARKER_CORE_RANGE_API","step",77,77,%d,%d,%d\n' % (3 * n + i, start - 5100, start - 1200)
    for kind, text in rows.items():
        with open(os.path.join(folder, "out_%s_trace.csv" % kind), "w") as f:
            f.write(text)
    return ["run", folder, "--opt", "nvtx_tag_of_iter=step"]


@case(4, 100)
def many_inputs(n, folder):
    """n files on one command line."""
    paths = []
    for r in range(n):
        t = Trace()
        t.launch(0, 5, "kernel", 10, 20)
        paths.append(t.write(folder, "job_rank%d.json" % r))
    return ["run"] + paths


@case(10, 100)
def many_files(n, folder):
    """A folder with n files, few of which are traces."""
    t = Trace()
    t.launch(0, 5, "kernel", 10, 20)
    t.write(folder, "rank0.json")
    for i in range(20 * n):
        with open(os.path.join(folder, "note_%d.txt" % i), "w") as f:
            f.write("nothing\n")
    return ["run", folder]


@case(4, 32)
def ranks(n, folder):
    """The ranks of one run with collectives."""
    for r in range(n):
        t = Trace()
        for i in range(4):
            t.corr += 1
            t.span("cuda_runtime", "cudaLaunchKernel", i * 100, 5, correlation=t.corr)
            t.span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", i * 100 + 20 + r % 3, 30, 20, 0, device=0, stream=20,
                   correlation=t.corr, **{"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": n, "dtype": "Float",
                                          "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": str(list(range(n)))})
        t.write(folder, "rank_%d_.json" % r, distributedInfo={"rank": r, "world_size": n, "backend": "nccl"})
    return ["multirank", "-b", folder, "--all-ranks"]


@case(60)
def amd_agents(n, folder):
    """CSV of rocprofv3 with kernels of n agents."""
    path = os.path.join(folder, "out_kernel_trace.csv")
    with open(path, "w") as f:
        f.write(ROCM_KERNEL)
        for i in range(n):
            f.write('"KERNEL_DISPATCH","Agent %d",1,1,77,%d,8,"kernel_%d(float*)",%d,%d,%d,0,0,32,0,32,64,1,1,4096,1,1\n'
                    % (i, i + 1, i % 9, i + 1, 1000000 + i * 50, 1000000 + i * 50 + 900))
    return ["run", path]


@case(40)
def tracy_devices(n, folder):
    """An operation report of n devices."""
    path = os.path.join(folder, "ops_perf_results.csv")
    head = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT", "HOST START TS", "HOST END TS",
            "HOST DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]"]
    with open(path, "w") as f:
        f.write(",".join(head) + "\n")
        for i in range(4):
            for d in range(n):
                row = ["Matmul", "tt_dnn_device", i * n + d, d, "{}", "HiFi2", 64, 1000 + i * 100, 1050 + i * 100, 50, 2000 + i * 500, 2400 + i * 500, 20, 400, 380]
                f.write(",".join(str(x) for x in row) + "\n")
    return ["run", path]


@case(40)
def nsys_rows(n, folder):
    """A kernel summary of n names."""
    path = os.path.join(folder, "job_cuda_gpu_kern_sum.csv")
    with open(path, "w") as f:
        f.write("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n")
        for i in range(4 * n):
            f.write("0.1,%d,10,%d.0,1.0,1,2,0.0,kernel_%d\n" % (10000000 + i, 1000000 + i, i))
    return ["run", path]


def command(analyzer, arguments, form, out):
    if form == "query":
        return [analyzer, "query"] + arguments[1:] + [QUERY, "--format=csv", "-q"]
    if arguments[0] == "multirank":
        return [analyzer] + arguments + ["--csv-dir" if form == "csv" else "-o", out + "/r." + form, "--format", form, "-j", "1", "-q", "--force"]
    return [analyzer] + arguments + ["-o", out, "--format", form, "-j", "1", "-q"]


def instructions(analyzer, arguments, form, out):
    p = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=" + os.devnull] +
                       command(analyzer, arguments, form, out), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    refs = re.search(r"refs:\s*([0-9,]+)", p.stderr)
    if p.returncode or not refs:
        raise RuntimeError("%s: exit status %d: %s" % (form, p.returncode, p.stderr[-600:]))
    return int(refs.group(1).replace(",", ""))


def seconds(analyzer, arguments, form, out):
    """Processor time, the least of two runs; of one where nothing can be concluded."""
    best = None
    for _ in range(2):
        if best is not None and best < NOISE:
            break
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        with tempfile.TemporaryFile() as err:
            p = subprocess.Popen(command(analyzer, arguments, form, out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            _, status, used = os.wait4(p.pid, 0)
            p.returncode = status
            if status:
                err.seek(0)
                raise RuntimeError("%s: exit status %d: %s" % (form, os.waitstatus_to_exitcode(status), err.read()[-600:].decode(errors="replace")))
        took = used.ru_utime + used.ru_stime
        best = took if best is None else min(best, took)
    return best


def small(analyzer, name):
    """Lines of faults, and of figures."""
    make, base = CASES[name]
    count = []
    for size in (2, 4 * base, 16 * base):
        with tempfile.TemporaryDirectory(prefix="growth.") as folder:
            inputs = os.path.join(folder, "in")
            os.mkdir(inputs)
            count.append(instructions(analyzer, make(size, inputs), "csv", os.path.join(folder, "out")))
    factor = (count[2] - count[0]) / max(count[1] - count[0], 1)
    line = "%-20s small  %5.2f  (%s M instructions)" % (name, factor, ", ".join("%.1f" % (c / 1e6) for c in count))
    return [line] if factor > MOST else [], [line]


def size_of(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files if f.endswith(".html")) if os.path.isdir(path) else os.path.getsize(path)


def memory(analyzer, name):
    """A run whose budget is what it may take: it fails where it requests more."""
    with tempfile.TemporaryDirectory(prefix="growth.") as folder:
        inputs, out = os.path.join(folder, "in"), os.path.join(folder, "out")
        os.mkdir(inputs)
        arguments = CASES[name][0](4 * LARGE[name], inputs)
        seconds(analyzer, arguments, "csv", out)
        tables = {f: os.path.join(d, f) for d, _, files in os.walk(out) for f in files}
        wrote = sum(os.path.getsize(path) for path in tables.values())
        with open(tables["coverage.csv"], newline="") as f:
            events = next(int(r[1]) for r in csv.reader(f) if r[0] == "events kept")
        limit = int(FIXED + 1.2 * wrote + MEMORY[name] * events)
        p = subprocess.run(command(analyzer, arguments, "csv", out + "_2") + ["--memory-limit=%d" % limit], capture_output=True, text=True, errors="replace")
        line = "%-20s memory  %d B an event: within %.1f MB" % (name, MEMORY[name], limit / 1e6)
        return ([line + ": " + p.stderr.strip()[-200:]] if p.returncode else []), [line]


def large(analyzer, name, count_all=False):
    faults, figures = [], []
    make, n = CASES[name][0], LARGE[name]
    with tempfile.TemporaryDirectory(prefix="growth.") as folder:
        sets = []
        for size in (n, 4 * n, 2):
            inputs = os.path.join(folder, "in%d" % size)
            os.mkdir(inputs)
            sets.append(make(size, inputs))
        plain = None
        for form, limit in FORMATS.items():
            if form == "query" and sets[0][0] != "run":
                continue
            out = os.path.join(folder, "out_" + form)
            low, base, high = [seconds(analyzer, s, form, out) for s in (sets[0], sets[2], sets[1])]
            factor = (high - base) / max(low - base, 1e-3)
            page = size_of(out) if form == "html" and os.path.exists(out) else 0  # before others are written there
            times = high / plain if plain else 1
            plain = plain or high
            line = "%-20s %-6s %5.2f  %4.2f x csv (%.0f, %.0f ms)" % (name, form, factor, times, low * 1e3, high * 1e3)
            count = []
            if count_all or ((factor > SUSPECT or (limit and times > limit)) and high > NOISE):
                count = [instructions(analyzer, s, form, out) for s in sets]
                factor = (count[1] - count[2]) / max(count[0] - count[2], 1)
                line = "%-20s %-6s %5.2f  (%s M instructions)" % (name, form, factor, ", ".join("%.1f" % (c / 1e6) for c in count))
            if count and limit:
                times = count[1] / instructions(analyzer, sets[1], "csv", os.path.join(out, "csv"))
                line += "  %4.2f x csv" % times
            if page > PAGE:
                line += "  a page of %.1f MB" % (page / 1e6)
            figures.append(line)
            if page > PAGE or (count and (factor > MOST or (limit and times > limit))):
                faults.append(line)
    return faults, figures


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--analyzer", required=True)
    p.add_argument("-v", action="store_true")
    p.add_argument("--small", action="store_true")
    p.add_argument("--large", action="store_true")
    p.add_argument("--memory", action="store_true")
    p.add_argument("--count", action="store_true")
    p.add_argument("cases", nargs="*")
    args = p.parse_args()
    if not shutil.which("valgrind"):
        print("growth: skipped, valgrind is not installed (it counts the instructions)\n0 passed, 0 failed")
        return 0
    names = args.cases or list(CASES)
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, 4))
    some = args.small or args.large or args.memory
    analyzer = os.path.abspath(args.analyzer)
    runs = [(name, pool.submit(small, analyzer, name)) for name in names if args.small or not some]
    runs += [(name, pool.submit(large, analyzer, name, args.count)) for name in names if args.large or not some]
    runs += [(name, pool.submit(memory, analyzer, name)) for name in names if name in MEMORY and (args.memory or not some)]
    failed = 0
    for name, run in runs:
        try:
            faults, figures = run.result()
        except RuntimeError as e:
            faults, figures = ["%s: %s" % (name, e)], []
        failed += bool(faults)
        for line in faults:
            print("FAIL " + line, flush=True)
        for line in figures if args.v else []:
            print("     " + line, flush=True)
    print("%d passed, %d failed" % (len(runs) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
