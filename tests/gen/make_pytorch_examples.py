#!/usr/bin/env python3
"""Write the two PyTorch profiler traces of the example: made up, small, the same bytes every time.

    make_pytorch_examples.py DIR        writes DIR/train_step.json, DIR/train_step_pageable.json, DIR/inference.json

train_step: two steps of three layers with shapes, python frames, backward on another thread (sequence numbers and arrows), one
layer recomputed (activation checkpointing), a gradient all-reduce beside the backward, an optimizer. Rank 1 of 2.
train_step_pageable: the same, but the batch is copied from pageable memory: a regression for the tutorial.
inference: a kernel from before the recording, a prefill step launched operator by operator, three decode steps launched as a graph,
with the step labels of an engine.
"""
import json
import os
import sys

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*)"
NORM_BWD = "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<c10::BFloat16, float>(c10::BFloat16 const*, int)"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)>"
GELU_BWD = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&)>"
REDUCE = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float> > >"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
FOREACH = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::TensorListMetadata<2> >"
NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
FLASH = "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t>, true>(Flash_fwd_params)"
PAGED = "void vllm::paged_attention_v2_kernel<__nv_bfloat16, __nv_bfloat16, 128, 16, 128>(float*, float*)"
CACHE = "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16>(__nv_bfloat16 const*)"
RMS = "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, float, int, int)"
ROPE = "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*)"
SILU = "void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel<c10::BFloat16> >(c10::BFloat16*)"
ARGMAX = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float> > >"

PID, MAIN, AUTOGRAD = 4242, 4242, 4301


