#!/usr/bin/env python3
"""Writes a trace of the PyTorch profiler in JSON as the profiler's native Perfetto output would have it.

    make_torch_pftrace.py TRACE.json FILE.pftrace [--plain] [--deflate] [--shuffle] [--cut] [--unnamed]
--plain: not gzip; --deflate: packets within compressed packets; --shuffle: fields of messages in any order; --cut: device
events end where the next one of their lane starts, as the writer does it;
--unnamed: stages have numbers only.
The form is that of docs/formats-pytorch.md 1.8. Standard library only, deterministic."""
import argparse
import gzip
import json
import struct
import zlib

BASE = 1_700_000_000_000_000_000
STAGES = ["Kernel", "Memcpy", "Memset", "Annotation", "EventRecord", "HostNode"]
STAGE_OF = {"kernel": 1, "gpu_memcpy": 2, "gpu_memset": 3, "gpu_user_annotation": 4, "graph_event_node": 5, "graph_host_node": 6}
LAUNCH = {"registers per thread", "shared memory"}
shuffled = unnamed = False


def varint(x):
    x &= (1 << 64) - 1
    out = bytearray()
    while x > 127:
        out.append(x & 127 | 128)
        x >>= 7
    return bytes(out + bytes([x]))


def num(field, x):
    return varint(field << 3) + varint(x)


def sub(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field, x):
    return varint(field << 3 | 1) + struct.pack("<d", x)


def message(parts):
    """Repeated fields keep their order among each other; fields of different numbers may be anywhere."""
    parts = list(parts)
    if shuffled:
        order = sorted(range(len(parts)), key=lambda i: (parts[i][0] * 7 % 11, i))
        parts = [parts[i] for i in order]
    return b"".join(parts)


class Texts:
    def __init__(self, kind):
        self.kind, self.iid = kind, {}

    def of(self, text):
        return self.iid.setdefault(text, len(self.iid) + 1)

    def entries(self):
        if self.kind == 1000:
            return [sub(1000, message([num(1, i), sub(2, "_Z" + t), sub(3, t)])) for t, i in self.iid.items()]
        return [sub(self.kind, message([num(1, i), sub(2, t)])) for t, i in self.iid.items() if not (unnamed and t in STAGES)]


