#!/usr/bin/env python3
"""Linked libraries and embedded files of a program as a CycloneDX 1.5 document: name,
version, package and license of each, as far as the packages of the system have them. Reproducible on one system.

    sbom.py PROGRAM > analyzer.cdx.json
"""
import hashlib
import json
import os
import re
import subprocess
import sys

EMBEDDED = {"chart.js": "libjs-chart.js"}  # name -> package: in the HTML reports


def output(*args):
    q = subprocess.run(args, capture_output=True, text=True, errors="replace")
    return q.stdout if q.returncode == 0 else ""


def linked(program):
    """(soname, file) of every shared library, the loader's way; the direct ones are marked."""
    direct = set(re.findall(r"NEEDED.*\[(.*?)\]", output("readelf", "-d", program)))
    told = output("ldd", program)
    found = set(re.findall(r"^\s*(\S+) => (/\S+)", told, re.M))
    found |= {(os.path.basename(x), x) for x in re.findall(r"^\s*(/\S+) \(", told, re.M)}  # the loader
    with open(program, "rb") as f: # loaded when a workbook is written (src/reports/xlsx/xlsx_lib.h)
        loaded = {name.decode() for name in re.findall(rb"libxlsxwriter\.so\.\d+", f.read())}
    found |= {x for x in re.findall(r"^\s*(\S+) \(.*\) => (/\S+)", output("/sbin/ldconfig", "-p"), re.M) if x[0] in loaded}
    for name, path in sorted(found):
        yield name, os.path.realpath(path), name in direct | loaded


def inside(program):
    """Archives linked into the program, from its version command."""
    line = re.search(r"^statically linked: *(.*)$", output(program, "version"), re.M)
    return line.group(1).split() if line else []


def package_of(path):
    for candidate in (path, path.replace("/usr/lib/", "/lib/", 1), re.sub(r"^/lib/", "/usr/lib/", path)):
        found = output("dpkg-query", "-S", candidate)
        if found:
            return found.split(":")[0]
    return ""


def version_of(package):
    return output("dpkg-query", "-W", "-f=${Version}", package) if package else ""


def licences_of(package):
    """Short names from a machine-readable copyright file."""
    try:
        with open("/usr/share/doc/%s/copyright" % package, encoding="utf-8", errors="replace") as f:
            names = re.findall(r"^License: *(\S[^\n]*)", f.read(), re.M)
    except OSError:
        return []
    return sorted({n.strip() for n in names})


def component(kind, name, package, how, path=None):
    version = version_of(package)
    c = {"type": kind, "name": name, "version": version}
    if package:
        c["purl"] = "pkg:deb/debian/%s@%s" % (package, version)
    if path:
        with open(path, "rb") as f:
            c["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(f.read()).hexdigest()}]
    licences = licences_of(package)
    if licences:
        c["licenses"] = [{"license": {"name": n}} for n in licences]
    c["properties"] = [{"name": "analyzer:how", "value": how}]
    return c


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: sbom.py PROGRAM")
    program = sys.argv[1]
    version = output(program, "version").split()[1:2]
    parts = [component("library", name, package_of(path), "linked" if direct else "linked by another", path)
             for name, path, direct in linked(program)]
    put = dict({name: package_of("/usr/lib/*/" + name) for name in inside(program)}, **EMBEDDED)
    parts += [component("library", name, package, "put into the program") for name, package in sorted(put.items())]
    with open(program, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    json.dump({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "analyzer", "version": (version or ["unknown"])[0],
                                   "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": parts,
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
