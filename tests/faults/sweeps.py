"""What asks the system for something fails at the n-th time, over every example and command: memory, and calls of files,
folders and threads. The machine has one processor here (FAULT_ALONE), so that the n-th call is the same in every run; the
commands that are told of more threads are swept for calls only, whose order does not matter to what is wanted."""
import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys

from lib import ROOT, Wrong, clean, example, fault, outputs, spread, write
from cuts import FORMATS, KERNEL_SUMS
from machine import EXAMPLES

# Workbooks are no part of the sweep of memory: their library does not survive it.
REPORTS = ("--format", "csv,json,html,md", "-o", "out", "-j1")


class Command:
    """A command line with what it needs: `made` makes files in kept/ once, of which `start` is where out/ begins."""

    def __init__(self, *words, made=None, start=None, stdin=None, env=None):
        self.words, self.made, self.start, self.stdin, self.env = words, made, start, stdin, env or {}

    def ready(self, bench, cwd):
        if self.made:
            self.made(bench, cwd)
        if self.stdin is not None:
            write(os.path.join(cwd, "stdin"), self.stdin)

    def run(self, bench, cwd, env=None, exits=None, tidy=True, stdout=subprocess.PIPE):
        """One run; its result and what is in out/ then. A database is told by what it says."""
        clean(cwd)
        out = os.path.join(cwd, "out")
        if self.start:
            shutil.copytree(os.path.join(cwd, self.start), out)
        else:
            os.makedirs(out)
        with open(os.path.join(cwd, "stdin") if self.stdin is not None else os.devnull) as stdin:
            r = bench.run(*self.words, cwd=cwd, env=dict(self.env, FAULT_ALONE="1", **(env or {})), exits=exits, stdin=stdin,
                          tidy=tidy, stdout=stdout)
        if not tidy:  # what cannot be removed is named
            left = os.listdir(os.path.join(cwd, "tmp")) + [f for _, _, files in os.walk(out) for f in files if f.endswith(".tmp")]
            if any(f not in r.err for f in left):
                raise Wrong("temporary files left without a word: %s, %s" % (left, r.err))
            shutil.rmtree(os.path.join(cwd, "tmp"))
        found = {name: data for name, data in outputs(out).items() if not name.endswith(("-shm", "-wal", "-journal", ".tmp"))}
        for name in found:
            if name.endswith(".db"):
                db = sqlite3.connect(os.path.join(out, name))
                found[name] = "\n".join(db.iterdump())
                state = db.execute("PRAGMA integrity_check").fetchone()[0]
                db.close()
                if state != "ok":
                    raise Wrong("%s: %s" % (name, state))
        return r, found


def asked(*methods):
    """The lines of a client of serve."""
    lines = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}, *methods]
    return "".join(json.dumps(dict(line, jsonrpc="2.0", id=i)) + "\n" for i, line in enumerate(lines))


def tool(name, **arguments):
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


TRAIN, INFERENCE, RANKS = EXAMPLES["training"], EXAMPLES["inference"], example("multirank")

# ---- what the other commands need ----

def saved(bench, cwd):
    """Results of two runs in every form that can be read again."""
    for name, path in (("a", TRAIN), ("b", INFERENCE)):
        bench.run("run", path, "--format", "json,xlsx", "-o", "kept", "-q", "-j1", cwd=cwd, tidy=False)
        bench.run("run", path, "--csv-dir", "kept/csv_" + name, "-q", "-j1", cwd=cwd, tidy=False)
    for ending in ("json", "xlsx"):
        for name, path in (("a", TRAIN), ("b", INFERENCE)):
            stem = os.path.basename(path)[:-5] + "_perf_report."
            os.rename(os.path.join(cwd, "kept", stem + ending), os.path.join(cwd, "kept", "%s.%s" % (name, ending)))


