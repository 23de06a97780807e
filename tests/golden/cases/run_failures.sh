cp "$SRC"/tests/data/nsys/*.csv .
: >empty.csv
echo hello >notes.txt
"$ANALYZER" run empty.csv notes.txt missing.csv header_only*.csv other*.csv -j 3 --opt num_of_iters=1 -o out
echo "$?"
ls out
