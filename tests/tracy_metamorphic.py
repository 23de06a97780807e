#!/usr/bin/env python3
"""Changes of an operation report that must not change its tables, or must change them in a known way: shuffled rows and
columns, LF for CRLF, a byte order mark, every cell quoted, unknown columns, doubled durations, truncation at any byte.

    tracy_metamorphic.py ANALYZER      last line "N passed, N failed"
"""
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLES = ("ops", "ops_stacked", "op_models", "iterations", "data_quality", "advice")
passed = failed = 0


def verdict(ok, what, why=""):
    global passed, failed
    passed += ok
    failed += not ok
    print("%s %s%s" % ("ok  " if ok else "FAIL", what, "" if ok else ": " + why))


def analyse(analyzer, data, work):
    path, out = os.path.join(work, "x.csv"), os.path.join(work, "out")
    with open(path, "wb") as f:
        f.write(data)
    for t in os.listdir(out) if os.path.isdir(out) else []:
        os.unlink(os.path.join(out, t))
    p = subprocess.run([analyzer, "run", path, "--csv-dir", out, "--format", "csv", "--opt", "ignore_signposts=true", "--opt", "raw_op_codes=true"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    tables = {}
    for t in TABLES:
        name = os.path.join(out, t + ".csv")
        if os.path.exists(name):
            with open(name, encoding="utf-8", newline="") as f:
                tables[t] = [{k: v for k, v in r.items() if k != "ID"} for r in csv.DictReader(f)]
    return p.returncode, tables, p.stderr.decode("utf-8", "replace")


def rows_of(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


def text_of(rows, end="\r\n", quote=csv.QUOTE_MINIMAL):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end, quoting=quote).writerows(rows)
    return out.getvalue().encode("utf-8")


def near(a, b):
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return abs(x - y) <= 1e-9 * max(1, abs(x), abs(y))


def difference(a, b):
    for t in TABLES:
        if len(a.get(t, [])) != len(b.get(t, [])):
            return "%s has %d rows, not %d" % (t, len(b.get(t, [])), len(a.get(t, [])))
        for i, (x, y) in enumerate(zip(a.get(t, []), b.get(t, []))):
            for k in x:
                if not near(x[k], y.get(k, "(missing)")):
                    return "%s row %d, %s: %s, not %s" % (t, i, k, y.get(k), x[k])
    return ""


def doubled(rows):
    at = [i for i, h in enumerate(rows[0]) if h in ("DEVICE KERNEL DURATION [ns]", "DEVICE FW DURATION [ns]", "OP TO OP LATENCY [ns]")]
    return [rows[0]] + [[str(2 * int(c)) if i in at and c else c for i, c in enumerate(r)] for r in rows[1:]]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    analyzer = os.path.abspath(sys.argv[1])
    rnd = random.Random(7)
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "source.csv")
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "gen", "make_tracy_example.py"), "--out", source, "--rows", "150",
                        "--devices", "2", "--faults"], check=True)
        data = open(source, "rb").read()
        rows = rows_of(data)
        rc, base, err = analyse(analyzer, data, work)
        verdict(rc == 0 and len(base.get("ops", [])) > 50, "the report itself", err)

        body = rows[1:]
        rnd.shuffle(body)
        order = list(range(len(rows[0])))
        rnd.shuffle(order)
        same = [("rows shuffled", text_of([rows[0]] + body)), ("columns shuffled", text_of([[r[i] for i in order] for r in rows])),
                ("LF for CRLF", data.replace(b"\r\n", b"\n")), ("a byte order mark", b"\xef\xbb\xbf" + data),
                ("every cell quoted", text_of(rows, quote=csv.QUOTE_ALL)),
                ("unknown columns", text_of([["NEW ONE"] + rows[0] + ["NEW, TOO"]] + [["1"] + r + ['a "b", c\nd'] for r in rows[1:]])),
                ("blank lines", data.replace(b"\r\n", b"\r\n\r\n"))]
        for what, changed in same:
            rc, tables, err = analyse(analyzer, changed, work)
            why = err if rc else difference(base, tables)
            verdict(not why, what, why)

        rc, twice, err = analyse(analyzer, text_of(doubled(rows)), work)
        why = err if rc else ""
        for a, b in zip(base["ops"], twice.get("ops", [])):
            for k, f in (("Device Time", 2), ("Op-to-Op Gap", 2), ("FLOPs", 0.5), ("DRAM", 0.5), ("FLOPs %", 0.5), ("DRAM %", 0.5), ("Total %", 1)):
                if (a[k] == "") != (b[k] == "") or (a[k] and not near(float(a[k]) * f, b[k])):
                    why = why or "%s of %s: %s, was %s" % (k, a["OP Code"], b[k], a[k])
        verdict(not why, "doubled durations", why)

        known = {(r["Global Call Count"], r["OP Code"], r["Device Time"], r["Device"]) for r in base["ops"]}
        alone = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "gen", "make_tracy_example.py"), "--out", source, "--rows", "40"], check=True)
        assert alone.returncode == 0
        data = open(source, "rb").read()
        rc, base, err = analyse(analyzer, data, work)
        known = {(r["Global Call Count"], r["OP Code"], r["Device Time"]) for r in base["ops"]}
        cuts = sorted(set(list(range(0, 1200, 97)) + [rnd.randrange(len(data)) for _ in range(80)] + [len(data) - k for k in range(12)]))
        why = ""
        for cut in cuts:
            rc, tables, err = analyse(analyzer, data[:cut], work)
            wrong = [r for r in tables.get("ops", []) if (r["Global Call Count"], r["OP Code"], r["Device Time"]) not in known]
            if rc not in (0, 3) or (rc == 3 and not err) or wrong:
                why = why or "cut at %d: exit status %d, %d rows not of the file: %s" % (cut, rc, len(wrong), wrong[:1])
        verdict(not why, "truncation (%d cuts)" % len(cuts), why)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
