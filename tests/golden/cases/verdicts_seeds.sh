# The verdicts of traces with known faults and of their healthy counterparts, of other seeds than those whose cells are kept
# whole: of each its findings and a digest of the screen, the tables and the claims in JSON.
for seed in 2 3; do
    "$PYTHON" "$SRC/tests/gen/make_claims.py" made/$seed $seed >/dev/null || exit 99
done
for d in made/*/*/*; do
    case $d in
    */ranks-* | */*missing_ranks/* | */*never_idle/*) set -- multirank -b "$d" --all-ranks ;;
    *) set -- run "$d"/* ;;
    esac
    out=out/${d#made/}
    mkdir -p "$out"
    COLUMNS=120 "$ANALYZER" "$@" --csv-dir "$out/tables" -o "$out/one" --format text,json >"$out/screen" 2>"$out/messages"
done
"$PYTHON" - <<'P'
import csv, glob, hashlib, json, os, re

csv.field_size_limit(1 << 30)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


for out in sorted(glob.glob("out/*/*/*")):
    tables = {os.path.basename(p)[:-4]: read(p) for p in glob.glob(out + "/tables/**/*.csv", recursive=True)}
    names = ["verdict", "account", "trust_checks", "findings", "verdict_facts", "idle_causes", "idle_gaps", "step_work", "waiting"]
    claims = [{k: v for k, v in json.loads(read(p)).items() if k not in ("tables", "generator", "version", "inputs")}
              for p in sorted(glob.glob(out + "/**/*.json", recursive=True))]
    screen = re.split(r"\n\n", read(out + "/screen").partition("\n")[2])[0]
    found = [r["Rule"] for r in csv.DictReader(tables.get("findings", "").splitlines())]
    print(out[4:], digest(screen), digest("".join(tables.get(n, "") for n in names)), digest(json.dumps(claims)), ", ".join(found))
P
