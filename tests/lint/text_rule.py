#!/usr/bin/env python3
"""Check what is written in the C sources, line by line:
  vendor   no file of src/analyses or src/facts names a format, in names or in strings (VENDOR; comments may cite docs/)
  words    comments and messages use standard technical terms (WORDS: pattern, what to write instead); NOT_YET is counted only
  columns  no line is longer than ColumnLimit of .clang-format, but for tables between clang-format off and on
  length   the number of elements of an array is AZ_LENGTH(array)
  files    a source file that a comment names is there (FOREIGN: headers of libraries)
  names    names with az_ have verbs of programs and nouns of the domain (VAGUE)

    text_rule.py [ROOT]          prints FILE:line: message; exit status 1 if there is any
"""
import os
import re
import sys

VENDOR = re.compile(r"pytorch|kineto|rocprof|rocpd|pftrace|perfetto|nsys|nsight|xplane|tracy", re.I)
CITATION = re.compile(r"docs/[\w.-]+\.md[ 0-9.,ABC]*")
# file -> (pattern, reason)
VENDOR_ALLOWED = {}

# Pattern within comments and strings (without case) -> instead. \b at both ends.
WORDS = [
    (r"(?:is|are|was|were|be|been|has|have|not) told", "reported, declared, known"),
    (r"told (?:apart|by|from|in|of|to)", "distinguished, reported"),
    (r"tells?(?: (?:of|it|the|them|us|so|what|which|how|where|that|apart))?", "says, reports, shows"),
    (r"mend(?:s|ed|ing)?", "repair, correct"),
    (r"rims?", "edge"),
    (r"hires?|hired|crews?", "start, workers"),
    (r"sen[dt]s? home", "stop"),
    (r"want of memory", "out of memory"),
    (r"attendance", "present ranks"),
    (r"witness(?:es)?", "evidence"),
    (r"strangers?", "unknown, unlinked"),
    (r"odd (?:rows?|ones?|names?|values?|events?|files?)", "unrecognized"),
    (r"(?:made|held) rows", "lazy rows, materialized rows"),
    (r"cannot (?:be read|open)(?=: %)", "cannot read: ERROR, in every message"),
    (r"beside", "next to, with, in addition to"),
    (r"behind", "after"),
    (r"lies?|lying", "is"),
    (r"stands? (?:in|at|by|on|here|there|alone|next|after|before|with|as)", "is"),
    (r"twins?", "companion"),
    (r"fates?", "disposition"),
    (r"(?:is|are) no numbers?", "is not a number"),
    (r"is wanted here", "expected ..."),
    (r"left out", "skipped, omitted"),
    (r"passed over", "skipped"),
    (r"of late", "recently"),
    (r"thereof|whence|hence|thus", "so, therefore"),
    (r"befall(?:s|en|ing)?|befell", "happen to"),
    (r"kin", "kind, relative"),
    (r"would bring", "would save"),
    (r"data bases?", "database"),
    (r"time lines?", "timeline"),
    (r"anew", "again"),
    (r"held against", "compared with"),
    (r"hand(?:s|ed|ing)? over", "pass"),
    (r"sisters?", "sibling, peer"),
    (r"says?|said", "reports, prints, has"),
    (r"knows?", "has, contains, expects"),
    (r"asks?|asked|asking", "requests, queries"),
    (r"wants?|wanted", "requires, expects"),
    (r"judges?|judged", "evaluates, tests"),
    (r"refuses?|refused|refusing", "rejects"),
    (r"people", "readers, users"),
    (r"alike", "equal, similar"),
    (r"told", "reported, known"),
]
WORDS_RE = [(re.compile(r"\b(?:%s)\b" % p, re.I), p, i) for p, i in WORDS]
# Not yet banned: words of the style of version 0.1.0 that comments and messages still have. Their counts are printed; when
# one is 0, move it to WORDS. Some have good uses ("takes 2 s", "holds a lock"), which the wording of a rule has to leave.
NOT_YET = [
    (r"takes?|taken|took", "uses, accepts, is"),
    (r"holds?|held", "contains, stores"),
    (r"gives?|given|gave", "returns, provides"),
    (r"keeps?|kept", "stores, retains"),
    (r"looks?|looked|looking", "searches, reads, checks"),
    (r"figures?", "metric, value"),
    (r"cuts?", "truncated, clipped, split"),
    (r"likewise", "the same, also"),
    (r"(?:a|one) \w+ an? (?:row|rank|step|event|input|kernel|night|line|device|metric|file|table)", "one X per Y"),
]
NOT_YET_RE = [(re.compile(r"\b(?:%s)\b" % p, re.I), i) for p, i in NOT_YET]
# words of a formula or of a law that happen to be in the list: file -> phrases
WORDS_ALLOWED = {}
ARRAY = r"([\w.]+(?:->[\w.]+)*)"
LENGTH = re.compile(r"sizeof\s+" + ARRAY + r"\s*/\s*sizeof\s*(?:\*\s*\1\b|\(\*\s*\1\)|\1\[0\]|\(\1\[0\]\))(?!\s*[\[.(-])|"
                    r"sizeof\(" + ARRAY + r"\)\s*/\s*sizeof\s*(?:\*\s*\2\b|\(\*\s*\2\)|\2\[0\]|\(\2\[0\]\))(?!\s*[\[.(-])")
