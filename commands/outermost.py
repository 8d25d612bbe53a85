"""What is around every command: output that nobody takes any more, names that are no UTF-8, and errors that nobody foresaw end
it with one message and an exit code, never with a traceback."""

import errno
import os
import sys

_INTERNAL_ERROR = 70  # EX_SOFTWARE
_NOBODY_READS = 141  # as a shell tells it of a process that SIGPIPE ended
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def call(name, main, *arguments):
    """The exit code of the command `name`."""
    _open_streams()
    code = _ending(name, main, *arguments)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is not written yet would fail once more
    return code


def _ending(name, main, *arguments):
    try:
        try:
            code = main(*arguments)
        except SystemExit as ended:  # of argparse
            code = ended.code or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _NOBODY_READS
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        what = f"{error.filename}: " if error.filename else "write error: " if error.errno in _NO_ROOM else ""
        return _told(f"{name}: {what}{error.strerror or error}", 1)
    except Exception as error:
        return _told(f"{name}: internal error ({_cause(error)}); please report it with the command line", _INTERNAL_ERROR)


def _told(message, code):
    try:
        print(message, file=sys.stderr)
    except OSError:
        pass  # nobody can be told
    return code


def _open_streams():
    """Closed ones lead nowhere. File names are bytes, and go out as they came in."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8"))
    if sys.stdout.encoding.lower().replace("-", "") == "utf8":
        sys.stdout.reconfigure(errors="surrogateescape")
    else:
        sys.stdout.reconfigure(errors="backslashreplace")


def _cause(error):
    frame = error.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    words = " ".join(str(error).split())[:200]
    file = os.path.basename(frame.tb_frame.f_code.co_filename)
    return f"{type(error).__name__} in {file}:{frame.tb_lineno}: {words}"
