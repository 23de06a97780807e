#!/usr/bin/env python3
"""`analyzer slurm` under a real Slurm of four emulated nodes: the report of the array is that of the traces, also after a
canceled task, a lost node, a damaged trace and a second start. Without Slurm the check is skipped with a word.

usage: slurm_check.py --analyzer PROGRAM
Last line: N passed, N failed."""
import argparse
import os
import shutil
import sys
import time

from common import Check
from lab import Lab, missing


def submit(c, lab, out, folder, *options, edit=None, after=None):
    """Writes the scripts, submits them, waits; job ids of both."""
    p = lab.run(c.analyzer, "slurm", "-b", folder, "-o", c.path(out), "--format", "text,csv", *options)
    if p.returncode:
        c.ok(False, "slurm: " + p.stderr)
        return None
    if edit:
        path = c.path(out, "map.sh")
        text = open(path).read()
        with open(path, "w") as f:
            text = text.replace("\ncd ", "\n%s\ncd " % edit, 1)
            f.write(text.replace("\nexit 0\n", "\n%s\nexit 0\n" % after, 1) if after else text)
    p = lab.run("sh", c.path(out, "submit.sh"))
    words = p.stdout.replace(",", "").split()
    if not c.ok(p.returncode == 0 and len(words) == 4, "%s: submitted (%s%s)" % (out, p.stdout.strip(), p.stderr)):
        return None
    return words[1], words[3]


def tables(c, out):
    """The report's folder of tables as those of the check, with its text."""
    made = [d for d in os.listdir(c.path(out, "report")) if d.endswith("_csvs")]
    to = c.path(out + "_tables")
    if made:
        shutil.copytree(c.path(out, "report", made[0]), to)
        shutil.copy(c.path(out, "report.txt"), os.path.join(to, "text"))
    else:
        os.makedirs(to)
    return out + "_tables"


def parts_of(c, out):
    """Name -> time of the parts that are whole: one that is being written has a temporary name, which may go at any time."""
    folder = c.path(out, "parts")
    names = [x for x in os.listdir(folder) if not x.endswith(".tmp")]
    return {x: os.stat(os.path.join(folder, x)).st_mtime_ns for x in names}


def requeued(c, lab, folder):
    """Tasks that are killed and started again, before they have read anything and after they have written their parts."""
    first = '[ -n "$SLURM_RESTART_COUNT" ] ||'
    # one task runs all the while: Slurm takes an array as ended for a moment when all that is left of it is being requeued
    go = c.path("requeue.go")
    wait = '[ "$SLURM_ARRAY_TASK_ID" != 3 ] || while [ ! -e "%s" ]; do sleep 0.2; done' % go
    jobs = submit(c, lab, "requeue", folder, "-n", "4", edit=first + ' [ "$SLURM_ARRAY_TASK_ID" != 1 ] || sleep 600',
                  after=first + ' [ "$SLURM_ARRAY_TASK_ID" != 2 ] || sleep 600; ' + wait)
    if not jobs:
        return
    tasks = [jobs[0] + "_1", jobs[0] + "_2"]
    wanted = sorted("%s_%d RUNNING" % (jobs[0], i) for i in (1, 2, 3))
    for _ in range(300):  # the first has ended, these hang; squeue names them in any order
        running = sorted(lab.run("squeue", "-h", "-r", "-j", jobs[0], "-o", "%i %T").stdout.splitlines())
        if running == wanted and len(parts_of(c, "requeue")) == 6:
            break
        time.sleep(0.1)
    before = parts_of(c, "requeue")
    c.ok(len(before) == 6, "three of four tasks have written their parts (%d)" % len(before))
    for task in tasks:
        lab.run("scontrol", "requeue", task)
        for _ in range(200):
            if "JobState=PENDING" in lab.run("scontrol", "show", "job", "-o", task).stdout:
                break
            time.sleep(0.1)
    for task in tasks:
        lab.run("scontrol", "update", "JobId=" + task, "StartTime=now")
    for _ in range(300):
        if lab.run("squeue", "-h", "-r", "-j", jobs[0], "-o", "%i").stdout.split() == [jobs[0] + "_3"]:
            break
        time.sleep(0.1)
    with open(go, "w", encoding="utf-8"):
        pass
    ended = c.ok(lab.wait(jobs[1], 120), "killed tasks are started again, and the report waits for them")
    restarts = [lab.run("scontrol", "show", "job", "-o", task).stdout.count("Restarts=1") for task in tasks]
    c.ok(restarts == [1, 1], "each once %s" % restarts)
    if ended:
        c.same("raw", tables(c, "requeue"), "and the report is the same")
    after = parts_of(c, "requeue")
    c.ok(len(after) == 8 and all(after[x] == before[x] for x in before), "what was written before is not read again")


