"""Analyzes copies of inputs, each with some seeded changes (times that touch, equal or zero values, missing or repeated
elements, other names), with seeded options, all in one run. Prints a line per copy, and of each table a digest of all cells
in all copies: a digest that changes names the table. To see the cells, run it with both programs in two folders and
compare these: 'copies' has the inputs, 'out' the results.
    usage: edits.py SEED COPIES INPUT... [OPTION=VALUE,VALUE...]
    INPUT: a file of JSON or CSV, a database, a protocol buffer; the ranks of one run with '+' between
    OPTION: of a configuration; a copy has one of its values or none. only=KEY,KEY...: only values of these keys change
"""
import copy
import csv
import glob
import gzip
import hashlib
import json
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys


class Random:
    """The same numbers with every version of Python."""

    def __init__(self, text):
        self.state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def choice(self, values):
        return values[self.below(len(values))]


# ---- files as trees of dictionaries and lists ----


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def message(data):
    """Fields of a protocol buffer by number and wire type; None if the bytes are none."""
    fields, at = {}, 0
    try:
        while at < len(data):
            key, at = varint(data, at)
            number, kind = key >> 3, key & 7
            size = {1: 8, 5: 4}.get(kind, 0)
            if kind == 0:
                value, at = varint(data, at)
            elif kind in (1, 2, 5) and number:
                if kind == 2:
                    size, at = varint(data, at)
                value, at = data[at:at + size], at + size
                if at > len(data):
                    return None
                if kind == 2:
                    inner = None if value.isascii() and value.decode().isprintable() else message(value)
                    value = value if inner is None else inner
            else:
                return None
            fields.setdefault("%d:%d" % (number, kind), []).append(value)
    except IndexError:
        return None
    return fields


def wire(n):
    n, out = int(n) % 2**64, bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def packed(fields):
    out = []
    for key, values in fields.items():
        number, kind = map(int, key.split(":"))
        for value in values:
            if isinstance(value, dict):
                value = packed(value)
            elif isinstance(value, str):
                value = value.encode()
            start = wire(number << 3 | kind)
            if kind == 0:
                out.append(start + wire(value if isinstance(value, int) else 0))
            elif kind == 2:
                value = value if isinstance(value, bytes) else b""
                out.append(start + wire(len(value)) + value)
            else:
                out.append(start + (value if isinstance(value, bytes) else b"").ljust({1: 8, 5: 4}[kind], b"\0")[:8 if kind == 1 else 4])
    return b"".join(out)


def number_or_text(text):
    if re.fullmatch(r"-?[1-9]\d{0,17}|0", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text) else text


