#!/usr/bin/env python3
"""Write a made-up PyTorch profiler trace: training steps of a small transformer with operators, runtime calls, kernels,
copies, flow arrows, shapes, python frames, annotations and collectives. The same arguments give the same bytes.

    make_pytorch_trace.py OUT [--steps N] [--layers N] [--layout kineto|compact|indented] [--seed N] [--frames]
                              [--rank R] [--world W]

OUT ending in .gz is compressed; "-" is standard output. kineto: the native writer's layout, one event over four to six
lines; compact: one event a line; indented: one value a line.
"""
import argparse
import gzip
import json
import random
import sys

KERNELS = {
    "gemm": ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
             "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn"],
    "elementwise": ["void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
                    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
                    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda"
                    "(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#12}>(int, int)"],
    "norm": ["void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
             "c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)"],
    "softmax": ["void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, true>"
                "(c10::BFloat16*, c10::BFloat16 const*, int, int, int)"],
}


class Trace:
    def __init__(self, args):
        self.rnd = random.Random(args.seed)
        self.args = args
        self.events = []
        self.t = 3743411222594212 + args.rank * 1000  # ns; the files hold microseconds with three decimals
        self.gpu = {7: self.t, 20: self.t}            # when each stream is free
        self.corr, self.ext, self.index, self.seq = 1000, 1, 0, 100
        self.main, self.autograd, self.pid = 4242, 4300, 4242
        self.open = []

    def span(self, cat, name, start, end, pid, tid, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": end - start, "args": args})

    def ids(self):
        self.ext += 1
        self.index += 1
        return {"External id": self.ext, "Record function id": 0, "Ev Idx": self.index}

    def kernel(self, name, kind, tid, ext, duration, extra=None):
        """A launch call and what it launches."""
        self.corr += 1
        call = {"memcpy": "cudaMemcpyAsync", "memset": "cudaMemsetAsync"}.get(kind, "cudaLaunchKernel")
        start = self.t
        self.t += self.rnd.randint(2500, 6500)
        self.span("cuda_runtime", call, start, self.t, self.pid, tid,
                  {"External id": ext, "cbid": 211, "correlation": self.corr})
        stream = 20 if kind == "comm" else 7
        begin = max(self.gpu[stream], self.t + self.rnd.randint(800, 4000))
        end = begin + duration
        self.gpu[stream] = end + self.rnd.randint(100, 900)
        common = {"External id": ext}
        if kind in ("memcpy", "memset"):
            common.update({"device": 0, "context": 1, "stream": stream, "correlation": self.corr,
                           "bytes": self.rnd.randint(1, 4096) * 1024, "memory bandwidth (GB/s)": self.rnd.randint(1, 2000) / 8})
        else:
            common.update({"queued": 0, "device": 0, "context": 1, "stream": stream, "correlation": self.corr,
                           "registers per thread": self.rnd.choice([32, 64, 168]), "shared memory": self.rnd.choice([0, 49152]),
                           "blocks per SM": self.rnd.randint(1, 4096) / 132, "warps per SM": self.rnd.randint(1, 8192) / 132,
                           "grid": [self.rnd.randint(1, 2048), 1, 1], "block": [self.rnd.choice([128, 256, 384]), 1, 1],
                           "est. achieved occupancy %": self.rnd.randint(1, 100)})
        common.update(extra or {})
        cat = {"memcpy": "gpu_memcpy", "memset": "gpu_memset"}.get(kind, "kernel")
        self.span(cat, name, begin, end, 0, stream, common)
        for ph, pid, tid2, at in (("s", self.pid, tid, start), ("f", 0, stream, begin)):
            e = {"ph": ph, "id": self.corr, "pid": pid, "tid": tid2, "ts": at, "cat": "ac2g", "name": "ac2g"}
            if ph == "f":
                e["bp"] = "e"
            self.events.append(e)

    def op(self, name, dims, types, tid, body=None, seq=False, concrete=None, fwd=None):
        ids = self.ids()
        start = self.t
        self.t += self.rnd.randint(400, 2500)
        if body:
            body(ids["External id"])
        self.t += self.rnd.randint(300, 1500)
        args = dict(ids)
        if seq:
            self.seq += 1
        if seq or fwd:
            args.update({"Fwd thread id": 1 if fwd else 0, "Sequence number": fwd or self.seq})
        args.update({"Concrete Inputs": concrete or [""] * len(dims), "Input type": types,
                     "Input Strides": [[d[-1] if len(d) > 1 else 1, 1][:len(d)] for d in dims], "Input Dims": dims})
        self.span("cpu_op", name, start, self.t, self.pid, tid, args)
        return start

    def frame(self, name):
        return (name, self.t)

    def close(self, frame, parent):
        self.index += 1
        self.span("python_function", frame[0], frame[1], self.t, self.pid, self.main,
                  {"Python id": self.index, "Python parent id": parent, "Ev Idx": self.index})

    def pick(self, kind):
        return self.rnd.choice(KERNELS[kind])

    def linear(self, m, k, n, tid):
        bf = "c10::BFloat16"

        def gemm(_):
            self.op("aten::addmm", [[n], [m, k], [k, n], [], []], [bf, bf, bf, "Scalar", "Scalar"], tid, lambda ext: self.kernel(
                self.pick("gemm"), "gemm", tid, ext, self.rnd.randint(20000, 90000)), True, ["", "", "", "1", "1"])
        self.op("aten::linear", [[1, m, k], [n, k], [n]], [bf, bf, bf], tid, gemm, True)

    def simple(self, name, kind, dims, tid, low, high):
        self.op(name, dims, ["c10::BFloat16"] * len(dims), tid,
                lambda ext: self.kernel(self.pick(kind), kind, tid, ext, self.rnd.randint(low, high)), True)

    def allreduce(self, n, tid):
        extra = {"Collective name": "allreduce", "In msg nelems": n, "Out msg nelems": n, "Group size": self.args.world,
                 "dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0",
                 "Process Group Description": "default_pg",
                 "Process Group Ranks": "[%s]" % ", ".join(str(r) for r in range(min(self.args.world, 8)))}
        self.op("c10d::allreduce_", [[[n]], [], []], ["TensorList", "", ""], tid, lambda _: self.op(
            "record_param_comms", [[[n]], [], []], ["GenericList", "", ""], tid, lambda ext: self.kernel(
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "comm", tid, ext,
                self.rnd.randint(60000, 200000), extra)))

    def layer(self, number, tid):
        b, h = 512, 1024
        frames = [self.frame("nn.Module: Block_%d" % number), self.frame("model.py(%d): forward" % (40 + number))] if self.args.frames else []
        self.simple("aten::layer_norm", "norm", [[1, b, h], [h], [h]], tid, 5000, 9000)
        self.linear(b, h, 3 * h, tid)
        self.simple("aten::softmax", "softmax", [[16, b, b]], tid, 9000, 15000)
        self.linear(b, h, h, tid)
        self.simple("aten::add", "elementwise", [[1, b, h], [1, b, h], []], tid, 1500, 4000)
        self.linear(b, h, 4 * h, tid)
        self.simple("aten::gelu", "elementwise", [[1, b, 4 * h]], tid, 3000, 6000)
        self.linear(b, 4 * h, h, tid)
        for i, f in enumerate(reversed(frames)):
            self.close(f, 1000 + i)

    def backward_layer(self, number, tid):
        def body(_):
            for i in range(2):
                self.op("aten::mm", [[1024, 512], [512, 3072]], ["c10::BFloat16"] * 2, tid, lambda ext: self.kernel(
                    self.pick("gemm"), "gemm", tid, ext, self.rnd.randint(20000, 90000)))
        fwd = self.seq - 3 * number
        start = self.op("autograd::engine::evaluate_function: AddmmBackward0", [[]], [""], tid, lambda _: self.op(
            "AddmmBackward0", [[512, 3072]], ["c10::BFloat16"], tid, body, fwd=fwd), fwd=fwd)
        for ph, at, thread in (("s", start - 500000, self.main), ("f", start, tid)):
            e = {"ph": ph, "id": fwd, "pid": self.pid, "tid": thread, "ts": at, "cat": "fwdbwd", "name": "fwdbwd"}
            if ph == "f":
                e["bp"] = "e"
            self.events.append(e)

    def step(self, number):
        start = self.t
        self.op("aten::to", [[1, 512], [], []], ["long int", "", ""], self.main, lambda ext: self.kernel(
            "Memcpy HtoD (Pinned -> Device)", "memcpy", self.main, ext, 2500))
        self.op("aten::zero_", [[1024]], ["float"], self.main, lambda ext: self.kernel(
            "Memset (Device)", "memset", self.main, ext, 1200))
        for i in range(self.args.layers):
            self.layer(i, self.main)
        for i in range(self.args.layers):
            self.backward_layer(i, self.autograd)
            if i % 2:
                self.allreduce(12582912, self.autograd)
        sync = self.t
        self.t = max(self.t, self.gpu[7]) + 1000
        self.corr += 1
        self.span("cuda_runtime", "cudaDeviceSynchronize", sync, self.t, self.pid, self.main,
                  {"External id": 0, "cbid": 165, "correlation": self.corr})
        ids = self.ids()
        self.span("user_annotation", "ProfilerStep#%d" % number, start, self.t, self.pid, self.main, ids)
        self.span("gpu_user_annotation", "ProfilerStep#%d" % number, start + 9000, self.t, 0, 7, {"External id": ids["External id"]})
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": self.pid, "tid": self.main,
                            "ts": self.t, "args": {"Total Reserved": 1 << 30, "Total Allocated": 1 << 29, "Bytes": 4096,
                                                   "Addr": 139853174407168 + number, "Device Id": 0, "Device Type": 1}})
        self.t += 20000

    def metadata(self):
        for pid, label, threads in ((self.pid, "CPU", {self.main: "thread 4242 (python3)", self.autograd: "thread 4300 (pt_autograd_0)"}),
                                    (0, "GPU 0", {7: "stream 7 ", 20: "stream 20 "})):
            for name, tid, args in [("process_name", 0, {"name": "python3"}), ("process_labels", 0, {"labels": label}),
                                    ("process_sort_index", 0, {"sort_index": pid})]:
                self.events.append({"name": name, "ph": "M", "ts": 3743411222594212, "pid": pid, "tid": tid, "args": args})
            for tid, text in threads.items():
                self.events.append({"name": "thread_name", "ph": "M", "ts": 3743411222594212, "pid": pid, "tid": tid, "args": {"name": text}})


