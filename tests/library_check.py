#!/usr/bin/env python3
"""Hold the library together: what `make installed` installs (below build/installed) builds the examples of
example/library, whose tables are those of the CSV reports cell by cell; only the names of analyzer.h are given out, and
nothing is needed that prints, reads the environment or ends the process; the ABI is the one described in
src/packaging/libanalyzer.abi; errors are values.

    library_check.py [--installed DIR] [--analyzer FILE] [--example-data DIR] [--cc CC]
The last line is "N passed, N failed".
"""
import argparse
import ast
import csv
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PREFIX = "/usr/local"  # as the Makefile
# What a library may not do. signal and _exit are for the side of a started child that then becomes another program.
UNWANTED = ("stdout stderr printf __printf_chk fprintf __fprintf_chk puts putchar perror getenv secure_getenv setenv "
            "putenv sigaction setlocale exit quick_exit abort").split()


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def inputs(data):
    """(name, path, options) of an input of every format."""
    tag = "TSL:XlaModule:#hlo_module=jit_train_step,program_id=7#"
    some = [("pytorch", "example/pytorch/train_step.json", []), ("inference", "example/pytorch/inference.json", []),
            ("tracy", "example/tracy/ops_perf_results_host0.csv", []), ("xplane", "example/xplane", []),
            ("configuration", "example/multirank.json", []),
            ("nsys-csv", "example/nsys/llama2_70b_cuda_gpu_kern_sum.csv", [("num_of_iters", "5")])]
    found = [(n, os.path.join(ROOT, p), o) for n, p, o in some]
    if data and os.path.isdir(data):
        found.append(("nsys-sqlite", os.path.join(data, "llama2_70b.sqlite"),
                      [("num_of_iters", "5"), ("nvtx_tag_of_iter", tag)]))
        found.append(("rocprof", os.path.join(data, "rocprof", "train_results.json"), [("compat", "all")]))
    return found


def same(text, cell):
    """Is this a field of a CSV file with the value of the cell?"""
    if cell is None:
        return text == ""
    if isinstance(cell, bool) or isinstance(cell, str):
        return text == str(cell)
    return text != "" and type(cell)(text) == cell


def difference(tables, folder):
    """The first difference between what the library gave and the CSV files of a folder; "" if there is none."""
    files = {os.path.basename(f)[:-4] for f in glob.glob(os.path.join(folder, "*.csv"))}
    if {t[0] for t in tables} != files or not files:
        return "tables %s, CSV files %s" % (sorted(t[0] for t in tables), sorted(files))
    for table_id, columns, rows in tables:
        with open(os.path.join(folder, table_id + ".csv"), encoding="utf-8", newline="") as f:
            lines = list(csv.reader(f))
        if lines[0] != [c for c, _ in columns] or len(lines) - 1 != len(rows):
            return "%s: %s and %d rows, in the CSV file %s and %d" % (
                table_id, columns, len(rows), lines[0], len(lines) - 1)
        for n, (line, row) in enumerate(zip(lines[1:], rows), 1):
            for i, (text, cell) in enumerate(zip(line, row)):
                if not same(text, cell):
                    return "%s row %d, %s: %r, in the CSV file %r" % (table_id, n, columns[i][0], cell, text)
    return ""


def printed(text):
    """The tables that example/library/tables.c prints: {id: ([column], [[text]])}."""
    out = {}
    for block in re.split(r"\n(?=\n[A-Za-z0-9_]+: )", text):
        lines = block.strip("\n").split("\n")
        if len(lines) > 1:
            out[lines[0].split(":")[0]] = (lines[1].split("\t"), len(lines) - 2)
    return out


def check_install(c, a):
    lib = os.path.join(os.path.abspath(a.installed) + PREFIX, "lib")
    wanted = ["../include/analyzer.h", "libanalyzer.so", "libanalyzer.so.0", "libanalyzer.a", "pkgconfig/analyzer.pc"]
    missing = [w for w in wanted if not os.path.exists(os.path.join(lib, w))]
    c.hold(not missing, "make install installs the library", "missing: " + " ".join(missing))
    return lib


