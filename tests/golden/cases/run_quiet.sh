cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv .
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv missing.csv -q -o out
echo "$?"
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv -q --format text --opt num_of_iters=2 | head -n 3
