#!/usr/bin/env python3
"""Write XPlane profiles (.xplane.pb) with known contents. The wire format is encoded by hand; standard library only.

    make_xplane_example.py --dir DIR            the example: a training step of a JAX program on two hosts of two GPUs,
                                                DIR/plugins/profile/train_step/{alpha,beta}.xplane.pb, and one
                                                TPU profile DIR/tpu/tpu.xplane.pb
    make_xplane_example.py --collectives FILE --dir DIR
                                                one host of ranks a group: for every row of FILE (columns group_idx,
                                                group_size, data_bytes, min_dur_us, max_dur_us, start_skew_us) an
                                                all-gather whose members show these figures
    make_xplane_example.py --bench FILE --mb N  planes of the example repeated to about N megabytes (concatenated XSpaces
                                                are one XSpace)
    make_xplane_example.py --bench FILE --mb N --kind gpu|tpu
                                                one device whose events alone make about N megabytes: kernels that say
                                                eight things of themselves, operations of a TPU core with two
"""
import argparse
import csv
import os
import struct

# ---- wire format


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 0x7F:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def num(field, v):
    return varint(field << 3) + varint(v)


def data(field, b):
    if isinstance(b, str):
        b = b.encode()
    return varint(field << 3 | 2) + varint(len(b)) + b


def real(field, v):
    return varint(field << 3 | 1) + struct.pack("<d", v)


def packed(field, values):
    return data(field, b"".join(varint(v) for v in values))


# ---- XPlane


class Plane:
    def __init__(self, name):
        self.name, self.lines, self.metas, self.stat_ids, self.stats = name, [], {}, {}, b""

    def stat_id(self, name):
        return self.stat_ids.setdefault(name, len(self.stat_ids) + 1)

    def stat(self, name, value, ref=True):
        """One XStat: text as a reference, int as uint64 or int64, float, bytes."""
        out = num(1, self.stat_id(name))
        if isinstance(value, str):
            return out + (num(7, self.stat_id(value)) if ref else data(5, value))
        if isinstance(value, bytes):
            return out + data(6, value)
        if isinstance(value, float):
            return out + real(2, value)
        return out + (num(3, value) if name in ("correlation_id", "device_id") else num(4, value))

    def meta(self, name, display="", body=b"", key=None):
        if name not in self.metas:
            self.metas[name] = (len(self.metas) + 1 if key is None else key, display, body)
        return self.metas[name][0]

    def event(self, meta, start_ps, dur_ps, **stats):
        out = num(1, meta) + num(2, start_ps) + num(3, dur_ps)
        for k, v in stats.items():
            out += data(4, self.stat(k, v))
        return data(4, out)

    def line(self, number, name, timestamp_ns, events):
        self.lines.append(num(1, number) + data(2, name) + num(3, timestamp_ns) + b"".join(events))

    def encode(self):
        """Lines before metadata, as profilers write them."""
        out = data(2, self.name) + b"".join(data(3, x) for x in self.lines)
        for name, (key, display, body) in self.metas.items():
            value = num(1, key) + data(2, name) + (data(4, display) if display else b"") + body
            out += data(4, num(1, key) + data(2, value))
        for name, key in self.stat_ids.items():
            out += data(5, num(1, key) + data(2, num(1, key) + data(2, name)))
        return out + self.stats


def space(planes, host):
    return b"".join(data(1, p.encode()) for p in planes) + data(4, host)


# ---- HLO
TYPES = {"s8": 2, "s32": 4, "u8": 6, "f32": 11, "tuple": 13, "bf16": 16}


def shape(kind, *dims, parts=()):
    out = num(2, TYPES[kind])
    if dims:
        out += packed(3, dims)
    out += b"".join(data(4, p) for p in parts)
    if dims:
        out += data(5, packed(1, range(len(dims) - 1, -1, -1)))
    return out


def tup(*parts):
    return shape("tuple", parts=parts)


class Module:
    def __init__(self, name):
        self.name, self.instrs, self.computations, self.next = name, [], [], 100

    def instr(self, name, opcode, out_shape, operands=(), extra=b"", scope=""):
        number = self.next
        self.next += 1
        body = data(1, name) + data(2, opcode) + data(3, out_shape)
        if scope:
            body += data(7, data(2, scope) + data(3, "train.py") + num(4, 42))
        body += num(35, number) + (packed(36, operands) if operands else b"") + extra
        self.instrs.append(body)
        return number

    def computation(self, name, number):
        """Closes a computation of the instructions since the last one."""
        self.computations.append(data(1, name) + b"".join(data(2, i) for i in self.instrs) + num(5, number))
        self.instrs = []

    def encode(self):
        return data(1, data(1, self.name) + b"".join(data(3, c) for c in self.computations))


