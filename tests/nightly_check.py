#!/usr/bin/env python3
"""Nightly gates over histories whose truth is known, through the command line: no settings, a night a call. Each of the
ways in which a nightly check was wrong once is a test (src/docs/nightly.md), and so are acceptance, runs that come late,
an older database, reports that a person reads, and the search for a commit.

    nightly_check.py [--analyzer FILE]           the last line is "N passed, N failed"
"""
import argparse
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
WORK = {"ampere_bf16_s16816gemm_128x128": 420, "flash_fwd_kernel": 180, "vectorized_layer_norm_kernel": 80,
        "vectorized_elementwise_kernel": 90, "multi_tensor_apply_kernel": 30}
GEMM = "ampere_bf16_s16816gemm_128x128"
DAY = 86400


class History:
    """A folder with a configuration, a history, and a night a call."""

    def __init__(self, analyzer, gates=None, history=None, work=None):
        self.analyzer, self.work, self.calls = analyzer, work or WORK, {}
        self.dir = tempfile.mkdtemp(prefix="nightly.")
        config = {"inputs": [{"format": "csv", "title": "night", "analysis_args": {"num_of_iters": 1},
                              "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
                  "labels": {"branch": "main", "created": "${DAY}", "commit": "${COMMIT}"}, "gates": gates or {},
                  "history": dict({"path": "h.db"}, **(history or {})), "outputs": {"dir": "out", "formats": ["verdict"]}}
        self.path("c.json", json.dumps(config))

    def path(self, name, text=None):
        at = os.path.join(self.dir, name)
        if text is not None:
            with open(at, "w", encoding="utf-8") as f:
                f.write(text)
        return at

    def run(self, *args, day=0):
        env = dict(os.environ, DAY=str(1700000000 + DAY * day), COMMIT="c%03d" % day, GITHUB_STEP_SUMMARY="")
        return subprocess.run([self.analyzer, *args], cwd=self.dir, env=env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def night(self, day, factors, *args):
        """factors: of each kernel, by name. The exit status, and the results of the verdict."""
        with open(os.path.join(self.dir, "k.csv"), "w", encoding="utf-8") as f:
            f.write(HEAD)
            for name, ms in self.work.items():
                ns = round(ms * 1e6 * factors[name])
                calls = self.calls.get(name, 100)
                f.write('5.0,%d,%d,%.1f,1.0,1,2,%.1f,"%s"\n' % (ns, calls, ns / calls, ns / 50 * random.random(), name))
        p = self.run("gate", "--config=c.json", *(args or ("-q",)), day=day)
        self.last = p
        with open(os.path.join(self.dir, "out", "gates.json"), encoding="utf-8") as f:
            return p.returncode, json.load(f)["results"]

    def close(self):
        shutil.rmtree(self.dir)


def figure(results, key):
    for r in results:
        if r["key"] == {"Figure": key}:
            return r
    return {}


def noisy(rng, noise, work=WORK, **factor):
    return {n: rng.gauss(1, noise) * factor.get("all", 1) * (factor.get("gemm", 1) if n == GEMM else 1) for n in work}


def green(c, analyzer):
    """Noise alone never fails, also not that of spreads; a failed night does not spoil those after it."""
    h, rng = History(analyzer), random.Random(1)
    states = []
    for day in range(20):
        states.append(h.night(day, noisy(rng, 0.003, gemm=1.15 if day == 15 else 1))[0])
    c.hold(states[:15] == [0] * 15 and states[16:] == [0] * 4, "0.3 % of noise passes, and after a failed night, too", states)
    c.hold(states[15] == 1, "+15 % of a kernel fails the same night", states)
    h.close()
    h = History(analyzer)
    for day in range(12):
        h.night(day, noisy(rng, 0.003))
    _, results = h.night(12, noisy(rng, 0.003, gemm=1.15))
    bad = [r["key"] for r in results if r["level"] == "fail"]
    c.hold(bad == [{"Figure": "gemm"}], "one cause is one failure", bad)
    h.close()


def drift(c, analyzer):
    for slope, within in ((0.02, 15), (0.01, 25)):
        h, rng = History(analyzer), random.Random(2)
        nights = [h.night(day, noisy(rng, 0.005, all=(1 + slope) ** max(0, day - 10))) for day in range(45)]
        states = [n[0] for n in nights]
        first = states.index(1) if 1 in states else 99
        c.hold(first <= 10 + within - 4 and sum(states[first:]) >= 0.9 * len(states[first:]), "a drift of %g %% a night fails, and goes on" % (100 * slope), states)
        steps = [r["text"] for _, results in nights[20:] for r in results if r["level"] == "fail" and "step of" in r.get("text", "")]
        c.hold(len(steps) <= 2, "and is no step", steps)
        c.hold(any((r.get("nights") or {}).get("kind") == "gradual" for _, results in nights[20:] for r in results), "but gradual")
        h.close()


def better_then_worse(c, analyzer):
    h, rng = History(analyzer), random.Random(3)
    states = [h.night(day, noisy(rng, 0.01, all=0.8 if 20 <= day < 32 else 0.8 * 1.3 if day >= 32 else 1))[0] for day in range(40)]
    c.hold(not any(states[:32]), "an improvement is no failure", states)
    c.hold(3 in states[32:33] or 1 in states[32:33], "the step after it is seen the same night", states)
    c.hold(states[33:] == [1] * 7, "and stays a failure until it is accepted", states)
    _, results = h.night(40, noisy(rng, 0.01, all=0.8 * 1.3))
    total = figure(results, "total")
    c.hold("since run 33 of" in total["text"] and "c031..c032" in total["text"], "it says since when", total.get("text"))
    p = h.run("history", "accept", "41", "--db", "h.db", "--reason", "more work")
    c.hold(p.returncode == 0, "it can be accepted", p.stderr)
    after = [h.night(day, noisy(rng, 0.01, all=0.8 * 1.3))[0] for day in range(41, 46)]
    c.hold(not any(after), "what was accepted is the level", after)
    h.close()


def lucky(c, analyzer):
    for baseline in (None, "last-good"):
        h, rng = History(analyzer, {"baseline": baseline} if baseline else {}), random.Random(4)
        states = [h.night(day, noisy(rng, 0.005, all=0.92 if day == 12 else 1))[0] for day in range(25)]
        if baseline is None:
            c.hold(not any(states), "one lucky night is no baseline", states)
        else:
            c.hold(sum(states) <= 3, "one lucky night fails one night at most, by last-good", states)
        h.close()


def many_figures(c, analyzer):
    work = {"kernel_%02d" % i: 20 for i in range(50)}
    rule = {"table": "kern_sum", "column": "Total Time (ns)", "rel": 0.02}
    h, rng = History(analyzer, {"rules": [rule]}, work=work), random.Random(5)
    states = [h.night(day, noisy(rng, 0.02, work))[0] for day in range(60)]
    c.hold(sum(s == 1 for s in states) <= 3, "50 figures with 2 % of noise: nights that fail", states)
    figures = dict(noisy(rng, 0.0, work), kernel_07=1.3)
    code, results = h.night(60, figures)
    bad = [r["key"]["Name"] for r in results if r["level"] in ("fail", "inconclusive")]
    c.hold(code in (1, 3) and bad == ["kernel_07"], "one that is 30 % slower is found", bad)
    db = sqlite3.connect(h.path("h.db"))
    c.hold(db.execute("SELECT count(*) FROM run WHERE good=0").fetchone()[0] == 0, "and the night is good for the others")
    db.close()
    h.close()


def late(c, analyzer):
    """A night added later is held against what was before it."""
    h, rng = History(analyzer), random.Random(6)
    for day in list(range(12)) + list(range(14, 20)):
        h.night(day, noisy(rng, 0.003, all=1 if day < 13 else 0.7))
    code, results = h.night(12, noisy(rng, 0.003))
    total = figure(results, "total")
    c.hold(code == 0 and total["baseline"]["n"] <= 12, "a run is judged by earlier ones only", (code, total.get("text")))
    code, _ = h.night(13, noisy(rng, 0.003, gemm=1.2))
    c.hold(code == 1, "also where later ones are better", code)
    p = h.run("history", "rejudge", "--db", "h.db")
    c.hold(p.returncode == 0 and p.stdout == "20 runs evaluated, 1 failed\n", "verdicts are made anew", p.stdout + p.stderr)
    h.close()


def statistics(c, analyzer):
    """A step below the limit is found after a few nights; an odd night is to be run again where there were such."""
    h, rng = History(analyzer), random.Random(7)
    states = []
    for day in range(36):
        states.append(h.night(day, noisy(rng, 0.004, all=1.022 if day >= 30 else 1))[0])
    total = figure(h.night(36, noisy(rng, 0.004, all=1.022))[1], "total")
    c.hold(not any(states[:30]) and 1 in states[30:35], "+2.2 % at a limit of 3 % is found", states)
    c.hold("step of +2" in total["text"] and total["nights"]["kind"] == "step", "as a step", total.get("text"))
    h.close()
    h = History(analyzer, {"rules": [{"table": "kern_sum", "column": "Total Time (ns)", "key": GEMM, "rel": 0.03}]})
    states = [h.night(day, noisy(rng, 0.004, gemm=1.3 if day in (8, 17) else 1))[0] for day in range(24)]
    c.hold(states[8] in (1, 3) and states[17] == 3 and not any(states[:8] + states[9:17] + states[18:]), "a second odd night is an outlier", states)
    p = h.night(24, noisy(rng, 0.004, gemm=1.3))[0], h.night(25, noisy(rng, 0.004, gemm=1.3))[0], h.night(26, noisy(rng, 0.004, gemm=1.3))[0]
    c.hold(p[0] == 3 and p[2] == 1, "and a step when it holds", p)
    h.close()


def reports(c, analyzer):
    """The first night passes with a notice; JUnit has a case a rule, Markdown is short, keys can be read."""
    work = {'["",""] | [[8944,1024],[1024,4096]] | %s | thread 25286 %03d' % ("f" * 80, i): 5 for i in range(300)}
    h, rng = History(analyzer, {"rules": [{"table": "kern_sum", "column": "*", "min_share": 0}]}, work=work), random.Random(8)
    code, _ = h.night(0, noisy(rng, 0.003, work), "--format=text,verdict,junit,github")
    c.hold(code == 0 and "no baseline yet" in h.last.stdout, "the first night passes with a notice", h.last.stdout[:300])
    for day in range(1, 8):
        h.night(day, noisy(rng, 0.003, work))
    summary = h.path("summary.md", "")
    env = dict(os.environ, DAY=str(1700000000 + DAY * 9), COMMIT="x", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=summary)
    with open(h.path("k.csv"), encoding="utf-8") as f:
        rows = f.read().split("\n")
    h.path("k.csv", "\n".join(rows[:1] + [r.replace(",", ",1", 1) if r else r for r in rows[1:]]))
    p = subprocess.run([analyzer, "gate", "--config=c.json", "-q", "--format=verdict,junit"], cwd=h.dir, env=env, capture_output=True,
                       text=True, stdin=subprocess.DEVNULL)
    c.hold(p.returncode in (1, 3) and "::error" in p.stdout, "annotations stay with -q", p.stdout[:200])
    longest = max(len(l) for l in p.stdout.split("\n"))
    c.hold(longest < 500, "and are lines that can be read", longest)
    cases = xml.etree.ElementTree.parse(os.path.join(h.dir, "out", "gates.xml")).getroot().findall("testsuite/testcase")
    c.hold(len(cases) == 1 and cases[0].find("failure" if p.returncode == 1 else "error") is not None, "a case a rule and input", len(cases))
    size = os.path.getsize(summary)
    c.hold(0 < size < 10000, "the Markdown is short", size)
    h.close()


def classes(c, analyzer):
    """What a failure is blamed on, by what else changed."""
    renamed = {(n if n != GEMM else "sm90_xmma_gemm_bf16_tn_n"): ms for n, ms in WORK.items()}
    right = {"kernel": 0, "library": 0, "method": 0, "hardware": 0}
    for seed in range(3):
        for kind in right:
            h, rng = History(analyzer), random.Random(100 + seed)
            for day in range(10):
                h.night(day, noisy(rng, 0.003))
            if kind == "library":
                h.work = renamed
            if kind == "method":
                h.calls = {GEMM: 115}
            for day in range(10, 14):
                f = noisy(rng, 0.003, h.work, all=1.12 if kind == "hardware" else 1, gemm=1.15 if kind in ("kernel", "method") else 1)
                if kind == "library":
                    f["sm90_xmma_gemm_bf16_tn_n"] *= 1.15
                code, results = h.night(day, f)
            causes = [r.get("cause", "") for r in results if r["level"] == "fail" and r["sheet"] == "key_parts"]
            right[kind] += code == 1 and bool(causes) and all(x.startswith(kind) for x in causes)
            h.close()
    c.hold(all(n == 3 for n in right.values()), "the class of a cause", right)


def evidence(c, analyzer):
    """A failure says which kernels changed by how much, in nanoseconds that add up to the change."""
    work = {"ampere_bf16_gemm_%d" % i: 100 + 50 * i for i in range(4)} | {"flash_fwd_kernel": 300, "vectorized_layer_norm_kernel": 200}
    h, rng = History(analyzer, work=work), random.Random(11)
    for day in range(10):
        h.night(day, noisy(rng, 0.001, work))
    f = noisy(rng, 0.001, work)
    f["ampere_bf16_gemm_3"] *= 1.4
    f["ampere_bf16_gemm_1"] *= 1.2
    code, results = h.night(10, f)
    text = figure(results, "gemm").get("text", "")
    m = re.search(r"ampere_bf16_gemm_3 \+([0-9.]+) ms, ampere_bf16_gemm_1 \+([0-9.]+) ms", text)
    c.hold(code == 1 and m and abs(float(m[1]) - 100) < 2 and abs(float(m[2]) - 30) < 2, "the kernels are named", text)
    whole = figure(results, "gemm")["delta"] / 1e6
    c.hold(m and (abs(float(m[1]) + float(m[2]) - whole) < 0.02 * whole or ", others " in text), "they add up to the change", text)
    h.close()
    for kind, wait, transfer, word in (("wait", 178, 122, "straggler: ranks wait"), ("transfer", 80, 220, "network: transfers")):
        h = History(analyzer)
        for name, comm, w, t in (("good", 200, 80, 120), ("bad", 300, wait, transfer)):
            os.mkdir(h.path(name))
            h.path(name + "/gpu_timeline.csv", "type,time ms\ncomputation_time,700\nexposed_comm_time,%d\nexposed_memcpy_time,0\nbusy_time,%d\n"
                   "idle_time,100\ntotal_time,%d\n" % (comm, 700 + comm, 800 + comm))
            h.path(name + "/exposed_communication.csv", "collective,group,exposed_transfer_ms,exposed_wait_ms\nallreduce,0,%d,%d\n" % (t, w))
        p = h.run("gate", "good", "bad")
        c.hold(p.returncode == 1 and word in p.stdout, "communication: " + kind, p.stdout[:400])
        h.close()


def power(c, analyzer):
    """Runs say how small a change they can show: two single ones by their steps, nights by their scatter."""
    h = History(analyzer)
    for name, ms in (("one", 1000), ("two", 1010)):
        os.mkdir(h.path(name))
        h.path(name + "/gpu_timeline.csv", "type,time ms\nbusy_time,900\nidle_time,100\ntotal_time,%d\n" % ms)
        h.path(name + "/steps.csv", "step,period_ms\n" + "".join("%d,%d\n" % (i, 98 + 7 * i % 5) for i in range(10)))
    p = h.run("gate", "one", "two", "--format=html", "-o", "o")
    with open(h.path("o/gates.html"), encoding="utf-8") as f:
        m = re.search(r"noise between steps: ([0-9.]+)% of the total; one pair of runs can show a change of ([0-9.]+)%", f.read())
    c.hold(p.returncode == 0 and m and abs(float(m[1]) - 0.59) < 0.01 and abs(float(m[2]) - 4.4) < 0.1, "the power of two runs", m and m[0])
    rng = random.Random(13)
    for day in range(12):
        h.night(day, noisy(rng, 0.003), "--format=html,verdict")
    with open(h.path("out/gates.html"), encoding="utf-8") as f:
        m = re.search(r"noise of the total: ([0-9.]+)% per run \(11 runs\); one run can show a change of ([0-9.]+)%, five runs ([0-9.]+)%", f.read())
    c.hold(m and 0.05 < float(m[1]) < 0.6 and float(m[3]) < float(m[2]) < 4, "the power of a night", m and m[0])
    h.close()


def training(steps, rng, slower):
    """A PyTorch trace of so many steps of 1 ms that scatter by 5 %."""
    events, t, n = [], 1000.0, 0
    for step in range(steps):
        begin, part = t, 250 * slower * rng.gauss(1, 0.05)
        for _ in range(4):
            n += 1
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": t + 1, "dur": 3,
                        "args": {"correlation": n}},
                       {"ph": "X", "cat": "kernel", "name": "gemm_k", "pid": 0, "tid": 7, "ts": t + 6, "dur": part - 8,
                        "args": {"correlation": n, "device": 0, "stream": 7}}]
            t += part
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": begin,
                       "dur": t - begin - 0.5})
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": events}


