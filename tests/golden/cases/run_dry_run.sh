cp "$SRC"/tests/data/nsys/tiny_*.csv "$SRC"/tests/data/nsys/other_*.csv .
"$ANALYZER" run ./*.csv missing.csv --dry-run --format text,xlsx,csv -o out
echo "$?"
ls
