"""What mpiexec itself says after a program failed: known forms are kept back, and tell what ended.

It is asked only about what no rank has written (supervision.py keeps these apart), so forms may be wide: a program that prints
the same loses nothing. All other lines, as warnings of the MPI library, go on at once. Where ranks write, too, only a whole
banner is known."""

import re
import signal

MOST_LINES = 60  # of a framed message; longer ones are none of those that we know
FRAME = re.compile(r"-{60,}")
# Messages of Open MPI in a frame of dashes.
FRAMED = re.compile(
    r"MPI_ABORT was invoked on rank|exited on signal \d|exited with non-zero status|a non-zero exit code\. Per user-direction|"
    r"without calling \"finalize\"|prterun noticed|prterun detected"
)
# Lines of both families.
LINES = re.compile(
    r"\[[^]]+:\d+\] (\[[^ ]*\] )?(ORTE_ERROR_LOG|PMIX[ _]ERROR|PRTE[ _]ERROR)|"
    r"\[[^]]+:\d+\] (\d+ more process(es)? (has|have) sent help message|Set MCA parameter \"\w+\" to 0 to see all help)|"
    r"={60,}|= +(BAD TERMINATION|PID \d|EXIT CODE|CLEANING UP|YOU CAN IGNORE)|YOUR APPLICATION TERMINATED WITH THE EXIT|"
    r"This typically refers to a problem with your application|Please see the FAQ page for debugging"
)
# MPICH's launcher prints this line, then the next, where ranks write, too.
BANNER_RULE = "=" * 83
BANNER_TITLE = "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"
# (what it says, the ending)
ABORTED = re.compile(r"MPI_ABORT was invoked on rank (?P<rank>\d+).*?errorcode (?P<code>-?\d+)", re.S)
KILLED = re.compile(r"process rank (?P<rank>\d+) .*?exited on signal (?P<signal>\d+)", re.S)
EXITED = re.compile(r"Process name: \[\[?\w+,\w+\],(?P<rank>\d+)\].*?Exit code: +(?P<code>\d+)", re.S)
UNFINISHED = re.compile(r"due to process rank (?P<rank>\d+) .*?exiting improperly", re.S)
BANNER = re.compile(r"PID (?P<process>\d+) RUNNING AT.*?EXIT CODE: +(?P<code>\d+).*?\(signal (?P<mixed>\d+)\)", re.S)


class LauncherText:
    """One stream of the launcher. `kept` is what was kept back. After a line with the token ranks write there, too, so all of
    it is shown but the token."""

    def __init__(self, token):
        self.kept = ""
        self._token = token + "\n"
        self._ranks_write = False
        self._line = ""
        self._frame = []

    def feed(self, text):
        """What is to be shown now."""
        text, self._line = self._line + text, ""
        if self._token in text:
            self._ranks_write = True
            text = self.end() + text
        if self._ranks_write:
            return self._without_token(text)
        *lines, self._line = text.split("\n")
        return "".join(self._judge(line + "\n") for line in lines)

    def end(self):
        rest = "".join(self._frame) + self._line
        self._frame, self._line = [], ""
        return rest

    def _without_token(self, text):
        """What may be the beginning of a token waits for the rest of it."""
        text = text.replace(self._token, "")
        begun = next((n for n in range(len(self._token) - 1, 0, -1) if text.endswith(self._token[:n])), 0)
        self._line = text[len(text) - begun :]
        return text[: len(text) - begun]

    def _judge(self, line):
        bare = line.rstrip("\n")
        if self._frame or FRAME.fullmatch(bare):
            return self._framed(line, bare)
        if LINES.match(bare) or not bare:
            self.kept += line
            return ""
        return line

    def _framed(self, line, bare):
        self._frame.append(line)
        closed = len(self._frame) > 1 and FRAME.fullmatch(bare)
        if not closed and len(self._frame) <= MOST_LINES:
            return ""
        text, self._frame = "".join(self._frame), []
        if closed and FRAMED.search(text):
            self.kept += text
            return ""
        return text


class SharedText:
    """A stream of the launcher on which ranks write, too: all goes on at once, but a banner is kept back. A line that may begin
    one waits for the next."""

    def __init__(self):
        self.kept = ""
        self._line = ""  # the beginning of a line, of which `_passed` characters went on
        self._passed = 0
        self._rule = ""
        self._in_banner = False

    def feed(self, text):
        *lines, rest = (self._line + text).split("\n")
        shown = ""
        for line in lines:
            shown += self._judge(line + "\n")
            self._passed = 0
        self._line = rest
        return shown + self._begin()

    def end(self):
        rest = self._rule + self._line[self._passed :]
        self._rule = self._line = ""
        return rest

    def _begin(self):
        """What there is of a line, unless it may be one of the launcher's."""
        if self._in_banner or self._rule or not self._passed and BANNER_RULE.startswith(self._line):
            return ""
        shown, self._passed = self._line[self._passed :], len(self._line)
        return shown

    def _judge(self, line):
        bare = line.rstrip("\n")
        rule, self._rule = self._rule, ""
        if rule and bare == BANNER_TITLE:
            self._in_banner = True
            self.kept += rule + line
            return ""
        if self._in_banner and (LINES.match(bare) or not bare):
            self.kept += line
            return ""
        if bare == BANNER_RULE and not self._passed:
            self._rule = line
            return rule
        return rule + line[self._passed :]


def ending(kept, ranks):
    """{rank, signal, code, how} as far as the launcher told them. ranks: {process id: rank}."""
    forms = {"aborted": ABORTED, "killed": KILLED, "exited": EXITED, "unfinished": UNFINISHED, "banner": BANNER}
    for how, form in forms.items():
        found = form.search(kept)
        if found:
            told = {name: int(number) for name, number in found.groupdict().items()}
            if "process" in told:
                told["rank"] = ranks.get(told.pop("process"))
            return {**told, "how": how, **_unmixed(told)}
    return {}


def _unmixed(told):
    """The signal behind a banner of MPICH. Its EXIT CODE is of the process that it names, which may be one that MPICH killed
    itself after another failed. Its signal is the bitwise or of those of all processes."""
    code, mixed = told.get("code"), told.get("mixed")
    if mixed is not None and (code == signal.SIGKILL or mixed in {code, code | signal.SIGKILL} - {signal.SIGKILL}):
        return {"signal": code}
    return {}


def statement(told, code):
    """One line: what ended. code: of the launcher, which is all that is known where it told nothing."""
    who = "a rank" if told.get("rank") is None else f"rank {told['rank']}"
    number = told.get("signal", code - 128 if not told and 128 < code < 128 + signal.NSIG else None)
    if number is not None:
        line = f"{who} was ended by signal {number} ({signal.strsignal(number) or 'unknown'})"
        return f"{line}, perhaps after another failed" if number == signal.SIGKILL and "mixed" in told else line
    if "mixed" in told:
        return f"{who} ended with exit code or signal {told['code']}"
    if told.get("how") == "aborted":
        return f"{who} ended the job by MPI_Abort with exit code {told['code']}"
    if told.get("how") == "unfinished":
        return f"{who} ended without MPI_Finalize"
    return f"{who if told else 'the program'} ended with exit code {told.get('code', code)}"
