#!/usr/bin/env python3
"""A profile of compiled programs whose events come again and again, each time later by the length of the whole: what a
longer run would have recorded.

    repeat_xplane.py IN.xplane.pb OUT.xplane.pb MEGABYTES"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen"))
from make_xplane_example import data as message, varint as encoded  # noqa: E402

PLANE, LINE, EVENT = 1, 3, 4  # fields of XSpace, XPlane, XLine
STAMP_NS, OFFSET_PS, DURATION_PS = 3, 2, 3  # fields of XLine, XEvent, XEvent


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value, bytes) of each field of a message."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(key & 7) or varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value, data[begin:at]


class Line:
    def __init__(self, data):
        self.head, self.events, stamp = b"", [], 0
        for number, value, raw in fields(data):
            if number == EVENT:
                self.events.append(self.event(value))
            else:
                self.head += raw
                stamp = value if number == STAMP_NS else stamp
        self.begin = min((stamp * 1000 + e[1] for e in self.events), default=None)
        self.end = max((stamp * 1000 + e[1] + e[3] for e in self.events), default=None)

    @staticmethod
    def event(data):
        """(what comes before the offset, the offset, what comes after it, the duration)."""
        before = after = b""
        offset = duration = 0
        for number, value, raw in fields(data):
            if number == OFFSET_PS:
                offset = value
            elif number < OFFSET_PS:
                before += raw
            else:
                after += raw
                duration = value if number == DURATION_PS else duration
        return before, offset, after, duration

    def repeated(self, times, span):
        out = [self.head]
        for k in range(times):
            for before, offset, after, _ in self.events:
                out.append(message(EVENT, before + encoded(OFFSET_PS << 3) + encoded(offset + k * span) + after))
        return message(LINE, b"".join(out))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    times = max(1, int(float(sys.argv[3]) * 1e6 / len(data)))
    space = [(number, [(n, Line(v) if n == LINE else r) for n, v, r in fields(value)] if number == PLANE else raw)
             for number, value, raw in fields(data)]
    lines = [x for number, parts in space if number == PLANE for n, x in parts if n == LINE and x.events]
    span = max(x.end for x in lines) - min(x.begin for x in lines) + 1000000
    with open(sys.argv[2], "wb") as f:
        for number, parts in space:
            f.write(message(PLANE, b"".join(x.repeated(times, span) if n == LINE else x for n, x in parts)) if number == PLANE else parts)


if __name__ == "__main__":
    main()
