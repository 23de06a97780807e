#!/usr/bin/env python3
"""A trace of a serving engine, 60 steps of 110 us: requests rise to 16, remain there and fall from step 50 on; steps with a prompt
are the first 16 and every tenth. Each step has a launch and a kernel of 60 us.

    make_engine_steps.py OUT [FORM]      FORM: vllm (default), vllm-detailed, sglang, atom; without marks: loop, threads

loop: operators of one caller, "load" and then "forward" and "sample" of each step, step 50 with a "log" between the two, and a Python
frame that outlasts the first "forward", in which it begins;
threads: the same operators without a caller, and another thread with one of each.
"""
import json
import sys


def name(form, prompts, others):
    tokens = 512 * prompts
    if form == "vllm":
        return "execute_context_%d(%d)_generation_%d(%d)" % (prompts, tokens, others, others)
    if form == "vllm-detailed":
        return "execute_%d_context_%d(sq%dsk%dsqsq1sqsk1)_generation_%d(sq%dsk%dsqsq1sqsk1)" % (
            tokens + others, prompts, tokens, tokens, others, others, 9 * others)
    if form == "sglang":
        return "step[EXTEND bs=%d toks=%d]" % (prompts, tokens) if prompts else "step[DECODE bs=%d]" % others
    return "prefill[bs=%d tok=%d ctx=[1, 2]]" % (prompts, tokens) if prompts else "decode[bs=%d/128 tok=%d d=%d]" % (others, others, others)


def operators(form, at, i):
    """Of a step, instead of a mark."""
    rows = [("forward", at, 40), ("sample", at + 60, 30)] + ([("log", at + 45, 5)] if i == 50 else [])
    rows += [("generate", 900, 110 * 60 + 200), ("load", 950, 20), ("(wait)", at + 38, 900)] if i == 0 and form == "loop" else []
    rows = [(*r, 1) for r in rows] + ([("load", 950, 20, 2), ("log", 980, 20, 2)] if i == 0 and form == "threads" else [])
    return [{"ph": "X", "cat": "python_function" if n[0] == "(" else "cpu_op", "name": n, "pid": 1, "tid": tid, "ts": ts, "dur": dur} for n, ts, dur, tid in rows]


def main():
    out, form = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "vllm"
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}}]
    for i in range(60):
        requests = min(i + 1, 16) if i < 50 else 60 - i
        prompts = 1 if i < 16 or i % 10 == 0 else 0
        at = 1000 + 110 * i
        events += operators(form, at, i) if form in ("loop", "threads") else [
            {"ph": "X", "cat": "user_annotation", "name": name(form, prompts, requests - prompts), "pid": 1, "tid": 1, "ts": at, "dur": 100}]
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 5, "args": {"correlation": i + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at + 30, "dur": 60, "args": {"correlation": i + 1, "device": 0, "stream": 7}},
        ]
    with open(out, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


main()
