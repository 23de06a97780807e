#!/usr/bin/env python3
"""Check what the built objects say about each other: names that cross a file start with `az_`, and files of different
folders do not call each other in a circle (circles inside one folder are listed with --circles).

    symbols.py [--circles] [OBJECT_DIR]      default build/obj; exit status 1 if there is any violation
Objects whose source is gone or newer are an error: the check would say something about another program.
"""
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NO_PREFIX = {"main", "lxw_tmpfile"}  # the latter takes the place of a function of libxlsxwriter
DEFINED = set("TDBRCVW")


def objects(folder):
    for where, dirs, names in os.walk(folder):
        dirs.sort()
        for name in sorted(names):
            if name.endswith(".o"):
                yield os.path.join(where, name)


def read(folder, src):
    """(object without .o -> exported names, object -> names it needs, messages)"""
    have, need, bad = {}, {}, []
    paths = list(objects(folder))
    for path in paths:
        rel = os.path.relpath(path, folder)[:-2].replace(os.sep, "/")
        source = os.path.join(src, rel + ".c") if src else None
        if source and not os.path.exists(source):
            continue  # left by an earlier tree; the archives do not hold it either
        if source and os.path.getmtime(source) > os.path.getmtime(path):
            bad.append("src/%s.c: newer than its object (make, then lint)" % rel)
        have[rel], need[rel] = set(), set()
    if not have:
        return have, need, bad
    known = set(have)
    text = subprocess.run(["nm", "-A", "-g", "-P"] + [p for p in paths if os.path.relpath(p, folder)[:-2].replace(
        os.sep, "/") in known], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        where, rest = line.rsplit(": ", 1) if ": " in line else line.split(":", 1)
        parts = rest.split()
        rel = os.path.relpath(where, folder)[:-2].replace(os.sep, "/")
        if parts[1] in DEFINED:
            have[rel].add(parts[0])
        elif parts[1] == "U":
            need[rel].add(parts[0])
    return have, need, bad


def components(edges):
    """Strongly connected components of {node: nodes} with more than one node (Tarjan, without recursion)."""
    index, low, on, stack, out, count = {}, {}, set(), [], [], 0
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = count
                    count += 1
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(sorted(edges[to]))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        v = stack.pop()
                        on.discard(v)
                        part.append(v)
                        if v == node:
                            break
                    if len(part) > 1:
                        out.append(sorted(part))
    return sorted(out)


def check(have, need):
    owner = {name: rel for rel in have for name in have[rel]}
    bad = ["src/%s.c: exported symbol '%s' without az_ (prefix or static)" % (rel, name)
           for rel in sorted(have) for name in sorted(have[rel]) if not name.startswith(("az_", "analyzer_" if rel.startswith("library/") else "az_")) and name not in NO_PREFIX]
    edges = {rel: {owner[n] for n in need[rel] if n in owner and owner[n] != rel} for rel in have}
    inner = []
    for part in components(edges):
        folders = {os.path.dirname(p) for p in part}
        calls = ["%s.c -> %s.c (%s)" % (a, b, ", ".join(sorted(n for n in need[a] if owner.get(n) == b)))
                 for a in part for b in part if b in edges[a]]
        if len(folders) > 1:
            bad.append("circle across folders: %s\n    %s" % (" ".join(part), "\n    ".join(
                c for c in calls if os.path.dirname(c.split(" -> ")[0]) != os.path.dirname(c.split(" -> ")[1].split(" ")[0]))))
        else:
            inner.append("circle in %s: %s\n    %s" % (folders.pop() or ".", " ".join(map(os.path.basename, part)), "\n    ".join(calls)))
    return bad, inner


def main():
    args = [a for a in sys.argv[1:] if a != "--circles"]
    folder = args[0] if args else os.path.join(ROOT, "build", "obj")
    have, need, bad = read(folder, None if args else os.path.join(ROOT, "src"))
    if not have:
        print("skipped: no objects in %s (make)" % folder)
        return 0
    more, inner = check(have, need)
    bad += more
    if "--circles" in sys.argv:
        print("\n".join(inner))
    print("\n".join(bad), end="\n" if bad else "")
    print("symbols: %d objects, %d violations" % (len(have), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
