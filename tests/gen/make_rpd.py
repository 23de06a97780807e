#!/usr/bin/env python3
"""Write a small database of rocmProfileData with known contents (src/docs/formats-rocprof.md 4.1).

    make_rpd.py [--schema 2|3] [--items] FILE

Two processes; a marker `step` around three launches, a graph of two kernels, copies, a memset and a barrier. With --items
copies have the names of rocprofiler-sdk, and grids count work-items.
"""
import argparse
import os
import sqlite3

COMMON = """
CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, tag varchar(4096) NOT NULL, value varchar(4096) NOT NULL);
CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
CREATE TABLE rocpd_copyapi (api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18) NOT NULL, size integer NOT NULL,
    width integer NOT NULL, height integer NOT NULL, kind integer NOT NULL, dst varchar(18) NOT NULL, src varchar(18) NOT NULL,
    dstDevice integer NOT NULL, srcDevice integer NOT NULL, sync bool NOT NULL, pinned bool NOT NULL);
CREATE TABLE rocpd_kernelapi (api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18) NOT NULL, gridX integer NOT NULL,
    gridY integer NOT NULL, gridZ integer NOT NULL, workgroupX integer NOT NULL, workgroupY integer NOT NULL,
    workgroupZ integer NOT NULL, groupSegmentSize integer NOT NULL, privateSegmentSize integer NOT NULL, kernelName_id bigint NOT NULL);
CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer NOT NULL, queueId integer NOT NULL,
    sequenceId integer NOT NULL, "start" integer, "end" integer, description_id bigint NOT NULL, opType_id bigint NOT NULL);
CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id bigint NOT NULL, op_id bigint NOT NULL);
CREATE TABLE rocpd_monitor (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, deviceType varchar(16) NOT NULL, deviceId integer NOT NULL,
    monitorType varchar(16) NOT NULL, start integer NOT NULL, "end" integer NOT NULL, value varchar(255) NOT NULL);
"""
API = """CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer NOT NULL, tid integer NOT NULL,
    "start" integer NOT NULL, "end" integer NOT NULL, apiName_id bigint NOT NULL%s, args_id bigint NOT NULL);"""
BASE = 3489389 * 10**9


