# Where ranks come from: a merged trace, part files among traces, packed files, names and metadata that do not tell; many ranks.
ranks() { "$PYTHON" "$SRC/tests/gen/make_ranks.py" "$@" --layers 1 || exit 99; }
m() {
    echo "== $*"
    "$ANALYZER" multirank "$@" 2>&1
    echo "exit $?"
}
show() {
    sed -e 's/,17600000[0-9]*,17600000[0-9]*,/,T,T,/' -e 's/-[0-9a-f]*\.part/-ID.part/' out/ranks.csv
    cat out/gpu_timelines_by_rank.csv
    rm -rf out
}
ranks "run/rank_{rank}.json" --ranks 3 --steps 2
echo "== merged"
"$ANALYZER" merge -q -o merged.json.gz run/rank_*.json
"$ANALYZER" run -q merged.json.gz --csv-dir out --compat=all 2>&1
sh "$SRC/tests/golden/tables.sh" out account gpu_timeline_by_device steps kern_sum ops_summary nccl_exposure
rm -rf out
echo "== parts and traces"
mkdir -p mixed/job
"$ANALYZER" map -q run/rank_0.json run/rank_1.json -o mixed/job
cp run/rank_2.json mixed/job
m -b mixed --all-ranks -q --csv-dir out
show
echo "== packed"
mkdir -p packed/job && gzip -nc run/rank_0.json >packed/job/rank_0.json.gz && gzip -nc run/rank_1.json >packed/job/rank_1.json.gz
m -b packed --all-ranks --format xlsx -q
m -b packed --all-ranks -q -e gz --csv-dir out
show
m -b packed -f rank_1 -e gz -q --csv-dir out
show
m -b packed -f rank_7 -e gz -q
m -b packed -p none -e gz -q
m -b none -q
echo "== the same rank in all, no ranks in names"
mkdir -p same/job plain/job
cp run/rank_1.json same/job/a.json
sed 's/sgemm/tgemm/' run/rank_1.json >same/job/b.json
m -b same --all-ranks -q --csv-dir out
show
ranks "plain/job/x{rank}y.json" --ranks 2 --anonymous --steps 2
m -b plain --all-ranks -q --csv-dir out
m -b plain -p x --all-ranks -q --csv-dir out
show
echo "== many ranks, one slow"
ranks "many/job/rank_{rank}.json" --ranks 40 --slow 17 --steps 6
m -b many --all-ranks -q --csv-dir out
sed -n '1,6p' out/straggler_summary.csv
grep '^17,' out/straggler_summary.csv
cat out/findings.csv out/verdict.csv
