#!/usr/bin/env python3
"""A PyTorch trace of one operator that launches one kernel.

    make_one_operator.py OUT NAME [ARGS]     ARGS: of the operator, a JSON object
"""
import json
import sys


def main():
    out, name = sys.argv[1:3]
    args = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    arrow = {"cat": "ac2g", "name": "ac2g", "id": 1}
    events = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 1, "dur": 20, "args": args},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 4, "dur": 5, "args": {"correlation": 1}},
        {"ph": "X", "cat": "kernel", "name": name.rsplit(":", 1)[-1], "pid": 0, "tid": 7, "ts": 40, "dur": 20,
         "args": {"correlation": 1, "device": 0, "stream": 7}},
        dict(arrow, ph="s", pid=1, tid=1, ts=4),
        dict(arrow, ph="f", pid=0, tid=7, ts=40, bp="e"),
    ]
    with open(out, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


main()
