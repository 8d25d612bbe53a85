"""Slurm in a box: its controller on the login host, its daemon on each of the others (hosts.py), as a cluster has them.

Nothing of the machine's own Slurm is used but its programs: configuration, keys, sockets and logs lie in the hosts' place."""

import pathlib
import re
import secrets
import shutil
import subprocess
import time

from hosts import LOGIN, Missing
from waiting import wait_for

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "salloc", "srun", "scontrol", "sinfo")
LAUNCHERS = ("HYDRA_", "OMPI_MCA_")  # by which the harness tells mpiexec of the hosts
UNDER_WAY = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")
WAIT = 60  # seconds for daemons that take one
CONFIGURATION = """ClusterName=box
SlurmctldHost={login}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={local}/socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmctldPidFile={place}/slurmctld.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdPidFile={place}/%n.pid
SlurmdLogFile={place}/%n.log
SlurmdSpoolDir={place}/spool-%n
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=2
SlurmdTimeout={timeout}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Daemons of Slurm on hosts; they end with these."""

    def __init__(self, hosts, timeout=300):
        self.hosts = hosts
        self.place = pathlib.Path(hosts.place) / "slurm"
        self.local = self.place / "local"  # each host has one of its own
        self._timeout = timeout

    def up(self):
        missing = [program for program in PROGRAMS if not shutil.which(program, path="/usr/sbin:/sbin:/usr/bin:/bin")]
        if missing:
            raise Missing(f"Slurm in the hosts needs {', '.join(missing)} (Debian: slurm-wlm, munge)")
        self._write_files()
        self._start(LOGIN, f"slurmctld -D -f {self.place}/slurm.conf")
        for host in self.hosts.names:
            self._start(host, f"slurmd -D -N {host} -f {self.place}/slurm.conf")
        self._wait_until_idle()

    def run(self, *command, **options):
        """A command on the login host, which users of Slurm start jobs from. Launchers get to know hosts by Slurm alone."""
        told = [word for name in self.hosts.environment() if name.startswith(LAUNCHERS) for word in ("-u", name)]
        settings = {"SLURM_CONF": str(self.place / "slurm.conf"), **options.pop("settings", {})}
        return self.hosts.run("env", *told, *command, settings=settings, **options)

    def batch(self, *words, **options):
        """sbatch's words, until the job has ended (sbatch --wait asks every ten seconds): (its state, exit code)."""
        done = self.run("sbatch", "--parsable", *words, capture_output=True, text=True, **options)
        if done.returncode != 0:
            return done.stderr, done.returncode
        job = done.stdout.strip()
        while True:
            told = self.run("scontrol", "show", "job", job, capture_output=True, text=True).stdout
            state, code = re.search(r"JobState=(\w+)", told).group(1), re.search(r" ExitCode=(\d+):", told).group(1)
            if state not in UNDER_WAY:
                return state, int(code)
            time.sleep(0.1)

    def logs(self):
        files = sorted(self.place.glob("*.log"))
        return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-2000:]}" for file in files)

    def _start(self, host, daemon):
        """A daemon, behind munge's, which returns when it serves."""
        files = {"pid-file": "pid", "log-file": "munge.log", "seed-file": "seed", "socket": "socket"}
        options = " ".join(f"--{option}={self.local}/{name}" for option, name in files.items())
        munged = f"munged --force --key-file={self.place}/munge.key {options}"
        script = f"PATH=$PATH:/usr/sbin:/sbin; mount -t tmpfs tmpfs {self.local} && {munged} && exec {daemon}"
        with (self.place / f"start-{host}.log").open("wb") as log:
            words = self.hosts.words("sh", "-c", script, host=host)
            subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _write_files(self):
        spools = [self.place / f"spool-{name}" for name in self.hosts.names]
        for directory in (self.place, self.local, self.place / "state", *spools):
            directory.mkdir(mode=0o755)
        key = self.place / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        values = {"place": self.place, "local": self.local, "login": LOGIN, "timeout": self._timeout}
        nodes = [f"NodeName={name} CPUs={ranks}\n" for name, ranks in zip(self.hosts.names, self.hosts.ranks)]
        (self.place / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self.place / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.local}\n")
        (self.place / "slurm.conf").write_text("".join([CONFIGURATION.format(**values), *nodes]))

    def _wait_until_idle(self):
        told = lambda: self.run("sinfo", "--noheader", "--format=%T %D", capture_output=True, text=True)  # noqa: E731
        if not wait_for(lambda: told().stdout.split() == ["idle", str(len(self.hosts.names))], WAIT):
            done = told()
            raise Missing(f"Slurm did not come up in the hosts: {done.stdout}{done.stderr}\n{self.logs()}")
