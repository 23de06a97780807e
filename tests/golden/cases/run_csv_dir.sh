cp "$SRC"/tests/data/nsys/tiny_*.csv "$SRC"/tests/data/nsys/other_*.csv .
"$ANALYZER" run tiny_*.csv --opt num_of_iters=2 --csv-dir one -q
echo "$?"
ls . one
"$ANALYZER" run ./*.csv --opt num_of_iters=2 --csv-dir many -q
echo "$?"
ls many
cat one/kern_sum.csv
cmp one/kern_sum.csv many/tiny/kern_sum.csv
echo "== a folder used before: tables of the earlier run that this one lacks are told, and stay"
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv --opt num_of_iters=2 --csv-dir one --format csv
echo "$?"
ls one
