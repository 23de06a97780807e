"""What the machine does to a run: outputs that cannot be written, memory and limits, signals, death, and many at once."""
import concurrent.futures
import errno
import json
import os
import resource
import shutil
import signal
import sqlite3
import stat
import tempfile

from lib import Wrong, calls, clean, example, fault, outputs, spread, write
from cuts import KERNEL_SUMS, pytorch

FORMATS = ("csv", "json", "xlsx", "html", "md", "verdict", "junit", "github", "openmetrics")


def prepared(cwd):
    """An input, and an older report under the final names."""
    write(os.path.join(cwd, "t.json"), pytorch())
    write(os.path.join(cwd, "k.csv"), KERNEL_SUMS)
    write(os.path.join(cwd, "gate.json"), {
        "inputs": [{"format": "csv", "title": "n", "analysis_args": {"num_of_iters": 1}, "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
        "gates": {"baseline": "last"}, "history": {"path": "h.db", "rows": 0}, "outputs": {"dir": "out"}})


def write_run(form):
    """Reports of gates need some."""
    if set(form.split(",")) & {"verdict", "junit", "github"}:
        return ["--config=gate.json", "--format", form, "-o", "out", "-q"]
    return ["run", "t.json", "--format", form, "-o", "out", "-q"]


# ---- outputs that fail ----

def failing(form, call, error, most):
    """The n-th call fails, and all after it; then the n-th alone."""
    def run(bench, cwd):
        prepared(cwd)
        words = write_run(form)
        n = calls(bench, words, cwd, call)
        clean(cwd)
        bench.run(*words, cwd=cwd, exits=(0, 3))
        whole = outputs(os.path.join(cwd, "out"))
        for at in spread(n, most):
            for rest in ("+", ""):
                clean(cwd)
                r = bench.run(*words, cwd=cwd, env={"FAULT": "%s:%d:%s%d" % (call, at, rest, error)})
                if r.rc == 0 and set(outputs(os.path.join(cwd, "out"))) != set(whole):
                    raise Wrong("%s %d: exit 0, but files are missing" % (call, at))
    return run


for form in [f for f in FORMATS if f != "xlsx"]:  # its library writes through the C library: a limit and /dev/full stand for the disk
    fault("Outputs that cannot be written", form + ", full disk at the n-th write", (0, 3), "No space left on device")(
        failing(form, "write", errno.ENOSPC, 8))
for name, error, said in (("quota", errno.EDQUOT, "Disk quota exceeded"), ("read-only", errno.EROFS, "Read-only file system"),
                          ("no permission", errno.EACCES, "Permission denied"), ("damaged disk", errno.EIO, "Input/output error")):
    call = "write" if error in (errno.EDQUOT, errno.EIO) else "open"
    fault("Outputs that cannot be written", "all formats, %s at the n-th %s" % (name, call), (0, 3), said)(
        failing(",".join(FORMATS), call, error, 12))
for call, error in (("rename", errno.EIO), ("close", errno.EIO), ("fsync", errno.EIO), ("mmap", errno.ENOMEM), ("read", errno.EIO)):
    fault("Outputs that cannot be written", "all formats, the n-th %s fails" % call, (0, 2, 3), os.strerror(error))(
        failing(",".join(FORMATS), call, error, 12))


@fault("Outputs that cannot be written", "each report to a full device", (3,), "No space left on device")
def full_device(bench, cwd):
    prepared(cwd)
    os.makedirs(os.path.join(cwd, "dev"))
    for ending in ("json", "html", "md"):
        os.symlink("/dev/full", os.path.join(cwd, "dev", "t_perf_report." + ending))
    bench.run("run", "t.json", "--format", "json,html,md", "-o", "dev", "-q", cwd=cwd)
    bench.run("run", "t.json", "--xlsx", "/dev/full", "-q", cwd=cwd)


@fault("Outputs that cannot be written", "standard output to a full device", (3,), "standard output")
def full_stdout(bench, cwd):
    prepared(cwd)
    for words in (["run", "t.json"], ["probe", "t.json"], ["run", "--dry-run", "t.json"], ["list"], ["help"], ["schema"], ["classify", "t.json"],
                  ["init", "t.json"], ["--version"]):
        with open("/dev/full", "w") as full:
            bench.run(*words, cwd=cwd, stdout=full)


@fault("Outputs that cannot be written", "the output folder is a file, a link to nowhere, a link to itself", (2, 3), "names the folder")
def odd_folders(bench, cwd):
    prepared(cwd)
    write(os.path.join(cwd, "file"), "x")
    os.symlink("/nonexistent/below", os.path.join(cwd, "nowhere"))
    os.symlink("itself", os.path.join(cwd, "itself"))
    for folder in ("file", "file/below", "nowhere", "itself", "/proc/nothing", "/dev/null/x"):
        bench.run("run", "t.json", "--format", "json,csv", "-o", folder, cwd=cwd)


@fault("Outputs that cannot be written", "a folder, a FIFO or a socket has the final name", (0, 2, 3), "names the file", "stays")
def taken_names(bench, cwd):
    prepared(cwd)
    name = os.path.join(cwd, "o", "t_perf_report.json")
    os.makedirs(name)
    bench.run("run", "t.json", "--format", "json", "-o", "o", cwd=cwd, exits=(2, 3))
    if not os.path.isdir(name):
        raise Wrong("the folder is gone")


def on_small_disk(bench, cwd, mount, words):
    """A run in a mount namespace of its own, where such are allowed; the names left in the folder."""
    os.makedirs(os.path.join(cwd, "disk"), exist_ok=True)
    command = 'mount -t tmpfs %s tmpfs disk && mkdir disk/out && { %s :; }; "$0" "$@"; rc=$?; ls -A disk/out; exit $rc' % mount
    import subprocess
    bench.at.runs += 1
    p = subprocess.run(["unshare", "-rm", "sh", "-c", command, bench.analyzer, *words], cwd=cwd, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, env=dict(os.environ, TMPDIR=os.path.join(cwd, "tmp")), timeout=60)
    if p.returncode not in bench.at.exits or ".tmp" in p.stdout or (p.returncode == 3 and not p.stderr):
        raise Wrong("%s: exit status %d, left %r, said %r" % (mount, p.returncode, p.stdout, p.stderr[-200:]))


def namespaces():
    import subprocess
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


@fault("Outputs that cannot be written", "a file system of 4 to 256 KB (where one can be mounted)", (0, 3), "No space left on device")
def small_disk(bench, cwd):
    prepared(cwd)
    os.makedirs(os.path.join(cwd, "tmp"))
    for kb in (4, 8, 16, 32, 64, 128, 256) if namespaces() else ():
        for form in ("xlsx", "html", "csv,json,md,openmetrics"):
            on_small_disk(bench, cwd, ("-o size=%dk" % kb, ""), ["run", "t.json", "--format", form, "-o", "disk/out", "-q"])


@fault("Outputs that cannot be written", "a file system that is read-only (where one can be mounted)", (2, 3), "Read-only file system")
def read_only(bench, cwd):
    prepared(cwd)
    os.makedirs(os.path.join(cwd, "tmp"))
    for form in FORMATS[:5] if namespaces() else ():
        on_small_disk(bench, cwd, ("", "mount -o remount,ro disk;"), ["run", "t.json", "--format", form, "-o", "disk/out", "-q"])


# ---- closed standard streams ----

@fault("Standard streams", "closed, each set of the three", (0, 3), "standard output, where it is closed", "no text in a report")
def closed(bench, cwd):
    prepared(cwd)
    for which in range(8):
        def close():
            for fd in range(3):
                if which >> fd & 1:
                    os.close(fd)
        clean(cwd)
        bench.run("run", "t.json", "--format", "text,json,csv", "-o", "out", "-q", cwd=cwd, before=close, exits=(0, 3))
        if not os.path.exists(os.path.join(cwd, "out", "t_perf_report.json")):
            raise Wrong("no report with streams %d closed" % which)


@fault("Standard streams", "the reader of standard output has gone", (0,), "-", "-")
def gone(bench, cwd):
    prepared(cwd)
    r, w = os.pipe()
    os.close(r)
    with os.fdopen(w, "w") as pipe:
        bench.run("run", "t.json", "-v", cwd=cwd, stdout=pipe)


# ---- limits ----

EXAMPLES = {"pytorch": example("pytorch", "moe.json"), "nsys CSV": example("nsys", "llama2_70b_cuda_gpu_kern_sum.csv"),
            "tracy": example("tracy", "ops_perf_results_host0.csv"), "xplane": example("xplane", "tpu"),
            "inference": example("pytorch", "inference.json"), "ranks": example("multirank", "step_120"),
            "training": example("pytorch", "train_step.json"), "tracy, layers": example("tracy", "ops_perf_results_layers.csv"),
            "xplane of GPUs": example("xplane", "plugins", "profile", "train_step")}


@fault("Limits", "address space, in steps of 2 MB (workbook too)", (0, 3, 4, 127), "out of memory")
def address_space(bench, cwd):
    for mb in range(10, 120, 2):
        clean(cwd)
        bench.run("run", EXAMPLES["training"], "--format", "xlsx,json,csv", "-o", "out", "-q", "-j1", cwd=cwd,
                  limits={resource.RLIMIT_AS: mb << 20})


@fault("Limits", "open files, 3 to 24", (0, 2, 3, 127), "Too many open files")
def open_files(bench, cwd):
    for most in range(3, 25):
        for words in (["run", EXAMPLES["training"], "--format", "xlsx,json,csv,html", "-o", "out", "-j2"],
                      ["run", EXAMPLES["ranks"], "--format", "json", "-o", "out"]):
            clean(cwd)
            bench.run(*words, cwd=cwd, limits={resource.RLIMIT_NOFILE: most})


@fault("Limits", "size of a file, 0 to 64 KB", (0, 3), "File too large")
def file_size(bench, cwd):
    prepared(cwd)
    for size in (0, 1, 100, 512, 2000, 4096, 8192, 16384, 30000, 65536):
        clean(cwd)
        bench.run(*write_run(",".join(FORMATS)), cwd=cwd, limits={resource.RLIMIT_FSIZE: size})


@fault("Limits", "processor time, 1 s where more is needed", (130,), "interrupted")
def cpu_time(bench, cwd):
    for i in range(1500):
        os.symlink(EXAMPLES["training"], os.path.join(cwd, "t%d.json" % i))
    bench.run("run", *["t%d.json" % i for i in range(1500)], "-q", "-j1", "--format", "csv", "-o", "out", cwd=cwd,
              before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 20)))