def dot_numbers(lhs, rhs):
    return data(30, packed(1, lhs) + packed(2, rhs))


def train_step():
    """M=512 N=1024 K=2048 product, a fused product of 256 x 256 x 256, a 3 x 3 convolution, attention, two collectives."""
    m = Module("jit_train_step")
    a = m.instr("fused_a", "parameter", shape("bf16", 256, 256))
    b = m.instr("fused_b", "parameter", shape("bf16", 256, 256))
    m.instr("dot.1", "dot", shape("bf16", 256, 256), [a, b], dot_numbers([1], [0]))
    m.computation("fused_computation", 7)
    x = m.instr("x", "parameter", shape("bf16", 512, 2048))
    w = m.instr("w", "parameter", shape("bf16", 2048, 1024))
    config = ('{"gemm_backend_config":{"alpha_real":1,"beta":0,"epilogue":"DEFAULT","dot_dimension_numbers":{'
              '"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],'
              '"rhs_batch_dimensions":[]}}}')
    m.instr("custom-call.1", "custom-call", tup(shape("bf16", 512, 1024), shape("s8", 4096)), [x, w],
            data(28, "__cublas$gemm") + data(43, config), "jit(train_step)/dense/dot_general")
    fa = m.instr("fa", "parameter", shape("bf16", 256, 256))
    fb = m.instr("fb", "parameter", shape("bf16", 256, 256))
    m.instr("gemm_fusion_dot.2", "fusion", shape("bf16", 256, 256), [fa, fb], packed(38, [7]),
            "jit(train_step)/head/dot_general")
    image = m.instr("image", "parameter", shape("bf16", 8, 64, 32, 32))
    kernel = m.instr("kernel", "parameter", shape("bf16", 128, 64, 3, 3))
    window = b"".join(data(1, num(1, 3) + num(2, 1) + num(3, 1) + num(4, 1)) for _ in range(2))
    dims = num(3, 1) + num(4, 0) + packed(6, [2, 3]) + num(7, 0) + num(8, 1) + num(9, 0) + num(10, 1)
    m.instr("cudnn-conv.3", "custom-call", tup(shape("bf16", 8, 128, 32, 32), shape("u8", 65536)), [image, kernel],
            data(15, window) + data(16, dims) + data(28, "__cudnn$convForward") + num(50, 1),
            "jit(train_step)/stem/conv_general_dilated")
    q = m.instr("q", "parameter", shape("bf16", 4, 1024, 16, 64))
    k = m.instr("k", "parameter", shape("bf16", 4, 1024, 16, 64))
    v = m.instr("v", "parameter", shape("bf16", 4, 1024, 16, 64))
    attributes = ('{attn_heads = 16 : i64, num_gqa_groups = 16 : i64, input_batch = 4 : i64, q_max_seqlen = 1024 : i64, '
                  'kv_max_seqlen = 1024 : i64, qk_head_dim = 64 : i64, v_head_dim = 64 : i64, mask_type = 2 : i64, '
                  'qkv_layout = 10 : i64, is_training = true}')
    m.instr("custom-call.4", "custom-call", tup(shape("bf16", 4, 1024, 16, 64), shape("u8", 1024)), [q, k, v],
            data(28, "te_fused_attn_forward_ffi") + data(43, attributes), "jit(train_step)/attn/fused_attn")
    g = m.instr("gradient", "parameter", shape("f32", 1048576))
    iota = num(1, 2) + num(2, 2) + packed(3, [2, 2]) + packed(4, [1, 0])
    m.instr("all-reduce.5", "all-reduce", shape("f32", 1048576), [g], num(71, 1) + data(87, data(2, iota)),
            "jit(train_step)/psum")
    p = m.instr("part", "parameter", shape("bf16", 65536))
    group = b"".join(data(49, packed(1, r)) for r in ([0, 1], [2, 3]))
    m.instr("all-gather-start.1", "all-gather-start", tup(shape("bf16", 65536), shape("bf16", 131072)), [p], group,
            "jit(train_step)/all_gather")
    m.instr("loop_add_fusion", "fusion", shape("f32", 1048576), [g, g], packed(38, [9]), "jit(train_step)/add")
    m.computation("main", 1)
    return m


