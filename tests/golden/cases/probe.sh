cp "$SRC"/tests/data/nsys/tiny_*.csv .
echo hello >notes.txt
: >empty.csv
"$ANALYZER" probe "$SRC/example/nsys/llama2_70b_cuda_gpu_mem_time_sum.csv" | tail -1
"$ANALYZER" probe tiny_cuda_gpu_kern_sum.csv notes.txt . missing.csv empty.csv
