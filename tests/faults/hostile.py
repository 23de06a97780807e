"""Inputs made to harm: text that takes over a terminal or a page, numbers at the ends of their types, names and kinds of
files that are no profiles, shapes that ask for memory or time, programs that lie."""
import glob
import gzip
import html.parser
import json
import os
import re
import shutil
import socket
import sqlite3
import stat
import zipfile

from lib import Wrong, clean, example, fault, write, ROOT
from cuts import FORMATS as INPUTS, KERNEL_HEADER, KERNEL_SUMS, corpus, nsys_database, pytorch

HOSTILE = "\x1b]0;x\x07\x1b[31mred\x9b31m\r\n::error::taken\u202e\x85</script><img src=x onerror=alert(1)>'\"|`=1+1 &amp; ]]> {{x}} %s%n"
WRITERS = "csv,json,xlsx,html,md,openmetrics"


class Page(html.parser.HTMLParser):
    """Finds what a page would run that the writer did not put there."""

    def __init__(self):
        super().__init__()
        self.bad = []

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "iframe", "object", "embed", "link") or any(k.startswith("on") for k, _ in attrs):
            self.bad.append((tag, attrs))


def no_takeover(folder):
    for path in glob.glob(folder + "/**/*", recursive=True):
        if not os.path.isfile(path) or path.endswith(".xlsx"):
            continue
        text = open(path, encoding="utf-8", newline="").read()
        if path.endswith(".html"):
            page = Page()
            page.feed(text)
            if page.bad:
                raise Wrong("%s runs %s" % (path, page.bad[:2]))
        if path.endswith((".md", ".prom", ".txt")) and re.search("^::error", text, re.M):
            raise Wrong("%s has a line that a workflow takes for a command" % path)
        if path.endswith(".md") and "<img" in text:
            raise Wrong("%s has an element of HTML" % path)
        if "\x1b" in text and not path.endswith(".csv"):
            raise Wrong("%s has an escape" % path)


def through_all_writers(bench, cwd, name):
    clean(cwd)
    bench.run("run", name, "--format", WRITERS, "-o", "out", "--compat=all", cwd=cwd)
    no_takeover(os.path.join(cwd, "out"))
    bench.run("run", name, "-v", cwd=cwd)
    bench.run("probe", name, cwd=cwd)


def texts(value, path=()):
    """Places of texts in a JSON value."""
    if isinstance(value, dict):
        for k in value:
            yield from texts(value[k], path + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value[:6]):
            yield from texts(v, path + (i,))
    elif isinstance(value, str):
        yield path


def put(value, path, new):
    for k in path[:-1]:
        value = value[k]
    value[path[-1]] = new


def fields_of(value):
    """One place of each kind of field."""
    seen = {}
    for path in texts(value):
        seen.setdefault(tuple(k for k in path if isinstance(k, str)), path)
    return list(seen.values())


def json_fields(name, make, tables=()):
    def run(bench, cwd):
        whole = json.loads(make())
        for path in fields_of(whole):
            value = json.loads(json.dumps(whole))
            was = value
            for k in path:
                was = was[k]
            put(value, path, (was if path[-1] in ("cat", "ph", "category") else was + HOSTILE))
            write(os.path.join(cwd, name), value)
            through_all_writers(bench, cwd, name)
        value = json.loads(json.dumps(whole))
        for path in fields_of(whole):
            if path[-1] not in ("cat", "ph", "category"):
                put(value, path, HOSTILE)
        write(os.path.join(cwd, name), value)
        through_all_writers(bench, cwd, name)
    return run


def trace():
    t = json.loads(pytorch())
    t["deviceProperties"] = [{"id": 0, "name": "H100"}]
    t["distributedInfo"] = {"backend": "nccl", "rank": 0, "world_size": 2}
    t["traceEvents"] += [
        {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 400, "dur": 5, "args": {"device": 0, "stream": 7, "bytes": 10}},
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 500},
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python", "labels": "CPU"}},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 9, "ts": 410, "dur": 50,
         "args": {"device": 0, "stream": 9, "Collective name": "allreduce", "dtype": "float", "Process Group Name": "pg", "In msg nelems": 4}}]
    return json.dumps(t)


