"""Every code block of README.md, examples/README.md and docs/: programs are compiled and run and their output is compared;
fragments are compiled, shell blocks executed, data read. A block without a mark fails. The marks are described in
docs/contributing/writing-docs.md."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from blocks import SHELLS, Unmarked, difference, is_excerpt, read_page, woven
from made_once import made_once

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SUFFIX = {"c": ".c", "cpp": ".cpp", "fortran": ".f90"}
COMPILER = {"c": "xmpcc", "cpp": "xmpcc", "fortran": "xmpf90"}
SERIAL = {"c": "gcc", "fortran": "gfortran"}
LIBRARIES = {"c": ["-lm"], "fortran": []}
FOREIGN = ("KUMIHIMO_", "SLURM_", "OMPI_", "PMI_")
# What a reader's own machine does not need: this one is a container, and other tests run beside these.
LAUNCHER = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Case:
    """One block, or all shell blocks of a page: they are one session."""

    def __init__(self, page, blocks, problem=None):
        self.page, self.blocks, self.problem = page, blocks, problem

    def __repr__(self):
        return self.blocks[0].place if self.blocks else self.page


def cases():
    for path in PAGES:
        name = str(path.relative_to(ROOT))
        try:
            page = read_page(name, path.read_text())
        except Unmarked as problem:
            yield Case(name, [], str(problem))
            continue
        shells = [block for block in page.blocks if block.verb == "shell"]
        yield from (Case(page, [block]) for block in page.blocks if block.verb not in ("shell", "file", "text"))
        if shells:
            yield Case(page, shells)


@pytest.fixture(scope="session")
def installed(build, tmp_path_factory):
    """The build, installed: for blocks that need what only an installation has (pkg-config, CMake package, man pages)."""
    install = ["cmake", "--install", build, "--prefix"]
    return made_once(
        tmp_path_factory, "installed", lambda prefix: subprocess.run([*install, prefix], check=True, capture_output=True)
    )


@pytest.mark.parametrize("case", list(cases()), ids=repr)
def test_block(case, request, tmp_path):
    if case.problem:
        pytest.fail(case.problem, pytrace=False)
    place = Scratch(request, case.page, tmp_path)
    for block in case.blocks:
        getattr(place, block.verb)(block)


def test_there_are_pages():
    """An empty list of cases would pass in silence."""
    assert len(PAGES) > 10


class Scratch:
    """Where the blocks of a case are compiled and run."""

    def __init__(self, request, page, directory):
        self.request, self.page, self.directory = request, page, directory
        self.build = self.prefix = request.getfixturevalue("build")
        self.prepared = set()

    def environment(self):
        """Kumihimo's commands come first in the PATH; pkg-config and CMake find it where it is installed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        kept["VIRTUAL_ENV"] = sys.prefix  # NumPy and Matplotlib are there
        own = {"PATH": f"{self.prefix / 'bin'}{os.pathsep}{kept['PATH']}", "HOME": str(self.directory), "LC_ALL": "C.UTF-8"}
        found = {"PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig"), "CMAKE_PREFIX_PATH": str(self.prefix)}
        return {**kept, **LAUNCHER, **own, **(found if self.prefix != self.build else {})}

    def run(self, *words, text=None):
        """(exit code, output, errors) of a command."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.directory,
            env=self.environment(),
            input=text or "",
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def expect(self, place, code, *words, text=None):
        ended, output, errors = self.run(*words, text=text)
        if ended != code:
            pytest.fail(
                f"{place}: {' '.join(map(str, words))}: exit code {ended}, not {code}\n{output}\n{errors}", pytrace=False
            )
        return output, errors

    def compare(self, block, output, errors):
        for shown in block.shown:
            wrong = difference(shown.text, errors if shown.verb == "errors" else output, "sorted" not in shown.words)
            if wrong:
                pytest.fail(f"{shown.place}: {wrong}", pytrace=False)

    def source(self, block):
        """The file that is compiled: the block, or a surrounding with the block in it (`file`, where a fragment names none)."""
        if COMPILER[block.language] == "xmpf90" and not (self.build / "lib" / "fortran" / "kumihimo_generated.mod").exists():
            pytest.skip("this build found no gfortran")
        around = block.words.get("in", "file" if block.verb == "fragment" else None)
        text = woven(self.surrounding(around, block, SUFFIX[block.language]), block.text) if around else block.text
        path = self.directory / block.words.get("name", f"block{SUFFIX[block.language]}")
        path.write_text(text)
        return path.name

    def surrounding(self, name, block, suffix):
        if name in self.page.surroundings:
            return self.page.surroundings[name]
        path = HERE / "surroundings" / f"{name}{suffix}"
        if not path.exists():
            pytest.fail(f"{block.place}: there is no surrounding '{name}', on the page or in {path.parent}", pytrace=False)
        return path.read_text()

    def program(self, block):
        source, libraries = self.source(block), LIBRARIES[block.language]
        compile_it = [COMPILER[block.language], "-Wall", *shlex.split(block.words.get("options", ""))]
        _, warnings = self.expect(block.place, 0, *compile_it, source, *libraries, "-o", "program")
        assert warnings == "", f"{block.place}: {warnings}"
        arguments = shlex.split(block.words.get("arguments", ""))
        for nodes in block.words.get("nodes", "4").split(","):
            code = int(block.words.get("exit", "0"))
            self.compare(block, *self.expect(block.place, code, "xmprun", "-n", nodes, "./program", *arguments))
        if "serial" in block.words:
            self.expect(block.place, 0, SERIAL[block.language], source, *libraries, "-o", "serial")
            self.compare(block, *self.expect(block.place, 0, "./serial", *arguments))

    def fragment(self, block):
        self.expect(block.place, 0, COMPILER[block.language], "-O0", "-c", self.source(block))

    def error(self, block):
        output, errors = self.expect(block.place, 1, COMPILER[block.language], "-c", self.source(block))
        assert f"[{block.words['code']}]" in errors, f"{block.place}: {errors}"
        self.compare(block, output, errors)

    def shell(self, block):
        for name, text in self.page.before(block).items():
            if not (self.directory / name).exists():
                (self.directory / name).write_text(text)
        for name in filter(None, block.words.get("with", "").split(",")):
            shutil.copy(ROOT / name, self.directory)
        self.prefix = self.request.getfixturevalue("installed") if "installed" in block.words else self.build
        self.prepare(block)
        if block.language == "console":
            return self.console(block)
        code = int(block.words.get("exit", "0"))
        self.compare(block, *self.expect(block.place, code, "bash", "-e", "-o", "pipefail", "-c", block.text))

    def prepare(self, block):
        """Runs the surrounding that a shell block names, once for a session: it makes what the page takes as given."""
        name = block.words.get("in")
        if name and name not in self.prepared:
            self.prepared.add(name)
            script = self.surrounding(name, block, ".sh")
            self.expect(f"{block.place}: surrounding {name}", 0, "bash", "-e", "-s", ROOT, text=script)

    def console(self, block):
        """Lines that begin with `$ ` are commands, the lines below each of them what it prints."""
        lines = block.text.splitlines()
        heads = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        assert heads and heads[0] == 0, f"{block.place}: a console block begins with `$ ` and a command"
        for start, end in zip(heads, [*heads[1:], len(lines)]):
            output, errors = self.expect(block.place, 0, "bash", "-c", lines[start][2:])
            wrong = difference("\n".join(lines[start + 1 : end]), output + errors)
            if wrong:
                pytest.fail(f"{block.place}: {lines[start]}: {wrong}", pytrace=False)

    def valid(self, block):
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        else:
            pytest.importorskip("tomllib").loads(block.text)

    def excerpt(self, block):
        of = block.words["of"]
        whole = self.page.before(block).get(of) or (ROOT / of).read_text()
        if not is_excerpt(block.text, whole):
            pytest.fail(f"{block.place}: this does not stand in {of}:\n{block.text}", pytrace=False)

    def skip(self, block):
        pytest.skip(f"{block.place}: {block.words['reason']}")


@pytest.mark.parametrize("page", [path for path in PAGES if "<!-- test: file" in path.read_text()], ids=lambda path: path.stem)
def test_files_are_used(page):
    """A block that is only a file is tested by a shell block below it."""
    blocks = read_page(page.name, page.read_text()).blocks
    for number, block in enumerate(blocks):
        if block.verb == "file":
            assert any(other.language in SHELLS and other.verb == "shell" for other in blocks[number:]), block.place
