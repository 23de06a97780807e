#!/usr/bin/env python3
"""Write PyTorch traces in which times are small whole numbers, so that events begin and end at the same time, touch, are
empty or equally long: what a comparison of times, an order or a limit does with equal values is in every table. Nested
operators, ranges, calls that wait, kernels of two devices and three streams, copies, memsets, collectives, memory events,
kernels without a launch and launches without a kernel. The same arguments give the same bytes.

    make_ties.py OUT [--seed N] [--steps N] [--rank N] [--world N]

Ranks of one seed run the same program; their times differ.
"""
import argparse
import json
import random

OPS = [("aten::mm", [[16, 32], [32, 64]], "c10::BFloat16"), ("aten::mm", [[16, 32], [32, 16]], "float"),
       ("aten::add", [[16, 64], [16, 64], []], "float"), ("aten::addmm", [[64], [16, 32], [32, 64]], "c10::Half"),
       ("aten::bmm", [[2, 8, 16], [2, 16, 8]], "c10::BFloat16"), ("aten::layer_norm", [[16, 64], [64], [64]], "float"),
       ("aten::sum", [[16, 64]], "float"), ("aten::relu", [[16, 64]], "float"), ("aten::softmax", [[4, 16, 16]], "c10::BFloat16"),
       ("aten::copy_", [[16, 64], [16, 64]], "float"), ("aten::convolution", [[1, 3, 8, 8], [4, 3, 3, 3], [4]], "float"),
       ("aten::embedding", [[100, 64], [16]], "float"), ("Optimizer.step#AdamW.step", [], "float"), ("aten::item", [[1]], "float")]
KERNELS = ["ampere_sgemm_64x64_tn", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
           "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)",
           "multi_tensor_apply_kernel", "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>(int)", "flash_fwd_kernel", "custom_kernel"]
CALLS = ["cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaMalloc", "cudaEventRecord", "cudaFree"]


class Ties:
    def __init__(self, args):
        self.rnd, self.own = random.Random(args.seed), random.Random(1000 * args.seed + args.rank)
        self.args, self.events = args, []
        self.t, self.corr, self.ext, self.seq = 1000, 0, 0, 0
        self.free = {}

    def span(self, cat, name, start, end, pid, tid, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": end - start,
                            "args": {k.replace("__", " "): v for k, v in args.items()}})

    def pause(self, most=2):
        self.t += self.own.randint(0, most)

    def device_work(self, cat, name, ext, **more):
        device, stream = self.rnd.choice([(0, 7), (0, 7), (0, 20), (1, 7)])
        call = {"gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}.get(cat, "cudaLaunchKernel")
        self.corr += 1
        start, linked = self.t, self.rnd.random() < 0.95
        self.pause()
        self.span("cuda_runtime", call, start, self.t, 9, 9, External__id=ext, cbid=211, correlation=self.corr)
        if self.rnd.random() < 0.05:
            return
        begin = max(self.free.get((device, stream), 0), self.t + self.own.randint(-1, 3))
        end = begin + self.own.choice([0, 1, 1, 2, 2, 2, 4, 8])
        self.free[device, stream] = end
        self.span(cat, name, begin, end, device, stream, device=device, context=1, stream=stream,
                  correlation=self.corr if linked else 0, External__id=ext if linked else 0, **more)

    def kernel(self, ext):
        g = self.rnd.choice([1, 2, 64, 132, 264])
        self.device_work("kernel", self.rnd.choice(KERNELS), ext, grid=[g, 1, 1], block=[self.rnd.choice([32, 128, 1024]), 1, 1],
                         registers__per__thread=32, shared__memory=0, blocks__per__SM=g / 132, warps__per__SM=g / 33)

    def copy(self, ext):
        size = self.rnd.choice([0, 1, 4, 1024, 4096])
        kind = self.rnd.choice(["HtoD (Pinned -> Device)", "DtoH (Device -> Pageable)", "DtoD (Device -> Device)", "set"])
        if kind == "set":
            self.device_work("gpu_memset", "Memset (Device)", ext, bytes=size)
        else:
            self.device_work("gpu_memcpy", "Memcpy " + kind, ext, bytes=size)

    def collective(self, ext):
        name, kernel = self.rnd.choice([("allreduce", "AllReduce_Sum_bf16_RING_LL"), ("_allgather_base", "AllGather_RING_LL"),
                                        ("_reduce_scatter_base", "ReduceScatter_Sum_f32_RING_LL"), ("all_to_all", "SendRecv")])
        n, self.seq = self.rnd.choice([8, 1024, 1024, 65536]), self.seq + 1
        self.device_work("kernel", "ncclDevKernel_" + kernel, ext, grid=[8, 1, 1], block=[512, 1, 1], Collective__name=name,
                         In__msg__nelems=n, Out__msg__nelems=n, Group__size=self.args.world, dtype="BFloat16",
                         Process__Group__Name="0", Process__Group__Description="default_pg", Seq=self.seq,
                         Process__Group__Ranks=str(list(range(self.args.world))))

    def op(self, depth):
        name, dims, dtype = self.rnd.choice(OPS)
        self.ext += 1
        ext, start = self.ext, self.t
        self.pause(1)
        for _ in range(self.rnd.choice([0, 1, 1, 2])):
            kind = self.rnd.random()
            if depth < 3 and kind < 0.4:
                self.op(depth + 1)
            elif kind < 0.8:
                self.kernel(ext)
            elif kind < 0.92:
                self.copy(ext)
            else:
                self.collective(ext)
        self.pause(1)
        self.span("cpu_op", name, start, self.t, 9, 9, External__id=ext, Ev__Idx=ext, Sequence__number=ext // 2, Fwd__thread__id=0,
                  Input__Dims=dims, Input__type=[dtype] * len(dims), Input__Strides=[[d[-1], 1][:len(d)] if d else [] for d in dims],
                  Concrete__Inputs=[""] * len(dims))

    def step(self, number):
        start = self.t
        for phase in ("forward", "backward", "optimizer"):
            begin = self.t
            for _ in range(self.rnd.randint(1, 4)):
                self.op(0)
                if self.rnd.random() < 0.3:
                    self.corr += 1
                    at, call = self.t, self.rnd.choice(CALLS)
                    self.t = max(self.t, max(self.free.values(), default=0)) if "Synchronize" in call else self.t + self.own.randint(0, 3)
                    self.span("cuda_runtime", call, at, self.t, 9, 9, cbid=1, correlation=self.corr)
                self.pause(3)
            self.span("user_annotation", phase, begin, self.t, 9, 9)
            self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 9, "tid": 9, "ts": self.t,
                                "args": {"Total Reserved": 4096, "Total Allocated": self.rnd.choice([0, 1024, 1024, 2048]),
                                         "Bytes": self.rnd.choice([1024, -1024]), "Addr": self.rnd.randint(1, 3), "Device Id": 0,
                                         "Device Type": 1}})
        self.span("user_annotation", "ProfilerStep#%d" % number, start, self.t, 9, 9)
        self.pause(4)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("out")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--rank", type=int, default=0)
    p.add_argument("--world", type=int, default=1)
    args = p.parse_args()
    t = Ties(args)
    for i in range(args.steps):
        t.step(i)
    doc = {"schemaVersion": 1, "deviceProperties": [{"id": d, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9, "numSms": 132}
                                                    for d in (0, 1)],
           "traceEvents": t.events}
    if args.world > 1:
        doc["distributedInfo"] = {"backend": "nccl", "rank": args.rank, "world_size": args.world}
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(doc, f)


if __name__ == "__main__":
    main()