@fault("Limits", "no further process or thread", (0, 3), "-")
def processes(bench, cwd):
    program = None
    if os.getuid() == 0:  # whom the limit does not bind; another user may be barred from the folders above the program and the scratch
        cwd = tempfile.mkdtemp(prefix="faults.", dir="/tmp")
    prepared(cwd)
    if os.getuid() == 0:
        program = shutil.copy(bench.analyzer, os.path.join(cwd, "analyzer"))
        os.makedirs(os.path.join(cwd, "tmp"))
        for path in [cwd] + [os.path.join(cwd, name) for name in os.listdir(cwd)]:
            os.chmod(path, 0o777)

    def limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        if program:
            try:
                os.setuid(65534)
            except OSError:
                pass  # a namespace with a single user: nothing to test
    try:
        bench.run(*write_run("json,csv"), "-j4", cwd=cwd, before=limit, program=program)
    finally:
        if program:
            shutil.rmtree(cwd)


@fault("Limits", "stack of 128 KB", (0, 3), "-")
def stack(bench, cwd):
    prepared(cwd)
    deep = pytorch().replace(b"[[2, 3], [3, 4]]", b"[" * 3000 + b"]" * 3000)
    write(os.path.join(cwd, "deep.json"), deep)
    for name in ("t.json", "deep.json"):
        bench.run("run", name, "--format", "json", "-o", "out", cwd=cwd, limits={resource.RLIMIT_STACK: 128 << 10})