def check(c, lab):
    folder = c.ranks("run", "--ranks", "8", "--slow", "2")
    c.multirank(folder, "raw")
    for n in (1, 2, 3, 7, 64):  # of eight traces: no more than eight tasks are made
        out = "tasks%d" % n
        jobs = submit(c, lab, out, folder, "-n", str(n), "--limit", "3")
        if jobs and c.ok(lab.wait(jobs[1]), "%s: ended" % out):
            c.same("raw", tables(c, out), "%d tasks of an array" % n)
    parts = sorted(os.listdir(c.path("tasks3", "parts")))
    before = [os.stat(c.path("tasks3", "parts", x)).st_mtime_ns for x in parts]
    shutil.rmtree(c.path("tasks3", "report"))
    os.remove(c.path("tasks3", "parts", parts[0]))
    p = lab.run("sh", c.path("tasks3", "submit.sh"))
    lab.wait(p.stdout.split()[-1])
    shutil.rmtree(c.path("tasks3_tables"))
    c.same("raw", tables(c, "tasks3"), "a second start")
    after = [os.stat(c.path("tasks3", "parts", x)).st_mtime_ns for x in parts]
    c.ok(before[1:] == after[1:] and before[0] != after[0], "which reads only what has no part")

    jobs = submit(c, lab, "killed", folder, "-n", "4", edit="sleep 2")
    if jobs:
        lab.run("scancel", jobs[0] + "_1")
        lab.wait(jobs[1])
        lost = [r for r in range(8) if "rank_%d.json: has no part" % r in open(c.path("killed", "log", "reduce." + jobs[1])).read()]
        c.ok(len(lost) == 2, "a canceled task: the report names its ranks %s" % lost)
        c.ok(os.path.exists(c.path("killed", "report.txt")) and os.path.getsize(c.path("killed", "report.txt")) > 500, "and reports the others")

    jobs = submit(c, lab, "node", folder, "-n", "4", edit="sleep 3")
    if jobs:
        node = ""
        for _ in range(100):
            node = lab.run("squeue", "-h", "-r", "-j", jobs[0], "-t", "R", "-o", "%N").stdout.split()
            if node:
                break
            time.sleep(0.1)
        c.ok(node, "tasks run on %s" % " ".join(node))
        lab.lose(int(node[0][1:]))
        if c.ok(lab.wait(jobs[1], 120), "a lost node: its tasks run elsewhere"):
            c.same("raw", tables(c, "node"), "and the report is the same")
        lab.start(int(node[0][1:]))
        time.sleep(1)

    requeued(c, lab, folder)

    text = open(folder + "/rank_5.json").read()
    with open(folder + "/rank_5.json", "w") as f:
        f.write("no trace")
    jobs = submit(c, lab, "cut", folder, "-n", "2")
    if jobs:
        lab.wait(jobs[1])
        c.multirank(folder, "cut_raw")
        c.same("cut_raw", tables(c, "cut"), "a damaged trace is named and the others are reported")

    with open(folder + "/rank_5.json", "w") as f:
        f.write(text)
    jobs = submit(c, lab, "local", folder + "/rank_*.json", "--by-node", "n1")
    if jobs and c.ok(lab.wait(jobs[1]), "by node: ended"):
        c.same("raw", tables(c, "local"), "traces read where they are")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", required=True)
    a = a.parse_args()
    if missing():
        print("skipped: no Slurm here (%s: packages slurmctld slurmd slurm-client)" % " ".join(missing()))
        print("0 passed, 0 failed")
        return
    c, lab = Check(a.analyzer), Lab()
    try:
        why = lab.up()
        if why:
            print("skipped: Slurm does not start here: %s" % why)
        else:
            check(c, lab)
    finally:
        lab.down()
    c.end()


main()
