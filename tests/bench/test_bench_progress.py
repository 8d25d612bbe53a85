"""Progress: with the time that is left on a terminal, nothing but failures in a log."""

import io
import re
import sys

import pytest
from kumihimo.bench.suite import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def walk(bar):
    with bar:
        for number in (1, 2):
            bar.launch(number, "plain")
            bar.cells(5)
            bar.done()
        bar.failed("launch 2 of plain ended")


def test_a_log_gets_failures_only():
    log = io.StringIO()
    walk(progress.make(20, 10, 2, log))
    assert log.getvalue() == "kumihimo bench: launch 2 of plain ended\n"


def test_without_rich_a_line_tells_the_rest(monkeypatch):
    moments = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(moments))
    terminal = Terminal()
    walk(progress.Line(20, 10, 2, terminal))
    shown = [line for line in terminal.getvalue().split("\r\033[K") if line]
    assert shown[0] == "plain, launch 1 of 2: 0 %"
    assert shown[1] == "plain, launch 1 of 2: 25 %, about 6 s left"  # 5 of 20 cells took 2 s
    assert len(shown) == len(set(shown)) and shown[-1] == "kumihimo bench: launch 2 of plain ended\n"


def test_the_line_is_never_longer_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    terminal = Terminal()
    line = progress.Line(20, 10, 2, terminal)
    line.launch(1, "a variant with a long name")
    assert terminal.getvalue() == "\r\033[Ka variant with a lo"


def test_a_terminal_without_a_cursor_gets_failures_only(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setitem(sys.modules, "rich.console", None)  # as if Rich were not installed
    terminal = Terminal()
    walk(progress.make(20, 10, 2, terminal))
    assert terminal.getvalue() == "kumihimo bench: launch 2 of plain ended\n"


def test_rich_draws_a_bar(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    bar = progress.make(20, 10, 2, Terminal())
    assert isinstance(bar, progress.Bar)
    walk(bar)
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert "plain, launch 2 of 2" in drawn and "left:" in drawn and "launch 2 of plain ended" in drawn
    assert bar.bar.tasks[0].completed == 20
