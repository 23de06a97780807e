#!/usr/bin/env python3
"""Write an operation report in which durations, latencies, cores and utilizations are at limits and often equal, from the
rows of example/tracy: several devices, unknown operations, rows without values. The same arguments give the same bytes.

    make_ties_tracy.py EXAMPLE.csv OUT.csv [SEED]
"""
import csv
import random
import sys

DURATIONS = [0, 100, 1000, 1000, 2000, 2000, 5000, 10000]
VALUES = {
    "OP TO OP LATENCY [ns]": [0, 100, 1000, 6499, 6500, 6501, 20000], "CORE COUNT": [1, 8, 9, 10, 11, 32, 64],
    "MATH FIDELITY": ["", "LoFi", "HiFi2", "HiFi3", "HiFi4"], "DEVICE ID": [0, 0, 1, 2], "DRAM BW UTIL (%)": ["", 0, 45, 50, 64.9, 65, 70],
    "PM FPU UTIL (%)": ["", 0, 30, 50, 64.9, 65, 100], "NOC UTIL (%)": ["", 0, 50], "INPUT_0_MEMORY": ["DEV_1_DRAM_INTERLEAVED", "DEV_1_L1_INTERLEAVED", "DEV_1_L1_BLOCK_SHARDED"],
    "INPUT_0_DATATYPE": ["BFLOAT16", "BFLOAT8_B", "FLOAT32"], "OUTPUT_0_MEMORY": ["DEV_1_DRAM_INTERLEAVED", "DEV_1_L1_HEIGHT_SHARDED"]}


def main():
    rnd = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    ends = [3000000, 3000000, 3000000]
    host = 1000000
    for i, row in enumerate(rows):
        host += rnd.choice([0, 100, 1000])
        if row["OP TYPE"] == "signpost":
            row["HOST START TS"] = host
            continue
        for column, values in VALUES.items():
            if column in row and row[column] != "":
                row[column] = rnd.choice(values)
        if rnd.random() < 0.3:
            row["OP CODE"] = "Custom%dDeviceOperation" % rnd.randint(1, 12)
        device = int(row["DEVICE ID"] or 0)
        ns = rnd.choice(DURATIONS)
        row["HOST START TS"], row["HOST DURATION [ns]"] = host, rnd.choice(DURATIONS)
        row["HOST END TS"] = host + row["HOST DURATION [ns]"]
        if row["DEVICE FW DURATION [ns]"] == "":
            continue
        start = ends[device] + int(row["OP TO OP LATENCY [ns]"] or 0)
        ends[device] = start + ns
        row["DEVICE FW START CYCLE"], row["DEVICE FW END CYCLE"], row["DEVICE FW DURATION [ns]"] = start, ends[device], ns
        for column in row:
            if column and column.endswith("KERNEL DURATION [ns]") and row[column] != "":
                row[column] = rnd.choice([ns, ns // 2, 0])
        for column in ("PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]"):
            if row.get(column):
                row[column] = rnd.choice([1, ns // 2, ns, 2 * ns])
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


if __name__ == "__main__":
    main()