fault("Hostile text", "each field of a PyTorch trace through every writer", (0, 3))(json_fields("t.json", trace))
fault("Hostile text", "each field of rocprofv3 JSON through every writer", (0, 3))(
    json_fields("t_results.json", lambda: corpus("rocprof_json", "whole")[1:]))
fault("Hostile text", "each field of Perfetto JSON through every writer", (0, 3))(
    json_fields("t_results.json", lambda: corpus("pftrace", "json")[1:]))


def csv_fields(name, text):
    def run(bench, cwd):
        head, *rows = [line.split(",") for line in text().split("\n") if line]
        for i in range(len(head)):
            for where in (0, 1):
                lines = [list(head)] + [list(r) for r in rows]
                lines[where][i] = '"%s"' % (lines[where][i] + HOSTILE).replace('"', '""')
                write(os.path.join(cwd, name), "\n".join(",".join(r) for r in lines) + "\n")
                through_all_writers(bench, cwd, name)
    return run


fault("Hostile text", "each column of a CSV of Nsight Systems, title and value", (0, 3))(csv_fields("r_cuda_gpu_kern_sum.csv", lambda: KERNEL_SUMS))
fault("Hostile text", "columns of a CSV of Tracy, title and value", (0, 3))(
    csv_fields("ops_perf_results_1.csv", lambda: "\n".join(corpus("tracy", "small")[1:].decode("utf-8", "replace").split("\n"))))


@fault("Hostile text", "each text of a database of Nsight Systems through every writer", (0, 3))
def database_texts(bench, cwd):
    path = os.path.join(cwd, "t.sqlite")
    nsys_database(path)
    db = sqlite3.connect(path)
    db.executescript("""CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, smCount INTEGER); INSERT INTO TARGET_INFO_GPU VALUES(0,'H100',132);
        CREATE TABLE NVTX_EVENTS(start INTEGER,"end" INTEGER,eventType INTEGER,text TEXT,textId INTEGER,globalTid INTEGER,domainId INTEGER);
        INSERT INTO NVTX_EVENTS VALUES(1000000,2000000,59,'range',NULL,1,0);
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT); INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.1');""")
    for table, column in (("StringIds", "value"), ("TARGET_INFO_GPU", "name"), ("NVTX_EVENTS", "text"), ("META_DATA_EXPORT", "value")):
        db.execute('UPDATE "%s" SET "%s" = "%s" || ?' % (table, column, column), (HOSTILE,))
        db.commit()
        through_all_writers(bench, cwd, "t.sqlite")
    db.close()


