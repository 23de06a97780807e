#!/usr/bin/env python3
"""Builds the wheel: the module, the shared library, and the libraries that it needs apart from those of every system. Needs
no network and no other module; equal inputs give equal bytes.

    wheel.py --library FILE --version VERSION --epoch SECONDS --out DIR
"""
import argparse
import base64
import glob
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
TAG = "py3-none-linux_" + os.uname().machine
# Libraries of every system with glibc.
SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-[a-z0-9-]+)\.so")
METADATA = """Metadata-Version: 2.1
Name: analyzer
Version: {version}
Summary: Profiles of GPU and accelerator programs as tables
License: MIT
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""


def needed(library):
    """(soname, file) of the libraries that the loader finds for it, and of the one that it loads later."""
    found = {}
    for line in subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout.splitlines():
        m = re.match(r"\s*(\S+) => (/\S+)", line)
        if m and not SYSTEM.match(m.group(1)):
            found[m.group(1)] = os.path.realpath(m.group(2))
    return found


def package_of(path):
    """The Debian package of a file; "" on another system."""
    for name in (path, path.replace("/usr/lib/", "/lib/", 1)):
        q = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if q.returncode == 0:
            return q.stdout.split(":")[0]
    return ""


def licenses(libraries):
    yield "LICENSE", os.path.join(ROOT, "LICENSE")
    for name in sorted({package_of(path) for path in libraries.values()} - {""}):
        path = "/usr/share/doc/%s/copyright" % name
        if os.path.exists(path):
            yield name + ".copyright", path


def main():
    p = argparse.ArgumentParser()
    for name in ("library", "version", "out"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--extra", action="append", default=[], help="a library that the library loads when it needs it")
    p.add_argument("--epoch", type=int, required=True)
    a = p.parse_args()
    libraries = needed(a.library)
    for path in a.extra:
        libraries.update({os.path.basename(path): os.path.realpath(path)}, **needed(path))
    files = {"analyzer/lib/libanalyzer.so.0": a.library}
    for path in sorted(glob.glob(os.path.join(HERE, "analyzer", "*"))):
        if os.path.isfile(path):
            files["analyzer/" + os.path.basename(path)] = path
    files.update({"analyzer/lib/" + soname: path for soname, path in libraries.items()})
    info = "analyzer-%s.dist-info/" % a.version
    files.update({info + "licenses/" + name: path for name, path in licenses(libraries)})
    with open(os.path.join(ROOT, "src", "docs", "python.md"), encoding="utf-8") as f:
        description = f.read()
    texts = {info + "METADATA": METADATA.format(version=a.version, description=description),
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: %s\n" % TAG}
    os.makedirs(a.out, exist_ok=True)
    name = os.path.join(a.out, "analyzer-%s-%s.whl" % (a.version, TAG))
    when, record = time.gmtime(max(a.epoch, 315532800))[:6], []
    with zipfile.ZipFile(name + ".tmp", "w", zipfile.ZIP_DEFLATED) as z:
        def add(at, data):
            entry = zipfile.ZipInfo(at, when)
            entry.external_attr = (0o755 if ".so" in at else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
        for at in sorted(files) + sorted(texts):
            if at in texts:
                data = texts[at].encode()
            else:
                with open(files[at], "rb") as f:
                    data = f.read()
            add(at, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d\n" % (at, digest, len(data)))
        add(info + "RECORD", "".join(record) + info + "RECORD,,\n")
    os.replace(name + ".tmp", name)
    print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
