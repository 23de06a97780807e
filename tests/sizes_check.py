#!/usr/bin/env python3
"""What a report says does not depend on the size of the file, nor on the order of the members of its JSON objects: readers
look at a file through a small window, and a text that is kept without a copy shows only behind that window.

    sizes_check.py --analyzer BINARY [--example-data DIR]

Every format at about 1 kB to 10 kB and at 3 MB, rocprofv3 JSON also at 8 MB. Ends with "N passed, N failed".
"""
import argparse
import csv
import filecmp
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
import make_rocprof_examples as amd  # noqa: E402
import make_xplane_example as xp  # noqa: E402

OF_THE_FILE = {"facts.csv", "coverage.csv"}  # its size, its digest


class Check:
    def __init__(self, analyzer, folder):
        self.analyzer, self.folder = analyzer, folder
        self.passed = self.failed = self.runs = 0

    def path(self, *names):
        p = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        return p

    def expect(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAIL", what)

    def tables(self, *inputs):
        """Folder of the CSV tables of one run; None where it fails."""
        self.runs += 1
        out = self.path("tables%d" % self.runs)
        run = subprocess.run([self.analyzer, "run", *inputs, "--csv-dir", out, "-q"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode or not os.path.isdir(out):
            print("exit status %d: %s\n%s" % (run.returncode, inputs[0], run.stderr[-2000:]))
            return None
        return out

    def equal(self, a, b, what, only=None):
        """The same tables with the same bytes; only: some of them."""
        if a is None or b is None:
            return self.expect(False, what + ": no tables")
        names = [set(os.listdir(d)) - OF_THE_FILE for d in (a, b)]
        names = [n & only if only else n for n in names]
        both, bad = sorted(names[0] & names[1]), sorted(names[0] ^ names[1])
        bad += filecmp.cmpfiles(a, b, both, shallow=False)[1]
        self.expect(both and not bad, "%s: %s" % (what, ", ".join(bad)))


def column(folder, table, title):
    with open(os.path.join(folder, table), encoding="utf-8") as f:
        return {row[title] for row in csv.DictReader(f)}


def reordered(value, order):
    """Members of all objects in another order; lists stay as they are."""
    if isinstance(value, list):
        return [reordered(v, order) for v in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    order(keys)
    return {k: reordered(value[k], order) for k in keys}


ORDERS = {"reversed": lambda keys: keys.reverse(), "sorted": lambda keys: keys.sort(), "mixed": random.Random(3).shuffle}


def orders_of(check, path, base, what, orders):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    for name in orders:
        other = check.path(name, os.path.basename(path))
        with open(other, "w", encoding="utf-8") as f:
            json.dump(reordered(whole, ORDERS[name]), f, separators=(",", ":"), ensure_ascii=False)
        check.equal(base, check.tables(other), "%s, members %s" % (what, name))


# ---- AMD: one workload in every format; known names
def amd_names(check, w, tables, what):
    text = lambda kind, rows: {amd.STRINGS[kind][1][e["op"]] for e in rows}
    want = {
        ("memory_copy_summary.csv", "direction"): text(amd.COPY, w.copies),
        ("api_summary.csv", "name"): {amd.STRINGS[e["kind"]][1][e["op"]] for e in w.calls},
        ("api_summary.csv", "domain"): {amd.STRINGS[e["kind"]][0] for e in w.calls},
        ("memory_allocations.csv", "operation"): text(amd.ALLOC, w.allocs) | text(amd.SCRATCH, w.scratch),
        ("kernel_summary.csv", "name"): {amd.KERNELS[e["kernel"]][0] for e in w.kernels},
        ("counter_summary.csv", "counter"): {n for _, n in amd.COUNTERS},
    }
    for (table, title), names in want.items():
        have = column(tables, table, title) if os.path.exists(os.path.join(tables, table)) else set()
        check.expect(have == names, "%s: %s of %s: %s" % (what, title, table, sorted(have ^ names)[:5]))
    spans = column(tables, "roctx_summary.csv", "name")
    marks = {m["text"] for m in w.marks}
    check.expect(spans and spans <= marks, "%s: ranges %s" % (what, sorted(spans - marks)[:5]))


# What every AMD format holds to the last digit.
AMD_EQUAL = {"kernel_summary.csv", "kern_sum.csv", "roctx_summary.csv", "hip_summary.csv", "mem_time_sum.csv", "nvtx_sum.csv"}


def check_amd(check):
    for steps, orders in ((1, ORDERS), (220, ORDERS), (600, ["mixed"])):
        w = amd.Workload(steps)
        file = lambda name: check.path("amd%d" % steps, name)
        amd.write_json(w, file("t_results.json"))
        what = "rocprofv3 JSON of %d kB" % (os.path.getsize(file("t_results.json")) // 1000)
        tables = check.tables(file("t_results.json"))
        if tables is None:
            check.expect(False, what)
            continue
        amd_names(check, w, tables, what)
        orders_of(check, file("t_results.json"), tables, what, orders)
        if steps > 300:
            continue
        amd.write_csv(w, file("t"))
        amd.write_rocpd(w, file("t_results.db"))
        amd.write_pftrace(w, file("t_results.pftrace"))
        amd.write_pftrace_json(w, file("t_pftrace.json"))
        sets = (("CSV", "t_kernel_trace.csv"), ("rocpd", "t_results.db"), ("Perfetto", "t_results.pftrace"),
                ("Perfetto JSON", "t_pftrace.json"))
        for kind, name in sets:
            other = check.tables(file(name))
            check.equal(tables, other, "%s and %s" % (what, kind), AMD_EQUAL)
            if kind == "Perfetto JSON" and other:
                orders_of(check, file(name), other, kind, ["mixed"])


# ---- PyTorch
def check_pytorch(check):
    gen = os.path.join(HERE, "gen", "make_pytorch_trace.py")
    for size, args in (("small", ["--steps", "1", "--layers", "1"]), ("3 MB", ["--steps", "26"])):
        path = check.path("pytorch_" + size[0], "t.json")
        subprocess.run([sys.executable, gen, path] + args, check=True)
        tables = check.tables(path)
        what = "PyTorch, %s" % size
        if tables is None:
            check.expect(False, what)
            continue
        orders_of(check, path, tables, what, ORDERS)
        with open(path, encoding="utf-8") as f:
            known = {e.get("name") for e in json.load(f)["traceEvents"]}
        names = column(tables, "ops_summary.csv", "name")
        check.expect(names and names <= known, "%s: names %s" % (what, sorted(names - known)[:5]))


# ---- the same file with 3 MB beside the facts
def wider(source, path):
    """A CSV with one more column, which no reader knows."""
    with open(source, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    pad = "x" * (3000000 // len(rows))
    with open(path, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        for i, row in enumerate(rows):
            out.writerow(row + ["Padding" if i == 0 else pad] if row else row)


def check_csv(check):
    tracy = check.path("tracy", "ops_perf_results.csv")
    subprocess.run([sys.executable, os.path.join(HERE, "gen", "make_tracy_example.py"), "--out", tracy], check=True)
    subprocess.run([sys.executable, os.path.join(HERE, "gen", "make_example_nsys.py"), "--csv", check.path("nsys", "")], check=True)
    nsys = [check.path("nsys", n) for n in sorted(os.listdir(check.path("nsys", "")))]
    for what, files in (("Tracy CSV", [tracy]), ("Nsight CSV", nsys)):
        wide = [check.path("wide", os.path.basename(n)) for n in files]
        for a, b in zip(files, wide):
            wider(a, b)
        check.equal(check.tables(*files), check.tables(*wide), what + " with 3 MB of another column")


def check_sqlite(check, data):
    source = os.path.join(data, "llama2_70b.sqlite")
    if not os.path.exists(source):
        source = check.path("sqlite", "llama2_70b.sqlite")
        subprocess.run([sys.executable, os.path.join(HERE, "gen", "make_example_nsys.py"), "--sqlite", source], check=True)
    rocpd = check.path("rocpd", "t_results.db")
    amd.write_rocpd(amd.Workload(1), rocpd)
    inserts = {source: ("INSERT INTO StringIds (id, value) VALUES (?, ?)", 1 << 30),
               rocpd: ('INSERT INTO "rocpd_string_%s" (id, string) VALUES (?, ?)' % amd.GUID.replace("-", "_"), 1 << 20)}
    for path, (insert, first) in inserts.items():
        other = check.path("padded", os.path.basename(path))
        shutil.copyfile(path, other)
        os.chmod(other, 0o644)
        db = sqlite3.connect(other)
        db.executemany(insert, ((first + i, "padding %d " % i + "x" * 900) for i in range(3300)))
        db.commit()
        db.close()
        check.equal(check.tables(path), check.tables(other), "%s with 3 MB of other strings" % os.path.basename(path))


def check_xplane(check):
    whole = xp.example_space(0, "alpha")
    plain, other = check.path("xplane", "alpha.xplane.pb"), check.path("padded", "alpha.xplane.pb")
    pad = amd.block(2000, b"x" * 1500000)
    xp.write(plain, whole)
    xp.write(other, pad + whole + pad)
    check.equal(check.tables(plain), check.tables(other), "XPlane with 3 MB of another field")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--analyzer", required=True)
    p.add_argument("--example-data", default="")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(os.path.abspath(a.analyzer), folder)
        check_amd(check)
        check_pytorch(check)
        check_csv(check)
        check_sqlite(check, a.example_data)
        check_xplane(check)
    print("%d passed, %d failed" % (check.passed, check.failed))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
