#!/usr/bin/env python3
"""The table of faults: each with the exit status, the message and the state of the disk that are wanted
(src/docs/faults.md and faults-system.md have it, made by --update).
   usage: campaign.py --analyzer PROGRAM [--jobs N] [--only WORD] [--update] [--verbose]
The last line is "N passed, N failed"."""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import lib  # noqa: E402
import cuts  # noqa: E402,F401
import machine  # noqa: E402,F401
import sweeps  # noqa: E402,F401
import hostile  # noqa: E402,F401

DOCS = [os.path.join(lib.ROOT, "src", "docs", name) for name in ("faults.md", "faults-system.md")]
SECOND = "Calls that fail"  # the group with which the second page begins
BEGIN, END = "<!-- generated: tests/faults/campaign.py --update -->\n", "<!-- /generated -->\n"


def halves():
    """The rows of each page."""
    at = next(i for i, f in enumerate(lib.TABLE) if f.group == SECOND)
    return lib.TABLE[:at], lib.TABLE[at:]


def table(rows, runs):
    """A page's part: groups with their rows. Runs are those of the last update."""
    out, group = [], None
    for f in rows:
        if f.group != group:
            group = f.group
            out += ["", "### " + group, "| fault | exit status | message | disk |%s" % (" runs |" if runs else ""),
                    "|---|---|---|---|%s" % ("---:|" if runs else "")]
        out.append("| %s | %s | %s | %s |%s" % (f.name, ", ".join("signal %d" % -e if e < 0 else str(e) for e in f.exits), f.message, f.disk,
                                              " %d |" % f.runs if runs else ""))
    return "\n".join(out[1:]) + "\n"


def remembered(text, group=None):
    """How often each row of the page was run."""
    runs = {}
    for line in text.split("\n"):
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("### "):
            group = line[4:]
        elif line.startswith("| ") and len(cells) == 5 and cells[4].isdigit():
            runs[group, cells[0]] = int(cells[4])
    return runs


def page(path):
    text = open(path, encoding="utf-8").read()
    return text, text.index(BEGIN) + len(BEGIN), text.index(END)


def main():
    # ignored where this runs in the background, and so by what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", default="")
    p.add_argument("--update", action="store_true")
    p.add_argument("--verbose", action="store_true")
    o = p.parse_args()
    analyzer = os.path.abspath(o.analyzer)
    if b"__asan_init" in open(analyzer, "rb").read():
        print("skipped: limits and preloaded libraries are not for a sanitizer's build")
        print("0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        preload = os.path.join(scratch, "fault.so")
        cc = os.environ.get("CC", "cc").split()
        subprocess.run([*cc, "-O1", "-shared", "-fPIC", "-o", preload, os.path.join(lib.ROOT, "tests", "faults", "fault.c"), "-ldl"], check=True)
        chosen = [f for f in lib.TABLE if o.only in f.group + ": " + f.name]
        begun = [time.time()]

        def report(f, wrong):
            if wrong:
                print("FAIL %s: %s: %s" % (f.group, f.name, wrong))
            elif o.verbose:
                print("ok %s: %s (%d runs, %.1f s)" % (f.group, f.name, f.runs, time.time() - begun[0]))
            sys.stdout.flush()
        failed = lib.perform(chosen, lambda: lib.Bench(analyzer, preload), o.jobs, report)
    passed = len(chosen) - failed
    strip = lambda t: [c.rsplit("|", 2)[0] for c in t.split("\n")]
    for path, rows in zip(DOCS, halves()):
        text, a, b = page(path)
        if o.update:
            before = remembered(text[a:b])
            for f in rows:
                f.runs = f.runs or before.get((f.group, f.name), 0)  # rows that --only left out
            with open(path, "w", encoding="utf-8") as f:
                f.write(text[:a] + table(rows, True) + text[b:])
        elif strip(text[a:b]) != strip(table(rows, True)):
            print("FAIL src/docs/%s is not what the table says (campaign.py --update)" % os.path.basename(path))
            failed += 1
        else:
            passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
