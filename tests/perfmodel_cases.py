#!/usr/bin/env python3
"""Holds the operator models against hand-computed cases: FLOPs, bytes, compute spec and roofline, exactly.

usage: perfmodel_cases.py PERF_MODEL CASES.json
PERF_MODEL is the program of tests/tools/perf_model.c. Prints a line for each case that differs and `N passed, N failed` last.
"""
import json, math, subprocess, sys

SEP = "\x1f"
ARGS = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")


def text(v):
    return json.dumps(v, separators=(",", ":"))


def line(case, peaks):
    a = dict(case["args"])
    dims, types = list(a.get("Input Dims", [])), list(a.get("Input type", []))
    if "Output Dims" in a:  # the output follows the operands
        dims, types = dims + a["Output Dims"], types + types[:1]
    conc = a.get("Concrete Inputs", [])
    facts = SEP.join("%s=%s" % (k, v) for k, v in a.items() if k not in ARGS and k != "Output Dims" and not isinstance(v, list))
    kernels = list(case.get("kernel_names", [])) + [k["name"] for k in case.get("kernel_details", [])]
    return "\t".join([case.get("jax_model", case["op"]), text(dims), text(types), text(a.get("Input Strides", [])) if "Output Dims" not in a else "",
                      text(conc), SEP.join(kernels), case.get("annotation", ""), facts, peaks])


def same(ours, want, tol=1e-12):
    if want is None:
        return ours == "-"
    return ours != "-" and math.isclose(float(ours), float(want), rel_tol=tol, abs_tol=0)


def main():
    program, path = sys.argv[1:3]
    doc = json.load(open(path))
    arch = doc["arch_for_roofline"]
    peaks = " ".join(["mem_bw_gbps=%r" % arch["mem_bw_gbps"]] + ["%s=%r" % kv for kv in arch["max_achievable_tflops"].items()])
    cases = doc["cases"]
    out = subprocess.run([program], input="".join(line(c, peaks) + "\n" for c in cases), capture_output=True, text=True)
    rows = [l.split("\t") for l in out.stdout.split("\n")[:-1]]
    failed = 0
    if out.returncode or len(rows) != len(cases):
        print("%s: exit status %d, %d lines for %d cases: %s" % (program, out.returncode, len(rows), len(cases), out.stderr))
        print("0 passed, %d failed" % len(cases))
        return 1
    for c, r in zip(cases, rows):
        want, bad = c["expected"], []
        for at, key in ((0, "flops"), (1, "bytes")):
            exact = isinstance(want.get(key), int) or want.get(key) is None
            if not same(r[at], want.get(key), 0 if exact else 1e-12):
                bad.append("%s %s instead of %s" % (key, r[at], want.get(key)))
        if r[2] != (want.get("compute_spec") or ""):
            bad.append("compute spec %r instead of %r" % (r[2], want.get("compute_spec")))
        roof = want.get("roofline_mi300x")
        if roof is None:
            if r[7] != "-":
                bad.append("a roofline of %s us where there is none" % r[7])
        else:
            for at, key in ((5, "compute_us"), (6, "memory_us"), (7, "roofline_us")):
                if not same(r[at], roof.get(key)):
                    bad.append("%s %s instead of %s" % (key, r[at], roof.get(key)))
            if r[8] != roof["bound"]:
                bad.append("bound %s instead of %s" % (r[8], roof["bound"]))
            if roof.get("peak_assumed") and (r[9] != roof["peak_assumed"] or r[10] != "1"):
                bad.append("peak %s instead of %s, assumed" % (r[9], roof["peak_assumed"]))
            if same(r[7], roof.get("roofline_us")) and not math.isclose(100 * float(r[7]) / c["duration_us"], roof["pct"], rel_tol=1e-12):
                bad.append("percent of the roofline")
        if bad:
            failed += 1
            print("FAIL %s %s: %s%s" % (c["id"], c["op"], "; ".join(bad), " (" + r[11] + ")" if r[11] else ""))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
