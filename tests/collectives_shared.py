#!/usr/bin/env python3
"""Hold the collectives over ranks against the true facts of synthetic sets, against another tool's tables (by key; cells
in which a rule of ours wants another value are listed in tests/deviations.json), and against a clock that was put off.

    collectives_shared.py ANALYZER SHARED    last line "N passed, N failed"; exit status 0 only if nothing failed
"""
import csv
import fnmatch
import glob
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
passed = failed = 0
DIGITS = 2e-14  # what two double evaluations of one formula may differ by
NOISE = 1e-3    # us: the other tool keeps absolute times in doubles (docs/formulas-multirank.md 7), here 2^-10 us apart
ENDS = 2.0**-9  # us: its ends are sums that are rounded once more; a difference of two of them


def tolerance(column, _):
    if column == "Total wall_time (us)":
        return [6 * ENDS, 1e-9]  # of six
    return [ENDS if "end time" in column or column.startswith("wall_time") else NOISE, 1e-9]


def rounded(column, _):
    """It rounds its summary of stragglers to one decimal (docs/formulas-collectives.md 3.2)."""
    return [0.05 + NOISE, 1e-9]


def verdict(ok, what, notes=()):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    print("%s %s" % ("ok  " if ok else "FAIL", what))
    for n in list(notes)[:5] if not ok else []:
        print("     " + n)