def few_steps(c, analyzer):
    """A night of three steps scatters more than those of 20 and 40: what fails with 60 steps is within its noise."""
    for last, slower, wanted in ((3, 1.0, 0), (3, 1.06, 0), (60, 1.06, 1)):
        with tempfile.TemporaryDirectory(prefix="nightly.") as folder:
            path = lambda name: os.path.join(folder, name)
            with open(path("c.json"), "w", encoding="utf-8") as f:
                json.dump({"inputs": [{"path": "t.json", "title": "n"}], "gates": {}, "history": {"path": "h.db"},
                           "labels": {"branch": "main", "created": "${DAY}"}}, f)
            rng = random.Random(4)
            for day in range(1, 17):
                steps = last if day == 16 else 40 if day % 3 == 0 else 20
                with open(path("t.json"), "w", encoding="utf-8") as f:
                    json.dump(training(steps, rng, slower if day == 16 else 1), f)
                p = subprocess.run([analyzer, "gate", "--config=c.json"], cwd=folder, capture_output=True, text=True,
                                   env=dict(os.environ, DAY="2026-01-%02dT02:00:00Z" % day))
                if day < 16:
                    c.hold(p.returncode == 0, "few steps: night %d is as those before" % day, p.stdout[-300:])
            c.hold(p.returncode == wanted, "%d steps, x %.2f" % (last, slower), p.stdout[-500:])


