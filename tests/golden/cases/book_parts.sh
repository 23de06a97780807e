# The parts of workbooks but for their cells: every chart whole, of each sheet its views, columns, filters and formats, the
# styles, the names.
"$PYTHON" "$SRC/tests/gen/make_ties.py" one.json --seed 5 --steps 3 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ties.py" two.json --seed 6 --steps 3 || exit 99
mkdir ranks
for rank in 0 1 2 3 4; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" ranks/rank_$rank.json --seed 8 --rank $rank --world 5 --steps 2 || exit 99
done
"$ANALYZER" run -q one.json -o one.xlsx --opt short_kernel_study=true --opt short_kernel_threshold_us=3
"$ANALYZER" compare one.json two.json -q -o compared.xlsx
"$ANALYZER" multirank -b ranks --all-ranks -q -o ranks.xlsx
"$ANALYZER" run -q "$SRC/example/tracy/ops_perf_results_layers.csv" -o tracy.xlsx
"$ANALYZER" compare "$SRC/example/pytorch/train_step.json" "$SRC/example/pytorch/train_step_pageable.json" -q -o changes.xlsx
"$PYTHON" - one.xlsx compared.xlsx ranks.xlsx tracy.xlsx changes.xlsx <<'P'
import re, sys, zipfile

# Of charts, what is set; the rest is the library's.
SET = (r"<a:t>(?P<text>[^<]*)|<c:f>(?P<f>[^<]*)|srgbClr val=\"(?P<color>\w+)|<c:(?P<key>barDir|grouping|gapWidth|overlap|orientation|min|max|majorUnit|logBase|tickLblPos|"
       r"crosses|legendPos|dLblPos|showVal|showCatName|showSerName|showPercent|delete|idx|symbol|size|smooth|scatterStyle|varyColors|firstSliceAng|holeSize) "
       r"val=\"(?P<value>[^\"]*)|formatCode=\"(?P<format>[^\"]*)|<c:(?P<part>ser|title|catAx|valAx|legend|marker|dLbls|errBars|trendline|\w+Chart)>|<a:(?P<line>noFill|prstDash[^>]*|ln[^>]*)/?>|"
       r"<c:v>(?P<name>[^<]*)")


def chart(text):
    text = re.sub(r"<c:(num|str)Cache>.*?</c:\1Cache>", "", text, flags=re.S)
    out = ""
    for m in re.finditer(SET, text):
        g = {k: v for k, v in m.groupdict().items() if v is not None}
        if "part" in g:
            out += ("\n    " if g["part"] in ("ser", "catAx", "valAx", "legend") or g["part"].endswith("Chart") else " ") + g["part"]
        else:
            out += " " + (g["key"] + "=" + g["value"] if "key" in g else repr(g.get("text", g.get("name"))) if "text" in g or "name" in g else list(g.values())[0])
    return re.sub(r"'([\w.]+)'!", r"\1!", out)


for path in sys.argv[1:]:
    book = zipfile.ZipFile(path)
    print("==", path)
    for name in sorted(book.namelist(), key=lambda n: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", n)]):
        text = book.read(name).decode()
        if path == "changes.xlsx" and not (name.startswith("xl/charts/chart") and "top_changes" in text):
            continue  # what rises and what falls has colors of its own
        if name.startswith("xl/charts/chart"):
            print(name[3:], chart(text))
        elif name.startswith("xl/worksheets/sheet"):
            pane = re.findall(r'<pane ([^/]*)topLeftCell="(\w+)"', text)
            widths = ["%.2f%s" % (float(w), "h" * ("hidden" in more)) for w, more in re.findall(r'<col min="\d+" max="\d+" width="([\d.]+)"([^>]*)>', text)]
            rows = sorted({re.sub(r'\b(r|spans)="[\d:]+"|customHeight="1"', "", r).strip() for r in re.findall(r"<row ([^>]*)>", text)})
            print(name[3:], *re.findall(r'<(?:dimension|autoFilter) ref="([^"]*)"', text), *pane, " ".join(widths), *[r for r in rows if r], "%d links" % text.count("<hyperlink "))
            for rule in re.findall(r"<conditionalFormatting.*?</conditionalFormatting>", text, re.S):
                print("   ", re.sub(r"<\w+|</\w+>|/?>", " ", rule))
        elif name.startswith("xl/drawings/drawing"):
            print(name[3:], *re.findall(r"<xdr:from><xdr:col>(\d+)<.*?<xdr:row>(\d+)<.*?<xdr:to><xdr:col>(\d+)<.*?<xdr:row>(\d+)<", text))
        elif name == "xl/workbook.xml":
            print(*re.findall(r"<sheet [^>]*>|<definedName.*?</definedName>", text), sep="\n")
P
