# The verdict of traces made for one finding each, of Nsight, PyTorch, ROCm and XPlane: every cell, and the text.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 rules xplane >/dev/null || exit 99
for d in made/*/fault made/*/healthy; do
    name=$(dirname "$d")
    echo "===== $(basename "$name"), $(basename "$d")"
    COLUMNS=120 "$ANALYZER" "$d"/* | sed -e '1d' -e '/^$/q'
    "$ANALYZER" run -q --csv-dir out "$d"/*
    for t in account findings idle_causes idle_gaps step_work steps verdict verdict_facts; do
        [ -f out/$t.csv ] && echo "== $t" && sed -n 1,12p out/$t.csv
    done
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
