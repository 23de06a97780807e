# Several runs below a folder: their titles where folders have one name, links to the same folder, filters and exact ranks, several
# files of a rank, one name for the outputs of all.
exec 2>&1
unset COLUMNS
m() {
    echo "== $*"
    "$ANALYZER" multirank "$@"
    echo "exit $?"
}
files() { find "$@" -type f ! -name '*.csv' | LC_ALL=C sort; }
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "a/run/rank_{rank}.json" --ranks 2 --layers 1 --steps 1 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "twelve/rank_{rank}.json" --ranks 12 --layers 1 --steps 1 || exit 99
mkdir -p some/b some/c some/d
cp -r a some/a
cp -r a/run some/b/run
cp -r a/run some/c/other
cp -r a/run some/c/run
cp -r a/run some/d/other
cp -r a/run some/d/alone
m -b some --all-ranks -d
m -b some --all-ranks | grep '^=\|^input'
echo "-- links: the same folder is one run, under its own name"
ln -s ../a/run some/d/link
ln -s a some/e
m -b some -f run rank_ -d | grep '^run'
m -b some/d --all-ranks -d | grep '^run\|^ *some'
m -b some/e --all-ranks -d | grep '^run\|^ *some'
echo "-- filters"
m -b some -f /run/ rank_1 -d
m -b some -f none -d
m -b twelve -f rank_1 -d
m -b twelve -f rank_1 --exact-rank -d
m -b twelve -f rank_1 rank_0 --exact-rank -d
m -b twelve -f rank_2 -d -q
m -b twelve -f rank_0 -d --format json
m -b twelve -f rank_3 -d -o out
m -b twelve -f twelve/rank_3 -d -q
echo "-- several files of a rank"
cp -r a/run double
cp double/rank_0.json double/again_rank_0.json
m -b double --all-ranks -q --csv-dir double_csvs
for what in first last each-step error none; do
    m -b double --all-ranks --duplicate-rank $what -d
    m -b double --all-ranks --duplicate-rank $what -q --csv-dir "$what"
    cut -d, -f1,2 "$what/ranks.csv" 2>/dev/null
done
echo "-- outputs"
rm some/d/link some/e
m -b some --all-ranks -q -o out
files out some | grep -v '/rank_'
m -b some --all-ranks -q -o out
m -b some --all-ranks -q --csv-dir csvs --force
find csvs -mindepth 1 -maxdepth 2 -type d | LC_ALL=C sort
m -b some --all-ranks -q -o one.xlsx -d
m -b some/b --all-ranks -q -o one.xlsx -d
m -b some/b --all-ranks -a -q --csv-dir kernels
m -b some/b --all-ranks -q --csv-dir few
diff -rq kernels few
m -b some/b -r -d
m -b some/b -e json -d
m -b some/b -e gz -d
m -b some/b -p rank -d
m -b some/b -p 're:rank_' -d
m -b some/b -p other -d
m -b some/b --strict --color=always --progress=never -q -j 1 --memory-limit 1G --format json
