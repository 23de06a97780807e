"""What the checks of runs over several machines share: made-up ranks, running the analyzer, comparing its tables."""
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GEN = os.path.join(HERE, "..", "gen")


class Check:
    def __init__(self, analyzer):
        self.analyzer = os.path.abspath(analyzer)
        self.passed = self.failed = 0
        self.dir = tempfile.mkdtemp(prefix="azc")

    def ok(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        print("%s %s" % ("ok" if good else "FAIL", what), flush=True)
        return good

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def run(self, *args, **kw):
        return subprocess.run([self.analyzer] + list(args), capture_output=True, text=True, timeout=600, cwd=self.dir, **kw)

    def end(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(1 if self.failed else 0)

    def ranks(self, name, *args, packed=False):
        folder = self.path(name)
        os.makedirs(folder, exist_ok=True)
        subprocess.run([sys.executable, os.path.join(GEN, "make_ranks.py"),
                        os.path.join(folder, "rank_{rank}.json" + (".gz" if packed else ""))] + list(args), check=True)
        return folder

    def multirank(self, folder, out, *args):
        """Tables and text of the traces themselves; exit status."""
        p = self.run("multirank", "-b", folder, "--all-ranks", "--force", "--format", "text,csv", "--csv-dir", self.path(out), *args)
        self.keep(p, out)
        return p.returncode

    def reduce(self, out, *args):
        p = self.run("reduce", *(list(args) + ["--format", "text,csv", "--csv-dir", self.path(out)]))
        self.keep(p, out)
        return p.returncode

    def keep(self, p, out):
        os.makedirs(self.path(out), exist_ok=True)
        with open(self.path(out, "text"), "w") as f:
            f.write(p.stdout)
        with open(self.path(out + ".stderr"), "w") as f:
            f.write(p.stderr)

    def stderr(self, out):
        with open(self.path(out + ".stderr")) as f:
            return f.read()

    def same(self, one, other, what):
        """Equal bytes of all tables and of the text."""
        a, b = self.path(one), self.path(other)
        names = sorted(os.listdir(a))
        good = len(names) > 5 and names == sorted(os.listdir(b))
        differ = [n for n in names if not (os.path.isfile(os.path.join(b, n)) and
                                           filecmp.cmp(os.path.join(a, n), os.path.join(b, n), shallow=False))]
        return self.ok(good and not differ, "%s%s" % (what, ": " + ", ".join(differ[:5]) if differ else ""))
