"""`kumihimo files`, `doctor --host` and `iod install` with another machine: once behind a real sshd, else behind what takes
ssh's words. Contents are compared with what was made here."""

import contextlib
import fcntl
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from command_support import run, succeed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpiio"))
from sshd import HOST, sshd, without_encryption  # noqa: E402, F401

MEBI = 1 << 20


@pytest.fixture
def far(build, tmp_path):
    return Far(without_encryption(tmp_path), build, tmp_path)


@pytest.fixture
def bare(far):
    """Its directory has a file system without attributes (xattr(7)), which also does not know when files were made."""
    mount = ["mount", "-t", "ramfs", "ramfs", str(far.there)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a file system needs privileges that this process lacks")
    (far.there / "probe").touch()
    with pytest.raises(OSError):
        os.setxattr(far.there / "probe", "user.kumihimo", b"")
    (far.there / "probe").unlink()
    yield far
    subprocess.run(["umount", str(far.there)], check=True)


class Far:
    """Commands with a home directory of their own. `there`: a directory, and its name as one of the other machine."""

    def __init__(self, ssh, build, place):
        self.command = build / "bin" / "kumihimo"
        self.there = place / "there"
        self.there.mkdir()
        self.name = f"stampi://{HOST}{self.there}"
        self.configuration = place / "config"
        self.environment = {
            "KUMIHIMO_STAMPI_SSH": ssh,
            "KUMIHIMO_STAMPI_IOD": str(build / "lib" / "kumihimo-iod"),
            "XDG_CONFIG_HOME": str(self.configuration),
        }

    def run(self, *words, **environment):
        return run(self.command, *words, env={**self.environment, **environment})

    def succeed(self, *words, **environment):
        return succeed(self.command, *words, env={**self.environment, **environment})

    def fails(self, *words, **environment):
        """What is said: one line."""
        done = self.run(*words, **environment)
        assert done.code == 2 and len(done.err.splitlines()) == 1, done
        return done.err

    def hosts(self, text):
        (self.configuration / "kumihimo").mkdir(parents=True, exist_ok=True)
        (self.configuration / "kumihimo" / "hosts.toml").write_text(text)


def noise(count):
    return os.urandom(count)


def test_through_ssh(sshd, build, tmp_path):  # noqa: F811
    far = Far(sshd.ssh, build, tmp_path)
    content = noise(3 * MEBI + 17)
    (tmp_path / "one").write_bytes(content)
    far.succeed("files", "cp", tmp_path / "one", f"{far.name}/one")
    assert (far.there / "one").read_bytes() == content
    unknown = far.run("doctor", "--json", "--host", "no-such-host.invalid")
    assert unknown.code == 1 and statuses(unknown)["ssh"] == "failed"


def test_a_file_goes_there_and_back(far, tmp_path):
    content = noise(3 * MEBI + 17)
    (tmp_path / "one").write_bytes(content)
    (tmp_path / "one").chmod(0o640)
    (far.there / "one").write_text("what was there before")
    told = json.loads(far.succeed("files", "cp", "--json", tmp_path / "one", f"{far.name}/one").out)
    assert (far.there / "one").read_bytes() == content
    assert told[0]["bytes"] == len(content) and told[0]["resumed_at"] == 0
    assert sorted(os.listdir(far.there)) == ["one"], "the part has got its name"
    far.succeed("files", "cp", f"{far.name}/one", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == content
    assert far.succeed("files", "verify", f"{far.name}/one", tmp_path / "back").out.startswith("the same")
    (tmp_path / "back").write_bytes(content[:-1] + b"x")
    differs = far.run("files", "verify", f"{far.name}/one", tmp_path / "back")
    assert differs.code == 1 and "differ" in differs.out
    (tmp_path / "empty").touch()
    far.succeed("files", "cp", tmp_path / "empty", tmp_path / "one", far.name)
    assert (far.there / "empty").read_bytes() == b"" and (far.there / "one").read_bytes() == content


@pytest.mark.parametrize("length", [239, 240, 255])
def test_the_longest_names(far, tmp_path, length):
    """A part's name is longer than the file's; of two names that begin alike each has its own."""
    names = ["é" * (length // 2 - 1) + "x" * (length % 2) + end for end in ("ab", "cd")]
    for name in names:
        (tmp_path / name).write_text(name)
    far.succeed("files", "cp", *(tmp_path / name for name in names), far.name)
    assert {name: (far.there / name).read_text() for name in os.listdir(far.there)} == {name: name for name in names}


def test_a_terminal_sees_how_far_a_copy_is(far, tmp_path):
    (tmp_path / "one").write_bytes(noise(MEBI))
    ours, theirs = os.openpty()
    words = [far.command, "files", "cp", tmp_path / "one", far.name]
    process = subprocess.Popen(words, stderr=theirs, env={**os.environ, **far.environment, "TERM": "xterm", "COLUMNS": "200"})
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # EIO: nobody has the other end any more
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    assert process.wait(60) == 0 and os.fsencode(tmp_path / "one") in shown, shown


@pytest.mark.parametrize("kept", ["beginning", "other", "longer"])
def test_a_copy_goes_on_where_it_stopped(far, tmp_path, kept):
    content = noise(2 * MEBI + 5)
    (tmp_path / "one").write_bytes(content)
    left = {"beginning": content[: MEBI + 3], "other": noise(MEBI), "longer": content + b"more"}[kept]
    (far.there / ".one.kumihimo-part").write_bytes(left)
    told = json.loads(far.succeed("files", "cp", "--json", tmp_path / "one", f"{far.name}/one").out)
    assert told[0]["resumed_at"] == (len(left) if kept == "beginning" else 0)
    assert (far.there / "one").read_bytes() == content


@pytest.mark.parametrize("sources", ["same", "different"])
@pytest.mark.parametrize("way", ["there", "back", "among others", "here", "there, bare"])
def test_copies_to_one_name_at_once(request, tmp_path, way, sources):
    """Who comes second is refused, or takes his turn; nobody disturbs another one."""
    way, _, kind = way.partition(", ")
    far = request.getfixturevalue(kind or "far")
    source, source_name = (far.there, far.name) if way in ("back", "among others") else (tmp_path, str(tmp_path))
    target = (far.there if way in ("there", "among others") else tmp_path) / "to"
    target.mkdir(exist_ok=True)
    target_name = f"{far.name}/to" if way in ("there", "among others") else str(target)
    contents = [noise((5 + number) * MEBI + number) for number in range(1 if sources == "same" else 4)]
    for number, content in enumerate(contents):
        (source / f"from-{number}").write_bytes(content)
    words = [(f"{source_name}/from-{number % len(contents)}", f"{target_name}/one") for number in range(4)]
    with ThreadPoolExecutor(len(words)) as pool:
        done = list(pool.map(lambda both: far.run("files", "cp", *both), words))
    refused = [one for one in done if one.code != 0]
    assert len(refused) < len(words), refused
    assert all(one.code == 2 and "another command is writing it" in one.err for one in refused), refused
    copied = [contents[number % len(contents)] for number, one in enumerate(done) if one.code == 0]
    assert (target / "one").read_bytes() in copied
    assert os.listdir(target) == ["one"]


@pytest.mark.parametrize("there", [False, True])
def test_a_part_is_one_command_s(far, tmp_path, there):
    """It is not touched as long as another one has it, and then goes on."""
    content = noise(MEBI)
    (tmp_path / "one").write_bytes(content)
    part = far.there / ".one.kumihimo-part"
    part.write_bytes(content[:1000])
    name = f"{far.name if there else far.there}/one"
    with open(part, "r+b") as other:
        fcntl.lockf(other, fcntl.LOCK_EX)
        said = far.fails("files", "cp", tmp_path / "one", name)
        assert str(part) in said and "another command is writing it" in said and "Wait" in said, said
        assert part.read_bytes() == content[:1000] and os.listdir(far.there) == [part.name]
    told = json.loads(far.succeed("files", "cp", "--json", tmp_path / "one", name).out)
    assert told[0]["resumed_at"] == 1000 and (far.there / "one").read_bytes() == content
    assert os.listdir(far.there) == ["one"]


def test_a_file_system_without_locks(far, build, tmp_path):
    """There nobody sees who writes a part, and copies are made all the same."""
    content = noise(MEBI)
    (tmp_path / "one").write_bytes(content)
    part = far.there / ".one.kumihimo-part"
    faults = "path=*.kumihimo-part,call=lock,k=1,times=0,error=ENOLCK"
    faulty = f"env LD_PRELOAD={build}/lib/libkumihimo_faults.so KUMIHIMO_FAULTS={faults} {build}/lib/kumihimo-iod --stdio"
    part.touch()
    with open(part, "r+b") as other:
        fcntl.lockf(other, fcntl.LOCK_EX)  # would be seen
        far.succeed("files", "cp", tmp_path / "one", f"{far.name}/one", KUMIHIMO_STAMPI_COMMAND=faulty)
    assert (far.there / "one").read_bytes() == content and os.listdir(far.there) == ["one"]


# Passes on what comes; after so many bytes only when the file is there.
HELD = """import os, pathlib, select, sys, time
left = 3 << 20
while select.select([0], [], []) and (some := os.read(0, min(left, 4096))):
    while some and select.select([], [1], []):
        some = some[os.write(1, some):]
    left -= 4096
    if left <= 0:
        left = 1 << 40
        end = time.monotonic() + 100
        while not pathlib.Path(sys.argv[1]).exists() and time.monotonic() < end:
            time.sleep(0.01)
"""


class HeldCopy:
    """One that stands still in its midst until it may go on. It is there when its part has bytes."""

    def __init__(self, far, build, place, source, target, back):
        self.go, held = place / f"go-{source.name}", place / "held.py"
        held.write_text(HELD)
        service, passes = f"'{build}/lib/kumihimo-iod' --stdio", f"{sys.executable} '{held}' '{self.go}'"
        command = place / f"command-{source.name}"
        command.write_text(f"#!/bin/sh\n{service} | {passes}\n" if back else f"#!/bin/sh\n{passes} | {service}\n")
        command.chmod(0o755)
        names = [f"{far.name}/{source.name}", target] if back else [source, f"{far.name}/{target.name}"]
        settings = {**os.environ, **far.environment, "KUMIHIMO_STAMPI_COMMAND": str(command)}
        words = [far.command, "files", "cp", *names]
        self.process = subprocess.Popen(words, env=settings, stderr=subprocess.PIPE, text=True)
        self.part = target.with_name(f".{target.name}.kumihimo-part")
        end = time.monotonic() + 60
        while not (self.part.exists() and self.part.stat().st_size > 0):
            assert self.process.poll() is None and time.monotonic() < end, "it should wait"
            time.sleep(0.01)

    def end(self):
        self.go.touch()
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("then", ["nothing", "another"])
def test_a_part_that_somebody_removes(far, build, tmp_path, way, then):
    """While it is written. What another command has in its place by then is not whole, and does not get the name."""
    back = way == "back"
    sources, targets = (far.there, tmp_path / "to") if back else (tmp_path, far.there)
    targets.mkdir(exist_ok=True)
    contents = [noise(8 * MEBI), noise(9 * MEBI)]
    for number, content in enumerate(contents):
        (sources / f"from-{number}").write_bytes(content)
    first = HeldCopy(far, build, tmp_path, sources / "from-0", targets / "one", back)
    first.part.unlink()
    second = HeldCopy(far, build, tmp_path, sources / "from-1", targets / "one", back) if then == "another" else None
    code, said = first.end()
    assert code == 2 and "Somebody removed it while it was written" in said and len(said.splitlines()) == 1, said
    assert os.listdir(targets) == ([second.part.name] if second else []), "nobody finds half a copy"
    if second:
        assert second.end() == (0, "")
        assert (targets / "one").read_bytes() == contents[1] and os.listdir(targets) == ["one"]


FIRST_BYTES = """import os, select
left = 3 << 20
while left and select.select([0], [], []) and (some := os.read(0, min(left, 4096))):
    left -= os.write(1, some)
"""


@pytest.mark.parametrize("kind", ["far", "bare"])
def test_a_copy_goes_on_after_its_connection_broke(request, kind, tmp_path, build):
    far = request.getfixturevalue(kind)
    content = noise(8 * MEBI)
    (tmp_path / "one").write_bytes(content)
    service, broken = f"'{build}/lib/kumihimo-iod' --stdio", tmp_path / "broken"
    command = tmp_path / "command"
    (tmp_path / "head.py").write_text(FIRST_BYTES)
    command.write_text(f"#!/bin/sh\nmkdir '{broken}' || exec {service}\n{sys.executable} '{tmp_path}/head.py' | {service}\n")
    command.chmod(0o755)
    far.succeed("files", "cp", tmp_path / "one", f"{far.name}/one", KUMIHIMO_STAMPI_COMMAND=str(command))
    assert broken.exists() and (far.there / "one").read_bytes() == content
    assert os.listdir(far.there) == ["one"]


@pytest.mark.parametrize("kind, there", [("far", False), ("far", True), ("bare", True)])
def test_a_copy_that_was_killed(request, kind, tmp_path, there):
    """The next one may come at once. Whether the first one was done already does not matter."""
    far = request.getfixturevalue(kind)
    content = noise(64 * MEBI)
    (tmp_path / "one").write_bytes(content)
    name = f"{far.name if there else far.there}/one"
    words = [far.command, "files", "cp", tmp_path / "one", name]
    process = subprocess.Popen(words, env={**os.environ, **far.environment}, start_new_session=True)
    while not os.listdir(far.there) and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    far.succeed("files", "cp", tmp_path / "one", name)
    assert (far.there / "one").read_bytes() == content and os.listdir(far.there) == ["one"]


@pytest.mark.parametrize("count", [0, 5000, MEBI + 12345])
def test_scattered_and_gathered(far, tmp_path, count):
    content = noise(count)
    (tmp_path / "one").write_bytes(content)
    (tmp_path / "meta.toml").write_text(f'stripe = "3k"\nfiles = ["{far.name}/a", "b", "{far.name}/c"]\n')
    far.succeed("files", "scatter", tmp_path / "one", tmp_path / "meta.toml")
    stripes = [content[at : at + 3072] for at in range(0, count, 3072)]
    for number, path in enumerate((far.there / "a", tmp_path / "b", far.there / "c")):
        assert path.read_bytes() == b"".join(stripes[number::3])
    far.succeed("files", "gather", tmp_path / "meta.toml", f"{far.name}/whole")
    assert (far.there / "whole").read_bytes() == content
    assert sorted(os.listdir(far.there)) == ["a", "c", "whole"]
    name = f"stampi+meta:{tmp_path}/meta.toml"
    assert json.loads(far.succeed("files", "stat", "--json", name).out)[0]["bytes"] == count
    assert far.succeed("files", "verify", name, tmp_path / "one").out.startswith(f"the same: {count} bytes")
    far.succeed("files", "cp", name, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content
    far.succeed("files", "rm", "-f", name)
    assert os.listdir(far.there) == ["whole"] and not (tmp_path / "b").exists() and (tmp_path / "meta.toml").exists()


def test_what_a_login_may_carry_is_no_more_by_another_login(far, build, tmp_path):
    limited = tmp_path / "limited"
    limited.write_text(f'#!/bin/sh\nexec {build}/lib/kumihimo-iod "$@" --most-bytes 1M\n')
    limited.chmod(0o755)
    (tmp_path / "one").write_bytes(noise(3 * MEBI))
    said = far.fails("files", "cp", tmp_path / "one", f"{far.name}/one", KUMIHIMO_STAMPI_IOD=str(limited))
    assert "this session has carried as many bytes as it may. Next: the account's key" in said
    assert not (far.there / "one").exists()


def test_metafiles_that_would_lose_stripes(far, tmp_path):
    """One file under two names, and a metafile, which would be overwritten."""
    (tmp_path / "one").write_text("one")
    for files, said in (
        (["a", "./a"], "a file stands there twice"),
        ([f"{far.name}/a", f"{far.name}//a"], "a file stands there twice"),
        ([f"stampi+meta:{tmp_path}/other.toml"], "is a metafile: name its files"),
    ):
        (tmp_path / "meta.toml").write_text(f"files = {json.dumps(files)}\n")
        for words in (("scatter", tmp_path / "one", tmp_path / "meta.toml"), ("stat", f"stampi+meta:{tmp_path}/meta.toml")):
            assert said in far.fails("files", *words)


def test_what_a_part_lacks_is_zero(far, tmp_path):
    (tmp_path / "meta.toml").write_text(f'stripe = "3k"\nfiles = ["{far.name}/a", "b", "{far.name}/c"]\n')
    for path, content in ((far.there / "a", b"a" * 3072), (tmp_path / "b", b"b"), (far.there / "c", b"c")):
        path.write_bytes(content)
    far.succeed("files", "gather", tmp_path / "meta.toml", tmp_path / "whole", MALLOC_PERTURB_="165")  # new memory is no zero
    assert (tmp_path / "whole").read_bytes() == b"a" * 3072 + b"b" + bytes(3071) + b"c"


def test_what_is_there(far):
    (far.there / "directory").mkdir()
    (far.there / "file").write_bytes(b"12345")
    (far.there / "link").symlink_to("/etc/passwd")
    listed = json.loads(far.succeed("files", "ls", "--json", far.name).out)[0]["files"]
    assert [(one["name"], one["kind"]) for one in listed] == [("directory", "directory"), ("file", "file"), ("link", "link")]
    assert "file" in far.succeed("files", "ls", far.name).out
    found = json.loads(far.succeed("files", "stat", "--json", f"{far.name}/file").out)[0]
    assert (found["kind"], found["bytes"]) == ("file", 5) and found["free_bytes"] > 0
    assert "-f removes without asking" in far.fails("files", "rm", f"{far.name}/file")
    assert (far.there / "file").exists()
    far.succeed("files", "rm", "-f", f"{far.name}/file", f"{far.name}/nothing")
    assert not (far.there / "file").exists()


def test_reasons_say_what_to_do(far, tmp_path):
    (tmp_path / "one").write_text("one")
    assert "on the other machine: No such file" in far.fails("files", "cp", f"{far.name}/nothing", tmp_path)
    assert "on this machine: No such file" in far.fails("files", "cp", tmp_path / "nothing", far.name)
    assert "there is no directory" in far.fails("files", "cp", tmp_path / "one", f"{far.name}/missing/one")
    for words in ((tmp_path / "one", f"{HOST}:/some/one"), (f"{HOST}:/some/one", tmp_path)):
        assert f"as stampi://{HOST}/some/one" in far.fails("files", "cp", *words), "as scp writes it"
    assert "kumihimo iod install" in far.fails("files", "ls", far.name, KUMIHIMO_STAMPI_IOD="no-kumihimo-iod")
    assert "is a directory" in far.fails("files", "cp", far.name, tmp_path / "copy")
    far.hosts(f"[hosts.{HOST}]\nroot = '{far.there}'\n")
    assert far.succeed("files", "cp", tmp_path / "one", f"stampi://{HOST}/inside").code == 0
    assert (far.there / "inside").read_text() == "one", "paths begin at the root"
    for name in ("../one", "link"):
        (far.there / "link").unlink(missing_ok=True)
        (far.there / "link").symlink_to(tmp_path / "one")
        said = far.fails("files", "cp", f"stampi://{HOST}/{name}", tmp_path / "copy")
        assert "it leads out of the root. Next: names are relative to the root" in said
    for port in ("22x", "0", "65536", "99999999999999999999"):
        assert "the port is no number from 1 to 65535" in far.fails("files", "ls", f"stampi://{HOST}:{port}/")
    for text, said in (
        (f"[hosts.{HOST}]\n[+x]\n", "hosts.toml:2: the head of a table must begin with a key"),
        (f"[hosts.{HOST}]\nport = 'ssh'\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\ncolour = 1\n", "unknown key 'colour'"),
        (f"[hosts.{HOST}]\nuser = '-oProxyCommand=x'\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\niod = 'a; b'\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\nmpi = 'mpiexec -n 1 $(b)'\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\ngateways = [['one'], 'two']\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\ngateways = ['-oProxyCommand=x']\n", "hosts.toml:2"),
        (f"[hosts.{HOST}]\nrouter = 'kumihimo-iod; x'\n", "hosts.toml:2"),
        ("é = 3\n", "hosts.toml:1"),
        ("[hosts", "hosts.toml:1"),
        ("hosts = 3\n", "hosts.toml:1"),
    ):
        far.hosts(text)
        assert said in far.fails("files", "ls", far.name)


def behind_proxy(words):
    option = "-oProxyCommand="
    return shlex.split(next(word for word in words if word.startswith(option)).removeprefix(option).replace("%%", "%"))


def test_hosts_say_how_they_are_reached(far, build):
    far.hosts("[hosts.centre]\naddress = 'login'\nuser = 'alice'\nport = 2222\ngateways = ['gate', 'bob@inner:22']\n")
    del far.environment["KUMIHIMO_STAMPI_IOD"]

    def ssh(name):
        return json.loads(succeed(build / "lib" / "kumihimo-files", "way", name, env=far.environment).out)["ssh"]

    assert ssh("stampi://centre/x")[-6:] == ["-J", "gate,bob@inner:22", "-p", "2222", "--", "alice@login"]
    assert ssh("stampi://eve@centre:23/x")[-4:] == ["-p", "23", "--", "eve@login"], "the name goes before the file"
    assert ssh("stampi://unknown/x")[-2:] == ["--", "unknown"]
    far.hosts("[hosts.centre]\ngateways = [['one'], ['two', 'inner']]\n")
    assert ssh("stampi://centre/x")[-4:] == ["-J", "one", "--", "centre"], "commands take the first way"
    far.hosts("[hosts.centre]\ngateways = ['gate', 'bob@inner:22']\nrouter = 'lib/kumihimo-iod'\n")
    ends = ["lib/kumihimo-iod", "--router", "%h", "%p"]
    last = behind_proxy(ssh("stampi://centre/x"))  # as ssh and its shell take it apart
    assert last[-8:] == ["-p", "22", "--", "bob@inner", *ends] and behind_proxy(last)[-6:] == ["--", "gate", *ends]


def statuses(done):
    return {check["name"]: check["status"] for check in json.loads(done.out)["checks"]}


def test_doctor_goes_step_by_step(far):
    well = statuses(far.succeed("doctor", "--json", "--host", f"{HOST}{far.there}"))
    assert set(well) == {"name", "ssh", "kumihimo-iod", "root", "disk space", "speed"} and well["speed"] == "ok"
    assert os.listdir(far.there) == []
    none = far.run("doctor", "--json", "--host", HOST, KUMIHIMO_STAMPI_IOD="no-kumihimo-iod")
    assert none.code == 1 and statuses(none) == {"name": "ok", "ssh": "ok", "kumihimo-iod": "failed"}
    assert f"kumihimo iod install {HOST}" in json.loads(none.out)["next"]
    lost = far.run("doctor", "--json", "--host", f"{HOST}{far.there}/lost")
    assert lost.code == 1 and statuses(lost)["directory"] == "failed"
    assert f"kumihimo files stat {far.name}/lost" in json.loads(lost.out)["next"]


def test_doctor_tries_mpi_io_where_it_is_said(far, build):
    families = sorted(path.parent.name for path in (build / "lib").glob("*/kumihimo-iod-mpi"))
    far.hosts(f"[hosts.{HOST}]\nmpi = '{build}/lib/{families[0]}/kumihimo-iod-mpi'\n")
    assert statuses(far.succeed("doctor", "--json", "--host", f"{HOST}{far.there}"))["MPI-IO"] == "ok"
    far.hosts(f"[hosts.{HOST}]\nmpi = 'no-kumihimo-iod-mpi -n 1'\n")
    assert statuses(far.run("doctor", "--json", "--host", f"{HOST}{far.there}"))["MPI-IO"] == "failed"


def test_install_brings_the_program(far, build, tmp_path):
    if not (build / "lib" / "kumihimo-iod-alone").exists():
        pytest.skip("this build has no kumihimo-iod-alone")
    target = far.there / "bin" / "kumihimo-iod"
    assert "--yes" in far.fails("iod", "install", HOST, "--to", target)
    assert not target.exists()
    done = far.succeed("iod", "install", "--yes", HOST, "--to", target)
    assert target.read_bytes() == (build / "lib" / "kumihimo-iod-alone").read_bytes() and os.access(target, os.X_OK)
    assert "hosts.toml" in done.out
    del far.environment["KUMIHIMO_STAMPI_IOD"]
    far.succeed("files", "ls", far.name)
    libraries = run("ldd", target)
    assert "not a dynamic executable" in libraries.out + libraries.err or "statically linked" in libraries.out
