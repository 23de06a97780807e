#!/usr/bin/env python3
"""Write the PyTorch profiler traces of the ranks of one made-up training run: the same bytes every time.

    make_ranks.py 'DIR/rank_{rank}_step_7.json' [--ranks 8] [--only 0,3] [--steps 2] [--layers 3] [--slow RANK] [--anonymous] ...

{rank} is replaced by the number of each rank; a name that ends in .gz is compressed. Each step of each rank runs its layers (a matrix
product and an addition), all-reduces the gradient of each on a stream of its own beside the backward, and copies a loss back. Every
collective ends at the same moment on all ranks; a slow rank computes longer, arrives last, and makes the others wait. Each rank's clock
is off by some microseconds of its own. --anonymous leaves out the metadata that tell the rank.
"""
import argparse
import gzip
import json
import os

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
COPY = "Memcpy DtoH (Device -> Pageable)"
COMPUTE_STREAM, COMM_STREAM = 7, 20
ELEMENTS = 4096 * 1024
BASE = 1760000000000000000


class Rank:
    """Host and device clocks in ns since the beginning of the run."""

    def __init__(self, rank, a):
        self.rank, self.a = rank, a
        self.skew = (rank * 7919) % 5000  # ns that this rank's clock is ahead
        self.host, self.device, self.comm, self.corr, self.ext, self.seq = 0, 0, 0, 0, 0, 0
        self.events = []

    def add(self, cat, name, start, end, tid, args, pid=None):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 100 + self.rank if pid is None else pid, "tid": tid,
                            "ts": (start + self.skew) / 1000, "dur": (end - start) / 1000, "args": args})

    def launch(self, op, dims, kernel, start, end, stream, cat="kernel", extra=None):
        """An operator with one call and what that starts on the device."""
        self.corr += 1
        self.ext += 1
        self.add("cpu_op", op, self.host, self.host + 9000, 1, {
            "External id": self.ext, "Input Dims": dims, "Input type": ["c10::BFloat16"] * len(dims),
            "Input Strides": [[d[-1], 1] if len(d) > 1 else [1] for d in dims], "Concrete Inputs": [""] * len(dims)})
        call = "cudaMemcpyAsync" if cat == "gpu_memcpy" else "cudaLaunchKernel"
        self.add("cuda_runtime", call, self.host + 2000, self.host + 7000, 1, {"correlation": self.corr, "External id": self.ext})
        args = {"correlation": self.corr, "External id": self.ext, "device": self.rank % 8, "stream": stream}
        args.update(extra or {})
        self.add(cat, kernel, start, end, stream, args, self.rank % 8)
        self.host += 10000

    def compute(self, op, dims, kernel, length):
        start = max(self.device, self.host + 8000)
        self.device = start + length
        self.launch(op, dims, kernel, start, self.device, COMPUTE_STREAM)


def collective(ranks, a):
    """All ranks meet: it runs from each one's own arrival to a common end."""
    arrival = [max(r.device, r.comm, r.host + 8000) for r in ranks]
    end = max(arrival) + 60000
    for r, start in zip(ranks, arrival):
        r.seq += 1
        r.comm = end
        r.launch("c10d::allreduce_", [[1024, 4096]], NCCL, start, end, COMM_STREAM, extra={
            "Collective name": "allreduce", "In msg nelems": ELEMENTS, "Out msg nelems": ELEMENTS, "Group size": a.ranks,
            "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0",
            "Process Group Description": "default_pg", "Process Group Ranks": json.dumps(list(range(a.ranks))), "Seq": r.seq})
    return end


def run(a):
    ranks = [Rank(r, a) for r in range(a.ranks)]
    for step in range(a.steps):
        begin = max(r.host for r in ranks) + 20000
        for r in ranks:
            r.host = begin
        end = 0
        for layer in range(a.layers):
            for r in ranks:
                slow = 2 if r.rank == a.slow else 1
                r.compute("aten::mm", [[1024, 4096], [4096, 4096]], GEMM, slow * (80000 + 1000 * layer + 137 * r.rank))
                r.compute("aten::add", [[1024, 4096], [1024, 4096]], ADD, 12000)
                for _ in range(a.operators):
                    r.compute("aten::add", [[64, 4096], [64, 4096]], ADD, 2000)
            end = collective(ranks, a)
        for r in ranks:
            start = max(end, r.device)
            r.launch("aten::copy_", [[1], [1]], COPY, start, start + 2000, COMPUTE_STREAM, "gpu_memcpy",
                     {"bytes": 4, "memory bandwidth (GB/s)": 0.002})
            r.device = start + 2000
            r.host = max(r.host, r.device)
            r.add("user_annotation", "ProfilerStep#%d" % (a.first_step + step), begin - 5000, r.host + 1000, 1, {})
    return ranks


def document(r, a):
    head = {"schemaVersion": 1, "deviceProperties": [{"id": i, "name": a.device, "totalGlobalMem": 85899345920, "numSms": 132}
                                                     for i in range(min(a.ranks, 8))],
            "cuda_runtime_version": 12040, "cuda_driver_version": 12040, "record_shapes": 1}
    if not a.anonymous:
        head["distributedInfo"] = {"backend": "nccl", "rank": r.rank + a.add, "world_size": a.world or a.ranks, "pg_count": 1,
                                   "nccl_version": "2.21.5"}
    head["baseTimeNanoseconds"] = BASE
    head["traceEvents"] = [
        {"ph": "M", "name": "process_name", "pid": 100 + r.rank, "tid": 0, "ts": 0, "args": {"name": "python3"}},
        {"ph": "M", "name": "thread_name", "pid": 100 + r.rank, "tid": 1, "ts": 0, "args": {"name": "thread 1 (python3)"}}] + r.events
    return head


def main():
    p = argparse.ArgumentParser()
    p.add_argument("name")
    p.add_argument("--ranks", type=int, default=8)
    p.add_argument("--only", help="write these ranks only: 0,3")
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--first-step", type=int, default=7)
    p.add_argument("--layers", type=int, default=3)
    p.add_argument("--slow", type=int, default=-1, help="a rank that computes twice as long")
    p.add_argument("--world", type=int, default=0, help="world size that the files claim")
    p.add_argument("--add", type=int, default=0, help="added to the rank that the files claim")
    p.add_argument("--device", default="NVIDIA H100 80GB HBM3")
    p.add_argument("--anonymous", action="store_true")
    p.add_argument("--operators", type=int, default=0, help="small operators of each layer, in addition")
    a = p.parse_args()
    only = {int(x) for x in a.only.split(",")} if a.only else None
    for r in run(a):
        if only is not None and r.rank not in only:
            continue
        name = a.name.replace("{rank}", str(r.rank))
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        text = json.dumps(document(r, a), separators=(",", ":")).encode() + b"\n"
        with open(name, "wb") as f:
            f.write(gzip.compress(text, 9, mtime=0) if name.endswith(".gz") else text)


if __name__ == "__main__":
    main()
