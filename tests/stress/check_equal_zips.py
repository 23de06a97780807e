#!/usr/bin/env python3
"""usage: check_equal_zips.py FOLDER COUNT -- all COUNT .xlsx files are whole zips (CRC of every part) and equal."""
import hashlib
import os
import sys
import zipfile

folder, count = sys.argv[1], int(sys.argv[2])
names = sorted(os.listdir(folder))
if len(names) != count or not all(n.endswith(".xlsx") for n in names):
    sys.exit(f"{folder}: {len(names)} entries, not {count} workbooks")
sums = {}
for n in names:
    with open(os.path.join(folder, n), "rb") as f:
        sums.setdefault(hashlib.sha256(f.read()).hexdigest(), []).append(n)
for some in sums.values():  # equal files need one look
    broken = zipfile.ZipFile(os.path.join(folder, some[0])).testzip()
    if broken:
        sys.exit(f"{some[0]}: part {broken} is damaged")
if len(sums) != 1:
    sys.exit(f"{len(sums)} different workbooks of one document, e.g. {[v[0] for v in sums.values()][:4]}")
print(f"{count} workbooks, all whole and equal")
