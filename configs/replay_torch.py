#!/usr/bin/env python3
"""Times recorded operators with PyTorch. Requires torch only; reads replay.json next to this file.

    replay_torch.py                  every entry: mean and count x mean; exit status 1 if one failed
    replay_torch.py --index 3        one entry: prints {"index": 3, "mean_us": 12.3}
    replay_torch.py --record [DIR]   runs each entry once in a process of its own while hipBLASLt and MIOpen log the
                                     commands they execute, to hipblaslt-bench-N.log and miopen-driver-N.log in DIR
Options: --file FILE, --warmup N (1000), --iters N (1000), --device cuda|cpu.
A replay.json may come from anywhere: only the operators of OPERATORS are run, with arguments of the kinds listed there.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import torch

DTYPES = {
    "double": "float64", "float": "float32", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
    "long": "int64", "int": "int32", "bool": "bool",
}

# Allowed operators with their arguments in order. torch.ops has many more, among them loading of libraries.
OPERATORS = {
    "aten::mm": ("self", "mat2", "out"),
    "aten::addmm": ("self", "mat1", "mat2", "beta", "alpha", "out"),
    "aten::bmm": ("self", "mat2", "out"),
    "aten::baddbmm": ("self", "batch1", "batch2", "beta", "alpha", "out"),
    "aten::convolution": ("input", "weight", "bias", "stride", "padding", "dilation", "transposed", "output_padding", "groups"),
}


def checked(entry):
    """The entry's operator and record; raises ValueError where it is not one of OPERATORS with plain arguments."""
    name, ir = entry.get("op_name"), entry.get("replay_ir")
    if not isinstance(name, str) or name not in OPERATORS:
        raise ValueError("refused: %r is not one of %s" % (name, ", ".join(OPERATORS)))
    if not isinstance(ir, dict):
        raise ValueError("%s cannot be replayed" % name)
    known = OPERATORS[name]
    if len(ir["list_pos_args"]) + len(ir["list_kwargs"]) > len(known):
        raise ValueError("refused: %s with too many arguments" % name)
    for a in ir["list_kwargs"]:
        if a["arg_name"] not in known:
            raise ValueError("refused: %s with an argument %r" % (name, a["arg_name"]))
    for a in ir["list_pos_args"] + ir["list_kwargs"]:
        if not plain(a["value"]):
            raise ValueError("refused: %s with a value that is no tensor, number or list of numbers" % name)
    return name, ir


def numbers(v):
    return isinstance(v, list) and len(v) <= 16 and all(isinstance(x, (int, float)) for x in v)


def plain(v):
    if isinstance(v, dict):
        return v.get("dtype") in DTYPES and numbers(v.get("shape")) and numbers(v.get("strides")) and len(v["shape"]) == len(v["strides"])
    return v is None or isinstance(v, (bool, int, float)) or numbers(v)


def tensor(spec, device):
    """A tensor of the recorded shape, strides and type; normal values where the type can hold them."""
    dtype = getattr(torch, DTYPES[spec["dtype"]])
    shape, strides = spec["shape"], spec["strides"]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if all(shape) else 0
    memory = torch.zeros(size, dtype=dtype, device=device)
    if spec.get("init") == "normal":
        memory.normal_()
    return torch.as_strided(memory, shape, strides)


def argument(arg, device):
    value = arg["value"]
    return tensor(value, device) if isinstance(value, dict) else value


def prepare(entry, device):
    """A function without arguments that runs the operator once."""
    name, ir = checked(entry)
    op = getattr(torch.ops.aten, name[len("aten::"):])
    args = [argument(a, device) for a in ir["list_pos_args"]]
    kwargs = {a["arg_name"]: argument(a, device) for a in ir["list_kwargs"]}
    return lambda: op(*args, **kwargs)


def mean_us(run, warmup, iters, device):
    """Mean time of a call in microseconds: between two events of the device, or by the clock on the host."""
    for _ in range(warmup):
        run()
    if device == "cuda":
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        for _ in range(iters):
            run()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1000.0 / iters
    started = time.perf_counter()
    for _ in range(iters):
        run()
    return (time.perf_counter() - started) * 1e6 / iters


def log_of(folder, stem, no):
    """Its name; a link of that name, which could lead to any file, is removed."""
    path = os.path.join(folder, "%s-%d.log" % (stem, int(no)))
    if os.path.islink(path):
        os.unlink(path)
    return path


def record(entries, folder, options):
    """The library's own log of each entry, from a process that runs it once."""
    failed = 0
    for i, entry in enumerate(entries):
        env = dict(os.environ)
        command = [sys.executable, os.path.abspath(__file__), "--file", options.file, "--index", str(i), "--warmup", "0",
                   "--iters", "1", "--device", options.device]
        stderr = None
        if entry["group"] == "gemm":
            env["HIPBLASLT_LOG_MASK"] = "32"
            env["HIPBLASLT_LOG_FILE"] = log_of(folder, "hipblaslt-bench", entry["no"])
        else:
            env["MIOPEN_ENABLE_LOGGING_CMD"] = "1"
            stderr = open(log_of(folder, "miopen-driver", entry["no"]), "wb")
        failed += subprocess.run(command, env=env, stderr=stderr, stdout=subprocess.DEVNULL).returncode != 0
        if stderr:
            stderr.close()
    return failed


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--file", default=os.path.join(here, "replay.json"))
    p.add_argument("--index", type=int)
    p.add_argument("--record", nargs="?", const=here, metavar="DIR")
    p.add_argument("--warmup", type=int, default=1000)
    p.add_argument("--iters", type=int, default=1000)
    p.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    o = p.parse_args()
    with open(o.file, encoding="utf-8") as f:
        entries = json.load(f)
    if o.record is not None:
        return 1 if record(entries, o.record, o) else 0
    if o.index is not None:
        mean = mean_us(prepare(entries[o.index], o.device), o.warmup, o.iters, o.device)
        print(json.dumps({"index": o.index, "mean_us": mean}))
        return 0
    failed = 0
    for i, entry in enumerate(entries):
        try:
            mean = mean_us(prepare(entry, o.device), o.warmup, o.iters, o.device)
        except Exception as e:  # one that fails does not keep the others from being timed
            failed += 1
            name = entry.get("op_name") if isinstance(entry, dict) else entry
            print("%d %s: failed: %s" % (i, name if isinstance(name, str) and name.isprintable() else repr(name), e))
            continue
        print("%d %s: mean %.3f us, %d x mean %.3f us" % (i, entry["op_name"], mean, entry["count"], entry["count"] * mean))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
