"""What the faults share: a table of faults, runs of the program in a folder of their own, and what must hold after every
one of them, whatever was done to it."""
import concurrent.futures
import csv
import glob
import gzip
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 60  # no run takes longer
NOTICE = re.compile(r"::(error|warning|notice) (title|file)=")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Wrong(Exception):
    pass


class Fault:
    def __init__(self, group, name, exits, message, disk, run):
        self.group, self.name, self.exits, self.message, self.disk, self.run = group, name, exits, message, disk, run
        self.runs = 0


TABLE = []


def fault(group, name, exits, message="-", disk="whole or none"):
    """A row of the table: what is done, the exit statuses that are right, the message and the state of the disk wanted."""
    def add(f):
        TABLE.append(Fault(group, name, exits, message, disk, f))
        return f
    return add


class Result:
    def __init__(self, rc, out, err):
        self.rc, self.out, self.err = rc, out, err


class Bench:
    """The program under test; `at` is the fault whose runs are counted."""

    def __init__(self, analyzer, preload):
        self.analyzer, self.preload, self.at = analyzer, preload, None

    def run(self, *words, cwd, env=None, limits=None, timeout=SECONDS, stdin=subprocess.DEVNULL, before=None, close_fds=True,
            exits=None, stdout=subprocess.PIPE, tidy=True, program=None):
        """One run; the invariants hold after it. exits: other statuses than those of the row; program: a copy of the program."""
        self.at.runs += 1
        e = dict(os.environ, LC_ALL="C.UTF-8")
        e.pop("LD_PRELOAD", None)
        os.makedirs(os.path.join(cwd, "tmp"), exist_ok=True)
        e["TMPDIR"] = os.path.join(cwd, "tmp")
        if env and "FAULT" in str(sorted(env)):
            e["LD_PRELOAD"] = self.preload
        e.update(env or {})

        def prepare():
            for what, most in (limits or {}).items():
                resource.setrlimit(what, (most, most))
            if before:
                before()
        try:
            p = subprocess.run([program or self.analyzer, *words], cwd=cwd, env=e, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                               timeout=timeout, preexec_fn=prepare if limits or before else None, close_fds=close_fds)
        except subprocess.TimeoutExpired:
            raise Wrong("no end: %s" % (words,))
        r = Result(p.returncode, (p.stdout or b"").decode("utf-8", "surrogateescape"), p.stderr.decode("utf-8", "surrogateescape"))
        wanted = self.at.exits if exits is None else exits
        if r.rc not in wanted:
            raise Wrong("exit status %d, not %s: %s %s\n%s" % (r.rc, wanted, words, env or "", r.err[-300:]))
        if r.rc in (2, 3, 4) and not r.err.strip() and "-q" not in words:
            raise Wrong("exit status %d without a message: %s %s" % (r.rc, words, env or ""))
        bad = CONTROL.findall(r.out + r.err)
        if bad:
            raise Wrong("control characters %r printed: %s" % (bad[:5], words))
        # of the report for workflows they are what it says
        ours = "github" in " ".join(map(str, words))
        if any(line.startswith("::") and not (ours and NOTICE.match(line)) for line in (r.out + r.err).split("\n")):
            raise Wrong("a line that a workflow takes for a command: %s" % (words,))
        if tidy:
            self.tidy(cwd, words, env)
        return r

    def tidy(self, cwd, words, env=None):
        """No temporary file is left, and what stands under a final name can be read to its end."""
        left = os.listdir(os.path.join(cwd, "tmp"))
        for folder, _, files in os.walk(cwd):
            for f in files:
                if f.endswith(".tmp"):
                    left.append(f)
        if left:
            raise Wrong("temporary files left: %s by %s %s" % (left[:3], words, env or ""))
        self.whole(os.path.join(cwd, "out"), words)

    def whole(self, folder, words):
        for path in glob.glob(folder + "/**/*", recursive=True):
            if os.path.isfile(path) and not path.endswith(".tmp"):
                try:
                    readable(path)
                except Exception as e:
                    raise Wrong("%s is not whole (%s: %s) after %s" % (path, type(e).__name__, e, words))

    def shell(self, command, **more):
        return subprocess.run(["sh", "-c", command], **more)


def readable(path):
    """Raises if the file is cut; the rules of each report."""
    data = open(path, "rb").read()
    ending = path.rsplit(".", 1)[-1]
    if ending == "gz":
        json.loads(gzip.decompress(data))
    elif ending == "json":
        json.loads(data.decode("utf-8"))
    elif ending == "csv":
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
        assert data.endswith(b"\n") and rows and all(len(r) == len(rows[0]) for r in rows), "rows of different lengths"
    elif ending == "xlsx":
        with zipfile.ZipFile(path) as z:
            for name in z.namelist():
                body = z.read(name)
                if name.endswith(".xml"):
                    ET.fromstring(body)
    elif ending == "html":
        assert data.rstrip().endswith(b"</html>"), "no end"
    elif ending == "xml":
        ET.fromstring(data)
    elif ending in ("part", "db") or ".db-" in path:
        pass  # have checksums and journals of their own (src/docs/cluster.md)
    else:
        data.decode("utf-8")
        assert not data or data.endswith(b"\n"), "no line end"


def outputs(folder):
    """Contents of all files below, without what differs from run to run."""
    found = {}
    for path in sorted(glob.glob(folder + "/**/*", recursive=True)):
        if os.path.isfile(path):
            found[os.path.relpath(path, folder)] = open(path, "rb").read()
    return found


def write(path, what):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(what if isinstance(what, bytes) else what.encode("utf-8", "surrogateescape") if isinstance(what, str) else
                json.dumps(what).encode())
    return path


def example(*parts):
    return os.path.join(ROOT, "example", *parts)


def clean(cwd):
    shutil.rmtree(os.path.join(cwd, "out"), ignore_errors=True)


def spread(n, most):
    """At most `most` of 1..n, the first and the last among them; FAULTS_DENSE=1: all, =N: at most N."""
    dense = int(os.environ.get("FAULTS_DENSE") or 0)
    most = max(most, n if dense == 1 else dense)
    if n <= most:
        return list(range(1, n + 1))
    return sorted({1 + (n - 1) * i // (most - 1) for i in range(most)})


def calls(bench, words, cwd, call):
    """How many calls of a kind a run makes."""
    count = os.path.join(cwd, "count")
    clean(cwd)
    bench.run(*words, cwd=cwd, env={"FAULT": call + ":0", "FAULT_COUNT": count}, exits=(0, 3))
    return int(open(count).read())


def perform(faults, bench_of, jobs, report):
    """Runs the table on `jobs` threads; returns the number of those that failed."""
    def one(f):
        bench = bench_of()
        bench.at = f
        cwd = tempfile.mkdtemp(prefix="faults.")
        try:
            f.run(bench, cwd)
        except Wrong as e:
            return f, str(e)
        except Exception as e:  # of the fault itself
            return f, "%s: %s" % (type(e).__name__, e)
        finally:
            subprocess.run(["rm", "-rf", "--", cwd])  # whatever its names and depth are
        return f, None
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for f, wrong in pool.map(one, faults):
            failed += wrong is not None
            report(f, wrong)
    return failed
