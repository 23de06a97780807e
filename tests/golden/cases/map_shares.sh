# Which files each share of a map has: of about equal size, the same for every task.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 9 --steps 1 --layers 1 --slow 1 || exit 99
i=0
for bytes in 5000 100 40000 1 9000 9000 300 70000 2000; do
    head -c $bytes /dev/zero | tr '\0' ' ' >>run/rank_$i.json
    i=$((i + 1))
done
for tasks in 1 2 3 4 9 12; do
    task=0
    while [ $task -lt $tasks ]; do
        rm -rf out
        "$ANALYZER" map run/*.json -o out --task $task/$tasks -q 2>&1
        # shellcheck disable=SC2046 # words
        echo "$task/$tasks:" $(find out -name '*.part' 2>/dev/null | sed 's/.*rank_//; s/\.json.*//' | sort)
        task=$((task + 1))
    done
done
for task in 3/3 -1/2 x 1/0 1; do
    "$ANALYZER" map run/*.json -o out --task $task -q 2>&1
    echo "exit $?"
done
