"""How far a copy is: on a terminal a bar, by Rich where it is installed, else a line; in a log nothing."""

import os
import site
import sys


def make(label, stream=sys.stderr):
    if not stream.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return Silent()
    try:
        return Bar(label)
    except ImportError:
        return Line(label, stream)


class Silent:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def show(self, phase, done, of):
        pass


class Bar(Silent):
    def __init__(self, label):
        sys.path.extend(path for path in site.getsitepackages() if path not in sys.path)  # commands start without them (-S)
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(binary_units=True),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        self.label = label
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task(label, total=None)

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *_):
        self.bar.stop()

    def show(self, phase, done, of):
        label = self.label if phase == "copying" else f"{self.label}: {phase}"
        self.bar.update(self.task, description=label, completed=done, total=of)


class Line(Silent):
    """Where Rich is not installed: one line, drawn again."""

    def __init__(self, label, stream):
        self.label, self.stream, self.shown = label, stream, 0

    def __exit__(self, *_):
        self._draw("")

    def show(self, phase, done, of):
        self._draw(f"{self.label}: {phase} {100 * done // of if of else 100} %")

    def _draw(self, text):
        text = text[: os.get_terminal_size(self.stream.fileno()).columns - 1]
        print("\r" + text.ljust(self.shown) + "\r" + text, end="", file=self.stream, flush=True)
        self.shown = len(text)
