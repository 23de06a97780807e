# What a quick look at a folder passes over is named: what is damaged or no file, folders and files of profilers that are
# not read. A folder without any profile says why.
mkdir mixed
cp "$SRC/example/pytorch/moe.json" mixed/
printf 'garbage, and no table\n' >mixed/sums.csv
printf 'a,b\001\n1,2\n' >mixed/bytes.csv
printf 'name,value\nx,1\n' >mixed/table.csv # one of no interest
printf '{"a": 1}\n' >mixed/other.txt
printf 'no database' >mixed/report.sqlite
mkfifo mixed/pipe.json mixed/pipe
ln -s nothing mixed/gone.json
mkdir mixed/host_1_ascend_pt mixed/below
echo "== beside a profile"
{ "$ANALYZER" run mixed >/dev/null; } 2>&1 || echo "exit status $?"
echo "== without one"
rm mixed/moe.json
{ "$ANALYZER" run mixed >/dev/null; } 2>&1 || echo "exit status $?"
rmdir mixed/host_1_ascend_pt
{ "$ANALYZER" run mixed >/dev/null; } 2>&1 || echo "exit status $?"

echo "== ranks"
mkdir ranks
cp "$SRC"/example/multirank/step_120/rank_[01].json ranks/
mkfifo ranks/rank_2.json
for words in "multirank -b ranks" "map ranks -o parts" "merge -b ranks -o merged.json" "compare ranks ranks"; do
    # shellcheck disable=SC2086 # words
    { "$ANALYZER" $words >/dev/null; } 2>&1 || echo "exit status $?"
done
rm ranks/rank_2.json
printf garbage >ranks/rank_2.json
{ "$ANALYZER" merge -b ranks -o merged.json >/dev/null; } 2>&1 || echo "exit status $?"

echo "== Ascend"
mkdir -p host_1_ascend_pt/ASCEND_PROFILER_OUTPUT
cd host_1_ascend_pt/ASCEND_PROFILER_OUTPUT || exit 1
printf 'Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n1,0,a,b,AI_CORE,1,2,0\n' >kernel_details.csv
printf 'Device_id,OP Type,Core Type,Count,Total Time(us)\n0,MatMul,AI_CORE,1,1\n' >op_statistic.csv
printf '{"step1": {"collective": {"x": {"Communication Time Info": {}}}}}\n' >communication.json
"$PYTHON" -c 'import sqlite3
db = sqlite3.connect("ascend_pytorch_profiler_0.db")
db.executescript("CREATE TABLE COMPUTE_TASK_INFO(name INTEGER); CREATE TABLE STRING_IDS(id INTEGER, value TEXT);")'
cd ../.. || exit 1
for path in host_1_ascend_pt host_1_ascend_pt/ASCEND_PROFILER_OUTPUT/*; do
    { "$ANALYZER" run "$path" >/dev/null; } 2>&1 || echo "exit status $?"
done