def chosen_once(c, analyzer):
    """A family near the least share of a figure is one each night, or none."""
    work = dict(WORK, multi_tensor_apply_kernel=15.6)
    h, rng = History(analyzer, work=work), random.Random(12)
    sets = set()
    for day in range(12):
        _, results = h.night(day, noisy(rng, 0.05 if day else 0, work))
        if day:
            sets.add(tuple(sorted(r["key"]["Figure"] for r in results if r["sheet"] == "key_parts")))
    c.hold(len(sets) == 1 and len(next(iter(sets))) >= 3, "figures are chosen once", sets)
    h.close()


def bisect(c, analyzer):
    h = History(analyzer)
    h.path("bench.sh", 'mkdir -p out && printf "type,time ms\\nbusy_time,%s\\nidle_time,100\\ntotal_time,%s\\n" "$1" "$2" >out/gpu_timeline.csv\n')
    for name, ms in (("good0", 1000), ("good1", 1004), ("bad0", 1052), ("bad1", 1048)):
        subprocess.run(["sh", "bench.sh", str(ms - 100), str(ms)], cwd=h.dir, check=True)
        os.rename(os.path.join(h.dir, "out"), os.path.join(h.dir, name))

    def step(ms, *more, command="bench.sh"):
        p = h.run("bisect", "--good", "good0", "--good", "good1", "--bad", "bad0", "--bad", "bad1", "--result", "out", *more, "--", "sh", command,
                  str(ms - 100), str(ms))
        for i in range(1, 4):
            shutil.rmtree(os.path.join(h.dir, "out.run%d" % i), ignore_errors=True)
        return p.returncode, p.stdout
    c.hold(step(1003)[0] == 0, "a commit like the good runs is good", step(1003))
    c.hold(step(1049)[0] == 1, "one like the bad runs is bad", step(1049))
    c.hold(step(700)[0] == 0, "far beyond the good side is good", step(700))
    c.hold(step(1600)[0] == 1, "far beyond the bad side is bad", step(1600))
    code, text = step(1026)
    c.hold(code == 125 and "--repeat" in text, "between them it cannot tell, and says how many repetitions would be enough", (code, text))
    c.hold(step(1003, command="missing.sh")[0] == 125, "a command that fails skips the commit")
    c.hold(h.run("bisect", "--good", "good0").returncode == 128, "a mistake ends the search")
    h.close()


