# One small trace in all reports: the text, the Markdown, the JSON of some tables, the whole page, the book, the database.
"$PYTHON" - <<'P'
import json
events = [{"ph": "M", "pid": 0, "tid": 7, "name": "thread_name", "args": {"name": "stream 7"}}]


def add(cat, name, pid, tid, ts, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})


for step in range(3):
    t = 1000.0 + 100 * step
    add("user_annotation", "ProfilerStep#%d" % step, 9, 9, t, 100)
    shapes = {"Input Dims": [[64, 128], [128, 256]], "Input type": ["float", "float"]}
    for i, (name, kernel, dur) in enumerate((("aten::mm", "ampere_sgemm_128x64_tn", 20.25), ("aten::add", "vectorized_elementwise_kernel<4>", 5.5),
                                             ("nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30))):
        c = 10 * step + i + 1
        add("cpu_op", name, 9, 9, t + 10 * i, 8, **(shapes if i == 0 else {}))
        add("cuda_runtime", "cudaLaunchKernel", 9, 9, t + 10 * i + 2, 4, correlation=c)
        add("kernel", kernel, 0, 20 if i == 2 else 7, t + (15, 36, 40)[i], dur, correlation=c, device=0, stream=20 if i == 2 else 7, grid=[8, 1, 1], block=[128, 1, 1])
    add("cuda_runtime", "cudaMemcpyAsync", 9, 9, t + 40, 45, correlation=10 * step + 5)
    add("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 0, 7, t + 80, 4, correlation=10 * step + 5, device=0, stream=7, bytes=4096)
json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}], "traceEvents": events}, open("small.json", "w"))
P
"$ANALYZER" run small.json -o out --format text,md,json,html,xlsx,sqlite,csv -v || exit 99
echo "== Markdown"
cat out/small_perf_report.md
echo "== JSON"
"$PYTHON" - <<'P'
import json
doc = json.load(open("out/small_perf_report.json"))
print({k: v for k, v in doc.items() if k not in ("tables", "generator", "version")})
for t in doc["tables"]:
    print(t["id"], "|", t["title"], "|", {k: v for k, v in t.items() if k not in ("id", "title", "columns", "rows")})
    if t["id"] in ("gpu_timeline", "ops_summary", "steps", "findings", "verdict", "time_by_family", "flame", "tracks"):
        for c in t["columns"]:
            print("   ", c)
        for r in t["rows"]:
            print("    ", r)
P
echo "== page"
"$PYTHON" - <<'P'
import re
page = open("out/small_perf_report.html", encoding="utf-8").read()
for part in re.findall(r'<script type="application/json"[^>]*>.*?</script>', page, re.S):
    print(part.replace("},{", "},\n{").replace("],[", "],\n["))
page = re.sub(r"sha256-[A-Za-z0-9+/=]*", "sha256-SUM", page)
page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
head, *tables = re.split(r'(?=<section class="table")', page)
print(re.sub(r"(</(?:p|li|tr|h\d|div|dd|dt|summary|svg|section|figure|thead|tbody|rect|g|text)>|<(?:ul|ol|dl|details|main|nav)\b[^>]*>)(?!\n)", r"\1\n", head))
for t in tables:
    if re.search(r"<code>(gpu_timeline|ops_summary|findings|idle_gaps)</code>", t):
        print(t.replace("</tr>", "</tr>\n"))
P
echo "== book"
"$PYTHON" - <<'P'
import openpyxl
book = openpyxl.load_workbook("out/small_perf_report.xlsx")
print(book.sheetnames)


def color(c):
    return c.rgb if c is not None and isinstance(c.rgb, str) and c.rgb != "00000000" else ""


def look(c):
    styles = [c.number_format.replace("General", ""), "bold" * bool(c.font.b), color(c.font.color), color(c.fill.fgColor), c.alignment.horizontal or "",
              "wrap" * bool(c.alignment.wrap_text), c.hyperlink.location if c.hyperlink else ""]
    return "%s %r %s" % (c.coordinate, c.value, " ".join(x for x in styles if x))


for name in ("summary", "verdict", "gpu_timeline", "ops_summary", "findings", "steps", "kernel_summary"):
    s = book[name]
    print("==", name, s.dimensions, s.freeze_panes, s.auto_filter.ref, {k: d.width for k, d in sorted(s.column_dimensions.items())},
          [k for k, d in sorted(s.column_dimensions.items()) if d.hidden])
    print([(str(r.sqref), [(x.type, x.operator, x.formula) for x in r.rules]) for r in s.conditional_formatting])
    for row in s.iter_rows():
        print("; ".join(look(c) for c in row if c.value is not None))
    for chart in s._charts:
        place = chart.anchor
        print(type(chart).__name__, place._from.row, place._from.col, place.to.row, place.to.col)
        for x in chart.series:
            labels = x.dLbls and (x.dLbls.showVal, x.dLbls.showCatName, x.dLbls.showSerName, x.dLbls.showPercent, [getattr(d, "delete", None) for d in x.dLbls.dLbl or ()])
            print("    ", x.cat and x.cat.strRef and x.cat.strRef.f, (x.val or x.yVal).numRef.f, labels, x.spPr and x.spPr.solidFill and getattr(x.spPr.solidFill.srgbClr, "val", x.spPr.solidFill.srgbClr))
P
echo "== database"
"$PYTHON" - <<'P'
import sqlite3
db = sqlite3.connect("out/small_perf_report.sqlite")
for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND name IN ('meta', 'tables', 'columns', 'gpu_timeline', 'ops_summary')"):
    print(sql)
for t in ("tables", "gpu_timeline", "ops_summary"):
    for row in db.execute("SELECT * FROM " + t):
        print(t, row)
P
