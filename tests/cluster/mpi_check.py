#!/usr/bin/env python3
"""analyzer-mpi under a real Open MPI: the report of any number of ranks is that of the traces; a damaged trace is named, a rank
that dies ends the job with a message, a second start reads what is left. Without MPI the check is skipped with a word.

usage: mpi_check.py --mpi PROGRAM --analyzer PROGRAM
Last line: N passed, N failed."""
import argparse
import os
import shutil
import subprocess

from common import Check

ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "NO_COLOR": "1", "COLUMNS": "100"}  # mpirun has a terminal


def mpirun(c, program, n, *args, shell=None):
    start = ["sh", "-c", shell, "sh", program] if shell else [program]
    return subprocess.run(["mpirun", "--oversubscribe", "--mca", "oob_tcp_if_include", "lo", "-n", str(n)] + start + list(args),
                          env=dict(os.environ, **ENV), capture_output=True, text=True, timeout=120, cwd=c.dir)


def reduced(c, program, n, folder, out):
    p = mpirun(c, program, n, "-o", c.path("parts_" + out), folder, "--", "--format", "text,csv", "--csv-dir", c.path(out))
    c.keep(p, out)
    return p.returncode


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", required=True)
    a.add_argument("--mpi", required=True)
    a = a.parse_args()
    program = os.path.abspath(a.mpi)
    if not os.access(program, os.X_OK) or not shutil.which("mpirun"):
        print("skipped: no analyzer-mpi or no mpirun here (packages openmpi-bin libopenmpi-dev, then make mpi)")
        print("0 passed, 0 failed")
        return
    c = Check(a.analyzer)
    folder = c.ranks("run", "--ranks", "8", "--slow", "2")
    c.multirank(folder, "raw")
    for n in (1, 2, 3, 7, 64):
        rc = reduced(c, program, n, folder, "mpi%d" % n)
        c.ok(rc == 0, "%d ranks of MPI: exit status %d" % (n, rc))
        c.same("raw", "mpi%d" % n, "%d ranks of MPI" % n)

    p = mpirun(c, program, 4, "-o", c.path("again"), folder, "--", "--format", "text,csv", "--csv-dir", c.path("never"),
               shell='[ "$OMPI_COMM_WORLD_RANK" != 2 ] || kill -9 $$; exec "$@"')
    c.ok(("aborted" in p.stderr + p.stdout or "signal 9" in p.stderr + p.stdout) and p.returncode != 0 and not os.path.exists(c.path("never")),
         "a rank that dies ends the job with a message (%d)" % p.returncode)
    p = mpirun(c, program, 4, "-o", c.path("again"), folder, "--", "--format", "text,csv", "--csv-dir", c.path("again_out"))
    c.keep(p, "again_out")
    c.ok(p.returncode == 0, "a second start: %d %s" % (p.returncode, p.stderr[:200]))
    c.same("raw", "again_out", "a second start")

    with open(folder + "/rank_3.json", "w") as f:
        f.write("no trace")
    c.multirank(folder, "cut_raw")
    rc = reduced(c, program, 3, folder, "cut")
    c.ok(rc == 3, "a damaged trace: exit status %d" % rc)
    c.same("cut_raw", "cut", "which is named, and the others are reported")
    c.end()


main()
