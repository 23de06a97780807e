#!/usr/bin/env python3
"""Part files: the report of parts is that of the traces, byte for byte, for every way to split them; what is damaged,
missing or of another version is named and the rest is reported.

usage: parts_check.py --analyzer PROGRAM [--seed N] [--shared DIR]
Last line: N passed, N failed."""
import argparse
import csv
import glob
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

from common import Check, GEN

OPTIONS = [[], ["--opt", "all_kernels=true"],
           ["--opt", "launch_details=true", "--opt", "sequence_op=aten", "--opt", "critical_path=true", "--opt", "last_step=keep"]]


def splits(c, rng, folder, raw, n):
    """Every split gives the same bytes: tasks of one call, calls of one file, merged parts, traces among parts."""
    for tasks in (1, 2, 3, 7, 64):
        parts = c.path("p%d" % tasks)
        for k in range(tasks):
            p = c.run("map", folder, "-o", parts, "--task", "%d/%d" % (k, tasks), "-j", str(1 + k % 3))
            if p.returncode not in (0, 2):  # a share may be empty
                c.ok(False, "map --task %d/%d: %s" % (k, tasks, p.stderr))
        c.ok(len(glob.glob(parts + "/*.part")) == n, "%d tasks make %d parts" % (tasks, n))
        c.reduce("r%d" % tasks, parts, "-j", str(tasks % 4))
        c.same(raw, "r%d" % tasks, "%d tasks" % tasks)
    parts = sorted(glob.glob(c.path("p7") + "/*.part"))
    for trial in range(3):
        rng.shuffle(parts)
        cut = sorted(rng.sample(range(1, n), 2))
        merged = []
        for i, (a, b) in enumerate(zip([0] + cut, cut + [n])):
            merged.append(c.path("merged%d_%d.part" % (trial, i)))
            c.run("reduce", "--partial", "-o", merged[-1], *parts[a:b])
        if trial == 1:  # merged twice
            c.run("reduce", "--partial", "-o", c.path("twice.part"), *merged[:2])
            merged = [c.path("twice.part"), merged[2]]
        if trial == 2:  # parts one after the other are a part file
            with open(c.path("cat.part"), "wb") as out:
                for m in merged:
                    with open(m, "rb") as f:
                        out.write(f.read())
            merged = [c.path("cat.part")]
        c.reduce("m%d" % trial, *merged)
        c.same(raw, "m%d" % trial, "random split %d, merged" % trial)
    traces = sorted(glob.glob(folder + "/*.json"))
    some = rng.sample(range(n), n // 2)
    mixed = [t for i, t in enumerate(traces) if i in some]
    mixed += [p for p in sorted(glob.glob(c.path("p1") + "/*.part"))
              if not any(os.path.basename(p).startswith(os.path.basename(m) + "-") for m in mixed)]
    c.reduce("mixed", *mixed)
    c.same(raw, "mixed", "traces and parts")


def resume(c, folder):
    parts = c.path("again")
    c.run("map", folder, "-o", parts)
    names = sorted(glob.glob(parts + "/*"))
    before = {n: os.stat(n).st_mtime_ns for n in names}
    os.remove(names[2])
    p = c.run("map", folder, "-o", parts, "-v")
    after = {n: os.stat(n).st_mtime_ns for n in names}
    c.ok("/: 1 part, 7 up to date" in p.stderr, "a second start reads what has no part")
    c.ok(all(before[n] == after[n] for n in names if n != names[2]), "and leaves the others alone")
    p = c.run("map", folder, "-o", parts, "-v", "--opt", "last_step=keep")
    c.ok("/: 8 parts" in p.stderr, "other options: all are read again")
    trace = folder + "/rank_4.json"
    text = open(trace).read()
    p = c.run("map", folder, "-o", parts, "-v", "--force")
    c.ok("/: 8 parts" in p.stderr, "--force")
    with open(trace, "w") as f:
        f.write(text)
    p = c.run("map", folder, "-o", parts, "-v")
    c.ok("/: 1 part" in p.stderr, "a trace that is newer than its part is read again")
    os.utime(trace, (1, 1))
    with open(trace, "a") as f:
        f.write(" \n")
    os.utime(trace, (1, 1))
    p = c.run("map", folder, "-o", parts, "-v")
    c.ok("/: 1 part" in p.stderr, "a trace of other bytes is read again, whatever its time is")
    with open(trace, "w") as f:
        f.write(text)


def ranks_table(c, out):
    with open(c.path(out, "ranks.csv"), newline="") as f:
        return list(csv.DictReader(f))


def status(c, out, rank):
    for row in ranks_table(c, out):
        if row.get("Rank", row.get("rank")) == str(rank):
            return row.get("Status", row.get("status", ""))
    return None


def faults(c, folder):
    parts = c.path("faulty")
    c.run("map", folder, "-o", parts)
    file = {r: glob.glob("%s/rank_%d.json-*" % (parts, r))[0] for r in range(8)}
    os.remove(file[1])
    data = open(file[2], "rb").read()
    open(file[2], "wb").write(data[:len(data) // 2])
    data = bytearray(open(file[3], "rb").read())
    data[len(data) - 900] ^= 4
    open(file[3], "wb").write(data)
    data = bytearray(open(file[4], "rb").read())
    struct.pack_into("<I", data, 12, 99)
    open(file[4], "wb").write(data)
    open(file[5], "wb").close()
    open(file[6], "wb").write(b"nothing of the kind")
    listed = c.path("expected")
    with open(listed, "w") as f:
        f.writelines("%s/rank_%d.json\n" % (folder, r) for r in range(8))
    rc = c.reduce("faulty_out", parts, "--expect", listed)
    c.ok(rc == 3, "parts that are missing or damaged: exit status 3 (%d)" % rc)
    said = c.stderr("faulty_out")
    c.ok("rank_1.json: has no part" in said, "what has no part is named")
    for r, word in ((2, "is truncated"), (3, "is damaged"), (4, "unsupported format version"), (5, "not a part file"), (6, "not a part file")):
        c.ok(any(("rank_%d" % r) in line and word in line for line in said.splitlines()), "rank %d: %s" % (r, word))
    c.ok([status(c, "faulty_out", r) for r in (0, 7)] == ["ok", "ok"], "the other ranks are reported")
    c.ok(all((status(c, "faulty_out", r) or "").startswith("failed") for r in range(1, 7)), "those are failed in the table")
    p = c.run("reduce", "--partial", "-o", c.path("faulty.part"), parts, "--expect", listed)
    c.ok(p.returncode == 3 and p.stderr.count("warning") == 6, "--partial names them: %s" % p.stderr)
    rc = c.reduce("faulty_merged", c.path("faulty.part"))
    c.ok(rc == 3 and all((status(c, "faulty_merged", r) or "").startswith("failed") for r in range(1, 7)) and
         status(c, "faulty_merged", 7) == "ok", "and the merged file still does")
    rc = c.reduce("other", c.path("p1"), "--opt", "last_step=keep", "--opt", "top_rows=3")
    c.ok(rc == 3 and "other options" in c.stderr("other") and "last_step=keep" in c.stderr("other") and
         "top_rows" not in c.stderr("other"), "other options are named, those of the report alone do not matter")


def broken_traces(c):
    folder = c.ranks("broken", "--ranks", "6")
    text = open(folder + "/rank_2.json").read()
    open(folder + "/rank_2.json", "w").write(text[:len(text) // 2])
    open(folder + "/rank_4.json", "w").write("garbage")
    os.remove(folder + "/rank_5.json")
    rc_raw = c.multirank(folder, "broken_raw")
    p = c.run("map", folder, "-o", c.path("broken_parts"))
    c.ok(p.returncode == 3 and len(os.listdir(c.path("broken_parts"))) == 5, "a trace that cannot be read has a part (%d)" % p.returncode)
    rc = c.reduce("broken_out", c.path("broken_parts"))
    c.ok(rc == rc_raw == 3, "exit status as of the traces (%d, %d)" % (rc, rc_raw))
    c.same("broken_raw", "broken_out", "a cut and a damaged trace, a missing rank")
    said = [[line for line in c.stderr(x).splitlines() if "note: wrote" not in line] for x in ("broken_raw", "broken_out")]
    c.ok(said[0] == said[1] and len(said[0]) > 1, "the same messages: %s" % said)


def disk_full(c, folder):
    """/dev/full stands in for a full disk where parts are written directly; a read-only folder for one that cannot be written."""
    out = c.path("full")
    os.makedirs(out)
    name = os.path.basename(glob.glob(c.path("p1") + "/rank_0*")[0])
    os.symlink("/dev/full", os.path.join(out, name))
    p = c.run("map", folder, "-o", out)
    c.ok(p.returncode == 3 and "No space" in p.stderr, "a full disk: said, and exit status 3 (%d)" % p.returncode)
    c.ok(len(glob.glob(out + "/*.part")) == 8 and not glob.glob(out + "/.*tmp"), "the other parts are written, nothing is left over")


def other_formats(c):
    xplane = c.path("xplane")
    subprocess.run([sys.executable, GEN + "/make_xplane_example.py", "--dir", xplane], check=True, stdout=subprocess.DEVNULL)
    sets = [("xplane", sorted(glob.glob(xplane + "/plugins/profile/*/*.xplane.pb")))]
    for i in (0, 1):
        subprocess.run([sys.executable, GEN + "/make_rocprof_examples.py", c.path("roc%d" % i), "--only", "rocpd",
                        "--prefix", "host%d" % i], check=True, stdout=subprocess.DEVNULL)
    sets.append(("rocpd", sorted(glob.glob(c.path("roc*") + "/*.db"))))
    for name, files in sets:
        if not c.ok(len(files) == 2, "%s: %d files" % (name, len(files))):
            continue
        p = c.run("map", "-o", c.path(name + "_parts"), *files)
        c.ok(p.returncode == 0, "map of %s: %s" % (name, p.stderr))
        c.reduce(name + "_raw", *files)
        c.reduce(name + "_out", c.path(name + "_parts"))
        c.same(name + "_raw", name + "_out", "hosts of %s" % name)


def commands(c, folder):
    """Folders of parts in place of traces: compare, gate, run, multirank."""
    other = c.ranks("other", "--ranks", "8")
    c.run("map", other, "-o", c.path("other_parts"))
    a = c.run("compare", folder, other, "--format", "csv", "--csv-dir", c.path("cmp_raw"))
    b = c.run("compare", c.path("p1"), c.path("other_parts"), "--names", "%s,%s" % (os.path.basename(folder), os.path.basename(other)),
              "--format", "csv", "--csv-dir", c.path("cmp_parts"))
    c.ok(a.returncode == b.returncode, "compare: %d %d %s" % (a.returncode, b.returncode, b.stderr))
    tables = [n for n in sorted(os.listdir(c.path("cmp_raw"))) if n not in ("facts.csv",)]
    same = [n for n in tables if open(c.path("cmp_raw", n)).read() == open(c.path("cmp_parts", n)).read()]
    c.ok(len(same) >= len(tables) - 1 and len(tables) > 3, "compare of parts: %d of %d tables" % (len(same), len(tables)))
    p = c.run("multirank", "-b", c.path("p1"), "--all-ranks", "--force", "--format", "text,csv", "--csv-dir", c.path("multi"))
    c.keep(p, "multi")
    c.same("raw", "multi", "multirank of a folder of parts")
    p = c.run("run", c.path("p1"), "--format", "csv", "--csv-dir", c.path("run_parts"))
    c.ok(p.returncode == 0 and os.path.exists(c.path("run_parts", "ranks.csv")), "run of a folder of parts: %s" % p.stderr)
    rule = ["--rule", "table=gpu_timelines,column=time_ms_avg,rel=0.01"]
    for one, other, want in ((c.path("p1"), folder, 0), (folder, c.path("p1"), 0), (c.path("other_parts"), c.path("p1"), 1)):
        p = c.run("gate", one, other, *rule)
        c.ok(p.returncode == want, "gate of parts: %d, want %d: %s" % (p.returncode, want, p.stderr))
    config = c.path("history.json")
    with open(config, "w") as f:
        f.write('{"inputs": [{"path": "%s/*.part"}], "history": {"path": "%s"}}' % (c.path("p1"), c.path("history.db")))
    p = c.run("--config=" + config, "--format", "json", "-o", c.path("history_out"))
    q = c.run("history", "list", "--db", c.path("history.db"))
    c.ok(p.returncode == 0 and q.returncode == 0 and " 1 " in q.stdout, "a configuration of parts, with a history: %s%s" % (p.stderr, q.stdout))


def fuzz(c, rng):
    """Changed bytes, with and without their checksums, cuts: always an answer, never a crash."""
    source = open(glob.glob(c.path("p1") + "/rank_3*")[0], "rb").read()
    bad = 0
    for trial in range(60):
        data = bytearray(source)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if trial % 3 == 0:
            del data[rng.randrange(len(data)):]
        open(c.path("fuzz.part"), "wb").write(data)
        p = c.run("reduce", c.path("fuzz.part"), "--format", "csv", "--csv-dir", c.path("fuzz_out"), "-q")
        bad += p.returncode not in (0, 2, 3)
    c.ok(bad == 0, "60 damaged parts: %d crashes" % bad)


def counters(c):
    """Counters sampled over time are in a part, too."""
    folder = c.ranks("counted", "--ranks", "2")
    for r in (0, 1):
        name = "%s/rank_%d.json" % (folder, r)
        with open(name) as f:
            trace = json.load(f)
        trace["traceEvents"] += [{"ph": "C", "name": "SM Active (%)", "pid": "GPU 0 Counters", "ts": 100 * k, "args": {"": (7 * k + r) % 90}}
                                 for k in range(8)]
        with open(name, "w") as f:
            json.dump(trace, f)
    c.multirank(folder, "counted_raw")
    p = c.run("map", folder, "-o", c.path("counted_parts"))
    c.ok(p.returncode == 0 and os.path.exists(c.path("counted_raw", "counters.csv")), "counters have a table, and parts: %s" % p.stderr)
    c.reduce("counted_out", c.path("counted_parts"))
    c.same("counted_raw", "counted_out", "sampled counters")


def small_disk(c, folder):
    """A file system with room for a few parts, where one may be mounted: what fits is there whole, the rest is named, a second start
    with room makes the report."""
    out = c.path("small")
    os.makedirs(out)
    script = 'mount -t tmpfs -o size=%dk none "$1" || exit 77; shift; "$@"; s=$?; cp -r "$0" "$0.copy"; exit $s'
    parts = sorted(glob.glob(c.path("p1") + "/*.part"))
    room = sum(os.path.getsize(x) for x in parts) // 2048 + 8
    p = subprocess.run(["unshare", "-m", "sh", "-c", script % room, out, out, c.analyzer, "map", folder, "-o", out], capture_output=True,
                       text=True, timeout=120)
    if p.returncode in (1, 77) and "map" not in p.stderr and not os.path.exists(out + ".copy"):
        print("skipped: no file system can be mounted here")
        return
    left = glob.glob(out + ".copy/*.part")
    c.ok(p.returncode == 3 and "No space" in p.stderr, "a small disk: said, and exit status 3 (%d)" % p.returncode)
    c.ok(0 < len(left) < 8 and all(open(x, "rb").read() == open(c.path("p1", os.path.basename(x)), "rb").read() for x in left),
         "%d parts fit and are whole" % len(left))
    p = c.run("map", folder, "-o", out + ".copy", "-v")
    c.ok("/: %d part%s, %d up to date" % (8 - len(left), "" if len(left) == 7 else "s", len(left)) in p.stderr, "a second start with room: %s" % p.stderr)
    c.reduce("small_out", out + ".copy")
    c.same("raw", "small_out", "and the report is the same")


def engines(c, folder):
    """The command lines of docs/cluster.md 3: xargs, and what a completion of an indexed Kubernetes Job runs."""
    env = dict(os.environ, PATH=os.path.dirname(c.analyzer) + ":" + os.environ["PATH"])
    p = subprocess.run("ls %s/*.json | xargs -P 2 -n 3 analyzer map -o %s" % (folder, c.path("by_xargs")), shell=True, env=env, capture_output=True,
                       text=True, timeout=120)
    c.reduce("by_xargs_out", c.path("by_xargs"))
    c.ok(p.returncode == 0, "xargs: %d %s" % (p.returncode, p.stderr))
    c.same("raw", "by_xargs_out", "one machine, xargs")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "docs", "cluster.md")) as f:
        text = f.read()
    command = json.loads(re.search(r"command: (\[.*\])", text).group(1))
    pods = int(re.search(r"completions: (\d+)", text).group(1))
    with open(c.path("list"), "w") as f:
        f.writelines("%s\n" % x for x in sorted(glob.glob(folder + "/*.json")))
    command = [x.replace("/shared", c.dir).replace(c.dir + "/parts", c.path("by_pods")) for x in command]
    good = [subprocess.run(command, env=dict(env, JOB_COMPLETION_INDEX=str(k)), capture_output=True, timeout=120).returncode
            for k in range(pods)]
    c.ok(set(good) == {0}, "%d pods: %s" % (pods, sorted(set(good))))
    c.reduce("by_pods_out", c.path("by_pods"), "--expect", c.path("list"))
    c.same("raw", "by_pods_out", "an indexed Job of %d completions" % pods)


def shared_runs(c, shared):
    for name in ("synth_fsdp8", "synth_moe8", "synth_pp8", "synth_vllm4", "synth_fsdp8_missing5", "dlrm8"):
        folder = os.path.join(shared, "data", "multirank", name)
        if not os.path.isdir(folder):
            continue
        local = c.path("s_" + name)
        shutil.copytree(folder, local)
        pattern = ["-p", "worker"] if name.startswith("dlrm") else ["-p", "rank"]
        p = c.run("multirank", "-b", local, "--all-ranks", "-e", "auto", "--force", "--format", "text,csv", "--csv-dir",
                  c.path(name + "_raw"), *pattern)
        c.keep(p, name + "_raw")
        c.run("map", local, "-o", c.path(name + "_parts"))
        c.reduce(name + "_out", c.path(name + "_parts"), "--opt", "rank_pattern=" + pattern[1])
        size = sum(os.path.getsize(x) for x in glob.glob(c.path(name + "_parts") + "/*")) // max(1, len(glob.glob(c.path(name + "_parts") + "/*")))
        c.same(name + "_raw", name + "_out", "%s (%d bytes a part)" % (name, size))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", required=True)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--shared")
    a = a.parse_args()
    c, rng = Check(a.analyzer), random.Random(a.seed)
    folder = c.ranks("run", "--ranks", "8", "--slow", "2")
    c.multirank(folder, "raw")
    splits(c, rng, folder, "raw", 8)
    for i, options in enumerate(OPTIONS[1:]):
        c.multirank(folder, "o_raw%d" % i, *options)
        c.run("map", folder, "-o", c.path("o_parts%d" % i), *[x for x in options])
        c.reduce("o_out%d" % i, c.path("o_parts%d" % i), *options)
        c.same("o_raw%d" % i, "o_out%d" % i, " ".join(options))
    faults(c, folder)
    broken_traces(c)
    resume(c, folder)
    disk_full(c, folder)
    small_disk(c, folder)
    counters(c)
    engines(c, folder)
    commands(c, folder)
    other_formats(c)
    fuzz(c, rng)
    if a.shared:
        shared_runs(c, a.shared)
    c.end()


main()
