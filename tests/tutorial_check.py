#!/usr/bin/env python3
"""Follow src/docs/tutorial.md literally: the blocks marked `sh` run one after the other in an empty folder, as a reader would
type them, and what is shown below a block is in its output, line by line and in order.

    tutorial_check.py [--analyzer FILE] [--examples DIR]
The last line is "N passed, N failed".
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "src", "docs", "tutorial.md")


def steps(text):
    """(commands, [lines shown]) of each block of commands with the block below it."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M)
    for i, (kind, body) in enumerate(blocks):
        if kind == "sh":
            after = blocks[i + 1] if i + 1 < len(blocks) else ("sh", "")
            yield body, after[1].splitlines() if after[0] == "" else []


def missing(lines, output):
    """The first line that is not in the output after the ones before it; "" if all are. Runs of blanks are equal."""
    def plain(x):
        return re.sub(r"\s+", " ", x).strip()
    at, text = 0, [plain(x) for x in output.splitlines()]
    for line in lines:
        if line.strip() == "...":  # lines that are left out
            continue
        found = [k for k in range(at, len(text)) if plain(line) in text[k]]
        if not found:
            return line
        at = found[0] + 1
    return ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--examples", default=os.path.join(ROOT, "example"))
    a = p.parse_args()
    c = Checks()
    with open(PAGE, encoding="utf-8") as f:
        found = list(steps(f.read()))
    c.hold(len(found) >= 8 and sum(len(lines) for _, lines in found) >= 20, "the tutorial has commands and their output", "%d" % len(found))
    with tempfile.TemporaryDirectory() as scratch:
        work, programs = os.path.join(scratch, "work"), os.path.join(scratch, "bin")
        os.makedirs(work)
        os.makedirs(programs)
        os.symlink(os.path.abspath(a.analyzer), os.path.join(programs, "analyzer"))
        env = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", COLUMNS="100")
        for commands, lines in found:
            commands = re.sub(r"^EXAMPLES=.*", "EXAMPLES='%s'" % os.path.abspath(a.examples), commands, flags=re.M)
            first = [x for x in commands.splitlines() if not x.startswith("EXAMPLES=")][0]
            q = subprocess.run(["sh", "-c", "EXAMPLES='%s'; set -e\n%s" % (os.path.abspath(a.examples), commands)], cwd=work, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            c.hold(q.returncode == 0, first, "exit status %d: %s" % (q.returncode, q.stderr[-300:]))
            c.hold(not (lost := missing(lines, q.stdout)), "prints what the page shows", "not '%s': %s" % (lost, q.stdout[-800:]))
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
