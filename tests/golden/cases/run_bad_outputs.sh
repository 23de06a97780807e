cp "$SRC"/tests/data/nsys/tiny_cuda_gpu_kern_sum.csv .
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv -q --xlsx /dev/full
echo "$?"
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv -q --format json -o tiny_cuda_gpu_kern_sum.csv/below
echo "$?"
"$ANALYZER" run tiny_cuda_gpu_kern_sum.csv -q --csv-dir tiny_cuda_gpu_kern_sum.csv
echo "$?"
ls -A
