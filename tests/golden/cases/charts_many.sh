# Charts of many rows: titles, captions and notes of the page, data of each chart, and where they are in the book.
"$PYTHON" "$SRC/tests/gen/make_pytorch_dense.py" dense.json --layers 3 --names 40 || exit 99
"$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" steps.json --steps 45 --layers 1 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "many/rank_{rank}.json" --ranks 30 --slow 17 --steps 3 --layers 1 || exit 99
"$ANALYZER" run -q dense.json steps.json --compat=all --format html,xlsx -o one
"$ANALYZER" multirank -b many --all-ranks -q --format html,xlsx -o many --force
"$ANALYZER" compare dense.json steps.json -q --format html,xlsx -o compared
"$PYTHON" - <<'P'
import glob, re

import openpyxl

for path in sorted(glob.glob("one/*.html") + glob.glob("many/*.html") + glob.glob("compared/*.html")):
    page = open(path, encoding="utf-8").read()
    print("==", path)
    for figure in re.findall(r"<figure.*?</figure>", page, re.S):
        text = [re.sub(r"<[^>]*>", "", x) for x in re.findall(r'<figcaption.*?</figcaption>|<p class="[^"]*".*?</p>', figure, re.S)]
        print("  ", " | ".join(t for t in text if t)[:600])
    for data in re.findall(r'<script type="application/json" id="charts[^"]*">(.*?)</script>', page, re.S):
        print("   data", data[:3000].replace('{"', '\n   {"'))
for path in sorted(glob.glob("one/*.xlsx") + glob.glob("many/*.xlsx") + glob.glob("compared/*.xlsx")):
    book = openpyxl.load_workbook(path)
    print("==", path)
    for sheet in book:
        for c in sheet._charts:
            a = c.anchor
            print("  ", sheet.title, type(c).__name__, a._from.row, a._from.col, a.to.row, a.to.col,
                  [(s.val or s.yVal).numRef.f for s in c.series][:6], [d.idx for s in c.series[:1] for d in (s.dLbls.dLbl if s.dLbls else ())])
P