PROGRAM = 11
KERNELS = [  # kernel, operation, start us, duration us
    ("nvjet_hsh_128x256_64x4", "custom-call.1", 20.0, 41.25),
    ("gemm_fusion_dot_2", "gemm_fusion_dot.2", 63.5, 6.125),
    ("cudnn_conv_im2col", "cudnn-conv.3", 72.0, 9.5),
    ("sm90_xmma_fprop_implicit_gemm", "cudnn-conv.3", 82.0, 55.75),
    ("cudnn_generated_flash_fprop", "custom-call.4", 140.0, 120.5),
    ("ncclDevKernel_AllGather_RING_LL", "all-gather.7", 250.0, 30.25),
    ("loop_add_fusion", "loop_add_fusion", 285.0, 12.0),
    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "all-reduce.5", 300.0, 88.0),
]
STEP_PS = 500 * 10**6
STEPS = 4


def jitter(rank, step, i):
    """A deterministic few percent, in ps."""
    return (rank * 7919 + step * 104729 + i * 1299709) % 2000 * 1000


def gpu_plane(rank, ordinal):
    p = Plane("/device:GPU:%d" % ordinal)
    kernels, copies = [], []
    for step in range(STEPS):
        base = step * STEP_PS
        correlation = 1000 * step + 1
        copies.append(p.event(p.meta("MemcpyH2D"), base + 2 * 10**6, 8 * 10**6 + jitter(rank, step, 99),
                              correlation_id=correlation, memcpy_details="kind:H2D size:4194304 dest:0 async:1"))
        for i, (name, op, start, dur) in enumerate(KERNELS):
            late = jitter(rank, step, i)
            kernels.append(p.event(p.meta(name), base + int(start * 10**6) + late, int(dur * 10**6) - late // 2,
                                   correlation_id=correlation + i + 1, hlo_module="jit_train_step", program_id=PROGRAM,
                                   hlo_op=op, name="jit(train_step)/" + op,
                                   kernel_details="regs:128 static_shared:0 dynamic_shared:65536 grid:512,1,1 "
                                                  "block:256,1,1 occ_pct:50"))
    p.line(7, "Stream #7(Kernel)", 5000, kernels)
    p.line(8, "Stream #8(MemcpyH2D)", 5000, copies)
    p.line(90, "XLA Ops", 5000, [p.event(p.meta("custom-call.1"), 20 * 10**6, 10**6)])  # derived: not counted
    for k, v in (("device_vendor", "Nvidia"), ("core_count", 132), ("clock_rate", 1980000), ("memory_size", 85017755648),
                 ("memory_bandwidth", 3352320000000)):
        p.stats += data(6, p.stat(k, v, ref=False))
    return p


def host_planes(gpus):
    meta = Plane("/host:metadata")
    meta.meta("jit_train_step(%d)" % PROGRAM, body=data(5, meta.stat("Hlo Proto", train_step().encode())), key=PROGRAM)
    cpu = Plane("/host:CPU")
    events = [cpu.event(cpu.meta("backend_compile"), 0, 3 * 10**6), cpu.event(cpu.meta("XlaCompile"), 10**6, 10**6)]
    for step in range(STEPS):
        for d in range(gpus):
            for i in range(len(KERNELS) + 1):
                start = step * STEP_PS + int((i and KERNELS[i - 1][2] or 2) * 10**6) - 10**6
                events.append(cpu.event(cpu.meta("cuLaunchKernelEx" if i else "cuMemcpyAsync"), start, 400000,
                                        device_id=d, correlation_id=1000 * step + 1 + i))
    cpu.line(4242, "py_xla_execute/4242", 5000, events)
    env = Plane("Task Environment")
    for k, v in (("profile_start_time", 1736937000 * 10**9), ("profile_stop_time", 1736937002 * 10**9)):
        env.stats += data(6, num(1, env.stat_id(k)) + num(3, v))
    return [meta, cpu, env]


