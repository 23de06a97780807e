#!/usr/bin/env python3
"""One input on one, two and eight threads: the same bytes in every output and message.

    cores_check.py [--analyzer PROGRAM] [--every] [--example-data DIR]

By default a trace that is large enough for its analyses to run side by side (read/make_tables.c). --every: also the
examples of all formats, for a build that has them side by side whatever their size (thread sanitizer). Prints
"N passed, M failed".
"""
import argparse
import filecmp
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = ["example/pytorch/train_step.json", "example/pytorch/inference.json", "example/pytorch/moe.json",
            "example/xplane/tpu/tpu.xplane.pb", "example/xplane/plugins/profile/train_step/alpha.xplane.pb",
            "example/tracy/ops_perf_results_layers.csv"]


def files_of(folder):
    found = []
    for base, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(base, n), folder) for n in names]
    return sorted(found)


def run(args, path, threads, out):
    """What a run prints; its files are in `out`."""
    done = subprocess.run([args.analyzer, "run", "-v", "-j", str(threads), "--format", "text,csv,json,html", "--color", "never",
                           "--compat", "all", "-o", out, path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    said = [line for line in done.stderr.replace(out, "OUT").splitlines() if " s, " not in line]  # the line of the time taken
    return done.returncode, done.stdout, said


def difference(a, b):
    names = files_of(a)
    if names != files_of(b):
        return "other files"
    _, unequal, failed = filecmp.cmpfiles(a, b, names, shallow=False)
    return ", ".join(unequal + failed)


def check(args, path, tmp):
    name = os.path.basename(path)
    one = os.path.join(tmp, "1")
    first = run(args, path, 1, one)
    why = "" if first[0] == 0 and files_of(one) else "exit status %d: %s" % (first[0], first[2][:3])
    for threads in (2, 8):
        if why:
            break
        out = os.path.join(tmp, str(threads))
        other = run(args, path, threads, out)
        if other != first:
            unlike = [line for line in other[2] if line not in first[2]]
            why = "%d threads: another %s %s" % (threads, "text" if other[1] != first[1] else "status or message", unlike[:40])
        elif difference(one, out):
            why = "%d threads: %s" % (threads, difference(one, out))
    print("%s %s%s" % ("FAIL" if why else "ok  ", name, ": " + why if why else ""))
    return not why


def ranks(folder):
    """Sixteen ranks with 320 collectives of all of them, whose clocks differ and drift: enough for threads to align the clocks."""
    sys.path.insert(0, os.path.join(ROOT, "tests"))
    import growth_check
    os.mkdir(folder)
    members = str(list(range(16)))
    for r in range(16):
        t = growth_check.Trace()
        for i in range(320):
            at = i * 1000 + (r * 37 % 11) * 90 + i * r / 50
            t.corr += 1
            t.span("cuda_runtime", "cudaLaunchKernel", at, 5, correlation=t.corr)
            t.span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at + 20 + i * r % 7, 300 - i * r % 7, 20, 0, device=0,
                   stream=20, correlation=t.corr, **{"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 16,
                                                     "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": members})
        t.write(folder, "rank_%d_.json" % r, distributedInfo={"rank": r, "world_size": 16, "backend": "nccl"})
    return folder


def inputs(args, tmp):
    large = os.path.join(tmp, "dense.json")
    layers = [] if args.every else ["--layers", "2000"]
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "gen", "make_pytorch_dense.py"), large] + layers, check=True)
    yield large
    yield ranks(os.path.join(tmp, "ranks"))
    if args.every:
        for e in EXAMPLES:
            yield os.path.join(ROOT, e)
        for base, _, names in os.walk(args.example_data or ""):
            for n in sorted(names):
                if n.endswith((".sqlite", "_results.json", ".db")):
                    yield os.path.join(base, n)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--every", action="store_true")
    p.add_argument("--example-data")
    args = p.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for i, path in enumerate(inputs(args, tmp)):
            folder = os.path.join(tmp, "case%d" % i)
            os.mkdir(folder)
            if check(args, path, folder):
                passed += 1
            else:
                failed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
