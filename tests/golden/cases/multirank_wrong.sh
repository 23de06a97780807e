# What is wrong with a search, a run, one rank of a run.
ranks() { "$PYTHON" "$SRC/tests/gen/make_ranks.py" "$@" --layers 1 --steps 1; }
m() { echo "== $*"; echo "== $*" >&2; "$ANALYZER" multirank "$@"; echo "exit $?"; }
table() { sed -e 's/,17600000[0-9]*,17600000[0-9]*,/,T,T,/' "$1"; }
ranks "a/run/rank_{rank}.json"
ranks "b/run/rank_{rank}.json" --ranks 4

m -b none
m -b a -f step_8
m -b a -e zip
m -b a -e js
m -b a -p 're:(' --all-ranks
m
m -b a b
m -b a -f x --all-ranks
mkdir both && cp -r a/run both/one && cp -r b/run both/two
m -b both --all-ranks -o all.xlsx
m -b both --all-ranks -o all.xlsx -d
m both -d # the same folder, as other commands have it
m both a
m -b both -f two rank_ -o two.xlsx -q
ls

echo "== one of eight is damaged"
head -c 700 a/run/rank_3.json >part && mv part a/run/rank_3.json
m -b a --all-ranks --format text,csv
table a/run/run_performance_report_csvs/ranks.csv
cut -d, -f1,2 a/run/run_performance_report_csvs/coverage.csv | head -4
: >a/run/rank_5.json
echo "no json" >a/run/rank_6.json
m -b a -f rank_ --format csv
table a/run/run__rank___performance_report_csvs/ranks.csv 2>/dev/null || find a -name ranks.csv | sort

echo "== a workbook that is there"
m -b both --all-ranks --format xlsx -q
echo old >both/one/one_performance_report.xlsx
rm both/two/two_performance_report.xlsx
m -b both --all-ranks --format xlsx -q
cat both/one/one_performance_report.xlsx
ls both/two/*.xlsx
m -b both --all-ranks -q --force
head -c 2 both/one/one_performance_report.xlsx
echo
rm both/two/two_performance_report.xlsx
m -b both --all-ranks -e auto -d
m -b both -f two rank_ -d -r --format text
ls both/one both/two

echo "== formats of gates without gates"
m -b b --all-ranks --format junit
m -b b --all-ranks --format junit,github,json,openmetrics
m -b b --all-ranks --format junit,json -d --force
ls b/run
grep -v '^#' b/run/gates.prom

echo "== the other extension, other names"
gzip -n b/run/rank_2.json
m -b a -e gz --all-ranks
mkdir gz && mv b/run/rank_2.json.gz gz
m -b gz -p rank_
m -b gz
m -b gz -e gz
m -b gz -e gz -f RANK