def check_names(c, a, lib):
    so = os.path.join(lib, "libanalyzer.so.0")
    given = re.findall(r" [A-Z] (\w+)", run("nm", "-D", "--defined-only", so).stdout)
    with open(ROOT + "/src/analyzer.h", encoding="utf-8") as f:
        declared = set(re.findall(r"\b(analyzer_\w+)\(", re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)))
    given = {g for g in given if g != "ANALYZER_0"}
    c.hold(given == declared, "the shared library gives out the functions of analyzer.h and nothing else",
           "differ: " + " ".join(sorted(given ^ declared)))
    q = run("nm", "-g", "--defined-only", os.path.join(lib, "libanalyzer.a"))
    archive = set(re.findall(r" [TDBRVW] (\w+)", q.stdout))
    c.hold(archive == declared, "so does the static one", "differ: " + " ".join(sorted(archive ^ declared)[:20]))
    needs = set(re.findall(r" U (\w+)", run("nm", "-D", "--undefined-only", so).stdout))
    bad = sorted(needs & set(UNWANTED))
    c.hold(needs and not bad, "nothing of it prints, reads the environment, handles signals or ends the process",
           " ".join(bad))
    q = run("objdump", "-p", so)
    c.hold("libanalyzer.so.0" in re.findall(r"SONAME\s+(\S+)", q.stdout), "its SONAME is libanalyzer.so.0")


def check_abi(c, a, lib):
    if not shutil.which("abidiff"):
        print("skipped: abidiff (abigail-tools) is not installed; the ABI is not compared")
        return
    built = os.path.join(os.path.dirname(os.path.abspath(a.installed)), "libanalyzer.so.0")  # types are in its debug information
    q = run("abidiff", "--header-file2", ROOT + "/src/analyzer.h", "--drop-private-types", "--no-architecture",
            ROOT + "/src/packaging/libanalyzer.abi", built if os.path.exists(built) else os.path.join(lib, "libanalyzer.so.0"))
    c.hold(q.returncode == 0, "the ABI is that of src/packaging/libanalyzer.abi",
           q.stdout + q.stderr + "(if the change is wanted: make abi, and another SONAME where programs would break)")


def check_headers(c, a):
    for compiler, language, standard in ((a.cc, "c", "-std=c99"), (a.cc, "c", "-std=c11"), ("c++", "c++", "-std=c++11")):
        if not shutil.which(shlex.split(compiler)[0]):
            print("skipped: no %s for the header" % compiler)
            continue
        q = run(*shlex.split(compiler), standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                "-x", language, ROOT + "/src/analyzer.h")
        c.hold(q.returncode == 0, "analyzer.h is %s" % standard[5:], q.stderr)


def build_example(c, a, lib, scratch):
    """The example by the flags of pkg-config, shared and static."""
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"), PKG_CONFIG_SYSROOT_DIR=os.path.abspath(a.installed))
    flags = run("pkg-config", "--cflags", "--libs", "analyzer", env=env).stdout.split()
    private = run("pkg-config", "--libs", "--static", "analyzer", env=env).stdout.split()
    source, built = ROOT + "/example/library/tables.c", []
    for name, more in (("shared", flags), ("static", ["-I" + lib + "/../include", lib + "/libanalyzer.a"] +
                                           [f for f in private if f != "-lanalyzer" and not f.startswith("-L")])):
        out = os.path.join(scratch, "tables-" + name)
        q = run(*shlex.split(a.cc), "-std=c11", "-Wall", "-Wextra", "-Werror", "-g", source, *more, "-o", out)
        if c.hold(q.returncode == 0, "example/library/tables.c builds, " + name, q.stderr):
            built.append(out)
    return built


