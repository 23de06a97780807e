#!/usr/bin/env python3
"""Hold the Python module together: the wheel (`make wheel`) installs with pip --no-index in a virtual environment and
needs no library of the system but glibc; its tables are those of the CSV report cell by cell, with numpy, without it, and by
the Arrow C stream interface; arrays share the library's memory and outlive the report; statements, comparisons, report
files and errors; the blocks of src/docs/python.md run, the first one without numpy, too.

    python_check.py [--wheel FILE] [--analyzer FILE] [--python FILE]
The last line is "N passed, N failed".
"""
import argparse
import calendar
import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "src", "docs", "python.md")
INPUTS = ("example/pytorch/train_step.json", "example/pytorch/inference.json", "example/tracy/ops_perf_results_host0.csv",
          "example/xplane", "example/multirank")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def install(c, wheel, python, folder, options=("--system-site-packages",)):
    """Python of a virtual environment with the wheel, and with numpy and pandas of the system unless `options` is empty."""
    q = run(python, "-m", "venv", *options, folder)
    own = os.path.join(folder, "bin", "python")
    c.hold(q.returncode == 0, "a virtual environment can be made", q.stderr)
    q = run(own, "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", wheel)
    c.hold(q.returncode == 0, "pip install --no-index installs the wheel", q.stdout + q.stderr)
    q = run(own, "-m", "pip", "check", "--disable-pip-version-check")
    c.hold("analyzer" not in q.stdout, "pip finds it complete", q.stdout)
    return own


def check_libraries(c, wheel, scratch):
    folder = os.path.join(scratch, "unpacked")
    run(sys.executable, "-m", "zipfile", "-e", wheel, folder)
    lib = os.path.join(folder, "analyzer", "lib")
    q = run("ldd", os.path.join(lib, "libanalyzer.so.0"))
    outside = [m.group(1) for m in re.finditer(r"(\S+) => (\S+)", q.stdout)
               if not m.group(2).startswith(lib) and not re.match(r"lib(c|m|dl|pthread|rt|gcc_s)\.so", m.group(1))]
    c.hold(q.returncode == 0 and not outside, "it needs no library of the system but glibc", " ".join(outside))
    c.hold(os.path.exists(os.path.join(folder, "analyzer", "py.typed")), "it is marked as typed")


def check_again(c, wheel, build, scratch):
    """The same bytes from the same library, version and time."""
    with zipfile.ZipFile(wheel) as z:
        when = calendar.timegm(z.infolist()[0].date_time + (0, 0, 0))
        extra = [n for n in z.namelist() if "/libxlsxwriter.so" in n]
    found = [f for n in extra for f in glob.glob("/usr/lib/*/" + os.path.basename(n))]
    q = run(sys.executable, os.path.join(ROOT, "src", "packaging", "python", "wheel.py"), "--library",
            os.path.join(build, "wheel", "libanalyzer.so.0"), "--version", os.path.basename(wheel).split("-")[1], "--epoch", str(when),
            "--out", scratch, *[w for f in found for w in ("--extra", f)])
    if not c.hold(q.returncode == 0, "the wheel is built again", q.stderr[-300:]):
        return
    with open(wheel, "rb") as one, open(q.stdout.strip(), "rb") as other:
        c.hold(one.read() == other.read(), "the wheel has the same bytes twice")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", default=os.path.join(ROOT, "build"))
    p.add_argument("--wheel")
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--python", default="/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
    a = p.parse_args()
    c = Checks()
    if run(a.python, "-c", "import ensurepip, numpy, pandas, pip, venv").returncode:
        print("skipped: no pip, venv, numpy or pandas for %s; the Python wheel is not installed" % a.python)
        print("0 passed, 0 failed")
        return 0
    wheels = [a.wheel] if a.wheel else glob.glob(os.path.join(a.build, "dist", "analyzer-*.whl"))
    if not c.hold(len(wheels) == 1, "there is one wheel", "make wheel: %s" % wheels):
        print("%d passed, %d failed" % (c.passed, c.failed))
        return 1
    wheel = os.path.abspath(wheels[0])
    with tempfile.TemporaryDirectory() as scratch:
        own = install(c, wheel, a.python, os.path.join(scratch, "venv"))
        check_libraries(c, wheel, scratch)
        check_again(c, wheel, os.path.abspath(a.build), os.path.join(scratch, "again"))
        for name in INPUTS:
            out = os.path.join(scratch, "csv", os.path.basename(name))
            q = run(os.path.abspath(a.analyzer), "run", os.path.join(ROOT, name), "-q", "--csv-dir", out)
            c.hold(q.returncode == 0, "%s: the program reads it" % name, q.stderr)
        env = {k: v for k, v in os.environ.items() if k not in ("LIBANALYZER", "LD_LIBRARY_PATH", "PYTHONPATH")}
        for more in ([], ["--without-numpy"]):
            q = run(own, os.path.join(ROOT, "tests", "python_module.py"), "--csv", os.path.join(scratch, "csv"), *more, *INPUTS,
                    cwd=ROOT, env=env)
            failures = re.findall(r"^FAIL (.*)", q.stdout, re.M)
            m = re.search(r"^(\d+) passed, (\d+) failed$", q.stdout, re.M)
            c.hold(m and q.returncode == 0 and not failures, "the module works %s" % " ".join(more),
                   "; ".join(failures[:5]) + q.stderr[-1500:])
            c.passed += int(m.group(1)) if m else 0
        with open(PAGE, encoding="utf-8") as f:
            blocks = re.findall(r"^```python\n(.*?)^```", f.read(), re.S | re.M)
        os.symlink(os.path.join(ROOT, "example"), os.path.join(scratch, "example"))
        # The first block, in the environment that the page makes, which has the wheel and nothing else; all with numpy and pandas.
        bare = install(c, wheel, a.python, os.path.join(scratch, "bare"), [])
        c.hold(run(bare, "-c", "import numpy").returncode != 0, "an environment without numpy")
        for block, python, what in [(b, bare, "without numpy") for b in blocks[:1]] + [(b, own, "with numpy") for b in blocks]:
            q = run(python, "-c", block, cwd=scratch, env=env)
            c.hold(q.returncode == 0, "a block of src/docs/python.md runs " + what, q.stderr[-500:])
            written = os.path.join(scratch, "train_step.html")
            c.hold("report.write(" not in block or os.path.exists(written), "and writes its report " + what)
            if os.path.exists(written):
                os.remove(written)
        c.hold(len(blocks) == 2 and "report.write(" in blocks[0] and "to_pandas" not in blocks[0] and "to_pandas" in blocks[1],
               "the page has a block for each")
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
