# Files that look like profiles, refused by what they are, with what to do.
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n' >pointer.json
cp pointer.json pointer.sqlite
cp pointer.json pointer.pt.trace.json.gz
printf 'NVR\0\1\2' >kernel.ncu-rep
printf 'Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Kernel_Name,SQ_WAVES\n0,0,0,1,1,64,foo,1\n' >pmc_perf.csv
printf '\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%%)  Total Time (ns)  Name\n --------  ---------------  ----\n    100.0             1000  foo\n' >stats.txt
printf 'GLOBAL CALL COUNT,DEVICE ID,OP NAME,CORE COUNT,DEVICE FW START CYCLE\n1,0,Matmul,64,100\n' >cpp_device_perf_report.csv
sed 1,3d stats.txt >untitled.txt
for f in pointer.json pointer.sqlite pointer.pt.trace.json.gz kernel.ncu-rep pmc_perf.csv stats.txt untitled.txt cpp_device_perf_report.csv; do
    "$ANALYZER" "$f" 2>&1 || echo "exit status $?"
done
# in folders, without a profile and next to one
mkdir alone next
cp kernel.ncu-rep alone
cp kernel.ncu-rep stats.txt "$SRC/example/pytorch/train_step.json" next
"$ANALYZER" alone 2>&1 || echo "exit status $?"
"$ANALYZER" next >/dev/null 2>err || echo "exit status $?"
cat err
# A configuration given as a profile, with and without comments before it.
printf '{"inputs": [{"path": "a.json"}]}\n' >conf.json
printf '// of a run\n{"threads": 1,\n "inputs": []}\n' >noted.json
"$ANALYZER" conf.json 2>&1
"$ANALYZER" noted.json 2>&1
echo "$?"