def us(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def value(key, v):
    return us(v) if key in ("ts", "dur") else json.dumps(v)


def write_kineto(events, out):
    """Line breaks where the profiler's own writer has them."""
    for i, e in enumerate(events):
        first = [k for k in ("name", "ph", "cat", "id", "s") if k in e] if e["ph"] == "M" else \
                [k for k in ("ph", "cat", "s", "id", "name", "pid", "tid") if k in e and (e["ph"] in "Xi" or k not in ("cat", "name"))]
        second = [k for k in e if k not in first and k != "args"]
        text = "  {\n    " + ", ".join('"%s": %s' % (k, value(k, e[k])) for k in first)
        if second:
            text += ",\n    " + ", ".join('"%s": %s' % (k, value(k, e[k])) for k in second)
        if "args" in e:
            items = ['"%s": %s' % (k, json.dumps(v)) for k, v in e["args"].items()]
            text += ',\n    "args": {\n      ' + items[0]
            for k, item in enumerate(items[1:], 1):
                text += (", " if k % 4 else ",\n      ") + item
            text += "\n    }"
        out.write(text + "\n  }" + (",\n" if i + 1 < len(events) else "\n"))


def write_plain(events, out, indent):
    for i, e in enumerate(events):
        if indent:
            text = json.dumps({k: v for k, v in e.items() if k not in ("ts", "dur")}, indent=2)
            body = text[2:-2].replace("\n", "\n    ")
            times = "".join(',\n      "%s": %s' % (k, us(e[k])) for k in ("ts", "dur") if k in e)
            out.write("    {\n    " + body + times + "\n    }")
        else:
            out.write("{" + ",".join('"%s":%s' % (k, us(v) if k in ("ts", "dur") else json.dumps(v, separators=(",", ":")))
                                     for k, v in e.items()) + "}")
        out.write(",\n" if i + 1 < len(events) else "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--layout", choices=["kineto", "compact", "indented"], default="kineto")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--frames", action="store_true")
    p.add_argument("--rank", type=int, default=0)
    p.add_argument("--world", type=int, default=8)
    args = p.parse_args()
    t = Trace(args)
    for i in range(args.steps):
        t.step(i)
    t.events.sort(key=lambda e: {"cpu_op": 0, "user_annotation": 0, "python_function": 1}.get(e.get("cat"), 2))  # as the profiler writes
    t.metadata()
    if args.out == "-":
        out = sys.stdout
    elif args.out.endswith(".gz"):
        import io
        out = io.TextIOWrapper(gzip.GzipFile(args.out, "wb", compresslevel=6, mtime=0), encoding="utf-8")
    else:
        out = open(args.out, "w", encoding="utf-8")
    device = {"id": 0, "name": "NVIDIA Example GPU", "totalGlobalMem": 85899345920, "computeMajor": 9, "computeMinor": 0, "numSms": 132}
    head = {"schemaVersion": 1, "deviceProperties": [device], "cupti_version": 24, "cuda_runtime_version": 12060,
            "distributedInfo": {"backend": "nccl", "rank": args.rank, "world_size": args.world}, "with_stack": int(args.frames)}
    out.write("{\n" + "".join("  %s: %s,\n" % (json.dumps(k), json.dumps(v)) for k, v in head.items()) + '  "traceEvents": [\n')
    if args.layout == "kineto":
        write_kineto(t.events, out)
    else:
        write_plain(t.events, out, args.layout == "indented")
    out.write('  ],\n  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1712534400000000000,\n  "traceName": "made up"\n}\n')
    if out is not sys.stdout:
        out.close()


if __name__ == "__main__":
    main()
