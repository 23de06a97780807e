#!/usr/bin/env python3
"""Hold the documentation together: README.md is short and its commands run; every relative link of README.md and the
pages in src/docs leads to a file and a heading; every page is in the index; every section that a comment cites
(`docs/NAME.md SECTION`) is there; commands and options of examples exist; the picture of the output is what src/docs/make_screen.py draws now.

    docs_check.py [--analyzer FILE] [--example-data DIR]
The last line is "N passed, N failed".
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "src", "docs")
README_LINES = 120
PAGE_LINES = 300
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.S | re.M)
NUMBER = r"\d+(?:\.\d+)*"
CITATION = re.compile(r"\bdocs/([a-z-]+\.md)((?:(?:,| and| to|,? sections?)?[ \n*#/]+" + NUMBER + r"(?![\d%]))*)")
OUTSIDE = re.compile(r"(?<![/\w])[Ss]pec/\w|\b[Ss]pec(?::? [\"(]?| \")(?:[A-Z]\w+[ -]\w+|\d|multi|coll|comp|perf)")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def name(path):
    return os.path.relpath(path, ROOT)


def headings(text):
    """Headings of a page without those inside code."""
    return [m.group(1).strip() for m in re.finditer(r"^#+ (.*)$", FENCE.sub("", text), re.M)]


def anchors(text):
    """Anchors of the headings as Git hosts make them; an equal one gets a number."""
    seen, out = {}, set()
    for h in headings(text):
        a = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", h).lower()).replace(" ", "-")
        out.add(a if a not in seen else "%s-%d" % (a, seen[a]))
        seen[a] = seen.get(a, 0) + 1
    return out


def sections(text):
    """Numbers of the headings: "## 3. Tables" is 3, "### 3.1 Groups" is 3.1."""
    return [m.group(1) for h in headings(text) for m in [re.match(r"(" + NUMBER + r")\.? ", h)] if m]


def check_links(c, pages):
    for page in pages:
        bad = []
        for m in re.finditer(r"\]\(([^)\s]+)\)", FENCE.sub("", read(page))):
            target, _, anchor = m.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            if not os.path.exists(path):
                bad.append(m.group(1))
            elif anchor and (not path.endswith(".md") or anchor not in anchors(read(path))):
                bad.append(m.group(1))
        c.hold(not bad, "links of " + name(page), "lead nowhere: " + ", ".join(bad))


LABELS = ("mfu", "trust", "estimated saving", "operator time", "device time", "scope", "outside", "blame", "caused wait",
          "step device work", "exposed communication", "straggler", "skew")


def check_glossary(c):
    """Tooltips of the HTML report (src/reports/shared/glossary.c) have the meanings of the glossary."""
    text = re.sub(r'"\s*\n\s*"', "", read(os.path.join(ROOT, "src", "reports", "shared", "glossary.c")))
    terms = re.findall(r'^    \{ "([^"]+)",\s*"([^"]+)" \}', text, re.M)
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", read(os.path.join(DOCS, "glossary.md")), re.M)
    meanings = {re.sub(r"`| \(\[.*?\]\(.*?\)[^)]*\)", "", m).strip() for _, m in rows}
    bad = [word for word, meaning in terms if meaning not in meanings]
    known = {w.strip().lower() for words, _ in rows for w in words.split(",")}
    unknown = [w for w in LABELS if w not in known]
    c.hold(not unknown, "labels and columns of reports are in docs/glossary.md", ", ".join(unknown))
    c.hold(len(terms) > 10 and not bad, "tooltips have the meanings of docs/glossary.md", ", ".join(bad) or "%d terms" % len(terms))


def check_index(c):
    index = read(os.path.join(DOCS, "README.md"))
    missing = [os.path.basename(f) for f in glob.glob(os.path.join(DOCS, "*.md"))
               if os.path.basename(f) != "README.md" and "(%s)" % os.path.basename(f) not in index]
    c.hold(not missing, "src/docs/README.md lists every page", "missing: " + ", ".join(sorted(missing)))


def cited(text):
    """(page, section) of every citation; a citation without a section gives section ''."""
    for m in CITATION.finditer(text):
        numbers = re.findall(NUMBER, m.group(2))
        for n in numbers or [""]:
            yield m.group(1), n


def check_citations(c):
    known, count, bad, outside = {}, 0, [], []
    for page in glob.glob(os.path.join(DOCS, "*.md")):
        numbers = sections(read(page))
        known[os.path.basename(page)] = set(numbers)
        twice = sorted({n for n in numbers if numbers.count(n) > 1})
        if numbers:
            c.hold(not twice, "sections of %s have numbers of their own" % name(page), "twice: " + ", ".join(twice))
    # what the tests of other programs' results cite is outside: their list of deviations has a form of its own
    for folder, _, files in sorted(w for room in ("src", "tests", "configs") for w in os.walk(os.path.join(ROOT, room))):
        for f in sorted(files):
            path = os.path.join(folder, f)
            if not re.search(r"\.(c|h|py|sh|rules|lua)$", f) or os.path.samefile(path, __file__):
                continue
            text = read(path)
            for page, section in cited(text):
                count += 1
                if page not in known or (section and section not in known[page]):
                    bad.append("%s: docs/%s %s" % (name(path), page, section))
            outside += ["%s: '%s'" % (name(path), m.group(0)) for m in OUTSIDE.finditer(text)]
    c.hold(count >= 100, "comments cite the pages", "%d citations found" % count)
    c.hold(not bad, "every cited section is there", "; ".join(bad))
    c.hold(not outside, "no comment cites what is not in the repository", "; ".join(outside))


def check_picture(c, analyzer, scratch):
    made = os.path.join(scratch, "screen.svg")
    script = os.path.join(DOCS, "make_screen.py")
    q = subprocess.run([sys.executable, script, "--analyzer", analyzer, "-o", made], capture_output=True, text=True)
    c.hold(q.returncode == 0, "the picture of the output can be made", q.stderr.strip())
    if q.returncode == 0:
        drawn = xml.dom.minidom.parse(made).getElementsByTagName("text")
        c.hold(len(drawn) > 40, "the picture is an SVG with the text of a report", "%d texts" % len(drawn))
        c.hold(read(made) == read(os.path.join(DOCS, "screen.svg")), "src/docs/screen.svg is what the program prints",
               "stale (make readme)")


def commands(text):
    for m in FENCE.finditer(text):
        if m.group(1) == "sh":
            yield from (line for line in m.group(2).splitlines() if line.strip())


def written(folder):
    """When each file below the folder was written."""
    return {os.path.relpath(f, folder): os.stat(f).st_mtime_ns for d, _, names in os.walk(folder) for f in (os.path.join(d, n) for n in names)}


def check_verdict(c, analyzer, data):
    """The first screen that verdict.md explains is what the program prints of an example."""
    code = re.search(r"## 1\. First screen\n```\n(.*?)```", read(os.path.join(DOCS, "verdict.md")), re.S)
    q = subprocess.run([analyzer, os.path.join(data, "llama2_70b.sqlite")], capture_output=True, text=True)
    c.hold(bool(code) and code.group(1) in q.stdout, "the first screen in verdict.md is what the program prints",
           q.stdout[:1500] + q.stderr)


def check_commands(c, analyzer, data, scratch):
    """Every line of the blocks marked `sh` of README.md, in a copy of the examples."""
    for d in ("example", "build"):
        os.makedirs(os.path.join(scratch, d), exist_ok=True)
    shutil.copytree(os.path.join(ROOT, "example"), os.path.join(scratch, "example"), dirs_exist_ok=True)
    shutil.copytree(data, os.path.join(scratch, "build", "example-data"), dirs_exist_ok=True)
    os.symlink(analyzer, os.path.join(scratch, "build", "analyzer"))
    lines = list(commands(read(os.path.join(ROOT, "README.md"))))
    c.hold(len(lines) >= 10, "README.md has commands to run", "%d" % len(lines))
    files = written(scratch)
    for line in lines:
        q = subprocess.run(["sh", "-c", line], cwd=scratch, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        now = written(scratch)
        again = sorted(f for f in files if f in now and now[f] != files[f])
        c.hold(not again, "README.md: no file of an earlier command is written again", ", ".join(again))
        files = now
        c.hold(q.returncode == 0, "README.md: " + re.sub(r"\s+#.*", "", line),
               "exit status %d: %s" % (q.returncode, q.stderr.strip()[-300:]))


def check_options(c, analyzer, pages):
    """Commands and long options that code on the pages uses are those that the help knows."""
    def printed(*args):
        return subprocess.run([analyzer, "help"] + list(args), capture_output=True, text=True, check=True).stdout

    known = {m.group(1): None for m in re.finditer(r"^  ([a-z-]+) ", printed(), re.M)}
    keys = {"--" + m.group(1) for m in re.finditer(r"^  (\w+) \(", printed("config"), re.M)}
    bad = []
    for page in pages:
        text = re.sub(r"<!-- generated:.*?<!-- /generated -->", "", read(page), flags=re.S)
        code = [m.group(2) for m in FENCE.finditer(text)] + re.findall(r"`([^`\n]*)`", FENCE.sub("", text))
        for m in re.finditer(r"(?:^|[ /])analyzer( [^|;&#\n]*)", "\n".join(code), re.M):
            words = m.group(1).split()
            command = words[0] if words and re.fullmatch(r"[a-z-]+", words[0]) else "run"
            if command not in known:
                bad.append("%s: analyzer %s" % (name(page), command))
                continue
            if not known[command]:
                own = set(re.findall(r"--[a-z][a-z0-9_-]*", printed(command)))
                # what takes --opt takes every key as an option, with underlines or hyphens
                known[command] = {o.replace("_", "-") for o in own | (keys if "--opt" in own else set())} | {"--no-color"}
            bad += ["%s: analyzer %s %s" % (name(page), command, o) for o in re.findall(r"(?<= )--[a-z][a-z0-9_-]*", m.group(1))
                    if o.replace("_", "-") not in known[command]]
    c.hold(not bad, "commands and options of examples exist", "; ".join(bad))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--example-data", default=os.environ.get("EXAMPLE_DATA", os.path.join(ROOT, "build", "example-data")))
    a = p.parse_args()
    analyzer = os.path.abspath(a.analyzer)
    c = Checks()
    readme = os.path.join(ROOT, "README.md")
    lines = len(read(readme).splitlines())
    c.hold(lines <= README_LINES, "README.md has at most %d lines" % README_LINES, "%d" % lines)
    pages = [readme, os.path.join(ROOT, "src", "README.md"), os.path.join(ROOT, ".github", "CONTRIBUTING.md")]
    check_links(c, pages + sorted(glob.glob(os.path.join(DOCS, "*.md"))))
    long = [name(f) for f in sorted(glob.glob(os.path.join(DOCS, "*.md"))) if read(f).count("\n") > PAGE_LINES]
    c.hold(not long, "pages have at most %d lines" % PAGE_LINES, ", ".join(long))
    check_index(c)
    check_glossary(c)
    check_citations(c)
    check_options(c, analyzer, [readme] + sorted(glob.glob(os.path.join(DOCS, "*.md"))))
    with tempfile.TemporaryDirectory() as scratch:
        check_picture(c, analyzer, scratch)
        check_commands(c, analyzer, os.path.abspath(a.example_data), scratch)
    check_verdict(c, analyzer, os.path.abspath(a.example_data))
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, RuntimeError) as e:
        print("FAIL %s" % e)
        print("0 passed, 1 failed")
        sys.exit(1)
