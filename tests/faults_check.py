#!/usr/bin/env python3
"""What goes wrong outside the program: cut and hostile inputs, full outputs, small limits. Each fault is a test: exit
status, message, state of the disk, and an end in time.
   usage: faults_check.py --analyzer PROGRAM
The last line is "N passed, N failed"."""
import argparse
import csv
import ctypes
import glob
import json
import os
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

SECONDS = 60  # what an endless input must stay below
MEMORY = 2 << 30  # address space of every call
HOSTILE = "\x1b]0;x\x07\x1b[31mred\x9b31m\r\n::error::taken\u202e\x85"

parser = argparse.ArgumentParser()
parser.add_argument("--analyzer", required=True)
args = parser.parse_args()
ANALYZER = os.path.abspath(args.analyzer)
SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
passed = failed = 0
SANITIZED = b"__asan_init" in open(ANALYZER, "rb").read()  # which needs address space without end


def check(name, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL %s: %s" % (name, str(detail)[-600:]))


def run(*words, stdout=subprocess.PIPE, limits=()):
    def before():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for what, most in limits:
            resource.setrlimit(what, (most, most))

    try:
        p = subprocess.run([ANALYZER, *words], stdout=stdout, stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=before)
    except subprocess.TimeoutExpired:
        return -99, "", "no end"
    return p.returncode, (p.stdout or b"").decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def trace(name="kernel", kernels=3, **extra):
    events = []
    for i in range(kernels):
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 100, "dur": 50,
             "args": {"External id": i + 1, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": i * 100 + 1, "dur": 2,
             "args": {"correlation": i + 1, "External id": i + 1}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i * 100 + 20, "dur": 5,
             "args": {"correlation": i + 1, "device": 0, "stream": 7, "External id": i + 1}}]
    return {"traceEvents": events, **extra}


def write(path, what):
    with open(path, "w") as f:
        f.write(what if isinstance(what, str) else json.dumps(what))
    return path


def kernels_of(folder):
    for path in glob.glob(folder + "/**/kern_sum.csv", recursive=True):
        return sum(int(r["Instances"]) for r in csv.DictReader(open(path)))
    return 0


def shortest_of(folder):
    for path in glob.glob(folder + "/**/kern_sum.csv", recursive=True):
        return min(int(r["Min (ns)"]) for r in csv.DictReader(open(path)))
    return None


# ---- databases ----

EXPORT = """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'kern');"""
KERNEL = """CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,"end" INTEGER,deviceId INTEGER,streamId INTEGER,
    correlationId INTEGER,demangledName INTEGER,shortName INTEGER);"""
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT "


def database(path, sql, rows=0):
    db = sqlite3.connect(path)
    db.executescript(sql)
    if rows:
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,7,?,1,1)",
                       [(1000000 + i * 1000, 1000500 + i * 1000, i) for i in range(rows)])
    db.commit()
    db.close()
    return path


