#!/usr/bin/env python3
"""Pages for users of other tools (src/docs/from-*.md): each option, sheet and function of the other tool is a row of a list in
tests/migration/, which says whether it is the same here, different, or not available, and what the program writes. Each row is
run, and the tables of the pages are made from these lists.

    migration_check.py --analyzer FILE --example-data DIR [--update] [NAME...]     the last line is "N passed, N failed"

A list, tests/migration/NAME.rows, has one row per line, fields separated by " | ":

    name | state | note | arguments | expectation

state is same, different or absent; a note is required for the last two: why it is better, or what to use instead. The arguments are
added to the section's command; arguments that begin with "analyzer" (or NAME=VALUE and that) are a command of their own. Expectations, separated by " ; ":

    TABLE                  TABLE.csv below OUT has rows
    TABLE: COLUMN, ...     and these columns, in this order, possibly among others
    TABLE = COLUMN, ...    and exactly these columns
    rows TABLE N           TABLE.csv has N rows
    cell TABLE COLUMN TEXT a row of TABLE.csv has this value in COLUMN
    no TABLE               there is no TABLE.csv
    only TABLE, ...        these tables, in any order, and no others
    file PATH              the file exists and is not empty
    sheets FILE: NAME, ... the workbook has these sheets, in this order, possibly among others
    exit N                 the exit status is N (without it: 0)
    prints TEXT            the text is printed, on standard output or standard error

Lines of directives:

    page NAME.md           page of src/docs that has the tables
    section NAME           begins a table; the page has it between <!-- rows: NAME --> and <!-- /rows -->
    title TEXT             heading of its first column
    prepare COMMAND        shell command that makes the inputs, in an empty folder ($EXAMPLE, $DATA, $SRC, $PYTHON)
    run COMMAND            the command to which a row's arguments are added (OUT: folder of results)
    options COMMAND        every option of `analyzer help COMMAND` has a row in this section, but for those of all such commands
"""
import argparse
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "src", "docs")
COMMON = {"opt", "compat", "format", "dry-run", "quiet", "verbose", "help", "no-sandbox", "csv-dir"}
STATES = {"same": "same", "different": "different", "absent": "not available"}


class Section:
    def __init__(self, name, page):
        self.name, self.page, self.title, self.run, self.options, self.prepare, self.rows = name, page, "option", "", None, [], []


def load(path):
    """The sections of a list. A row is (where, name, state, note, arguments, expectation)."""
    sections, page = [], ""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            word, _, rest = line.partition(" ")
            if not line.strip() or line.startswith("#"):
                continue
            if word == "page":
                page = rest
            elif word == "section":
                sections.append(Section(rest, page))
            elif word == "prepare":
                sections[-1].prepare.append(rest)
            elif word in ("title", "run", "options"):
                setattr(sections[-1], word, rest)
            else:
                fields = [x.strip() for x in re.split(r" \|(?= |$)", line)]
                if len(fields) != 5:
                    sys.exit("%s:%d: %d fields instead of 5" % (path, number, len(fields)))
                sections[-1].rows.append(("%s:%d" % (os.path.basename(path), number), *fields))
    return sections


def cell(text):
    return text.replace("|", "\\|")


def markdown(section):
    lines = ["| %s | here | note |" % section.title, "|---|---|---|"]
    lines += ["| %s | %s | %s |" % (cell(name), STATES[state], cell(note)) for _, name, state, note, _, _ in section.rows]
    return "\n".join(lines)


