# A look at files: what a person sees, and nothing is written.
cp "$SRC"/tests/data/nsys/tiny_*.csv .
"$ANALYZER" run tiny_*.csv --opt num_of_iters=2
echo "$?"
ls
echo "== it says what was written"
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv --opt num_of_iters=2 -o said --format csv,json 2>&1 >/dev/null | grep wrote
