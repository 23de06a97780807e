#!/usr/bin/env python3
"""Run by python_check.py with the installed module: tables against the CSV files of the program, arrays, Arrow streams,
statements, comparisons, errors.

    python_module.py [--without-numpy] --csv DIR INPUT...
"""
import argparse
import csv
import ctypes
import gc
import glob
import math
import os
import struct
import sys
import tempfile

p = argparse.ArgumentParser()
p.add_argument("--without-numpy", action="store_true")
p.add_argument("--csv", required=True)
p.add_argument("inputs", nargs="+")
args = p.parse_args()
if args.without_numpy:
    sys.modules["numpy"] = sys.modules["pandas"] = None  # importing them fails
import analyzer  # noqa: E402

COUNT = [0, 0]


def hold(good, what, why=""):
    COUNT[0 if good else 1] += 1
    if not good:
        print("FAIL %s%s" % (what, ": " + str(why)[:300] if why else ""))
    return good


def same(text, x):
    if x is None or (isinstance(x, float) and math.isnan(x)):
        return text == ""
    return text == str(x) if isinstance(x, (bool, str)) else text != "" and type(x)(text) == x


# ---- Arrow, read as a consumer does (C data interface) ----
class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


P = ctypes.POINTER
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", P(P(Schema))), ("dictionary", ctypes.c_void_p),
                   ("release", ctypes.CFUNCTYPE(None, P(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [(n, ctypes.c_int64) for n in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
    ("buffers", P(ctypes.c_void_p)), ("children", P(P(Array))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, P(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, P(Stream), P(Array))), ("get_last_error", ctypes.c_void_p),
                   ("release", ctypes.CFUNCTYPE(None, P(Stream))), ("private_data", ctypes.c_void_p)]
get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def bit(address, i):
    return ctypes.c_uint8.from_address(address + i // 8).value >> i % 8 & 1


def arrow_column(kind, a):
    out = []
    for i in range(a.length):
        if a.buffers[0] and not bit(a.buffers[0], i):
            out.append(None)
        elif kind == b"U":
            begin, end = struct.unpack("qq", ctypes.string_at(a.buffers[1] + 8 * i, 16))
            out.append(ctypes.string_at(a.buffers[2] + begin, end - begin).decode())
        elif kind == b"b":
            out.append(bool(bit(a.buffers[1], i)))
        else:
            out.append(struct.unpack("q" if kind == b"l" else "d", ctypes.string_at(a.buffers[1] + 8 * i, 8))[0])
    return out


def metadata(address):
    if not address:
        return {}
    n, k = struct.unpack("ii", ctypes.string_at(address, 8))
    v = struct.unpack("i", ctypes.string_at(address + 8 + k, 4))[0]
    return {ctypes.string_at(address + 8, k): ctypes.string_at(address + 12 + k, v)} if n == 1 else None


def read_stream(table, keep_one=False):
    """{name: (unit, values)} by the interface; with keep_one the first column is moved out and read after the rest is freed."""
    capsule = table.__arrow_c_stream__()
    stream = Stream.from_address(get_pointer(capsule, b"arrow_array_stream"))
    schema, batch, rest, out = Schema(), Array(), Array(), {}
    assert stream.get_schema(stream, schema) == 0 and schema.format == b"+s"
    assert stream.get_next(stream, batch) == 0 and batch.release
    assert stream.get_next(stream, rest) == 0 and not rest.release
    names = [schema.children[i].contents for i in range(schema.n_children)]
    if keep_one:
        kind, moved = names[0].format, Array()
        ctypes.memmove(ctypes.byref(moved), batch.children[0], ctypes.sizeof(Array))
        ctypes.c_void_p.from_address(ctypes.addressof(batch.children[0].contents) + Array.release.offset).value = None
    else:
        for i, s in enumerate(names):
            out[s.name.decode()] = (metadata(s.metadata).get(b"unit", b"").decode(), arrow_column(s.format, batch.children[i].contents))
    for part in (batch, schema, stream):
        part.release(part)
    del capsule
    if keep_one:
        del table
        gc.collect()
        out = arrow_column(kind, moved)
        moved.release(moved)
    return out


def check_tables(name):
    report = analyzer.open(name)
    folder = os.path.join(args.csv, os.path.basename(name))
    files = {os.path.basename(f)[:-4]: f for f in glob.glob(folder + "/*.csv")}
    folders = sorted(glob.glob(folder + "/*/"))
    reports = report.inputs
    if folders:  # several inputs
        files = {}
        hold(len(folders) == len(reports), "%s: as many reports" % name, folders)
        report = reports[0]
        files = {os.path.basename(f)[:-4]: f for f in glob.glob(os.path.join(args.csv, os.path.basename(name), report.title, "*.csv"))}
    hold(set(report) == set(files) and len(report) == len(files), "%s: the tables of the CSV report" % name, set(report) ^ set(files))
    for table_id in report:
        table = report[table_id]
        with open(files[table_id], encoding="utf-8", newline="") as f:
            lines = list(csv.reader(f))
        columns = [c.to_list() for c in table.columns]
        bad = [c.name for i, c in enumerate(table.columns) if not all(same(line[i], x) for line, x in zip(lines[1:], columns[i]))]
        hold(lines[0] == [c.name for c in table.columns] and len(lines) - 1 == table.rows and not bad, "%s: %s" % (name, table_id), bad)
        streamed = read_stream(table)
        bad = [c.name for c, x in zip(table.columns, columns) if c.name in streamed and streamed[c.name][0] != c.unit or
               table.column(c.name) is c and repr(streamed[c.name][1]) != repr(x)]
        hold(not bad, "%s: %s by Arrow" % (name, table_id), bad)
    return report


def check_arrays(report):
    import numpy
    table = report["kernels"]
    x, again = table["dur_ns"], table["dur_ns"]
    hold(isinstance(x, numpy.ndarray) and x.dtype == numpy.int64 and not x.flags.writeable, "numbers are read-only arrays")
    hold(numpy.shares_memory(x, again), "arrays share the library's memory")
    before = x.tolist()
    frame = table.to_pandas()
    hold(frame["dur_ns"].tolist() == before and frame["name"].tolist() == list(table["name"]), "a data frame has the same values")
    some = report.query("SELECT CASE WHEN id % 2 THEN id END AS x FROM kernels")
    masked = some.column("x")
    hold(masked.nulls > 0 and isinstance(masked.values, numpy.ma.MaskedArray) and masked.values.mask.sum() == masked.nulls,
         "integers without a value are masked")
    frame = some.to_pandas()
    hold(str(frame["x"].dtype) == "Int64" and int(frame["x"].isna().sum()) == masked.nulls and frame["x"][0] == 1,
         "in a data frame they are missing")
    import pandas
    frame = pandas.DataFrame(table)  # not a dict: pandas would take the names of the columns for rows
    hold(list(frame.columns) == list(table) and frame["dur_ns"].tolist() == before and frame["name"].tolist() == list(table["name"]),
         "pandas.DataFrame(table) has its columns and rows", frame.shape)
    frame = pandas.DataFrame(some)
    hold(frame["x"].dtype.kind == "f" and int(frame["x"].isna().sum()) == masked.nulls, "there, missing integers are NaN")
    return x, before


def check_lifetime():
    """Arrays after their table, report and handle are gone."""
    report = analyzer.open(args.inputs[0])
    table = report["kernels"]
    x, names, want = table["dur_ns"], table["name"], table.column("dur_ns").to_list()
    first = list(names[:3])
    column = read_stream(report["kernel_summary"], keep_one=True)
    hold(column == report["kernel_summary"].columns[0].to_list(), "a column of a stream outlives the rest of it")
    del report, table
    gc.collect()
    hold(list(x) == want and list(names[:3]) == first, "columns outlive the report")
    for _ in range(20):
        analyzer.open(args.inputs[0])["kernels"].__arrow_c_stream__()
    gc.collect()


def check_results(report):
    verdict = report.verdict
    hold("GPU time" in str(verdict) and verdict.findings and "account" in verdict and verdict["account"], "the verdict is text and data")
    hold(all(f.get("rule") for f in verdict.findings), "findings have their rules", verdict.findings[:1])
    t = report.query("SELECT count(*) AS n, sum(dur_ns) AS ns, avg(dur_ns) AS mean, NULL AS none, min(name) AS first FROM kernels")
    k = report["kernels"]
    ns = k.column("dur_ns").to_list()
    hold(t.to_dict() == {"n": [len(ns)], "ns": [sum(ns)], "mean": [sum(ns) / len(ns)], "none": [None], "first": [min(k["name"])]},
         "a statement's result", t.to_dict())
    mixed = report.query("SELECT 1 AS x UNION ALL SELECT 'a' UNION ALL SELECT NULL UNION ALL SELECT 2.5")
    hold(mixed.to_dict() == {"x": ["1", "a", None, "2.5"]} and read_stream(mixed)["x"][1] == ["1", "a", None, "2.5"],
         "mixed values are texts", mixed.to_dict())
    hold(report.query("SELECT 1 AS x UNION ALL SELECT 0.5").to_dict() == {"x": [1.0, 0.5]}, "integers and reals are reals")
    hold(report.query("SELECT * FROM kernels WHERE 0").rows == 0, "a result may be empty")
    both = analyzer.open(args.inputs[0], args.inputs[1])
    hold([r.title for r in both.inputs] == ["train_step", "inference"], "several inputs", [r.title for r in both.inputs])
    n = [r["kernels"].rows for r in both.inputs]
    hold(sum(n) == both.query("SELECT count(*) AS n FROM kernels").to_dict()["n"][0] and n[0] == k.rows, "events are those of an input", n)
    other = analyzer.open(args.inputs[1])
    compared = report.compare(other)
    hold("compare_summary" in compared and "train_step" in str(compared.verdict) and compared["waterfall"].rows > 0, "a comparison is a report")
    hold(str(report.compare(analyzer.open(args.inputs[0])).verdict), "a comparison with itself")
    hold(str(report.compare(args.inputs[0]).verdict) == str(report.compare(analyzer.open(args.inputs[0])).verdict), "a comparison with a path")
    hold("kernels" in report and "nothing" not in report, "tables of events are in a report")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("r.html", "r.xlsx", "r.json", "r.md", "r.db"):
            report.write(os.path.join(folder, name))
            hold(os.path.getsize(os.path.join(folder, name)) > 1000, "a report file: " + name)
        compared.write(os.path.join(folder, "c.html"))
        with open(os.path.join(folder, "r.html"), encoding="utf-8") as f:
            hold(report.to_html() == f.read(), "to_html() is the HTML report")
    hold("<table>" in report._repr_html_() and "<script" not in report._repr_html_(), "notebooks show a report")
    hold(report["kernel_summary"]._repr_html_().count("<tr>") == min(report["kernel_summary"].rows, 20) + 1, "and tables")


def check_errors(report):
    def fails(what, part, call, kind=analyzer.Error):
        try:
            call()
            hold(False, what, "nothing raised")
        except kind as e:
            hold(part in str(e), what, e)
    fails("a file that is not there", "no-such.json", lambda: analyzer.open("no-such.json"))
    fails("a file that is no profile", "README.md", lambda: analyzer.open("README.md"))
    fails("an unknown option", "no_such_option", lambda: analyzer.open(args.inputs[0], no_such_option=1))
    fails("a wrong statement", "syntax", lambda: report.query("SELEC"))
    fails("a statement that writes", "", lambda: report.query("CREATE TABLE x(y)"))
    fails("no statement", "", lambda: report.query(""))
    fails("an unknown table", "kernel_summary", lambda: report["no_such_table"], KeyError)
    fails("an unknown column", "dur_ns", lambda: report["kernels"]["no_such_column"], KeyError)
    fails("an unknown format", "docx", lambda: report.write("/tmp/x.docx"))
    fails("a path that cannot be", "README.md", lambda: report.write("README.md/x.json"))
    hold(report.query("SELECT 1 AS x").rows == 1, "statements work after a wrong one")


for path in args.inputs:
    check_tables(path)
first = analyzer.open(args.inputs[0])
if args.without_numpy:
    values = first["kernels"]["dur_ns"]
    hold(isinstance(values, memoryview) and values.readonly and values.format == "q", "without numpy numbers are memoryviews", values)
else:
    values, expected = check_arrays(first)
check_lifetime()
check_results(first)
check_errors(first)
if not args.without_numpy:
    del first
    gc.collect()
    hold(values.tolist() == expected, "an array outlives everything")
print("%d passed, %d failed" % tuple(COUNT))
sys.exit(1 if COUNT[1] else 0)
