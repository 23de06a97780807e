#!/usr/bin/env python3
"""Hold what gates write against the forms others define: the verdict against schemas/verdict.schema.json, JUnit XML
against tests/junit.xsd (xmllint), OpenMetrics text against a strict parser; names are hostile. Equal input, equal bytes.
With --stats also how often a gate is wrong over 1,000 seeded repetitions.

    verdict_check.py [--analyzer FILE] [--stats FILE]         needs python3-jsonschema, libxml2-utils
The last line is "N passed, N failed".
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
NAMES = ['plain', 'a<b> & "c" \'d\' ]]> --', 'line\nbreak\r\ttab', 'control \x01\x1b[31m\x7f', 'é ﬀ 漢字 🚀', 'back\\slash', '%0A,::error::', 'x' * 5000,
         'gone']


def kernels(path, times, names):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(HEAD)
        for name, time in zip(names, times):
            f.write('5.0,%d,10,%d.0,1.0,1,2,0.0,"%s"\n' % (time, time // 10, name.replace('"', '""')))


def make_inputs(d):
    for run in range(5):
        kernels(os.path.join(d, "old%d.csv" % run), [50000000 + 1000 * run + 7 * i for i in range(len(NAMES))], NAMES)
        new = [55000000 + 1000 * run] * 3 + [50000000 + 1000 * run, 40000000] + [50000000] * 3
        kernels(os.path.join(d, "new%d.csv" % run), new + [50000000], NAMES[:-1] + ["fresh\x02"])
    args = {"num_of_iters": 1}
    inputs = [{"format": "csv", "title": '%s "%d" <&>\n' % (group, run), "run_group": group, "analysis_args": args,
               "nsys_csv_file_path": {"kernel_sum": "%s%d.csv" % (group, run)}} for group in ("old", "new") for run in range(5)]
    rules = [{"table": "kern_sum", "column": "Total Time (ns)"}, {"table": "kern_sum", "column": "Total Time (ns)", "key": "__geomean__"},
             {"name": 'rule "2" <&> \\', "table": "kern_sum", "column": "Avg (ns)", "test": "bootstrap", "severity": "warn"},
             {"table": "none*"}, {"table": "kern_sum", "column": "Instances", "key": "plain", "max": 3, "min": -2},
             {"table": "kern_sum", "column": "Instances", "better": "equal", "test": "none", "on_new": "fail", "combine": "any"}]
    config = {"inputs": inputs, "gates": {"baseline": "old", "rules": rules},
              "outputs": {"formats": ["verdict", "junit", "openmetrics", "github", "json"]}}
    with open(os.path.join(d, "c.json"), "w", encoding="utf-8") as f:
        json.dump(config, f)


def sorted_keys(x, at="verdict"):
    if isinstance(x, list):
        return all(sorted_keys(v, at + "[]") for v in x)
    if not isinstance(x, dict):
        return True
    return list(x) == sorted(x) and all(sorted_keys(v) for k, v in x.items() if k != "changes")


def check_verdict(c, path):
    import jsonschema
    text = open(path, encoding="utf-8").read()
    v = json.loads(text)
    schema = json.load(open(os.path.join(ROOT, "schemas", "verdict.schema.json"), encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    errors = ["%s: %s" % (list(e.path), e.message) for e in jsonschema.Draft7Validator(schema).iter_errors(v)]
    c.hold(not errors, "the verdict is valid by its schema", errors)
    c.hold(sorted_keys(v), "the keys of the verdict are sorted")
    c.hold("0.050000000000000003" in text, "numbers have 17 significant digits")
    c.hold(v["verdict"] == "fail", "the verdict is fail", v["verdict"])
    c.hold(sum(v["counts"].values()) == len(v["results"]), "the counts add up", v["counts"])
    for s in v["counts"]:
        c.hold(v["counts"][s] == sum(r["status"] == s for r in v["results"]), "the count of " + s)
    order = {"fail": 0, "inconclusive": 1, "warn": 2, "info": 3}
    levels = [order[r["level"]] for r in v["results"]]
    c.hold(levels == sorted(levels), "the worst results come first")
    big = [r for r in v["results"] if r["rule"] == "kern_sum / Total Time (ns)" and r["key"] == {"Name": "plain"}]
    c.hold(len(big) == 1 and big[0]["test"]["p"] == 1 / 252 and big[0]["baseline"]["n"] == 5, "five runs were pooled", big)


def check_junit(c, path, epoch):
    q = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(ROOT, "tests", "junit.xsd"), path], capture_output=True, text=True)
    c.hold(q.returncode == 0, "JUnit XML is valid by tests/junit.xsd", q.stderr)
    top = xml.etree.ElementTree.parse(path).getroot()
    cases = top.findall("testsuite/testcase")
    c.hold(int(top.get("tests")) == len(cases), "the number of test cases")
    for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        c.hold(int(top.get(what)) == sum(x.find(tag) is not None for x in cases), "the number of " + what)
        c.hold(int(top.get(what)) == sum(int(s.get(what)) for s in top), "the suites' sum of " + what)
    times = {s.get("timestamp") for s in top}
    c.hold(times == {"2026-01-31T02:00:00" if epoch else None}, "the time of the suites", times)


LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,(?=[a-z])|$)')
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$")


def metric_errors(text):
    """What a strict reader of OpenMetrics 1.0 would refuse."""
    errors, families, current, seen = [], {}, None, set()
    lines = text.split("\n")
    if lines[-2:] != ["# EOF", ""] or "# EOF" in lines[:-2]:
        errors.append("does not end with one # EOF")
    for line in lines[:-2]:
        if line.startswith("# "):
            parts = line.split(" ", 3)
            if len(parts) < 4 or parts[1] not in ("TYPE", "UNIT", "HELP"):
                errors.append("bad comment: " + line)
                continue
            if parts[1] == "TYPE":
                current = parts[2]
                if current in families or parts[3] != "gauge":
                    errors.append("bad family: " + line)
                families[current] = set()
            if parts[2] != current or parts[1] in families[current]:
                errors.append("out of place: " + line)
            families[current].add(parts[1])
            if parts[1] == "UNIT" and not current.endswith("_" + parts[3]):
                errors.append("the name lacks its unit: " + line)
            continue
        m = SAMPLE.match(line)
        if not m or m.group(1) != current:
            errors.append("bad sample: " + line[:100])
            continue
        labels, at = [], 0
        while m.group(2) is not None and at < len(m.group(2)):
            one = LABEL.match(m.group(2), at)
            if not one:
                errors.append("bad labels: " + line[:200])
                break
            labels.append(one.group(1))
            at = one.end()
        if len(set(labels)) != len(labels) or line.rsplit(" ", 1)[0] in seen:
            errors.append("twice: " + line[:200])
        seen.add(line.rsplit(" ", 1)[0])
    return errors


def check_metrics(c, path):
    text = open(path, encoding="utf-8", newline="").read()
    c.hold(not metric_errors(text), "OpenMetrics text is valid", metric_errors(text))
    c.hold('analyzer_gate_verdict{verdict="fail"} 1' in text, "OpenMetrics holds the verdict")
    for broken in (text[:-1], text.replace("# EOF\n", ""), text.replace('"} 1', '"} one', 1), text.replace('status="pass"', 'status="pa"ss"')):
        c.hold(metric_errors(broken), "the check refuses what is broken")


def check_github(c, out):
    lines = [l for l in out.split("\n") if l.startswith("::")]
    bad = [l for l in lines if not re.match(r"::(error|warning|notice) (file=[^,:]*,line=\d+,)?title=[^,:]*::[^\r]*$", l)]
    c.hold(lines and not bad, "annotations are of the form of workflow commands", bad)
    c.hold(not any("\x1b" in l or "\x01" in l for l in lines), "annotations hold no control characters")


def check_reports(c, analyzer, d):
    env = dict(os.environ, GITHUB_STEP_SUMMARY="")
    env.pop("GITHUB_ACTIONS", None)
    env.pop("SOURCE_DATE_EPOCH", None)
    got = []
    for out, epoch in (("1", None), ("2", None), ("3", "1769824800")):
        e = dict(env, SOURCE_DATE_EPOCH=epoch) if epoch else env
        q = subprocess.run([analyzer, "gate", "--config=c.json", "-o", out, "-j", "1" if out == "1" else "2"], cwd=d, env=e,
                           capture_output=True, text=True, stdin=subprocess.DEVNULL)
        c.hold(q.returncode == 1, "the gate fails", "exit status %d %s" % (q.returncode, q.stderr))
        got.append({f: open(os.path.join(d, out, f), "rb").read() for f in ("gates.json", "gates.xml", "gates.prom")})
    c.hold(got[0] == got[1], "equal input gives equal bytes")
    c.hold(got[0]["gates.json"] == got[2]["gates.json"], "the verdict holds no time")
    check_verdict(c, os.path.join(d, "1", "gates.json"))
    check_junit(c, os.path.join(d, "1", "gates.xml"), False)
    check_junit(c, os.path.join(d, "3", "gates.xml"), True)
    check_metrics(c, os.path.join(d, "3", "gates.prom"))
    check_github(c, q.stdout)


def check_statistics(c, tool):
    """At most 1 % wrong with 25 runs a side and 1 % noise; with 9 a side most are right."""
    for n, most in (("25", 10), ("9", 60)):
        q = subprocess.run([tool, "repeat", "1000", n, n, "0.01"], capture_output=True, text=True, check=True)
        counts = [list(map(int, re.findall(r"(\d+) (?:failed|passed|unstable)", l))) for l in q.stdout.splitlines()]
        print("%s runs a side, noise 1%%, limit 2%%: %s" % (n, "; ".join(q.stdout.splitlines())))
        c.hold(1000 - counts[0][0] <= most, "%s v %s: a slow-down of 3 %% fails" % (n, n), counts)
        c.hold(counts[1][0] <= most, "%s v %s: one of 1 %% does not" % (n, n), counts)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--stats")
    a = p.parse_args()
    c = Checks(quiet=True)
    with tempfile.TemporaryDirectory(prefix="verdict.") as d:
        make_inputs(d)
        check_reports(c, os.path.abspath(a.analyzer), d)
    if a.stats:
        check_statistics(c, a.stats)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
