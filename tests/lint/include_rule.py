#!/usr/bin/env python3
"""Check the house rules that a compiler does not: who may include whom (the table between the include-rule marks of
src/README.md), which library header belongs where, who may allocate and print, the rules of findings, file and function lengths.

    include_rule.py [SRC_DIR]          prints FILE:line: message; exit status 1 if there is any
"""
import os
import re
import sys

FILE_LINES, FUNCTION_LINES, WARN_LINES = 700, 80, 60

# header (or prefix of one) -> where it may be included: rooms end in "/"
LIBRARIES = {
    "sqlite3.h": ["formats/", "query/", "reports/sqlite_events.c", "regression/history*.c", "regression/history_db.h",
                  "saved/load_sqlite.c"],
    "xlsxwriter": ["reports/xlsx/xlsx_lib.h"],
    "json-c": ["config/"],
    "minizip/": ["saved/load_xlsx*.c", "reports/xlsx/xlsx_pack.c"],
    "expat.h": ["saved/load_xlsx*.c"],
    "zlib.h": ["io/gzip*.c"],
    "igzip_lib.h": ["io/gzip*.c"],
    "isa-l": ["io/gzip*.c"],
    "zstd.h": ["io/zstd_inflate.c"],
    "zstd_errors.h": ["io/zstd_inflate.c"],
    "lua": ["extend/"],
    "lauxlib.h": ["extend/"],
    "utf8proc.h": ["base/utf8.c"],
    "xxhash.h": ["base/intern.c", "io/digest.c", "io/digest_v3.c"],
    "pthread.h": ["base/pool.c", "base/pipe.c", "read/", "run/", "reports/xlsx/"],
}
# identifier called -> where it may be called
CALLS = {
    r"\b(?:malloc|calloc|realloc|free|strdup|strndup)\s*\(": ["base/mem.c"],
    r"\b(?:secure_)?getenv\s*\(": ["base/env.c"],
    r"\b(?:exit|abort|printf|puts|putchar)\s*\(": ["cmds/", "main.c"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def rule_table(src, mark="include-rule"):
    text = open(os.path.join(src, "README.md"), encoding="utf-8").read()
    m = re.search(r"<!-- %s -->(.*?)<!-- /%s -->" % (mark, mark), text, re.S)
    if not m:
        sys.exit("src/README.md: no table between the %s marks" % mark)
    rule = {}
    for line in m.group(1).splitlines():
        if ":" in line:
            room, below = line.split(":", 1)
            rule[room.strip()] = set(below.split())
    return rule


def allowed(rel, places):
    for p in places:
        if p.endswith("/") and rel.startswith(p):
            return True
        if re.fullmatch(re.escape(p).replace(r"\*", "[^/]*"), rel):
            return True
    return False


def room_of(rel):
    return rel.split("/")[0] if "/" in rel else os.path.splitext(rel)[0]


def bare(text):
    """The text with comments and string contents blanked, line breaks kept."""
    out, i = [], 0
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    for m in token.finditer(text):
        out.append(text[i:m.start()])
        out.append(re.sub(r"[^\n]", " ", m.group(0)))
        i = m.end()
    return "".join(out) + text[i:]


def check_includes(rel, lines, rule, say):
    room = room_of(rel)
    if room not in rule:
        say(1, "room '%s' is not in the include rule of src/README.md" % room)
        return
    for n, line in enumerate(lines, 1):
        m = INCLUDE.match(line)
        if not m:
            continue
        name = m.group(2)
        for header, places in LIBRARIES.items():
            if name.startswith(header) and not allowed(rel, places):
                say(n, "<%s> belongs in %s only" % (name, ", ".join(places)))
        if m.group(1) != '"':
            continue
        if "/" not in name and name not in ("registry.h", "analyzer.h"):
            say(n, 'include "%s" by its room ("room/%s")' % (name, name))
            continue
        target = room_of(name)
        if target != room and target not in rule[room]:
            say(n, '%s may not include %s ("%s")' % (room, target, name))


def folder_of(rel):
    """Sub-folder of analyses, "." for files of analyses itself; None elsewhere."""
    parts = rel.split("/")
    return None if parts[0] != "analyses" else parts[1] if len(parts) > 2 else "."


def check_folders(rel, lines, rule, say):
    """Who may include whom within analyses."""
    folder = folder_of(rel)
    if folder is None:
        return
    if folder not in rule:
        say(1, "folder 'analyses/%s' is not in the analyses rule of src/README.md" % folder)
        return
    alone = {h for below in rule.values() for h in below if h.endswith(".h")}
    for n, line in enumerate(lines, 1):
        m = INCLUDE.match(line)
        target = folder_of(m.group(2)) if m and m.group(1) == '"' else None
        if target in (None, ".") and (target is None or "." in rule[folder] or folder == "."):
            continue
        header = m.group(2)[len("analyses/"):]
        if target != folder and target not in rule[folder] and header not in rule[folder]:
            say(n, "analyses/%s may not include analyses/%s (\"%s\")" % (folder, target, m.group(2)))
        elif rel[len("analyses/"):] in alone and target != folder:
            say(n, "header named alone in the analyses rule: it may not include a sub-folder (\"%s\")" % m.group(2))


def check_circle(rule, say):
    """The folders of a rule in an order in which each includes only earlier ones."""
    left = {k: {v for v in below if v in rule and v != k} for k, below in rule.items()}
    while True:
        free = [k for k in sorted(left) if not left[k]]
        if not free:
            break
        for k in free:
            del left[k]
        for below in left.values():
            below.difference_update(free)
    if left:
        say(1, "the rule allows a circle: %s" % ", ".join(sorted(left)))


def check_calls(rel, lines, say):
    for n, line in enumerate(lines, 1):
        for pattern, places in CALLS.items():
            m = re.search(pattern, line)
            if m and not allowed(rel, places):
                say(n, "%s belongs in %s only" % (m.group(0).rstrip("( "), ", ".join(places)))


def check_rules(text, say):
    """Rules of findings have one style, so that they can be looked for."""
    for m in re.finditer(r'\baz_finding\s*\(\s*[\w>.-]+,\s*"([^"]*)"', text):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", m.group(1)):
            say(text.count("\n", 0, m.start()) + 1, "rule '%s' of a finding: lower case, words joined by '_'" % m.group(1))


def check_lengths(rel, text, lines, say, warn):
    head = re.match(r"\s*/\*.*?\*/", text, re.S)
    if len(lines) > FILE_LINES and not (head and re.search(r"\blines\b", head.group(0))):
        say(1, "%d lines: over %d the header comment gives the reason (\"... lines because ...\")" % (len(lines), FILE_LINES))
    start = None
    for n, line in enumerate(lines, 1):
        if line == "{":
            start = n
        elif line.startswith("}") and start:
            length = n - start + 1
            name = next((m.group(1) for k in range(start - 2, max(start - 8, -1), -1)
                         for m in [re.search(r"(\w+)\s*\(", lines[k])] if m and not lines[k].startswith(" ")), "?")
            if length > FUNCTION_LINES:
                say(start, "function '%s' has %d lines (limit %d)" % (name, length, FUNCTION_LINES))
            elif length > WARN_LINES:
                warn(start, "function '%s' has %d lines (aim: under %d)" % (name, length, WARN_LINES))
            start = None


def main():
    src = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src")
    rule, folders = rule_table(src), rule_table(src, "analyses-rule")
    bad = files = 0
    for table in rule, folders:
        circles = []
        check_circle(table, lambda n, what, out=circles: out.append("src/README.md:%d: %s" % (n, what)))
        print("\n".join(circles), end="\n" if circles else "")
        bad += len(circles)
    for folder, dirs, names in os.walk(src):
        dirs.sort()
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            rel = os.path.relpath(path, src).replace(os.sep, "/")
            text = open(path, encoding="utf-8").read()
            lines = text.splitlines()
            found = []

            def say(n, what, rel=rel, found=found):
                found.append("src/%s:%d: %s" % (rel, n, what))

            def warn(n, what, rel=rel):
                print("src/%s:%d: warning: %s" % (rel, n, what))

            check_includes(rel, lines, rule, say)
            check_folders(rel, lines, folders, say)
            check_calls(rel, bare(text).splitlines(), say)
            check_rules(text, say)
            check_lengths(rel, text, lines, say, warn)
            print("\n".join(found), end="\n" if found else "")
            bad += len(found)
            files += 1
    print("include rule: %d files, %d violations" % (files, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
