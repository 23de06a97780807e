#!/usr/bin/env python3
"""US spelling in comments, messages and pages, checked by codespell with spelling.txt (British -> US) and its own list of
misspellings. Identifiers are not checked: of programs only comments and strings with a blank, without words in backticks, of pages
nothing in backticks or blocks of code. Accepted words are in spelling_allowed.txt.

    spelling.py [ROOT]          prints FILE:line: word ==> spelling; exit status 1 if there is any
    spelling.py --fix [ROOT]    replaces the words of spelling.txt
"""
import io
import os
import re
import subprocess
import sys
import tempfile
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("src", "tests", "configs", "example", "schemas", ".ci")
SKIP = re.compile(r"^(?:tests/(?:data|fuzz/corpus|golden/cases/.*\.(?:stdout|stderr|md|html)|lint/spelling)|example/.*\.(?:csv|json)$|.*\.abi$)")
C_LIKE = (".c", ".h", ".js", ".css", ".map")
HASH = (".sh", ".rules", ".mk", ".yml", ".csv", ".txt", ".in")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`[^`]*`', re.S)


def blank(text):
    """Same length and lines, no letters."""
    return re.sub(r"[^\n]", " ", text)


def keep(text, spans):
    """The spans of the text, all else blank."""
    out, at = [], 0
    for begin, end in spans:
        out += [blank(text[at:begin]), text[begin:end]]
        at = end
    return "".join(out + [blank(text[at:])])


def c_like(text):
    spans = [m.span() for m in TOKEN.finditer(text) if m.group(0)[0] == "/" or " " in m.group(0)]
    return re.sub(r"`\w+`", lambda m: blank(m.group(0)), keep(text, spans))


def python(text):
    lines, spans = [0], []
    for line in text.splitlines(True):
        lines.append(lines[-1] + len(line))
    try:
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.type == tokenize.COMMENT or t.type == tokenize.STRING and " " in t.string:
                spans.append((lines[t.start[0] - 1] + t.start[1], lines[t.end[0] - 1] + t.end[1]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return keep(text, spans)


def hashes(text):
    return keep(text, [m.span() for m in re.finditer(r"(?:^|(?<=\s))#[^\n]*", text)])


def page(text):
    return re.sub(r"^```.*?^```|`[^`\n]*`|\]\([^)\n]*\)", lambda m: blank(m.group(0)), text, flags=re.S | re.M)


def prose(name, text):
    if name.endswith(C_LIKE):
        return c_like(text)
    if name.endswith(".py"):
        return python(text)
    if name.endswith(".md"):
        return page(text)
    if name.endswith(HASH) or os.path.basename(name) in ("Makefile", "Dockerfile", "run", "rules"):
        return hashes(text)
    if name.endswith(".lua"):
        return keep(text, [m.span() for m in re.finditer(r"--[^\n]*", text)])
    return None


def sources(root):
    names = [n for n in os.listdir(root) if os.path.isfile(os.path.join(root, n))]
    for top in FOLDERS:
        for folder, dirs, files in os.walk(os.path.join(root, top)):
            dirs.sort()
            names += [os.path.relpath(os.path.join(folder, f), root) for f in sorted(files)]
    return [n.replace(os.sep, "/") for n in names if not SKIP.match(n.replace(os.sep, "/"))]


def words_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip() and not line.startswith("#")]


def fix(path, text, checked, spellings):
    """Replace words of the checked text in the file; a capital stays one."""
    def us(word):
        new = spellings[word.lower()]
        return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new
    found = [m for m in re.finditer(r"[\w'-]+", checked) if m.group(0).lower() in spellings]
    for m in reversed(found):
        text = text[:m.start()] + us(m.group(0)) + text[m.end():]
    if found:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def main():
    args = [a for a in sys.argv[1:] if a != "--fix"]
    root = args[0] if args else os.path.join(HERE, "..", "..")
    allowed = [line.split(": ")[0] for line in words_of("spelling_allowed.txt")]
    accepted = re.compile("|".join(r"(?<!\w)%s(?!\w)" % re.escape(a) for a in allowed)) if allowed else None
    spellings = dict(line.split("->") for line in words_of("spelling.txt")) if "--fix" in sys.argv else {}
    files = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name in sources(root):
            try:
                with open(os.path.join(root, name), encoding="utf-8", newline="") as f:
                    whole = f.read()
            except UnicodeDecodeError:
                continue
            text = prose(name, whole)
            if text is None:
                continue
            text = re.sub(r"\\[nrt]", "  ", text)  # line breaks of strings
            text = accepted.sub(lambda m: blank(m.group(0)), text) if accepted else text
            if spellings:
                fix(os.path.join(root, name), whole, text, spellings)
                continue
            path = os.path.join(tmp, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            files += 1
        if spellings:
            return 0
        q = subprocess.run(["codespell", "-d", "-q", "35", "-H", "-D", os.path.join(HERE, "spelling.txt"), "-D", "-",
                            "--builtin", "clear", "."], cwd=tmp, capture_output=True, text=True)
    lines = sorted(re.sub(r"^\./", "", line) for line in q.stdout.splitlines() if line)
    print("\n".join(lines + ["spelling: %d files, %d violations" % (files, len(lines))]))
    if q.returncode and not lines:
        print(q.stderr, file=sys.stderr)
    return 1 if lines or q.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
