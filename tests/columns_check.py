#!/usr/bin/env python3
"""Canonical columns: run every configuration of example/ with all tables and hold the columns of its JSON reports: each
has an id and a title, ids are unique in their table and end in their unit, and no id has two units. The page
src/docs/columns-*.md list the ids. With --data DIR the profiles below DIR are held too, but not listed.

    columns_check.py [--analyzer FILE] [--example-data DIR] [--data DIR] [--update]     --update rewrites the page's list
The last line is "N passed, N failed".
"""
import argparse
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "src", "docs")
PAGES = {"columns-a-f.md": ("", "g"), "columns-g-o.md": ("g", "p"), "columns-p-z.md": ("p", "~")}  # stems from, before
RULES = os.path.join(ROOT, "src", "document", "schema_rules.c")
MARKS = ("<!-- generated: tests/columns_check.py -->\n", "<!-- /generated -->")
SUFFIX = {"": "", "id": "", "count": "_count", "ps": "_ps", "ns": "_ns", "us": "_us", "ms": "_ms", "s": "_s",
          "B": "_bytes", "KB": "_kb", "MB": "_mb", "MiB": "_mb", "GB": "_gb", "%": "_percent", "ratio": "_ratio", "FLOP": "_flop",
          "GFLOP": "_gflop", "GB/s": "_gb_per_s", "TB/s": "_tb_per_s", "TFLOP/s": "_tflop_per_s",
          "FLOP/B": "_flop_per_byte", "1/s": "_per_s"}
PROFILES = (".json", ".json.gz", ".sqlite", ".db", ".pb", ".pftrace", ".csv")


class Columns:
    def __init__(self):
        self.wrong, self.headers, self.units, self.by_stem = [], set(), {}, {}
        self.own_headers, self.own_ids = set(), set()  # without columns that are named by the input
        self.tables = self.columns = 0

    def add(self, path, open_tables, listed):
        """One report. True if it is one with tables."""
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        if not str(report.get("schema", "")).startswith(("analyzer-result/", "analyzer-comparison/")):
            return False
        for table in report["tables"]:
            self.tables += 1
            seen = set()
            for c in table["columns"]:
                self.column(table["id"], c, seen)
                dynamic = (any(fnmatch.fnmatchcase(table["id"], g) for g in open_tables) or "__" in c["id"]
                           or c["name"].startswith("param: ") or re.match(r"rank_?\d", c["id"]))
                if not dynamic:
                    self.own_headers.add(c["name"])
                    self.own_ids.add(c["id"])
                if listed and not dynamic:
                    stem = c["id"][:len(c["id"]) - len(self.suffix(c))] or c["id"]
                    entry = self.by_stem.setdefault(stem, {"ids": set(), "headers": set(), "titles": set()})
                    entry["ids"].add(c["id"])
                    entry["headers"].add(c["name"])
                    if report["schema"].startswith("analyzer-result/"):  # comparisons keep headers as titles
                        entry["titles"].add(re.sub(r" \([^()]*\)$", "", c["title"]))
        return True

    @staticmethod
    def suffix(c):
        s = SUFFIX[c["unit"]]
        return s if c["id"].endswith(s) else ""

    def column(self, table, c, seen):
        where = "%s.%s" % (table, c["name"])
        self.columns += 1
        self.headers.add(c["name"])
        if not re.fullmatch(r"[a-z0-9_]+", c.get("id", "")):
            self.wrong.append(where + ": no id")
            return
        if not c.get("title") and c["name"]:
            self.wrong.append(where + ": no title")
        if c["id"] in seen:
            self.wrong.append("%s: a second %s" % (where, c["id"]))
        seen.add(c["id"])
        if not c["id"].endswith(SUFFIX[c["unit"]]) and not (c["unit"] == "count" and "count" in c["id"].split("_")):
            self.wrong.append("%s: %s does not say its unit '%s'" % (where, c["id"], c["unit"]))
        unit = "" if c["unit"] == "id" else c["unit"]
        if self.units.setdefault(c["id"], unit) != unit:
            self.wrong.append("%s: %s is in '%s' and in '%s'" % (where, c["id"], self.units[c["id"]], unit))


def run(argv, cwd, env):
    return subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=300)


def reports(folder):
    return sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True))


def listing(by_stem, first, end):
    lines = ["| stem | title | ids | headers |", "|---|---|---|---|"]
    for stem, e in sorted((s, e) for s, e in by_stem.items() if first <= s < end):
        cell = [", ".join("`%s`" % x.replace("|", "\\|") for x in sorted(e[k])) for k in ("ids", "headers")]
        lines.append("| `%s` | %s | %s | %s |" % (stem, (sorted(e["titles"]) or sorted(e["headers"]))[0], cell[0], cell[1]))
    return "\n".join(lines) + "\n"


def page_holds(path, text, update):
    page = open(path, encoding="utf-8").read()
    begin = page.index(MARKS[0]) + len(MARKS[0])
    end = page.index(MARKS[1], begin)
    if page[begin:end] == text:
        return True
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write(page[:begin] + text + page[end:])
    return update


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    parser.add_argument("--example-data", default=os.path.join(ROOT, "build", "example-data"))
    parser.add_argument("--data")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    analyzer = os.path.abspath(args.analyzer)
    env = dict(os.environ, EXAMPLE_DATA=os.path.abspath(args.example_data))
    open_tables = re.search(r'az_schema_open_tables\[\]\s*=\s*((?:"[^"]*"\s*)+);', open(RULES, encoding="utf-8").read())
    open_tables = "".join(re.findall(r'"([^"]*)"', open_tables.group(1))).split("|")
    columns, results = Columns(), []

    def hold(good, what, why=""):
        results.append(bool(good))
        print(("ok   " if good else "FAIL ") + what + ("" if good or not why else ": " + why))

    with tempfile.TemporaryDirectory() as tmp:
        for config in sorted(glob.glob(os.path.join(ROOT, "example", "*.json"))):
            out = os.path.join(tmp, os.path.basename(config).replace(".json", ""))
            done = run([analyzer, "--config=" + config, "--compat=all", "--format", "json", "-o", out], tmp, env)
            n = sum(columns.add(p, open_tables, True) for p in reports(out)) if done.returncode == 0 else 0
            hold(n > 0, os.path.basename(config) + ": writes JSON reports", done.stderr.strip()[-300:])
        read = 0
        for i, (folder, _, files) in enumerate(sorted(os.walk(args.data)) if args.data else []):
            for k, name in enumerate(sorted(files)):
                out = os.path.join(tmp, "%d_%d" % (i, k))
                if not name.endswith(PROFILES):
                    continue
                done = run([analyzer, "run", os.path.join(folder, name), "--compat=all", "--format", "json", "-q", "-o",
                            out], tmp, env)
                if done.returncode == 0:
                    read += sum(columns.add(p, open_tables, False) for p in reports(out))
        if args.data:
            hold(read > 0, "%s: %d reports" % (args.data, read))
    hold(columns.columns > 0 and not columns.wrong, "every column has its id, unique in its table, in one unit",
         "; ".join(columns.wrong[:20]))
    for page, (first, end) in PAGES.items():
        hold(page_holds(os.path.join(DOCS, page), listing(columns.by_stem, first, end), args.update), "src/docs/%s lists the ids" % page,
             "not what the examples have (run tests/columns_check.py --update)")
    print("%d columns of %d tables: %d headers, %d ids; not named by the input: %d headers, %d ids" %
          (columns.columns, columns.tables, len(columns.headers), len(columns.units), len(columns.own_headers),
           len(columns.own_ids)))
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
