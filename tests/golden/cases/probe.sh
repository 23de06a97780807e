cp "$SRC"/tests/data/nsys/tiny_*.csv .
echo hello >notes.txt
: >empty.csv
"$ANALYZER" probe tiny_cuda_gpu_kern_sum.csv notes.txt . missing.csv empty.csv
