#!/usr/bin/env python3
"""Claims about operation reports, on faults and healthy counterparts from fresh seeds (tests/gen/make_tracy_claims.py).

    tracy_claims_check.py ANALYZER [--seeds N] [--first SEED] [-v]      last line "N passed, N failed"
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "gen"))
import make_tracy_claims as maker  # noqa: E402


def cells(document, table, key, column):
    for t in document["tables"]:
        if t["id"] == table:
            ids = [c["id"] for c in t["columns"]]
            return {r[ids.index(key)]: r[ids.index(column)] for r in t["rows"]}
    return {}


def wrong(document, facts):
    """What does not hold, in words."""
    v, out = document["verdict"], []
    account, findings = v["account"] or {}, v["findings"]
    trust = {t["check"]: t for t in v["trust"]}
    for name, want in facts.get("account", {}).items():
        if account.get(name) is None or abs(account[name] - want) > facts.get("tol", 3):
            out.append("%s: %s, not %.0f" % (name, account.get(name), want))
    if account and account["computing_ns"] + account["exposed_communication_ns"] + account["exposed_copy_ns"] + account["idle_ns"] != account["span_ns"]:
        out.append("the account does not add up")
    for name in facts.get("pass", []):
        if trust[name]["status"] != "pass":
            out.append("%s: %s" % (name, trust[name]))
    for name, (status, count, of) in facts.get("check", {}).items():
        t = trust[name]
        if (t["status"], t["count"], t["of"]) != (status, count, of):
            out.append("%s: %s, not %s %d of %d" % (name, t, status, count, of))
        if (status == "fail" and name in ("lost_device_events", "impossible_times")) != (name in account.get("qualified_by", [])):
            out.append("qualified_by: %s" % account.get("qualified_by"))
    out += ["a finding %s" % f["rule"] for f in findings if f["rule"] in facts.get("no_rule", [])]
    out += ["an advice %s" % f["advice"] for f in findings if f["advice"] in facts.get("no_advice", [])]
    out += ["%s: %s" % (r, not want) for r, want in facts.get("rule", {}).items() if any(f["rule"] == r for f in findings) != want]
    if "first" in facts and (not findings or (findings[0]["rule"], findings[0]["advice"]) != facts["first"]):
        out.append("first: %s" % [(f["rule"], f["advice"]) for f in findings[:1]])
    if "count" in facts and (not findings or findings[0]["count"] != facts["count"]):
        out.append("count: %s, not %d" % ([f["count"] for f in findings[:1]], facts["count"]))
    if "steps" in facts and facts["steps"] is None and v["steps"] is not None:
        out.append("steps: %s" % v["steps"])
    if facts.get("steps"):
        n, source, period, excluded = facts["steps"]
        s = v["steps"] or {}
        if (s.get("count"), s.get("source"), len(s.get("excluded", []))) != (n, source, excluded) or abs(s["period_ns"] - period) > 3:
            out.append("steps: %s, not %s" % (s, facts["steps"]))
    saving = sum(f["saving_ns"] or 0 for f in findings if f["part_of"] is None and not f["outside_scope"])
    if account and saving > account["span_ns"]:
        out.append("savings of %d in %d" % (saving, account["span_ns"]))
    if "cell" in facts:
        call, want = facts["cell"]
        got = cells(document, "ops", "global_call", "flops_percent").get(call, "no row")
        if (got is None) != (want is None) or (want is not None and abs(got - want) > 1e-6 * want):
            out.append("FLOPs %%: %s, not %s" % (got, want))
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("analyzer")
    ap.add_argument("--seeds", type=int, default=5)
    ap.add_argument("--first", type=int, default=1)
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        source, target = os.path.join(work, "x.csv"), os.path.join(work, "out")
        for kind in maker.kinds():
            bad = 0
            for seed in range(a.first, a.first + a.seeds):
                header, rows, facts = maker.make(kind, seed)
                maker.write(source, header, rows)
                p = subprocess.run([a.analyzer, "run", source, "--format", "json", "-o", target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                notes = ["exit status %d: %s" % (p.returncode, p.stderr.decode("utf-8", "replace"))]
                if p.returncode == 0:
                    with open(os.path.join(target, "x_perf_report.json"), encoding="utf-8") as f:
                        notes = wrong(json.load(f), facts)
                bad += bool(notes)
                passed, failed = passed + (not notes), failed + bool(notes)
                if notes:
                    print("FAIL %s, seed %d: %s" % (kind, seed, "; ".join(notes)))
            if a.v or not bad:
                print("%s %s: %d of %d" % ("FAIL" if bad else "ok  ", kind, a.seeds - bad, a.seeds))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
