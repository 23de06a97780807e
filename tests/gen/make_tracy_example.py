#!/usr/bin/env python3
"""Write operation reports as Tracy's ops_perf_results CSV has them: made-up layers of a transformer with a convolution
stem, in iterations between signposts. Everything follows from the arguments; there is no randomness but a fixed sequence.

    make_tracy_example.py --out FILE [--rows N] [--devices N] [--host K] [--plain] [--faults]
      --rows      rows in all (default 60); --devices: each operation on so many devices
      --host      number of the host: shifts nothing but the host time stamps
      --plain     older layout: plain shapes, no architecture
      --wide      rows of about 1460 bytes, as long runs have them
      --faults    impossible times, a HiFi3 and a blank fidelity, a missing device row, a host fallback
"""
import argparse
import sys

TENSOR = ["W", "Z", "Y", "X", "LAYOUT", "DATATYPE", "MEMORY"]
HEAD = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
        "AVAILABLE WORKER CORE COUNT", "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS", "HOST DURATION [ns]",
        "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]",
        "DEVICE KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]", "DEVICE NCRISC KERNEL DURATION [ns]",
        "DEVICE TRISC0 KERNEL DURATION [ns]", "DEVICE TRISC1 KERNEL DURATION [ns]", "DEVICE TRISC2 KERNEL DURATION [ns]",
        "DEVICE ERISC KERNEL DURATION [ns]"]
TAIL = ["METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "COMPUTE KERNEL SOURCE", "COMPUTE KERNEL HASH",
        "DATA MOVEMENT KERNEL SOURCE", "DATA MOVEMENT KERNEL HASH", "PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]",
        "PM REQ I BW", "PM REQ O BW", "PM FPU UTIL (%)", "NOC UTIL (%)", "DRAM BW UTIL (%)"]
DRAM, L1, SHARD = "DEV_1_DRAM_INTERLEAVED", "DEV_1_L1_INTERLEAVED", "DEV_1_L1_HEIGHT_SHARDED"
CONFIG = ("{'bcast_batch': 'true'; 'compute_kernel_config': 'ComputeKernelConfig(math_fidelity=%s;math_approx_mode=0;fp32_dest_acc_en=1;"
          "packer_l1_acc=1)'; 'output_dtype': 'DataType::BFLOAT16'; 'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig("
          "compute_with_storage_grid_size=(x=8;y=8);in0_block_w=%d;out_subblock_h=%d;out_subblock_w=%d;per_core_M=4;per_core_N=4;"
          "transpose_mcast=0;fused_activation=std::nullopt)'; 'transpose_a': 'false'; 'transpose_b': 'false'; 'untilize_out': 'false'; "
          "'user_run_batched': 'false'}")
CONV = ("{'block_config': 'Conv2dBlockConfig(act_block_h_ntiles=4;act_block_w_ntiles=2)'; 'enable_act_double_buffer': 'true'; "
        "'enable_split_reader': 'false'; 'groups': '1'; 'parallelization_config': 'Conv2dParallelizationConfig(grid_size=(x=8;y=8);"
        "num_cores_nhw=64;per_core_out_matrix_height_ntile=8;per_core_out_matrix_width_ntile=2)'; 'sliding_window_config': "
        "'SlidingWindowConfig(batch_size=1; input_hw=(128;128); window_hw=(3;3); stride_hw=(1;1); padding=((1; 1); (1; 1)); "
        "dilation_hw=(1;1))'}")
HALO = ("{'config': 'SlidingWindowConfig(batch_size=1; input_hw=(128;128); window_hw=(3;3); stride_hw=(1;1); padding=((1; 1); (1; 1)); "
        "output_padding = (0; 0); dilation_hw=(1;1); num_cores_nhw=64)'; 'output_memory_config': "
        "'MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;buffer_type=BufferType::L1)'}")


WIDE = ("; 'input_memory_configs': '" + "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED;buffer_type=BufferType::DRAM;shard_spec=std::nullopt;"
        "nd_shard_spec=std::nullopt;created_with_nd_shard_spec=0); " * 4 + "'}")


def t(w, z, y, x, dtype="BFLOAT16", memory=DRAM):
    return (w, z, y, x, dtype, memory)


