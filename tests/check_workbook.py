#!/usr/bin/env python3
"""Compares a workbook with the CSV directory of the same run, cell by cell, and checks how it is dressed.

usage: check_workbook.py BOOK.xlsx CSV_DIR [--json RESULT.json --schema SCHEMA] [--charts N] [--expect-sheets N]

Differences that are allowed, all documented in the workbook's `coverage` sheet or here:
  - fewer rows, columns or shortened cells, each listed as `xlsx rows omitted: TABLE`, `xlsx columns omitted: ...`,
    `xlsx cells truncated: ...`, with the exact number;
  - tables without a sheet, listed as `xlsx sheets skipped: tables` with their names;
  - `coverage` has these rows more than its CSV;
  - a table that goes on in `TABLE (2)`;
  - reals differ in the 17th digit (workbooks hold 16);
  - integers beyond 2^53 are texts; `_xHHHH_` in texts is written escaped.
Needs openpyxl (and jsonschema with --json).
"""
import argparse
import csv
import json
import math
import os
import re
import sys
import zipfile

import openpyxl

CELL_MAX = 32767
LABEL_MAX = 40
errors = []


def bad(text):
    errors.append(text)
    if len(errors) > 50:
        finish()


def finish():
    for e in errors:
        print("check_workbook: " + e, file=sys.stderr)
    sys.exit(1 if errors else 0)


def read_csv(path):
    csv.field_size_limit(1 << 30)
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    if "\r" in text:
        bad(f"{path}: holds a CR")
    rows = list(csv.reader(text.splitlines(keepends=True)))
    return rows[0], rows[1:]


def unescape(s):
    """What a spreadsheet shows for an escaped text; the reader here leaves escapes as they are."""
    return re.sub(r"_x005F(_x[0-9a-fA-F]{4}_)", r"\1", s)


def units(s):
    return len(s.encode("utf-16-le")) // 2


def same(want, got, cut_cells):
    """want: CSV text; got: value of the workbook's cell."""
    if got is None:
        return want == ""
    if isinstance(got, bool):
        return want == str(got)
    if isinstance(got, (int, float)):
        try:
            number = float(want)
        except ValueError:
            return False
        if not math.isfinite(number):
            return False
        if "." not in want and "e" not in want and float(got) == int(got) and abs(number) <= 2**53:
            return int(want) == int(got)
        return math.isclose(number, got, rel_tol=3e-15, abs_tol=0)
    got = unescape(got)
    if got == want:
        return True
    if units(want) > CELL_MAX and got.endswith("\u2026") and want.startswith(got[:-1]):
        cut_cells.append(want[:20])
        return units(got) <= CELL_MAX
    return False


def parts_of(book, name):
    """A table's sheets: itself, then `name (2)`, ..."""
    names = [name]
    k = 2
    while True:
        mark = f" ({k})"
        more = name[: 31 - len(mark)] + mark
        if more not in book.sheetnames:
            return names
        names.append(more)
        k += 1


def sheet_of(book, table):
    want = re.sub(r"[\[\]:*?/\\]", "_", table)[:31]
    for n in book.sheetnames:
        if n == want:
            return n
    for n in book.sheetnames:
        if n.lower().startswith(want[:29].lower()) and "~" in n:
            return n
    return None


def check_dress(ws, n_columns, title):
    if not re.fullmatch("[A-C]2", ws.freeze_panes or ""):
        bad(f"{title}: the header is not frozen ({ws.freeze_panes})")
    if not ws.auto_filter.ref:
        bad(f"{title}: no autofilter")
    elif not ws.auto_filter.ref.startswith("A1:" + openpyxl.utils.get_column_letter(n_columns)):
        bad(f"{title}: autofilter {ws.auto_filter.ref} does not cover {n_columns} columns")
    for c in range(1, n_columns + 1):
        cell = ws.cell(1, c)
        if not cell.font.b:
            bad(f"{title}: header cell {cell.coordinate} is not bold")
        width = ws.column_dimensions[openpyxl.utils.get_column_letter(c)].width
        if not 5 <= width <= 80:
            bad(f"{title}: column {c} is {width} wide")


def check_formats(ws, columns, title):
    """columns: from the JSON result. One number format per unit."""
    want = {"ns": "#,##0", "ps": "#,##0", "ms": "#,##0.000", "us": "#,##0.000", "%": "0.00", "B": "#,##0", "id": "0",
            "ratio": "0.000"}
    for c, col in enumerate(columns, 1):
        form = want.get(col["unit"])
        if not form or col["type"] not in ("int", "real"):
            continue
        for r in range(2, min(ws.max_row, 50) + 1):
            cell = ws.cell(r, c)
            if isinstance(cell.value, (int, float)) and cell.number_format != form:
                bad(f"{title}!{cell.coordinate}: number format {cell.number_format}, not {form} for {col['unit']}")
                return


def check_table(book, table, path, cuts, columns):
    header, rows = read_csv(path)
    name = sheet_of(book, table)
    if name is None:
        bad(f"table {table} has no sheet")
        return
    at = 0
    cut_cells = []
    n_columns = 0
    extra = []
    for part in parts_of(book, name):
        ws = book[part]
        lines = ws.iter_rows(values_only=True)
        got_header = [v for v in next(lines) if v is not None]
        n_columns = len(got_header)
        if got_header != header[:n_columns]:
            bad(f"{part}: header {got_header} differs from {header}")
            return
        check_dress(ws, n_columns, part)
        if columns:
            check_formats(ws, columns, part)
        for line in lines:
            if at >= len(rows):
                extra.append(line)
                continue
            for c in range(n_columns):
                if not same(rows[at][c], line[c] if c < len(line) else None, cut_cells):
                    bad(f"{part} row {at + 2} column {c + 1}: {line[c]!r:.200} is not {rows[at][c]!r:.200}")
            at += 1
    if extra and not (table == "coverage" and all(str(e[0]).startswith("xlsx ") for e in extra)):
        bad(f"{table}: {len(extra)} rows that the CSV has not")
    for what, n in (("rows", len(rows) - at), ("columns", len(header) - n_columns), ("cells", len(cut_cells))):
        said = cuts.pop(f"xlsx {what} {'truncated' if what == 'cells' else 'omitted'}: {table}", 0)
        if said != n:
            bad(f"{table}: {n} {what} are missing or cut, coverage says {said}")


