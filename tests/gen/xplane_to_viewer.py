#!/usr/bin/env python3
"""Write an XPlane profile (.xplane.pb) as the trace for a viewer that profilers write next to it. Standard library only.

    xplane_to_viewer.py IN.xplane.pb OUT.json[.gz]     as `HOST.trace.json.gz`
    xplane_to_viewer.py --perfetto IN OUT              as `perfetto_trace.json.gz`: without metadata, with blanks

What the form has is described in src/docs/formats-xplane.md 12.
"""
import gzip
import json
import struct
import sys

LOST = {"program_id", "flops", "symbol_id", "_pt", "_p", "_ct", "_c"}


def fields(b):
    """(number, value) of a message: int, bytes, or float for fixed64."""
    at = 0

    def varint():
        nonlocal at
        v = shift = 0
        while True:
            c = b[at]
            at += 1
            v |= (c & 127) << shift
            shift += 7
            if c < 128:
                return v
    while at < len(b):
        key = varint()
        wire = key & 7
        if wire == 0:
            yield key >> 3, varint()
        elif wire == 2:
            n = varint()
            yield key >> 3, b[at:at + n]
            at += n
        else:
            n = 8 if wire == 1 else 4
            yield key >> 3, struct.unpack("<d" if n == 8 else "<f", b[at:at + n])[0]
            at += n


def one(b, number, default):
    for n, v in fields(b):
        if n == number:
            default = v
    return default


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def text(b):
    return b.decode("utf-8", "replace")


class Plane:
    def __init__(self, b):
        self.name, self.id, self.lines, self.metas, self.stats = "", 0, [], {}, {}
        for n, v in fields(b):
            if n == 1:
                self.id = v
            elif n == 2:
                self.name = text(v)
            elif n == 3:
                self.lines.append(v)
            elif n in (4, 5):
                (self.metas if n == 4 else self.stats)[one(v, 1, 0)] = one(v, 2, b"")

    def args(self, body, number):
        out = {}
        for n, stat in fields(body):
            if n != number:
                continue
            name, value = text(one(self.stats.get(one(stat, 1, 0), b""), 2, b"")), ""
            for k, v in fields(stat):
                if k == 7:
                    value = text(one(self.stats.get(v, b""), 2, b""))
                elif k in (5, 6):
                    value = text(v)
                elif k > 1:
                    value = str(signed(v)) if k == 4 else str(v)
            if name not in LOST:
                out[name] = value
        return out


def micros(ps):
    v = ps / 1e6
    return int(v) if v == int(v) else v


def convert(space):
    meta, spans = [], []
    planes = [Plane(v) for n, v in fields(space) if n == 1]
    devices = [p for p in planes if p.name.startswith("/device:")]
    for at, p in enumerate(devices + [p for p in planes if p.name == "/host:CPU"]):
        pid = 701 if p.name == "/host:CPU" else 1 + (p.id or at)
        meta.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": p.name}})
        meta.append({"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}})
        for line in p.lines:
            name, tid = text(one(line, 11, b"") or one(line, 2, b"")), one(line, 10, 0) or one(line, 1, 0) & 0xFFFFFFFF
            meta.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}})
            if name == "Async XLA Ops":
                continue
            base = one(line, 3, 0) * 1000
            for n, e in fields(line):
                if n != 4:
                    continue
                m = p.metas.get(one(e, 1, 0), b"")
                args = {**p.args(m, 5), **p.args(e, 4)}
                shown = text(one(m, 4, b""))
                if shown:
                    args["long_name"] = text(one(m, 2, b""))
                span = {"ph": "X", "pid": pid, "tid": tid, "ts": micros(base + one(e, 2, 0)),
                        "dur": micros(max(one(e, 3, 0), 1)), "name": shown or text(one(m, 2, b""))}
                if args:
                    span["args"] = dict(sorted(args.items()))
                spans.append(span)
    return meta + spans


def main():
    perfetto = sys.argv[1] == "--perfetto"
    source, out = sys.argv[2 if perfetto else 1:]
    with open(source, "rb") as f:
        events = convert(f.read())
    doc = {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events + [{}]}
    if perfetto:
        del doc["metadata"]
    body = json.dumps(doc, separators=None if perfetto else (",", ":")).encode()
    if out.endswith(".gz"):
        body = gzip.compress(body, mtime=0)
    with open(out, "wb") as f:
        f.write(body)


if __name__ == "__main__":
    main()
