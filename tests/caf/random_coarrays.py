"""Random coarray programs compared with their serial meaning, which NumPy computes for all images at once.

    tests/caf/random_coarrays.py --count 200 --seed 7 --keep DIRECTORY [--mpi mpich] [--images 1 2 3 4 7 8] [--xmpf90]

A program has several cases; each is a subroutine with coarrays of several types and shapes (with SAVE, allocatable, allocatable
components) and phases between `sync all`: every image reads from, writes to or copies between images that are a permutation of
all, so that nothing is written twice; or one image does; or all call a collective subroutine. At the end each image tells a
hash of what it has."""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys

import numpy

TYPES = {
    "integer(2)": numpy.int64,
    "integer(4)": numpy.int64,
    "integer(8)": numpy.int64,
    "real(4)": numpy.float64,
    "real(8)": numpy.float64,
}
LIMIT = 97  # values stay below: every type holds them, sums over images too
PRIME = 1000003


class Array:
    """One coarray of a case: its name in statements, and what every image has of it."""

    def __init__(self, draw, number):
        self.type = draw.choice(list(TYPES))
        self.lower = [draw.randint(-2, 3) for _ in range(draw.randint(1, 3))]
        self.sizes = [draw.randint(1, 7) for _ in self.lower]
        self.kind = draw.choice(("save", "allocatable", "component", "member"))
        self.of_a_type = self.kind in ("component", "member")  # the program allocates the one, the other is there
        self.symbol = f"a{number}"
        self.factor, self.term = draw.randint(1, 9), draw.randint(0, 40)

    @property
    def own(self):
        return self.symbol + ("%part" if self.of_a_type else "")

    def remote(self, image, subscripts):
        """Its elements on an image."""
        if self.of_a_type:
            return f"{self.symbol}[{image}]%part({subscripts})"
        return f"{self.symbol}({subscripts})[{image}]"

    def bounds(self):
        return ", ".join(f"{low}:{low + size - 1}" for low, size in zip(self.lower, self.sizes))

    def declarations(self):
        colons = ", ".join(":" * len(self.sizes))
        if self.kind == "save":
            return [f"{self.type}, save :: {self.symbol}({self.bounds()})[*]"]
        if self.kind == "allocatable":
            return [f"{self.type}, allocatable :: {self.symbol}({colons})[:]"]
        type_ = f"{self.symbol}_type"
        part = f", allocatable :: part({colons})" if self.kind == "component" else f" :: part({self.bounds()})"
        return [f"type {type_}", self.type + part, "end type",
                f"type({type_}), save :: {self.symbol}[*]"]  # fmt: skip

    def start(self):
        allocate = {"save": [], "member": [], "allocatable": [f"allocate ({self.symbol}({self.bounds()})[*])"],
                    "component": [f"allocate ({self.own}({self.bounds()}))"]}[self.kind]  # fmt: skip
        count = int(numpy.prod(self.sizes))
        shape = ", ".join(map(str, self.sizes))
        values = f"[(mod({self.factor} * k + {self.term} * this_image(), {LIMIT}), k = 1, {count})]"
        return [*allocate, f"{self.own} = reshape({values}, [{shape}])"]

    def initial(self, images):
        k = numpy.arange(1, int(numpy.prod(self.sizes)) + 1)
        return [
            ((self.factor * k + self.term * me) % LIMIT).astype(TYPES[self.type]).reshape(self.sizes, order="F")
            for me in range(1, images + 1)
        ]

    def end(self):
        gone = {"allocatable": [f"deallocate ({self.symbol})"], "component": [f"deallocate ({self.own})"]}
        return gone.get(self.kind, [])


def section(draw, array, counts, vectors=True):
    """Subscripts with these numbers of elements, one for each dimension that is not a single element: (text, positions).
    gfortran 12 fails at vector subscripts in components."""
    places = sorted(draw.sample(range(len(array.sizes)), len(counts)))
    texts, positions, at = [], [], dict(zip(places, counts))
    for d, (low, size) in enumerate(zip(array.lower, array.sizes)):
        if d not in at:
            one = draw.randrange(size)
            texts.append(str(low + one))
            positions.append([one])
            continue
        count = at[d]
        step = draw.choice([s for s in (1, 2, 3, -1, -2) if (count - 1) * abs(s) < size])
        first = draw.randrange(size - (count - 1) * abs(step)) + (0 if step > 0 else (count - 1) * -step)
        chosen = [first + k * step for k in range(count)]
        if vectors and not array.of_a_type and count > 1 and draw.random() < 0.2:
            chosen = draw.sample(range(size), count)
            texts.append("[" + ", ".join(str(low + one) for one in chosen) + "]")
        else:
            texts.append(f"{low + chosen[0]}:{low + chosen[-1]}" + (f":{step}" if step != 1 else ""))
        positions.append(chosen)
    return ", ".join(texts), numpy.ix_(*positions)


