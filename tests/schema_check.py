#!/usr/bin/env python3
"""Hold the JSON Schema of the configuration against the program: the committed schema is what `analyzer schema` prints;
every configuration in the repository that the program takes is valid by the schema; and for every key of the schema both
say the same of its default, the ends of its range, values beyond them, values of a wrong type and an unknown key.

    schema_check.py [--analyzer FILE]         needs python3-jsonschema
The last line is "N passed, N failed".
"""
import argparse
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import check_lib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMA = os.path.join(ROOT, "schemas", "config.schema.json")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.S)
ARGS = {"num_of_iters": 1, "nvtx_tag_of_iter": "x"}
CSV = {"inputs": [{"format": "csv", "nsys_csv_file_path": {"kernel_sum": "k.csv"}, "analysis_args": ARGS}]}
REP = {"inputs": [{"format": "nsys-rep", "nsys_report": {"path": "k.nsys-rep"}, "analysis_args": ARGS}]}
PLAIN = {"inputs": [{"format": "nsys-sqlite", "path": "x.sqlite"}]}
TWO = {"inputs": [{"path": "x.sqlite"}, {"path": "y.sqlite"}]}
# definition -> a configuration that is right, and the way to the object of that definition
PLACES = {
    "": (PLAIN, []),
    "input": (PLAIN, ["inputs", 0]),
    "analysis_args": (CSV, ["inputs", 0, "analysis_args"]),
    "options": (PLAIN, ["inputs", 0, "options"]),
    "thresholds": (PLAIN, ["thresholds"]),
    "outputs": (PLAIN, ["outputs"]),
    "compare": (TWO, ["compare"]),
    "nsys_csv_file_path": (CSV, ["inputs", 0, "nsys_csv_file_path"]),
    "nsys_report": (REP, ["inputs", 0, "nsys_report"]),
    "gates": (PLAIN, ["gates"]),
    "rule": ({**PLAIN, "gates": {"rules": [{}]}}, ["gates", "rules", 0]),
    "history": ({**PLAIN, "history": {"path": "h.db"}}, ["history"]),
}


class Checks(check_lib.Checks):
    def __init__(self, analyzer, validator):
        super().__init__(quiet=True)
        self.analyzer, self.validator = analyzer, validator

    def program(self, path):
        """Does the program take this file, and what does it say?"""
        p = subprocess.run([self.analyzer, "check-config", path], capture_output=True, text=True, cwd=ROOT,
                           stdin=subprocess.DEVNULL)
        if p.returncode not in (0, 2, 3):  # 3: right, but a file of it is not there
            raise RuntimeError("check-config %s: exit status %d" % (path, p.returncode))
        return p.returncode != 2, p.stderr.strip()

    def agree(self, config, what, path, want=None):
        """Both take it, or both refuse it (`want`: which)."""
        with open(path, "w", encoding="utf-8") as f:
            json.dump(config, f)
        taken, said = self.program(path)
        errors = [e.message for e in self.validator.iter_errors(config)]
        why = "program: %s; schema: %s" % (said or "fine", "; ".join(errors)[:200] or "fine")
        self.hold(taken == (not errors) and want in (None, taken), what, why)


def strip_json(text):
    """Without comments and trailing commas, as json-c reads it."""
    return TOKEN.sub(lambda m: m.group(0) if m.group(0)[0] == '"' else " ", text.lstrip("\ufeff"))


def samples(prop):
    """(value, is it right) for one key; right is None where the program may know better than the schema."""
    kinds = prop.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    out = []
    if "default" in prop:
        out.append((prop["default"], True))
    if "enum" in prop:
        out += [(v, True) for v in prop["enum"]] + [("no such word", False), (1, False)]
    if "integer" in kinds or "number" in kinds:
        step = 1 if "integer" in kinds else 1e-20
        if "minimum" in prop:
            out += [(prop["minimum"], True), (prop["minimum"] - step if prop["minimum"] else -1, False)]
        if "maximum" in prop:
            out += [(prop["maximum"], True), (prop["maximum"] * 2, False)]
        if "integer" in kinds:
            out.append((1.5, False))
        if "string" not in kinds:
            out.append(("1", False))
        out.append((True, False))
    if "boolean" in kinds:
        out += [(True, True), (False, True), ("true", False), (1, False)]
    if kinds and "null" in kinds:
        out.append((None, None))
    elif kinds:
        out.append((None, False))
    if "object" not in kinds and "$ref" not in prop:
        out.append(({}, False))
    else:
        out += [({}, None), ([], False), ("x", False)]
    return out


