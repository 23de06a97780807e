# Beyond the good side is good, beyond the bad side is bad; undecided only between the two.
. "$SRC/tests/golden/gate_inputs.sh"
kernels good_cuda_gpu_kern_sum.csv gemm:50000000
kernels bad_cuda_gpu_kern_sum.csv gemm:60000000
commit() { # NAME TIME
    echo "== $1"
    kernels "$1.csv" "gemm:$2"
    analyzer bisect --good good_cuda_gpu_kern_sum.csv --bad bad_cuda_gpu_kern_sum.csv \
        --result new_cuda_gpu_kern_sum.csv --repeat 1 -- cp "$1.csv" new_cuda_gpu_kern_sum.csv
}
commit faster 40000000
commit as_good 50000000
commit as_bad 60000000
commit slower 70000000
commit between 54000000
# Another metric than the total, and one that is not there.
kernels good_cuda_gpu_kern_sum.csv gemm:50000000 attention:20000000
kernels bad_cuda_gpu_kern_sum.csv gemm:50000000 attention:30000000
for metric in attention gemm nothing; do
    echo "== $metric"
    kernels next.csv gemm:70000000 attention:21000000
    analyzer bisect --good good_cuda_gpu_kern_sum.csv --bad bad_cuda_gpu_kern_sum.csv --figure "$metric" \
        --result new_cuda_gpu_kern_sum.csv --repeat 1 -- cp next.csv new_cuda_gpu_kern_sum.csv
done
