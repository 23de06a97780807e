# Both jobs are submitted, by a program in the place of sbatch: their numbers, its failures.
mkdir -p runs bin
for i in 0 1 2; do
    echo '{"traceEvents":[]}' >runs/rank_$i.json
done
cat >bin/sbatch <<'S'
#!/bin/sh
echo "$*" >>"$CALLS"
case "$MODE" in
fails) echo "sbatch: error: invalid partition" >&2; exit 1 ;;
second) case "$*" in *reduce*) echo "sbatch: error: no dependency" >&2; exit 7 ;; esac ;;
esac
echo "$((41 + $(wc -l <"$CALLS")));cluster"
S
chmod +x bin/sbatch
export CALLS="$PWD/calls" MODE
PATH="$PWD/bin:$PATH"
for MODE in good fails second; do
    for quiet in '' -q; do
        rm -f calls
        echo "== $MODE $quiet"
        # shellcheck disable=SC2086
        "$ANALYZER" slurm -b runs -o job --submit --force $quiet -- -p batch 2>&1
        echo "exit $?"
        sed "s|$PWD|DIR|g" calls
        cat job/log/submit
    done
done
