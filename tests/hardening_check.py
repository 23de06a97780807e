#!/usr/bin/env python3
"""Hostile inputs and statements, each against its promise of src/docs/faults.md and src/docs/security.md: time limits inside
one function of SQL, what a database may run, signals, commands of workflows, rows that are lost. The inputs are made here.
   usage: hardening_check.py --analyzer PROGRAM [--only WORD]
The last line is "N passed, N failed"."""
import argparse
import csv
import json
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from check_lib import Checks

SECONDS = 60
parser = argparse.ArgumentParser()
parser.add_argument("--analyzer", required=True)
parser.add_argument("--only", default="", help="names of checks that hold this word")
args = parser.parse_args()
ANALYZER = os.path.abspath(args.analyzer)
SANITIZED = b"__asan_init" in open(ANALYZER, "rb").read()
SLOWER = 8 if SANITIZED else 1
c = Checks(quiet=True)


def run(*words, env=None, timeout=SECONDS, stdin=subprocess.DEVNULL):
    try:
        p = subprocess.run([ANALYZER, *words], capture_output=True, timeout=timeout * SLOWER, stdin=stdin,
                           env={**os.environ, **(env or {})})
    except subprocess.TimeoutExpired:
        return -99, "", "no end"
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def trace(kernels=4, name="k", **more):
    events = []
    for i in range(kernels):
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": i * 10, "dur": 1,
                    "args": {"correlation": i + 1}},
                   {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i * 10 + 2, "dur": 5,
                    "args": {"correlation": i + 1, "device": 0, "stream": 7}, **more}]
    return events


def write(path, what):
    with open(path, "w") as f:
        f.write(what if isinstance(what, str) else json.dumps({"traceEvents": what}))
    return path


def commands(text):
    return [line for line in text.split("\n") if line.startswith("::")]


# ---- statements ----

LONG = "printf('%.*c',1000000,'a')"
SLOW = LONG + " like '%'||printf('%.*c',1900,'a')||'b'"  # a second in one function


