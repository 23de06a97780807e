#!/usr/bin/env python3
"""Checks HTML reports without a browser: balanced elements, only the elements and attributes the writer knows, unique
ids, links that lead somewhere in the file, a policy whose digests are those of the style and scripts, valid JSON; and,
with --csv, that every cell of every table says what the CSV says.
usage: check_html.py [--csv CSV_DIR] FILE..."""
import argparse, base64, csv, hashlib, json, math, pathlib, re, sys, urllib.parse
from html.parser import HTMLParser

VOID = {"meta", "br", "input", "wbr"}
ATTRIBUTES = {"a": {"href", "class", "title"}, "abbr": {"title"}, "canvas": {"role", "aria-labelledby", "aria-describedby", "data-chart"},
              "details": {"open", "class"}, "div": {"class", "id", "tabindex", "role", "aria-labelledby"}, "figcaption": {"id"},
              "figure": {"id", "class"}, "h2": {"id"}, "h3": {"id"}, "html": {"lang"}, "input": {"type"}, "label": {"class"},
              "li": {"class", "data-about", "data-row", "data-family"}, "main": {"id"}, "meta": {"charset", "http-equiv", "content", "name"}, "nav": {"aria-label"},
              "p": {"class", "id"}, "script": {"type", "id"}, "section": {"class", "id"}, "span": {"class"},
              "table": {"class"}, "td": {"class", "title"}, "th": {"scope", "class", "title"},
              "ul": {"class", "aria-label"}, "path": {"class", "d"},
              "svg": {"class", "viewbox", "preserveaspectratio", "aria-hidden"}, "rect": {"class", "x", "y", "width", "height"},
              "line": {"class", "x1", "y1", "x2", "y2"}, "polygon": {"class", "points"}, "text": {"x", "y", "text-anchor"}}
PLAIN = {"bdi", "body", "br", "code", "dd", "dl", "dt", "footer", "h1", "head", "header", "noscript", "ol", "strong",
         "style", "summary", "tbody", "thead", "title", "tr", "wbr"}
errors = 0


def bad(where, text):
    global errors
    errors += 1
    print(f"check_html: {where}: {text}"[:500], file=sys.stderr)


