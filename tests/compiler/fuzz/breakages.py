#!/usr/bin/env python3
"""Breaks one word of one directive of a right program, as typing does, and looks where the compiler points.

tests/compiler/fuzz/breakages.py --count 1000 --seed 7 --show far
tests/compiler/fuzz/breakages.py --fortran --count 1000

A breakage deletes, doubles or misspells a word, or swaps it with the next one. What becomes of it:

near      an error (or its note) points at the word or its neighbour
far       an error points elsewhere only
right     still a right program: it is translated, and gcc takes the translation
gcc       gcc or gfortran refuses the translation: the compiler should have told
failure   neither a translation nor a message with a place"""

import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types

if "kumihimo" not in sys.modules:  # started by hand: the rooms of this checkout are the package
    package = types.ModuleType("kumihimo")
    package.__path__ = [str(pathlib.Path(__file__).resolve().parents[3])]
    sys.modules["kumihimo"] = package
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from kumihimo.compiler.c.translate import translate
from kumihimo.compiler.directives.words import words_of
from kumihimo.compiler.fortran.translate import translate as translate_fortran
from translation import ROOT, what_is_wrong

KINDS = ("deleted", "doubled", "misspelt", "swapped")
_CARET = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|note|warning): ", re.M)


class C:
    programs = ("examples/**/*.c", "tests/compiler/**/programs/*.c")
    directive = re.compile(r"([ \t]*#[ \t]*pragma[ \t]+xmp\b)(.*?)(/[*/].*)?")
    continued = "\\"
    command, compiler, translate = "xmpcc", ("gcc",), staticmethod(translate)
    syntax = ("-x", "c", "-")

    @staticmethod
    def includes(directory):
        return ["-iquote", str(directory)]


class Fortran:
    programs = ("examples/**/*.f90", "docs/tutorial/*.f90", "tests/compiler/fortran/*.f90")
    directive = re.compile(r"([ \t]*!\$xmp\b)(.*?)(!.*)?", re.I)
    continued = "&"
    command, compiler, translate = "xmpf90", ("gfortran", "-ffree-line-length-none"), staticmethod(translate_fortran)
    syntax = ("-x", "f95", "-")

    @staticmethod
    def includes(directory):
        return [f"-I{directory}"]


class Breakage:
    """`line` of a program has become `text`; first and last are the numbers of its words, counted behind `xmp`, that a message
    may point at: the word that was broken and its neighbours."""

    def __init__(self, path, line, kind, word, text, first, last):
        self.path, self.line, self.kind, self.word, self.text = path, line, kind, word, text
        self.first, self.last = first, last

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line}: '{self.word}' {self.kind}: {self.text.strip()}"

    def program(self):
        lines = self.path.read_text().split("\n")
        lines[self.line - 1] = self.text
        return "\n".join(lines)

    def near(self, column):
        """Whether a column of the line is that of one of the words, or lies between them."""
        words = words_of(self.text)
        start = next(n for n, word in enumerate(words) if word.text.lower() in ("xmp", "$xmp")) + 1
        number = sum(1 for word in words[start:] if word.column + len(word.text) <= column)
        return self.first <= number <= self.last


class Breakages:
    """Drawn from one seed: a number is one breakage whatever was tried before it."""

    def __init__(self, seed, language=C):
        self.seed = seed
        self.places = []  # (path, number of the line, its text up to `xmp`, what follows, a comment)
        for path in sorted({path for pattern in language.programs for path in ROOT.glob(pattern)}):
            for number, text in enumerate(path.read_text().split("\n"), 1):
                found = language.directive.fullmatch(text)
                if found and not text.endswith(language.continued):
                    self.places.append((path, number, *found.groups()))

    def draw(self, number):
        draw = random.Random(f"{self.seed} {number}")
        while True:
            path, line, sentinel, rest, comment = draw.choice(self.places)
            words = words_of(rest)
            at, kind = draw.randrange(len(words)), draw.choice(KINDS)
            made = _broken(draw, rest, words, at, kind)
            if made is not None and [w.text for w in words_of(made[0])] != [w.text for w in words]:
                return Breakage(path, line, kind, words[at].text, sentinel + made[0] + (comment or ""), *made[1:])


