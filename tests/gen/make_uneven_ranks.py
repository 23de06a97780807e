#!/usr/bin/env python3
"""Traces of four ranks in two groups, each with all-to-all exchanges of uneven sizes.

    make_uneven_ranks.py DIR     writes DIR/rank0_trace.json to DIR/rank3_trace.json
"""
import json
import os
import sys


def exchange(rank, i):
    group = [rank // 2 * 2, rank // 2 * 2 + 1]
    sent = [1024 * (1 + rank + i), 2048]
    return {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "pid": rank, "tid": 20,
            "ts": 100 + 200 * i + rank, "dur": 50 - rank,
            "args": {"stream": 20, "device": rank, "correlation": i + 1, "Collective name": "all_to_allv", "dtype": "BFloat16",
                     "In msg nelems": sum(sent), "Out msg nelems": 4096, "Group size": 2, "In split size": json.dumps(sent),
                     "Out split size": "[2048, 2048]", "Process Group Name": str(rank // 2), "Process Group Ranks": json.dumps(group)}}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for rank in range(4):
        calls = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 50 + 200 * i, "dur": 5,
                  "args": {"correlation": i + 1}} for i in range(2)]
        trace = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
                 "traceEvents": calls + [exchange(rank, i) for i in range(2)]}
        with open(os.path.join(sys.argv[1], "rank%d_trace.json" % rank), "w", encoding="utf-8") as f:
            json.dump(trace, f)


main()
