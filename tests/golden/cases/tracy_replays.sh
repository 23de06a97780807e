# Replays of captured traces: their times, their distance, the median of each trace; of an even number, of one, without times.
"$PYTHON" - <<'P' || exit 99
import csv
HEAD = ("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,HOST START TS,HOST END TS,HOST DURATION [ns],"
        "DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],METAL TRACE ID,"
        "METAL TRACE REPLAY SESSION ID").split(",")


def write(path, rows):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(HEAD)
        for i, (trace, session, cycle, ns) in enumerate(rows):
            w.writerow(["MatmulDeviceOperation" if i % 2 else "SoftmaxDeviceOperation", "tt_dnn_device", 1024 * (i + 1), 0, "wormhole_b0", "{}", "HiFi2", 8,
                        1000 + 50 * i, 1020 + 50 * i, 20, cycle, cycle + ns, 0 if i == 0 else 7 + i, ns, ns, trace, session])


write("two.csv", [("3", "1", 1000, 400), ("3", "1", 2000, 500), ("3", "2", 5000, 410), ("3", "2", 6000, 480)])
write("many.csv", [("", "", 100, 50)] + [(t, str(s), 1000 * (6 * s + k) + 100 * int(t), 100 + 10 * ((7 * s + k) % 5) + int(t))
                                        for s in range(1, 7) for t, k in (("3", 0), ("3", 1), ("9", 3), ("5", 4)) if t != "5" or s == 4])
write("odd.csv", [("1", str(s), 1000 * s, 100 + (3 * s) % 7) for s in range(5)] + [("2", "1", 90000, 3)])
write("equal.csv", [("1", str(s), 1000 * s, 100) for s in range(4)])
P
for f in two many odd equal; do
    echo "== $f"
    "$ANALYZER" run -q --compat=all --csv-dir $f $f.csv 2>&1
    cat $f/replays.csv
    grep -h replay $f/coverage.csv $f/facts.csv
done
true
