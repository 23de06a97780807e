"""Inputs that end early, at every byte (large ones: at many), and inputs that change while they are read."""
import glob
import gzip
import json
import os
import shutil
import sqlite3
import zipfile

from lib import Wrong, calls, clean, example, fault, outputs, readable, spread, write, ROOT

MOST = 300  # cuts of one file
KERNEL_HEADER = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
KERNEL_SUMS = KERNEL_HEADER + "60.0,600,2,300.0,300.0,300,300,0.0,kern_a\n40.0,400,1,400.0,400.0,400,400,0.0,kern_b\n"


def pytorch(kernels=2):
    events = []
    for i in range(kernels):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 100, "dur": 50,
             "args": {"External id": i + 1, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": i * 100 + 1, "dur": 2,
             "args": {"correlation": i + 1, "External id": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": i * 100 + 20, "dur": 5,
             "args": {"correlation": i + 1, "device": 0, "stream": 7, "External id": i + 1}}]
    return json.dumps({"traceEvents": events}).encode()


def nsys_database(path):
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA page_size = 512; VACUUM;
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'kern');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,"end" INTEGER,deviceId INTEGER,streamId INTEGER,
            correlationId INTEGER,demangledName INTEGER,shortName INTEGER);""")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,7,?,1,1)",
                   [(1000000 + i * 1000, 1000500 + i * 1000, i) for i in range(60)])
    db.commit()
    db.close()
    return open(path, "rb").read()


def corpus(*parts):
    return open(os.path.join(ROOT, "tests", "fuzz", "corpus", *parts), "rb").read()


def rocpd(cwd):
    db = sqlite3.connect(os.path.join(cwd, "make.db"))
    db.executescript("""PRAGMA page_size = 512; VACUUM;
        CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
        INSERT INTO rocpd_metadata VALUES(1,'schema_version','3');
        CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid TEXT, string TEXT); INSERT INTO rocpd_string VALUES(1,'g','k');
        CREATE TABLE rocpd_kernel_dispatch(id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER,
            agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start INTEGER,
            "end" INTEGER, event_id INTEGER, region_name_id INTEGER, workgroup_size_x INTEGER, grid_size_x INTEGER);""")
    db.executemany("INSERT INTO rocpd_kernel_dispatch VALUES(?,'g',1,1,1,1,1,?,1,1,?,?,?,1,64,640)",
                   [(i, i, 1000 + i * 100, 1050 + i * 100, i) for i in range(1, 40)])
    db.commit()
    db.close()
    return open(os.path.join(cwd, "make.db"), "rb").read()


# The name that the file has, and its bytes.
FORMATS = {
    "pytorch": ("t.json", lambda cwd: pytorch()),
    "pytorch, gzip": ("t.json.gz", lambda cwd: gzip.compress(pytorch(), mtime=0)),
    "nsys CSV of kernels": ("r_cuda_gpu_kern_sum.csv", lambda cwd: KERNEL_SUMS.encode()),
    "nsys SQLite": ("t.sqlite", lambda cwd: nsys_database(os.path.join(cwd, "make.sqlite"))),
    "tracy CSV": ("ops_perf_results_1.csv", lambda cwd: b"\n".join(open(example("tracy", "ops_perf_results_host0.csv"), "rb").read().split(b"\n")[:3]) + b"\n"),
    "rocprofv3 JSON": ("t_results.json", lambda cwd: corpus("rocprof_json", "whole")[1:]),
    "rocpd": ("t_results.db", rocpd),
    "Perfetto of rocprofv3": ("t_results.pftrace", lambda cwd: corpus("pftrace", "whole")[1:]),
    "Perfetto JSON of rocprofv3": ("t_results.json", lambda cwd: corpus("pftrace", "json")[1:]),
    "XPlane": ("t.xplane.pb", lambda cwd: open(glob.glob(example("xplane", "tpu", "*.xplane.pb"))[0], "rb").read()),
}

def records(kind, data):
    """Where the file could end as well: after a line, or after a record of its outermost message."""
    ends, at = {0}, 0
    if "CSV" in kind:
        return {i + 1 for i, c in enumerate(data) if c == 10}
    if kind in ("XPlane", "Perfetto of rocprofv3"):
        while at < len(data):
            number = []
            for _ in range(2):  # tag and length; all of the outermost fields have one
                value = shift = 0
                while True:
                    value |= (data[at] & 127) << shift
                    shift += 7
                    at += 1
                    if not data[at - 1] & 128:
                        break
                number.append(value)
            at += number[1]
            ends.add(at)
    return ends


# Databases may lose pages that hold nothing; their cuts say so on standard error, as all others do.


def figures(bench, name, cwd):
    """Exit status, messages and tables of a run over one file."""
    clean(cwd)
    r = bench.run("run", name, "--format", "csv", "-o", "out", cwd=cwd)
    return r, outputs(os.path.join(cwd, "out"))


def cut_format(kind):
    name, make = FORMATS[kind]

    def run(bench, cwd):
        data = make(cwd)
        path = os.path.join(cwd, name)
        write(path, data)
        r, whole = figures(bench, name, cwd)
        if r.rc != 0 or not whole:
            raise Wrong("the whole file is not read: %d %s" % (r.rc, r.err))
        quiet, ends, seen = r.err, records(kind, data), set()
        for n in [0] + spread(len(data) - 1, MOST):
            write(path, data[:n])
            r, cut = figures(bench, name, cwd)
            seen.add(r.rc)
            if r.rc == 0 and r.err == quiet and cut != whole and n not in ends:
                raise Wrong("cut to %d of %d bytes: other figures without a word" % (n, len(data)))
        if 3 not in seen:
            raise Wrong("no cut makes the file unreadable: %s" % seen)
    return run


for kind in FORMATS:
    fault("Inputs cut at every byte", kind, (0, 3), "names the file, unless no value differs or a whole record is the last")(cut_format(kind))


@fault("Inputs cut at every byte", "pytorch, as the candidate of a gate", (0, 3), "truncated_input, where an event is lost")
def cut_candidate(bench, cwd):
    """What lost an event is no evidence: inconclusive, whatever its figures."""
    data = pytorch(kernels=4)
    write(os.path.join(cwd, "whole.json"), data)
    for n in spread(len(data) - 1, 60):
        clean(cwd)
        write(os.path.join(cwd, "cut.json"), data[:n])
        r = bench.run("gate", "whole.json", "cut.json", "--format=verdict", "-o", "out", "-q", cwd=cwd)
        verdict = json.loads(outputs(os.path.join(cwd, "out"))["gates.json"])["verdict"]
        if n < len(data) - 2 and (r.rc != 3 or verdict != "inconclusive"):
            raise Wrong("cut to %d of %d bytes: exit status %d, %s" % (n, len(data), r.rc, verdict))


def cut_damaged(kind):
    """Single bytes changed instead: no promise about figures, but about everything else."""
    name, make = FORMATS[kind]

    def run(bench, cwd):
        data, seen = bytearray(make(cwd)), set()
        for i, n in enumerate(spread(len(data), 60)):
            was = data[n - 1]
            data[n - 1] = (0, 0xFF, 0x80, was ^ 1, ord('"'), ord("9"))[i % 6]
            write(os.path.join(cwd, name), bytes(data))
            clean(cwd)
            seen.add(bench.run("run", name, "--format", "csv,json", "-o", "out", "-q", cwd=cwd).rc)
            data[n - 1] = was
        if seen != {0, 3}:  # one that always is or never is read tries nothing
            raise Wrong("exit statuses %s of %s" % (seen, kind))
    return run


for kind in FORMATS:
    fault("Inputs with one byte changed", kind, (0, 3))(cut_damaged(kind))


@fault("Configurations and saved results cut at every byte", "configuration", (0, 2, 3), "FILE:line:column: what is wrong")
def cut_config(bench, cwd):
    write(os.path.join(cwd, "t.json"), pytorch())
    text = json.dumps({"inputs": [{"path": "t.json", "options": {"topk_ops": 3}}], "outputs": {"dir": "out", "formats": ["json"]}})
    for n in range(len(text)):
        write(os.path.join(cwd, "c.cfg.json"), text[:n])
        clean(cwd)
        r = bench.run("--config=c.cfg.json", cwd=cwd)
        if r.rc == 0 and n < len(text.rstrip()):
            raise Wrong("a configuration cut to %d bytes is taken" % n)


def saved(bench, cwd):
    write(os.path.join(cwd, "t.json"), pytorch())
    bench.run("run", "t.json", "--format", "json,csv", "-o", "s", "-q", cwd=cwd)
    return glob.glob(os.path.join(cwd, "s", "*.json"))[0]


@fault("Configurations and saved results cut at every byte", "JSON result, as the baseline of a gate", (0, 1, 2, 3), "names the file")
def cut_saved(bench, cwd):
    path = saved(bench, cwd)
    data = open(path, "rb").read()
    for n in spread(len(data.rstrip()) - 1, MOST):
        write(os.path.join(cwd, "base.json"), data[:n])
        r = bench.run("gate", "base.json", path, cwd=cwd)
        if r.rc in (0, 1):
            raise Wrong("a result cut to %d bytes is taken for whole" % n)


@fault("Configurations and saved results cut at every byte", "CSV table, as the baseline of a comparison", (0, 3), "names the file")
def cut_saved_csv(bench, cwd):
    saved(bench, cwd)
    table = [p for p in glob.glob(os.path.join(cwd, "s", "**", "*.csv"), recursive=True) if os.path.basename(p) == "ops_summary.csv"][0]
    data = open(table, "rb").read()
    os.makedirs(os.path.join(cwd, "a"))
    os.makedirs(os.path.join(cwd, "b"))
    shutil.copy(table, os.path.join(cwd, "b", "ops_summary.csv"))
    for n in spread(len(data) - 1, 120):
        write(os.path.join(cwd, "a", "ops_summary.csv"), data[:n])
        r = bench.run("compare", "a", "b", cwd=cwd)
        if r.rc == 0 and not r.err:
            raise Wrong("a table cut to %d of %d bytes is taken for whole" % (n, len(data)))


@fault("Configurations and saved results cut at every byte", "workbook, as the baseline of a comparison", (0, 3),
       "names the file, unless only the length of its comment is cut")
def cut_workbook(bench, cwd):
    write(os.path.join(cwd, "t.json"), pytorch())
    bench.run("run", "t.json", "--format", "xlsx", "-o", "s", "-q", cwd=cwd, exits=(0,))
    path = glob.glob(os.path.join(cwd, "s", "*.xlsx"))[0]
    data = open(path, "rb").read()
    for n in spread(len(data) - 1, 120):
        write(os.path.join(cwd, "cut.xlsx"), data[:n])
        r = bench.run("compare", "cut.xlsx", path, cwd=cwd)
        if r.rc == 0 and n < len(data) - 2:
            raise Wrong("a workbook cut to %d of %d bytes is taken for whole" % (n, len(data)))


@fault("Configurations and saved results cut at every byte", "replay.json", (0, 3), "FILE:offset: malformed JSON")
def cut_replay(bench, cwd):
    bench.run("replay", "--emit=r", example("pytorch", "train_step.json"), "-q", cwd=cwd, exits=(0,))
    path = os.path.join(cwd, "r", "replay.json")
    data = open(path, "rb").read()
    for n in spread(len(data.rstrip()) - 1, 150):
        write(path, data[:n])
        r = bench.run("replay", "r", "--dry-run", cwd=cwd)
        if r.rc == 0:
            raise Wrong("a replay.json cut to %d bytes is taken" % n)


@fault("Configurations and saved results cut at every byte", "history", (0, 1, 3, 4), "names the database", "the history stays as it was")
def cut_history(bench, cwd):
    write(os.path.join(cwd, "k.csv"), KERNEL_SUMS)
    config = {"inputs": [{"format": "csv", "title": "n", "analysis_args": {"num_of_iters": 1}, "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
              "gates": {"baseline": "last"}, "history": {"path": "h.db", "rows": 0}}
    write(os.path.join(cwd, "c.json"), config)
    for _ in range(2):
        bench.run("--config=c.json", "-q", cwd=cwd, exits=(0,))
    data = open(os.path.join(cwd, "h.db"), "rb").read()
    for n in spread(len(data) - 1, 40):
        write(os.path.join(cwd, "h.db"), data[:n])
        bench.run("--config=c.json", cwd=cwd)


@fault("Configurations and saved results cut at every byte", "script of an extension", (0, 3), "FILE:line: what Lua says")
def cut_script(bench, cwd):
    write(os.path.join(cwd, "t.json"), pytorch())
    text = open(example("pytorch_models.lua"), "rb").read()
    for n in spread(len(text), 100):
        write(os.path.join(cwd, "x.lua"), text[:n])
        bench.run("run", "t.json", "-q", "--set", "extension_file=x.lua", cwd=cwd)


# ---- changing while read ----

def changing(kind, action):
    name, make = FORMATS[kind]

    def run(bench, cwd):
        data = make(cwd)
        path = os.path.join(cwd, name)
        for call in ("read", "mmap", "close"):
            write(path, data)
            n = calls(bench, ["run", name, "-q", "--format", "csv", "-o", "out"], cwd, call)
            for at in spread(n, 12):
                write(path, data)
                clean(cwd)
                bench.run("run", name, "--format", "csv", "-o", "out", cwd=cwd,
                          env={"FAULT": "%s:%d:%s" % (call, at, action), "FAULT_FILE": path})
    return run


for action, what in (("t", "becomes 10 bytes long"), ("g", "grows"), ("c", "gets another beginning")):
    for kind in ("pytorch", "pytorch, gzip", "nsys CSV of kernels", "nsys SQLite", "XPlane"):
        fault("Inputs that change while they are read", "%s %s" % (kind, what), (0, 3))(changing(kind, action))
