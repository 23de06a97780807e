#!/usr/bin/env python3
"""Write XPlane profiles of the program of make_xplane_example.py in which kernels begin, end and last alike: two GPUs of a
host, or with an odd seed two cores of a TPU. The same arguments give the same bytes.

    make_ties_xplane.py OUT.xplane.pb SEED
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_xplane_example as example  # noqa: E402

US = 10**6


def gpus(rnd):
    example.STEP_PS, example.STEPS = 40 * US, rnd.randint(2, 5)
    names, at, kernels = [k[:2] for k in example.KERNELS], 1.0, []
    for _ in range(rnd.randint(5, 12)):
        at += rnd.choice([0, 0, 0.5, 1, 2])
        length = rnd.choice([0, 0.5, 1, 1, 2, 4])
        kernels.append((*rnd.choice(names), at, length))
        at += rnd.choice([0, length])
    example.KERNELS[:] = kernels
    example.jitter = lambda rank, step, i: (rank + step + i) % 3 * 200000
    return example.example_space(0, "ties")


def tpus(rnd):
    planes = []
    program = 77
    for core in range(2):
        p = example.Plane("/device:TPU:%d" % core)

        def op(name, category, flops, size):
            body = b"".join(example.data(5, s) for s in (
                p.stat("hlo_category", category, ref=False), example.num(1, p.stat_id("program_id")) + example.num(3, program),
                p.stat("flops", flops), p.stat("bytes_accessed", size), p.stat("tf_op", "jit(f)/jit(main)/%s:" % category.split()[0], ref=False)))
            return p.meta("%%%s = f32[64,64]{1,0:T(8,128)} %s(...)" % (name, name), name, body)

        kinds = [op("convolution_fusion.2", "convolution fusion", 524288, 49152), op("loop_fusion.3", "loop fusion", 4096, 32768),
                 op("all-reduce.4", "all-reduce", 4096, 32768), op("copy-done.5", "copy-done", 0, 16384), op("dot.6", "convolution", 0, 0)]
        loop = op("while.1", "while", 0, 0)
        modules, ops, flying = [], [], []
        t = core * rnd.choice([0, US])
        for _ in range(rnd.randint(2, 4)):
            start = t
            ops_start, inner = len(ops), []
            t += rnd.choice([0, US])
            begin = t
            for _ in range(rnd.randint(2, 6)):
                length = rnd.choice([0, 1, 1, 2, 4]) * US // 2
                inner.append(p.event(rnd.choice(kinds), t, length))
                if rnd.random() < 0.3:
                    flying.append(p.event(kinds[3], t, rnd.choice([length, 2 * length])))
                t += length + rnd.choice([0, 0, US])
            if rnd.random() < 0.5:
                inner.insert(0, p.event(loop, begin, t - begin))
            ops[ops_start:] = inner
            modules.append(p.event(p.meta("jit_f(%d)" % program), start, t - start))
            t += rnd.choice([0, US, 2 * US])
        p.line(2, "XLA Modules", 0, modules)
        p.line(3, "XLA Ops", 0, ops)
        p.line(4, "Async XLA Ops", 0, flying)
        for k, v in (("device_type_string", "TPU v6 Lite"), ("peak_teraflops_per_second", 918.0), ("peak_hbm_bw_gigabytes_per_second", 1638.0)):
            p.stats += example.data(6, p.stat(k, v, ref=False))
        planes.append(p)
    return example.space(planes, "tpu-host")


def main():
    seed = int(sys.argv[2])
    rnd = random.Random(seed)
    example.write(sys.argv[1], (tpus if seed % 2 else gpus)(rnd))


if __name__ == "__main__":
    main()
