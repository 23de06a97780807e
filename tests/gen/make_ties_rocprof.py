#!/usr/bin/env python3
"""Write the workload of make_rocprof_examples.py with all times at multiples of a few microseconds, so that records begin,
end and last alike, in each of the forms of rocprofv3. The same arguments give the same bytes.

    make_ties_rocprof.py DIR SEED [STEPS]
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_rocprof_examples as example  # noqa: E402


def main():
    folder, seed = sys.argv[1], int(sys.argv[2])
    rnd = random.Random(seed)
    w = example.Workload(int(sys.argv[3]) if len(sys.argv) > 3 else 3)
    grain = rnd.choice([2000, 5000, 20000])
    for rows in (w.kernels, w.copies, w.calls, w.marks, w.allocs, w.scratch):
        for e in rows:
            length = rnd.choice([0, grain, 2 * grain]) if rows is w.kernels and rnd.random() < 0.3 else (e["end"] - e["start"]) // grain * grain
            e["start"] = example.T0 + (e["start"] - example.T0) // grain * grain
            e["end"] = e["start"] + length
    os.makedirs(folder, exist_ok=True)
    prefix = os.path.join(folder, "ties")
    example.write_json(w, prefix + "_results.json")
    example.write_csv(w, prefix)
    example.write_rocpd(w, prefix + "_results.db")
    example.write_pftrace(w, prefix + "_results.pftrace")
    example.write_pftrace_json(w, prefix + "_pftrace.json")


if __name__ == "__main__":
    main()
