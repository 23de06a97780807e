# Operations by arguments: a row without a time, one on other cores, percentages with decimals; a tensor in DRAM whose
# shape is not said leaves the product unjudged by DRAM, not bound by FLOPs.
"$PYTHON" - >x.csv <<'PY' || exit 99
head = ["OP CODE", "OP TYPE", "DEVICE ID", "MATH FIDELITY", "CORE COUNT", "DEVICE KERNEL DURATION [ns]", "PM IDEAL [ns]", "PM FPU UTIL (%)",
        "OP TO OP LATENCY [ns]"]
head += ["INPUT_%d_%s" % (i, d) for i in (0, 1) for d in ("W", "Z", "Y", "X", "DATATYPE", "MEMORY")]
head += ["OUTPUT_0_DATATYPE", "OUTPUT_0_MEMORY"]
shape = ["1", "1", "64", "128", "BFLOAT16", "DEV_0_L1_INTERLEAVED", "1", "1", "128", "32", "BFLOAT8_B", "DEV_0_L1_INTERLEAVED", "BFLOAT16"]
print(",".join(head))
for cores, ns, ideal, fpu, gap, out in ((8, "1001", "500", "0.1", "0", "L1"), (8, "", "500", "0.2", "9100", "L1"), (8, "1002", "501", "0.3", "9200", "L1"),
                                        (4, "2000", "", "", "9300", "L1"), (4, "2000", "", "", "100", "DRAM")):
    print(",".join(["Matmul", "tt_dnn_device", "0", "HiFi4", str(cores), ns, ideal, fpu, gap] + shape + ["DEV_0_%s_INTERLEAVED" % out]))
PY
"$ANALYZER" run x.csv -q --csv-dir out
cut -d, -f1,3-12,16-18 out/op_models.csv
cut -d, -f1,3,6,8-12 out/ops.csv
grep -E "gap|not judged" out/advice.csv out/findings.csv