class Writer:
    def __init__(self):
        self.cat, self.name, self.note, self.gpu, self.text = Texts(1), Texts(2), Texts(3), Texts(24), Texts(29)
        self.kernel, self.karg, self.tracks, self.counters = Texts(1000), Texts(1001), {}, Texts(47)
        for s in STAGES:
            self.gpu.of(s)
        self.begins, self.ends, self.device = [], [], []

    def value(self, x):
        if isinstance(x, bool):
            return [num(2, x)]
        if isinstance(x, int):
            return [num(3 if x >= 0 else 4, x)]
        if isinstance(x, float):
            return [real(5, x)]
        if isinstance(x, str):
            return [sub(6, x)] if len(x) % 2 else [num(17, self.text.of(x))]
        if isinstance(x, dict):
            return [sub(11, message([sub(10, k)] + self.value(v))) for k, v in x.items()]
        return [sub(12, message(self.value(v))) for v in x]

    def notes(self, args):
        return [sub(4, message([num(1, self.note.of(k)) if i % 2 else sub(10, k)] + self.value(v))) for i, (k, v) in enumerate(args.items())]

    def track(self, pid, tid):
        return self.tracks.setdefault((pid, tid), 1000 + len(self.tracks))

    def slice(self, e, launched):
        uuid, args = self.track(e["pid"], e["tid"]), dict(e["args"])
        parts = [num(9, 1), num(11, uuid), num(10, self.name.of(e["name"])), num(3, self.cat.of(e["cat"]))]
        ids = launched.get(args.get("correlation"))
        if ids and args["correlation"] % 2:
            del args["correlation"]
            parts.append(sub(3000, message([num(1, i) for i in ids])))
        at, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
        self.begins.append((at, sub(11, message(parts + self.notes(args)))))
        self.ends.append((end, sub(11, message([num(9, 2), num(11, uuid)]))))

    def stage(self, e, ident, end, waits):
        args, start = dict(e["args"]), round(e["ts"] * 1000)
        lane = args.pop("stream", e["tid"])
        parts = [num(1, ident), num(2, end - start), num(13, self.gpu.of(f"[{lane:03d}] stream {lane}")), num(14, STAGE_OF[e["cat"]])]
        grid, block = args.pop("grid", None), args.pop("block", None)
        if e["cat"] == "kernel":
            parts.append(num(19, self.kernel.of(e["name"])))
            shape = [sub(f, message([num(i + 1, v) for i, v in enumerate(x) if v])) for f, x in ((1, grid), (2, block)) if x]
            shape += [sub(3, message([num(1, self.karg.of(k)), num(4, args.pop(k))])) for k in list(args) if k in LAUNCH and args[k]]
            parts.append(sub(21, message(shape)))
        else:
            parts.append(num(20, self.name.of(e["name"])))
        for k in ("copy kind", "src kind", "dst kind"):
            args.pop(k, None)
        names = {"device": "device id", "context": "context id"}
        parts += [sub(6, message([sub(1, names.get(k, k)), sub(2, v if isinstance(v, str) else json.dumps(v))]))
                  for k, v in list(args.items()) + [("stream id", lane)] if v != 0]
        if len(waits) > 1:
            parts.append(sub(18, b"".join(varint(w) for w in waits)))  # packed
        else:
            parts += [num(18, w) for w in waits]
        self.device.append((start, sub(53, message(parts))))

    def counter(self, e):
        pid = e["pid"]
        gpu = pid if isinstance(pid, int) else int(pid.split()[1])
        value = e["args"][""]
        ident = self.counters.of(e["name"])
        body = [num(1, ident), num(2, int(value)) if value == int(value) else real(3, value)]
        self.device.append((round(e["ts"] * 1000), sub(52, message([num(4, 1), sub(2, message(body))] + ([num(3, gpu)] if gpu else [])))))

    def packets(self):
        yield sub(6, b"".join(sub(1, message([num(1, c), num(2, BASE)])) for c in (6, 1)))
        for (pid, tid), uuid in self.tracks.items():
            yield sub(60, message([num(1, uuid), sub(4, message([num(1, pid), num(2, tid), sub(5, f"thread {tid}")]))]))
        specs = [sub(1, message([num(1, i), sub(2, t)])) for t, i in self.counters.iid.items()]
        interned = [x for t in (self.cat, self.name, self.note, self.gpu, self.text, self.kernel, self.karg) for x in t.entries()]
        yield sub(12, message(interned + [sub(47, message([num(1, 1), sub(2, message(specs))]))]))
        for at, body in self.begins + self.ends + self.device:
            yield message([num(8, BASE + at), body])


def convert(events, cut):
    w, launched, by_end, by_start, waits = Writer(), {}, {}, {}, {}
    device = [e for e in events if e["ph"] == "X" and e["cat"] in STAGE_OF]
    starts = {}
    for e in device:
        starts.setdefault(e["tid"], []).append(round(e["ts"] * 1000))
    for ident, e in enumerate(device, 1):
        start, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
        by_end[e["pid"], e["tid"], end] = by_start[e["pid"], e["tid"], start] = ident
        launched.setdefault(e["args"].get("correlation"), []).append(ident)
    arrows = {}
    for e in events:
        if e["ph"] in "sf" and e["id"] >= 1 << 40:
            arrows.setdefault(e["id"], {})[e["ph"]] = (e["pid"], e["tid"], round(e["ts"] * 1000))
    for a in arrows.values():
        waits.setdefault(by_start[a["f"]], []).append(by_end[a["s"]])
    for ident, e in enumerate(device, 1):
        start, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
        later = [s for s in starts[e["tid"]] if s > start]
        w.stage(e, ident, min([end] + later) if cut else end, waits.get(ident, []))
    for e in events:
        if e["ph"] == "X" and e["cat"] not in STAGE_OF:
            w.slice(e, launched)
        elif e["ph"] == "C":
            w.counter(e)
    return w


def main():
    global shuffled, unnamed
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("trace")
    p.add_argument("file")
    for flag in ("--plain", "--deflate", "--shuffle", "--cut", "--unnamed"):
        p.add_argument(flag, action="store_true")
    a = p.parse_args()
    shuffled, unnamed = a.shuffle, a.unnamed
    with open(a.trace, encoding="utf-8") as f:
        w = convert(json.load(f)["traceEvents"], a.cut)
    packets = [sub(1, message([body, num(10, 1)])) for body in w.packets()]
    if a.deflate:
        packets = [sub(1, sub(50, zlib.compress(b"".join(packets[i:i + 100])))) for i in range(0, len(packets), 100)]
    with (open if a.plain else gzip.open)(a.file, "wb") as f:
        f.write(b"".join(packets))


if __name__ == "__main__":
    main()