class Runner:
    """Commands in folders of their own; each distinct one is run once."""

    def __init__(self, analyzer, data, scratch):
        self.scratch, self.done = scratch, {}
        self.env = dict(os.environ, EXAMPLE=os.path.join(ROOT, "example"), DATA=os.path.abspath(data), SRC=ROOT, PYTHON=sys.executable,
                        COLUMNS="120", LC_ALL="C.UTF-8", NO_COLOR="1")
        tools = os.path.join(scratch, "bin")
        os.mkdir(tools)
        os.symlink(os.path.abspath(analyzer), os.path.join(tools, "analyzer"))
        self.env["PATH"] = tools + os.pathsep + self.env["PATH"]

    def shell(self, command, folder):
        return subprocess.run(["sh", "-c", command], cwd=folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def run(self, section, arguments):
        command = arguments if re.match(r"(\w+=\S+ )*analyzer ", arguments) else (section.run + " " + arguments).strip()
        key = (tuple(section.prepare), command)
        if key not in self.done:
            folder = tempfile.mkdtemp(dir=self.scratch)
            made = [self.shell(p, folder) for p in section.prepare]
            bad = [p for p in made if p.returncode]
            done = bad[0] if bad else self.shell(command, folder)
            self.done[key] = (done.returncode, done.stdout.decode("utf-8", "replace"), folder, command)
        return self.done[key]


def table(folder, name):
    """Header and rows of a CSV file; None: there is none."""
    path = os.path.join(folder, "OUT", name + ".csv")
    if not os.path.exists(path):
        return None
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    return (rows[0], rows[1:]) if rows else ([], [])


def in_order(wanted, have):
    rest = iter(have)
    return all(w in rest for w in wanted)


def names(text):
    """Names separated by commas; a name with a comma is written with a backslash before it."""
    return [n.strip().replace("\\,", ",") for n in re.split(r"(?<!\\),", text)]


def sheets_of(path):
    import openpyxl
    book = openpyxl.load_workbook(path, read_only=True)
    out = book.sheetnames
    book.close()
    return out


def check_table(folder, text):
    """What a table lacks; "": nothing."""
    m = re.match(r"(\S+?)(?:: (.*)| = (.*))?$", text)
    found = table(folder, m.group(1)) if m else None
    if found is None:
        return "no table in '%s'" % text
    header, rows = found
    if not rows:
        return "%s has no rows" % m.group(1)
    if m.group(2) and not in_order(names(m.group(2)), header):
        return "%s has the columns %s" % (m.group(1), ", ".join(header))
    if m.group(3) and names(m.group(3)) != header:
        return "%s has the columns %s" % (m.group(1), ", ".join(header))
    return ""


def check_one(folder, output, text):
    word, _, rest = text.partition(" ")
    if word == "no":
        return "%s is there" % rest if table(folder, rest) is not None else ""
    if word == "rows":
        name, count = rest.split()
        found = table(folder, name)
        return "" if found and len(found[1]) == int(count) else "%s has %s rows" % (name, len(found[1]) if found else "no")
    if word == "cell":
        name, column, value = re.match(r'(\S+) ("[^"]*"|\S+) (.*)$', rest).groups()
        header, rows = table(folder, name) or ([], [])
        column = column.strip('"')
        have = [r[header.index(column)] for r in rows] if column in header else []
        return "" if value in have else "%s, %s: %s" % (name, column, have[:8])
    if word == "only":
        have = sorted(os.path.basename(f)[:-4] for f in glob.glob(os.path.join(folder, "OUT", "*.csv")))
        return "" if have == sorted(names(rest)) else "tables " + ", ".join(have)
    if word == "file":
        path = os.path.join(folder, rest)
        return "" if os.path.exists(path) and os.path.getsize(path) else "no file %s" % rest
    if word == "sheets":
        name, _, wanted = rest.partition(": ")
        path = os.path.join(folder, name)
        have = sheets_of(path) if os.path.exists(path) else []
        return "" if have and in_order(names(wanted), have) else "sheets %s" % ", ".join(have)
    if word == "prints":
        return "" if rest in output else "printed: " + output[-300:]
    return check_table(folder, text)


def check_row(c, runner, section, row):
    where, name, state, note, arguments, expected = row
    what = "%s %s: %s" % (where, section.name, name)
    if not c.hold(state in STATES and expected and (note or state == "same"), what + ": complete", "state, note or expectation missing"):
        return
    status, output, folder, command = runner.run(section, arguments)
    parts = [p.strip() for p in expected.split(" ; ")]
    wanted = [int(p[5:]) for p in parts if p.startswith("exit ")] or [0]
    if not c.hold(status == wanted[0], what, "exit status %d of '%s': %s" % (status, command, output[-200:])):
        return
    wrong = [w for w in (check_one(folder, output, p) for p in parts if not p.startswith("exit ")) if w]
    c.hold(not wrong, what, "%s ('%s')" % ("; ".join(wrong), command))


def check_options(c, runner, section):
    """Every option of the command is a row."""
    _, text, _, _ = runner.run(section, "analyzer help " + section.options)
    have = [o for o in re.findall(r"^ {1,10}(?:-(\w), )?--([\w-]+)", text, re.M) if o[1] not in COMMON]
    rows = {o for r in section.rows for o in re.findall(r"(?<![\w-])--?([\w-]+)", r[1])}
    missing = [name for letter, name in have if letter not in rows and name not in rows]
    c.hold(have, "options of %s" % section.options, "none found")
    c.hold(not missing, "%s: every option has a row" % section.name, "missing: " + ", ".join(missing))


def check_page(c, section, update):
    path = os.path.join(DOCS, section.page)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    begin = "<!-- rows: %s -->\n" % section.name
    wanted = begin + markdown(section) + "\n<!-- /rows -->"
    at = text.find(begin)
    end = text.find("<!-- /rows -->", at)
    if not c.hold(at >= 0 and end >= 0, "%s has the table %s" % (section.page, section.name), "no mark '%s'" % begin.strip()):
        return
    have = text[at:end] + "<!-- /rows -->"
    if update and have != wanted:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text[:at] + wanted + text[end + len("<!-- /rows -->"):])
        have = wanted
    c.hold(have == wanted, "%s, %s: the list's rows" % (section.page, section.name), "stale (make readme)")


def check_deviations(c):
    """Each reference cell that is excused names the paragraph that wants another one."""
    with open(os.path.join(ROOT, "tests", "deviations.json"), encoding="utf-8") as f:
        for row in json.load(f):
            where = "deviations.json: %s, %s, %s" % (row["case"], row["table"], row["column"])
            c.hold(re.search(r"(spec|design)/[\w-]+\.md \d", row["why"]), where, "no paragraph in '%s'" % row["why"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--example-data")
    p.add_argument("--update", action="store_true", help="write the tables of the pages; run nothing")
    p.add_argument("names", nargs="*", help="lists or sections (all)")
    a = p.parse_args()
    c = Checks(quiet=True)
    if not a.names and not a.update:
        check_deviations(c)
    with tempfile.TemporaryDirectory(prefix="migration.") as scratch:
        runner = Runner(a.analyzer, a.example_data or "", scratch)
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "migration", "*.rows"))):
            for section in load(path):
                if a.names and section.name not in a.names and os.path.basename(path)[:-5] not in a.names:
                    continue
                check_page(c, section, a.update)
                if a.update:
                    continue
                if section.options:
                    check_options(c, runner, section)
                for row in section.rows:
                    check_row(c, runner, section, row)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return c.failed > 0


if __name__ == "__main__":
    sys.exit(main())
