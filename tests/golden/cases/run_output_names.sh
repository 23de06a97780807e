cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv "$SRC"/tests/data/nsys/other_*.csv .
set -e
"$ANALYZER" run tiny*.csv -q -o book.xlsx
"$ANALYZER" run tiny*.csv -q --xlsx book2.xlsx
"$ANALYZER" run tiny*.csv -q -o new/folder
"$ANALYZER" run tiny*.csv -q --format json,csv -o all
find . -type f -not -name '*.csv' | sort
ls -d all/*
set +e
"$ANALYZER" run tiny*.csv other*.csv -o both.xlsx
echo "$?"