def check_tables(c, a, programs, read, scratch):
    for name, path, options in inputs(a.example_data):
        folder = os.path.join(scratch, "csv", name)
        given = [w for k, v in options for w in ("--opt", "%s=%s" % (k, v))]
        config = name == "configuration"
        q = run(a.analyzer, "run", "--config=" + path if config else path, "-q", "--csv-dir", folder, *given)
        if not c.hold(q.returncode == 0, "%s: the program reads it" % name, q.stderr):
            continue
        tables, error, messages = read(path, options, config)
        c.hold(error == 0, "%s: the library reads it" % name, "; ".join(messages))
        c.hold(not (d := difference(tables, folder)), "%s: tables.py has the cells of the CSV report" % name, d)
        for program in [] if config else programs:
            q = run(program, path, *("%s=%s" % o for o in options))
            mine = printed(q.stdout)
            heads = {i: [n + "[" + u + "]" for n, u in cols] for i, cols, _ in tables}
            c.hold(q.returncode == 0 and {i: h for i, (h, _) in mine.items()} == heads,
                   "%s: %s prints the same tables" % (name, os.path.basename(program)), q.stderr[-300:])
            few = [i for i, _, rows in tables if mine.get(i, ("", -1))[1] != len(rows) and
                   not any("\n" in str(x) for r in rows for x in r)]
            c.hold(not few, "%s: %s prints all rows" % (name, os.path.basename(program)), " ".join(few))


def check_leaks(c, programs):
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return
    for path in ("example/pytorch/train_step.json", "example/tracy", "src/README.md"):
        q = run("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,possible", "--error-exitcode=99",
                programs[0], os.path.join(ROOT, path))
        c.hold(q.returncode in (0, 1), "valgrind finds nothing: " + path, q.stderr[-1500:])


# Nothing may be printed: run as a program of its own, whose output is looked at.
SILENT = """
    import ctypes, sys
    sys.path.insert(0, {folder!r})
    import tables
    broken, found = {broken!r}, []
    for path in (broken, broken + ".missing", "", "no-such-*.csv"):
        t, error, messages = tables.read(path)
        found.append((path, error, messages))
    found.append(("option", *tables.read({good!r}, [("no_such_option", "1")])[1:]))
    t, error, messages = tables.read({config!r}, config=True)
    found.append(("config", error, messages))
    with open({out!r}, "w") as f:
        f.write(repr(found))
"""


def check_errors(c, lib, scratch):
    broken, config, out = (os.path.join(scratch, n) for n in ("broken.json", "config.json", "found"))
    with open(broken, "w") as f:
        f.write('{"traceEvents": [ {"ph": "X", "na')
    with open(config, "w") as f:
        f.write('{"inputs": [{"format": "csv", "title": "${HOME}", "path": "x.csv"}]}')
    script = textwrap.dedent(SILENT).format(folder=ROOT + "/example/library", broken=broken, config=config, out=out,
                                            good=ROOT + "/example/pytorch/train_step.json")
    env = dict(os.environ, LIBANALYZER=os.path.join(lib, "libanalyzer.so.0"), HOME="/nowhere", TMPDIR=scratch)
    q = run(sys.executable, "-B", "-c", script, env=env, cwd=scratch)
    c.hold(q.returncode == 0 and q.stdout == "" and q.stderr == "", "wrong input prints nothing", q.stdout + q.stderr)
    found = ast.literal_eval(open(out, encoding="utf-8").read()) if os.path.exists(out) else []
    c.hold(len(found) == 6, "every wrong input returns")
    for what, error, messages in found:
        c.hold(error < 0 and len(messages) > 0, "an error and a message for '%s'" % os.path.basename(what),
               "%d %s" % (error, messages))
    c.hold(any("HOME" in m for m in found[-1][2]) if found else False, "variables of the environment are not known")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--installed", default=os.path.join(ROOT, "build", "installed"))
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--example-data",
                   default=os.environ.get("EXAMPLE_DATA", os.path.join(ROOT, "build", "example-data")))
    p.add_argument("--cc", default=os.environ.get("CC", "cc"))
    a = p.parse_args()
    c = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        lib = check_install(c, a)
        check_names(c, a, lib)
        check_abi(c, a, lib)
        check_headers(c, a)
        os.environ["LD_LIBRARY_PATH"] = lib
        os.environ["LIBANALYZER"] = os.path.join(lib, "libanalyzer.so.0")
        sys.dont_write_bytecode = True
        sys.path.insert(0, ROOT + "/example/library")
        import tables
        programs = build_example(c, a, lib, scratch)
        check_tables(c, a, programs, tables.read, scratch)
        if programs:
            check_leaks(c, programs)
        check_errors(c, lib, scratch)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
