# Kernels that launch latencies leave out: whole words of their names, or an expression; calls of several kernels.
"$PYTHON" - <<'P' || exit 99
names = ["gemm", "my_gemm", "void gemm(int)", "a::gemm<b>", "xgemm gemm", "gemm2", "2gemm", "GEMM", "gemmgemm", "gemm-x", "fill", "_"]
with open("run_kernel_trace.csv", "w") as k, open("run_hip_api_trace.csv", "w") as c:
    k.write("Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,"
            "LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,"
            "Grid_Size_X,Grid_Size_Y,Grid_Size_Z\n")
    c.write("Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n")
    for i, name in enumerate(names):
        t = 10000 + 1000 * i
        c.write("HIP_RUNTIME_API_EXT,%s,99,834,%d,%d,%d\n" % ("hipLaunchKernel" if i % 3 else "hipGraphLaunch", i + 1, t, t + 10 + i))
        for j in range(1 + i % 2):  # the second one begins earlier
            k.write('KERNEL_DISPATCH,Agent 4,1,0,834,%d,%d,"%s",%d,%d,%d,0,0,8,0,8,64,1,1,64,1,1\n' % (
                2 * i + j + 1, i + 1, name, i + 1, t + 300 - 100 * j, t + 350 - 100 * j + i))
    c.write("HIP_RUNTIME_API_EXT,hipDeviceSynchronize,99,834,900,50000,50500\n")
P
n=0
while read -r options; do
    echo "== $options"
    n=$((n + 1))
    # shellcheck disable=SC2086
    eval "\"$ANALYZER\" run -q run_kernel_trace.csv run_hip_api_trace.csv --compat=all --csv-dir out/$n $options" 2>&1
    echo "exit $?"
    cat out/$n/api_kernel_summary.csv 2>/dev/null
done <<'END'

--opt exclude_kernels=gemm
--opt exclude_kernels='fill gemm2'
--opt exclude_kernels='x  _'
--opt exclude_kernels='void b'
--opt exclude_kernels='int '
--opt exclude_kernels=''
--opt allow_multi_kernel_per_api=true --opt exclude_kernels=GEMM
--opt include_nonlaunch_apis=true --opt exclude_kernels=gemm
--opt exclude_kernel_regex='^(?:my_)?gemm'
--opt exclude_kernel_regex='(gemm|fill)$' --opt exclude_kernels=_
--opt exclude_kernel_regex='(('
END
true
