#!/usr/bin/env python3
"""Single-bit flips in databases of profilers, with SQLite's integrity_check as the oracle: a report that differs where the
oracle finds damage, without a message, is a failure.
   usage: flips.py --analyzer PROGRAM [--flips N] [--seed N] [FILE...]        without FILE: six databases made here
The last line is "N passed, N failed"."""
import argparse
import collections
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

p = argparse.ArgumentParser()
p.add_argument("--analyzer", required=True)
p.add_argument("--flips", type=int, default=60)
p.add_argument("--seed", type=int, default=1)
p.add_argument("files", nargs="*")
o = p.parse_args()
ANALYZER = os.path.abspath(o.analyzer)
KERNELS = """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'kern'),(2,'cudaLaunchKernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,"end" INTEGER,deviceId INTEGER,streamId INTEGER,correlationId INTEGER,
demangledName INTEGER,shortName INTEGER); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,"end" INTEGER,globalTid INTEGER,
correlationId INTEGER,nameId INTEGER); CREATE TABLE NVTX_EVENTS(start INTEGER,"end" INTEGER,eventType INTEGER,globalTid INTEGER,text TEXT);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT %d) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
SELECT i*10000+3000,i*10000+7000+i,0,7,i,1,1 FROM c;
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT %d) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
SELECT i*10000,i*10000+2000,281475245146128,i,2 FROM c;
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 40) INSERT INTO NVTX_EVENTS
SELECT i*5000,i*5000+4000,59,281475245146128,'step '||i FROM c;"""
RANGES = """WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 1500) INSERT INTO NVTX_EVENTS
SELECT i*5000,i*5000+4000,59,281475245146128,'range '||i||CASE WHEN i%97 THEN '' ELSE hex(zeroblob(900)) END FROM c;
WITH RECURSIVE c(i) AS (SELECT 3 UNION ALL SELECT i+1 FROM c LIMIT 300) INSERT INTO StringIds SELECT i,'kernel_'||i FROM c;
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName=rowid%200+3, demangledName=rowid%200+3;"""
ROCPD = """CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_kernel_symbol(id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
CREATE TABLE rocpd_info_agent(id INTEGER PRIMARY KEY, guid TEXT, type TEXT, logical_index INTEGER);
CREATE TABLE rocpd_kernel_dispatch(id INTEGER PRIMARY KEY, guid TEXT, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER,
queue_id INTEGER, stream_id INTEGER, start INTEGER, "end" INTEGER);
INSERT INTO rocpd_info_kernel_symbol VALUES(1,'g','k.kd','k'); INSERT INTO rocpd_info_agent VALUES(1,'g','GPU',0);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT %d) INSERT INTO rocpd_kernel_dispatch
SELECT i,'g',1,1,i,1,1,i*1000,i*1000+500+i FROM c;"""


def make(path, sql, page):
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size=%d" % page)
    db.executescript(sql)
    db.commit()
    db.close()
    return path


def report(data, name):
    with open(name, "wb") as f:
        f.write(data)
    shutil.rmtree("out", ignore_errors=True)
    r = subprocess.run([ANALYZER, "run", name, "--csv-dir", "out"], capture_output=True)
    files = sorted(os.listdir("out")) if os.path.isdir("out") else []
    said = [line for line in r.stderr.split(b"\n") if line and b"note:" not in line]
    return r.returncode, said, {f: open("out/" + f, "rb").read() for f in files if f != "facts.csv"}


def is_damaged(name):
    try:
        db = sqlite3.connect("file:%s?mode=ro&immutable=1" % name, uri=True)
        db.text_factory = bytes  # of names in a damaged schema
        found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        db.close()
        return found != b"ok"
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # the latter of a message with a damaged name
        return True


def main():
    r = random.Random(o.seed)
    failed = runs = 0
    with tempfile.TemporaryDirectory() as scratch:
        files = [os.path.abspath(f) for f in o.files]
        os.chdir(scratch)
        files = files or [make("a.sqlite", KERNELS % (60, 60), 512), make("b.sqlite", KERNELS % (900, 900), 1024),
                          make("c.sqlite", KERNELS % (3000, 3000), 4096), make("texts.sqlite", KERNELS % (300, 300) + RANGES, 1024),
                          make("a_results.db", ROCPD % 60, 512),
                          make("b_results.db", ROCPD % 2000, 4096)]
        for path in files:
            data = open(path, "rb").read()
            name = "flip_" + os.path.basename(path)
            whole, count = report(data, name), collections.Counter()
            for _ in range(o.flips):
                at = r.randrange(100, len(data) * 8 // 8)
                bad = bytearray(data)
                bad[at] ^= 1 << r.randrange(8)
                got, damaged = report(bytes(bad), name), is_damaged(name)
                differs, told = got[2] != whole[2], got[:2] != whole[:2]
                runs += 1
                count["damaged" if damaged else "valid", "message" if told else "other figures" if differs else "the same"] += 1
                if damaged and differs and not told:
                    failed += 1
                    print("FAIL %s: a bit of byte %d: other figures without a message" % (os.path.basename(path), at))
            print("%s: %s" % (os.path.basename(path), ", ".join("%s, %s: %d" % (*k, n) for k, n in sorted(count.items()))))
    print("%d passed, %d failed" % (runs - failed, failed))
    return failed > 0


sys.exit(main())
