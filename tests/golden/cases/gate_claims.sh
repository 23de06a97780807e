# Gates and comparisons between a healthy trace and one with a fault, both ways: what changed, and why.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 3 'idle: blocking_copy' 'copies: pin_memory' 'steps: warm_up' >/dev/null || exit 99
whole() { # every element of every list of a verdict on a line of its own
    "$PYTHON" - "$1" <<'P'
import json, sys
doc = json.load(open(sys.argv[1], encoding="utf-8"))
for k, v in doc.items():
    if isinstance(v, list):
        print(k + ":", *(json.dumps(x, ensure_ascii=False) for x in v), sep="\n    ")
    elif k not in ("analyzer", "generator", "version"):
        print(k + ":", json.dumps(v, ensure_ascii=False))
P
}
for kind in made/*; do
    for way in 'healthy fault' 'fault healthy'; do
        echo "===== $(basename "$kind"): ${way% *} -> ${way#* }"
        "$ANALYZER" gate "$kind/${way% *}"/* "$kind/${way#* }"/* -v --format verdict -o out 2>/dev/null
        echo "exit $?"
        whole out/gates.json
        "$ANALYZER" compare "$kind/${way% *}"/* "$kind/${way#* }"/* --names a,b -q --csv-dir csv 2>&1
        sh "$SRC/tests/golden/tables.sh" csv verdict waterfall account idle_causes steps compare_summary compare_unmatched 2>/dev/null | cut -c 1-400
        rm -rf csv out
    done
done