def tpu_space():
    """Two cores; a while loop with two bodies, copies in flight beside it."""
    planes = []
    for core in range(2):
        p = Plane("/device:TPU:%d" % core)
        program = 12190760917235803885

        def op(name, category, flops, size):
            body = b"".join(data(5, s) for s in (
                p.stat("hlo_category", category, ref=False),
                num(1, p.stat_id("program_id")) + num(3, program),
                p.stat("flops", flops), p.stat("bytes_accessed", size),
                p.stat("tf_op", "jit(f)/jit(main)/%s:" % category.split()[0], ref=False)))
            return p.meta("%%%s = f32[1024,1024]{1,0:T(8,128)} %s(...)" % (name, name), name, body)

        loop, dot = op("while.1", "while", 0, 0), op("convolution_fusion.2", "convolution fusion", 2147483648, 12582912)
        reduce, copy = op("all-reduce.3", "all-reduce", 1048576, 8388608), op("copy-done", "copy-done", 0, 4194304)
        modules, ops, flying = [], [], []
        for step in range(3):
            t = step * 10**9 + core * 12345
            modules.append(p.event(p.meta("jit_f(%d)" % program), t, 600 * 10**6))
            ops += [p.event(loop, t + 10**6, 400 * 10**6), p.event(dot, t + 2 * 10**6, 150 * 10**6),
                    p.event(dot, t + 160 * 10**6, 151 * 10**6), p.event(reduce, t + 420 * 10**6, 90 * 10**6),
                    p.event(copy, t + 520 * 10**6, 20 * 10**6)]
            flying.append(p.event(copy, t + 300 * 10**6, 240 * 10**6))
        p.line(2, "XLA Modules", 0, modules)
        p.line(3, "XLA Ops", 0, ops)
        p.line(4, "Async XLA Ops", 0, flying)
        for k, v in (("device_type_string", "TPU v6 Lite"), ("peak_teraflops_per_second", 918.0),
                     ("peak_hbm_bw_gigabytes_per_second", 1638.0)):
            p.stats += data(6, p.stat(k, v, ref=False))
        planes.append(p)
    return space(planes, "tpu-host")


def write(path, content):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".part", "wb") as f:
        f.write(content)
    os.replace(path + ".part", path)


def example_space(host, name):
    return space([gpu_plane(2 * host + d, d) for d in range(2)] + host_planes(2), name)


def bench_space():
    """As profiles are that were seen: nearly all events are of the host, some with allocator stats."""
    cpu = Plane("/host:CPU")
    cpu.stat_id("correlation_id")
    lines = []
    for thread in range(8):
        events = []
        for i in range(700):
            name = "$module_%d.py:%d function" % (i % 60, i % 60 * 7)
            stats = {"bytes_reserved": i, "bytes_allocated": 1 << 20, "fragmentation": 0.5, "addr": 139 << 40 | i,
                     "data_type": 11} if i % 5 == 0 else {"_pt": 3, "_p": 7 * i} if i % 4 == 0 else {}
            events.append(cpu.event(cpu.meta(name), 10**10 + i * 12345678, 1000000 + i * 4321, **stats))
        lines.append(events)
        cpu.line(100 + thread, "python", 16204, events)
    return space([gpu_plane(0, 0)] + host_planes(1) + [cpu], "bench")


def timed(meta, start_ps, dur_ps, said):
    """An event whose stats are encoded already."""
    return data(4, num(1, meta) + num(2, start_ps) + num(3, dur_ps) + said)


def bench_gpu(size):
    """Kernels on four streams as of an eager program: 300 names, 500 operations, a correlation each."""
    p = Plane("/device:GPU:0")
    said = [b"".join(data(4, p.stat(k, v)) for k, v in (
        ("hlo_module", "jit_step"), ("program_id", PROGRAM), ("hlo_op", "op.%d" % i), ("name", "jit(step)/layer_%d/dot_general" % i),
        ("kernel_details", "regs:%d static_shared:0 dynamic_shared:%d grid:%d,1,1 block:256,1,1 occ_pct:50" % (32 + i % 7 * 16, i % 5 * 4096, i)),
        ("group_id", i % 9), ("theoretical_occupancy_pct", 62.5))) for i in range(500)]
    metas = [p.meta("void cutlass::Kernel_%d<float, 128, %d>(Params)" % (i, i)) for i in range(300)]
    tag = p.stat_id("correlation_id")
    streams, made, at = [[] for _ in range(4)], 0, 0
    while made < size:
        e = timed(metas[at * 13 % 500 % 300], 10**9 + at * 5 * 10**6, 10**6 + at * 7919 % (4 * 10**6), said[at * 13 % 500] + data(4, num(1, tag) + num(3, 5000 + at)))
        streams[at * 5 % 4].append(e)
        made += len(e)
        at += 1
    for k, events in enumerate(streams):
        p.line(7 + k, "Stream #%d(Kernel)" % (7 + k), 5000, events)
    return space([p] + host_planes(1)[:1], "bench")


