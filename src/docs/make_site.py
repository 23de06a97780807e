#!/usr/bin/env python3
"""Builds the pages of src/docs and the README as HTML: one folder of static files with a list of pages and a search that
works without a server. Markdown is converted by cmark-gfm.

    make_site.py --out DIR
"""
import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys

DOCS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(DOCS))
STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1a1c20; --dim: #5b626d; --line: #d9dde3; --code: #f4f5f7; --link: #0b57b0 }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e4e6ea; --dim: #9aa3af; --line: #33383f; --code: #202329; --link: #7ab4ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; display: flex }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
nav { width: 17rem; flex: none; padding: 1.2rem; border-right: 1px solid var(--line); height: 100vh; overflow: auto; position: sticky; top: 0; font-size: 14px }
nav h2 { font-size: 13px; color: var(--dim); margin: 1.2em 0 .3em } nav ul { list-style: none; margin: 0; padding: 0 } nav form { margin: .8em 0 } nav [aria-current] { font-weight: 600 }
main { padding: 1.5rem 2.5rem 4rem; max-width: 62rem; min-width: 0; flex: 1 }
h1 { font-size: 1.9rem } h1, h2, h3 { line-height: 1.25 } h2 { margin-top: 2em; border-bottom: 1px solid var(--line) }
pre, code { font: 13.5px/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px } code { padding: .1em .3em } pre { padding: .8em 1em; overflow: auto } pre code { padding: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: 14.5px } th, td { border-bottom: 1px solid var(--line); padding: .35em .7em; text-align: left; vertical-align: top }
img { max-width: 100% } input { width: 100%; font: inherit; padding: .4em .6em; background: var(--back); color: var(--text); border: 1px solid var(--line); border-radius: 4px }
.hit { margin: 1em 0 } .hit p { margin: .2em 0; color: var(--dim) } mark { background: #ffe58a; color: #000 }
#fold, #fold + label { display: none }
@media (max-width: 50rem) { body { display: block } nav { width: auto; height: auto; position: static; border: 0; padding-bottom: 0 }
  #fold, #fold + label { display: inline; width: auto; margin: .6em .3em 0 0 } .pages { display: none } #fold:checked ~ .pages { display: block } }
@media print { nav { display: none } }
"""
SEARCH = """
const box = document.getElementById('q'), out = document.getElementById('hits');
const plain = s => s.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
function search() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(w => w), hits = [];
  for (const [page, anchor, title, text] of words.length ? PAGES : []) {
    const head = title.toLowerCase(), body = text.toLowerCase();
    if (words.every(w => head.includes(w) || body.includes(w)))
      hits.push([words.filter(w => head.includes(w)).length * 10 + words.reduce((n, w) => n + Math.min(body.split(w).length - 1, 5), 0), page, anchor, title, text]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  out.innerHTML = hits.slice(0, 50).map(([, page, anchor, title, text]) => {
    const at = Math.max(0, Math.min(...words.map(w => (text.toLowerCase().indexOf(w) + 1 || 1e9) - 60)));
    let part = plain(text.slice(at < 1e8 ? at : 0, (at < 1e8 ? at : 0) + 200));
    for (const w of words) part = part.replace(new RegExp(plain(w).replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&'), 'gi'), m => '<mark>' + m + '</mark>');
    return `<div class="hit"><a href="${page}#${anchor}">${plain(title)}</a> <small>${page}</small><p>${part}</p></div>`;
  }).join('') || (words.length ? '<p>No page has all of these words.</p>' : '');
  history.replaceState(null, '', words.length ? '#' + encodeURIComponent(box.value) : ' ');
}
box.addEventListener('input', search);
box.value = decodeURIComponent(location.hash.slice(1));
search();
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def anchor(heading, seen):
    """As Git hosts make it; an equal one gets a number."""
    a = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", html.unescape(heading)).lower()).replace(" ", "-")
    seen[a] = seen.get(a, -1) + 1
    return a if not seen[a] else "%s-%d" % (a, seen[a])


def name_of(page):
    """The HTML file of a Markdown file; the index of all pages is pages.html."""
    path = os.path.relpath(page, ROOT)
    if path == "README.md":
        return "index.html"
    if path == os.path.join("src", "docs", "README.md"):
        return "pages.html"
    if path == os.path.join("src", "README.md"):
        return "source.html"
    return os.path.splitext(os.path.basename(path))[0] + ".html"


def convert(page, pages):
    """(title, html, sections for the search) of a page."""
    body = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink"], input=read(page), capture_output=True, text=True, check=True).stdout
    seen = {}

    def head(m):
        return '<h%s id="%s">%s</h%s>' % (m.group(1), anchor(m.group(2), seen), m.group(2), m.group(1))

    def link(m):
        target, _, at = html.unescape(m.group(2)).partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return m.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        new = name_of(path) if path in pages else os.path.basename(path) if path.endswith((".svg", ".png")) else None
        if new is None:
            return "%s#%s" % (m.group(1), '"')
        return "%s%s%s%s" % (m.group(1), new, "#" + at if at else "", '"')

    body = re.sub(r"<h([1-6])>(.*?)</h\1>", head, body, flags=re.S)
    body = re.sub(r'((?:href|src)=")([^"]*)"', link, body)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.S)
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    title = re.sub(r"<[^>]*>", "", re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S).group(1))
    sections = []
    for part in re.split(r"(?=<h[1-4] id=)", body):
        m = re.match(r'<h[1-4] id="([^"]*)">(.*?)</h', part, re.S)
        if m:
            text = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", part[m.end():])))
            sections.append((m.group(1), html.unescape(re.sub(r"<[^>]*>", "", m.group(2))), text.strip(" 123456>")))
    return html.unescape(title), body, sections


def navigation(pages, titles):
    """The list of pages in the order of the index, under its headings."""
    out = ['<p><a href="index.html">analyzer</a></p><form action="search.html" onsubmit="location=\'search.html#\'+encodeURIComponent(this.q.value);return false">'
           '<input name="q" type="search" placeholder="Search" aria-label="Search"></form>',
           # where the page is narrow, the list is folded: a box that needs no script
           '<input id="fold" type="checkbox"><label for="fold">Contents</label><div class="pages">',
           '<ul><li><a href="tutorial.html">Tutorial</a></li></ul>']
    listed = {os.path.join(DOCS, "tutorial.md")}
    for part in re.split(r"^## ", read(os.path.join(DOCS, "README.md")), flags=re.M)[1:]:
        heading, rest = part.split("\n", 1)
        found = [os.path.normpath(os.path.join(DOCS, t)) for t in re.findall(r"\]\(([^)#]+)\)", rest)]
        found = [p for p in dict.fromkeys(found) if p in pages and p not in listed]
        listed.update(found)
        out.append("<h2>%s</h2><ul>%s</ul>" % (html.escape(heading), "".join(
            '<li><a href="%s">%s</a></li>' % (name_of(p), html.escape(titles[p])) for p in found)))
    return "\n".join(out) + "</div>"


def whole(title, nav, body, name):
    nav = nav.replace('<a href="%s">' % name, '<a href="%s" aria-current="page">' % name)
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            '<title>%s - analyzer</title><link rel="stylesheet" href="style.css"></head><body>\n<nav>%s</nav>\n<main>\n%s</main>\n</body></html>\n' %
            (html.escape(title), nav, body))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", required=True)
    out = p.parse_args().out
    if not shutil.which("cmark-gfm"):
        sys.exit("cmark-gfm is missing; install the package cmark-gfm")
    pages = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "src", "README.md")]
    pages += sorted(os.path.join(DOCS, f) for f in os.listdir(DOCS) if f.endswith(".md"))
    made = {page: convert(page, pages) for page in pages}
    nav = navigation(pages, {page: made[page][0] for page in pages})
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    index = []

    def write(name, text):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(text)
    for page, (title, body, sections) in made.items():
        write(name_of(page), whole(title, nav, body, name_of(page)))
        index += [[name_of(page), at, title if i == 0 else "%s: %s" % (title, heading), text] for i, (at, heading, text) in enumerate(sections)]
    form = '<h1>Search</h1><p><input id="q" type="search" autofocus aria-label="Words"></p><div id="hits"></div><script src="index.js"></script><script src="search.js"></script>'
    write("search.html", whole("Search", nav, form, "search.html"))
    write("index.js", "const PAGES = %s;\n" % json.dumps(index, ensure_ascii=False, separators=(",", ":")))
    write("search.js", SEARCH.lstrip("\n"))
    write("style.css", STYLE.lstrip("\n"))
    for f in sorted(os.listdir(DOCS)):
        if f.endswith((".svg", ".png")):
            shutil.copy(os.path.join(DOCS, f), out)
    print("%s: %d pages" % (os.path.join(out, "index.html"), len(pages)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
