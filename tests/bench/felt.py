"""What users wait for: outputs, questions, many inputs, threads, parts of ranks, memory, the installed size. Each figure is a
ratio of processor times of runs that follow each other (of instructions where it says so), next to its goal and to that of the
program at commit dad9de94 (column "aim": "goal ..., was ..."), and to what Debian installs for the same: simdjson, sqlite3,
python3. The number before each group is its row in the list of goals (docs/performance-reports.md 9); "must" is the limit that is
checked, which is wider where a goal is not met."""
import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile

from bench import RANKS, SMALL

LAYERS, STEPS = 50, 10  # collectives of a rank: their product
HERE = os.path.dirname(os.path.abspath(__file__))


def read_events(folder):
    """Events that a report was made of."""
    with open(os.path.join(folder, "coverage.csv"), newline="") as f:
        return next(int(r[1]) for r in csv.reader(f) if r[0] == "events kept")


class Felt:
    """Rows of the table; `b` is the Figures of measure.py."""

    def __init__(self, b):
        self.b = b
        sys.path.insert(0, os.path.dirname(HERE))
        import growth_check
        self.cases = growth_check.CASES

    def shape(self, name, n):
        """Arguments of `run` for an input of that shape."""
        folder = os.path.join(self.b.data, "shape_%s_%d" % (name, n))
        args = folder + ".args"
        if not os.path.exists(args):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            made = self.cases[name][0](n, folder)
            with open(args, "w") as f:
                json.dump(made, f)
        with open(args) as f:
            return json.load(f)

    def cpu(self, args):
        return min(self.b.run(args)[0] for _ in range(3))

    def output(self, args, form):
        out = os.path.join(self.b.out, "felt_" + form)
        shutil.rmtree(out, ignore_errors=True)
        t = self.cpu(args + ["-o", out, "--format", form, "-j", "1", "-q"])
        size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(out) for f in files)
        return t, size

    def reports(self):
        """HTML and workbook against CSVs of the same input."""
        shapes = (("kernel_names", 16000, "1.3", "18.8", "-"), ("streams", 32000, "25", "1.1", "1.2"), ("devices", 8000, "27", "9.9", "1.5"),
                  ("amd_agents", 8000, "6.6", "2.2", "1.7"), ("steps", 8000, "1.3", "-", "3.8"), ("work_over_steps", 8000, "1.5", "-", "4.5"),
                  ("shapes", 2000, "1.8", "-", "1.8"), ("equal_operators", 2000, "1.5", "-", "2.0"))
        for name, n, html, page_was, book in shapes:
            n = n // 8 if self.b.smoke else n
            args = self.shape(name, n)
            csv, _ = self.output(args, "csv")
            page, size = self.output(args, "html")
            sheet, _ = self.output(args, "xlsx")
            r, w = page / csv, sheet / csv
            self.b.row("1 HTML / CSV, %s %d" % (name, n), "%.2f" % r, "x", "<= 3", "goal 3, was " + html, r <= 3)
            self.b.row("1   its page", "%.1f" % (size / 1e6), "MB", "<= 3", "goal 3, was " + page_was, size <= 3e6)
            most = 2.0 if self.b.smoke else 1.5
            self.b.row("2 workbook / CSV, %s %d" % (name, n), "%.2f" % w, "x", "<= %.1f" % most, "goal 1.5, was " + book, w <= most)

        self.cell()

    def cell(self):
        """What a cell of a workbook takes: beyond the text, of a report with large tables."""
        path = self.b.make("tracy_narrow_20000.csv", lambda p: subprocess.run([sys.executable, SMALL, "--out", p, "--rows", "20000"], check=True))
        book, args = os.path.join(self.b.out, "cells.xlsx"), ["run", path, "--opt", "ignore_signposts=true", "-j", "1"]
        took = self.cpu(args + ["--format", "xlsx", "-o", book, "-q"]) - self.cpu(args)
        with zipfile.ZipFile(book) as z:
            cells = sum(z.read(n).count(b"<c r=") for n in z.namelist())
        v = took * 1e6 / cells
        must, held = self.b.within(v, 0.5)
        self.b.row("2   a cell, of %d" % cells, "%.2f" % v, "us", must, "goal 0.5, was 1.5 to 5", held)

    def sql(self):
        """Groups of a million kernels: the program on the export, and sqlite3 on the same file."""
        export = self.b.make("kernels_1M.sqlite" if not self.b.smoke else "kernels_20k.sqlite", lambda path: subprocess.run(
            [os.path.join(self.b.bench, "gen_nsys_sqlite"), path] + (["--smoke"] if self.b.smoke else ["1"]), check=True))
        tool = shutil.which("sqlite3")
        report = self.cpu(["run", export, "-q", "-j", "1", "--csv-dir", os.path.join(self.b.out, "sql"), "--format", "csv"])
        for key, theirs, was, of_report in (("lane", "deviceId, streamId", "2.7", "4.8"), ("device, stream", "deviceId, streamId", "2.5", "6.6"),
                                            ("name", "shortName", "1.1", "2.2"), ("device, name", "deviceId, shortName", "3.4", "-")):
            ours = self.cpu(["query", export, "select %s, count(*), sum(dur_ns) from kernels group by %s" % (key, key), "-q", "--format=csv"])
            if tool:
                sql = "select %s, count(*), sum(end - start) from CUPTI_ACTIVITY_KIND_KERNEL group by %s" % (theirs, theirs)
                plain = min(self.b.outside([tool, export, sql]) for _ in range(3))
                self.b.row("3 SQL by %s / sqlite3 on the export" % key, "%.2f" % (ours / plain), "x", "<= 1.1", "goal 1.0, was " + was, ours <= 1.1 * plain)
            self.b.row("3 SQL by %s / the CSV report" % key, "%.2f" % (ours / report), "x", "<= 2", "goal 2, was " + of_report, ours <= 2 * report)

    def many(self):
        """A thousand small inputs that are no ranks of one run."""
        n = 100 if self.b.smoke else 1000
        folder = os.path.join(self.b.data, "many_%d" % n)
        if not os.path.isdir(folder):
            one = self.shape("shapes", 4)[1]
            os.makedirs(folder + ".part")
            for i in range(n):
                shutil.copy(one, os.path.join(folder + ".part", "".join("abcdefghij"[int(c)] * 3 for c in "%03d" % i) + ".json"))
            os.replace(folder + ".part", folder)
        paths = [os.path.join(folder, f) for f in sorted(os.listdir(folder))]
        text = self.cpu(["run"] + paths + ["-j", "1"])
        alone = self.cpu(["run", paths[0], "-j", "1"])
        self.b.row("4 many small inputs, each / one alone", "%.2f" % (text / n / alone), "x", "<= 0.5", "goal 0.8, was 0.8", text <= 0.5 * n * alone)
        self.b.row("4   each", "%.2f" % (text / n * 1e3), "ms", "", "was 1.6 x this", None)
        self.many_instructions(paths)
        for form, most in (("json", 6), ("sqlite", 6)):  # processor time; each file is also synced to the disk
            out = os.path.join(self.b.out, "many_" + form)
            r = self.cpu(["run"] + paths + ["-j", "1", "-q", "-o", out, "--format", form]) / text
            self.b.row("4   as %s / as text" % form, "%.2f" % r, "x", "<= %d" % most, "", r <= most)
        quiet = ["-j", "1", "-q"]
        each = (self.b.run(["run"] + paths + quiet)[2] - self.b.run(["run"] + paths[:n // 10] + quiet)[2]) / (n - n // 10)
        self.b.row("4   memory of each to the end", "%.0f" % (each / 1e3), "kB", "<= 64", "was 62", each <= 64e3)

    def many_instructions(self, paths):
        """The same in instructions, which waiting for a disk is no part of: the difference of 60 and 20 inputs."""
        if not shutil.which("valgrind"):
            self.b.row("4   in instructions", "-", "valgrind is not installed", "", "", None)
            return
        each = {}
        for form, was in (("text", ""), ("json", "1.5"), ("sqlite", "4.0")):
            count = []
            for n in (20, 60):
                out = [] if form == "text" else ["-q", "-o", os.path.join(self.b.out, "counted_%s_%d" % (form, n)), "--format", form]
                count.append(self.b.counted(self.b.analyzer, "--no-sandbox", "run", *paths[:n], "-j", "1", *out))
            each[form] = (count[1] - count[0]) / 40
            if form == "text":
                self.b.row("4   each, in instructions", "%.1f" % (each[form] / 1e6), "M", "<= 10.5", "goal 10.5, was 13.1", each[form] <= 10.5e6)
            else:
                r = each[form] / each["text"]
                self.b.row("4   as %s / as text, in instructions" % form, "%.2f" % r, "x", "<= 1.32", "goal 1.3, was " + was, r <= 1.32)

    def values(self):
        """The whole report of a trace against iteration over all values of its JSON by simdjson, and reading by Python."""
        program = os.path.join(self.b.bench, "bench_simdjson")
        path = self.b.trace(20 if self.b.smoke else 200)
        report = self.cpu(["run", path, "-q", "-j", "1", "--csv-dir", os.path.join(self.b.out, "values"), "--format", "csv"])
        if os.path.exists(program):
            theirs = min(self.b.outside([program, path]) for _ in range(3))
            self.b.row("whole report / simdjson over all values", "%.2f" % (report / theirs), "x", "<= 1.2", "0.7 to 1.1", report <= 1.2 * theirs)
        else:
            self.b.row("whole report / simdjson", "-", "libsimdjson-dev is not installed", "", "", None)
        small = self.b.trace(20)
        ours = self.cpu(["run", small, "-q", "-j", "1", "--csv-dir", os.path.join(self.b.out, "values"), "--format", "csv"])
        load = self.b.outside([sys.executable, "-c", "import json,sys; json.load(open(sys.argv[1]))", small])
        self.b.row("whole report / json.load of Python", "%.3f" % (ours / load), "x", "<= 0.2", "", ours <= 0.2 * load)

    def cores(self):
        """The longest chain of threads of one trace: what it takes where each thread has a processor (preload/cpu_path.c)."""
        path = self.b.trace(40 if self.b.smoke else 200)
        args = ["run", path, "-q", "--csv-dir", os.path.join(self.b.out, "cores"), "--format", "csv", "-j"]
        one = self.b.chain(args + ["1"])
        for j, most, was in ((2, 0.65, ""), (4, 0.5, "0.47 to 0.54"), (16, 0.5, "0.45 to 0.53")):
            r = self.b.chain(args + [str(j)]) / one
            self.b.row("5 one trace on %d threads / on one" % j, "%.2f" % r, "x", "<= %.2f" % most,
                       was and "%swas %s" % ("goal 0.35, " if j == 4 else "", was), r <= most)
        ranks, template = os.path.join(self.b.data, "eight_ranks"), os.path.join(self.b.data, "eight_ranks.part", "step_{rank}.json")
        if not os.path.isdir(ranks):
            subprocess.run([sys.executable, os.path.join(os.path.dirname(HERE), "gen", "make_ranks.py"), template, "--ranks", "8", "--layers", "50",
                            "--steps", "1"], check=True)
            for r in range(8):
                one = template.replace("{rank}", str(r))
                subprocess.run([os.path.join(self.b.bench, "make_replica"), one, one.replace("step_", "rank_"), "2000000" if self.b.smoke else "20000000"],
                               check=True, stdout=subprocess.DEVNULL)
                os.remove(one)
            os.replace(ranks + ".part", ranks)
        args = ["run", ranks, "-q", "-o", os.path.join(self.b.out, "eight"), "--format", "xlsx", "-j"]
        r = self.b.chain(args + ["8"]) / self.b.chain(args + ["1"])
        self.b.row("5 eight ranks on 8 threads / on one, workbook", "%.2f" % r, "x", "<= 0.6", "goal 0.2, was 0.40", r <= 0.6)

    def reduce(self):
        """Parts of ranks to one report: time against the ranks, memory against the parts (tests/cluster/growth_check.py)."""
        tool = os.path.join(os.path.dirname(self.b.bench), "tools", "make_parts")
        if not os.path.exists(tool):
            self.b.row("6 reduce", "-", "no build/tools/make_parts", "", "", None)
            return
        source, parts, cost, peak, size = os.path.join(self.b.out, "ranks"), os.path.join(self.b.out, "parts"), [], [], []
        subprocess.run([sys.executable, os.path.join(os.path.dirname(HERE), "gen", "make_ranks.py"), os.path.join(source, "rank_{rank}.json"),
                        "--ranks", "2", "--layers", "1", "--steps", "1"], check=True)
        self.b.run(["map", source, "-o", parts, "-q"])
        one = os.path.join(parts, sorted(os.listdir(parts))[0])
        for ranks in (256, 1024) if self.b.smoke else (1024, 4096):
            made = os.path.join(self.b.out, "made_%d" % ranks)
            os.makedirs(made)
            subprocess.run([tool, one, os.path.join(made, "run"), "ranks=%d" % ranks, "world=cut"], check=True)
            size.append(sum(os.path.getsize(os.path.join(made, f)) for f in os.listdir(made)))
            runs = [self.b.run(["reduce", made, "--format", "csv", "--csv-dir", os.path.join(self.b.out, "reduced"), "-q", "-j", "1"]) for _ in range(3)]
            cost.append(min(r[0] for r in runs))
            peak.append(min(r[2] for r in runs))
        self.b.row("6 part of a rank, %d ranks" % ranks, "%.1f" % (size[1] / ranks / 1e3), "kB", "", "was 32.9", None)
        self.b.row("6 reduce, four times the ranks", "%.2f" % (cost[1] / cost[0]), "x", "<= 5", "goal 4, was 3.85", cost[1] <= 5 * cost[0])
        self.b.row("6   a rank", "%.2f" % (cost[1] / ranks * 1e3), "ms", "", "", None)
        self.b.row("6   peak memory / the parts", "%.2f" % (peak[1] / size[1]), "x", "<= 1.2", "", peak[1] <= 1.2 * size[1] + 2e7)
        self.reduce_and_map()
        self.reduce_counted()

    def reduce_and_map(self):
        """Reduce against the map of the same ranks, and what a rank's collective takes: differences of two numbers of ranks. Of traces
        with nine events for a collective, as few as there can be; and with as many as public recordings of several ranks have at least
        (174 of a llama, 408 to 434 of a DLRM; 54 to 123 kB), which reduce does not see. As text, and as CSVs, in which each collective
        of each rank has a row, whose cells cost as much as all that the text requires."""
        cost, mapped, peak, calls = {"text": [], "csv": []}, [], [], []
        for ranks in (4, 8) if self.b.smoke else (16, 48):
            folder = os.path.join(self.b.out, "mapped_%d" % ranks)
            mapped.append(self.mapped(folder, ranks, []))
            parts, out = os.path.join(folder, "parts"), os.path.join(folder, "out")
            for form, args in (("text", []), ("csv", ["--csv-dir", out, "-q"])):
                runs = [self.b.run(["reduce", parts, "--format", form, "-j", "1"] + args) for _ in range(3)]
                cost[form].append(min(r[0] for r in runs))
            peak.append(min(r[2] for r in runs))
            calls.append(self.b.collectives(out))
            shutil.rmtree(folder)
        n = calls[1] - calls[0]
        took = {form: each[1] - each[0] for form, each in cost.items()}
        for form, most, aim in (("text", 0.12, "goal 0.05"), ("csv", 0.16, "was 0.20")):
            r = took[form] / (mapped[1] - mapped[0])
            self.b.row("6 reduce / the map of its ranks, as %s" % form, "%.2f" % r, "x", "<= %.2f" % most, aim, None if self.b.smoke else r <= most)
            self.b.row("6   a rank's collective", "%.2f" % (took[form] / n * 1e6), "us", "", "" if form == "text" else "was 1.6", None)
        self.b.row("6   memory of a rank's collective", "%.0f" % ((peak[1] - peak[0]) / n), "B", "", "goal 64, was 150", None)
        folder = os.path.join(self.b.out, "mapped_more")
        mapped = [self.mapped(folder + str(k), k, ["--operators", "55"]) for k in (1, 2 if self.b.smoke else 5)]
        each = (mapped[1] - mapped[0]) / (LAYERS * STEPS * (1 if self.b.smoke else 4))
        r = took["csv"] / n / each
        self.b.row("6   with 174 events for a collective", "%.3f" % r, "x", "<= 0.05", "goal 0.05", None if self.b.smoke else r <= 0.05)

    def reduce_counted(self):
        """The same in instructions, which other work on the machine is no part of."""
        if not shutil.which("valgrind") or self.b.smoke:
            return
        count = {"map": [], "text": [], "csv": []}
        for ranks in (4, 12):
            folder = os.path.join(self.b.out, "counted_%d" % ranks)
            source, parts, tables = (os.path.join(folder, name) for name in ("in", "parts", "tables"))
            subprocess.run([sys.executable, RANKS, os.path.join(source, "rank_{rank}.json"), "--ranks", str(ranks), "--layers", str(LAYERS),
                            "--steps", str(STEPS)], check=True)
            runs = {"map": ["map", source, "-o", parts, "-q"], "text": ["reduce", parts, "--format", "text"],
                    "csv": ["reduce", parts, "--format", "csv", "--csv-dir", tables, "-q"]}
            for name, args in runs.items():
                count[name].append(self.b.counted(self.b.analyzer, "--no-sandbox", *args, "-j", "1"))
            shutil.rmtree(folder)
        each = {name: n[1] - n[0] for name, n in count.items()}
        for form, most in (("text", 0.085), ("csv", 0.14)):
            r = each[form] / each["map"]
            self.b.row("6   reduce / map in instructions, as %s" % form, "%.3f" % r, "x", "<= %.3f" % most, "goal 0.05", r <= most)

    def mapped(self, folder, ranks, more):
        """Processor time of the map of so many ranks, which leaves their parts in the folder."""
        source = os.path.join(folder, "in")
        subprocess.run([sys.executable, os.path.join(os.path.dirname(HERE), "gen", "make_ranks.py"), os.path.join(source, "rank_{rank}.json"),
                        "--ranks", str(ranks), "--layers", str(LAYERS), "--steps", str(STEPS)] + more, check=True)
        took = self.cpu(["map", source, "-o", os.path.join(folder, "parts"), "-q", "-j", "1", "--force"])
        shutil.rmtree(source)
        return took

    def memory(self):
        """Peak memory of an event above 1.2 times the output, by shape: the difference of two sizes, whole report with CSVs."""
        shapes = (("nested_operators", 2000, "210", 96), ("equal_operators", 1000, "200", 96), ("kernel_names", 4000, "2800", 96), ("shapes", 2000, "3300", 120),
                  ("steps", 8000, "339", 190), ("streams", 8000, "290", 180), ("amd_agents", 8000, "2596", 420), ("devices", 2000, "1010", 880))
        for name, n, was, most in shapes:
            peak, events, wrote = [], [], []
            for size in (n // 4, n) if self.b.smoke else (n, 4 * n):
                args = self.shape(name, size)
                out = os.path.join(self.b.out, "memory")
                shutil.rmtree(out, ignore_errors=True)
                peak.append(min(self.b.run(args + ["--csv-dir", out, "-j", "1", "-q"])[2] for _ in range(3)))
                wrote.append(sum(os.path.getsize(os.path.join(out, f)) for f in os.listdir(out)))
                events.append(read_events(out))
            each = (peak[1] - peak[0] - 1.2 * (wrote[1] - wrote[0])) / (events[1] - events[0])
            self.b.row("7 memory of %s" % name.replace("_", " "), "%.0f" % each, "B an event over 1.2 x output",
                       "" if self.b.smoke else "<= %d" % most, "goal 96, was " + was, None if self.b.smoke else each <= most)

    def installed(self):
        to = os.path.join(self.b.out, "stripped")
        subprocess.run(["strip", "--strip-unneeded", "-o", to, self.b.analyzer], check=True)
        size = os.path.getsize(to)
        self.b.row("8 the installed program", "%.1f" % (size / 1e6), "MB", "<= 10", "goal 10, was 20.6", size <= 10e6)
