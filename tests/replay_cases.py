#!/usr/bin/env python3
"""Holds derived benchmark commands against those of a reference model, and against what really ran.

usage: replay_cases.py REPLAY_COMMANDS ANALYZER SHARED
REPLAY_COMMANDS is the program of tests/tools/replay_commands.c. Prints a line for each case that differs and
`N passed, N failed` last.
 1. matrix products: shapes and strides stand in the list beside the wanted command
 2. convolutions: arguments rebuilt from the wanted command itself
 3. every product and convolution of the MI300 traces: the command is in the list, where the list has that shape; and the
    transposes are those that the name of the kernel that ran tells
"""
import csv, glob, json, os, re, subprocess, sys, tempfile

BF16 = "c10::BFloat16"
csv.field_size_limit(1 << 30)


def text(v):
    return json.dumps(v, separators=(",", ":"))


def derive(program, calls):
    lines = "".join("\t".join([c[0]] + [x if isinstance(x, str) else text(x) for x in c[1:]]) + "\n" for c in calls)
    out = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert len(out) == len(calls), "%d lines for %d calls" % (len(out), len(calls))
    return out


def golden_pairs(path):
    lines = [l.strip() for l in open(path) if l.strip()]
    return list(zip(lines[::2], lines[1::2]))


def product(head):
    m = re.match(r"(\S+) (\[\[.*\]\]) (\[\[.*\]\]) MATCH$", head)
    dims, strides = json.loads(m[2]), json.loads(m[3])
    n = len(dims)
    return (m[1], dims + [[]] * (2 if n == 3 else 0), [BF16] * n + ["Scalar"] * (2 if n == 3 else 0), strides + [[]] * (2 if n == 3 else 0),
            [""] * n + (["1", "1"] if n == 3 else []))


def convolution(command):
    f = dict(zip(command.split()[2::2], command.split()[3::2]))
    v = lambda *k: [int(f["-" + x]) for x in k]
    x, (k,), (g,) = v("n", "c", "H", "W"), v("k"), v("g")
    w = [k, x[1] // g] + v("y", "x")
    step = lambda d: [d[1] * d[2] * d[3], d[2] * d[3], d[3], 1]
    return ("aten::convolution", [x, w, [k], [], [], [], [], [], []], [BF16] * 3 + ["ScalarList"] * 3 + ["Scalar", "ScalarList", "Scalar"],
            [step(x), step(w), [1], [], [], [], [], [], []],
            ["", "", "", str(v("u", "v")), str(v("p", "q")), str(v("l", "j")), "False", "[0, 0]", str(g)])


def traced(analyzer, path):
    """Operators of a trace with their arguments as the tables print them, and the names of their kernels."""
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([analyzer, "run", path, "--csv-dir", tmp, "-q"], capture_output=True, stdin=subprocess.DEVNULL, check=True)
        for r in csv.DictReader(open(os.path.join(tmp, "unified_perf_summary.csv"), newline="")):
            if r["name"] in ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::convolution"):
                yield (r["name"], r["Input Dims"], r["Input type"], r["Input Strides"], r["Concrete Inputs"]), r["kernel_details_summary"]


def main():
    program, analyzer, shared = sys.argv[1:4]
    pairs = golden_pairs(os.path.join(shared, "golden", "replay", "mi300-commands.txt"))
    passed = failed = 0

    def hold(good, what):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("FAIL " + what)

    calls = [product(h) if " MATCH" in h else convolution(c) for h, c in pairs]
    for (head, want), got in zip(pairs, derive(program, calls)):
        if got.startswith("MIOpenDriver"):
            hold(got.endswith(" -V 0"), got)
            got = got[:-len(" -V 0")]
        hold(got == want, "%s\n     got    %s\n     wanted %s" % (head, got, want))
    wanted = {want for _, want in pairs}
    shapes = {text(c[1][:2]): want for c, want in zip(calls, (w for _, w in pairs)) if c[0] == "aten::convolution"}
    listed = transposes = 0
    for path in sorted(glob.glob(os.path.join(shared, "data", "pytorch", "mi300__*.json.gz"))):
        rows = list(traced(analyzer, path))
        for (call, kernels), got in zip(rows, derive(program, [c for c, _ in rows])):
            if call[0] == "aten::convolution":
                same = text(json.loads(call[1])[:2]) in shapes
                hold(not same or got.removesuffix(" -V 0") in wanted, "%s %s: not in the list: %s" % (os.path.basename(path), call[1], got))
                listed += same
                continue
            m = re.search(r"Cijk_A(ilk|lik)_B(ljk|jlk)", kernels)
            if m:
                t = re.search(r"--transA (\w) --transB (\w)", got)
                ran = ("T" if m[1] == "lik" else "N", "T" if m[2] == "jlk" else "N")
                hold(bool(t) and t.groups() == ran, "%s %s: %s, but the kernel was %s" % (os.path.basename(path), call[1], got, ran))
                transposes += 1
    hold(listed > 0 and transposes > 0, "no command of a trace could be compared")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
