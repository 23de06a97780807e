# Compressed inputs: members one after the other, names and comments in their headers, an empty member, other bytes behind them;
# what is cut or damaged says so, and what came before is read.
"$PYTHON" - <<'P'
import gzip, json, struct, zlib

events = [{"ph": "X", "cat": "kernel", "name": "k%d" % (i % 3), "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5 + i % 3, "args": {"device": 0, "stream": 7}} for i in range(200)]
text = json.dumps({"traceEvents": events}, indent=0).encode()
packed = gzip.compress(text, 6, mtime=0)


def member(data, flags=0, extra=b""):
    z = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = z.compress(data) + z.flush()
    return b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\3" + extra + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xffffffff)


head = b"\x1f\x8b\x08\x02\0\0\0\0\0\3"
files = {
    "plain": packed,
    "two": member(text[:5000]) + member(text[5000:]),
    "empty_member": member(text[:5000]) + member(b"") + member(text[5000:]),
    "name_comment_extra": member(text, 0x1c, struct.pack("<H", 5) + b"extra" + b"name\0" + b"comment\0"),
    "header_sum": member(text, 0x02, struct.pack("<H", zlib.crc32(head) & 0xffff)),
    "stored": gzip.compress(text, 0, mtime=0),
    "zeros_behind": packed + bytes(100),
    "text_behind": packed + b"not a member",
    "wrong_sum": packed[:-8] + b"\0\0\0\0" + packed[-4:],
    "wrong_length": packed[:-4] + b"\1\0\0\0",
    "no_end": packed[:-6],
    "header_only": packed[:10],
    "half_header": packed[:5],
    "other_method": packed[:2] + b"\7" + packed[3:],
    "nothing": b"",
    "packed_nothing": member(b""),
    "packed_twice": member(packed),
}
for name, data in files.items():
    open(name + ".json.gz", "wb").write(data)
    print(name)
P
for f in plain two empty_member name_comment_extra header_sum stored zeros_behind text_behind wrong_sum wrong_length no_end header_only half_header \
    other_method nothing packed_nothing packed_twice; do
    echo "== $f"
    "$ANALYZER" run $f.json.gz --csv-dir out 2>&1 >/dev/null | grep -v "note: \|^analyzer: '" | sed "s|:+[0-9]*:|:+N:|" | cut -c 1-160
    [ -f out/kern_sum.csv ] || [ -f out/kernel_summary.csv ] && sed -n 1,3p out/gpu_timeline.csv
    rm -rf out
    cat $f.json.gz | "$ANALYZER" run -q - --csv-dir piped >/dev/null 2>&1
    echo "from a pipe: $?"
    rm -rf piped
done