def bench_tpu(size):
    """One core: steps with 2,000 operations each, a loop around every eight of them."""
    p = Plane("/device:TPU:0")
    metas = [p.meta("%%fusion.%d = f32[1024,1024]{1,0:T(8,128)} fusion(...)" % i, "fusion.%d" % i, b"".join(data(5, x) for x in (
        p.stat("hlo_category", ("convolution fusion", "loop fusion", "copy", "while")[i % 4 if i % 8 else 3], ref=False), p.stat("program_id", PROGRAM),
        p.stat("flops", i << 20), p.stat("bytes_accessed", i << 12), p.stat("tf_op", "jit(f)/jit(main)/layer_%d:" % (i % 40), ref=False)))) for i in range(2000)]
    offset, duration = p.stat_id("device_offset_ps"), p.stat_id("device_duration_ps")
    ops, modules, made, at = [], [], 0, 0
    while made < size:
        i, start = at % 2000, 10**9 + at * 10**6
        long = 8 * 10**6 - 1 if i % 8 == 0 else 900000 - i * 50
        e = timed(metas[i], start, long, data(4, num(1, offset) + num(4, start)) + data(4, num(1, duration) + num(4, long)))
        if i == 0:
            modules.append(p.event(p.meta("jit_f(%d)" % PROGRAM), start, 2000 * 10**6 - 1000))
        ops.append(e)
        made += len(e)
        at += 1
    p.line(2, "XLA Modules", 0, modules)
    p.line(3, "XLA Ops", 0, ops)
    for k, v in (("device_type_string", "TPU v6 Lite"), ("peak_teraflops_per_second", 918.0), ("peak_hbm_bw_gigabytes_per_second", 1638.0)):
        p.stats += data(6, p.stat(k, v, ref=False))
    return space([p], "bench")


def collectives(rows, folder):
    """Group g is host g; its ranks are numbered from g * size. Starts and durations between the given bounds."""
    groups = [(int(r["group_idx"]), int(r["group_size"])) for r in rows]
    for r in rows:
        index, size = int(r["group_idx"]), int(r["group_size"])
        part = int(r["data_bytes"])
        low, high, skew = (round(float(r[k]) * 10**6) for k in ("min_dur_us", "max_dur_us", "start_skew_us"))
        m = Module("jit_train_step")
        p = m.instr("part", "parameter", shape("u8", part))
        every = b"".join(data(49, packed(1, range(g * n, g * n + n))) for g, n in groups)
        m.instr("all-gather", "all-gather", shape("u8", part * size), [p], every)
        m.computation("main", 1)
        meta = Plane("/host:metadata")
        meta.meta("jit_train_step(%d)" % PROGRAM, body=data(5, meta.stat("Hlo Proto", m.encode())), key=PROGRAM)
        planes = []
        for d in range(size):
            late = skew * d // (size - 1)
            dur = high - (high - low) * d // (size - 1)  # who comes last waits least
            g = Plane("/device:GPU:%d" % d)
            g.line(1, "Stream #1(Kernel)", 7000, [g.event(
                g.meta("ncclDevKernel_Generic"), 10**6 + late, dur, hlo_module="jit_train_step", program_id=PROGRAM,
                hlo_op="all-gather")])
            planes.append(g)
        write(os.path.join(folder, "plugins/profile/run/host%02d.xplane.pb" % index), space(planes + [meta], "host%02d" % index))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--dir")
    ap.add_argument("--collectives")
    ap.add_argument("--bench")
    ap.add_argument("--mb", type=float, default=200)
    ap.add_argument("--kind", choices=("host", "gpu", "tpu"), default="host")
    a = ap.parse_args()
    if a.bench and a.kind != "host":
        write(a.bench, (bench_gpu if a.kind == "gpu" else bench_tpu)(int(a.mb * 1e6)))
    elif a.bench:
        one = bench_space()
        write(a.bench, one * max(1, round(a.mb * 1e6 / len(one))))
    elif a.collectives:
        collectives(list(csv.DictReader(open(a.collectives))), a.dir)
    else:
        for i, name in enumerate(("alpha", "beta")):
            write(os.path.join(a.dir, "plugins/profile/train_step/%s.xplane.pb" % name), example_space(i, name))
        write(os.path.join(a.dir, "tpu", "tpu.xplane.pb"), tpu_space())


if __name__ == "__main__":
    main()