NAMED = re.compile(r"(?<![\w./*])[\w/-]+\.[ch](?![\w*]|\.\w)")
FOREIGN = {"pthread.h", "xlsxwriter.h", "/a/b.c"}  # and a path of an example
n = 0
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def column_limit(root):
    text = open(os.path.join(root, ".clang-format"), encoding="utf-8").read()
    return int(re.search(r"^ColumnLimit:\s*(\d+)", text, re.M).group(1))


def prose(text):
    """(offset, text) of each comment, and of strings with a blank in them: neighbors with nothing but blanks between
    are one, so that a phrase is found across a line break."""
    parts = []
    for m in TOKEN.finditer(text):
        t = m.group(0)
        if t[0] == "'" or (t[0] == '"' and text[:m.start()].rsplit("\n", 1)[-1].lstrip().startswith("#include")):
            continue
        if t[0] == '"' and parts and parts[-1][1].endswith('"') and not text[parts[-1][0] + len(parts[-1][1]):m.start()].strip():
            at = parts[-1][0]
            parts[-1] = (at, text[at:m.end()])
        else:
            parts.append((m.start(), t))
    return [(at, t) for at, t in parts if t[0] != '"' or " " in t]


def flat(t):
    """The prose on one line of the same length: stars of comments and joins of strings are blanks."""
    t = re.sub(r'"\s*\n\s*"', lambda m: " " * len(m.group(0)), t)
    return re.sub(r"\n[ ]*\*", lambda m: " " * len(m.group(0)), t).replace("\n", " ")


# Parts of names: verbs of people, and participles and pronouns, which leave open what is done and what it is.
VAGUE = re.compile(r"\baz_(?:\w*?_)?(says?|said|tells?|told|asks?|asked|asking|looks?|keeps?|kept|gives?|given|knows?|wants?|takes?|"
                   r"taken|alike|twin|seen|whose)(?=_|\b)\w*")


def check_names(text, say):
    code = TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    for m in VAGUE.finditer(code):
        say(code.count("\n", 0, m.start()) + 1, "'%s': name the action or the thing, not '%s'" % (m.group(0), m.group(1)))


def check_vendor(rel, text, say):
    if not rel.startswith(("src/analyses/", "src/facts/")):
        return
    for n, line in enumerate(text.splitlines(), 1):
        m = VENDOR.search(CITATION.sub("", line))
        if m and not any(re.search(p, line) for p, _ in VENDOR_ALLOWED.get(rel, [])):
            say(n, "'%s': analyses and facts do not name a format (ask for the fact it needs)" % m.group(0))


def check_words(rel, text, say, later):
    for at, t in prose(text):
        # blanks are one or more: a phrase may go over a line break
        quoted = re.sub(r"`[^`\n]*`", lambda m: "`" + "_" * (len(m.group(0)) - 2) + "`", t) if t[0] == "/" else t  # names
        line = re.sub(r" +", lambda m: " " + "\0" * (len(m.group(0)) - 1), flat(quoted))
        shrunk, where = [], []
        for i, c in enumerate(line):
            if c != "\0":
                shrunk.append(c)
                where.append(i)
        line = "".join(shrunk)
        for pattern, _, instead in WORDS_RE:
            for m in pattern.finditer(line):
                if any(p in line for p in WORDS_ALLOWED.get(rel, [])):
                    continue
                say(text.count("\n", 0, at + where[m.start()]) + 1, "'%s': write %s" % (m.group(0), instead))
        for i, (pattern, _) in enumerate(NOT_YET_RE):
            later[i] += sum(1 for _ in pattern.finditer(line))


def check_columns(text, limit, say):
    off = False
    for n, line in enumerate(text.splitlines(), 1):
        if "clang-format off" in line:
            off = True
        elif "clang-format on" in line:
            off = False
        elif len(line) > limit and not off:
            say(n, "%d columns (ColumnLimit of .clang-format: %d)" % (len(line), limit))


def check_length(text, say):
    if "define AZ_LENGTH" in text:
        return
    for m in LENGTH.finditer(text):
        say(text.count("\n", 0, m.start()) + 1, "AZ_LENGTH(%s) (base/err.h)" % (m.group(1) or m.group(2)))


def check_files(text, there, say):
    for at, t in prose(text):
        for m in NAMED.finditer(t) if t[0] == "/" else ():
            if os.path.basename(m.group(0)) not in there and m.group(0) not in FOREIGN:
                say(text.count("\n", 0, at + m.start()) + 1, "'%s': there is no such file" % m.group(0))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "..")
    limit = column_limit(root)
    bad = files = 0
    later = [0] * len(NOT_YET)
    there = {n for folder in ("src", "tests") for _, _, names in os.walk(os.path.join(root, folder)) for n in names}
    for folder, dirs, names in os.walk(os.path.join(root, "src")):
        dirs.sort()
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            rel = os.path.relpath(path, root).replace(os.sep, "/")
            text = open(path, encoding="utf-8").read()
            found = []

            def say(n, what, rel=rel, found=found):
                found.append((n, "%s:%d: %s" % (rel, n, what)))

            check_vendor(rel, text, say)
            check_words(rel, text, say, later)
            check_columns(text, limit, say)
            check_length(text, say)
            check_files(text, there, say)
            check_names(text, say)
            for _, line in sorted(set(found)):
                print(line)
            bad += len(found)
            files += 1
    words = sorted(((n, NOT_YET[i][0]) for i, n in enumerate(later) if n), reverse=True)
    if words:
        print("not yet banned: " + ", ".join("%s %d" % ((re.match(r"\w+", w) or ["a X a Y"])[0], n) for n, w in words))
    print("text rule: %d files, %d violations" % (files, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
