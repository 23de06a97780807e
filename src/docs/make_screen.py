#!/usr/bin/env python3
"""Draw the text report of an example as an SVG picture of a terminal (src/docs/screen.svg, shown in README.md).

    make_screen.py [--analyzer FILE] [--lines N] [-o FILE] [PATH...]
The program is run on the example with colors on; its output is drawn as it is, cut after N lines and 118 columns.
Equal output gives an equal picture. `make readme` calls this script.
"""
import argparse
import os
import re
import subprocess
import sys
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = 118
CELL_W, CELL_H, MARGIN = 7.8, 17, 14  # pixels
INK, DIM, PAPER = "#d6dae0", "#8b93a1", "#1b1f27"
# the colors of a terminal that the reports use: 0 to 15, and orange of the palette of 256
COLOURS = {1: "#cd3131", 2: "#0dbc79", 3: "#e5e510", 4: "#4f8ff0", 5: "#bc3fbc", 6: "#11a8cd", 7: "#e5e5e5", 8: "#7d8590",
           9: "#f14c4c", 10: "#23d18b", 11: "#f5f543", 12: "#6cb0ff", 13: "#d670d6", 14: "#29b8db", 15: "#ffffff",
           208: "#ff9d45"}


class Style:
    def __init__(self):
        self.bold = self.dim = False
        self.colour = None

    def take(self, codes):
        """Applies one escape sequence, as "1" or "38;5;9"."""
        n = [int(c) if c else 0 for c in codes.split(";")]
        if n[:2] == [38, 5] and len(n) == 3:
            self.colour = COLOURS.get(n[2], INK)
            return
        for c in n:
            if c == 0:
                self.__init__()
            elif c == 1:
                self.bold = True
            elif c == 2:
                self.dim = True
            elif 30 <= c <= 37:
                self.colour = COLOURS.get(c - 30, INK)
            elif 90 <= c <= 97:
                self.colour = COLOURS.get(c - 90 + 8, INK)

    def attributes(self):
        fill = self.colour or (DIM if self.dim else None)
        return ((' fill="%s"' % fill) if fill else "") + (' font-weight="bold"' if self.bold else "")


def spans(line, style):
    """(column, text, attributes) of the parts of a line; the style goes on to the next line."""
    out, column = [], 0
    for i, part in enumerate(re.split(r"\x1b\[([\d;]*)m", line)):
        if i % 2:
            style.take(part)
        elif part:
            part = part[:COLUMNS - column]
            if part.strip():
                out.append((column, part, style.attributes()))
            column += len(part)
    return out


def picture(text, lines, title):
    rows = text.rstrip("\n").split("\n")
    more = len(rows) > lines
    rows = rows[:lines]
    while rows and not rows[-1].strip():
        rows.pop()
    width = round(COLUMNS * CELL_W + 2 * MARGIN)
    height = round((len(rows) + (2 if more else 1)) * CELL_H + 2 * MARGIN)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">' %
           (width, height, width, height),
           "<title>%s</title>" % escape(title),
           '<rect width="%d" height="%d" rx="8" fill="%s"/>' % (width, height, PAPER),
           '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13" fill="%s">' % INK]

    def put(row, column, text, attributes):
        out.append('<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>' %
                   (MARGIN + column * CELL_W, MARGIN + (row + 1) * CELL_H, len(text) * CELL_W, attributes, escape(text)))

    put(0, 0, "$ " + title, ' fill="%s"' % COLOURS[10])
    style = Style()
    for r, row in enumerate(rows):
        for column, text, attributes in spans(row, style):
            for m in re.finditer(r"\S+(?: \S+)*", text):  # viewers fold longer runs of blanks
                put(r + 1, column + m.start(), m.group(0), attributes)
    if more:
        put(len(rows) + 1, 0, "\u22ee", ' fill="%s"' % DIM)
    out += ["</g>", "</svg>", ""]
    return "\n".join(out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--lines", type=int, default=44)
    p.add_argument("-o", "--output", default=os.path.join(ROOT, "src", "docs", "screen.svg"))
    p.add_argument("path", nargs="*", default=["example/pytorch/train_step.json"])
    a = p.parse_args()
    q = subprocess.run([os.path.abspath(a.analyzer), "run"] + a.path + ["--format", "text", "--color=always"],
                       capture_output=True, cwd=ROOT, stdin=subprocess.DEVNULL)
    if q.returncode:
        sys.exit("make_screen.py: analyzer: exit status %d: %s" % (q.returncode, q.stderr.decode(errors="replace").strip()))
    svg = picture(q.stdout.decode("utf-8"), a.lines, "analyzer run " + " ".join(a.path))
    with open(a.output, "w", encoding="utf-8") as f:
        f.write(svg)


if __name__ == "__main__":
    main()
