"$ANALYZER" --help >/dev/full
echo "$?"
cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv .
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv --opt num_of_iters=2 >/dev/full
echo "$?"
ls