# name, attributes, fidelity, cores, kernel ns, inputs, output
STEM = [
    ("HaloDeviceOperation", HALO, "", 64, 9100, [t(1, 1, 16384, 64, memory=SHARD)], t(1, 1, 17424, 64, memory=SHARD)),
    ("Conv2dDeviceOperation", CONV, "LoFi", 64, 88000, [t(1, 1, 17424, 64, memory=SHARD), t(1, 1, 576, 64, "BFLOAT8_B")],
     t(1, 1, 16384, 64, memory=SHARD)),
]
LAYER = [
    ("LayerNorm", "{'eps': '1e-05'}", "HiFi4", 64, 14200, [t(1, 1, 512, 2048)], t(1, 1, 512, 2048, memory=L1)),
    ("Matmul", CONFIG % ("HiFi2", 2, 1, 4), "HiFi2", 64, 236000, [t(1, 1, 512, 2048, memory=L1), t(1, 1, 2048, 6144, "BFLOAT8_B")],
     t(1, 1, 512, 6144, memory=L1)),
    ("NlpCreateHeadsDeviceOperation", "{'num_q_heads': '16'}", "", 32, 18000, [t(1, 1, 512, 6144, memory=L1)], t(1, 16, 512, 128)),
    ("ScaledDotProductAttention", "{'is_causal': 'true'; 'scale': '0.088'}", "HiFi2", 56, 121000,
     [t(1, 16, 512, 128), t(1, 16, 512, 128), t(1, 16, 512, 128)], t(1, 16, 512, 128)),
    ("NLPConcatHeads", "{}", "", 32, 16500, [t(1, 16, 512, 128)], t(1, 1, 512, 2048, memory=L1)),
    ("Matmul", CONFIG % ("HiFi4", 1, 1, 1), "HiFi4", 32, 174000, [t(1, 1, 512, 2048), t(1, 1, 2048, 2048, "BFLOAT8_B")],
     t(1, 1, 512, 2048)),
    ("AllGather", "{'dim': '3'; 'num_links': '1'; 'topology': 'ttnn::ccl::Topology::Linear'}", "", 8, 112000, [t(1, 1, 512, 1024)],
     t(1, 1, 512, 2048)),
    ("BinaryNg", "{'binary_op_type': 'BinaryOpType::ADD'}", "", 64, 11300, [t(1, 1, 512, 2048), t(1, 1, 512, 2048)], t(1, 1, 512, 2048)),
    ("Matmul", "{'program_config': 'std::nullopt'}", "LoFi", 64, 410000, [t(1, 1, 32, 2048, memory=L1), t(1, 1, 2048, 32768, "BFLOAT4_B")],
     t(1, 1, 32, 32768, memory=L1)),
    ("Unary", "{'op': 'UnaryOpType::GELU'}", "", 64, 9900, [t(1, 1, 512, 2048)], t(1, 1, 512, 2048)),
]


def shape_cells(tensor, plain):
    if tensor is None:
        return [""] * 7
    dims = ["%d" % d if plain else "%d[%d]" % (d, d if d < 32 else d - d % 7) for d in tensor[:4]]
    return dims + ["TILE", tensor[4], tensor[5]]


def sources(name):
    base = "ttnn/cpp/ttnn/operations/%s/device/kernels/" % name.lower()
    return ["['%scompute/%s.cpp']" % (base, name.lower()), "['%s/1166890253331802548/']" % name.lower(),
            "['%sdataflow/reader_%s_interleaved_start_id.cpp'; '%sdataflow/writer_unary_interleaved_start_id.cpp']" % (base, name.lower(), base),
            "['reader_%s/10156418760323785455/'; 'writer_unary/15322022407153690632/']" % name.lower()]