def pair(draw, left, right, vectors):
    """Sections of equal shape of two arrays. vectors: whether the left one may have vector subscripts."""
    rank = draw.randint(0, min(len(left.sizes), len(right.sizes)))
    while True:
        a = sorted(draw.sample(left.sizes, rank)) if rank else []
        b = sorted(draw.sample(right.sizes, rank)) if rank else []
        counts = [draw.randint(1, min(x, y)) for x, y in zip(a, b)]
        try:
            return section(draw, left, counts, vectors), section(draw, right, counts)
        except (IndexError, ValueError):
            rank = max(rank - 1, 0)


class Step:
    """A phase: its statements, and what it does to the state (array -> what each image has)."""

    def __init__(self, statements, apply):
        self.statements, self.apply = statements, apply


def _image(shift):
    return f"1 + mod(me + {shift}, n)"  # me counts from 1


def transfer(draw, arrays):
    left, right = draw.sample(arrays, 2)
    some, other = draw.randint(0, 8), draw.randint(0, 8)
    ways = [(some, None)]
    if not left.of_a_type:  # gfortran 12 ends with an internal error for some of the others
        ways += [(None, other)] + [(some, other)] * (not right.of_a_type)
    to_shift, from_shift = draw.choice(ways)
    # Where the left side is this image's, gfortran 12 assigns to a copy of elements chosen by a vector.
    (to, to_at), (from_, from_at) = pair(draw, left, right, vectors=to_shift is not None)
    target = f"{left.own}({to})" if to_shift is None else left.remote(_image(to_shift), to)
    source = f"{right.own}({from_})" if from_shift is None else right.remote(_image(from_shift), from_)
    only = draw.randint(1, 3) if draw.random() < 0.3 else None
    guard = "" if only is None else f"if (me == 1 + mod({only}, n)) "

    def apply(state, images):
        before = [block.copy() for block in state[right]]
        for me in range(1, images + 1):
            if only is not None and me != 1 + only % images:
                continue
            there = me - 1 if to_shift is None else (me + to_shift) % images
            here = me - 1 if from_shift is None else (me + from_shift) % images
            target_block = state[left][there][to_at]
            target_block[...] = before[here][from_at].reshape(target_block.shape)
            state[left][there][to_at] = target_block

    return Step([f"{guard}{target} = {source}"], apply)


def computed(draw, arrays):
    array = draw.choice(arrays)
    factor, term = draw.randint(1, 5), draw.randint(0, 30)

    def apply(state, images):
        state[array] = [(block * factor + term + me) % LIMIT for me, block in enumerate(state[array], 1)]

    return Step([f"{array.own} = mod(int({array.own}) * {factor} + {term} + me, {LIMIT})"], apply)


def scalars(draw, arrays):
    """Elements of other images in an expression, and perhaps in a condition."""
    left, one, two = draw.choice(arrays), draw.choice(arrays), draw.choice(arrays)
    if left in (one, two):
        return computed(draw, arrays)
    texts, places, shifts = zip(*((*section(draw, array, []), draw.randint(0, 8)) for array in (left, one, two)))
    a, b = (f"int({array.remote(_image(shift), text)})" for array, text, shift in zip((one, two), texts[1:], shifts[1:]))
    statement = f"{left.own}({texts[0]}) = mod({a} * 2 + {b} + me, {LIMIT})"
    rest = draw.choice((None, 0, 1))
    guard = "" if rest is None else f"if (mod({b}, 2) == {rest}) &\n"

    def apply(state, images):
        for me in range(1, images + 1):
            x = state[one][(me + shifts[1]) % images][places[1]].item()
            y = state[two][(me + shifts[2]) % images][places[2]].item()
            if rest is None or int(y) % 2 == rest:
                state[left][me - 1][places[0]] = (int(x) * 2 + int(y) + me) % LIMIT

    return Step([guard + statement], apply)


def collective(draw, arrays):
    array, name = draw.choice(arrays), draw.choice(("co_max", "co_min", "co_sum", "co_broadcast"))
    source = draw.randint(0, 8)
    if name == "co_broadcast":
        call = f"call co_broadcast({array.own}, 1 + mod({source}, n))"
    else:
        call = f"call {name}({array.own})"
    combine = {"co_max": lambda x: numpy.max(x, 0), "co_min": lambda x: numpy.min(x, 0), "co_sum": lambda x: numpy.sum(x, 0)}

    def apply(state, images):
        blocks = state[array]
        result = blocks[source % images] if name == "co_broadcast" else combine[name](numpy.stack(blocks))
        state[array] = [result % LIMIT for _ in blocks]

    return Step([call, f"{array.own} = mod(int({array.own}), {LIMIT})"], apply)


