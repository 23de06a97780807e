#!/usr/bin/env python3
"""Writes Nsight Systems SQLite exports with what other exports rarely have: metrics of GPUs, memory in use, calls of MPI, and
NVTX payloads of NCCL; and what any correct analyzer makes of them, by brute force over the lists of events.

    make_nsys_more.py DIR [--ranks N] [--seed S] [--kernels N] [--shuffle]
        DIR/rank<i>.sqlite and DIR/expected.json

The columns are those of docs/formats-nsight.md 3.6 to 3.8. Standard library only, deterministic."""
import argparse
import bisect
import json
import os
import random
import sqlite3
import struct

VM = 1 << 48
COMM = 0x51BE0C0FFEE0D00D
METRICS = ["GPC Clock Frequency [MHz]", "SMs Active [Throughput %]", "DRAM Read Bandwidth [Throughput %]"]
# schema id -> (name, fields: (name, type, offset)); types as NVTX has them: 5 int, 18 uint64, 22 size
SCHEMAS = {
    1: ("NcclInit", [("NCCL communicator ID", 18, 0), ("No. of ranks", 5, 8), ("Rank", 5, 12), ("CUDA device", 5, 16)], 24),
    2: ("NcclColl", [("NCCL communicator ID", 18, None), ("Message size [bytes]", 22, 8)], 16),
    3: ("NcclAllReduce", [("NCCL communicator ID", 18, 0), ("Message size [bytes]", 22, 8), ("Reduction operation", 16777232, 16)], 24),
    4: ("NcclP2p", [("NCCL communicator ID", 18, 0), ("Message size [bytes]", 22, 8), ("Peer rank", 5, 16)], 24),
}
FORMS = {1: "<Qiii4x", 2: "<QQ", 3: "<QQi4x", 4: "<QQi4x"}
COLLECTIVES = [("ncclAllReduce", 3, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"), ("ncclAllGather", 2, "ncclDevKernel_AllGather_RING_LL"),
               ("ncclReduceScatter", 2, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL")]


def payload(schema, *values):
    body = struct.pack(FORMS[schema], *values)
    return struct.pack("<IIIIQQ", 1, 0, schema, 0, len(body), 32 + len(body)) + body


def mean(samples, windows):
    """Mean by time of (time, value) over windows; each holds to the next one, the last for no time. None: nothing covered."""
    area = ticks = 0
    times = [at for at, _ in samples]
    for lo, hi in windows:
        first, last = max(bisect.bisect_right(times, lo) - 1, 0), bisect.bisect_left(times, hi) + 1
        for (at, value), (until, _) in zip(samples[first:last], samples[first + 1:last + 1]):
            span = min(until, hi) - max(at, lo)
            if span > 0:
                area += value * span
                ticks += span
    return area / ticks if ticks else None


class Rank:
    def __init__(self, rank, ranks, seed, kernels):
        self.rank, self.rng = rank, random.Random(seed * 100 + rank)
        self.strings, self.rows = {"[Unknown]": 0}, {}
        self.thread = VM | (1000 + rank) << 24 | (1000 + rank)
        self.skew = rank * 7_000_000
        self.kernel_windows, self.collectives = {}, []
        self.fill(ranks, kernels)

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def add(self, table, **row):
        self.rows.setdefault(table, []).append(row)

    def kernel(self, name, corr, start, end):
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", start=start, end=end, deviceId=0, contextId=1, streamId=7, correlationId=corr,
                 globalPid=self.thread & ~0xFFFFFF, demangledName=self.string(name), shortName=self.string(name), gridX=1, gridY=1,
                 gridZ=1, blockX=128, blockY=1, blockZ=1)
        self.kernel_windows.setdefault(name, []).append((start, end))

    def note(self, start, end, text, data=None):
        self.add("NVTX_EVENTS", start=start, end=end, eventType=59, textId=self.string(text), globalTid=self.thread, domainId=1,
                 binaryData=data)

    def call(self, start, end, corr):
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0, globalTid=self.thread, correlationId=corr,
                 nameId=self.string("cudaLaunchKernel_v7000"), returnValue=0)

    def collective(self, k, begin, ranks):
        """A call alone, or (every fourth) in a group, which launches at its end. Pairs of ranks have a communicator of their
        own, and odd ranks call it and that of all in another order."""
        n = k // 4
        pair = ranks >= 4 and (n % 4 in (1, 2)) and (n % 4 == (1 if self.rank % 2 else 2))
        if ranks >= 4 and n % 4 in (1, 2):
            n = n // 4 * 4 + (2 if pair else 1)
        comm, members = (COMM + 1 + self.rank // 2, 2) if pair else (COMM, ranks)
        name, schema, kernel = COLLECTIVES[n % len(COLLECTIVES)]
        size = 1 << (12 + n % 9)
        data = payload(schema, *((comm, size, 0) if schema == 3 else (comm, size)))
        if n % 4 == 3:
            self.note(begin - 600, begin - 580, "ncclGroupStart")
            self.note(begin - 500, begin - 400, name, data)
            self.note(begin, begin + 900, "ncclGroupEnd")
        else:
            self.note(begin, begin + 900, name, data)
        duration = 20_000 + size // 100
        self.collectives.append((f"{comm:#018x}", members, name[4:], size, duration))
        return kernel, duration

    def fill(self, ranks, kernels):
        rng = self.rng
        self.add("NVTX_EVENTS", start=0, end=None, eventType=75, textId=self.string("NCCL"), globalTid=self.thread, domainId=1,
                 binaryData=None)
        self.note(100, 900, "ncclCommInitRank", payload(1, COMM, ranks, self.rank, 0))
        if ranks >= 4:
            self.note(1000, 1900, "ncclCommInitRank", payload(1, COMM + 1 + self.rank // 2, 2, self.rank % 2, 0))
        at = 10_000
        for k in range(kernels):
            begin = at + self.skew
            if k % 4 == 3:
                kernel, duration = self.collective(k, begin, ranks)
            else:
                kernel, duration = f"gemm_{k % 3}", 4_000 + rng.randrange(9_000)
            self.call(begin + 100, begin + 800, k + 1)
            self.kernel(kernel, k + 1, begin + 2_000, begin + 2_000 + duration)
            at += 2_500 + duration + (0 if k % 4 == 3 else 13_000 - duration)
        self.end = at + self.skew
        self.sample()
        self.memory()
        for k in range(5):
            self.add("MPI_COLLECTIVES_EVENTS", start=k * 10_000, end=k * 10_000 + 3_000 + k, globalTid=self.thread,
                     textId=self.string("MPI_Allreduce"), commHandle=1, rootRank=None, size=8, recvSize=8, requestHandle=None)
        self.add("MPI_P2P_EVENTS", start=77_000, end=78_000, globalTid=self.thread, textId=self.string("MPI_Send"), commHandle=1,
                 tag=0, remoteRank=1, size=64, requestHandle=None)
        for k in range(3):
            self.add("UCP_SUBMIT_EVENTS", start=81_000 + k * 500, end=81_200 + k * 500, globalTid=self.thread, textId=self.string("ucp_put_nbx"),
                     bufferAddr=4096, packedSize=64, peerWorkerUid=2, tag=None)
        self.add("UCP_EVENTS", start=90_000, end=90_100, globalTid=self.thread, textId=self.string("MPI_Send"))
        self.nics()
        self.add("MPI_RANKS", globalTid=self.thread, rank=self.rank)

    def sample(self):
        self.samples = {m: [] for m in METRICS}
        kind = 72057594037927936 + 0  # the lowest byte is the GPU
        for i, m in enumerate(METRICS):
            self.add("TARGET_INFO_GPU_METRICS", typeId=kind, sourceId=1, typeName="GPU Metrics", metricId=i + 1, metricName=m)
        at = self.skew
        while at < self.end:
            for i, m in enumerate(METRICS):
                value = self.rng.randrange(1200, 1980) if i == 0 else self.rng.randrange(101)
                self.samples[m].append((at, value))
                self.add("GPU_METRICS", timestamp=at, typeId=kind, metricId=i + 1, value=value)
            at += self.rng.choice([9_000, 10_000, 11_000])

    def nics(self):
        """Of two network adapters the bytes that they received and sent in each interval."""
        self.traffic = {}
        for i, m in enumerate(("Bytes received", "Bytes sent")):
            self.add("TARGET_INFO_NETWORK_METRICS", metricsListId=7, metricsIdx=i, name=m, description=None, unit="B")
        for k in range(30):
            for nic in (0x10, 0x11):
                for i, m in enumerate(("Bytes received", "Bytes sent")):
                    at, value = 10_000 * k + self.skew, self.rng.randrange(1 << 40)
                    self.traffic.setdefault("NIC %x: %s [B]" % (nic, m), []).append((at, value))
                    self.add("NET_NIC_METRIC", start=at, end=at + 10_000, globalId=nic, metricsListId=7, metricsIdx=i, value=value)

    def memory(self):
        used, self.used, live = 0, [], []
        for k in range(40):
            at = 5_000 * (k + 1) + self.skew
            if live and k % 3 == 2:
                size = live.pop(self.rng.randrange(len(live)))
                used, operation = used - size, 1
            else:
                size = self.rng.randrange(1, 1 << 20)
                live.append(size)
                used, operation = used + size, 0
            self.used.append((at, used))
            self.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=at, globalPid=self.thread & ~0xFFFFFF, deviceId=0, contextId=1,
                     address=4096 + k, pc=0, bytes=size, memKind=2, memoryOperationType=operation)

    def schemas(self):
        for copy in range(2):  # one a process: the same twice
            for ident, (name, fields, size) in SCHEMAS.items():
                self.add("NVTX_PAYLOAD_SCHEMAS", domainId=1, schemaId=ident, name=name, type=1, flags=0, numEntries=len(fields),
                         payloadSize=size, alignTo=8)
                for i, (field, kind, offset) in enumerate(fields):
                    self.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=1, schemaId=ident, idx=i, flags=0, type=kind, name=field,
                             description=None, arrayOrUnionDetail=0, offset=offset)

    def write(self, path, shuffle):
        self.schemas()
        self.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION_MAJOR", value="3")
        self.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION_MINOR", value="24")
        self.add("TARGET_INFO_GPU", id=0, name="GPU of the maker", totalMemory=1 << 36, smCount=132)
        for text, ident in self.strings.items():
            self.add("StringIds", id=ident, value=text)
        if os.path.exists(path):
            os.remove(path)
        db = sqlite3.connect(path)
        tables = list(self.rows.items())
        if shuffle:
            self.rng.shuffle(tables)
        for table, rows in tables:
            columns = list(rows[0])
            if shuffle:
                self.rng.shuffle(columns)
                self.rng.shuffle(rows)
            db.execute("CREATE TABLE {} ({})".format(table, ",".join('"%s"%s' % (c, " TEXT" if c == "binaryData" else "") for c in columns)))
            db.executemany("INSERT INTO {} VALUES ({})".format(table, ",".join("?" * len(columns))), [[r[c] for c in columns] for r in rows])
        db.commit()
        db.close()

    def expected(self):
        busy = [w for v in self.kernel_windows.values() for w in v]
        whole = [(-1 << 60, 1 << 60)]
        return {
            "counters": {m: {"samples": len(s), "mean": mean(s, whole), "min": min(v for _, v in s), "max": max(v for _, v in s),
                             "busy": mean(s, busy)} for m, s in [*self.samples.items(), ("Memory in use: device [B]", self.used)]}
            | {m: {"samples": len(s), "mean": mean(s, whole), "min": min(v for _, v in s), "max": max(v for _, v in s)}
               for m, s in self.traffic.items()},
            "kernels": {k: {m: mean(s, w) for m, s in self.samples.items()} for k, w in self.kernel_windows.items()},
            "mpi": {"MPI:MPI_Allreduce": 5, "MPI:MPI_Send": 1, "UCX:ucp_put_nbx": 3, "UCX:MPI_Send": 1},
            "collectives": self.collectives,
        }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("dir")
    p.add_argument("--ranks", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--kernels", type=int, default=48)
    p.add_argument("--shuffle", action="store_true", help="tables, columns and rows in any order")
    a = p.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    expected = []
    for r in range(a.ranks):
        rank = Rank(r, a.ranks, a.seed, a.kernels)
        expected.append(rank.expected())
        rank.write(os.path.join(a.dir, f"rank{r}.sqlite"), a.shuffle)
    with open(os.path.join(a.dir, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(expected, f, indent=1)


if __name__ == "__main__":
    main()
