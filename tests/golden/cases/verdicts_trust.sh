# The trust checks of traces that are damaged, lose events or have impossible values: every cell.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 trust >/dev/null || exit 99
rm -r made/trust-missing_ranks
for d in made/*/fault; do
    echo "===== $(basename "$(dirname "$d")")"
    "$ANALYZER" run -q --csv-dir out "$d"/* 2>&1
    sh "$SRC/tests/golden/tables.sh" out trust_checks data_quality coverage
    cat out/verdict.csv
    rm -rf out
done
for d in made/*/healthy; do
    echo "===== $(basename "$(dirname "$d")"), healthy"
    "$ANALYZER" run -q --csv-dir out "$d"/*
    cat out/verdict.csv out/account.csv
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
