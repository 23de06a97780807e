#!/usr/bin/env python3
"""Workbooks read back: our own and one as pandas writes it against the CSV files of the same tables; what they may hold
(shared and inline texts, dates, booleans, gaps, names); and hostile or damaged ones, each of which is refused with a message
that says why, exit status 3, little memory and no time.

    xlsx_read_check.py ANALYZER SRC         needs python3-openpyxl; the last line is "N passed, N failed"
"""
import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile

import openpyxl


class Checks:
    def __init__(self, analyzer):
        self.analyzer = os.path.abspath(analyzer)
        self.passed = self.failed = 0

    def hold(self, good, what, why=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAIL " + what + (": " + str(why)[:600] if why else ""))

    def compare(self, *paths, out=None):
        more = ["--format", "json", "-o", out] if out else []
        p = subprocess.run([self.analyzer, "compare", *paths, *more, "-q"], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, timeout=60, errors="replace",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
        return p.returncode, p.stderr

    def same(self, a, b, what, out):
        """No row differs."""
        rc, err = self.compare(a, b, out=out)
        self.hold(rc == 0, what + ": exit status", err)
        if rc:
            return
        doc = json.load(open(os.path.join(out, "comparison.json"), encoding="utf-8"))
        verdict = next(t for t in doc["tables"] if t["id"] == "verdict")["rows"][0][2]
        self.hold(verdict.startswith("no difference") or " take the same time " in verdict, what, verdict)
        differ, columns = [], 0
        for t in doc["tables"]:
            at = [i for i, c in enumerate(t["columns"]) if "diff" in str(c).lower()]
            columns += len(at)
            differ += [(t["id"], row[0], row[i]) for row in t["rows"] for i in at
                       if isinstance(row[i], (int, float)) and abs(row[i]) > 1e-9]
        self.hold(columns > 0 and not differ, what + ": every figure", differ[:3] or "%d columns of differences" % columns)

    def refused(self, path, good, part, what):
        rc, err = self.compare(good, path)
        self.hold(rc == 3 and part in err, "%s: refused with '%s'" % (what, part), "%d %s" % (rc, err))


def own(c, d, src):
    p = subprocess.run([c.analyzer, "run", os.path.join(src, "example/pytorch/train_step.json"), "--xlsx", "own.xlsx",
                        "--csv-dir", "own", "-q"], cwd=d, capture_output=True, text=True)
    c.hold(p.returncode == 0, "a workbook is written", p.stderr)
    c.same(os.path.join(d, "own"), os.path.join(d, "own.xlsx"), "our own workbook equals its CSV files", os.path.join(d, "o1"))
    c.same(os.path.join(src, "example/pytorch/train_step.json"), os.path.join(d, "own.xlsx"),
           "our own workbook equals its trace", os.path.join(d, "o2"))


def other(c, d):
    """What another program writes: texts, dates, booleans, empty cells, a free sheet, and a chart alone."""
    book = openpyxl.Workbook()
    ws = book.active
    ws.title = "ops_summary"
    rows = [["name", "total_direct_kernel_time_ms", "Count", "note", "when", "good"],
            ['aten::mm, "big"', 1.5, 3, "line\nbreak", datetime.datetime(2026, 1, 31, 12, 30), True],
            ["aten::copy_", 0.25, 4, None, datetime.date(2024, 2, 29), False], ["007", 1e-7, 5, " x ", None, None]]
    for row in rows:
        ws.append(row)
    ws = book.create_sheet("kernel_summary")
    ws.append(["Kernel name", "Kernel duration (\u00b5s)_sum"])
    ws["A3"], ws["B3"] = "k", 7
    book.create_sheet("empty")
    free = book.create_sheet("notes")
    free.append(["a title"])
    free.append(["and", "more"])
    book.create_chartsheet("chart")
    book.save(os.path.join(d, "other.xlsx"))
    os.makedirs(os.path.join(d, "other"))
    with open(os.path.join(d, "other", "ops_summary.csv"), "w", encoding="utf-8") as f:
        f.write('name,total_direct_kernel_time_ms,Count,note,when,good\n"aten::mm, ""big""",1.5,3,"line\nbreak",2026-01-31 12:30:00,True\n'
                "aten::copy_,0.25,4,,2024-02-29,False\n007,1e-07,5, x ,,\n")
    with open(os.path.join(d, "other", "kernel_summary.csv"), "w", encoding="utf-8") as f:
        f.write("Kernel name,Kernel duration (\u00b5s)_sum\nk,7\n")
    c.same(os.path.join(d, "other"), os.path.join(d, "other.xlsx"), "a workbook of another program equals CSV files",
           os.path.join(d, "o3"))
    doc = json.load(open(os.path.join(d, "o3", "comparison.json"), encoding="utf-8"))
    rows = next(t for t in doc["tables"] if t["id"] == "ops_summary")
    names = [x["name"] for x in rows["columns"]]
    column = next(i for i, n in enumerate(names) if n.endswith("::when"))
    when = [r[column] for r in rows["rows"]]
    c.hold(when == ["2026-01-31 12:30:00", "2024-02-29", None], "dates are read as ISO 8601", when)


def parts_of(path):
    with zipfile.ZipFile(path) as z:
        return {n: z.read(n) for n in z.namelist()}


def book(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in parts.items():
            z.writestr(name, data)


def hostile(c, d):
    good, base = os.path.join(d, "other"), os.path.join(d, "other.xlsx")
    parts, raw = parts_of(base), open(base, "rb").read()
    sheet = "xl/worksheets/sheet1.xml"
    head = b'<worksheet><sheetData><row><c t="inlineStr"><is><t>type</t></is></c></row>'
    cases = {
        "bomb": (dict(parts, **{sheet: head + b"<row/>" * (4 << 20)}), "decompresses to more"),
        "cells": (dict(parts, **{sheet: head + b'<row><c r="XFE1"><v>1</v></c></row></sheetData></worksheet>'}), "outside of any sheet"),
        "entities": (dict(parts, **{sheet: b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>'}),
                     "document type"),
        "text": (dict(parts, **{sheet: head + b'<row><c t="s"><v>99999</v></c></row></sheetData></worksheet>'}), "missing from the workbook"),
        "xml": (dict(parts, **{sheet: b"<worksheet><row></worksheet>"}), "is not XML"),
        "end": (dict(parts, **{sheet: head}), "is truncated XML"),
        "sheet": ({k: v for k, v in parts.items() if k != sheet}, "is missing"),
        "workbook": ({k: v for k, v in parts.items() if k != "xl/workbook.xml"}, "is missing"),
        "relations": ({k: v for k, v in parts.items() if k != "_rels/.rels"}, "is missing"),
        "document": (dict(parts, **{"xl/workbook.xml": b"<document/>"}), "is not a workbook document"),
    }
    for name, (content, part) in cases.items():
        path = os.path.join(d, name + ".xlsx")
        book(path, content)
        c.refused(path, good, part, name)
    for name, data, part in (("truncated", raw[:len(raw) // 2], "incomplete zip file"),
                             ("garbage", b"PK\x03\x04" + b"\0" * 5000, "incomplete zip file"),
                             ("encrypted", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted")):
        path = os.path.join(d, name + ".xlsx")
        open(path, "wb").write(data)
        c.refused(path, good, part, name)
    secret = bytearray(raw)  # the flag "encrypted" of every entry
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        i = secret.find(mark)
        while i >= 0:
            secret[i + at] |= 1
            i = secret.find(mark, i + 4)
    open(os.path.join(d, "secret.xlsx"), "wb").write(secret)
    c.refused(os.path.join(d, "secret.xlsx"), good, "is encrypted", "entries that are encrypted")
    damaged = bytearray(raw)
    with zipfile.ZipFile(base) as z:
        at = z.getinfo(sheet).header_offset + 30 + len(sheet) + 20
    damaged[at] ^= 0xFF
    open(os.path.join(d, "damaged.xlsx"), "wb").write(damaged)
    c.refused(os.path.join(d, "damaged.xlsx"), good, "part 'xl/worksheets/sheet1.xml'", "a damaged part")


def main():
    c = Checks(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="xlsx.") as d:
        own(c, d, os.path.abspath(sys.argv[2]))
        other(c, d)
        hostile(c, d)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