def older(c, analyzer):
    """A history of version 2, as the program before this one wrote it (tests/data/nightly/history-v2.db)."""
    h, rng = History(analyzer), random.Random(9)
    shutil.copy(os.path.join(ROOT, "tests", "data", "nightly", "history-v2.db"), h.path("h.db"))
    before = h.run("history", "list", "--db", "h.db")
    c.hold(before.returncode == 0 and before.stdout.count("main") == 12, "an older history is read as it is", before.stderr)
    db = sqlite3.connect(h.path("h.db"))
    version = db.execute("SELECT v FROM meta WHERE k='schema_version'").fetchone()[0]
    c.hold(version == "2", "and reading does not change it", version)
    db.close()
    code, results = h.night(300, noisy(rng, 0.003))
    c.hold(code == 0 and figure(results, "total")["baseline"]["n"] > 5, "its runs are the level of the next", code)
    p = h.run("history", "rejudge", "--db", "h.db")
    c.hold(p.returncode == 0 and p.stdout.startswith("13 runs evaluated"), "its verdicts can be made anew", p.stdout + p.stderr)
    h.close()


def speed(c, analyzer):
    """365 nights of 2,000 figures: a gate in about a second and 50 MB (three times that here: the machine is shared)."""
    work = {"kernel_%04d" % i: 1 + i % 7 for i in range(2000)}
    rule = {"table": "kern_sum", "column": "Total Time (ns)", "min_share": 0}
    h, rng = History(analyzer, {"rules": [rule]}, {"tables": "none", "rows": 0}, work=work), random.Random(10)
    h.night(0, noisy(rng, 0.003, work))
    db = sqlite3.connect(h.path("h.db"))
    ids = [r[0] for r in db.execute("SELECT id FROM metric WHERE name='Total Time (ns)'")]
    for run in range(2, 366):
        db.execute("INSERT INTO run SELECT ?, ?, label, commit_id, branch, host, device, stack, config_hash, 1 FROM run WHERE id=1",
                   (run, time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(1700000000 + run * DAY))))
        db.execute("INSERT INTO fact SELECT ?, input, k, v FROM fact WHERE run_id=1", (run,))
        db.executemany("INSERT INTO sample VALUES(?,?,0,?)", [(run, m, rng.gauss(5e6, 1.5e4)) for m in ids])
    db.commit()
    db.close()
    with open(h.path("c.json"), encoding="utf-8") as f:
        h.path("c.json", f.read().replace('"path"', '"store": false, "path"'))
    begin = time.monotonic()
    p = subprocess.run(["/usr/bin/env", "time", "-f", "%M %U", analyzer, "gate", "--config=c.json", "-q"], cwd=h.dir, capture_output=True, text=True,
                       env=dict(os.environ, DAY=str(1700000000 + 400 * DAY), COMMIT="x"), stdin=subprocess.DEVNULL)
    took = time.monotonic() - begin
    words = p.stderr.split()[-2:]
    print("365 nights of 2,000 figures: %.2f s, %s" % (took, words))
    if len(words) == 2 and words[0].isdigit():
        c.hold(float(words[1]) < 3, "a gate over 365 nights of 2,000 figures is fast", words)
        c.hold(int(words[0]) < 150000, "and small", words)
    h.close()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    a = p.parse_args()
    c = Checks(quiet=True)
    random.seed(1)
    for check in (green, drift, better_then_worse, lucky, many_figures, late, statistics, reports, classes, evidence, power, few_steps, chosen_once,
                  bisect, older, speed):
        check(c, os.path.abspath(a.analyzer))
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