def cut_databases():
    whole = database("whole.sqlite", EXPORT + KERNEL, 2000)
    data = open(whole, "rb").read()
    for back in (1, 100, 2000, 4095, 4096, 4097, len(data) // 2):
        cut = "cut_%d.sqlite" % back
        with open(cut, "wb") as f:
            f.write(data[:-back])
        rc, _, err = run("run", cut, "--csv-dir", "out_" + cut)
        check("database cut %d bytes before its end" % back,
              rc == 0 and "partial" in err and 0 < kernels_of("out_" + cut) < 2000 and shortest_of("out_" + cut) == 500,
              (rc, kernels_of("out_" + cut), err))


def endless_databases():
    path = database("view.sqlite", EXPORT + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS " + ENDLESS +
                    "x AS start, x+1 AS \"end\", 0 AS deviceId, 7 AS streamId, 0 AS correlationId, 1 AS demangledName, "
                    "1 AS shortName FROM c WHERE x<0;")
    rc, _, err = run("run", path, "-q")
    check("export whose table is a view without end", rc == 3 and "CUPTI_ACTIVITY_KIND_KERNEL" in err, (rc, err))
    path = database("view_results.db", "CREATE VIEW rocpd_kernel_dispatch AS " + ENDLESS + "'a' AS guid, x AS start FROM c;")
    rc, _, err = run("run", path, "-q")
    check("rocpd whose table is a view without end", rc == 3 and "view" in err, (rc, err))
    path = database("values.sqlite", EXPORT + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT zeroblob(900000000) AS start, "
                    "1 AS \"end\", 1 AS demangledName;")
    rc, _, err = run("run", path, "-q")
    check("view that makes a value of 900 MB", rc == 3 and err, (rc, err))


# ---- folders ----


def folders():
    os.mkdir("mixed")
    write("mixed/good.json", trace())
    write("mixed/empty.json", "")
    write("mixed/garbage.json", "garbage")
    write("mixed/README.txt", "of no interest")
    rc, _, err = run("run", "mixed", "--csv-dir", "mixed_out")
    check("files of a folder that are no profiles are named",
          rc == 0 and "empty.json: empty file" in err and "garbage.json: not a profile of a known format" in err and "README" not in err,
          (rc, err))
    os.mkdir("many")
    for i in range(4000):
        write("many/" + "".join(chr(97 + (i // 26**k) % 26) for k in range(3)) + ".json", trace(kernels=1))
    rc, _, err = run("run", "--dry-run", "many", limits=[(resource.RLIMIT_CPU, 10)] if not SANITIZED else ())
    check("a folder of 4,000 traces is planned in time", rc == 0, (rc, err))


# ---- outputs ----


def outputs():
    write("t.json", trace())
    for words in (["probe", "t.json"], ["run", "--dry-run", "t.json"], ["list"], ["help"], ["run", "t.json"], ["schema"]):
        with open("/dev/full", "w") as full:
            rc, _, err = run(*words, stdout=full)
        check("%s to a full device" % " ".join(words), rc == 3 and "standard output" in err, (rc, err))
    rc, _, err = run("run", "t.json", "--format", "json,csv,xlsx", "-o", "small", "-q", limits=[(resource.RLIMIT_FSIZE, 512)])
    left = [f for _, _, files in os.walk("small") for f in files if not f.endswith(".csv")]  # the smallest have room
    check("files that may not grow", rc == 3 and "File too large" in err and not left, (rc, err, left))
    rc, _, err = run("run", "t.json", "--format", "json,csv", "-o", "t.json/below", "-q")
    check("an output folder that is a file", rc == 3 and "t.json" in err, (rc, err))


def created_below(folder, *words):
    """Files that a run creates in new folders below one: those of the first instant may be missed."""
    os.mkdir(folder)
    libc, seen, watched = ctypes.CDLL(None), [], {}
    fd = libc.inotify_init1(os.O_NONBLOCK)
    watched[libc.inotify_add_watch(fd, folder.encode(), 0x100)] = folder  # IN_CREATE
    p = subprocess.Popen([ANALYZER, *words], env=dict(os.environ, TMPDIR=os.path.abspath(folder)))
    while True:
        ended = p.poll() is not None  # before the last look
        try:
            events = os.read(fd, 1 << 16)
        except BlockingIOError:
            if ended:
                os.close(fd)
                return p.returncode, seen
            continue
        while events:
            at, mask, _, n = struct.unpack_from("iIII", events)
            name = os.path.join(watched[at], events[16:16 + n].rstrip(b"\0").decode())
            if mask & 0x40000000:  # a folder
                watched[libc.inotify_add_watch(fd, name.encode(), 0x100)] = name
            elif mask & 0x100:  # not that a watched folder is gone
                seen.append(name)
            events = events[16 + n:]


def temporary_files():
    """A workbook has some thirty parts, which are no files on a disk."""
    write("t.json", trace())
    rc, made = created_below("temporary", "run", "t.json", "--format", "xlsx", "-o", "book", "-q")
    check("parts of a workbook stay in memory", rc == 0 and len(made) <= 1 and glob.glob("book/*.xlsx"), (rc, made))


def overwritten():
    """What the run reads later is an input, also where an option names it."""
    os.mkdir("own")
    write("own/t.json", trace())
    write("own/t_perf_report.json", trace("other"))
    before = open("own/t_perf_report.json").read()
    for option in ("comparison_json_path", "extension_file"):
        config = {"inputs": [{"path": "t.json"}], "outputs": {"dir": ".", "formats": ["json"]}}
        (config if option == "extension_file" else config["inputs"][0].setdefault("options", {}))[option] = "t_perf_report.json"
        write("own/c.json", config)
        rc, _, err = run("--config=own/c.json", "-q", "-o", "own")
        check("an output over the file of %s" % option,
              rc == 2 and "is an input" in err and open("own/t_perf_report.json").read() == before, (rc, err))


# ---- hostile text ----


def unprintable(text):
    return sorted({hex(ord(c)) for c in text
                   if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or 0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069})


def hostile_text():
    t = trace("k" + HOSTILE, deviceProperties=[{"id": 0, "name": "H100" + HOSTILE}])
    for e in t["traceEvents"]:
        e["name"] += HOSTILE
    t["traceEvents"].append({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD" + HOSTILE, "pid": 0, "tid": 7, "ts": 400,
                             "dur": 5, "args": {"correlation": 99, "device": 0, "stream": 7, "bytes": 10}})
    write("hostile.json", t)
    run("run", "hostile.json", "--format", "json", "-o", "saved", "-q")
    saved = glob.glob("saved/*.json")[0]
    result = json.load(open(saved))
    result["title"] = result["input"] = "T" + HOSTILE
    write("result.json", result)
    with open("sums_cuda_gpu_mem_time_sum.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow("Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation".split(","))
        w.writerow([100, 10, 1, 10, 10, 10, 10, 0, "[CUDA memset" + HOSTILE + "]"])
    with open("sums_cuda_gpu_kern_sum.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name".split(","))
        w.writerow([100, 10, 1, 10, 10, 10, 10, 0, "k" + HOSTILE])
    write("classic.json", {"inputs": [{"format": "csv", "title": "T", "nsys_csv_file_path": {
        "kernel_sum": "sums_cuda_gpu_kern_sum.csv", "mem_time_sum": "sums_cuda_gpu_mem_time_sum.csv"},
        "analysis_args": {"num_of_iters": 1, "num_of_gpus": 1, "nvtx_tag_of_iter": "x"}}], "kernel_to_class_map": {"k": "K"}})
    for words in (["run", "hostile.json"], ["run", "hostile.json", "-v", "--compat=all"], ["probe", "hostile.json"],
                  ["classify", "hostile.json"], ["compare", "result.json", saved], ["gate", saved, "result.json"],
                  ["gate", "result.json", saved, "-v"], ["--config=classic.json"]):
        rc, out, err = run(*words)
        lines = [line for line in (out + err).split("\n") if line.startswith("::")]
        check("hostile text through " + " ".join(words), rc in (0, 1) and not unprintable(out + err) and not lines,
              (rc, unprintable(out + err), lines, err))


def hostile_shapes():
    deep = json.dumps(trace(kernels=1)).replace("[[2, 3], [3, 4]]", "[" * 30000 + "]" * 30000)
    write("deep.json", deep)
    rc, _, err = run("run", "deep.json", "--csv-dir", "deep_out")
    check("lists of shapes nested 30,000 deep", rc == 0 and "malformed argument list" in err, (rc, err))


def cut_tables():
    """A number that lost its last digits is a number: only the missing line end says it."""
    names = {"nsys": "example/nsys/llama2_70b_cuda_gpu_kern_sum.csv", "tracy": "example/tracy/ops_perf_results_host0.csv"}
    for kind, name in names.items():
        data = open(os.path.join(SRC, name), "rb").read()
        path = os.path.basename(name)
        silent = []
        for n in range(len(data) - 40, len(data)):
            with open(path, "wb") as f:
                f.write(data[:n])
            rc, _, err = run("run", path, "--format", "csv", "-o", "cut_out")
            if rc == 0 and not err.strip():
                silent.append(n)
        check("%s cut at each of its last bytes" % kind, all(data[n - 1:n] == b"\n" for n in silent), silent)
        os.unlink(path)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for part in (cut_databases, endless_databases, folders, outputs, temporary_files, overwritten, hostile_text, hostile_shapes, cut_tables):
        part()
    os.chdir("/")
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
