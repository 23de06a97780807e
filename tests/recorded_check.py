#!/usr/bin/env python3
"""Profiles recorded on a GPU by programs whose bottleneck was built in (tests/data/recorded): the verdict names it.

    recorded_check.py --analyzer ANALYZER [--data FOLDER] [--verbose]

Keys of `expect` in truth.json; "first" is the first finding that is in the account and part of no other:
  first_rule, cause, cause_in, range, operation, call_contains   of the first finding (range and operation: of any of its rule)
  first_share_at_most    share of the first finding, 0 without one
  rule, rule_not         a finding of that rule is there; is not above 1% of the span
  any_cause              a finding of 1% or more has this cause
  advice, advice_in      of the first finding; advice_not: of none above 1%
  ns_per_step            savings of findings of the first one's rule and cause, by steps: from 0.75 to 1.3 times that
  idle_share_at_most     of the account
  steps, trust, tflops   number of steps (null: none); a check that counted something; FLOP/s within 5%
  device                 name of the device
  account, exit          null: there is none; exit status
Where the program measured the device time of a product (device_ns_per_product), the kernel's mean is within 8% of it.
The last line is "N passed, N failed".
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

passed = failed = 0
verbose = False


def check(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good or verbose:
        print("%s %s%s" % ("ok  " if good else "FAIL", what, ": %s" % (detail,) if detail != "" else ""))


def report(analyzer, path, out):
    done = subprocess.run([analyzer, "run", path, "--format", "json", "-o", out], capture_output=True, text=True, timeout=300)
    files = [f for f in os.listdir(out) if f.endswith(".json")]
    data = json.load(open(os.path.join(out, files[0]))) if files else None
    return done.returncode, data


def judge(name, e, measured, code, data):
    v = data["verdict"]
    span = (v["account"] or {}).get("span_ns", 0)
    inside = [f for f in v["findings"] if not f["outside_scope"] and f["part_of"] is None]
    large = [f for f in v["findings"] if (f["share"] or 0) >= 0.01 or f["outside_scope"]]
    first = inside[0] if inside else {}
    alike = [f for f in inside if f["rule"] == first.get("rule") and f["cause"] == first.get("cause")]
    tests = {
        "exit": lambda x: code == x,
        "account": lambda x: v["account"] == x,
        "first_rule": lambda x: first.get("rule") == x,
        "cause": lambda x: first.get("cause") == x,
        "cause_in": lambda x: first.get("cause") in x,
        "range": lambda x: any(f["range"] == x for f in alike),
        "operation": lambda x: any(f["operation"] == x for f in inside),
        "call_contains": lambda x: x in (first.get("call") or ""),
        "first_share_at_most": lambda x: (first.get("share") or 0) <= x,
        "rule": lambda x: any(f["rule"] == x for f in v["findings"]),
        "rule_not": lambda x: not any(f["rule"] == x for f in large),
        "any_cause": lambda x: any(f["cause"] == x for f in large),
        "advice": lambda x: first.get("advice") == x,
        "advice_in": lambda x: first.get("advice") in x,
        "advice_not": lambda x: not any(f["advice"] == x for f in large),
        "ns_per_step": lambda x: 0.75 * x <= sum(f["saving_ns"] for f in alike) / max(1, (v["steps"]["count"] - 1)) <= 1.3 * x,
        "idle_share_at_most": lambda x: v["account"]["idle_ns"] <= x * span,
        "device": lambda x: v["devices"]["name"] == x,
        "steps": lambda x: (v["steps"] is None) == (x is None) and (x is None or v["steps"]["count"] == x),
        "trust": lambda x: any(t["check"] == x and t["count"] for t in v["trust"]),
        "tflops": lambda x: abs(v["rates"]["flops_per_s"] / 1e12 - x) <= 0.05 * x,
    }
    for key, value in e.items():
        check(tests[key](value), "%s: %s %s" % (name, key, json.dumps(value)),
              [(f["rule"], f["cause"], f["advice"], f["share"]) for f in large][:4])
    if "device_ns_per_product" in measured:
        mean = v["account"]["computing_ns"] / v["steps"]["count"]
        check(abs(mean - measured["device_ns_per_product"]) <= 0.08 * measured["device_ns_per_product"],
              name + ": device time of a product", (mean, measured["device_ns_per_product"]))



def main():
    global verbose
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--data", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "recorded"))
    p.add_argument("--verbose", action="store_true")
    a = p.parse_args()
    verbose = a.verbose
    truth = json.load(open(os.path.join(a.data, "truth.json")))
    for name, t in truth.items():
        with tempfile.TemporaryDirectory() as out:
            code, data = report(os.path.abspath(a.analyzer), os.path.join(a.data, t["file"]), out)
        if data is None:
            check(False, name + ": a report", code)
            continue
        judge(name, t["expect"], t["measured"], code, data)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
