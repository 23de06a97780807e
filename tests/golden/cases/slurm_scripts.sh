# The scripts that are written for Slurm, and how they are submitted; what is wrong.
mkdir -p runs/a runs/b 'odd name'
for i in 0 1 2 3 4 5 6 7 8 9; do
    echo '{"traceEvents":[]}' >runs/a/rank_$i.json
done
cp runs/a/rank_1.json "odd name/rank_0 \$x.json"
s() {
    echo "== $*"
    "$ANALYZER" slurm "$@" 2>&1
    echo "exit $?"
}
show() {
    for f in "$1"/*; do
        [ -f "$f" ] && echo "-- $f" && sed "s|$ANALYZER|ANALYZER|g" "$f"
    done
    rm -rf "$1"
}
s -b runs -o job | sed "s|$ANALYZER|ANALYZER|g"
show job
s -b runs -b 'odd name' -o 'the job' -n 3 --limit 2 --format csv,html --opt rank_pattern=rank_ --force -- -p batch --time=30 | sed "s|$ANALYZER|ANALYZER|g"
show 'the job'
s -b '/local/run/*.json' --by-node 'node[1-3,7]' -o nodes -- -A "it's" | sed "s|$ANALYZER|ANALYZER|g"
show nodes
s -b none
s -b runs -n 0
s -b runs -n x
s -b runs --limit 0
s -b runs --by-node ''
s -o job
s -b runs --opt no_such_option=1 | sed 's/; see.*//'
s -b runs --format pdf | sed 's/; use text.*//'