class Database:
    def __init__(self, path, schema):
        if os.path.exists(path):
            os.remove(path)
        self.schema, self.db, self.strings = schema, sqlite3.connect(path), {}
        self.db.executescript(COMMON)
        self.db.execute(API % (", category_id bigint NOT NULL, domain_id bigint NOT NULL" if schema == 3 else ""))
        if schema == 3:
            self.db.execute("CREATE TABLE rocpd_ustring (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL)")
        self.db.execute("INSERT INTO rocpd_metadata(tag, value) VALUES ('schema_version', ?)", (str(schema),))
        self.string("")

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.db.execute("INSERT INTO rocpd_string(string) VALUES (?)", (text,)).lastrowid
        return self.strings[text]

    def call(self, number, pid, tid, start, end, name, args="", domain="hip"):
        row = {"id": number, "pid": pid, "tid": tid, "start": BASE + start, "end": BASE + end, "apiName_id": self.string(name)}
        if self.schema == 3:
            row["args_id"] = self.db.execute("INSERT INTO rocpd_ustring(string) VALUES (?)", (args,)).lastrowid
            row["category_id"], row["domain_id"] = self.string(""), self.string(domain)
        else:
            row["args_id"] = self.string(args)
        self.db.execute("INSERT INTO rocpd_api(%s) VALUES (%s)" % (",".join('"%s"' % k for k in row), ",".join("?" * len(row))),
                        tuple(row.values()))

    def launch(self, number, stream, grid, block, kernel):
        self.db.execute("INSERT INTO rocpd_kernelapi VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                        (number, stream, *grid, *block, 512, 0, self.string(kernel)))

    def copy(self, number, size):
        self.db.execute("INSERT INTO rocpd_copyapi VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                        (number, "0x0", size, "", "", 1, "0x7f00", "0x7f80", 0, 0, 0, 0))

    def op(self, call, gpu, queue, start, end, kind, kernel=""):
        row = self.db.execute('INSERT INTO rocpd_op(gpuId, queueId, sequenceId, "start", "end", description_id, opType_id) '
                              "VALUES (?,?,?,?,?,?,?)",
                              (gpu, queue, 0, None if start is None else BASE + start, None if end is None else BASE + end,
                               self.string(kernel), self.string(kind))).lastrowid
        if call:
            self.db.execute("INSERT INTO rocpd_api_ops(api_id, op_id) VALUES (?,?)", (call, row))


def write(path, schema, items):
    d = Database(path, schema)
    gemm, add = "Cijk_Ailk_Bljk_SB_MT64x64", "void add<float>(float*, int) [clone .kd]"
    to_device, to_host = ("MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST") if items else ("CopyHostToDevice", "CopyDeviceToHost")
    big = 1 << 32  # ids of a writer begin there
    d.call(big + 1, 41, 42, 0, 90000, "UserMarker", "step", domain="UserMarker")
    d.call(big + 2, 41, 42, 1000, 3000, "hipMemcpyWithStream")
    d.copy(big + 2, 65536)
    d.op(big + 2, 2, 0, 1500, 2500, to_device)
    d.call(big + 3, 41, 42, 4000, 6000, "hipLaunchKernel")
    d.launch(big + 3, "0x7f10", (4, 1, 1), (256, 1, 1), add)
    d.op(big + 3, 2, 0, 7000, 12000, "KernelExecution", add)
    d.call(big + 4, 41, 42, 6500, 8000, "hipExtModuleLaunchKernel")
    d.launch(big + 4, "0x7f20", (1024, 2, 1), (256, 1, 1), gemm)
    d.op(big + 4, 2, 1, 12500, 42500, "KernelExecution", gemm)
    d.call(big + 5, 41, 42, 9000, 9900, "hipMemsetAsync")
    d.op(big + 5, 2, 0, 43000, 44000, "FillBuffer")
    d.call(big + 6, 41, 42, 10000, 14000, "hipGraphLaunch")
    d.op(big + 6, 2, 0, 45000, 55000, "Task", gemm)
    d.op(big + 6, 2, 0, 55000, 56000, "Task")
    d.call(big + 7, 41, 42, 57000, 80000, "hipMemcpyWithStream")
    d.copy(big + 7, "")
    d.op(big + 7, 2, 0, 58000, 79000, to_host)
    d.op(0, 2, 0, 80000, 80100, "Barrier")
    d.call(big + 10, 41, 42, 80200, 89500, "hipMemcpyWithStream")
    d.copy(big + 10, 2097152)
    d.op(big + 10, 2, 0, 80500, 88500, to_host)
    d.call(big + 8, 51, 52, 2000, 3000, "hipModuleLaunchKernel")
    d.launch(big + 8, "0x0", (8, 1, 1), (64, 1, 1), add)
    d.op(big + 8, 3, 0, 5000, 25000, "KernelExecution", add)
    d.op(0, 3, 0, 26000, 27000, "KernelExecution", add)  # of no call
    d.op(big + 8, 3, 0, None, 28000, "KernelExecution", add)
    d.call(big + 11, 41, 42, 500, 89950, "run_engine", domain="")  # a function of the program
    d.call(big + 9, 51, 52, 30000, 30500, "ApiTable::writeRows", domain="")
    d.db.execute("INSERT INTO rocpd_monitor VALUES (1, 'gpu', 2, 'sclk', ?, ?, '1700')", (BASE, BASE + 90000))
    d.db.commit()
    d.db.close()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--schema", type=int, default=3, choices=(2, 3))
    p.add_argument("--items", action="store_true")
    p.add_argument("file")
    a = p.parse_args()
    write(a.file, a.schema, a.items)


main()
