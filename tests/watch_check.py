#!/usr/bin/env python3
"""`analyzer --watch DIR`: a line for each profile that is written, moved, or comes with a new folder; other files have none; with
a baseline the line has the gate's result; the exit status after an interrupt tells whether a gate failed.

    watch_check.py [--analyzer FILE]
The last line is "N passed, N failed".
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLES = os.path.join(ROOT, "example", "pytorch")


class Watch:
    def __init__(self, analyzer, folder, *more, **how):
        self.out = tempfile.TemporaryFile("w+")
        self.err = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([analyzer, "--watch", folder] + list(more), stdout=self.out, stderr=self.err, stdin=subprocess.DEVNULL,
                                        **how)
        self.wait(lambda: "watching" in self.text(self.err))

    def text(self, f):
        f.seek(0)
        return f.read()

    def lines(self):
        return self.text(self.out).splitlines()

    def wait(self, done, seconds=30):
        end = time.monotonic() + seconds
        while not done() and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.02)
        return done()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


def unwatched(analyzer, c, scratch, base):
    """Folders without permission, for a user to whom it matters."""
    folder = os.path.join(scratch, "closed")
    os.makedirs(folder)
    os.chmod(scratch, 0o755)
    try:
        w = Watch(analyzer, folder, **({"user": 65534} if os.geteuid() == 0 else {}))
    except PermissionError:
        return  # the program is where only root can run it
    for name in "one", "two":
        os.makedirs(os.path.join(scratch, name))
        os.chmod(os.path.join(scratch, name), 0)
        os.rename(os.path.join(scratch, name), os.path.join(folder, name))
    shutil.copy(base, os.path.join(folder, "a.json"))
    c.hold(w.wait(lambda: len(w.lines()) == 1), "a file next to a folder that cannot be watched has a line", w.text(w.err))
    c.hold(w.text(w.err).count("cannot watch: Permission denied") == 1, "which is one warning", w.text(w.err))
    c.hold(w.end() == 0, "and no failure", w.text(w.err))


def main():
    # ignored where this runs in the background, and so by what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    analyzer = os.path.abspath(p.parse_args().analyzer)
    c = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        base, new = os.path.join(EXAMPLES, "train_step.json"), os.path.join(EXAMPLES, "train_step_pageable.json")
        folder = os.path.join(scratch, "traces")
        os.makedirs(os.path.join(folder, "old"))
        shutil.copy(base, os.path.join(folder, "before.json"))
        w = Watch(analyzer, folder)
        shutil.copy(base, os.path.join(folder, "a.json"))
        c.hold(w.wait(lambda: len(w.lines()) == 1), "a file that is written has a line", w.text(w.err))
        with open(os.path.join(folder, "notes.txt"), "w") as f:
            f.write("no profile\n")
        shutil.copy(base, os.path.join(folder, ".part"))
        os.rename(os.path.join(folder, ".part"), os.path.join(folder, "b.json"))
        c.hold(w.wait(lambda: len(w.lines()) == 2), "a file that is renamed has a line")
        w.process.send_signal(signal.SIGSTOP)  # the file is written before the folder is watched
        os.makedirs(os.path.join(folder, "run", "deep"))
        shutil.copy(base, os.path.join(folder, "run", "deep", "c.json"))
        w.process.send_signal(signal.SIGCONT)
        c.hold(w.wait(lambda: len(w.lines()) == 3), "so has one in a new folder")
        shutil.copy(base, os.path.join(folder, "old", "d.json"))
        c.hold(w.wait(lambda: len(w.lines()) == 4), "and one in a folder that was there")
        with open(os.path.join(folder, "half.json"), "wb") as f:  # in a folder that is moved here while it is written
            os.makedirs(os.path.join(scratch, "moved"))
            os.rename(f.name, os.path.join(scratch, "moved", "g.json"))
            whole = open(base, "rb").read()
            f.write(whole[:len(whole) // 2])
            f.flush()
            os.rename(os.path.join(scratch, "moved"), os.path.join(folder, "moved"))
            shutil.copy(base, os.path.join(folder, "moved", "h.json"))
            c.hold(w.wait(lambda: len(w.lines()) == 5), "and one next to a file that is still written")
            f.write(whole[len(whole) // 2:])
        c.hold(w.wait(lambda: len(w.lines()) == 6), "which has one when it is closed")
        names = [os.path.relpath(line.split(": ")[0], folder) for line in w.lines()]
        c.hold(names == ["a.json", "b.json", "run/deep/c.json", "old/d.json", "moved/h.json", "moved/g.json"], "lines name the files", " ".join(names))
        c.hold(all("2 steps, 450.8 us apart" in x and "73.6% compute" in x for x in w.lines()), "with what ran and the account", "\n".join(w.lines()))
        c.hold(w.end() == 0, "an interrupt ends it", w.text(w.err))
        w = Watch(analyzer, folder, "--baseline", base)
        shutil.copy(base, os.path.join(folder, "e.json"))
        c.hold(w.wait(lambda: len(w.lines()) == 1) and "; pass: " in w.lines()[0], "with a baseline a line has the gate: pass", "\n".join(w.lines()))
        c.hold(w.end() == 0, "all gates passed: exit status 0", w.text(w.err))
        w = Watch(analyzer, folder, "--baseline", base)
        shutil.copy(new, os.path.join(folder, "f.json"))
        c.hold(w.wait(lambda: len(w.lines()) == 1) and re.search(r"; fail: exposed copies \+107.0 us, host: the device waits for copies; total 450.8 us -> 520.4 us \(\+15.4%\); ", w.lines()[0]), "or fail, with the reason",
               "\n".join(w.lines()))
        c.hold(w.end() == 1, "a gate failed: exit status 1", w.text(w.err))
        w = Watch(analyzer, folder, "--baseline", base)
        with open(os.path.join(folder, "empty.json"), "wb") as f:
            f.write(b'{"traceEvents": [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}')
        c.hold(w.wait(lambda: len(w.lines()) == 1) and "no device activity recorded" in w.lines()[0], "a profile without device events has its line",
               "\n".join(w.lines()) + w.text(w.err))
        c.hold(w.end() == 3, "which fails: exit status 3", w.text(w.err))
        unwatched(analyzer, c, scratch, base)
        for words in ((folder, "--watch", folder), ("--baseline", base, new)):
            q = subprocess.run([analyzer, "run"] + list(words), capture_output=True, text=True)
            c.hold(q.returncode == 2 and "--watch" in q.stderr, "wrong use: " + " ".join(os.path.basename(x) for x in words), q.stderr)
        q = subprocess.run([analyzer, "--watch", os.path.join(scratch, "missing")], capture_output=True, text=True)
        c.hold(q.returncode == 3 and "cannot watch" in q.stderr, "a folder that is not there", q.stderr)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
