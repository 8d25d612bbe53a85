"""Runs a launcher as a child and keeps what the program writes apart from what the launcher says of its own accord, so that
after a failure the last lines are the program's and one of ours.

Both come out of the launcher mixed. So each rank, before it becomes the program, opens a pipe of ours by its name in /proc and
has it for its standard error. A rank that runs where our pipes are not says so in a line that no program knows; from then on
nothing of the launcher is kept back. Standard output stays with the launcher, which has a pipe for each rank: MPICH's ranks
write pieces of lines, which would be mixed in a pipe for all.

All is passed on as it comes. Signals from other processes are handed to the launcher; it gets those of the terminal itself."""

import os
import re
import secrets
import select
import signal
import subprocess
import threading
import time

from . import launcher_text

try:
    import ctypes
except ImportError:  # a Python without libffi
    ctypes = None

BOOT = "/proc/sys/kernel/random/boot_id"
# Run by /bin/sh, without another process: a rank on this machine that sees our process takes our pipes and tells of itself.
BEGIN = """{{ read -r kumihimo_boot <{boot_file}; }} 2>/dev/null
if [ "$kumihimo_boot" = {boot} ] && [ -p /proc/{process}/fd/{errors} ]; then
  echo "${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-$PMI_RANK}}}} $$" >/proc/{process}/fd/{started}
  exec "$@" 2>/proc/{process}/fd/{errors}
fi
echo {token} >&2
exec "$@\""""
# After such a line the job is about to end.
ENDS = re.compile(rb"^(kumihimo: error: |Abort\(-?\d+\) on node |MPI_ABORT was invoked on rank )", re.M)
LONGEST_BEGINNING = 80  # of such a line: what may be split between two reads
PATIENCE = 25  # seconds that a launcher has for that; what it started takes 10 at most by itself
LAST_WORDS = 5  # seconds after SIGTERM
HANDED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
PR_SET_PDEATHSIG = 1


class Supervision:
    """One job. `streams`: file descriptors (1, 2) on which the launcher of this family writes messages of its own. `insists`: a
    launcher that waits for a machine which is gone, when the program has given up, is ended."""

    def __init__(self, streams, insists=False):
        self._insists = insists
        self._ends_since = None  # the time when the job began to end
        self.given_up = False
        self.token = "kumihimo-elsewhere-" + secrets.token_hex(16)
        self.errors = os.pipe()  # of the program
        self.launcher = {stream: os.pipe() for stream in streams}
        self.started = os.pipe()
        self.texts = {1: launcher_text.SharedText(), 2: launcher_text.LauncherText(self.token)}
        self.failure = None  # of writing
        self.last = b"\n"  # byte on standard error

    def words(self):
        """What stands before the program on the launcher's command line."""
        with open(BOOT, encoding="ascii") as file:
            boot = file.read().strip()
        script = BEGIN.format(
            boot_file=BOOT,
            boot=boot,
            process=os.getpid(),
            errors=self.errors[1],
            started=self.started[1],
            token=self.token,
        )
        return ["/bin/sh", "-c", script, "xmprun"]

    def run(self, command, settings):
        """(exit code, the signal that was handed on or None). A launcher that a signal ended has minus its number."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *HANDED_ON})
        process = subprocess.Popen(
            command,
            env={**os.environ, **settings},
            stdout=self.launcher[1][1] if 1 in self.launcher else None,
            stderr=self.launcher[2][1],
            preexec_fn=lambda: _begin(before),
        )
        for _, writing in self.launcher.values():
            os.close(writing)
        ended, end = os.pipe()
        streams = [(2, self.errors), *self.launcher.items()]
        threads = [threading.Thread(target=self._pass, args=(reading, stream, ended)) for stream, (reading, _) in streams]
        for thread in threads:
            thread.start()
        handed_on = self._wait(process)
        os.write(end, b"x")
        for thread in threads:
            thread.join()
        return process.returncode, handed_on

    def ranks(self):
        """{process id: rank} of those that began here."""
        os.set_blocking(self.started[0], False)
        try:
            lines = os.read(self.started[0], 1 << 20).decode().splitlines()
        except BlockingIOError:
            lines = []
        pairs = [line.split() for line in lines]
        return {int(pair[1]): int(pair[0]) for pair in pairs if len(pair) == 2 and pair[0].isdigit()}

    def kept(self):
        return "".join(text.kept for text in self.texts.values())

    def _pass(self, reading, stream, ended):
        """Until the launcher has ended and nothing is left."""
        judge = self._judge if reading == self.launcher.get(stream, (None,))[0] else lambda _, data: data
        os.set_blocking(reading, False)
        before = b"\n"
        waiting = select.poll()
        waiting.register(reading, select.POLLIN)
        waiting.register(ended, select.POLLIN)
        while True:
            ready = dict(waiting.poll())
            try:
                data = os.read(reading, 1 << 16) if reading in ready else None
            except BlockingIOError:
                data = None
            if data == b"" or data is None and ended in ready:
                break
            if data and stream == 2 and self._insists:
                before = self._look_for_an_end(before + data)
            if data and not self._write(stream, judge(stream, data)):
                break
        if judge == self._judge:
            self._write(stream, self.texts[stream].end().encode("utf-8", "surrogateescape"))
        os.close(reading)  # a program that writes on learns that nobody reads

    def _look_for_an_end(self, data):
        if self._ends_since is None and ENDS.search(data):
            self._ends_since = time.monotonic()
        return data[-LONGEST_BEGINNING:]

    def _wait(self, process):
        """Until it has ended; the last signal that it was handed."""
        handed_on = None
        while process.poll() is None:
            told = signal.sigtimedwait({signal.SIGCHLD, *HANDED_ON}, 1 if self._insists else 1 << 20)
            if told is None:
                self._insist(process)
            elif told.si_signo != signal.SIGCHLD and told.si_pid != 0:
                handed_on = told.si_signo
                process.send_signal(handed_on)
        return handed_on

    def _insist(self, process):
        late = 0 if self._ends_since is None else time.monotonic() - self._ends_since - PATIENCE
        if late > 0:
            self.given_up = True
            process.send_signal(signal.SIGKILL if late > LAST_WORDS else signal.SIGTERM)

    def _judge(self, stream, data):
        text = data.decode("utf-8", "surrogateescape")
        shown = self.texts[stream].feed(text)
        return shown.encode("utf-8", "surrogateescape")

    def _write(self, stream, data):
        if stream == 2:
            self.last = data[-1:] or self.last
        while data:
            try:
                data = data[os.write(stream, data) :]
            except BlockingIOError:  # who gave us the stream made it so
                select.select([], [stream], [])
            except OSError as error:
                self.failure = error
                return False
        return True


def _begin(mask):
    """In the child: no launcher outlives us, whatever ends us."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if ctypes is not None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def make(streams, insists=False):
    """None where the system has not what it takes: then the launcher says what it says."""
    if os.path.exists(BOOT) and os.path.exists("/bin/sh") and os.path.exists("/proc/self/fd"):
        return Supervision(streams, insists)
    return None