def history(bench, cwd):
    """Three nights and what judges a fourth."""
    write(os.path.join(cwd, "k.csv"), KERNEL_SUMS)
    write(os.path.join(cwd, "night.json"), {
        "inputs": [{"format": "csv", "title": "n", "analysis_args": {"num_of_iters": 1}, "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
        "labels": {"branch": "main", "host": "h", "created": "${NIGHT}"}, "gates": {"baseline": "last"},
        "history": {"path": "out/h.db"}, "outputs": {"dir": "out", "formats": ["json", "verdict", "junit", "openmetrics"]}})
    os.makedirs(os.path.join(cwd, "kept"))
    for night in (1, 2, 3):
        bench.run("gate", "--config=night.json", "-q", "-o", "kept", cwd=cwd, tidy=False, env={"NIGHT": "2026-01-%02dT02:00:00Z" % night})
    os.rename(os.path.join(cwd, "out", "h.db"), os.path.join(cwd, "kept", "h.db"))


def damaged(bench, cwd):
    """A trace, and the same cut in half."""
    data = open(TRAIN, "rb").read()
    write(os.path.join(cwd, "kept", "whole.json"), data)
    write(os.path.join(cwd, "kept", "cut.json"), data[:len(data) // 2])
    write(os.path.join(cwd, "kept", "text.json"), "no trace")


def parts(bench, cwd):
    bench.run("map", EXAMPLES["ranks"], "-o", "kept", "-q", "-j1", cwd=cwd, tidy=False)


def replayed(bench, cwd):
    bench.run("replay", "--emit=kept", TRAIN, "-q", cwd=cwd, tidy=False)


def report(bench, cwd):
    """A report of Nsight Systems, and a program that exports it."""
    name, make = FORMATS["nsys SQLite"]
    os.makedirs(os.path.join(cwd, "kept", "bin"))
    write(os.path.join(cwd, "kept", "db"), make(cwd))
    write(os.path.join(cwd, "kept", "t.nsys-rep"), b"NSYS\0" * 100)
    shutil.copy(os.path.join(ROOT, "tests", "gen", "fake_nsys"), os.path.join(cwd, "kept", "bin", "nsys"))


def one_file(kind):
    name, make = FORMATS[kind]

    def made(bench, cwd):
        os.makedirs(os.path.join(cwd, "kept"))
        write(os.path.join(cwd, "kept", name), make(cwd))
    return made


def database(_, cwd):
    """A database of rocprofv3 with rows of all kinds."""
    sys.path.insert(0, os.path.join(ROOT, "tests"))
    from cut_check import write_instants, write_rocpd
    os.makedirs(os.path.join(cwd, "kept"))
    path = os.path.join(cwd, "kept", "t_results.db")
    write_rocpd(path, 300)
    write_instants(path, True)


# ---- the command lines ----

COMMANDS = {"example '%s'" % name: Command("run", path, *REPORTS) for name, path in EXAMPLES.items()}
COMMANDS.update({"example/%s.json" % name: Command("run", "--config=" + example(name + ".json"), *REPORTS) for name in
                 ("multirank", "pytorch", "pytorch_captures", "pytorch_models", "pytorch_moe", "tracy", "xplane", "compare")})
COMMANDS.update({name: Command(name, *words) for name, words in {
    "multirank": ("-b", RANKS, *REPORTS[:4]), "compare": (TRAIN, INFERENCE), "gate": (TRAIN, TRAIN), "probe": (TRAIN,),
    "init": (TRAIN,), "classify": (TRAIN,), "merge": ("-o", "out/m.json", "-b", RANKS),
    "cut": (TRAIN, "--steps", "1", "-o", "out/c.json.gz"),
    "map": (EXAMPLES["ranks"], "-o", "out/parts"), "replay": ("--emit=out", TRAIN), "check-config": (example("pytorch.json"),),
    "schema": (), "list": (), "help": ("--man", "config"),
    "query": (TRAIN, "SELECT name, count(*) FROM kernels GROUP BY name ORDER BY 2 DESC LIMIT 3")}.items()})
COMMANDS["cut of a database"] = Command("cut", "kept/t_results.db", "--from", "20%", "--to", "70%", "-o", "out/c.db", made=database)
STARVED = dict(COMMANDS)
HISTORY = {"list": (), "show": ("2",), "trend": ("key_* / *",), "export": (), "prune": ("--keep=1",), "mark-bad": ("2",), "pin": ("2", "good"),
           "accept": ("2",), "rejudge": ()}
COMMANDS.update({"input: " + kind: Command("run", "kept/" + FORMATS[kind][0], *REPORTS, made=one_file(kind)) for kind in FORMATS})
COMMANDS.update({"history " + name: Command("history", name, *words, "--db=out/h.db", made=history, start="kept")
                 for name, words in HISTORY.items()})
COMMANDS.update({
    "history import": Command("history", "import", "kept/a.json", "kept/b.json", "--db=out/h.db", "--label=created=2026-01-01T00:00:00Z", made=saved),
    "history as pages": Command("history", "trend", "key_* / *", "--db=out/h.db", "--format=html,csv", "-o", "out", made=history, start="kept"),
    "a night": Command("gate", "--config=night.json", made=history, start="kept", env={"NIGHT": "2026-01-04T02:00:00Z"}),
    "gate of results": Command("gate", "kept/a.json", "kept/b.json", "--format=verdict,junit,github,openmetrics", "-o", "out", made=saved),
    "gate of a cut candidate": Command("gate", "kept/whole.json", "kept/cut.json", "--format=verdict,junit,openmetrics", "-o", "out", made=damaged),
    "run, one input of two is damaged": Command("run", "kept/whole.json", "kept/text.json", *REPORTS, made=damaged),
    "gate --calibrate": Command("gate", "--calibrate", "kept/a.json", "kept/a.json", made=saved),
    "compare results": Command("compare", "kept/a.json", "kept/b.json", *REPORTS, made=saved),
    "compare workbooks": Command("compare", "kept/a.xlsx", "kept/b.xlsx", *REPORTS, made=saved),
    "compare folders": Command("compare", "kept/csv_a", "kept/csv_b", *REPORTS, made=saved),
    "compare --tree": Command("compare", "--tree", TRAIN, INFERENCE, *REPORTS),
    "multirank, reports": Command("multirank", "-b", RANKS, "--force", "-a", "-r", *REPORTS),
    "merge of files": Command("merge", "-o", "out/m.json.gz", TRAIN, example("multirank", "step_120", "rank_0.json"), "-j1"),
    "map again": Command("map", EXAMPLES["ranks"], "-o", "out", "-j1", made=parts, start="kept"),
    "reduce": Command("reduce", "kept", "--format=csv,json,html", "-o", "out", made=parts),
    "reduce --partial": Command("reduce", "kept", "--partial", "-o", "out/all.part", made=parts),
    "slurm": Command("slurm", "-b", RANKS, "-o", "out/s"),
    "replay, listing": Command("replay", "kept", "--dry-run", made=replayed),
    "replay, commands": Command("replay", "kept", "--no-torch", "--format=csv,json", "-o", "out", made=replayed),
    "serve": Command("serve", TRAIN, stdin=asked({"method": "tools/list"}, tool("verdict"), tool("query", sql="SELECT * FROM kernels LIMIT 2"),
                                                 {"method": "resources/list"})),
    "query, a file of statements": Command("query", TRAIN, "-f", "stdin", "--format=json", stdin="SELECT count(*) FROM ops;\n"),
    "query, more than a buffer holds": Command("query", TRAIN, "--format=csv", "--max-rows=0", "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
                                               "FROM c WHERE n < 20000) SELECT n FROM c"),
    "query, from standard input": Command("query", TRAIN, "--format=csv", stdin="SELECT count(*) FROM ops;\nSELECT 1;\n"),
    "workbook": Command("run", TRAIN, "--format=xlsx", "-o", "out", "-q"),
    "workbook of ranks": Command("multirank", "-b", RANKS, "--force", "--format=xlsx", "-o", "out", "-q"),
    "workbook of a comparison": Command("compare", TRAIN, INFERENCE, "--format=xlsx", "-o", "out", "-q"),
    "configuration from standard input": Command("run", "--config=-", stdin=json.dumps({
        "inputs": [{"path": TRAIN}], "outputs": {"dir": "out", "formats": ["json"]}})),
    "report of nsys": Command("run", "kept/t.nsys-rep", *REPORTS, made=report, env={"PATH": "kept/bin:/usr/bin:/bin", "FAKE_NSYS_DB": "kept/db"}),
    "tracelens-pytorch": Command("tracelens-pytorch", "--profile_json_path", TRAIN, "--output_csvs_dir", "out"),
    "tt-perf-report": Command("tt-perf-report", EXAMPLES["tracy"], "--csv", "out/t.csv"),
    "gpu-perf-analyzer": Command("gpu-perf-analyzer", "--config=" + example("compare.json")),
    "run, a folder": Command("run", example("pytorch"), *REPORTS),
    "run, text": Command("run", TRAIN, "-v"),
})


# ---- the sweeps ----

def complete(before, after, what):
    """What ended as usual has said and written all that it usually does; what did not has said why."""
    (was, whole), (r, made) = before, after
    if r.rc != was.rc:
        if not r.err.strip() or r.err == was.err:
            raise Wrong("%s: exit status %d without a word" % (what, r.rc))
    elif (r.out != was.out or made != whole) and (r.rc <= 1 or r.err == was.err):
        raise Wrong("%s: exit status %d, but something is missing: %s" % (what, r.rc, sorted(
            k for k in {**whole, **made} if whole.get(k) != made.get(k)) or "of standard output"))


def said_twice(err):
    """What could not be looked at, although an error names it."""
    errors = [line.split("error: ", 1)[1] for line in err.splitlines() if "error: " in line]
    late = [e.split(": cannot read")[0] for e in errors if "its contents may be missing: run again" in e]
    return [p for p in late if sum(e.startswith(p + ":") for e in errors) > 1]


def memory_sweep(command):
    """One allocation of each place that allocates (its four callers) fails; of many places some, FAULTS_DENSE: of all."""
    def run(bench, cwd):
        command.ready(bench, cwd)
        usual = command.run(bench, cwd, env={"FAULT": "malloc:0", "FAULT_COUNT": os.path.join(cwd, "count"), "FAULT_PLACES": "4"}, exits=(0, 1))
        with open(os.path.join(cwd, "count")) as f:
            places = [int(line.split()[0]) for line in f.read().splitlines()[1:]]
        for i, which in enumerate(spread(len(places), 24)):
            fails = "malloc:%d:%s%d" % (places[which - 1], "+" if i % 3 == 2 else "", errno.ENOMEM)
            complete(usual, command.run(bench, cwd, env={"FAULT": fails}), fails)
    return run


# What fails, and how.
CALLS = {"read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.EIO, "close": errno.EIO, "open": errno.EACCES,
         "mmap": errno.ENOMEM, "input": errno.EMFILE, "readdir": errno.EIO, "stat": errno.ESTALE, "seek": errno.EIO, "unlink": errno.EROFS,
         "mkdir": errno.EROFS, "truncate": errno.EIO, "stdio": errno.ENOSPC, "thread": errno.EAGAIN}


def call_sweep(command, most):
    def run(bench, cwd):
        command.ready(bench, cwd)
        count, wrong = os.path.join(cwd, "count"), []
        usual = command.run(bench, cwd, env={"FAULT": "all:0", "FAULT_COUNT": count}, exits=(0, 1, 3))
        with open(count) as f:
            calls = {line.split()[0]: int(line.split()[1]) for line in f.read().splitlines()[1:]}
        for call, error in CALLS.items():
            for at in spread(calls[call], most):
                fails = "%s:%d:%d" % (call, at, error)
                try:
                    ran = command.run(bench, cwd, env={"FAULT": fails}, tidy=call != "unlink")
                    complete(usual, ran, fails)
                    if said_twice(ran[0].err):
                        raise Wrong("said twice: %s" % ran[0].err)
                except Wrong as e:
                    wrong.append("%s: %s" % (fails, e))
                    if not os.environ.get("FAULTS_DENSE"):
                        break
        # half of what was asked for, and a call that a signal interrupted, are no failures
        for call in ("read", "write"):
            for fails in ["%s:1:h" % call] + ["%s:%d:%d" % (call, at, errno.EINTR) for at in spread(calls[call], most)]:
                r, made = command.run(bench, cwd, env={"FAULT": fails})
                if r.rc != usual[0].rc or r.out != usual[0].out or made != usual[1]:
                    wrong.append("%s: exit status %d, not %d with all that there is: %s" % (fails, r.rc, usual[0].rc, r.err[-200:]))
        if wrong:
            raise Wrong("\n   ".join(wrong))
    return run


for name, command in STARVED.items():
    fault("Memory that fails once, at each place that asks for it", name, (0, 1, 2, 3, 4), "out of memory")(memory_sweep(command))
for name, command in COMMANDS.items():
    fault("Calls that fail", name, (0, 1, 2, 3, 4), "names the file or what could not be done, and why")(call_sweep(command, 8 if name.startswith("input") else 2))


# ---- standard output ----

def printing(stream, judge):
    """Every command line that prints, with another standard output."""
    def run(bench, cwd):
        for i, (name, command) in enumerate(COMMANDS.items()):
            own = os.path.join(cwd, str(i))
            os.makedirs(own)
            command.ready(bench, own)
            usual = command.run(bench, own, exits=(0, 1, 3))[0]
            if not usual.out:
                continue
            with stream() as out:
                r = command.run(bench, own, exits=(0, 1, 3), stdout=out)[0]
            if not judge(usual, r, name):
                raise Wrong("%s: exit status %d, said %r" % (name, r.rc, r.err[-200:]))
    return run


def reader_gone():
    r, w = os.pipe()
    os.close(r)
    return os.fdopen(w, "w")


# The one who serves needs who listens: it says that nobody does.
fault("Standard output of every command", "its reader has gone (| head)", (0, 1, 3), "-", "as with a reader")(
    printing(reader_gone, lambda usual, r, name: name == "serve" or (r.rc == usual.rc and "error" not in r.err)))
fault("Standard output of every command", "a full device", (0, 1, 3), "standard output, and a status other than 0", "as with room")(
    printing(lambda: open("/dev/full", "w"), lambda usual, r, name: r.rc in (1, 3) and "standard" in r.err))
