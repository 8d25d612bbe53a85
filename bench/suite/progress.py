"""How far a campaign is: on a terminal a bar with the time left, by Rich where it is installed; in a log failures only."""

import os
import shutil
import site
import sys
import time


def make(total_cells, cells, launches, stream=sys.stderr):
    """total_cells: of the launches that are still to be run. cells: of one launch. launches: of each variant."""
    if not stream.isatty():
        return Silent(stream)
    try:
        return Bar(total_cells, cells, launches)
    except ImportError:
        return Line(total_cells, cells, launches, stream) if os.environ.get("TERM", "dumb") != "dumb" else Silent(stream)


class Silent:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def launch(self, number, variant):
        pass

    def cells(self, count):
        pass

    def done(self):
        pass

    def failed(self, message):
        print(f"kumihimo bench: {message}", file=self.stream)


class Counting(Silent):
    """Counts cells over all launches, also those of a launch that is under way."""

    def __init__(self, total_cells, cells, launches, stream):
        super().__init__(stream)
        self.total, self.before, self.each = total_cells, 0, cells
        self.launches, self.label = launches, ""

    def launch(self, number, variant):
        self.label = f"{variant}, launch {number} of {self.launches}"
        self.show(self.before)

    def cells(self, count):
        self.show(self.before + min(count, self.each))

    def done(self):
        self.before += self.each
        self.show(self.before)


class Bar(Counting):
    def __init__(self, total_cells, cells, launches):
        sys.path.extend(path for path in site.getsitepackages() if path not in sys.path)  # commands start without them (-S)
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        super().__init__(total_cells, cells, launches, None)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
        )
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("", total=total_cells)

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *_):
        self.bar.stop()

    def show(self, cells):
        self.bar.update(self.task, completed=cells, description=self.label)

    def failed(self, message):
        self.bar.console.print(f"kumihimo bench: {message}", markup=False)


class Line(Counting):
    """Where Rich is not installed: one line without colours, drawn again when it changes, never longer than the terminal."""

    def __init__(self, total_cells, cells, launches, stream):
        super().__init__(total_cells, cells, launches, stream)
        self.start, self.shown = time.monotonic(), ""

    def __exit__(self, *_):
        self._draw("")

    def failed(self, message):
        self._draw("")
        super().failed(message)

    def show(self, cells):
        passed = time.monotonic() - self.start
        left = f", about {passed * (self.total - cells) / cells:.0f} s left" if cells else ""
        self._draw(f"{self.label}: {100 * cells // self.total} %{left}")

    def _draw(self, text):
        text = text[: shutil.get_terminal_size().columns - 1]
        if text != self.shown:
            print(f"\r\033[K{text}", end="", file=self.stream, flush=True)
        self.shown = text