class Writer:
    def __init__(self, a, out):
        self.a, self.out, self.rows, self.call, self.clock, self.seed = a, out, 0, 0, 1000000 + a.host * 777, 12345
        self.cycle = [self.clock * 3] * a.devices  # end of the last operation of each device, one cycle a nanosecond
        tensors = []
        for name in ("INPUT_0", "INPUT_1", "INPUT_2", "OUTPUT_0"):
            tensors += ["%s_%s%s" % (name, c, "_PAD[LOGICAL]" if i < 4 and not a.plain else "") for i, c in enumerate(TENSOR)]
        head = [h for h in HEAD if not (a.plain and h in ("DEVICE ARCH", "AVAILABLE WORKER CORE COUNT"))]
        self.head, self.tensors = head, tensors
        out.write(",".join(head + tensors + TAIL) + "\r\n")

    def vary(self):
        self.seed = (self.seed * 1103515245 + 12345) % (1 << 31)
        return self.seed / (1 << 31)

    def put(self, v, tensors=None, tail=None):
        if self.rows >= self.a.rows:
            return
        cells = [str(v.get(h, "")) for h in self.head]
        cells += sum([shape_cells(x, self.a.plain) for x in tensors or [None] * 4], [])
        cells += [str((tail or {}).get(h, "")) for h in TAIL]
        self.out.write(",".join(cells) + "\r\n")
        self.rows += 1

    def signpost(self, text):
        self.clock += 500
        self.put({"OP CODE": text, "OP TYPE": "signpost", "HOST START TS": self.clock})

    def fallback(self):
        self.clock += 900
        self.call += 1
        self.put({"OP CODE": "(torch) contiguous", "OP TYPE": "python_fallback", "GLOBAL CALL COUNT": self.call * 1024, "HOST START TS": self.clock,
                  "HOST END TS": self.clock + 41000, "HOST DURATION [ns]": 41000})

    def op(self, op, fault=""):
        name, attributes, fidelity, cores, ns, inputs, output = op
        self.call += 1
        length = int(ns * (0.97 + 0.06 * self.vary()))  # the devices do the same and stay side by side
        wait = int(700 + 900 * self.vary()) if self.vary() < 0.9 else 9100
        for d in range(self.a.devices):
            if fault == "missing" and d == self.a.devices - 1 and d:  # ran, but has no row
                self.cycle[d] += wait + length + d * 11 + 540
                continue
            self.clock += 1200
            kernel, gap = length + d * 11, wait
            firmware = kernel + 540
            start = self.cycle[d] + gap
            self.cycle[d] = start + firmware
            if fault == "clock":
                kernel, gap = 6900000000 + kernel, -6900000000
            v = {"OP CODE": name, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": self.call * 1024 + d, "DEVICE ID": d,
                 "DEVICE ARCH": "wormhole_b0", "ATTRIBUTES": attributes, "MATH FIDELITY": {"hifi3": "HiFi3", "blank": ""}.get(fault, fidelity),
                 "CORE COUNT": cores, "AVAILABLE WORKER CORE COUNT": 64, "HOST START TS": self.clock, "HOST END TS": self.clock + 800,
                 "HOST DURATION [ns]": 800, "DEVICE FW START CYCLE": start, "DEVICE FW END CYCLE": start + firmware,
                 "OP TO OP LATENCY [ns]": gap, "DEVICE FW DURATION [ns]": firmware, "DEVICE KERNEL DURATION [ns]": kernel,
                 "DEVICE BRISC KERNEL DURATION [ns]": kernel - 90, "DEVICE NCRISC KERNEL DURATION [ns]": kernel - 60,
                 "DEVICE TRISC0 KERNEL DURATION [ns]": kernel - 200, "DEVICE TRISC1 KERNEL DURATION [ns]": kernel - 210,
                 "DEVICE TRISC2 KERNEL DURATION [ns]": kernel - 190}
            if self.a.wide:
                v["ATTRIBUTES"] = attributes[:-1] + WIDE
            src = sources(name)
            tail = {"COMPUTE KERNEL SOURCE": src[0], "COMPUTE KERNEL HASH": src[1], "DATA MOVEMENT KERNEL SOURCE": src[2],
                    "DATA MOVEMENT KERNEL HASH": src[3], "PM IDEAL [ns]": ns // 2, "PM COMPUTE [ns]": ns // 3, "PM BANDWIDTH [ns]": ns // 2,
                    "PM FPU UTIL (%)": 33.5, "DRAM BW UTIL (%)": 21.25}
            self.put(v, (inputs + [None] * 3)[:3] + [output], tail)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--rows", type=int, default=60)
    ap.add_argument("--devices", type=int, default=1)
    ap.add_argument("--host", type=int, default=0)
    ap.add_argument("--plain", action="store_true")
    ap.add_argument("--wide", action="store_true")
    ap.add_argument("--faults", action="store_true")
    a = ap.parse_args()
    with open(a.out, "w", newline="") as f:
        w = Writer(a, f)
        w.signpost("warm-up")
        for op in STEM:
            w.op(op)
        iteration = 0
        while w.rows < a.rows:
            w.signpost("iteration" if iteration else "compile")
            for i, op in enumerate(LAYER):
                fault = ""
                if a.faults and iteration == 2:
                    fault = {1: "clock", 5: "hifi3", 8: "blank", 7: "missing"}.get(i, "")
                w.op(op, fault)
            if a.faults and iteration == 1:
                w.fallback()
            iteration += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
