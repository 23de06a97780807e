#!/usr/bin/env python3
"""Print the size and shape of the sources: what a maintainer looks at before and after a large change. Nothing is limited
here; the limits are in tests/lint.

    house_measure.py [ROOT] [--objects DIR]     DIR: build/obj, for circles of objects
"""
import argparse
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def sources(root):
    for folder, dirs, names in os.walk(os.path.join(root, "src")):
        dirs.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, os.path.join(root, "src")), open(path, encoding="utf-8").read()


def code_and_comments(text):
    """The text without comments and contents of strings, and the number of lines that hold a comment."""
    comments = set()
    out, at = [], 0
    for m in TOKEN.finditer(text):
        out.append(text[at:m.start()])
        if m.group(0).startswith(("/*", "//")):
            first = text.count("\n", 0, m.start())
            comments.update(range(first, first + m.group(0).count("\n") + 1))
            out.append("\n" * m.group(0).count("\n"))
        else:
            out.append(m.group(0)[0] * 2)
        at = m.end()
    return "".join(out) + text[at:], len(comments)


def main():
    p = argparse.ArgumentParser(description="print the size and shape of the sources")
    p.add_argument("root", nargs="?", default=os.path.join(HERE, "..", ".."))
    p.add_argument("--objects")
    a = p.parse_args()
    lines = files = comments = small = functions = 0
    folders = collections.Counter()
    statics = collections.Counter()
    calls = collections.Counter()
    lengths = []
    counted = [("az_table_column calls", r"\baz_table_column\s*\("), ("az_put_* calls", r"\baz_put_\w+\s*\("),
               ("az_table_find calls", r"\baz_table_find\s*\("), ("az_table_new calls (tables made by hand)", r"\baz_table_new\s*\("),
               ("if (rc == 0) rc = ...", r"if \(rc == 0[^)]*\)\s*rc =")]
    found = collections.Counter()
    for rel, text in sources(a.root):
        n = text.count("\n")
        code, said = code_and_comments(text)
        lines, files, comments, small = lines + n, files + 1, comments + said, small + (n < 80)
        folders[os.path.dirname(rel) or "."] += 1
        for name, pattern in counted:
            found[name] += len(re.findall(pattern, code))
        start = None
        for k, line in enumerate(code.splitlines()):
            if line == "{":
                start = k
            elif line.startswith("}") and start is not None:
                functions += 1
                lengths.append(k - start + 1)
                start = None
        for name in re.findall(r"^static [^=;{}\n]*?\b(\w+)\(", code, re.M):
            statics[name] += 1
        calls.update(re.findall(r"\b(\w+)\s*\(", code))
    lengths.sort()
    row = lambda what, value: print("%-46s %s" % (what, value))
    row("lines", lines)
    row("files", files)
    row("files under 80 lines", small)
    row("functions", functions)
    row("lines of a function, median and longest", "%d, %d" % (lengths[len(lengths) // 2], lengths[-1]))
    row("lines with a comment", "%.1f%%" % (100.0 * comments / lines))
    row("folders with more than 45 files", ", ".join("%s %d" % f for f in sorted(folders.items()) if f[1] > 45) or "none")
    row("static functions with names of 1 to 4 letters", sum(n for s, n in statics.items() if len(s) <= 4))
    row("static functions with one caller", sum(1 for s in statics if statics[s] == 1 and calls[s] == 2))
    for name, _ in counted:
        row(name, found[name])
    if a.objects:
        text = subprocess.run([sys.executable, os.path.join(HERE, "..", "lint", "symbols.py"), "--circles", a.objects],
                              capture_output=True, text=True).stdout
        circles = [l for l in text.splitlines() if l.startswith("circle")]
        row("circles of objects", len(circles))
    return 0


if __name__ == "__main__":
    sys.exit(main())