# ---- signals and death ----

def signals(number):
    def run(bench, cwd):
        prepared(cwd)
        words = ["run", "t.json", "--format", "json,csv,html", "-o", "out"]
        n = calls(bench, words, cwd, "any")
        for at in spread(n, 25):
            clean(cwd)
            r = bench.run(*words, cwd=cwd, env={"FAULT": "any:%d:s%d" % (at, number)}, exits=(0, 130, -number))
            if r.rc == -number and (outputs(os.path.join(cwd, "out")) or at > n / 2):
                raise Wrong("killed at call %d, after the first output" % at)
            if r.rc == 130 and "interrupted" not in r.err:
                raise Wrong("no word about the interruption at call %d" % at)
    return run


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
    fault("Signals and death", "%s at the n-th call" % signal.Signals(number).name, (0, 130), "interrupted")(signals(number))


@fault("Signals and death", "SIGINT twice", (130,), "-", "-")
def twice(bench, cwd):
    db = os.path.join(cwd, "fifo.json")
    os.mkfifo(db)
    import subprocess
    bench.at.runs += 1
    p = subprocess.Popen([bench.analyzer, "run", "fifo.json"], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    w = os.open(db, os.O_WRONLY)
    try:
        for _ in range(40):
            p.send_signal(signal.SIGINT)
            try:
                p.wait(0.25)
                break
            except subprocess.TimeoutExpired:
                pass
        if p.poll() != 130:
            raise Wrong("exit status %s" % p.poll())
    finally:
        os.close(w)
        if p.poll() is None:
            p.kill()
        p.communicate()


@fault("Signals and death", "kill -9 at 100 moments, over an older report", (-9, 0), "-", "the older or the newer file; the next run is whole")
def killed(bench, cwd):
    prepared(cwd)
    words = ["run", "t.json", EXAMPLES["training"], "--format", "json,csv,html,md", "-o", "out", "-q", "-j1"]
    n = calls(bench, words, cwd, "any")
    new = outputs(os.path.join(cwd, "out"))
    old = dict(new)
    for at in spread(n, 100):
        clean(cwd)
        for name in old:
            write(os.path.join(cwd, "out", name), b"old\n")
        bench.run(*words, cwd=cwd, env={"FAULT": "any:%d:s9" % at}, tidy=False)
        for name, data in outputs(os.path.join(cwd, "out")).items():
            if not name.endswith(".tmp") and data != b"old\n" and len(data) != len(new.get(name, b"")):
                raise Wrong("killed at call %d: %s is neither old nor new" % (at, name))
    clean(cwd)
    bench.shell("rm -rf tmp out", cwd=cwd)
    bench.run(*words, cwd=cwd, exits=(0,))


@fault("Signals and death", "a crash in the program", (-11,), "crash; temporary files were removed")
def crash(bench, cwd):
    prepared(cwd)
    words = ["run", "t.json", "--format", "xlsx,json", "-o", "out", "-q"]
    n = calls(bench, words, cwd, "write")
    for at in spread(n, 10):
        clean(cwd)
        r = bench.run(*words, cwd=cwd, env={"FAULT": "write:%d:s11" % at})
        if "crash" not in r.err:
            raise Wrong("no message: %r" % r.err)


# ---- many at once ----

@fault("Many at once", "200 runs on one output and one history", (0, 1, 3), "database is locked, if anything", "whole; a run in the history for each that says so")
def many(bench, cwd):
    write(os.path.join(cwd, "k.csv"), KERNEL_SUMS)
    config = {"inputs": [{"format": "csv", "title": "n", "analysis_args": {"num_of_iters": 1}, "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
              "labels": {"branch": "b"}, "gates": {"baseline": "last"}, "history": {"path": "h.db", "rows": 0},
              "outputs": {"dir": "out", "formats": ["json", "verdict", "junit"]}}
    write(os.path.join(cwd, "c.json"), config)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        done = list(pool.map(lambda i: bench.run("--config=c.json", "-q", cwd=cwd, tidy=False), range(200)))
    bench.tidy(cwd, "200 runs")
    db = sqlite3.connect(os.path.join(cwd, "h.db"))
    state, rows = db.execute("PRAGMA integrity_check").fetchone()[0], db.execute("SELECT count(*) FROM run").fetchone()[0]
    db.close()
    good = sum(r.rc in (0, 1) for r in done)
    if state != "ok" or rows < good:
        raise Wrong("%s, %d runs in the history of %d that ended well" % (state, rows, good))
