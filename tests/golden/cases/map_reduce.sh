# A run from part files is the run from its traces, cell by cell; the page has the timeline of its ranks.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 4 --steps 2 --layers 1 --slow 1 || exit 99
"$ANALYZER" map run/*.json --draw -o parts || exit 99
find parts -type f | sort | sed 's/-[0-9a-f]*\.part/-ID.part/'
"$ANALYZER" reduce parts/*.part -q --compat=all --csv-dir reduced 
"$ANALYZER" reduce parts/*.part -q --format html -o page
"$ANALYZER" multirank -b run --all-ranks -q --compat=all --csv-dir whole
diff -r -x coverage.csv -x facts.csv -x ranks.csv reduced whole && echo "equal"
diff reduced/coverage.csv whole/coverage.csv
sed 's/-[0-9a-f]*\.part/-ID.part/' reduced/ranks.csv
"$PYTHON" - <<'P'
import glob, re
page = open(glob.glob("page/*.html")[0], encoding="utf-8").read()
print(re.search(r'<section id="timeline">.*?</section>', page, re.S)[0].replace("</tr>", "</tr>\n"))
P
echo "== parts of two, and the rest as traces; merged; one twice"
"$ANALYZER" reduce parts/rank_0* parts/rank_2* run/rank_1.json run/rank_3.json -q --compat=all --csv-dir mixed
diff -r -x coverage.csv -x facts.csv -x ranks.csv mixed whole && echo "equal"
"$ANALYZER" reduce parts/*.part --partial -o merged.part -q
"$ANALYZER" reduce merged.part -q --compat=all --csv-dir merged
diff -r -x coverage.csv -x facts.csv -x ranks.csv merged whole && echo "equal"
cp parts/rank_0* twice.part
"$ANALYZER" reduce parts/*.part twice.part -q --csv-dir twice >twice.txt 2>&1
echo "exit $?"
sed 's/-[0-9a-f]*\.part/-ID.part/' twice.txt
rm parts/rank_3* twice.part
printf 'run/rank_%s.json\n' 0 1 2 3 >list
"$ANALYZER" reduce parts --expect list -q --csv-dir expected 2>&1 | sed 's/-[0-9a-f]*\.part/-ID.part/g'
sed 's/-[0-9a-f]*\.part/-ID.part/' expected/ranks.csv
head -c 900 parts/rank_2* >short && mv short parts/rank_2*
"$ANALYZER" reduce parts -q --csv-dir broken 2>&1 | sed 's/-[0-9a-f]*\.part/-ID.part/g'
sed 's/-[0-9a-f]*\.part/-ID.part/' broken/ranks.csv
