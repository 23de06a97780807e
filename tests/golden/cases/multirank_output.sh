# What -o names: a folder of all outputs, the workbook, or the files of other formats.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 2 --layers 1 --steps 1
mkdir there
one() {
    rm -rf x x.* y there/*
    "$ANALYZER" multirank -q -b run --all-ranks "$@" 2>&1
    echo "exit $?, $*: $(find x x.* y there -maxdepth 1 ! -name '*.csv' ! -name there 2>/dev/null | LC_ALL=C sort | tr '\n' ' ')"
}
one -o x
one -o x.xlsx
one -o x/
one -o there
one -o x --format html
one -o x.html --format html
one -o x.json --format json,text >/dev/null && ls x.json
one -o x.xlsx --format xlsx,json
one -o x --csv-dir x
one -o x/ --csv-dir x
one -o x --csv-dir y
one -o x --format json --csv-dir y
