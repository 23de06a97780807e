#!/usr/bin/env python3
"""Write a PyTorch trace of which nearly every event is kept: operators nested four deep with shapes, strides and call
stacks, launch calls and kernels, few flow arrows, times in microseconds since 1970 with nanoseconds behind the point. The
traces of make_pytorch_trace.py lose many of their events as arrows and frames, which makes an event look cheap. The same
arguments give the same bytes.

    make_pytorch_dense.py OUT [--layers N] [--seed N] [--same-size] [--names N]

--same-size: all of a layer's shapes are equal (few groups); --names N: so many different kernel names.
"""
import argparse
import json
import random

START = 1763900000123456789  # ns since 1970
STACK = "torch/nn/modules/module.py(1747): _call_impl;model/block.py(%d): forward;train.py(211): step"


class Trace:
    def __init__(self, args, out):
        self.args, self.out, self.rnd = args, out, random.Random(args.seed)
        self.t, self.gpu = START, START
        self.ext = self.corr = self.index = self.count = 0

    def event(self, ph, cat, name, pid, tid, start, end, args):
        us = lambda ns: "%d.%03d" % (ns // 1000, ns % 1000)
        body = '"ph": "%s", "cat": "%s", "name": %s, "pid": %d, "tid": %d,\n    "ts": %s' % (ph, cat, json.dumps(name), pid, tid, us(start))
        if end is not None:
            body += ', "dur": %s,\n    "args": {\n      %s\n    }' % (us(end - start), ", ".join(
                "%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in args.items()))
        else:
            body += "".join(', "%s": %s' % (k, json.dumps(v)) for k, v in args.items())
        self.out.write("%s  {\n    %s\n  }" % (",\n" if self.count else "", body))
        self.count += 1

    def op(self, name, dims, line, inner):
        """An operator around what `inner` writes; the writer has outer operators after inner ones."""
        self.ext += 1
        self.index += 1
        ext, index, start = self.ext, self.index, self.t
        self.t += self.rnd.randint(300, 1500)
        inner(ext)
        self.t += self.rnd.randint(200, 900)
        self.event("X", "cpu_op", name, 4242, 4242, start, self.t, {
            "External id": ext, "Record function id": 0, "Sequence number": 100 + ext, "Fwd thread id": 0,
            "Concrete Inputs": [""] * len(dims), "Input type": ["c10::BFloat16"] * len(dims),
            "Input Strides": [[d[-1], 1][:len(d)] if d else [] for d in dims], "Input Dims": dims,
            "Call stack": STACK % line, "Ev Idx": index})

    def launch(self, ext, name):
        self.corr += 1
        start, corr = self.t, self.corr
        self.t += self.rnd.randint(2000, 5000)
        self.event("X", "cuda_runtime", "cudaLaunchKernel", 4242, 4242, start, self.t, {"External id": ext, "cbid": 211, "correlation": corr})
        begin = max(self.gpu + self.rnd.randint(100, 900), self.t)
        self.gpu = begin + self.rnd.randint(2000, 40000)
        self.event("X", "kernel", name, 0, 7, begin, self.gpu, {
            "External id": ext, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": corr, "registers per thread": 64,
            "shared memory": 0, "blocks per SM": self.rnd.randint(1, 4096) / 132, "warps per SM": self.rnd.randint(1, 8192) / 132,
            "grid": [self.rnd.randint(1, 64), 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 50})
        if corr % 10 == 0:
            for ph, pid, tid, at in (("s", 4242, 4242, start), ("f", 0, 7, begin)):
                extra = {"id": corr} if ph == "s" else {"id": corr, "bp": "e"}
                self.event(ph, "ac2g", "ac2g", pid, tid, at, None, extra)

    def kernel_name(self, kind):
        n = self.rnd.randrange(self.args.names)
        return "void at::native::%s_kernel<%d, c10::BFloat16, (anonymous namespace)::Functor_%d>(int, c10::BFloat16 const*, c10::BFloat16*)" \
            % (kind, 2 << (n % 4), n)

    def layer(self, number):
        m, k, n = (512, 1024, 1024) if self.args.same_size else (512, 64 * self.rnd.randint(4, 64), 64 * self.rnd.randint(4, 64))
        line = 40 + number % 50

        def gemm(_):
            self.op("aten::t", [[n, k]], line, lambda _: self.op("aten::transpose", [[n, k], [], []], line, lambda _: self.op(
                "aten::as_strided", [[n, k], [], [], []], line, lambda _: None)))
            self.op("aten::addmm", [[n], [m, k], [k, n], [], []], line, lambda ext: self.launch(ext, self.kernel_name("gemm_bf16")))
        self.op("Linear", [[1, m, k]], line, lambda _: self.op("aten::linear", [[1, m, k], [n, k], [n]], line, gemm))
        for name, kind, dims in (("aten::add", "vectorized_elementwise", [[1, m, n], [1, m, n], []]),
                                 ("aten::layer_norm", "vectorized_layer_norm", [[1, m, n], [n], [n]]),
                                 ("aten::softmax", "softmax_warp_forward", [[16, m, m], [], []])):
            self.op(name, dims, line, lambda ext: self.launch(ext, self.kernel_name(kind)))

    def step(self):
        self.out.write('{\n  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],\n  "traceEvents": [\n')
        self.op("Model", [[1, 512, 1024]], 40, lambda _: [self.layer(i) for i in range(self.args.layers)])
        self.event("X", "user_annotation", "ProfilerStep#1", 4242, 4242, START - 5000, max(self.t, self.gpu) + 1000, {"External id": 0})
        self.out.write('\n  ],\n  "traceName": "dense.json"\n}\n')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--layers", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--same-size", action="store_true")
    p.add_argument("--names", type=int, default=40)
    args = p.parse_args()
    with open(args.out, "w") as out:
        Trace(args, out).step()


if __name__ == "__main__":
    main()
