# The verdict of traces with copies that cost time, and with two faults: every cell.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 copies two >/dev/null || exit 99
for d in made/*/fault; do
    echo "===== $(basename "$(dirname "$d")")"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    sh "$SRC/tests/golden/tables.sh" out account idle_causes findings verdict verdict_facts
    rm -rf out
done
for d in made/*/healthy; do
    echo "===== $(basename "$(dirname "$d")"), healthy"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    cat out/verdict.csv out/account.csv
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