def table(folder, name):
    path = os.path.join(folder, name + ".csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def run(analyzer, files, opts=None, check=True):
    """Folder of the CSV tables of one input with these files."""
    out = tempfile.mkdtemp(prefix="collectives.")
    config = os.path.join(out, "config.json")
    with open(config, "w", encoding="utf-8") as f:
        json.dump({"inputs": [{"title": "set", "format": "pytorch", "paths": sorted(files), "options": opts or {}}]}, f)
    folder = os.path.join(out, "csv")
    p = subprocess.run([analyzer, "run", "--config=" + config, "--compat=all", "--csv-dir", folder], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    if check:
        verdict(p.returncode == 0, "%s: exit status %d" % (os.path.dirname(files[0]), p.returncode),
                [p.stderr.decode("utf-8", "replace")])
    return folder


def close(got, want, relative=DIGITS, absolute=0.0):
    return got != "" and abs(float(got) - want) <= max(absolute, relative * abs(want))


def truth(name, folder, shared):
    """Every fact that the generator of the set knows."""
    with open(os.path.join(shared, "golden/multirank/truth", name + ".json"), encoding="utf-8") as f:
        facts = json.load(f)["collectives"]
    rows = {r["collective_id"]: r for r in table(folder, "nccl_implicit_sync") + table(folder, "nccl_all2allv")}
    notes = []
    missing = {m for m in (5,) if name.endswith("missing5")}
    for t in facts:
        simple = t["id"].split("_")[-1] if name == "synth_vllm4" else t["id"]  # one group without a name: its ordinal
        r = rows.get(simple)
        if r is None:
            notes.append("%s is not there" % t["id"])
            continue
        uneven = "wall_time (us)" in r
        latency = r["min_rank_dur (us)" if uneven else "comm_latency"]
        seen = t["last_rank"] not in missing
        good = {"latency": close(latency, t["comm_latency_us"]) if seen else float(latency) >= t["comm_latency_us"],
                "last rank": int(r["last arrival rank"]) == t["last_rank"] or not seen,
                "skew": close(r["skew in start time"], t["start_skew_us"], 0, 1.001e-3)  # of starts that were then rounded to 1 ns
                or bool(missing),
                "name": r["Collective name"] == t["name"], "type": r["dtype"] == t["dtype"],
                "members": int(r["n_expected"]) == t["n"] and r["partial"] == str(bool(missing))}
        if not uneven:
            good["bytes"] = close(r["Full msg size (MB)"], t["bytes"] / 2**20)
        if "algbw_GiBs" in t and seen:
            for ours, theirs in (("algo bw (Gi%s", "algbw_GiBs"), ("bus bw (Gi%s", "busbw_GiBs")):
                good[theirs] = close(r[ours % "B/s)"], t[theirs]) and close(r[ours.replace("Gi", "G") % "B/s)"],
                                                                            t[theirs] * 1.073741824)
        notes += ["%s: %s: %s" % (t["id"], k, {c: v for c, v in r.items() if not c.startswith("rank_")})
                  for k, ok in good.items() if not ok]
    verdict(not notes and facts, "truth of %s: %d collectives" % (name, len(facts)), notes)


def golden(case, folder, reference, conform, only="*", rename=lambda n: n):
    """Tables of the other tool, by key."""
    rules = conform.Rules(os.path.join(os.path.dirname(conform.__file__), "conform-rules.json"))
    with open(os.path.join(HERE, "deviations.json"), encoding="utf-8") as f:
        listed = [d for d in json.load(f) if fnmatch.fnmatch("multirank/" + case, d["case"])]
    for path in sorted(glob.glob(os.path.join(reference, "*.csv"))):
        name = rename(os.path.basename(path)[:-4])
        ref = conform.read(path)
        if not ref[1] or not fnmatch.fnmatch(name, only):
            continue
        rules.tolerance = rounded if name == "straggler_summary" else tolerance
        mine = [d for d in listed if fnmatch.fnmatch(name, d["table"])]

        def excuse(column, key, mine=mine):
            return any(fnmatch.fnmatch(column, d["column"]) and d.get("key", "") in key for d in mine)

        ours = os.path.join(folder, name + ".csv")
        ok, text = os.path.exists(ours), "no such table"
        if ok:
            ok, text, _, _, _ = conform.compare(name, ref, conform.read(ours), rules, 5, excuse)
            binary = [c for c in ref[0] if "GB/s" in c]
            if ok and binary:  # its GB/s are of 2^30 bytes: our columns of that unit
                kept = [i for i, c in enumerate(ref[0]) if c in binary or conform.is_text_column(ref[1], i)]
                wall = [i for i, c in enumerate(ref[0]) if c.startswith("wall_time (us)")]  # a throughput is bytes / wall time
                off = ENDS / min([float(r[i]) for r in ref[1] for i in wall if r[i]] or [math.inf])
                rules.tolerance = lambda column, _, off=off: [0, off if column.startswith("throughput") else 1e-9]
                ref = ([ref[0][i].replace("GB/s", "GiB/s") for i in kept], [[r[i] for i in kept] for r in ref[1]])
                ok, text, _, _, _ = conform.compare(name, ref, conform.read(ours), rules, 5)
        verdict(ok, "%s %s" % (case, name), text.split("\n"))


def same_bandwidth(case, folder, reference):
    """What the other tool calls GB/s is our GiB/s, to the last digits."""
    theirs = {r["collective_id"]: r for r in table(reference, "nccl_implicit_sync")}
    ours = {r["collective_id"]: r for r in table(folder, "nccl_implicit_sync")}
    notes = ["%s %s: %s, %s" % (i, c, ours[i][c + " (GiB/s)"], t[c + " (GB/s)"])
             for i, t in theirs.items() for c in ("algo bw", "bus bw")
             if not close(ours[i][c + " (GiB/s)"], float(t[c + " (GB/s)"]))]
    verdict(theirs and not notes, "%s: bandwidths of %d collectives" % (case, len(theirs)), notes)


def percent_of_all(case, folder, reference):
    """Where every rank takes part in every collective our share is theirs before it was rounded."""
    theirs = {r["rank"]: r for r in table(reference, "straggler_summary")}
    ours = {r["rank"]: r for r in table(folder, "straggler_summary")}
    notes = ["rank %s: %s, %s" % (i, ours[i]["pct_arrived_last"], t["pct_arrived_last"]) for i, t in theirs.items()
             if abs(100 * float(ours[i]["times_arrived_last"]) / float(ours[i]["num_collectives"])
                    - float(t["pct_arrived_last"])) > 0.0500001]
    verdict(theirs and not notes, "%s: shares of last arrivals" % case, notes)


def heat(case, folder, reference):
    """Data by sender and receiver; the other tool numbers receivers within their group, of four here."""
    theirs = {(int(r["src_rank"]), int(r["dst_rank"]) + int(r["src_rank"]) // 4 * 4): r
              for r in table(reference, "nccl_all2allv_heatmap")}
    ours = {(int(r["src_rank"]), int(r["dst_rank"])): r for r in table(folder, "nccl_all2allv_heatmap")}
    bad = [str(k) for k in theirs if k not in ours or any(not close(ours[k][c], float(theirs[k][c]), 1e-15)
                                                          for c in ("total_sent_MB", "avg_sent_MB", "count"))]
    verdict(theirs and ours.keys() == theirs.keys() and not bad, "%s: who sends how much to whom" % case, bad)
    matrix = table(folder, "nccl_all2allv_matrix")
    bad = [str(k) for k, r in ours.items() if matrix[k[0]]["to rank %d" % k[1]] != r["total_sent_MB"]]
    off = sum(float(r["total_sent_MB"]) for k, r in ours.items() if k[0] != k[1])
    told = sum(float(r["data to other ranks (MB)"]) for r in table(folder, "nccl_all2allv"))
    verdict(not bad and abs(off - told) < 1e-9, "%s: matrix, data to other ranks" % case, bad)


def exposure_adds_up(case, folder):
    notes = []
    for r in table(folder, "nccl_exposure"):
        parts = sum(float(r[k]) for k in ("hidden_ms", "exposed_transfer_ms", "exposed_wait_ms"))
        notes += [] if abs(parts - float(r["time_ms"])) < 1e-6 else ["%s: %s" % (r["Collective"], parts)]
    ranks = table(folder, "nccl_exposure_ranks")
    alone = sum(float(r["time_ms"]) for r in ranks)
    whole = [r for r in table(folder, "nccl_exposure") if r["Collective"] == "all"]
    ok = len(whole) == 1 and abs(alone - float(whole[0]["time_ms"])) < 1e-6
    verdict(not notes and ok, "%s: hidden, transfer and wait are all of the time" % case, notes)


def acceptance(folders, opts_kernel):
    """docs/formulas-collectives.md 7."""
    s = table(folders["synth_fsdp8_straggler3"], "straggler_summary")
    verdict(s[0]["rank"] == "3" and abs(float(s[0]["total_wait_time_us"]) - 495.5) < 0.05
            and s[0]["times_arrived_last"] == "12" and s[0]["num_collectives"] == "27" and s[0]["straggler"] == "True"
            and all(4895 < float(r["total_wait_time_us"]) < 5661.5 and r["straggler"] == "False" for r in s[1:]),
            "straggler3: rank 3 and no other", [str(r) for r in s[:2]])
    r = table(folders["synth_fsdp8_missing5"], "nccl_implicit_sync")
    verdict(r and all(x["n_present"] == "7" and x["n_expected"] == "8" and x["partial"] == "True"
                      and x["status"] == "partial" and x["bus bw (GB/s)"] for x in r), "missing5: 7 of 8, partial")
    found = [f for f in table(folders["synth_fsdp8_missing5"], "findings") if f["Rule"] == "partial_collectives"]
    verdict(len(found) == 1 and found[0]["Subject"].endswith("missing: 5"), "missing5: told")
    r = table(opts_kernel, "nccl_implicit_sync")
    verdict(len(r) == 16 and all(x["Process Group Name"] == "all" and x["Collective name"] == "allreduce"
                                 and x["algo bw (GB/s)"] == x["dtype"] == "" for x in r),
            "vllm4, what kernels say alone: group all, no bandwidth")
    r = table(folders["synth_pp8"], "nccl_implicit_sync")
    pairs = [x for x in r if x["Collective name"] == "send_recv"]
    casts = [x for x in r if x["Collective name"] == "broadcast"]
    verdict(len(pairs) == 32 and len(casts) == 2 and all(x["n_present"] == "2" and x["status"] == "complete"
            and x["implicit_sync"] == "False" for x in pairs)
            and {x["n_present"] for x in casts} == {"8"}, "pp8: 32 pairs of send and recv, 2 broadcasts")
    r = table(folders["dlrm4of8"], "nccl_implicit_sync")
    verdict(len(r) == 8 and all(x["partial"] == "True" and x["n_expected"] == "8" and x["n_present"] == "4" for x in r)
            and [x["Collective name"] for x in r].count("all_to_all") == 5, "dlrm: 8 collectives of 4 of 8 ranks, by annotation")
    r = {x["rank"]: x for x in table(folders["dlrm4of8"], "nccl_exposure_ranks")}["0"]
    verdict(r["comm_busy_ms"] == "5.798" and r["exposed_comm_ms"] == "5.537" and abs(float(r["overlap (%)"]) - 4.5) < 0.01,
            "dlrm rank 0: 5798 us, 5537 exposed, 4.5 % hidden", [str(r)])
    for name in folders:
        verdict(not table(folders[name], "nccl_unmatched"), "%s: nothing unmatched" % name)


def shifted(analyzer, files, rank, us, base_ns=0):
    """The set with one rank's clock put off: in its times, or in the time that they count from."""
    folder = tempfile.mkdtemp(prefix="collectives.")
    out = []
    for path in sorted(files):
        with gzip.open(path, "rb") as f:
            trace = json.loads(f.read())
        if trace["distributedInfo"]["rank"] == rank:
            trace["baseTimeNanoseconds"] += base_ns
            for e in trace["traceEvents"]:
                if "ts" in e and e.get("ph") != "M":
                    e["ts"] = round(e["ts"] + us, 3)
        out.append(os.path.join(folder, os.path.basename(path)[:-3]))
        with open(out[-1], "w", encoding="utf-8") as f:
            json.dump(trace, f)
    return out


def clocks(analyzer, files, straight):
    """Rank 2 is 1.5 ms fast: found, corrected, and nobody else is blamed."""
    for what, us, base in (("times", 1500.0, 0), ("base", 0.0, 1500000)):
        put_off = shifted(analyzer, files, 2, us, base)
        folder = run(analyzer, put_off, check=False)
        offsets = {r["rank"]: r for r in table(folder, "clock_offsets")}
        ok = all(abs(float(r["offset_us"]) - (1500 if k == "2" else 0)) < 0.5 and r["shifted"] == str(k == "2")
                 for k, r in offsets.items()) and len(offsets) == 8
        verdict(ok, "clock of rank 2 (%s) + 1500 us is found" % what, [str(r) for r in offsets.values()])
        told = {r["rank"]: r["offset_ns"] for r in table(folder, "ranks")}
        verdict(abs(int(told["2"]) + 1500000) < 500 and told["0"] == "", "table ranks says so (%s)" % what, [str(told)])
        columns = ("rank", "times_arrived_last", "times_arrived_first")
        # corrected to within the 0.5 us that ends differ by, far below what waits differ by here, but for ties of us
        last = {r["rank"]: float(r["total_wait_time_us"]) for r in table(folder, "straggler_summary")}
        want = {r["rank"]: float(r["total_wait_time_us"]) for r in table(straight, "straggler_summary")}
        verdict(all(abs(last[k] - want[k]) < 27 for k in want), "and taken away: nobody waits longer (%s)" % what,
                ["%s: %s, %s" % (k, last[k], want[k]) for k in want])
        never = run(analyzer, put_off, {"align_clocks": "never"}, check=False)
        s = {r["rank"]: r for r in table(never, "straggler_summary")}["2"]
        verdict(s["times_arrived_last"] == "27", "but for align_clocks=never (%s)" % what, [str({c: s[c] for c in columns})])
        rules = [f["Rule"] + " " + f["Severity"] for f in table(never, "findings")]
        verdict("clock_offset warning" in rules, "which is told (%s)" % what, rules)


def historic(analyzer, files, shared, conform):
    """The sheets of the older workbook, by name."""
    folder = run(analyzer, files, {"collective_sheets": "historic"})
    verdict(not glob.glob(os.path.join(folder, "nccl_implicit_sync.csv")) and not table(folder, "nccl_long"),
            "historic sheets instead of the others")
    # the first stage labels ranks by the order in which it found the files: only what names no rank is held against it
    for stage, only in (("may", "summary_nccl*"), ("nov", "*n[cg]*")):
        golden("seed_%s_synth_fsdp8" % stage, folder,
               os.path.join(shared, "golden/multirank/seed_%s_synth_fsdp8" % stage), conform, only,
               lambda n: n.split("_", 1)[1] if "nccl" in n or n.endswith("_long") else "")


def main():
    analyzer, shared = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    sys.path.insert(0, os.path.join(shared, "tools"))
    import conform
    data = os.path.join(shared, "data/multirank")
    files = {n: sorted(glob.glob(os.path.join(data, n, "*"))) for n in sorted(os.listdir(data))}
    folders = {n: run(analyzer, f) for n, f in files.items()}
    by_kernel = run(analyzer, files["synth_vllm4"], {"collective_arguments": "kernel"})
    for name, folder in folders.items():
        exposure_adds_up(name, folder)
        if os.path.exists(os.path.join(shared, "golden/multirank/truth", name + ".json")):
            truth(name, folder, shared)
        reference = os.path.join(shared, "golden/multirank", name + "_tracelens")
        if not os.path.isdir(reference):
            continue
        golden(name + "_tracelens", by_kernel if name == "synth_vllm4" else folder, reference, conform)
        percent_of_all(name, folder, reference)
        if name != "synth_vllm4":
            same_bandwidth(name, folder, reference)
    heat("synth_moe8", folders["synth_moe8"], os.path.join(shared, "golden/multirank/synth_moe8_tracelens"))
    acceptance(folders, by_kernel)
    clocks(analyzer, files["synth_fsdp8"], folders["synth_fsdp8"])
    historic(analyzer, files["synth_fsdp8"], shared, conform)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="collectives.") as scratch:
        tempfile.tempdir = scratch
        status = main()
    sys.exit(status)
