# The verdict of traces with known accounts of time and steps: every cell.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 account steps >/dev/null || exit 99
rm -r made/account-never_idle
for d in made/*/fault; do
    echo "===== $(basename "$(dirname "$d")")"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    sh "$SRC/tests/golden/tables.sh" out account steps step_work idle_causes verdict verdict_facts
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
for d in made/*/healthy; do
    echo "===== $(basename "$(dirname "$d")"), healthy"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    cat out/verdict.csv out/account.csv
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
