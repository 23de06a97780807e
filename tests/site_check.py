#!/usr/bin/env python3
"""The pages as HTML (`make docs`): every page is there, links lead to files and anchors, nothing comes from the network, the
search knows every heading.

    site_check.py
The last line is "N passed, N failed".
"""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "src", "docs")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def main():
    c = Checks()
    if not shutil.which("cmark-gfm"):
        print("skipped: cmark-gfm is not installed; the pages are not built as HTML")
        print("0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "docs")
        q = subprocess.run([sys.executable, os.path.join(DOCS, "make_site.py"), "--out", out], capture_output=True, text=True)
        if not c.hold(q.returncode == 0, "the pages are built", q.stderr[-500:]):
            print("%d passed, %d failed" % (c.passed, c.failed))
            return 1
        files = {os.path.basename(f): read(f) for f in glob.glob(os.path.join(out, "*.html"))}
        c.hold(len(files) == len(glob.glob(os.path.join(DOCS, "*.md"))) + 3, "every page is there, and a search", "%d" % len(files))
        anchors = {n: set(re.findall(r'\bid="([^"]*)"', t)) for n, t in files.items()}
        bad, outside, unlisted = [], [], []
        for name, text in sorted(files.items()):
            for target in re.findall(r'(?:href|src)="([^"]*)"', text):
                target = html.unescape(target)
                path, _, at = target.partition("#")
                if re.match(r"[a-z]+:", target):
                    outside += [target] if "src=" in text and re.search(r'src="%s"' % re.escape(target), text) else []
                elif path and not os.path.exists(os.path.join(out, path)):
                    bad.append("%s: %s" % (name, target))
                elif at and (path or name) in anchors and at not in anchors[path or name]:
                    bad.append("%s: %s" % (name, target))
            if 'href="%s"' % name not in files["tutorial.html"] and name not in ("search.html", "pages.html"):
                unlisted.append(name)
        c.hold(not bad, "links lead somewhere", ", ".join(bad[:10]))
        c.hold(not outside, "nothing is loaded from the network", ", ".join(outside[:5]))
        c.hold(not unlisted, "the list next to a page has every page", ", ".join(unlisted))
        c.hold(all('<nav>' in t and '<main>' in t for t in files.values()), "pages have their parts")
        c.hold(all('id="fold"' in t and '<div class="pages">' in t for t in files.values() if "<nav>" in t)
               and "#fold:checked ~ .pages" in open(os.path.join(out, "style.css"), encoding="utf-8").read(),
               "the list of pages is folded on a narrow screen")
        index = json.loads(re.search(r"\[.*\]", read(out, "index.js"), re.S).group(0))
        wanted = sum(len(re.findall(r"<h[1-4] id=", t)) for t in files.values())
        c.hold(len(index) == wanted, "the search knows every heading", "%d of %d" % (len(index), wanted))
        c.hold(any(n == "verdict.html" and "exposed" in text for n, _, _, text in index), "and the text below it")
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
