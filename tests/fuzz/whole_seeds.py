#!/usr/bin/env python3
"""The seeds of the harness `whole`: one small file of each format, as tests/fuzz/whole_fuzz.c reads it (a byte for the name,
one for the options, then the file).   usage: whole_seeds.py FOLDER"""
import gzip
import json
import os
import sqlite3
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def seed(name, kind, data, options=0):
    with open(os.path.join(out, name), "wb") as f:
        f.write(bytes([kind, options]) + data)


def corpus(*path):
    with open(os.path.join(HERE, "corpus", *path), "rb") as f:
        return f.read()[1:]


def database(sql):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "x")
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size=512")
        db.executescript(sql)
        db.commit()
        db.close()
        return open(path, "rb").read()


def trace():
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % s, "pid": 1, "tid": 1, "ts": s * 100, "dur": 90}
              for s in range(3)]
    for i in range(9):
        t = i // 3 * 100 + i % 3 * 25
        events += [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": t, "dur": 20,
                    "args": {"External id": i + 1, "Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"]}},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": t + 2, "dur": 3,
                    "args": {"correlation": i + 1, "External id": i + 1}},
                   {"ph": "X", "cat": "kernel", "name": "gemm_%d" % (i % 3), "pid": 0, "tid": 7, "ts": t + 8, "dur": 5 + i,
                    "args": {"correlation": i + 1, "External id": i + 1, "device": 0, "stream": 7, "grid": [1, 1, 1],
                             "block": [128, 1, 1]}}]
    return json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}], "traceEvents": events}).encode()


NSYS = """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'kern'),(2,'cudaLaunchKernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,"end" INTEGER,deviceId INTEGER,streamId INTEGER,correlationId INTEGER,
demangledName INTEGER,shortName INTEGER); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,"end" INTEGER,globalTid INTEGER,
correlationId INTEGER,nameId INTEGER); CREATE TABLE NVTX_EVENTS(start INTEGER,"end" INTEGER,eventType INTEGER,globalTid INTEGER,text TEXT);
INSERT INTO NVTX_EVENTS VALUES(0,90000,59,281475245146128,'step 0'),(90000,200000,59,281475245146128,'step 1');
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 8) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
SELECT i*10000+3000,i*10000+7000+i,0,7,i,1,1 FROM c;
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 8) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
SELECT i*10000,i*10000+2000,281475245146128,i,2 FROM c;"""
ROCPD = """CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_kernel_symbol(id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
CREATE TABLE rocpd_info_agent(id INTEGER PRIMARY KEY, guid TEXT, type TEXT, logical_index INTEGER);
CREATE TABLE rocpd_kernel_dispatch(id INTEGER PRIMARY KEY, guid TEXT, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER,
queue_id INTEGER, stream_id INTEGER, start INTEGER, "end" INTEGER);
INSERT INTO rocpd_info_kernel_symbol VALUES(1,'g','k.kd','k'); INSERT INTO rocpd_info_agent VALUES(1,'g','GPU',0);
INSERT INTO rocpd_kernel_dispatch VALUES(1,'g',1,1,1,1,1,1000,2000),(2,'g',1,1,2,1,1,3000,4500),(3,'g',1,1,3,1,1,9000,9900);"""
HEAD = b"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
seed("pytorch", 0, trace())
seed("pytorch_reports", 0, trace(), 1)
seed("nsys_csv", 1, HEAD + b"60.0,600,2,300.0,300.0,300,300,0.0,kern_a\n40.0,400,1,400.0,400.0,400,400,0.0,\"kern, b\"\n", 2)
seed("nsys_sqlite", 2, database(NSYS), 1)
seed("tracy", 3, b"\n".join(corpus("tracy", "range").split(b"\n")[:12]) + b"\n")
seed("rocprof_json", 4, corpus("rocprof_json", "whole"), 1)
seed("rocpd", 5, database(ROCPD))
seed("pftrace", 6, corpus("pftrace", "whole"))
seed("pytorch_pftrace", 6, corpus("pytorch_pftrace", "clamped"), 1)
seed("xplane", 7, corpus("xplane", "gpu"), 1)
seed("gzip", 8, gzip.compress(trace(), mtime=0))
seed("rocprof_csv", 9, b'"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n'
     b'"k_a",2,600,300.0,60.0,300,300,0.0\n"k_b",1,400,400.0,40.0,400,400,0.0\n')
