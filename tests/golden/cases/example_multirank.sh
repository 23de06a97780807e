# The example of ranks: the committed traces are what their generator writes; the tables of the run.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" 'made/step_120/rank_{rank}.json' --ranks 4 --layers 2 --first-step 120 --slow 2 || exit 99
diff -r made "$SRC/example/multirank"
"$ANALYZER" --config="$SRC/example/multirank.json" -o out
rc=$?
ls out
"$ANALYZER" --config="$SRC/example/multirank.json" -o out --format csv
ls out/*_csvs
cat out/*_csvs/ranks.csv out/*_csvs/rank_summary.csv
exit $rc