def check_keys(c, schema, path):
    for place, (base, way) in PLACES.items():
        definition = schema["definitions"][place] if place else schema
        for key, prop in definition["properties"].items():
            if key in ("$schema", "inputs"):
                continue
            for value, right in samples(prop):
                config = copy.deepcopy(base)
                at = config
                for step in way:
                    at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
                at[key] = value
                # a format that goes with other keys than those of `base`, or none of the required ones
                missing = (place, key) == ("input", "format") or value == {} and key.startswith("nsys_") \
                    or value is None and key in ("num_of_iters",) \
                    or key == "compare" and value == {} \
                    or (key, value) == ("optional", True)  # leaves the one input out: nothing to analyze
                if missing and right is not False:
                    continue
                c.agree(config, "%s%s = %s" % (place + "." if place else "", key, json.dumps(value)), path, right)
        config = copy.deepcopy(base)
        at = config
        for step in way:
            at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
        at["no_such_key"] = 1
        c.agree(config, "an unknown key in %s" % (place or "the top level"), path, False)


def check_cases(c, path):
    """What single keys do not show."""
    for config, right in (
            ({}, False), ({"inputs": []}, False), ({"inputs": {}}, False), ({"inputs": [5]}, False), (PLAIN, True),
            (CSV, True), (REP, True), ({"inputs": [{"format": "CSV", **{k: v for k, v in CSV["inputs"][0].items() if k != "format"}}]}, True),
            ({"inputs": [{"format": "xyz", "path": "x"}]}, False), ({"inputs": [{"format": "AUTO", "path": "x"}]}, True),
            ({"inputs": [{"path": ["x", "y"]}]}, True), ({"inputs": [{"path": []}]}, False),
            ({"inputs": [{"path": ""}]}, False), ({"inputs": [{"path": [1]}]}, False),
            ({"inputs": [{"path": "x", "title": None}]}, True), ({"inputs": [{"path": "x", "title": 1}]}, False),
            ({"inputs": PLAIN["inputs"], "kernel_to_class_map": {"a": "b"}}, True),
            ({"inputs": PLAIN["inputs"], "kernel_to_class_map": {"a": 1}}, False),
            ({"inputs": PLAIN["inputs"], "labels": {"a": 1, "b": "x", "c": True}}, True),
            ({"inputs": PLAIN["inputs"], "labels": {"a": None}}, False),
            ({"inputs": PLAIN["inputs"], "memory_limit": "64M"}, True),
            ({"inputs": PLAIN["inputs"], "memory_limit": 1.5}, False),
            ({"inputs": PLAIN["inputs"], "outputs": {"formats": ["text", "csv"]}}, True),
            ({"inputs": PLAIN["inputs"], "outputs": {"formats": "csv"}}, True),
            ({"inputs": PLAIN["inputs"], "outputs": {"formats": ["pdf"]}}, False),
            ({**TWO, "compare": {}}, True), ({**TWO, "compare": {"inputs": [1]}}, False),
            ({**TWO, "compare": {"inputs": ["x", "y"], "names": ["a", "b"], "baseline": "b"}}, True),
            ({**TWO, "compare": {"inputs": []}}, False), ({**TWO, "compare": {"tables": [""]}}, False),
            ({**TWO, "compare": {"tables": 5}}, False), ({**TWO, "side_by_side": 1}, False),
            ({"inputs": [{"format": "result", "path": "x"}]}, True),
            ({"inputs": PLAIN["inputs"], "$schema": "x"}, True)):
        c.agree(config, json.dumps(config), path, right)