def load(path):
    if path.endswith(".gz"):
        with gzip.open(path) as f:
            return json.loads(f.read())
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    if path.endswith(".csv"):
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        return [{name: number_or_text(cell) for name, cell in zip(rows[0], row)} for row in rows[1:]]
    if path.endswith((".sqlite", ".db")):
        db = sqlite3.connect(path)
        db.row_factory = sqlite3.Row
        tables = [t for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")]
        tree = {t: [dict(row) for row in db.execute('SELECT * FROM "%s"' % t)] for t in tables}
        db.close()
        return tree
    with open(path, "rb") as f:
        return message(f.read())


def store(tree, path, source):
    if path.endswith(".json"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(json.dumps(tree))
    elif path.endswith(".csv"):
        with open(source, newline="", encoding="utf-8") as f:
            names = next(csv.reader(f))
        with open(path, "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(names)
            writer.writerows([row.get(name, "") for name in names] for row in tree)
    elif path.endswith((".sqlite", ".db")):
        shutil.copy(source, path)
        before, db = load(source), sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("BEGIN")
        for table in before:
            rows = tree.get(table)
            if rows is None:
                db.execute('DROP TABLE "%s"' % table)
            elif rows != before[table]:
                db.execute('DELETE FROM "%s"' % table)
                for row in rows:
                    if isinstance(row, dict) and row.keys() == before[table][0].keys():
                        values = [v if not isinstance(v, int) or -2**63 <= v < 2**63 else 0 for v in row.values()]
                        db.execute('INSERT OR IGNORE INTO "%s" VALUES (%s)' % (table, ", ".join("?" * len(values))), values)
        db.execute("COMMIT")
        db.close()
    else:
        with open(path, "wb") as f:
            f.write(packed(tree))


# ---- changes ----


def places(node, found, name=""):
    """All values by the name of their key: name -> [(container, key)]."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in pairs:
        own = key if isinstance(node, dict) else name + "[]"
        found.setdefault(own, []).append((node, key))
        if isinstance(value, (dict, list)):
            places(value, found, own)


def value_instead(rnd, old, container, others):
    """Another value for a number or text: of another place, of another key of the same object, or next to it."""
    there, key = rnd.choice(others)
    other = there[key] if (key in there if isinstance(there, dict) else key < len(there)) else old
    kind = rnd.below(8)
    if isinstance(old, bool) or not isinstance(old, (int, float)):
        return other if kind < 6 else None if kind == 6 else ""
    numbers = [v for v in (container.values() if isinstance(container, dict) else container) if isinstance(v, (int, float))]
    return [other, other, other + 1 if isinstance(other, (int, float)) else 1, rnd.choice(numbers or [0]), old + 1, old - 1, 0, 2 * old][kind]


def touch(rnd, objects):
    """Two objects with a begin and a duration: they touch, overlap by one, begin or end together."""
    a, b = (container for container, _ in (rnd.choice(objects), rnd.choice(objects)))
    if not all(isinstance(x.get(k), (int, float)) for x in (a, b) for k in ("ts", "dur")):
        return
    a["ts"] = [b["ts"] + b["dur"], b["ts"] + b["dur"] - 1, b["ts"], b["ts"] + b["dur"] - a["dur"]][rnd.below(4)]


def change(rnd, found, only):
    """Changes one value or element; True if there are other places then."""
    if only:
        name = rnd.choice(only)
        container, key = rnd.choice(found[name])
        container[key] = value_instead(rnd, container[key], container, found[name])
        return False
    if "dur" in found and rnd.below(4) == 0:
        touch(rnd, found["dur"])
        return False
    name = rnd.choice(list(found))  # each as often as the others, or each value as often
    if rnd.below(2):
        at = rnd.below(sum(map(len, found.values())))
        for name in found:
            if at < len(found[name]):
                break
            at -= len(found[name])
    container, key = rnd.choice(found[name])
    old, kind = container[key], rnd.below(10)
    if kind == 0:
        del container[key]
        return True
    if isinstance(container, list) and kind < 4:
        container.insert(rnd.below(len(container) + 1), copy.deepcopy(old))
        return True
    if isinstance(old, (dict, list)):
        there, at = rnd.choice(found[name])
        container[key] = copy.deepcopy(there[at]) if kind < 7 else type(old)() if kind == 7 else old
        return True
    if kind == 9 and rnd.below(4) == 0:  # of all
        value = value_instead(rnd, old, container, found[name])
        for there, at in found[name]:
            there[at] = value
    else:
        container[key] = value_instead(rnd, old, container, found[name])
    return False


def parsed(text):
    return json.loads(text) if re.fullmatch("true|false|[0-9.]+", text) else text


# ---- runs ----


def make_copies(seed, count, source, only):
    """Paths of copies of a file; the first is unchanged."""
    tree, name = pickle.dumps(load(source)), source.partition(".")[0].replace("/", "_")
    for i in range(count):
        rnd, edited, found = Random("%s %s %d" % (seed, name, i)), pickle.loads(tree), None
        for _ in range(rnd.choice([1, 2, 4, 8, 16, 32]) if i else 0):
            if found is None:
                found = {}
                places(edited, found)
            if found and change(rnd, found, only):
                found = None
        path = "copies/%s-%d/%s" % (name, i, os.path.basename(source).removesuffix(".gz"))
        os.makedirs(os.path.dirname(path))
        store(edited, path, source)
        yield path


def make_inputs(seed, count, source, options, only):
    """Inputs of a configuration; source: a file, or the ranks of a run with '+' between."""
    files = [list(make_copies(seed, count, path, only)) for path in source.split("+")]
    for i, paths in enumerate(zip(*files)):
        name = paths[0].split("/")[1]
        rnd = Random("options %s %s" % (seed, name))
        yield {"title": name, "path": list(paths), "options": {key: parsed(rnd.choice(values)) for key, values in options if rnd.below(2)}}


def digest(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]


def main():
    args = sys.argv[1:]
    seed, count = args[0], int(args[1])
    options = [(key, values.split(",")) for key, _, values in (a.partition("=") for a in args[2:] if "=" in a)]
    only = [key for name, values in options if name == "only" for key in values]
    options = [option for option in options if option[0] != "only"]
    for folder in ("copies", "out"):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs("out")
    inputs = [x for a in args[2:] if "=" not in a for x in make_inputs(seed, count, a, options, only)]
    with open("edits.json", "w", encoding="utf-8") as f:
        json.dump({"jobs": 1, "side_by_side": False, "compat": "all", "inputs": inputs}, f)
    done = subprocess.run([os.environ["ANALYZER"], "run", "--config=edits.json", "-o", "out", "--format=text,json", "-v", "--progress=never"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, env=dict(os.environ, COLUMNS="160"))
    for name, text in (("out/text", done.stdout), ("out/messages", done.stderr)):
        with open(name, "wb") as f:
            f.write(text)
    messages = [line for line in done.stderr.decode().splitlines() if not line.startswith("analyzer: note: wrote")]
    tables = {}
    for x in inputs:
        name, line = x["title"], "no result"
        made = glob.glob("out/*_%s.json" % name)
        if made:
            with open(made[0], encoding="utf-8") as f:
                doc = json.load(f)
            rows = 0
            for table in doc["tables"]:
                own = [row for row in table["rows"] if not str(row[0]).startswith(("tool", "input "))]
                tables.setdefault(table["id"], []).append((name, own))
                rows += len(own)
            for part in ("verdict", "charts"):
                tables.setdefault("(%s)" % part, []).append((name, doc.get(part)))
            line = "%3d tables %5d rows" % (len(doc["tables"]), rows)
        own = [m for m in messages if "copies/%s/" % name in m]
        print("%-24s %s, %d messages %s" % (name, line, len(own), digest(own)))
    for name in sorted(tables):
        print("%-40s %3d copies %s" % (name, len(tables[name]), digest(tables[name])))
    messages = [m for m in messages if " s, " not in m]  # the time that an input took
    print("exit %d, text %s, messages %s" % (done.returncode, digest(done.stdout.decode()), digest(messages)))


main()
