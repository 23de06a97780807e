# `analyzer classify`: keys are words of the names that tell kernels of one class from others, never what most names hold.
cat >x_cuda_gpu_kern_sum.csv <<'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
1,100,1,1,1,1,1,0,"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_128x64_64x6_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_128x64_64x6_tn_align8::Params)"
1,90,1,1,1,1,1,0,"void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)"
1,80,1,1,1,1,1,0,"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)"
1,75,1,1,1,1,1,0,"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)"
1,70,1,1,1,1,1,0,"_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassEEEEvDpT1_"
1,60,1,1,1,1,1,0,"ampere_sgemm_128x64_nn"
1,50,1,1,1,1,1,0,"void flash::flash_fwd_kernel<X>(y)"
1,40,1,1,1,1,1,0,"mystery"
CSV
"$ANALYZER" classify x_cuda_gpu_kern_sum.csv
"$ANALYZER" classify x_cuda_gpu_kern_sum.csv -n 1
# Kernels of several inputs are one list, by time.
cat >y_cuda_gpu_kern_sum.csv <<'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
1,70,1,1,1,1,1,0,"zeta"
1,40,1,1,1,1,1,0,"alpha"
1,20,1,1,1,1,1,0,"mystery"
1,10,1,1,1,1,1,0,"tiny"
CSV
"$ANALYZER" classify y_cuda_gpu_kern_sum.csv x_cuda_gpu_kern_sum.csv
"$ANALYZER" classify x_cuda_gpu_kern_sum.csv y_cuda_gpu_kern_sum.csv -n 3
"$ANALYZER" classify -n 0 x.csv 2>&1
"$ANALYZER" classify 2>&1
