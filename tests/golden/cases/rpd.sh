# Databases of rocmProfileData, schemas 2 and 3: kernels, copies, calls and markers of two processes; grids in work-items.
make() { "$PYTHON" "$SRC/tests/gen/make_rpd.py" "$@" || exit 99; }
make train.rpd
make --schema 2 old.rpd
make --schema 2 --items sdk.rpd
"$ANALYZER" probe train.rpd
"$ANALYZER" train.rpd
for n in train old sdk; do
    "$ANALYZER" run --compat=all $n.rpd --csv-dir $n -q
done
for t in kernel_summary gpu_timeline memory_copy_summary kernel_summary_by_shape api_sum nvtx_sum; do
    cmp train/$t.csv old/$t.csv && echo "schemas have equal $t"
done
cut -d, -f1,2,10,11 train/kernel_summary.csv
cut -d, -f1,2 old/api_summary.csv # no domains in schema 2
cat train/gpu_timeline_by_agent.csv train/memory_copy_summary.csv
for n in train sdk; do
    "$PYTHON" -c "
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print(sys.argv[1], r['Name'][:12], r['GridX'], r['GridY'], r['BlockX'], r['LDS'], r['Instances'])" $n/kernel_summary_by_shape.csv
done
"$ANALYZER" query train.rpd "SELECT name, start_ns, dur_ns, correlation FROM calls ORDER BY start_ns, name" --format csv
"$ANALYZER" query train.rpd "SELECT name, dur_ns FROM ranges" --format csv
grep -e "barriers\|clocks\|without timestamps" train/coverage.csv
echo "== by brute force"
"$PYTHON" - <<'P'
import csv, sqlite3
db = sqlite3.connect("train.rpd")
n, total = db.execute("""SELECT count(*), sum("end" - "start") FROM rocpd_op O JOIN rocpd_string S ON S.id = opType_id
    WHERE S.string IN ('KernelExecution', 'Task', 'FillBuffer') AND "start" IS NOT NULL""").fetchone()
rows = list(csv.DictReader(open("train/kernel_summary.csv")))
print(n == sum(int(r["Count"]) for r in rows), abs(total / 1e6 - sum(float(r["Total Kernel Time (ms)"]) for r in rows)) < 1e-12)
P
echo "== a part of it"
"$ANALYZER" cut train.rpd --from 10us --to 50us -o part.rpd 2>&1
"$ANALYZER" run --compat=all train.rpd --from 10us --to 50us --csv-dir window -q
"$ANALYZER" run --compat=all part.rpd --csv-dir part -q
for t in kernel_summary gpu_timeline kernel_summary_by_shape api_sum verdict_facts regions; do
    cmp window/$t.csv part/$t.csv && echo "equal $t"
done
echo "== damaged, and other databases"
head -c 40000 train.rpd >cut.rpd
{ "$ANALYZER" run cut.rpd --csv-dir cut >/dev/null; } 2>&1 | head -n 1
"$PYTHON" -c "
import sqlite3
db = sqlite3.connect('empty.rpd')
db.execute('CREATE TABLE rocpd_string (id integer, string text)')
db.execute('CREATE TABLE rocpd_note (id integer)')
db.commit()"
"$ANALYZER" run empty.rpd -q 2>&1
echo "$?"
"$PYTHON" -c "
import sqlite3
db = sqlite3.connect('train.rpd')
db.execute('DROP TABLE rocpd_kernelapi')
db.execute('DROP TABLE rocpd_copyapi')
db.execute('DROP TABLE rocpd_api_ops')
db.commit()"
"$ANALYZER" run --compat=all train.rpd --csv-dir less -q
cmp train/kernel_summary.csv less/kernel_summary.csv && echo "equal kernels without launches"
gzip -c old.rpd >old.rpd.gz
"$ANALYZER" run old.rpd.gz -q 2>&1
echo "$?"
