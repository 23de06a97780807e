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


def perfetto():
    """The events of the sample up to the last whole one."""
    text = corpus("pftrace", "json")[1:].decode()
    end = text.rindex('},{"ph"')
    return text[:end] + "}]}"


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
    json_fields("t_results.json", perfetto))


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
                          ("Perfetto JSON", "t_results.json", perfetto)):
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


# ---- names and kinds of files ----

NAMES = ["line\nbreak.json", "carriage\rreturn.json", "\x1b[31mred.json", "-x.json", "--csv-dir=x.json", "%s%n%s.json", "$(touch taken).json",
         "`touch taken`.json", "a b'c\"d.json", "\u202ereversed.json", "\udcff\udcfe.json", "l" * 250 + ".json", "::error::x.json", "t.json ",
         "[a-z]*.json", "{rank}.json", "~.json", "é\u0301.json"]


@fault("Names and kinds of files", "names with line breaks, escapes, invalid UTF-8, options, patterns, 255 bytes", (0, 2, 3), "-", "the report has a clean name")
def names(bench, cwd):
    for name in NAMES:
        write(os.path.join(cwd, "d", name), pytorch())
        clean(cwd)
        bench.run("run", "./d/" + name, "--format", "json,csv,html,md", "-o", "out", cwd=cwd)
        bench.run("probe", "--", "./d/" + name, cwd=cwd)
        bench.run("--config=" + "./d/" + name, cwd=cwd)
        bench.run("run", "--dry-run", "./d/" + name, cwd=cwd)
        write(os.path.join(cwd, "c", name), {"inputs": [{"path": "../t.json"}]})
        write(os.path.join(cwd, "t.json"), pytorch())
        bench.run("check-config", "./c/" + name, cwd=cwd)
        bench.run("--config=./c/" + name, "-o", "out", "--format", "json", cwd=cwd)
    clean(cwd)
    bench.run("run", "d", "--format", "json", "-o", "out", cwd=cwd)
    if os.path.exists(os.path.join(cwd, "taken")):
        raise Wrong("a name was run as a command")


@fault("Names and kinds of files", "devices: null, zero, full, random; /proc", (2, 3), "names the file")
def devices(bench, cwd):
    for path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/proc/self/mem", "/proc/self/cmdline", "/dev/tty"):
        bench.run("run", path, "-q", cwd=cwd, exits=(2, 3))
        bench.run("--config=" + path, cwd=cwd, exits=(2, 3))
        bench.run("compare", path, path, cwd=cwd, exits=(2, 3))


@fault("Names and kinds of files", "sockets, FIFOs without a writer, loops of links, folders with a file's name, in a folder", (0, 3), "names what could be one")
def odd_kinds(bench, cwd):
    d = os.path.join(cwd, "d")
    write(os.path.join(d, "t.json"), pytorch())
    os.mkfifo(os.path.join(d, "fifo.json"))
    s = socket.socket(socket.AF_UNIX)
    os.chdir("/")
    s.bind(os.path.join(d, "socket.json"))
    os.symlink("loop.json", os.path.join(d, "loop.json"))
    os.symlink("..", os.path.join(d, "up"))
    os.symlink("/nonexistent", os.path.join(d, "nowhere.json"))
    os.makedirs(os.path.join(d, "folder.json", "below"))
    os.symlink("/dev/zero", os.path.join(d, "zero.json"))
    bench.run("run", "d", "--format", "json", "-o", "out", cwd=cwd)
    bench.run("probe", "d", cwd=cwd)
    for name in ("socket.json", "loop.json", "nowhere.json", "folder.json", "zero.json"):
        bench.run("run", "d/" + name, cwd=cwd, exits=(2, 3))
    s.close()