def _broken(draw, rest, words, at, kind):
    """(the rest of the line after the breakage, first and last word that a message may point at), or None."""
    word = words[at]
    begin, end = word.column - 1, word.column - 1 + len(word.text)
    if kind == "deleted":
        return rest[:begin] + rest[end:], at - 1, at
    if kind == "doubled":
        space = " " if word.kind in ("identifier", "number") else ""
        return rest[:end] + space + rest[begin:], at - 1, at + 2
    if kind == "misspelt":
        return (rest[:begin] + _misspelt(draw, word.text) + rest[end:], at - 1, at + 1) if word.kind == "identifier" else None
    if at + 1 == len(words):
        return None
    following = words[at + 1]
    next_begin, next_end = following.column - 1, following.column - 1 + len(following.text)
    return rest[:begin] + following.text + (rest[end:next_begin] or " ") + word.text + rest[next_end:], at - 1, at + 2


def _misspelt(draw, word):
    """A letter left out, doubled, changed, or swapped with the next."""
    at = draw.randrange(len(word))
    if len(word) == 1:
        return draw.choice([word * 2, draw.choice("xyzq")])
    return draw.choice(
        (
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + draw.choice("abcdefghijklmnopqrstuvwxyz") + word[at + 1 :],
            word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
        )
    )


class Trial:
    """Translates breakages in a directory. gcc gets what xmpcc of the build gives it, so that programs may include all, and
    gfortran what xmpf90 gives it."""

    def __init__(self, directory, build, language=C):
        self.language, self.directory = language, pathlib.Path(directory)
        done = subprocess.run(
            [build / "bin" / language.command, "-showme:compile"], stdout=subprocess.PIPE, text=True, check=True
        )
        self.command = [*language.compiler, *done.stdout.split()]

    def outcome(self, breakage):
        """(one of the words at the head, the messages)."""
        self.file = self.directory / f"broken{breakage.path.suffix}"
        self.file.write_text(breakage.program())
        results = []
        options = self.language.includes(breakage.path.parent)

        def run():
            results.append(self.language.translate(str(self.file), self.command, options, colour=False))
            return results[0]

        wrong = what_is_wrong(run)
        if wrong:
            return "failure", "\n".join(wrong)
        result = results[0]
        if not result.ok:
            return self._where(breakage, result.diagnostics), result.diagnostics
        refused = self._refused_by_gcc(result.text, options)
        return ("gcc", refused) if refused else ("right", result.diagnostics)

    def _where(self, breakage, messages):
        for found in _CARET.finditer(messages):
            if int(found["line"]) == breakage.line and found["file"] == str(self.file):
                if found["kind"] != "warning" and breakage.near(int(found["column"])):
                    return "near"
        return "far"

    def _refused_by_gcc(self, text, options):
        """gcc's messages about a translation; nothing if it takes it."""
        command = [*self.command, "-fsyntax-only", "-w", *options, *self.language.syntax]
        done = subprocess.run(command, input=text, cwd=self.file.parent, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""


def share(counts):
    """Of the breakages that made a program wrong, the percentage whose message points at them."""
    wrong = sum(counts.values()) - counts["right"]
    return 100 * counts["near"] / max(1, wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one number")
    parser.add_argument("--show", nargs="*", default=["gcc", "failure"], help="outcomes to print in full")
    parser.add_argument("--fortran", action="store_true", help="programs in Fortran instead of C")
    given = parser.parse_args()
    language = Fortran if given.fortran else C
    build = pathlib.Path(os.environ.get("KUMIHIMO_BUILD") or ROOT / "build").resolve()
    breakages, counts = Breakages(given.seed, language), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="xmp-breakages-") as directory:
        trial = Trial(directory, build, language)
        for number in range(given.count) if given.only is None else [given.only]:
            breakage = breakages.draw(number)
            outcome, messages = trial.outcome(breakage)
            counts[outcome] += 1
            if outcome in given.show:
                print(f"--only {number}: {outcome}: {breakage}\n{messages}", flush=True)
    print(f"seed {given.seed}: {dict(counts)}; near: {share(counts):.1f} % of those that are wrong")
    return bool(counts["gcc"] or counts["failure"])


if __name__ == "__main__":
    sys.exit(main())
