#!/usr/bin/env python3
"""Each check of this folder says what it is there to say: small trees with one fault each, and one without any.

    selftest.py          exit status 1 if a check misses its fault, or finds one where none is
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
README = """<!-- include-rule -->
base:
analyses: base
<!-- /include-rule -->
<!-- analyses-rule -->
.:
device: .
ops: . device %s
<!-- /analyses-rule -->
"""
CLEAN = {"src/README.md": README % "", ".clang-format": "ColumnLimit: 60\n",
         "src/base/a.c": '/* A comment. */\nint az_a(void) { return AZ_LENGTH(x); }\n',
         "src/analyses/device/d.c": '#include "analyses/rates.h"\n/* docs/formulas-pytorch.md 4 */\n'}
# what -> (script, files that differ, pattern of the message)
INCLUDES, TEXT = "include_rule.py", "text_rule.py"
FAULTS = {
    "room": (INCLUDES, {"src/base/b.c": '#include "analyses/rates.h"\n'}, "base may not include analyses"),
    "folder": (INCLUDES, {"src/analyses/device/d.c": '#include "analyses/ops/o.h"\n'},
               "analyses/device may not include analyses/ops"),
    "folder without a rule": (INCLUDES, {"src/analyses/new/n.c": "int az_n;\n"}, "not in the analyses rule"),
    "circle of folders": (INCLUDES, {"src/README.md": (README % "").replace("device: .", "device: . ops")}, "allows a circle"),
    "header named alone": (INCLUDES, {"src/README.md": (README % "").replace("device: .", "device: . ops/o.h"),
                                      "src/analyses/ops/o.h": '#include "analyses/device/d.h"\n'}, "header named alone"),
    "format in a name": (TEXT, {"src/analyses/device/d.c": "int az_pytorch;\n"}, "'pytorch': analyses"),
    "format in a string": (TEXT, {"src/facts/f.c": 'const char *az_f = "rocprof";\n'}, "'rocprof': analyses"),
    "word in a comment": (TEXT, {"src/base/b.c": "/* What is left\n * out. */\n"}, "'left out': write"),
    "word in a message": (TEXT, {"src/base/b.c": 'char *az_b = "events "\n"mended";\n'}, "'mended': write"),
    "long line": (TEXT, {"src/base/b.c": "/* %s */\n" % ("x" * 60)}, r"66 columns \(ColumnLimit"),
    "file that is not there": (TEXT, {"src/base/b.c": "/* Parts: a.c, gone.c. */\n"}, "'gone.c': there is no such file"),
    "length": (TEXT, {"src/base/b.c": "int az_n = sizeof x / sizeof *x;\n"}, r"AZ_LENGTH\(x\)"),
    "vague name": (TEXT, {"src/base/b.c": "int az_b_told(void);\n"}, "'az_b_told': name the action"),
    "length of a member": (TEXT, {"src/base/b.c": "int az_n = sizeof(a->x) / sizeof(a->x[0]);\n"}, r"AZ_LENGTH\(a->x\)"),
}
OBJECTS = {  # what -> (sources, pattern)
    "prefix": ({"base/a": "int plain(void) { return 1; }"}, "exported symbol 'plain'"),
    "circle": ({"base/a": "int az_b(void); int az_a(void) { return az_b(); }",
                "text/b": "int az_a(void); int az_b(void) { return az_a(); }"}, "circle across folders: base/a text/b"),
    "none": ({"base/a": "int az_b(void); int az_a(void) { return az_b(); }",
              "base/b": "int az_a(void); int az_b(void) { return az_a(); }"}, "2 objects, 0 violations"),
}


def tree(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def run(script, where):
    r = subprocess.run([sys.executable, os.path.join(HERE, script), where], stdout=subprocess.PIPE, text=True, check=False)
    return r.returncode, r.stdout


def main():
    bad = []
    for script in (INCLUDES, TEXT):
        with tempfile.TemporaryDirectory() as d:
            tree(d, CLEAN)
            rc, out = run(script, os.path.join(d, "src") if script == INCLUDES else d)
            if rc != 0:
                bad.append("%s finds a fault where none is:\n%s" % (script, out))
    for what, (script, files, pattern) in FAULTS.items():
        with tempfile.TemporaryDirectory() as d:
            tree(d, dict(CLEAN, **files))
            rc, out = run(script, os.path.join(d, "src") if script == INCLUDES else d)
            if rc != 1 or not re.search(pattern, out):
                bad.append("%s misses: %s\n%s" % (script, what, out))
    for what, (sources, pattern) in OBJECTS.items():
        with tempfile.TemporaryDirectory() as d:
            tree(d, {n + ".c": t for n, t in sources.items()})
            for n in sources:
                subprocess.run([os.environ.get("CC", "cc").split()[-1], "-c", "-o", n + ".o", n + ".c"], cwd=d, check=True)
            rc, out = run("symbols.py", d)
            if rc != (what != "none") or not re.search(pattern, out):
                bad.append("symbols.py misses: %s\n%s" % (what, out))
    print("\n".join(bad), end="\n" if bad else "")
    print("checks of the checks: %d, %d wrong" % (2 + len(FAULTS) + len(OBJECTS), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
