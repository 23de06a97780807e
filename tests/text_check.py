#!/usr/bin/env python3
"""Text for people: over all examples and widths, no line is wider than the terminal, one input takes one screen, no cell
is a JSON list, and the last lines of a pipe are not missed.
usage: text_check.py --analyzer PROGRAM --example-data DIR [--data FILE...]     last line: "N passed, N failed"
docs/outputs.md (Text)"""
import argparse, glob, os, subprocess, sys, unicodedata

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTHS = ("80", "120", "200")
SCREEN = 60  # lines of one input at most, at 100 columns and more; most take fewer
NARROW = 6  # more on a narrow terminal, where sentences break
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def run(analyzer, width, args, data):
    env = dict(os.environ, COLUMNS=width, EXAMPLE_DATA=data, LC_ALL="C.UTF-8")
    p = subprocess.run([analyzer] + args, env=env, capture_output=True, text=True, cwd=SRC)
    return p.returncode, p.stdout.split("\n")


def is_classic(lines):
    return any(line.startswith("Kernel Statistic:") for line in lines)


def text(name, width, lines, full):
    wide = [line for line in lines if columns(line) > int(width)]
    check(not wide, "%s: %d lines are wider than %s columns: %s" % (name, len(wide), width, wide[:1]))
    lists = [line for line in lines if '["' in line]
    check(not lists, "%s: a list in JSON: %s" % (name, lists[:1]))
    check(not any(line != line.rstrip() for line in lines), "%s: blanks at the end of a line" % name)
    if not full:
        part, longest = 0, 0
        for line in lines:
            part = 0 if line.startswith("=====") else part + 1
            longest = max(longest, part)
        check(longest <= SCREEN + NARROW * (int(width) < 100), "%s: %d lines of one input at %s columns" % (name, longest, width))


def examples(a):
    for config in sorted(glob.glob(os.path.join(SRC, "example", "*.json"))):
        name = os.path.basename(config)
        for width in WIDTHS:
            for full in (False, True):
                rc, lines = run(a.analyzer, width, ["--config=" + config, "--format", "text"] + ["-v"] * full, a.example_data)
                check(rc == 0, "%s: exit status %d" % (name, rc))
                if is_classic(lines):  # byte for byte what its users know
                    continue
                if not (full and "tracy" in name):  # -v prints the table that its users know, as wide as it is
                    text(name + (" -v" if full else ""), width, lines, full or "compare" in name)


def files(a):
    for path in a.data:
        for width in WIDTHS:
            rc, lines = run(a.analyzer, width, ["run", path, "-q", "--format", "text"], a.example_data)
            check(rc in (0, 3), "%s: exit status %d" % (path, rc))
            text(path, width, lines, False)


def pipes(a):
    """A reader that has seen enough is no failure."""
    path = os.path.join(SRC, "example", "pytorch", "train_step.json")
    for args in (["run", path, "-v"], ["help", "config"], ["list"]):
        p = subprocess.Popen([a.analyzer] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.close()
        err = p.stderr.read()
        rc = p.wait()
        check(rc in (0, -13) and b"Broken pipe" not in err, "%s into a closed pipe: %d, %r" % (args[0], rc, err))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--example-data", required=True)
    parser.add_argument("--data", nargs="*", default=[])
    a = parser.parse_args()
    examples(a)
    files(a)
    pipes(a)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