def wire_texts(kind):
    """Texts of a binary format have a length: they are replaced by hostile ones of the same length."""
    name, make = INPUTS[kind]

    def run(bench, cwd):
        data = make(cwd)
        words = sorted(set(re.findall(rb"[A-Za-z_:/.]{5,}", data)), key=len, reverse=True)[:40]
        raw = HOSTILE.encode()
        for w in words:
            write(os.path.join(cwd, name), data.replace(w, (raw * (1 + len(w) // len(raw)))[:len(w)]))
            clean(cwd)
            bench.run("run", name, "--format", "csv,html,md", "-o", "out", cwd=cwd)
            no_takeover(os.path.join(cwd, "out"))
            bench.run("run", name, "-v", cwd=cwd)
    return run


for kind in ("XPlane", "Perfetto of rocprofv3"):
    fault("Hostile text", "texts of %s" % kind, (0, 3))(wire_texts(kind))


@fault("Hostile text", "every text of a saved result, compared and gated", (0, 1, 3))
def saved_texts(bench, cwd):
    write(os.path.join(cwd, "t.json"), trace())
    bench.run("run", "t.json", "--format", "json", "-o", "s", "-q", cwd=cwd)
    path = glob.glob(os.path.join(cwd, "s", "*.json"))[0]
    value = json.load(open(path))
    for at in fields_of(value):
        changed = json.loads(json.dumps(value))
        put(changed, at, HOSTILE)
        write(os.path.join(cwd, "h.json"), changed)
        clean(cwd)
        bench.run("compare", "h.json", path, "--format", "text,md,html", "-o", "out", cwd=cwd)
        no_takeover(os.path.join(cwd, "out"))
    bench.run("gate", path, "h.json", cwd=cwd)


@fault("Hostile text", "each text of a configuration", (0, 2, 3))
def config_texts(bench, cwd):
    write(os.path.join(cwd, "t.json"), trace())
    value = {"inputs": [{"path": "t.json", "title": "T", "format": "pytorch", "options": {"tag": "x"}}],
             "outputs": {"dir": "out", "formats": ["json"]}, "labels": {"a": "b"}, "kernel_to_class_map": {"gemm": "G"}}
    for at in list(texts(value)):
        changed = json.loads(json.dumps(value))
        put(changed, at, "x" + HOSTILE)
        write(os.path.join(cwd, "c.json"), changed)
        bench.run("--config=c.json", cwd=cwd)


# ---- numbers ----

NUMBERS = ("0", "-1", "2147483648", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e308", "-1e308", "1e-320", "0.5",
           "NaN", "null", '"x"', "[]", "1" * 400)


def json_numbers(name, make):
    def run(bench, cwd):
        text = make()
        places = [m for m in re.finditer(r'"([^"]+)":\s*(-?[0-9][0-9.e+]*)', text)]
        kinds = {}
        for m in places:
            kinds.setdefault(m.group(1), m)
        for i, m in enumerate(kinds.values()):
            for k in range(4):
                new = NUMBERS[(4 * i + k) % len(NUMBERS)]
                write(os.path.join(cwd, name), text[:m.start(2)] + new + text[m.end(2):])
                clean(cwd)
                bench.run("run", name, "--format", "csv,json", "-o", "out", "-q", cwd=cwd)
    return run


for title, name, make in (("PyTorch trace", "t.json", trace), ("rocprofv3 JSON", "t_results.json", lambda: corpus("rocprof_json", "whole")[1:].decode()),
                          ("Perfetto JSON", "t_results.json", lambda: corpus("pftrace", "json")[1:].decode())):
    fault("Numbers at the ends of their types", "each number of a " + title, (0, 3))(json_numbers(name, make))


@fault("Numbers at the ends of their types", "each column of CSVs", (0, 3))
def csv_numbers(bench, cwd):
    for name, text in (("r_cuda_gpu_kern_sum.csv", KERNEL_SUMS), ("ops_perf_results_1.csv", corpus("tracy", "small")[1:].decode("utf-8", "replace"))):
        head, row = [line.split(",") for line in text.split("\n")[:2]]
        for i in range(len(head)):
            for k in range(3):
                bad = list(row)
                bad[min(i, len(bad) - 1)] = NUMBERS[(3 * i + k) % 12].strip('"')
                write(os.path.join(cwd, name), "\n".join([",".join(head), ",".join(bad), ""]))
                clean(cwd)
                bench.run("run", name, "--format", "csv,json", "-o", "out", "-q", cwd=cwd)


@fault("Numbers at the ends of their types", "each column of a database", (0, 3))
def database_numbers(bench, cwd):
    for i, column in enumerate(("start", "end", "deviceId", "streamId", "correlationId", "demangledName", "shortName")):
        for new in ("9223372036854775807", "-9223372036854775808", "1e308", "NULL", "'x'", "x'00ff'"):
            path = os.path.join(cwd, "t.sqlite")
            if os.path.exists(path):
                os.unlink(path)
            nsys_database(path)
            db = sqlite3.connect(path)
            db.execute('UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "%s" = %s WHERE rowid %% 7 = 1' % (column, new))
            db.commit()
            db.close()
            clean(cwd)
            bench.run("run", "t.sqlite", "--format", "csv,json", "-o", "out", "-q", cwd=cwd)
