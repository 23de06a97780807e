# The verdict of traces whose idle time has a known cause: every cell.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 idle >/dev/null || exit 99
for d in made/*/fault; do
    echo "===== $(basename "$(dirname "$d")")"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    sh "$SRC/tests/golden/tables.sh" out account idle_causes verdict verdict_facts
    sed -n 1,4p out/idle_gaps.csv
    rm -rf out
done
for d in made/*/healthy; do
    echo "===== $(basename "$(dirname "$d")"), healthy"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    cat out/verdict.csv out/account.csv
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