@fault("Names and kinds of files", "folders nested 300 deep", (0, 2, 3), "-")
def deep_folders(bench, cwd):
    here = os.open(cwd, os.O_RDONLY)
    top = os.dup(here)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    f = os.open("t.json", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(f, pytorch())
    os.close(f)
    os.close(here)
    bench.run("run", "d", "-q", cwd=cwd)
    os.close(top)
    bench.shell("rm -rf d", cwd=cwd)


# ---- shapes that ask for memory or time ----

def too_much(name, data, exits=(0, 3)):
    def run(bench, cwd):
        import resource
        write(os.path.join(cwd, name), data())
        bench.run("run", name, "--format", "json", "-o", "out", "-q", cwd=cwd, exits=exits, limits={resource.RLIMIT_AS: 1 << 30}, timeout=30)
        bench.run("probe", name, cwd=cwd, exits=(0, 3), limits={resource.RLIMIT_AS: 1 << 30}, timeout=30)
    return run


def zip_bomb():
    import io
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("[Content_Types].xml", "<Types/>")
        z.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="a" sheetId="1"/></sheets></workbook>')
        z.writestr("xl/worksheets/sheet1.xml", "<worksheet><sheetData>" + "<row><c><v>1</v></c></row>" * 2000000)
    return out.getvalue()


LAUGHS = "<!DOCTYPE l [" + "".join('<!ENTITY l%d "%s">' % (i, ("&l%d;" % (i - 1)) * 10 if i else "ha") for i in range(12)) + "]><worksheet>&l11;</worksheet>"
BIG = 5 << 20
for title, name, data in (
        ("JSON nested a million deep", "t.json", lambda: b"[" * 1000000),
        ("objects nested a million deep in a trace", "t.json", lambda: b'{"traceEvents":[' + b'{"args":' * 1000000),
        ("a name of 5 MB", "t.json", lambda: pytorch().replace(b'"gemm"', b'"' + b"x" * BIG + b'"')),
        ("a number of 5 MB", "t.json", lambda: pytorch().replace(b'"dur": 5,', b'"dur": ' + b"1" * BIG + b",", 1)),
        ("200,000 keys in one object", "t.json", lambda: b'{"traceEvents":[{"ph":"X","args":{' + b",".join(b'"k%d":%d' % (i, i) for i in range(200000)) + b"}}]}"),
        ("a CSV of 100,000 columns", "r_cuda_gpu_kern_sum.csv", lambda: b",".join(b"c%d" % i for i in range(100000)) + b"\n" + b",".join([b"1"] * 100000) + b"\n"),
        ("a CSV with a quote that never ends", "r_cuda_gpu_kern_sum.csv", lambda: KERNEL_HEADER.encode() + b'"' + b"x" * BIG),
        ("5 MB of line ends", "r_cuda_gpu_kern_sum.csv", lambda: b"\n" * BIG),
        ("gzip of 1 GB of blanks", "t.json.gz", lambda: gzip.compress(b" " * (1 << 20)) * 1000),
        ("gzip within gzip", "t.json.gz", lambda: gzip.compress(gzip.compress(pytorch()))),
        ("protobuf nested 100,000 deep", "t.xplane.pb", lambda: b"\x0a\xff\xff\xff\x0f" * 100000),
        ("protobuf with a length of 2^63", "t.xplane.pb", lambda: b"\x0a" + b"\xff" * 9 + b"\x01"),
        ("a database whose pages are zeros", "t.sqlite", lambda: b"SQLite format 3\0" + b"\x10\0" + b"\0" * 100000)):
    fault("Shapes that ask for memory or time", title + ", in 1 GB of address space", (0, 2, 3), "names the file and place")(too_much(name, data, (0, 2, 3)))


@fault("Shapes that ask for memory or time", "workbooks: bombs, entities that multiply", (3,), "names the file")
def workbooks(bench, cwd):
    import io
    import resource
    write(os.path.join(cwd, "a.xlsx"), zip_bomb())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("[Content_Types].xml", "<Types/>")
        z.writestr("xl/workbook.xml", LAUGHS)
        z.writestr("xl/worksheets/sheet1.xml", LAUGHS)
    write(os.path.join(cwd, "b.xlsx"), out.getvalue())
    for name in ("a.xlsx", "b.xlsx"):
        bench.run("compare", name, name, cwd=cwd, limits={resource.RLIMIT_AS: 1 << 30}, timeout=40)


# ---- programs that lie, and the sandbox ----

def with_nsys(cwd, script):
    write(os.path.join(cwd, "bin", "nsys"), script)
    os.chmod(os.path.join(cwd, "bin", "nsys"), 0o755)
    write(os.path.join(cwd, "r.nsys-rep"), b"NSYS\0" * 100)
    return {"PATH": os.path.join(cwd, "bin") + ":" + os.environ["PATH"]}


OUT = 'while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done; '
LIES = (("exits with 0 and writes nothing", "exit 0"), ("fails", "echo no; exit 7"), ("is killed", "kill -9 $$"), ("writes text", OUT + 'echo text > "$out"'),
        ("writes an empty file", OUT + ': > "$out"'), ("writes a link to a device", OUT + 'ln -sf /dev/zero "$out"'), ("makes a folder", OUT + 'mkdir -p "$out"'),
        ("prints 20 MB", "head -c 20000000 /dev/zero; exit 1"), ("prints escapes", "printf '\\033]0;x\\007\\n::error::x\\n'; exit 1"),
        ("closes its streams and goes on", "exec >&- 2>&- <&-; sleep 1; exit 3"), ("is no program", "\x7fELF"))
for title, script in LIES:
    def lying(bench, cwd, script=script):
        env = with_nsys(cwd, "#!/bin/sh\n" + script + "\n" if script[0] != "\x7f" else script)
        bench.run("run", "r.nsys-rep", cwd=cwd, env=env)
    fault("Other programs", "nsys " + title, (3,), "names the report and what nsys did")(lying)


@fault("Other programs", "nsys hangs until it is interrupted", (130,), "interrupted")
def hanging(bench, cwd):
    import signal
    import subprocess
    import time
    env = dict(os.environ, TMPDIR=os.path.join(cwd, "tmp"), **with_nsys(cwd, "#!/bin/sh\nsleep 50 & wait\n"))
    os.makedirs(os.path.join(cwd, "tmp"))
    bench.at.runs += 1
    p = subprocess.Popen([bench.analyzer, "run", "r.nsys-rep"], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(0.7)
    p.send_signal(signal.SIGINT)
    try:
        _, err = p.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        p.kill()
        raise Wrong("no end")
    if p.returncode != 130 or os.listdir(os.path.join(cwd, "tmp")):
        raise Wrong("exit status %d, left %s: %s" % (p.returncode, os.listdir(os.path.join(cwd, "tmp")), err))


BENCHMARKS = (("hangs", "sleep 50"), ("fails", "exit 3"), ("prints nothing", ":"), ("prints NaN and negative times", "printf '[0]:us\\n-5\\n[0]:a,us\\n1,nan\\n1,-7\\n'"),
              ("prints 20 MB", "head -c 20000000 /dev/zero"), ("prints escapes", "printf '\\033[2J::error::x'; exit 1"))
for title, script in BENCHMARKS:
    def benchmark(bench, cwd, script=script):
        write(os.path.join(cwd, "r", "hipblaslt-bench-0.log"), "hipblaslt-bench -m 1 -n 2 -k 3\n")
        write(os.path.join(cwd, "bin", "hipblaslt-bench"), "#!/bin/sh\n" + script + "\n")
        os.chmod(os.path.join(cwd, "bin", "hipblaslt-bench"), 0o755)
        bench.run("replay", "r", "--timeout=1", "--no-torch", cwd=cwd, env={"PATH": os.path.join(cwd, "bin") + ":" + os.environ["PATH"]})
    fault("Other programs", "hipblaslt-bench " + title, (3,), "the row's status", "its output next to the log")(benchmark)


@fault("Other programs", "logs of a replay folder that name other programs, files and shells", (3,), "refused, with the word", "nothing is run")
def foreign_commands(bench, cwd):
    for line in ("touch taken", "hipblaslt-bench; touch taken", "hipblaslt-bench $(touch taken)", "./hipblaslt-bench -m 1", "hipblaslt-bench --log /etc/passwd",
                 "hipblaslt-bench ../taken", "hipblaslt-bench -m 1 > taken", "sh -c touch"):
        write(os.path.join(cwd, "r", "hipblaslt-bench-0.log"), line + "\n")
        write(os.path.join(cwd, "bin", "hipblaslt-bench"), "#!/bin/sh\ntouch %s/taken\n" % cwd)
        os.chmod(os.path.join(cwd, "bin", "hipblaslt-bench"), 0o755)
        bench.run("replay", "r", "--no-torch", cwd=cwd, env={"PATH": os.path.join(cwd, "bin") + ":" + os.environ["PATH"]})
        if os.path.exists(os.path.join(cwd, "taken")):
            raise Wrong("%r was run" % line)


@fault("Sandbox", "network, new processes, files elsewhere written or read while an input is read, by each command", (0, 1), "-", "-")
def sandbox(bench, cwd):
    path = write(os.path.join(cwd, "t.json"), pytorch())
    other = write(os.path.join(cwd, "u.json"), pytorch())
    outside = os.path.join(cwd, "elsewhere", "file")
    secret = write(os.path.join(cwd, "elsewhere", "secret"), "x")
    os.makedirs(os.path.join(cwd, "out"))
    has = bench.run("--version", cwd=cwd).out
    closed, files = "seccomp" in has, "landlock" in has
    out = ["-o", "out"]
    for words in (["run", path, "-q", "--format", "json", *out], ["probe", path], ["query", path, "SELECT count(*) FROM kernels"],
                  ["classify", path], ["map", path, *out], ["compare", path, other, "-q", "--format", "json", *out],
                  ["serve", path],
                  ["--no-sandbox", "run", path, "-q"], ["run", path, "-q", "--no-sandbox"]):
        off = "--no-sandbox" in words
        r = bench.run(*words, cwd=cwd, env={"FAULT_TRY": "1", "FAULT_FILE": path, "FAULT_OUTSIDE": outside, "FAULT_SECRET": secret})
        tried = re.findall(r"network (\d+) fork (\d+) write (\d+) read (\d+)", r.err)
        # the files of serve may be replaced: their folder can be read
        wanted = (closed and not off, closed and not off, files and not off, files and not off and words[0] != "serve")
        if not tried or tuple(int(n) != 0 for n in tried[-1]) != wanted:
            raise Wrong("%s: %s, wanted %s: %s" % (words, tried, wanted, r.err[-300:]))
        if os.path.exists(outside):
            os.unlink(outside)


@fault("Sandbox", "nsys is still run for a report", (0,), "-", "-")
def sandbox_nsys(bench, cwd):
    nsys_database(os.path.join(cwd, "t.sqlite"))
    env = with_nsys(cwd, "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" + OUT + 'cp %s/t.sqlite "$out"\n' % cwd)
    bench.run("run", "r.nsys-rep", "-q", "--format", "csv", "-o", "out", cwd=cwd, env=env)


# ---- scripts ----

for title, script in (("never ends", "while true do end"), ("takes all memory", "t = {} while true do t[#t+1] = ('x'):rep(1000000) end"),
                      ("works without end in a C function", "table.move({}, 1, 1 << 62, 2)"), ("repeats nothing", "string.rep('', 1 << 62)"),
                      ("asks for files and processes", "os.execute('touch taken') io.open('taken', 'w')"), ("is bytecode", "\x1bLua"),
                      ("nests 100,000 deep", "x = " + "(" * 100000), ("calls itself without end", "function f() return 1 + f() end f()")):
    def scripted(bench, cwd, script=script):
        write(os.path.join(cwd, "t.json"), pytorch())
        write(os.path.join(cwd, "x.lua"), script)
        bench.run("run", "t.json", "--set", "extension_file=x.lua", "--format", "json", "-o", "out", cwd=cwd)
        if os.path.exists(os.path.join(cwd, "taken")):
            raise Wrong("the script reached a file")
    fault("Scripts of extensions", "a script that " + title, (3,), "names the script and line", "the report without the extension")(scripted)
