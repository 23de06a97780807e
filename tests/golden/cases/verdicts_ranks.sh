# The verdict of runs of several ranks with known stragglers: every cell.
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 ranks never_idle missing_ranks >/dev/null || exit 99
for d in made/*/fault; do
    echo "===== $(basename "$(dirname "$d")")"
    "$ANALYZER" multirank -b "$d" --all-ranks -q --csv-dir out
    sh "$SRC/tests/golden/tables.sh" out account critical_path_of_run critical_path_shares exposed_communication findings \
        gpu_timelines_by_rank idle_causes nccl_exposure rank_summary ranks straggler_summary \
        summary_nccl_implicit_sync_cat verdict verdict_facts | sed -e 's/,1[67][0-9]\{16,17\},/,T,/g'
    grep -v -e ,pass, -e ,not_applicable, out/trust_checks.csv
    rm -rf out
done
for d in made/*/healthy; do
    echo "===== $(basename "$(dirname "$d")"), healthy"
    "$ANALYZER" multirank -b "$d" --all-ranks -q --csv-dir out
    cat out/verdict.csv out/rank_summary.csv
    rm -rf out
done
