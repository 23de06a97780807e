#!/usr/bin/env python3
"""The trust checks against profiles with known faults (tests/gen/make_trust.py): trust_check.py ANALYZER [SEED] [N].

Prints false positives and false negatives of each check, and every count that is not the truth. Exit status 1 if there is any."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
import make_trust  # noqa: E402

BAD = ("warn", "fail")
OTHERS = ("device_peaks", "missing_ranks", "impossible_rates", "step_marks")  # not about these faults


def trust_of(analyzer, folder, name):
    out = os.path.join(folder, "out")
    subprocess.run([os.path.abspath(analyzer), "run", os.path.join(folder, name), "--format", "json", "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path, _, files in os.walk(out):
        for f in files:
            with open(os.path.join(path, f)) as g:
                doc = json.load(g)
            os.remove(os.path.join(path, f))
            if "verdict" in doc:
                return {t["check"]: t for t in doc["verdict"]["trust"]}
    return None


def main():
    analyzer, seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 60
    positive, negative, cases, wrong = collections.Counter(), collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        make_trust.main(folder, seed, count)
        with open(os.path.join(folder, "truth.json")) as f:
            truth = json.load(f)
        for t in truth:
            got = trust_of(analyzer, folder, t["file"])
            if got is None:
                print("%s: no verdict" % t["file"])
                wrong += 1
                continue
            for check, is_ in got.items():
                want = t["expect"].get(check)
                if check in OTHERS or (check in t["expect"] and want is None):
                    continue
                status, n, of, time = want or ["any", 0, None, None]
                expects_bad = status in ("warn", "fail", "bad")
                cases[check] += expects_bad
                positive[check] += is_["status"] in BAD and not expects_bad
                negative[check] += is_["status"] not in BAD and expects_bad
                exact = status in ("any", "bad") or is_["status"] == status or (status == "pass" and is_["status"] == "not_applicable")
                if is_["status"] == "not_applicable" and not expects_bad:
                    continue
                if not exact or is_["count"] != n or (of is not None and is_["of"] != of) or (time is not None and is_["time_ns"] != time):
                    wrong += 1
                    print("%s %s: %s is %s %d/%d %d, should be %s %s/%s %s" % (t["file"], ",".join(t["faults"]), check, is_["status"], is_["count"], is_["of"], is_["time_ns"],
                                                                              status, n, of, time))
    for check in sorted(cases):
        print("%-24s %3d faults, %d false positives, %d false negatives" % (check, cases[check], positive[check], negative[check]))
    failed = wrong + sum(positive.values()) + sum(negative.values())
    print("%d passed, %d failed" % (count - min(count, failed), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
