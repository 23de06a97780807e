# Counts and times at the ends of 64 bits add up to those ends, not beyond.
cat >x_cuda_gpu_kern_sum.csv <<'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Name
1,9223372036854775807,9223372036854775807,1,k
1,9223372036854775807,9223372036854775807,1,k2
1,-9223372036854775807,-9223372036854775807,1,ncclX
1,-5,-9223372036854775807,1,ncclX
CSV
"$ANALYZER" run x_cuda_gpu_kern_sum.csv --format text
echo "$?"