def check_files(c):
    # the folders below example/ hold inputs, some of them JSON too
    names = sorted(n for pattern in (("example", "*.json"), ("configs", "**", "*.json"), ("tests", "golden", "**", "*.json"))
                   for n in glob.glob(os.path.join(ROOT, *pattern), recursive=True))
    for name in names:
        shown = os.path.relpath(name, ROOT)
        taken, said = c.program(name)
        if shown.startswith("example" + os.sep):
            c.hold(taken, "the program takes " + shown, said)
        if not taken:
            continue  # wrong on purpose: the schema need not know why
        with open(name, encoding="utf-8") as f:
            errors = [e.message for e in c.validator.iter_errors(json.loads(strip_json(f.read())))]
        c.hold(not errors, "the schema takes " + shown, "; ".join(errors)[:300])
    c.hold(any(os.sep + "example" + os.sep in n for n in names), "there is an example")


def check_verdict(c, folder):
    """The identifiers of the verdict: those of the program are those of the schema, and reports are valid."""
    import jsonschema
    with open(os.path.join(ROOT, "schemas", "result.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    with open(os.path.join(ROOT, "src", "document", "claims.c"), encoding="utf-8") as f:
        code = f.read()
    definitions = schema["definitions"]
    wanted = {"CHECK": definitions["check_id"]["enum"], "CAUSE": definitions["finding"]["properties"]["cause"]["enum"],
              "ADVICE": definitions["finding"]["properties"]["advice"]["enum"]}
    for kind, ids in wanted.items():
        own = re.findall(r"(?m)^ *\[AZ_%s_\w+\] =\s*\{?\s*\"(\w+)\"" % kind, code)
        c.hold([i for i in ids if i] == own, "identifiers of %s in the schema" % kind.lower(), "%s" % (set(own) ^ set(ids)))
    validator = jsonschema.Draft7Validator(schema)
    for name in sorted(glob.glob(os.path.join(ROOT, "example", "pytorch", "*.json")) + glob.glob(os.path.join(ROOT, "example", "tracy", "*.csv"))
                       + glob.glob(os.path.join(ROOT, "example", "nsys", "*.csv"))):
        out = os.path.join(folder, "verdict.json")
        p = subprocess.run([c.analyzer, "run", name, "-q", "--format", "json", "-o", folder], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        for out in glob.glob(os.path.join(folder, "*_perf_report.json")):
            with open(out, encoding="utf-8") as f:
                document = json.load(f)
            errors = [e.message for e in validator.iter_errors(document)]
            c.hold(p.returncode == 0 and not errors, "the schema takes the report of " + os.path.basename(name), "; ".join(errors)[:300])
            check_sums(c, document.get("verdict", {}), name)
            os.remove(out)


def check_sums(c, verdict, name):
    """The parts of the account add up, and savings at the top are no more than the span."""
    a = verdict.get("account")
    if not a:
        return
    parts = a["computing_ns"] + a["exposed_communication_ns"] + a["exposed_copy_ns"] + a["idle_ns"]
    c.hold(parts == a["span_ns"], "the account of %s adds up" % os.path.basename(name), "%d of %d" % (parts, a["span_ns"]))
    top = sum(f["saving_ns"] for f in verdict["findings"] if f["part_of"] is None and not f["outside_scope"])
    c.hold(top <= a["span_ns"], "savings of %s" % os.path.basename(name), "%d of %d" % (top, a["span_ns"]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    a = p.parse_args()
    import jsonschema
    analyzer = os.path.abspath(a.analyzer)
    printed = subprocess.run([analyzer, "schema"], capture_output=True, text=True, check=True,
                             stdin=subprocess.DEVNULL).stdout
    schema = json.loads(printed)
    jsonschema.Draft7Validator.check_schema(schema)
    c = Checks(analyzer, jsonschema.Draft7Validator(schema))
    committed = open(SCHEMA, encoding="utf-8").read() if os.path.exists(SCHEMA) else ""
    c.hold(committed == printed, "schemas/config.schema.json is what the program prints", "stale (make schema)")
    check_files(c)
    with tempfile.TemporaryDirectory(prefix="schema.") as d:
        check_keys(c, schema, os.path.join(d, "c.json"))
        check_cases(c, os.path.join(d, "c.json"))
        check_verdict(c, d)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, ValueError, ImportError, subprocess.CalledProcessError) as e:
        print("FAIL %s" % e)
        print("0 passed, 1 failed")
        sys.exit(1)