class Case:
    def __init__(self, number, seed):
        draw = random.Random(f"{seed} {number}")
        self.number = number
        self.arrays = [Array(draw, k) for k in range(draw.randint(2, 4))]
        makers = (transfer, transfer, transfer, computed, scalars, collective)
        self.steps = [draw.choice(makers)(draw, self.arrays) for _ in range(draw.randint(3, 9))]

    def text(self):
        lines = [f"subroutine case{self.number}", "implicit none", "integer :: me, n, k"]
        lines += [line for array in self.arrays for line in array.declarations()]
        lines += ["me = this_image(); n = num_images()"]
        lines += [line for array in self.arrays for line in array.start()]
        for step in self.steps:
            lines += ["sync all", *step.statements]
        lines.append("sync all")
        for number, array in enumerate(self.arrays):
            values = f"[int({array.own}, 8)]"
            lines.append(f"call tell({self.number}, {number}, {values})")
        lines += [line for array in self.arrays for line in array.end()]
        return [*lines, "end subroutine"]

    def expected(self, images):
        state = {array: array.initial(images) for array in self.arrays}
        for step in self.steps:
            step.apply(state, images)
        found = set()
        for number, array in enumerate(self.arrays):
            for me, block in enumerate(state[array], 1):
                hash_ = 7
                for value in block.flatten(order="F"):
                    hash_ = (hash_ * 31 + int(value)) % PRIME
                found.add(f"{self.number} {number} {me} {hash_}")
        return found


TELL = """subroutine tell(number, array, values)
implicit none
integer, intent(in) :: number, array
integer(8), intent(in) :: values(:)
integer(8) :: hash
integer :: k
hash = 7
do k = 1, size(values)
hash = mod(hash * 31 + values(k), {prime}_8)
end do
write (unit, '(i0, 3(1x, i0))') number, array, this_image(), hash
end subroutine"""


def program(cases):
    lines = [
        "module told",
        "implicit none",
        "integer :: unit",
        "contains",
        *TELL.format(prime=PRIME).splitlines(),
        "end module",
    ]
    for case in cases:
        first, *rest = case.text()
        lines += [first, "use told", *rest]
    lines += ["program cases", "use told", "implicit none", "character(20) :: name"]
    lines += ["write (name, '(a, i0)') 'told.', this_image()", "open (newunit=unit, file=name)"]
    lines += [*(f"call case{case.number}" for case in cases), "close (unit)", "end program"]
    return "\n".join(lines) + "\n"


def run(words, directory, seconds=300):
    done = subprocess.run(
        [str(word) for word in words], cwd=directory, timeout=seconds, capture_output=True, text=True, check=False
    )
    return (
        "" if done.returncode == 0 else f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    )


def compile_words(build, family, by_xmpf90):
    if by_xmpf90:
        return [build / "bin" / "xmpf90", f"--mpi={family}", "-w", "-O1", "-o", "cases", "cases.f90"]
    libraries = build / "lib" / family
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
    return ["gfortran", "-fcoarray=lib", "-w", "-O1", "-o", "cases", "cases.f90", *link]


def wrong(cases, directory, build, family="openmpi", images=(2, 7), by_xmpf90=False):
    """What is wrong, in lines."""
    (directory / "cases.f90").write_text(program(cases))
    failure = run(compile_words(build, family, by_xmpf90), directory)
    if failure:
        return [failure]
    problems = []
    for count in images:
        for old in directory.glob("told.*"):
            old.unlink()
        failure = run([build / "bin" / "xmprun", f"--mpi={family}", "-n", count, "./cases"], directory)
        if failure:
            problems.append(failure)
            continue
        told = {line for path in directory.glob("told.*") for line in path.read_text().splitlines()}
        for case in cases:
            missing = sorted(case.expected(count) - told)
            if missing:
                problems.append(f"case {case.number} on {count} images: expected {missing[0]} (case, array, image, hash)")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int, help="number of a case")
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--images", type=int, nargs="+", default=[1, 2, 3, 4, 7, 8])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--xmpf90", action="store_true", help="compile by xmpf90 instead of gfortran")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("KUMIHIMO_BUILD", "build")))
    parser.add_argument("--keep", type=pathlib.Path, required=True, help="where programs that fail stay")
    options = parser.parse_args()
    numbers = [options.only] if options.only is not None else list(range(options.count))
    bad = 0
    for first in range(0, len(numbers), options.batch):
        cases = [Case(number, options.seed) for number in numbers[first : first + options.batch]]
        directory = options.keep.resolve() / f"{options.seed}-{cases[0].number}"
        directory.mkdir(parents=True, exist_ok=True)
        found = wrong(cases, directory, options.build.resolve(), options.mpi, options.images, options.xmpf90)
        print(
            f"seed {options.seed}, cases {cases[0].number} to {cases[-1].number}: {'wrong' if found else 'right'}", flush=True
        )
        for line in found:
            print("  " + line, flush=True)
        bad += bool(found)
        if not found:
            shutil.rmtree(directory)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
