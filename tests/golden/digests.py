"""Rows and digest of each table of several runs together: for tables that are too many to be kept whole. A digest that
changes names the table; run both programs on the inputs of the case to see the cells.
    usage: digests.py FOLDER...     each with the CSV tables of a run, in this order
"""
import glob
import hashlib
import os
import sys

tables = {}
for folder in sys.argv[1:]:
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.csv"), recursive=True)):
        with open(path, "rb") as f:
            rows = [row for row in f if not row.startswith((b"tool,", b"input "))]  # the version, the digest of a database
        tables.setdefault(os.path.basename(path)[:-4], []).append(b"".join(rows))
for name in sorted(tables):
    whole = b"\n".join(tables[name])
    print("%-40s %3d runs %6d lines %s" % (name, len(tables[name]), whole.count(b"\n"), hashlib.sha256(whole).hexdigest()[:16]))
