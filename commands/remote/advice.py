"""What to do next, for what may go wrong on the way to another machine."""

# What the message has, and what to do; the first that fits counts.
TABLE = (
    ("Host key verification failed", "log in once by hand and compare the key: ssh {login}"),
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "ask the centre whether its key has changed, before anything else"),
    (
        "Permission denied (",
        "ssh would ask for a password: use a key (ssh-copy-id {login}), and an agent",
    ),
    ("Could not resolve hostname", "check the name, or give its address in hosts.toml or ~/.ssh/config"),
    ("Connection refused", "no sshd answers there: check host and port, or ask whether logins go through a gateway"),
    ("Connection timed out", "a firewall may be between: name the gateways in hosts.toml, or ProxyJump in ~/.ssh/config"),
    ("No route to host", "the machine is down, or not reached from here: name the gateways in hosts.toml"),
    ("kumihimo-iod: not found", "kumihimo iod install {machine}, or say in hosts.toml where it is"),
    ("kumihimo-iod: command not found", "kumihimo iod install {machine}, or say in hosts.toml where it is"),
    ("kumihimo-iod: No such file", "kumihimo iod install {machine}, or say in hosts.toml where it is"),
    (
        "no frame of this protocol",
        "the account prints something at login: make ~/.bashrc there quiet without a terminal",
    ),
    (
        "kex_exchange_identification",
        "more log in at once than sshd on {login} takes: wait, or raise MaxStartups in its sshd_config; "
        "or a gateway forwards nothing: name its kumihimo-iod in hosts.toml (router)",
    ),
    ("did not greet in time", "the machine is slow or silent: try ssh {login} true, or raise KUMIHIMO_STAMPI_PATIENCE"),
    ("is older: it speaks version", "install this version there: kumihimo iod install {machine}"),
    ("no common version of the protocol", "install this version there: kumihimo iod install {machine}"),
    ("Read-only file system", "the account or its key may only read there: see authorized_keys, or take another directory"),
    ("leads out of the root", "names are relative to the root of the service: kumihimo doctor --host {machine} tells it"),
    ("as many bytes as it may", "the account's key may carry no more in one login: see --most-bytes in authorized_keys"),
    (
        "File too large",
        "the account or its key may make no longer files there: see --largest-file in authorized_keys, and ulimit -f",
    ),
    ("Permission denied", "see whose it is; on another machine also what the key may do: --allow in authorized_keys there"),
    ("is lost", "do the same again: a copy goes on where it stopped"),
    ("No space left", "free some space there, then do the same again: a copy goes on where it stopped"),
)


def for_message(text, machine):
    """None where nothing is known. machine: as [user@]host[:port]."""
    login, _, port = machine.partition(":") if machine.count(":") == 1 else (machine, "", "")
    login = f"-p {port} {login}" if port else login
    for part, advice in TABLE:
        if part in text:
            return advice.format(machine=machine, login=login)
    return None