class Page(HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.open, self.ids, self.links = name, [], [], []
        self.policy, self.inline, self.tables, self.section = "", [], {}, None
        self.row = self.cell = self.data = None

    def handle_starttag(self, tag, attributes):
        names = [k for k, _ in attributes]
        if tag not in PLAIN and tag not in ATTRIBUTES:
            bad(self.name, f"unexpected element <{tag}>")
        extra = set(names) - ATTRIBUTES.get(tag, set())
        if extra or len(set(names)) != len(names):
            bad(self.name, f"unexpected attributes of <{tag}>: {extra or names}")
        a = dict(attributes)
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "a":
            self.links.append(a.get("href", ""))
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if tag in ("script", "style"):
            self.inline.append([tag, a.get("type", "") and a.get("id", ""), ""])
        if tag == "section" and a.get("class") == "table":
            self.section = {"id": None, "rows": []}
        if tag == "tr" and self.section is not None:
            self.row = []
        if tag in ("td", "th") and self.row is not None:
            self.cell = [a.get("class", ""), a.get("title"), ""]
            if tag == "th" and self.cell[1]:  # the name in files; below it a term of the title
                self.cell[1] = self.cell[1].split("\n")[0]
        if tag == "code" and self.section is not None and self.section["id"] is None:
            self.section["id"] = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            bad(self.name, f"</{tag}> inside {self.open[-3:]}")
            return
        self.open.pop()
        if tag in ("td", "th") and self.row is not None:
            self.row.append(self.cell)
            self.cell = None
        elif tag == "tr" and self.section is not None:
            self.section["rows"].append(self.row)
            self.row = None
        elif tag == "section" and self.section is not None:
            self.tables[self.section["id"]] = self.section["rows"]
            self.section = None

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.inline[-1][2] += data
        if self.cell is not None:
            self.cell[2] += data
        elif self.open and self.open[-1] == "code" and self.section is not None and not self.section["rows"]:
            self.section["id"] = (self.section["id"] or "") + data

    def handle_comment(self, data):
        bad(self.name, f"a comment: {data[:50]}")

    def handle_decl(self, decl):
        if decl != "DOCTYPE html" or self.open:
            bad(self.name, f"unexpected <!{decl[:50]}>")

    def handle_pi(self, data):
        bad(self.name, f"<?{data[:50]}")


def check_page(path):
    raw = path.read_bytes()
    page = Page(path.name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as e:
        bad(path.name, f"not UTF-8: {e}")
        return page
    if re.search("[\0-\x08\x0b-\x1f\x7f]", text):
        bad(path.name, "control characters")
    page.feed(text)
    page.close()
    if page.open:
        bad(path.name, f"not closed: {page.open}")
    if len(set(page.ids)) != len(page.ids):
        bad(path.name, f"ids twice: {sorted(i for i in set(page.ids) if page.ids.count(i) > 1)}")
    for link in page.links:
        if not link.startswith("#") or urllib.parse.unquote(link[1:]) not in page.ids:
            bad(path.name, f"link to {link!r}")
    check_policy(page)
    return page


def check_policy(page):
    digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    want = {"default-src": {"'none'"}, "base-uri": {"'none'"}, "form-action": {"'none'"},
            "style-src": {digest(t) for tag, _, t in page.inline if tag == "style"},
            "script-src": {digest(t) for tag, kind, t in page.inline if tag == "script" and not kind}}
    got = {}
    for part in page.policy.split(";"):
        name, *values = part.split()
        got[name] = set(values)
    if got != want:
        bad(page.name, f"policy {got}, not {want}")
    for tag, kind, text in page.inline:
        if kind:
            if "<" in text or "\u2028" in text or "\u2029" in text:
                bad(page.name, "JSON with < or line separators")
            data = json.loads(text, parse_constant=lambda c: bad(page.name, f"JSON with {c}"))
            {"data": check_charts, "timeline-data": check_timeline, "flame-data": check_flame}[kind](page, data)


def check_charts(page, charts):
    for chart in charts:
        n = len(chart["labels"])
        marks = sum(v is not None for s in chart["series"] for v in s["values"])
        if any(len(s["values"]) != n for s in chart["series"]) or marks > 2000:
            bad(page.name, f"chart '{chart['kind']}': {n} labels, {marks} marks")


def check_timeline(page, data):
    """Marks in order, inside of the run, of names that are there, at most 50,000; levels from coarse to fine."""
    marks = 0
    for lane in data["lanes"]:
        whole = [level["r"] for level in lane["levels"] if (level["from"], level["to"]) == (0, data["span"])]
        if whole != sorted(whole, reverse=True) or not whole:
            bad(page.name, f"levels of {lane['label']}: {whole}")
        for level in lane["levels"]:
            n = len(level["s"])
            marks += n
            starts = [sum(level["s"][: i + 1]) for i in (0, n - 1)] if n else []
            if any(len(level[k]) != n for k in "dncbf" if k in level) or any(v < 0 for v in level["s"] + level["d"]):
                bad(page.name, f"marks of {lane['label']}, level {level['r']}")
            if n and (starts[-1] + level["d"][-1] > data["span"] or max(level["n"]) >= len(data["names"])):
                bad(page.name, f"marks of {lane['label']} end beyond the run")
            if level["r"] == 0 and any(c != 1 for c in level.get("c", [])):
                bad(page.name, f"densities among the events of {lane['label']}")
    if marks > 50000 or len(data["family"]) != len(data["names"]):
        bad(page.name, f"timeline of {marks} marks")
    for about in data["about"]:
        if not about["idle"] and not about["names"] and not about["families"]:
            bad(page.name, "a finding about nothing in the timeline")


def check_flame(page, data):
    n, below = len(data["parent"]), [0] * len(data["parent"])
    for i in range(1, n):
        below[data["parent"][i]] += data["total"][i]
        if data["parent"][i] >= i:
            bad(page.name, f"box {i} comes before what is above it")
    if n > 4000 or any(len(data[k]) != n for k in ("total", "count", "family", "name")) or any(b > t for b, t in zip(below, data["total"])):
        bad(page.name, f"flame view of {n} boxes")


def plain(text):
    """A JSON list as words, as readers are shown it: ["GEMM"] -> GEMM, [[64],[]] -> [64]."""
    try:
        items = json.loads(text) if text[:2] in ('["', "[[", "[]") else None
    except ValueError:
        return text
    if items is None:
        return text
    if text[:2] == '["':
        return ", ".join(item if item else "-" for item in items)
    return " ".join(json.dumps(item, separators=(",", ":")) for item in items if item) or "-"


def same(cell, want):
    kind, title, text = cell
    shortened = re.fullmatch(r"(.*)\u2026 \((\d+) bytes, whole in CSV and JSON\)", text, re.S)
    if "t" in kind.split() and shortened:
        return want.startswith(shortened[1]) and len(want.encode()) == int(shortened[2])
    if "t" in kind.split():
        return text == plain(want.replace("\r\n", "\n"))
    if text == "" or want == "":
        return text == want
    if want in ("True", "False"):
        return text == {"True": "yes", "False": "no"}[want]
    exact = title.split(" ")[0] if title else text.replace(",", "").removeprefix("+")
    return exact == want


def check_tables(page, folder, rows_most):
    for path in sorted(folder.glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as f:
            lines = list(csv.reader(f))
        got = page.tables.get(path.stem)
        if got is None:
            bad(page.name, f"no table {path.stem} of {sorted(map(str, page.tables))}")
            continue
        if len(lines) == 1 and not got:
            continue
        if rows_most and len(lines) - 1 > rows_most and len(got) == rows_most + 1:
            lines = lines[: rows_most + 1]
        if len(got) != len(lines) or len(got[0]) != len(lines[0]):
            bad(page.name, f"{path.stem}: {len(got)} x {len(got[0])}, not {len(lines)} x {len(lines[0])}")
            continue
        for r in range(1, len(lines)):
            for c, want in enumerate(lines[r]):
                if not same(got[r][c], want):
                    bad(page.name, f"{path.stem} row {r} column {c + 1}: {got[r][c]} is not {want!r}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--csv", type=pathlib.Path)
    p.add_argument("--rows", type=int, default=1000)
    p.add_argument("files", nargs="+", type=pathlib.Path)
    a = p.parse_args()
    for path in a.files:
        page = check_page(path)
        if a.csv:
            check_tables(page, a.csv, a.rows)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
