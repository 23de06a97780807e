"""A Slurm cluster of emulated nodes on this machine, for one test: everything is in one folder and on loopback."""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
USER = pwd.getpwuid(os.geteuid()).pw_name  # whatever the environment says
NEED = ["slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo"]


def missing():
    return [c for c in NEED if not shutil.which(c, path=PATH)]


CONF = """ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool.%n
SlurmctldPidFile={dir}/pid/slurmctld.pid
SlurmdPidFile={dir}/pid/slurmd.%n.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdLogFile={dir}/log/slurmd.%n.log
TmpFS={dir}/tmp.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=2,defer_batch=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MinJobAge=3600
KillWait=2
InactiveLimit=0
SlurmctldTimeout=30
SlurmdTimeout=30
MaxArraySize=1001
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory=1024 State=UNKNOWN
PartitionName=debug Nodes=n[1-{nodes}] Default=YES MaxTime=01:00:00 State=UP OverSubscribe=NO
"""


def alive(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            return "State:\tZ" not in f.read()
    except OSError:
        return False


class Lab:
    def __init__(self, nodes=4):
        self.nodes = nodes
        self.dir = tempfile.mkdtemp(prefix="slab")
        os.chmod(self.dir, 0o755)
        for d in ["pid", "log", "state"] + ["%s.n%d" % (k, n) for k in ("spool", "tmp") for n in range(1, nodes + 1)]:
            os.makedirs(os.path.join(self.dir, d))
        self.env = dict(os.environ, PATH=PATH, SLURM_CONF=os.path.join(self.dir, "slurm.conf"))

    def run(self, *args, timeout=60, **kw):
        return subprocess.run(list(args), env=self.env, capture_output=True, text=True, timeout=timeout, **kw)

    def up(self):
        """None, or why there is no cluster."""
        for port in range(26000 + os.getpid() % 3000, 40000, 97):
            try:
                for p in range(port, port + self.nodes + 1):
                    with socket.socket() as s:
                        s.bind(("127.0.0.1", p))
                break
            except OSError:
                continue
        host = socket.gethostname().split(".")[0]
        with open(self.env["SLURM_CONF"], "w") as f:
            f.write(CONF.format(host=host, port=port, user=USER, dir=self.dir, nodes=self.nodes, first=port + 1,
                                last=port + self.nodes))
        try:
            p = self.run("slurmctld", "-i", stdin=subprocess.DEVNULL)
            for n in range(1, self.nodes + 1):
                self.start(n)
            for _ in range(300):
                p = self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N")
                if len(p.stdout.split()) == self.nodes:
                    return None
                logs = [open(os.path.join(self.dir, "log", x)).read() for x in os.listdir(os.path.join(self.dir, "log"))]
                fatal = [line for text in logs for line in text.splitlines() if "fatal:" in line]
                if fatal:
                    return fatal[0]
                time.sleep(0.1)
        except subprocess.TimeoutExpired:
            pass
        return "the nodes are not idle after 30 s"

    def start(self, n):
        self.run("slurmd", "-N", "n%d" % n, stdin=subprocess.DEVNULL)

    def pid(self, name):
        try:
            return int(open(os.path.join(self.dir, "pid", name + ".pid")).read())
        except (OSError, ValueError):
            return 0

    def lose(self, n):
        """The node is gone, and the cluster knows."""
        os.kill(self.pid("slurmd.n%d" % n), signal.SIGKILL)
        self.run("scontrol", "update", "NodeName=n%d" % n, "State=DOWN", "Reason=lost")

    def wait(self, job, seconds=90):
        for _ in range(seconds * 10):
            if not self.run("squeue", "-h", "-j", job, "-t", "PD,CF,R,CG", "-o", "%i").stdout.strip():
                return True
            time.sleep(0.1)
        return False

    def down(self):
        if self.pid("slurmctld") and alive(self.pid("slurmctld")):
            self.run("scancel", "--full", "--user=" + USER)
        names = ["slurmd.n%d" % n for n in range(1, self.nodes + 1)] + ["slurmctld"]
        for name in names:
            p = self.pid(name)
            if p and alive(p):
                os.kill(p, signal.SIGTERM)
        for _ in range(50):
            if not any(self.pid(x) and alive(self.pid(x)) for x in names):
                break
            time.sleep(0.1)
        shutil.rmtree(self.dir, ignore_errors=True)
