"""Numbers and texts of files for people."""

import stat
import time

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
MARKS = {"file": stat.S_IFREG, "directory": stat.S_IFDIR, "link": stat.S_IFLNK, "other": stat.S_IFIFO}


def size(count):
    """1.5 GiB"""
    number, unit = float(count), 0
    while number >= 1024 and unit + 1 < len(UNITS):
        number, unit = number / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{number:.1f} {UNITS[unit]}"


def rate(count, seconds):
    """MB/s, as networks and disks are sold."""
    return (
        f"{count / max(seconds, 1e-9) / 1e6:.0f} MB/s"
        if count / max(seconds, 1e-9) >= 1e7
        else (f"{count / max(seconds, 1e-9) / 1e6:.1f} MB/s")
    )


def moment(seconds):
    """Whatever another machine says that it is."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "no known time"


def printable(text):
    """What another machine says must not command the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def mode(facts):
    """-rw-r--r--"""
    return stat.filemode(MARKS[facts["kind"]] | facts["permissions"])
