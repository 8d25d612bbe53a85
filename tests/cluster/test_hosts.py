"""The hosts themselves: do they differ where machines do, and does nothing of them stay?"""

import pathlib
import subprocess
import time

FACTS = "hostname; cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/{net,ipc,pid,uts}; env | sort"


def told(hosts, host):
    done = hosts.run("bash", "-c", FACTS, host=host, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_hosts_differ_as_machines_do(hosts):
    made = hosts([1, 1])
    first, second, login = (told(made, host) for host in ("host1", "host2", "login"))
    assert [first[0], second[0], login[0]] == ["host1", "host2", "login"]
    for fact in range(1, 6):
        assert len({first[fact], second[fact], login[fact]}) == 3
    made.run("sh", "-c", "echo mine >/dev/shm/mine", host="host1")
    assert made.run("test", "-e", "/dev/shm/mine", host="host1").returncode == 0
    assert made.run("test", "-e", "/dev/shm/mine", host="host2").returncode != 0


def test_another_host_is_reached_by_its_name_and_gets_little_of_the_environment(hosts):
    made = hosts([1, 1])
    script = f"{made.place}/agent -x host2 'echo $HOSTNAME; hostname; echo $SECRET'"
    done = made.run("sh", "-c", script, settings={"SECRET": "secret"}, capture_output=True, text=True)
    assert done.stdout.split() == ["host2"]


def test_a_link_has_its_rate(hosts):
    made = hosts([1, 1], "100mbit")
    listening = """
import socket
server = socket.create_server(("", 7))
print(flush=True)
connection = server.accept()[0]
while connection.recv(1 << 16):
    pass
"""
    sending = "import socket; s = socket.create_connection(('host1', 7)); s.sendall(bytes(4 << 20)); s.shutdown(1); s.recv(1)"
    with subprocess.Popen(made.words("python3", "-c", listening, host="host1"), stdout=subprocess.PIPE) as listener:
        listener.stdout.readline()
        start = time.monotonic()
        assert made.run("python3", "-c", sending, host="host2").returncode == 0
        listener.wait()
    assert time.monotonic() - start > 0.9 * 8 * (4 << 20) / 100e6


def test_nothing_stays(hosts):
    made = hosts([1])
    left = subprocess.Popen(made.words("sleep", "1000", host="host1"))
    made.down()
    assert left.wait(timeout=20) != 0
    assert not pathlib.Path(made.place).exists()
