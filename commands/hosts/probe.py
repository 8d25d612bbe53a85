"""What `kumihimo doctor --hosts` runs on each host. The host's Python is handed the text of this file, so that it needs nothing
of ours there: that Kumihimo is missing, or another one, is what it is to find.

It answers questions, which are lines of JSON on standard input, by such lines on standard output, and ends with its input."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ANSWER = "kumihimo-doctor "  # what stands before ours among lines of others
SECONDS = 10  # for anything that takes milliseconds where it works
LONG = bytes(256 << 10)  # longer than any packet: small ones pass where the links' packet sizes do not fit


class Probe:
    def __init__(self):
        self.name = None
        self.token = None
        self.server = None

    def facts(self, question):
        """Of this host alone; from here on others find it."""
        self.name, self.token = question["name"], question["token"]
        self.server = listening()
        threading.Thread(target=self.serve, daemon=True).start()
        return {
            "host": socket.gethostname(),
            "port": self.server.getsockname()[1],
            "kumihimo": installation(question["kumihimo"]),
            "mpi": {family: output_of([path]) for family, path in question["settings"].items()},
            "memory": memory("/dev/shm", question["token"]),
            "token": leave(question["directory"], question["file"], question["token"]),
        }

    def peers(self, question):
        """Of this host and the others: {name: ...} of connections, and the files that it sees in the directory."""
        with ThreadPoolExecutor(16) as pool:
            reached = dict(zip(question["ports"], pool.map(self.reach, question["ports"].items())))
        return {"reached": reached, "seen": seen(question["directory"], question["files"])}

    def reach(self, peer):
        """{"reason": what failed, or null, "ahead": seconds by which the peer's clock is ahead, "error": of that, at most}"""
        name, port = peer
        done = "it did not accept a connection"
        try:
            with socket.create_connection((name, port), timeout=SECONDS) as connection:
                done, lines = "it accepted a connection and did not answer", connection.makefile("rb")
                start = time.time()
                connection.sendall(f"{self.token}\n".encode())
                other, clock = lines.readline().decode().split()
                end = time.time()
                if other != name:
                    return {"reason": f"the name leads to {other} there"}
                done = "small messages arrive, large ones do not"
                connection.sendall(LONG)
                if len(lines.read(len(LONG))) != len(LONG):
                    return {"reason": done}
                return {"reason": None, "ahead": float(clock) - (start + end) / 2, "error": (end - start) / 2}
        except (OSError, ValueError) as error:
            return {"reason": f"{done}: {getattr(error, 'strerror', None) or error}"}

    def serve(self):
        while True:
            connection, _ = self.server.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        try:
            with connection, connection.makefile("rb") as lines:
                connection.settimeout(SECONDS)
                if lines.readline().decode().strip() == self.token:
                    connection.sendall(f"{self.name} {time.time()!r}\n".encode())
                    connection.sendall(lines.read(len(LONG)))
        except (OSError, ValueError):
            pass  # the other one tells of it


def listening():
    try:
        return socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    except (OSError, ValueError):  # no IPv6
        return socket.create_server(("", 0))


def output_of(command):
    """{"output": ...} or {"failure": ...}"""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=3 * SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"failure": f"{command[0]} did not end"}
    except OSError as error:
        return {"failure": f"{command[0]}: {error.strerror}"}
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        return {"failure": said.splitlines()[-1]}
    return {"output": done.stdout.decode(errors="replace")}


def installation(command):
    """What the command `kumihimo` tells of itself."""
    return output_of([command, "info", "--json"])


def memory(directory, token):
    """{"free": bytes} or {"failure": why nothing can be made there}"""
    file = os.path.join(directory, f"kumihimo-doctor-{token}")
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.unlink(file)
        space = os.statvfs(directory)
    except OSError as error:
        return {"failure": error.strerror}
    return {"free": space.f_bavail * space.f_frsize}


def leave(directory, name, token):
    """Makes a file that others are to see. {"output": what the doctor left there} or {"failure": ...}"""
    try:
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(token)
        with open(os.path.join(directory, "token"), encoding="ascii") as file:
            return {"output": file.read()}
    except OSError as error:
        return {"failure": error.strerror}


def seen(directory, names):
    """{name: what is in the file, or null}. A file system of a network may show files of others some seconds later."""
    contents = dict.fromkeys(names)
    end = time.monotonic() + SECONDS
    while True:
        for name in names:
            try:
                with open(os.path.join(directory, name), encoding="ascii") as file:
                    contents[name] = file.read()
            except OSError:
                pass
        if None not in contents.values() or time.monotonic() > end:
            return contents
        time.sleep(0.1)


def main():
    probe = Probe()
    for line in sys.stdin:
        question = json.loads(line)
        answer = getattr(probe, question["ask"])(question)
        print(ANSWER + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
