"""What benchmarks stand on: inputs that are made once, runs and their times, the table of figures (see measure.py)."""
import glob
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GENERATOR = os.path.join(ROOT, "tests", "gen", "make_example_nsys.py")
RANKS = os.path.join(ROOT, "tests", "gen", "make_ranks.py")
TRACES = os.path.join(ROOT, "tests", "gen", "make_pytorch_trace.py")
DENSE = os.path.join(ROOT, "tests", "gen", "make_pytorch_dense.py")
SMALL = os.path.join(ROOT, "tests", "gen", "make_tracy_example.py")
XPLANE_GENERATOR = os.path.join(ROOT, "tests", "gen", "make_xplane_example.py")


# What limits of time were set on: a machine that scans the kineto layout at this rate. See pace().
THERE = 2.35  # GB/s


class Bench:
    slow = 1.0

    def __init__(self, build, smoke):
        self.analyzer = os.path.abspath(os.path.join(build, "analyzer"))
        self.bench = os.path.abspath(os.path.join(build, "bench"))
        self.stages = os.path.join(self.bench, "stages")
        self.data = os.path.abspath(os.path.join(build, "bench-data", "smoke" if smoke else "full"))
        self.smoke = smoke
        self.repeats = 3 if smoke else 5
        self.rows = []
        self.errors = 0
        self.out = tempfile.mkdtemp(prefix="bench.")

    # ---- inputs, made once
    def make(self, name, write):
        path = os.path.join(self.data, name)
        if not os.path.exists(path):
            os.makedirs(self.data, exist_ok=True)
            write(path + ".part")
            os.replace(path + ".part", path)
        return path

    def sqlite(self, blocks):
        def write(path):
            subprocess.run([sys.executable, GENERATOR, "--sqlite", path, "--blocks", str(blocks)], check=True)
        return self.make("nsys_%d.sqlite" % blocks, write)

    def csv(self, rows):
        def write(path):
            with open(path, "w") as f:
                f.write("Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,"
                        "TID,NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack\n")
                for i in range(rows):
                    t = 1000000000 + 8137 * i
                    f.write('"TSL:XlaOp:#hlo_op=fusion.%d,hlo_module=step#",%d,%d,%d,%d,PushPop,4242,4242,%d,2,0,%d,%d,:1:%d:%d\n'
                            % (i % 997, t, 5000 + i % 777, t - 4321, 6000 + i % 555, i % 9, i + 2, i // 50 + 1, i // 50 + 1, i + 2))
        return self.make("proj_%d.csv" % rows, write)

    def trace(self, megabytes, layout="kineto"):
        """A PyTorch trace of about that size: one made-up training step, repeated with times and ids going on."""
        template = self.make("step_%s.json" % layout, lambda p: subprocess.run(
            [sys.executable, TRACES, p, "--steps", "1", "--layers", "100", "--layout", layout], check=True))
        return self.make("trace_%s_%d.json" % (layout, megabytes), lambda p: subprocess.run(
            [os.path.join(self.bench, "make_replica"), template, p, str(megabytes * 1000000)], check=True, stdout=subprocess.DEVNULL))

    def dense(self, megabytes):
        """A trace of which nearly every event is kept: nested operators with shapes and stacks, 16-digit times."""
        template = self.make("dense.json", lambda p: subprocess.run([sys.executable, DENSE, p], check=True))
        return self.make("dense_%d.json" % megabytes, lambda p: subprocess.run(
            [os.path.join(self.bench, "make_replica"), template, p, str(megabytes * 1000000)], check=True, stdout=subprocess.DEVNULL))

    def gz(self, path):
        def write(part):
            with open(path, "rb") as f, gzip.open(part, "wb", 6) as g:
                shutil.copyfileobj(f, g)
        return self.make(os.path.basename(path) + ".gz", write)

    # ---- measuring
    def run(self, args):
        """(CPU seconds, wall seconds, peak bytes) of one run of the program, its output thrown away."""
        begin = time.monotonic()
        p = subprocess.run([os.path.join(self.bench, "used"), self.analyzer] + args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
        wall = time.monotonic() - begin
        if p.returncode:
            raise RuntimeError("analyzer %s: exit status %d" % (" ".join(args), p.returncode))
        cpu, peak = p.stderr.splitlines()[-1].split()
        return int(cpu) / 1e6, wall, int(peak) * 1024

    def outside(self, command):
        """CPU seconds of another program."""
        p = subprocess.run([os.path.join(self.bench, "used")] + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if p.returncode:
            raise RuntimeError("%s: exit status %d" % (command[0], p.returncode))
        return int(p.stderr.splitlines()[-1].split()[0]) / 1e6

    def chain(self, args):
        """CPU seconds along the longest chain of threads of one run, the least of three."""
        least, to = float("inf"), os.path.join(self.out, "path")
        for _ in range(3):
            subprocess.run([self.analyzer] + args + ["--no-sandbox"], env=dict(os.environ, CPU_PATH=to, LD_PRELOAD=os.path.join(self.bench, "cpu_path.so")),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            with open(to) as f:
                least = min(least, int(f.read().split()[1]) / 1e9)
        return least

    def pace(self):
        """How many times as long this machine takes now as the one that limits of time were set on, by the scan of a JSON
        file, which the program's own work is not part of. Measured anew for each group of rows, since other work on the
        machine changes it."""
        path = self.trace(20)
        rates = [float(self.program("bench_json", "--smoke", path).split()[3]) for _ in range(3)]
        self.slow = THERE / statistics.median(rates)

    def within(self, figure, limit):
        """(text, held) of a limit of time: the limit there, on a slower machine times its pace. A faster one is not held to
        less: it scans faster, but has the system's calls and pages to pay for as others do."""
        return ("<= %g x %.2f" % (limit, self.slow), figure <= limit * self.slow) if self.slow > 1 else ("<= %g" % limit, figure <= limit)

    def anonymous(self, args):
        """Peak bytes of one run that are its own: without mapped files. Looked at every millisecond."""
        most = 0
        p = subprocess.Popen([self.analyzer] + args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while p.poll() is None:
            try:
                with open("/proc/%d/status" % p.pid) as f:
                    most = max([most] + [int(x.split()[1]) * 1024 for x in f if x.startswith("RssAnon:")])
            except (OSError, ValueError):
                pass  # it has just ended
            time.sleep(0.001)
        return most

    def busiest(self, args):
        """CPU seconds of the busiest thread of one run: its wall time where each thread has a processor of its own. Looked at
        while it runs, so up to 5 ms a thread are missing."""
        used = {}
        p = subprocess.Popen([self.analyzer] + args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while p.poll() is None:
            for path in glob.glob("/proc/%d/task/*/schedstat" % p.pid):
                try:
                    with open(path) as f:
                        used[path] = int(f.read().split()[0]) / 1e9
                except (OSError, ValueError, IndexError):
                    pass  # it has just ended
            time.sleep(0.005)
        return max(used.values()) if used else float("nan")

    def stage(self, *args):
        """(bytes, units, nanoseconds) of one stage program run."""
        p = subprocess.run([self.stages] + list(args), capture_output=True, text=True)
        if p.returncode:
            raise RuntimeError("stages %s: %s" % (" ".join(args), p.stderr.strip()))
        return [int(x) for x in p.stdout.split()[:3]]

    def row(self, stage, figure, unit, must, aim, held):
        """held: None where nothing is promised."""
        self.rows.append((stage, figure, unit, must, aim, "" if held is None else "yes" if held else "NO"))

    def measure(self, what, function):
        try:
            self.pace()
            function()
        except (RuntimeError, OSError, subprocess.SubprocessError) as e:
            self.errors += 1
            self.row(what, "-", str(e)[:80], "", "", False)

    def program(self, name, *args):
        """What a benchmark program prints."""
        p = subprocess.run([os.path.join(self.bench, name)] + list(args), capture_output=True, text=True)
        if p.returncode:
            raise RuntimeError("%s: %s" % (name, p.stderr.strip()))
        return p.stdout

    def per_unit(self, *args):
        runs = [self.stage(*args) for _ in range(self.repeats)]
        return statistics.median(ns / units for _, units, ns in runs)


    def table(self):
        head = ("stage", "figure", "unit", "must", "aim", "held")
        width = [max(len(r[i]) for r in self.rows + [head]) for i in range(6)]
        print("%d processors, load %.1f, %s inputs, median of %d" % (os.cpu_count() or 1, os.getloadavg()[0],
                                                                    "small" if self.smoke else "full", self.repeats))
        for r in [head] + self.rows:
            print("  ".join(c.rjust(w) if i == 1 else c.ljust(w) for i, (c, w) in enumerate(zip(r, width))).rstrip())
