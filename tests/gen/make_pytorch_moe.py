#!/usr/bin/env python3
"""Write example/pytorch/moe.json: one step of a server with mixtures of experts, made up, the same bytes every time.

    make_pytorch_moe.py FILE

Three layers, each with its experts another way: the products of Triton's kernel (vllm::moe_forward), 4-bit weights
(vllm::outplace_fused_experts), one fused kernel (vllm::rocm_aiter_fused_moe); and an operator whose name ends in the
number of its call.
"""
import json
import sys

BF16, FP8 = "c10::BFloat16", "c10::Float8_e4m3fn"


class Trace:
    def __init__(self):
        self.events, self.correlation, self.device_free = [], 0, 0

    def span(self, category, name, pid, tid, ts, dur, args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def op(self, name, ts, dur, dims=None, types=None):
        args = {}
        if dims:
            args = {"Input Dims": dims, "Input type": types, "Input Strides": [strides(d) for d in dims], "Concrete Inputs": [""] * len(dims)}
        self.span("cpu_op", name, 900, 900, ts, dur, args)

    def launch(self, ts, kernel, dur):
        self.correlation += 1
        self.span("cuda_runtime", "hipLaunchKernel", 900, 900, ts, 2, {"correlation": self.correlation})
        start = max(ts + 5, self.device_free + 1)
        self.device_free = start + dur
        self.span("kernel", kernel, 0, 7, start, dur, {"correlation": self.correlation, "device": 0, "stream": 7})


def strides(dims):
    out, step = [], 1
    for d in reversed(dims):
        out.insert(0, step)
        step *= d
    return out


def main():
    t = Trace()
    t.op("vllm::moe_forward", 1000, 100, [[64, 2880], [64, 128]], [BF16, BF16])
    t.launch(1010, "_routing_compute_indx", 3)
    t.launch(1020, "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", 90.5)
    t.launch(1030, "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", 61.25)
    t.launch(1040, "_finalize_matmul_scatter", 4)
    t.op("vllm::outplace_fused_experts", 1200, 100, [[32, 4096], [8, 28672, 2048], [8, 4096, 7168], [32, 2], [32, 2]],
         [BF16, "unsigned char", "unsigned char", "float", "int"])
    t.launch(1210, "fused_moe_kernel_gptq_awq", 300)
    t.launch(1220, "void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*)", 3)
    t.launch(1230, "fused_moe_kernel_gptq_awq", 200)
    t.op("vllm::rocm_aiter_fused_moe", 1400, 50, [[64, 7168], [256, 512, 7168], [256, 7168, 256], [64, 8]], [FP8, FP8, FP8, "float"])
    t.launch(1410, "void aiter::fmoe_fp8_g1u1_vs_silu_1tg_32x256", 205)
    t.op("sglang_profiler::rmsnorm_rmsnorm2d_fwd_109", 1500, 20)
    t.launch(1505, "void ck_tile::rmsnorm2d_fwd_kernel<bf16>", 4)
    with open(sys.argv[1], "w") as f:
        f.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}],\n"traceEvents": [\n')
        f.write(",\n".join(json.dumps(e) for e in t.events))
        f.write("\n]}\n")


if __name__ == "__main__":
    main()