class Server:
    def __init__(self, *words):
        self.p = subprocess.Popen([ANALYZER, "serve", "-q", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)

    def send(self, n, sql):
        line = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": sql}}}
        self.p.stdin.write(json.dumps(line).encode() + b"\n")
        self.p.stdin.flush()

    def read(self, seconds):
        ready, _, _ = select.select([self.p.stdout], [], [], seconds * SLOWER)
        return self.p.stdout.readline().decode() if ready else "nothing"

    def ends(self, seconds=0.5):
        began = time.monotonic()
        self.p.terminate()
        try:
            self.p.wait(20)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        return time.monotonic() - began < seconds * SLOWER


def statements():
    write("t.json", trace())
    for what, sql in (("instr", "instr(%s, substr(%s, 1, 400000) || 'b')" % (LONG, LONG)),
                      ("replace", "length(replace(%s, substr(%s, 1, 400000) || 'b', 'c'))" % (LONG, LONG)),
                      ("trim", "length(trim(%s, printf('%%.*c',400000,'b') || 'a'))" % LONG),
                      ("json_patch", "json_patch('{}', '{}')"),
                      ("a value of 20 MB", "instr(printf('%.*c',20000000,'a'), printf('%.*c',9000000,'a') || 'b')")):
        began = time.monotonic()
        rc, _, err = run("query", "t.json", "SELECT " + sql, "--timeout", "1", timeout=20)
        c.hold(time.monotonic() - began < 2 * SLOWER and rc in (0, 2, 3), "time of a statement with " + what, (rc, err))
    rows = "(WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 100000) SELECT x FROM r)"
    began = time.monotonic()
    rc, _, err = run("query", "t.json", "SELECT sum(instr(printf('%%.*c',900000+x%%7,'a'),'b')) FROM %s" % rows, "--timeout", "1")
    c.hold(rc == 3 and "time limit" in err and time.monotonic() - began < 1.6 * SLOWER, "time of many long functions", (rc, err))
    began = time.monotonic()
    rc, _, err = run("query", "t.json", "SELECT count(*) FROM %s WHERE %s AND x > 0" % (rows, SLOW.replace("1000000", "1000000-x%2")),
                     "--timeout", "0.1", timeout=30)
    c.hold(rc == 3 and "time limit" in err and time.monotonic() - began < 8 * SLOWER, "a function longer than the limit", (rc, err))
    values = {"instr('hay needle','needle')": 5, "instr('h\u00e4y','y')": 3, "instr(x'00ff01',x'01')": 3, "instr('a',NULL)": None,
              "instr('abc','')": 1, "replace('aXbX','X','-')": "a-b-", "replace('abc','','z')": "abc", "replace(12,1,3)": "32",
              "replace('a',NULL,'b')": None, "trim('xxaxx','x')": "a", "ltrim('\u00e4\u00f6a','\u00f6\u00e4')": "a",
              "rtrim('abcc','c')": "ab", "trim(NULL,'x')": None, "trim('  a ')": "a", "trim('abc','')": "abc"}
    for sql, wanted in values.items():
        rc, out, err = run("query", "t.json", "SELECT " + sql, "--format", "json")
        c.hold(rc == 0 and json.loads(out)["rows"] == [[wanted]], "value of " + sql, (rc, out, err))


def server():
    write("t.json", trace())
    s = Server("t.json", "--timeout", "1")
    s.send(1, "SELECT instr(printf('%.*c',20000000,'a'), printf('%.*c',9000000,'a') || 'b')")
    c.hold('"id":1' in s.read(5), "serve: response after a long function")
    s.send(2, "SELECT count(*) FROM kernels")
    c.hold('"id":2' in s.read(5), "serve: the next response")
    s.send(3, "SELECT " + SLOW.replace("1900", "1950"))
    time.sleep(0.2)
    c.hold(s.ends(), "serve: SIGTERM within a function")
    s = Server("t.json", "--timeout", "0.1")
    s.send(4, "SELECT %s OR %s" % (" OR ".join([SLOW] * 1), " OR ".join(SLOW.replace("'b'", "'%c'" % i) for i in range(99, 110))))
    text = s.read(10)
    c.hold('"id":4' in text and "time limit" in text, "serve: a statement of long functions", text)
    s.ends()
    # a client that does not read
    s = Server("t.json")
    for n in range(200):
        try:
            s.p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/list"}).encode() + b"\n")
            s.p.stdin.flush()
        except OSError:
            break
        if not select.select([], [s.p.stdin], [], 1)[1]:
            break
    time.sleep(0.3)
    c.hold(s.ends(), "serve: SIGTERM while the client reads nothing")


# ---- signals ----


def ends_in_time(what, words, after, wanted, seconds=0.5):
    p = subprocess.Popen([ANALYZER, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(after)
    began = time.monotonic()
    p.send_signal(signal.SIGINT)
    try:
        err = p.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        p.kill()
        err = p.communicate()[1]
    passed = time.monotonic() - began
    c.hold(passed < seconds * SLOWER and p.returncode in wanted, "SIGINT: " + what, (passed, p.returncode, err))


def signals():
    os.mkfifo("fifo.json")
    interrupted = (130, -signal.SIGINT)
    for words in (["run", "fifo.json"], ["fifo.json"], ["compare", "fifo.json", "fifo.json"], ["query", "fifo.json", "SELECT 1"],
                  ["serve", "fifo.json"], ["probe", "fifo.json"], ["classify", "fifo.json"], ["--config=fifo.json"]):
        ends_in_time(" ".join(words), words, 0.3, interrupted + (0,) if words[0] == "serve" else interrupted)
    os.mkdir("many")
    text = json.dumps({"traceEvents": trace(2)})
    for i in range(8000):
        write("many/t%05d.json" % i, text)
    ends_in_time("while a folder of 8,000 files is planned", ["run", "many", "--dry-run"], 0.05, interrupted)
    shutil.rmtree("many")


# ---- texts ----


def texts():
    bad = "k\n::error file=a,line=1::taken\n"
    write("names.json", trace(name=bad))
    for words in (["query", "names.json", "SELECT name FROM kernels", "--format", "csv"],
                  ["query", "names.json", "SELECT name AS 'x\n::error::y' FROM kernels", "--format", "csv"],
                  ["query", "names.json", "SELECT name FROM kernels"], ["names.json"], ["run", "names.json", "-v"]):
        for env in ({}, {"GITHUB_ACTIONS": "true"}):
            _, out, err = run(*words, env=env)
            c.hold(not commands(out + err), "commands of workflows through " + " ".join(words)[:60], commands(out + err))
    with open("a_cuda_gpu_kern_sum.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name".split(","))
        w.writerow([100, 10, 1, 10, 10, 10, 10, 0, bad])
    write("title.json", json.dumps({"inputs": [{"format": "csv", "title": "T\n::error::taken", "nsys_csv_file_path": {
        "kernel_sum": "a_cuda_gpu_kern_sum.csv"}, "analysis_args": {"num_of_iters": 2}}], "outputs": {"formats": ["text"]},
        "kernel_to_class_map": {"k": "C\n::error::class"}}))
    for words in (["--config=title.json"], ["run", "--config=title.json", "--dry-run"], ["check-config", "title.json"]):
        _, out, err = run(*words)
        c.hold(not commands(out + err), "commands of workflows through " + " ".join(words), commands(out + err))


# ---- databases ----

EXPORT = """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'kern');"""
COLUMNS = """start INTEGER,"end" INTEGER,deviceId INTEGER,streamId INTEGER,correlationId INTEGER,demangledName INTEGER,
    shortName INTEGER"""
COSTLY = "instr(printf('%%.*c',%d+0*start,'a'),printf('%%.*c',%d,'a')||'b')" % (8000000, 4000000)


def database(path, sql, rows=(), pages=None):
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    if pages:
        db.execute("PRAGMA page_size=%d" % pages)
    db.executescript(sql)
    if rows:
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,7,?,1,1)", rows)
    db.commit()
    db.close()
    return path


def quick(what, words, wanted, said):
    began = time.monotonic()
    rc, _, err = run(*words)
    c.hold(time.monotonic() - began < 3 * SLOWER and rc in wanted and said in err, what, (rc, err))


def views():
    pad = "CREATE TABLE pad(b); INSERT INTO pad VALUES(zeroblob(8100000));"
    table = "CREATE TABLE z(%s); INSERT INTO z VALUES(1000,2000,0,7,1,1,1);" % COLUMNS
    database("view.sqlite", EXPORT + pad + table + 'CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT start,"end",deviceId,streamId,'
             "%s AS correlationId,demangledName,shortName FROM z;" % COSTLY)
    quick("a view with a costly function in place of a table", ["run", "view.sqlite"], (3,), "CUPTI_ACTIVITY_KIND_KERNEL")
    database("plain_view.sqlite", EXPORT + table + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM z;")
    quick("a view in place of a table", ["run", "plain_view.sqlite"], (3,), "view")
    database("generated.sqlite", EXPORT + pad + 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,"end" INTEGER AS (start+%s) '
             "NOT NULL,deviceId INTEGER,streamId INTEGER,demangledName INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,"
             "deviceId,streamId,demangledName) VALUES(0,0,7,1);" % COSTLY.replace("8000000", "80").replace("4000000", "40"))
    quick("a generated column in place of a column", ["run", "generated.sqlite", "--strict"], (3,), "'end'")
    database("view_results.db", pad + "CREATE TABLE z(guid,start); INSERT INTO z VALUES('a',1); CREATE VIEW rocpd_kernel_dispatch "
             "AS SELECT upper(guid) AS guid, %s AS start FROM z;" % COSTLY)
    quick("rocpd: a view with a costly function", ["run", "view_results.db"], (3,), "rocpd_kernel_dispatch")
    write("t.json", trace())
    run("run", "t.json", "--format", "sqlite", "-o", "out", "-q")
    saved = [f for f in os.listdir("out") if f.endswith((".db", ".sqlite"))]
    c.hold(len(saved) == 1, "a saved database", os.listdir("out"))
    path = "out/" + saved[0]
    shutil.copy(path, "bad.sqlite")
    db = sqlite3.connect("bad.sqlite")
    db.execute("ALTER TABLE meta ADD COLUMN g AS (%s)" % COSTLY.replace("start", "length(key)"))
    db.commit()
    db.close()
    quick("a generated column of a saved database", ["compare", "bad.sqlite", path], (2, 3), "generated")


def history():
    write("t.json", trace())
    with open("c.json", "w") as f:
        json.dump({"inputs": [{"path": "t.json"}], "outputs": {"formats": []}, "history": {"path": "h.db"}}, f)
    c.hold(run("--config=c.json", "-q")[0] == 0, "a history")
    db = sqlite3.connect("h.db")
    samples = db.execute("SELECT count(*) FROM sample").fetchone()[0]
    roots = {n: r for n, r in db.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0")}
    size = db.execute("PRAGMA page_size").fetchone()[0]
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    whole = open("h.db", "rb").read()
    for name in ("run", "metric", "sample", "sample_metric", "run_created", "sqlite_autoindex_metric_1"):
        for part in (0, size // 2):
            end = roots[name] * size
            begin = end - size + part
            with open("h.db", "wb") as f:
                f.write(whole[:begin] + bytes(end - begin) + whole[end:])
            if whole[begin:end] == bytes(end - begin):
                continue
            rc, _, err = run("--config=c.json", "-q")
            c.hold(rc == 3 and "h.db" in err and "internal" not in err, "history: zeros from %d of '%s'" % (part, name), (rc, err))
            for s in ("-wal", "-shm"):
                if os.path.exists("h.db" + s):
                    os.unlink("h.db" + s)
    with open("h.db", "wb") as f:
        f.write(whole)
    db = sqlite3.connect("h.db")
    db.execute("CREATE TRIGGER x AFTER INSERT ON run BEGIN DELETE FROM sample; END")
    db.commit()
    db.close()
    rc, _, err = run("--config=c.json", "-q")
    db = sqlite3.connect("h.db")
    n = db.execute("SELECT count(*) FROM sample").fetchone()[0]
    db.close()
    c.hold(rc == 0 and n >= 2 * samples, "history: a trigger of another program", (rc, n, err))


# ---- rows of the device that are lost ----

BAD = ("NaN", "-1", "-600", "1e308", "", "abc", "inf")
SUMS = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name".split(",")
STATS = "Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev".split(",")
KERNELS = ("Kind,Agent_Id,Queue_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"
           "End_Timestamp").split(",")
OPS = ("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,CORE COUNT,HOST START TS,DEVICE FW DURATION [ns],"
       "DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]").split(",")


def table(path, head, rows):
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([head] + rows)
    return path


def lost(what, path):
    """An ordinary run has a warning, a strict one fails."""
    rc, _, err = run("run", path, "-q", "--csv-dir", "out")
    warned = "warning" in run("run", path)[2]
    strict = run("run", path, "--strict")
    c.hold(strict[0] == 3 and strict[2] and (warned or rc == 3), "lost row: " + what, (rc, err, strict))


def rows():
    for bad in BAD:
        for column in (1, 2):
            data = [[60, 600, 2, 300, 300, 300, 300, 0, "a"], [40, 400, 1, 400, 400, 400, 400, 0, "b"]]
            data[0][column] = bad
            lost("%s of sums is %r" % (SUMS[column], bad), table("x_cuda_gpu_kern_sum.csv", SUMS, data))
            data = [["a", 2, 600, 300, 60, 300, 300, 0], ["b", 1, 400, 400, 40, 400, 400, 0]]
            data[0][column] = bad
            lost("%s of statistics is %r" % (STATS[column], bad), table("x_kernel_stats.csv", STATS, data))
            os.unlink("x_kernel_stats.csv")
        for column in (8, 9):
            data = [["KERNEL_DISPATCH", 1, 1, 1, i, 1, "k", i, i * 1000, i * 1000 + 500] for i in range(1, 13)]
            data[3][column] = bad
            lost("%s is %r" % (KERNELS[column], bad), table("x_kernel_trace.csv", KERNELS, data))
            os.unlink("x_kernel_trace.csv")
        data = [["Matmul", "tt_dnn_device", i * 1024, 0, 64, i * 10000, 1500, 1000, 100] for i in range(1, 9)]
        data[2][7] = bad
        lost("%s is %r" % (OPS[7], bad), table("ops_perf_results.csv", OPS, data))
        for key in ("ts", "dur"):
            events = trace(12)
            events[5][key] = 987
            text = json.dumps({"traceEvents": events}).replace("987", bad if bad in BAD[:4] else json.dumps(bad))
            if key == "ts" and bad[0:1] == "-":
                continue  # a trace may begin before its own zero
            lost("%s of a trace is %r" % (key, bad), write("t.json", text))


def counted():
    """Pages of a table that cannot be read: the rows after them are read, and those on them counted."""
    size, rows = 1024, 600
    database("whole.sqlite", EXPORT + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(%s);" % COLUMNS,
             [(1000000 + i * 1000, 1000500 + i * 1000, i) for i in range(rows)], pages=size)
    whole = open("whole.sqlite", "rb").read()
    last = len(whole) // size - 1

    def read(data):
        with open("damaged.sqlite", "wb") as f:
            f.write(data)
        rc, _, err = run("run", "damaged.sqlite", "--format", "json", "-o", "out")
        made = json.load(open("out/damaged_perf_report.json")) if rc == 0 else {"tables": []}
        found = [dict(zip((k["id"] for k in t["columns"]), r)) for t in made["tables"] if t["id"] == "coverage" for r in t["rows"]]
        lost = sum(r["value"] for r in found if r["item"] == "dropped: rows of a damaged table")
        kept = [r["value"] for r in found if r["item"] == "events kept"]
        return err, lost, kept

    for pages in ([3], [5], [5, 6, 11], [4, 9, 12], range(3, last, 2)):
        data = bytearray(whole)
        for page in pages:
            data[page * size:(page + 1) * size] = b"\xee" * size
        err, lost, kept = read(bytes(data))
        c.hold("rows lost" in err and "at least" not in err and kept and kept[0] + lost == rows, "rows of the pages %s" % list(pages), (err, lost, kept))
    err, lost, kept = read(whole[:10 * size])
    c.hold("at least" in err and kept and 500 < kept[0] + lost <= rows, "rows of a missing end", (err, lost, kept))


def json_events():
    """Valid JSON in other spellings gives the same events."""
    def kernels(events, *edits):
        text = json.dumps({"traceEvents": events})
        for old, new in edits:
            text = text.replace(old, new)
        write("t.json", text)
        rc, _, err = run("run", "t.json", "--strict", "--csv-dir", "out_json")
        if not os.path.exists("out_json/time_by_family.csv"):
            return rc, [], err
        with open("out_json/time_by_family.csv") as f:
            found = [(int(r["count"]), float(r["time_ms"])) for r in csv.DictReader(f)]
        shutil.rmtree("out_json")
        return rc, found, err

    whole = kernels(trace())
    c.hold(whole[0] == 0 and whole[1] == [(4, 0.02)], "a trace", whole)
    escaped = kernels(trace(), ('"kernel"', '"\\u006bernel"'), ('"ph": "X"', '"ph": "\\u0058"'))
    c.hold(escaped == whole, "a trace with escaped values", escaped)
    apart = []
    for e in trace():
        if e["cat"] != "kernel":
            apart.append(e)
            continue
        begin = {k: v for k, v in e.items() if k != "dur"}
        apart += [{**begin, "ph": "B"}, {"ph": "E", "pid": e["pid"], "tid": e["tid"], "ts": e["ts"] + e["dur"]}]
    c.hold(kernels(apart) == whole, "a trace whose kernels begin and end apart", kernels(apart))
    open_end = kernels(apart[:-1])
    c.hold(open_end[0] == 3 and open_end[1] == [(3, 0.015)] and "without an end" in open_end[2], "a begin without an end", open_end)
    twice = kernels(trace(), ('"cat": "kernel"', '"cat": "x", "cat": "kernel"'))
    c.hold(twice[1] == whole[1], "a trace with a key twice", twice)
    out = run("run", "t.json", "-v")[1] + run("run", "t.json", "--format", "json", "-o", "json_out", "-v")[1]
    text = out + "".join(open("json_out/" + f).read() for f in os.listdir("json_out"))
    c.hold("duplicate key" in text, "duplicate keys are counted", out[-600:])


# ---- ranges around each other ----

LAUNCHES = """CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,"end" INTEGER,globalTid INTEGER,correlationId INTEGER,
    nameId INTEGER); CREATE TABLE NVTX_EVENTS(start INTEGER,"end" INTEGER,eventType INTEGER,globalTid INTEGER,text TEXT);
    INSERT INTO StringIds VALUES(2,'cudaLaunchKernel'),(3,'kern_b'),(4,'kern_c');"""
THREAD = (1000 << 24) + 1000 + (1 << 56)


def ranges_database(path, ranges, launches, names):
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    db.executescript(EXPORT + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(%s);" % COLUMNS + LAUNCHES)
    for i, (begin, end, name, length) in enumerate(launches, 1):
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?,?,?,?,2)", (begin, end, THREAD, i))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,7,?,?,?)", (10**8 + i * 100, 10**8 + i * 100 + length, i, name, name))
    for k, (begin, end) in enumerate(ranges):
        db.execute("INSERT INTO NVTX_EVENTS VALUES(?,?,59,?,?)", (begin, end, THREAD, names(k)))
    db.commit()
    db.close()


def nested():
    """Sums by range and kernel name against the plain definition, where the program counts launches once."""
    import random
    import statistics
    r = random.Random(5)
    text = {1: "kern", 3: "kern_b", 4: "kern_c"}
    for what, overlap in (("ranges within each other", False), ("ranges that overlap", True)):
        launches = sorted((s, s + r.choice((2, 5, 40)), r.choice((1, 1, 3, 4)), r.randint(1, 60))
                          for s in r.sample(range(100000, 200000), 1300))
        ranges = [(r.randint(0, 120000), r.randint(180000, 300000)) if overlap else (i, 300000 - i) for i in range(1300)]
        ranges_database("n.sqlite", ranges, launches, lambda k: "region")
        run("run", "n.sqlite", "--csv-dir", "out", "-q")
        found = {row["Kernel Name"]: row for row in csv.DictReader(open("out/nvtx_kern_sum.csv"))}
        wanted = {}
        for begin, end in ranges:
            seen = set()
            for s, e, name, length in launches:
                if begin <= s and e <= end:
                    wanted.setdefault(name, [0, []])[1].append(length)
                    seen.add(name)
            for name in seen:
                wanted[name][0] += 1
        good = len(found) == len(wanted)
        for name, (instances, values) in wanted.items():
            row = found.get(text[name], {})
            good = good and [int(row["NVTX Inst"]), int(row["Kern Inst"]), int(row["Total Time (ns)"]), int(row["Min (ns)"]),
                             int(row["Max (ns)"]), float(row["Med (ns)"])] == [
                instances, len(values), sum(values), min(values), max(values), statistics.median(values)]
            good = good and abs(float(row["StdDev (ns)"]) - statistics.stdev(values)) < 1e-6
        c.hold(good, "sums of kernels by " + what, (list(found.items())[:2], {k: (v[0], len(v[1]), sum(v[1])) for k, v in wanted.items()}))
    many = 16000
    launches = [(10**6 + i * 10, 10**6 + i * 10 + 5, 1, 5) for i in range(many)]
    ranges_database("many.sqlite", [(i, 10**8 - i) for i in range(many)], launches, lambda k: "r")
    limits = [] if SANITIZED else ["--memory-limit", "512M"]
    rc, _, err = run("run", "many.sqlite", "--csv-dir", "many", "--strict", *limits, timeout=30)
    rows = list(csv.DictReader(open("many/nvtx_kern_sum.csv"))) if os.path.exists("many/nvtx_kern_sum.csv") else []
    c.hold(rc == 0 and [int(x["Kern Inst"]) for x in rows] == [many * many], "16,000 kernels within 16,000 ranges", (rc, err, rows))


# ---- compressed inputs ----


def zstd_frame(data, checksum=None):
    """One frame of raw blocks, as a file (RFC 8878); checksum: four bytes, right or wrong."""
    out = b"\x28\xb5\x2f\xfd" + bytes([0xA0 | (4 if checksum else 0)]) + len(data).to_bytes(4, "little")
    for at in range(0, len(data), 65536):
        part = data[at:at + 65536]
        out += (int(at + 65536 >= len(data)) | len(part) << 3).to_bytes(3, "little") + part
    return out + (checksum or b"")


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def compressed():
    import gzip
    text = json.dumps({"traceEvents": trace(400)}).encode()
    put("t.json", text)
    with_zstd = "zstd input: libzstd" in run("version")[1]
    put("t.json.zst", zstd_frame(text[:50000]) + b"\x50\x2a\x4d\x18\4\0\0\0skip" + zstd_frame(text[50000:]))
    plain, packed = run("run", "t.json")[1], run("run", "t.json.zst")
    if not with_zstd:
        c.hold(packed[0] == 3 and "unzstd" in packed[2], "zstd without the library", packed)
    else:
        c.hold(packed[0] == 0 and packed[1] == plain, "a trace in two frames of zstd", packed)
        put("cut.json.zst", zstd_frame(text)[:-100])
        rc, _, err = run("run", "cut.json.zst")
        c.hold("truncated" in err, "a cut zstd file", (rc, err))
        put("sum.json.zst", zstd_frame(text, b"\1\2\3\4"))
        rc, out, err = run("run", "sum.json.zst")
        c.hold("zstd checksum mismatch" in err, "a wrong checksum of zstd", (rc, err))
        put("x_cuda_gpu_kern_sum.csv.zst", zstd_frame((",".join(SUMS) + "\n100,600,2,300,300,300,300,0,a\n").encode()))
        rc, out, err = run("run", "x_cuda_gpu_kern_sum.csv.zst")
        c.hold(rc == 0 and "===== x =====" in out, "a CSV in zstd", (rc, out[:200], err))
        put("bad.json.zst", zstd_frame(text)[:20] + bytes(500))
        rc, _, err = run("run", "bad.json.zst")
        c.hold(rc in (0, 3) and err, "damaged zstd", (rc, err))
    packed = bytearray(gzip.compress(text))
    packed[-6] ^= 1
    put("sum.json.gz", packed)
    rc, out, err = run("run", "sum.json.gz", "--format", "json", "-o", "out")
    c.hold("checksum" in err and "truncated" not in err + out and run("run", "sum.json.gz", "--strict")[0] == 3,
           "a wrong checksum of gzip is not a truncated file", (rc, err, out[-300:]))


def inflated_memory():
    """An XPlane in gzip takes the memory of its content once."""
    import gzip

    def field(number, data):
        size, head = len(data), bytes([number << 3 | 2])
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        return head + bytes([size]) + data

    plane = field(1, field(2, b"/host:extra") + field(15, bytes(1 << 20)))
    with gzip.open("big.xplane.pb.gz", "wb", 1) as f:
        for _ in range(150):
            f.write(plane)
    p = subprocess.Popen([ANALYZER, "run", "big.xplane.pb.gz", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    c.hold(os.WIFEXITED(status) and usage.ru_maxrss < 1.5 * 150 * 1024 * SLOWER, "memory of 150 MB in gzip", usage.ru_maxrss)


def links():
    """An output replaces a link of its name; what the link points to stays."""
    write("t.json", trace())
    os.mkdir("out")
    put("precious", b"old")
    os.symlink("../precious", "out/t_perf_report.json")
    rc, _, err = run("run", "t.json", "--format", "json", "-o", "out", "-q")
    c.hold(rc == 0 and open("precious").read() == "old" and not os.path.islink("out/t_perf_report.json"), "an output over a link", (rc, err))



def large_database():
    """SQLite sorts an index of many names in a temporary file, without TMPDIR in a folder of its own choice."""
    head = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    write("a_cuda_gpu_kern_sum.csv", head + "".join("0.1,%d,10,%d.0,1.0,1,2,0.0,kernel_%d\n" % (10000000 + i, 1000000 + i, i) for i in range(128000)))
    rc, _, err = run("run", "a_cuda_gpu_kern_sum.csv", "--format", "sqlite", "-o", "out", "-q", env={"TMPDIR": "", "SQLITE_TMPDIR": ""})
    c.hold(rc == 0, "a database of many rows", (rc, err))


def reads():
    """A parser opens its inputs alone: a link in a folder of captures leads out of it."""
    capture = trace() + [{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 900, "dur": 1, "args": {"correlation": 99}}]
    os.makedirs("in/capture_traces")
    write("in/t.json", capture)
    write("in/capture_traces/near.json", trace())
    write("secret.json", trace())
    os.mkdir("tmp")
    own = {"TMPDIR": os.path.abspath("tmp")}  # files of it are read again
    if "landlock" in run("version")[1]:
        rc, _, err = run("run", "in/t.json", env=own)
        c.hold(rc == 0 and "Permission" not in err, "a capture next to its trace is read", (rc, err))
        os.symlink(os.path.abspath("secret.json"), "in/capture_traces/far.json")
        rc, _, err = run("run", "in/t.json", env=own)
        c.hold("far.json" in err and "Permission denied" in err, "a link to another folder is not followed", (rc, err))
        rc, _, err = run("run", "in/t.json", "--no-sandbox", env=own)
        c.hold(rc == 0 and "Permission" not in err, "without a sandbox it is", (rc, err))
        os.symlink(os.path.abspath("secret.json"), "link.json")
        rc, _, err = run("run", "link.json", env=own)
        c.hold(rc == 0, "an input may be a link", (rc, err))


def replay():
    """What replay starts has no network; what it makes of a trace starts nothing and reads its trace alone."""
    os.makedirs("r")
    os.makedirs("bin")
    write("r/hipblaslt-bench-0.log", "hipblaslt-bench -m 1 -n 2 -k 3\n")
    write("bin/hipblaslt-bench", "#!%s\nimport socket\ntry:\n    socket.socket(socket.AF_INET)\n    print('open')\nexcept OSError as e:\n    print(e)\n" % sys.executable)
    os.chmod("bin/hipblaslt-bench", 0o755)
    path = {"PATH": os.path.abspath("bin") + ":" + os.environ["PATH"]}
    if "seccomp" in run("version")[1]:
        for words, wanted in (((), "Permission denied"), (("--no-sandbox",), "open")):
            run("replay", "r", "--no-torch", *words, env=path)
            said = open("r/hipblaslt-bench-0.out").read()
            c.hold(wanted in said, "the network of a program of replay %s" % (words,), said)
    write("t.json", trace())
    rc, _, err = run("replay", "--emit", "emitted", "t.json")
    c.hold("Permission" not in err, "replay --emit", (rc, err))
    rc, _, err = run("replay", "r", "--dry-run")
    c.hold(rc == 0 and "Permission" not in err, "replay --dry-run", (rc, err))


def no_paths():
    """Reports that are published name no folder of this machine."""
    os.makedirs("secret/place")
    path = write(os.path.abspath("secret/place/t.json"), trace())
    run("run", path, "--no-paths", "--format", "csv,json,html,md,sqlite", "-o", "out", "-q")
    found = []
    for folder, _, files in os.walk("out"):
        for f in files:
            p = os.path.join(folder, f)
            marks = [os.getxattr(p, a) for a in os.listxattr(p)] if hasattr(os, "listxattr") else []
            if b"secret" in open(p, "rb").read() or any(b"secret" in m for m in marks):
                found.append(p)
    c.hold(os.path.exists("out") and not found, "--no-paths", found)


# ignored where this runs in the background, and so by what it starts
signal.signal(signal.SIGINT, signal.default_int_handler)
with tempfile.TemporaryDirectory() as scratch:
    for part in (statements, server, signals, texts, views, history, rows, counted, json_events, nested, compressed,
                 links, inflated_memory, large_database, reads, replay, no_paths):
        if args.only in part.__name__:
            os.mkdir(os.path.join(scratch, part.__name__))
            os.chdir(os.path.join(scratch, part.__name__))
            part()
    os.chdir("/")
print("%d passed, %d failed" % (c.passed, c.failed))
sys.exit(c.failed > 0)