def read_cuts(book):
    cuts = {}
    if "coverage" in book.sheetnames:
        for line in book["coverage"].iter_rows(min_row=2, values_only=True):
            if str(line[0]).startswith("xlsx "):
                cuts[line[0]] = line[1]
    return cuts


def read_skipped(book):
    """Names of tables without a sheet: "a, b: how to get them"."""
    if "coverage" in book.sheetnames:
        for line in book["coverage"].iter_rows(min_row=2, values_only=True):
            if line[0] == "xlsx sheets skipped: tables":
                return set(line[3].split(": ")[0].split(", "))
    return set()


def check_labels(path, book):
    """Names along an axis leave room for the bars."""
    with zipfile.ZipFile(path) as z:
        for part in z.namelist():
            if not re.match(r"xl/charts/chart\d+\.xml$", part):
                continue
            for formula in re.findall(r"<c:cat>.*?<c:f>(.*?)</c:f>", z.read(part).decode(), re.S):
                m = re.match(r"'?(.*?)'?!\$([A-Z]+)\$(\d+):\$[A-Z]+\$(\d+)$", formula)
                texts = [book[m[1]][f"{m[2]}{r}"].value for r in range(int(m[3]), int(m[4]) + 1)] if m else []
                if max((len(t) for t in texts if isinstance(t, str)), default=0) > LABEL_MAX:
                    bad(f"{part}: a label is longer than {LABEL_MAX}: {max((t for t in texts if t), key=len)}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("book")
    p.add_argument("csv_dir")
    p.add_argument("--json")
    p.add_argument("--schema")
    p.add_argument("--charts", type=int)
    p.add_argument("--expect-sheets", type=int)
    a = p.parse_args()

    broken = zipfile.ZipFile(a.book).testzip()
    if broken:
        bad(f"{a.book}: part {broken} is damaged")
        finish()
    book = openpyxl.load_workbook(a.book)
    result = None
    if a.json:
        with open(a.json, encoding="utf-8") as f:
            result = json.load(f)
        if a.schema:
            import jsonschema

            with open(a.schema, encoding="utf-8") as f:
                schema = json.load(f)
            jsonschema.Draft7Validator.check_schema(schema)
            for e in jsonschema.Draft7Validator(schema).iter_errors(result):
                bad(f"{a.json}: {list(e.path)}: {e.message:.200}")
    columns = {t["id"]: t["columns"] for t in result["tables"]} if result else {}
    if book.sheetnames[0] != "summary":
        bad(f"the first sheet is {book.sheetnames[0]}, not summary")
    if a.expect_sheets is not None and len(book.sheetnames) != a.expect_sheets:
        bad(f"{len(book.sheetnames)} sheets, not {a.expect_sheets}: {book.sheetnames}")
    if a.charts is not None:
        n = sum(1 for n in zipfile.ZipFile(a.book).namelist() if re.match(r"xl/charts/chart\d+\.xml$", n))
        if n != a.charts:
            bad(f"{n} charts, not {a.charts}")
    check_labels(a.book, book)
    for ws in book:
        for line in ws.iter_rows():
            for cell in line:
                if cell.data_type == "f":
                    bad(f"{ws.title}!{cell.coordinate} is a formula: {cell.value!r:.80}")
    cuts = read_cuts(book)
    tables = sorted(f[:-4] for f in os.listdir(a.csv_dir) if f.endswith(".csv"))
    left_out = read_skipped(book)
    said = cuts.pop("xlsx sheets skipped: tables", 0)
    if said != len(left_out) or not left_out <= set(tables):
        bad(f"coverage says {said} sheets are left out: {sorted(left_out)}")
    tables = [t for t in tables if t not in left_out]
    for t in sorted(left_out):
        if t in book.sheetnames:
            bad(f"{t} has a sheet, coverage says it is left out")
    if not tables:
        bad(f"{a.csv_dir}: no CSV files")
    for t in tables:
        check_table(book, t, os.path.join(a.csv_dir, t + ".csv"), cuts, columns.get(t))
    for item in cuts:
        if not item.startswith("xlsx chart rows omitted: "):
            bad(f"coverage says '{item}', which is not so")
    if result:
        for t in result["tables"]:
            _, rows = read_csv(os.path.join(a.csv_dir, t["id"] + ".csv")) if t["id"] in tables else (None, [])
            if len(rows) != len(t["rows"]):
                bad(f"{t['id']}: {len(t['rows'])} rows in JSON, {len(rows)} in CSV")
            for i, (r, j) in enumerate(zip(rows, t["rows"])):
                for x, y in zip(r, j):
                    text = "" if y is None else str(y)
                    number = isinstance(y, (int, float)) and not isinstance(y, bool)
                    if text != x and not (number and x != "" and float(x) == float(y)):
                        bad(f"{t['id']} row {i}: JSON {y!r:.100}, CSV {x!r:.100}")
    finish()


main()
