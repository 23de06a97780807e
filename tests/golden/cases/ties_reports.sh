# The reports of traces with equal values, of a comparison and of ranks: of each part of the text, the Markdown, the JSON, the
# page and the database its length and a digest.
"$PYTHON" "$SRC/tests/gen/make_ties.py" a.json --seed 31 --steps 4 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ties.py" b.json --seed 32 --steps 3 || exit 99
mkdir ranks
for rank in 0 1 2; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" ranks/rank_$rank.json --seed 33 --rank $rank --world 3 || exit 99
done
"$PYTHON" "$SRC/tests/gen/make_ties_tracy.py" "$SRC/example/tracy/ops_perf_results_layers.csv" ops.csv 34 || exit 99
all=text,md,json,html,sqlite
for wide in 80 120 200; do
    COLUMNS=$wide "$ANALYZER" run a.json --compat=all -v --text=full 2>/dev/null >text$wide
    COLUMNS=$wide "$ANALYZER" run ops.csv -v --text=full 2>/dev/null >ops$wide
done
"$ANALYZER" run -q a.json --compat=all -o one --format $all
"$ANALYZER" run -q ops.csv -o ops --format $all
"$ANALYZER" compare a.json b.json -q -o compared --format $all
"$ANALYZER" compare a.json b.json --all-sheets >compared.txt
"$ANALYZER" multirank -b ranks --all-ranks -q -o many --format $all
"$PYTHON" - <<'P'
import glob, hashlib, json, os, re, sqlite3


def show(kind, parts):
    print("==", kind)
    for name, text in parts:
        print("%-50s %6d %s" % (name[:50].replace("\n", " "), len(text), hashlib.sha256(text.encode()).hexdigest()[:16]))


def blocks(text):
    return [(b.split("\n")[0], b) for b in re.split(r"\n\n+", re.sub(r"analyzer \d[\w.+-]*|xxh3-128\S* +\S+", "", text))]


for path in sorted(glob.glob("text*") + glob.glob("ops[0-9]*") + ["compared.txt"]):
    show(path, blocks(open(path, encoding="utf-8").read()))
for path in sorted(glob.glob("*/*.md")):
    show(path, [(b.split("\n")[0], b) for b in re.split(r"\n(?=#)", re.sub(r"analyzer \d[\w.+-]*|xxh3-128.*", "", open(path, encoding="utf-8").read()))])
for path in sorted(glob.glob("*/*.json")):
    if os.path.dirname(path) == "ranks":
        continue
    doc = json.load(open(path, encoding="utf-8"))
    show(path, [(t["id"], json.dumps(t, ensure_ascii=False)) for t in doc["tables"] if t["id"] != "facts"]
         + [(k, json.dumps(v, ensure_ascii=False)) for k, v in doc.items() if k not in ("tables", "generator", "version", "inputs")])
for path in sorted(glob.glob("*/*.html")):
    page = open(path, encoding="utf-8").read()
    data = re.findall(r'<script type="application/json"[^>]*id="([^"]*)"[^>]*>(.*?)</script>', page, re.S)
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
    parts = re.split(r'(?=<(?:section|figure)\b)', page)
    show(path, data + [(re.sub(r"^<\w+ ?|>.*", "", p, flags=re.S), p) for p in parts[1:] if "xxh3-128" not in p])
for path in sorted(glob.glob("*/*.sqlite")):
    db = sqlite3.connect(path)
    names = [n for n, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('meta', 'facts') ORDER BY name")]
    show(path, [(n, repr(db.execute('SELECT * FROM "%s"' % n).fetchall())) for n in names])
P