class Trace:
    """Times in ns since an arbitrary beginning; each host thread and each stream has its clock."""

    def __init__(self):
        self.events, self.flows = [], []
        self.now = {MAIN: 0, AUTOGRAD: 0}
        self.free = {}
        self.corr, self.ext, self.py = 1000, 0, 0
        for tid, name, key in ((0, "python3", "process_name"), (0, "CPU", "process_labels"), (MAIN, "thread 4242 (python3)", "thread_name"),
                               (AUTOGRAD, "thread 4301 (pt_autograd_0)", "thread_name")):
            args = {"labels" if key == "process_labels" else "name": name}
            self.events.append({"ph": "M", "name": key, "pid": PID, "tid": tid, "ts": 0, "args": args})

    def span(self, cat, name, pid, tid, start, end, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": end - start, "args": args})

    def flow(self, ph, cat, ident, pid, tid, at):
        e = {"ph": ph, "id": ident, "pid": pid, "tid": tid, "ts": at, "cat": cat, "name": cat}
        self.flows.append(dict(e, bp="e") if ph == "f" else e)

    def op(self, name, tid, body, dims=None, types=None, seq=None, cat="cpu_op", extra=None):
        """An operator (or frame, annotation) around what body() does; returns its beginning."""
        start = self.now[tid]
        args = {}
        if cat == "cpu_op":
            self.ext += 1
            args["External id"] = self.ext
            if dims is not None:
                args["Input Dims"] = dims
                args["Input type"] = types or ["c10::BFloat16" if d else "Scalar" for d in dims]
                args["Input Strides"] = [[int(prod(d[i + 1:])) for i in range(len(d))] for d in dims]
                args["Concrete Inputs"] = ["" if d else "1" for d in dims]
            if seq is not None:
                args["Sequence number"] = seq
                args["Fwd thread id"] = 0 if tid == MAIN else 1
        if cat == "python_function":
            self.py += 1
            args["Python id"] = self.py
        args.update(extra or {})
        at = len(self.events)
        self.events.append(None)
        self.now[tid] += 1200
        if body:
            body()
        self.now[tid] += 1800
        self.events[at] = {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": tid, "ts": start, "dur": self.now[tid] - start, "args": args}
        return start

    def launch(self, tid, kernels, call="cudaLaunchKernel", cat="kernel", host=4500, extra=None):
        """One call and its device events: (name, stream, duration)."""
        self.corr += 1
        start = self.now[tid]
        self.span("cuda_runtime", call, PID, tid, start, start + host, {"External id": self.ext, "cbid": 211, "correlation": self.corr})
        self.now[tid] += host + 300
        for i, (name, stream, duration) in enumerate(kernels):
            begin = max(self.free.get(stream, 0), start + host + 2500)
            args = {"External id": self.ext, "device": 0, "stream": stream, "correlation": self.corr}
            args.update(extra or {})
            self.span(cat, name, 0, stream, begin, begin + duration, args)
            self.free[stream] = begin + duration + 640
            if i == 0:
                self.flow("s", "ac2g", self.corr, PID, tid, start)
                self.flow("f", "ac2g", self.corr, 0, stream, begin)

    def wait(self, tid, call, streams):
        start = self.now[tid]
        end = max([start + 1500] + [self.free.get(s, 0) + 2000 for s in streams])
        self.corr += 1
        self.span("cuda_runtime", call, PID, tid, start, end, {"External id": self.ext, "cbid": 131, "correlation": self.corr})
        self.now[tid] = end + 500

    def write(self, path, head):
        base = 3743411222594212  # ns
        lines = []
        for e in self.events + self.flows:
            e = dict(e)
            if e["ph"] != "M":
                e["ts"] = Micro(e["ts"] + base)
            if "dur" in e:
                e["dur"] = Micro(e["dur"])
            lines.append(dump(e))
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write("{\n" + "".join('"%s": %s,\n' % (k, json.dumps(v)) for k, v in head.items()))
            f.write('"traceEvents": [\n' + ",\n".join(lines) + '\n],\n"traceName": "%s"\n}\n' % os.path.basename(path))


class Micro(int):
    """Nanoseconds, written as microseconds with three decimals."""


def dump(v):
    if isinstance(v, Micro):
        return "%d.%03d" % divmod(int(v), 1000)
    if isinstance(v, dict):
        return "{" + ", ".join(json.dumps(k) + ": " + dump(x) for k, x in v.items()) + "}"
    return json.dumps(v)


def prod(values):
    p = 1
    for v in values:
        p *= v
    return p


def head(rank=None):
    h = {"schemaVersion": 1,
         "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85028896768, "numSms": 132}],
         "cuda_runtime_version": 12040, "record_shapes": 1, "with_stack": 1}
    if rank is not None:
        h["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 2, "pg_count": 1, "nccl_version": "2.20.5"}
    return h


# ---- training ----
BATCH, WIDTH, LAYERS = 512, 1024, 3


def frame(t, tid, name, body):
    t.op(name, tid, body, cat="python_function")


def forward_layer(t, tid, seq, back):
    """norm, linear, gelu; adds what the backward has to undo to `back`."""
    x, w, b = [BATCH, WIDTH], [WIDTH, WIDTH], [WIDTH]

    def norm():
        t.op("aten::native_layer_norm", tid, lambda: t.launch(tid, [(NORM, 7, 6208)]), [x, [], b, b, []])

    def linear():
        t.op("aten::addmm", tid, lambda: t.launch(tid, [(GEMM, 7, 21344)], call="cudaLaunchKernelExC"), [b, x, w, [], []])

    s = seq()
    back.append(("NativeLayerNormBackward0", "aten::native_layer_norm_backward", NORM_BWD, 11040, s,
                 t.op("aten::layer_norm", tid, norm, [x, [], b, b, [], []], seq=s)))
    s = seq()
    back.append(("AddmmBackward0", "aten::mm", GEMM, 22016, s, t.op("aten::linear", tid, linear, [x, w, b], seq=s)))
    s = seq()
    back.append(("GeluBackward0", "aten::gelu_backward", GELU_BWD, 5312, s,
                 t.op("aten::gelu", tid, lambda: t.launch(tid, [(GELU, 7, 4128)]), [x, []], seq=s)))


def backward_node(t, node, index):
    name, op, kernel, duration, seq, start = node
    x, w = [BATCH, WIDTH], [WIDTH, WIDTH]

    def grads():
        for dims in ([x, w], [w[::-1], x[::-1]]) if op == "aten::mm" else ([x, x],):
            t.op(op, AUTOGRAD, lambda: t.launch(AUTOGRAD, [(kernel, 7, duration)]), dims)

    at = t.now[AUTOGRAD]
    t.op("autograd::engine::evaluate_function: " + name, AUTOGRAD, lambda: t.op(name, AUTOGRAD, grads, seq=seq), seq=seq)
    t.flow("s", "fwdbwd", 50000 + index, PID, MAIN, start)
    t.flow("f", "fwdbwd", 50000 + index, PID, AUTOGRAD, at)


def all_reduce(t, elements):
    meta = {"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements, "Group size": 2, "dtype": "BFloat16",
            "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", "Process Group Description": "default_pg",
            "Process Group Ranks": "[0, 1]"}
    t.op("record_param_comms", AUTOGRAD, lambda: t.launch(AUTOGRAD, [(NCCL, 20, 68320)], call="cudaLaunchKernelExC", extra=meta),
         [[elements], [], []])


def training(path, pinned=True):
    t = Trace()
    copy = ("Memcpy HtoD (Pinned -> Device)", 7, 35000) if pinned else ("Memcpy HtoD (Pageable -> Device)", 7, 142000)
    seq = [100]

    def next_seq():
        seq[0] += 1
        return seq[0]

    def step(number):
        back = []

        def forward():
            for i in range(LAYERS):
                frame(t, MAIN, "nn.Module: Block_%d" % i, lambda: frame(t, MAIN, "model.py(21): forward",
                                                                         lambda: forward_layer(t, MAIN, next_seq, back)))

        def body():
            t.op("aten::to", MAIN, lambda: t.op("aten::copy_", MAIN, lambda: t.launch(
                MAIN, [copy], call="cudaMemcpyAsync", cat="gpu_memcpy",
                extra={"bytes": BATCH * WIDTH * 2}), [[BATCH, WIDTH], [BATCH, WIDTH], []]), [[BATCH, WIDTH], []])
            forward()
            t.op("aten::mean", MAIN, lambda: t.launch(MAIN, [(REDUCE, 7, 3200)]), [[BATCH, WIDTH], []])
            t.now[AUTOGRAD] = t.now[MAIN]
            for i, node in enumerate(reversed(back)):
                if i == 3:  # the middle layer was checkpointed: its forward runs again
                    frame(t, AUTOGRAD, "torch/utils/checkpoint.py(1116): recompute_fn",
                          lambda: forward_layer(t, AUTOGRAD, next_seq, []))
                backward_node(t, node, number * 100 + i)
                if i % 3 == 2:
                    all_reduce(t, WIDTH * WIDTH)
            t.now[MAIN] = t.now[AUTOGRAD]
            t.wait(MAIN, "cudaStreamSynchronize", (7, 20))
            t.op("aten::_foreach_add_", MAIN, lambda: t.launch(MAIN, [(FOREACH, 7, 9400)]),
                 [[WIDTH, WIDTH], [WIDTH, WIDTH]])
            t.wait(MAIN, "cudaDeviceSynchronize", (7, 20))

        frame(t, MAIN, "train.py(30): train_step", body)

    for number in (1, 2):
        t.op("ProfilerStep#%d" % number, MAIN, lambda: step(number), cat="user_annotation")
        t.now[MAIN] += 12000
    t.write(path, head(rank=1))


# ---- inference ----
TOKENS, HIDDEN, BLOCKS = 256, 4096, 2


def block(t):
    x, w = [TOKENS, HIDDEN], [HIDDEN, HIDDEN]

    def simple(name, kernel, duration, dims, call="cudaLaunchKernel"):
        t.op(name, MAIN, lambda: t.launch(MAIN, [(kernel, 7, duration)], call=call), dims)

    simple("_C::rms_norm", RMS, 5600, [x, x, [HIDDEN]])
    simple("aten::mm", GEMM, 48000, [x, [HIDDEN, 3 * HIDDEN]], "cudaLaunchKernelExC")
    simple("_C::rotary_embedding", ROPE, 4300, [[TOKENS], x, x])
    simple("vllm::reshape_and_cache", CACHE, 3900, [x, x])
    simple("vllm::flash_attn_varlen_func", FLASH, 31500, [[TOKENS, 32, 128], [TOKENS, 8, 128], [TOKENS, 8, 128]])
    simple("aten::mm", GEMM, 27500, [x, w], "cudaLaunchKernelExC")
    simple("_C::silu_and_mul", SILU, 6100, [x, x])
    simple("aten::add", ADD, 4400, [x, x, []])


def inference(path):
    t = Trace()
    t.span("kernel", GEMM, 0, 7, -40000, -12000, {"device": 0, "stream": 7, "correlation": 17})

    def prefill():
        for _ in range(BLOCKS):
            block(t)
        t.op("aten::argmax", MAIN, lambda: t.launch(MAIN, [(ARGMAX, 7, 4800)]), [[1, 32000], [], []])

    def decode():
        kernels = []
        for _ in range(BLOCKS):
            kernels += [(RMS, 7, 2100), (GEMM, 7, 14500), (ROPE, 7, 1900), (CACHE, 7, 1700), (PAGED, 7, 9800), (GEMM, 7, 9100),
                        (SILU, 7, 2300), (NCCL, 20, 7600)]
        t.launch(MAIN, kernels + [(ARGMAX, 7, 2400)], call="cudaGraphLaunch", host=9000)

    t.op("execute_context_1(%d)_generation_0(0)" % TOKENS, MAIN, prefill, cat="user_annotation")
    for _ in range(3):
        t.wait(MAIN, "cudaStreamSynchronize", (7, 20))
        t.now[MAIN] += 22000  # the scheduler
        t.op("execute_context_0(0)_generation_8(8)", MAIN, decode, cat="user_annotation")
    t.wait(MAIN, "cudaStreamSynchronize", (7, 20))
    t.write(path, head())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    training(os.path.join(sys.argv[1], "train_step.json"))
    training(os.path.join(sys.argv[1], "train_step_pageable.json"), pinned=False)
    inference(os.path.join(sys.argv[1], "inference.json"))
