cp "$SRC"/tests/data/nsys/tiny_*.csv .
"$ANALYZER" run tiny_*.csv --opt num_of_iters=2
echo "$?"
ls
