# Traces with a known cause of lost time, copied with some seeded changes: rows and messages of each copy, a digest of each table.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 account steps idle rules copies trust faults >/dev/null || exit 99
rm -rf made/account-never_idle made/rules-no_place made/trust-truncated_input # two are long, one is no JSON
set --
for folder in made/*/fault; do
    set -- "$@" "$(find "$folder" -type f | sort | paste -s -d + -)"
done
"$PYTHON" "$SRC/tests/golden/edits.py" 8 3 "$@" micro_idle_thresh_us=1,100 steps=pattern,none
