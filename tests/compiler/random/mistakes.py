"""Seeded mistakes: right random programs without one of their reflects, or with one that fills too little, and which reads of
which writes that spoils. What is spoilt is found element by element, on every node, from the declarations alone. And programs
whose loops have lost a reduction clause."""

import collections
import copy
import itertools

import gmoves
import statements
from filled_shadows import clauses_of
from programs import PRELUDE, Case

KINDS = ((statements.assign_always, 6), (statements.reduce, 2), (gmoves.moved, 2), (statements.reflected, 1))


class Mistake:
    """A Case without one Reflect, or with others in its place."""

    def __init__(self, case, left_out, instead=()):
        self.case = case
        where = case.statements.index(left_out)
        self.case.statements = [*case.statements[:where], *instead, *case.statements[where + 1 :]]

    def findings(self, nodes, first_line):
        """Pairs (line of the read, line of the write); each node may report its own. first_line: where the text of the case
        begins in the program."""
        return Simulation(self.case, nodes, first_line).findings()


def mistakes_of(seed, number):
    """One Mistake for each reflect of a case."""
    count = len([s for s in Case(seed, number, KINDS, outer=0).statements if isinstance(s, statements.Reflect)])
    for which in range(count):
        case = Case(seed, number, KINDS, outer=0)
        yield Mistake(case, [s for s in case.statements if isinstance(s, statements.Reflect)][which])


def narrowed_of(seed, number):
    """One Mistake for each reflect of a case and each of its widths that can be left out."""
    found = [s for s in Case(seed, number, KINDS).statements if isinstance(s, statements.Reflect)]
    for which, reflect in enumerate(found):
        for k, side in itertools.product(range(reflect.array.rank), ("lower", "upper")):
            if getattr(reflect.filled, side)[k] > 0 and not any(d.full for d in reflect.array.dimensions):
                case = Case(seed, number, KINDS)
                old = [s for s in case.statements if isinstance(s, statements.Reflect)][which]
                yield Mistake(case, old, [_narrower(old, k, side)])


class Unreduced:
    """A Case one of whose loops has lost its reduction clause."""

    def __init__(self, case, spoilt):
        self.case, self.spoilt = case, spoilt
        self.case.statements[spoilt].loop.clauses = ""

    def lines(self, first_line):
        """(the first, the last) of the loop. first_line: where the text of the case begins in the program."""
        begin, statement = next(itertools.islice(with_lines(self.case, first_line), self.spoilt, None))
        return begin, begin + len(statement.lines(True)) - 1


def unreduced_of(seed, number):
    """One Unreduced for each loop of a case that needs its reduction clause: its iterations are on several nodes."""
    for which, statement in enumerate(Case(seed, number, KINDS, outer=0).statements):
        loop = getattr(statement, "loop", None)
        if loop is not None and "reduction" in loop.clauses and any(loop.array.distributed(k) for k in loop.distributed):
            yield Unreduced(Case(seed, number, KINDS, outer=0), which)


def with_lines(case, first_line):
    """(line of the program where it begins, Statement) of a case whose text begins at first_line."""
    line = first_line + len(case.lines_before(True)) + 1 + len(list(case.declarations()))
    for statement in case.statements:
        yield line, statement
        line += len(statement.lines(True))


def _narrower(reflect, k, side):
    filled = copy.deepcopy(reflect.filled)
    getattr(filled, side)[k] = 0
    return statements.Reflect([f"#pragma xmp reflect ({reflect.array.name}){clauses_of(filled)}"], reflect.array, filled)


def program_of(cases):
    """(text, first line of each case): the argument of the program says which case it runs."""
    lines, first = PRELUDE.splitlines() + ["#include <stdlib.h>"], []
    for k, case in enumerate(cases):
        case.number = k
        first.append(len(lines) + 1)
        lines += case.lines(True)
    lines += ["int main(int argc, char **argv) {", "    find_nodes();", "    switch (argc > 1 ? atoi(argv[1]) : -1) {"]
    lines += [f"    case {k}: case{k}(); break;" for k in range(len(cases))]
    return "\n".join([*lines, "    }", "    return 0;", "}", ""]), first


# ---- who owns what ----


def side(count, rank, d, way):
    """As in prelude.h."""
    if d == rank - 1 and rank == 1:
        return count
    divisors = [k for k in range(1, count + 1) if count % k == 0]
    first = divisors[way % len(divisors)]
    return first if d == 0 else side(count // first, rank - 1, d - 1, way // 3)


def shares(nodes, extent, seed):
    """As in prelude.h."""
    sizes, left = [], extent
    for k in range(nodes):
        wanted = (seed * 7 + k * 5) % (2 * extent // nodes + 2)
        sizes.append(left if k == nodes - 1 or wanted > left else wanted)
        left -= sizes[-1]
    return sizes


class Owners:
    """Which coordinates own the places of a template."""

    def __init__(self, template, count):
        grid = template.nodes
        count = 1 + grid.way % count if grid.part else count
        self.sizes = [side(count, grid.rank, d, grid.way) for d in range(grid.rank)]
        self.nodes = list(itertools.product(*(range(size) for size in self.sizes)))
        self.owner = [self._owners(dimension) for dimension in template.dimensions]
        self.template = template

    def _owners(self, dimension):
        """{index: coordinate}, None where all nodes own all."""
        if not dimension.distributed:
            return None
        nodes, extent = self.sizes[dimension.node_dimension], dimension.extent
        size = -(-extent // nodes) + (dimension.number if dimension.format == "block(n)" else 0)
        if dimension.format == "gblock":
            owners = [k for k, n in enumerate(shares(nodes, extent, dimension.number)) for _ in range(n)]
        elif dimension.format.startswith("block"):
            owners = [k // size for k in range(extent)]
        else:
            n = dimension.number if dimension.format == "cyclic(n)" else 1
            owners = [k // n % nodes for k in range(extent)]
        return {dimension.lower + k: owner for k, owner in enumerate(owners)}

    def owns(self, node, d, place):
        dimension = self.template.dimensions[d]
        return not dimension.distributed or self.owner[d][place] == node[dimension.node_dimension]


# ---- what happens to every element ----


class Simulation:
    def __init__(self, case, count, first_line):
        self.case, self.first_line, self.line = case, first_line, 0
        self.owners = {id(template): Owners(template, count) for template in case.templates}
        self.written = collections.defaultdict(list)  # (array, element) -> [(time, line)]
        self.filled = {}  # (array, node, element of the shadow) -> time
        self.done = set()  # nodes that have found something
        self.found = set()

    def findings(self):
        for time, (line, statement) in enumerate(with_lines(self.case, self.first_line)):
            self.line = line
            if isinstance(statement, statements.LoopStatement):
                self._loop(time, statement)
            elif isinstance(statement, statements.Reflect):
                self._reflect(time, statement)
            elif isinstance(statement, gmoves.Gmove) and statement.array is not None:
                for element in itertools.product(*statement.written):
                    self.written[statement.array.name, element].append((time, self.line + statement.line))
        return self.found

    def _loop(self, time, statement):
        loop = statement.loop
        body = statement.body(True)
        last = self.line + len(statement.before) + len(loop.lines(body)) - 2  # the line above the closing brace
        values = [_values(variable) for variable in loop.variables]
        owners = self.owners[id(loop.template)]
        for node in owners.nodes:
            spoilt = set()
            for read in statement.reads:
                for element in itertools.product(*values):
                    if self._executes(owners, node, loop.array, element):
                        spoilt |= {(last - len(body) + 1, line) for line in self._spoilt(node, owners, read, element)}
            if spoilt and node not in self.done:
                self.found |= spoilt
                self.done.add(node)
        if statement.writes:
            for element in itertools.product(*values):
                self.written[loop.array.name, element].append((time, last))

    def _executes(self, owners, node, array, element):
        return all(d.onto < 0 or owners.owns(node, d.onto, index + d.offset) for d, index in zip(array.dimensions, element))

    def _spoilt(self, node, owners, read, element):
        """Lines of writes that a node does not see when it reads in this iteration."""
        array = read.array
        index = tuple(d if k is None else element[k] + d for k, d in read.indices)
        image = tuple(i % d.extent for i, d in zip(index, array.dimensions))
        if index == image and self._executes(owners, node, array, index):
            return set()
        since = self.filled.get((array.name, node, index), -1)
        return {line for time, line in self.written[array.name, image] if time > since}

    def _reflect(self, time, statement):
        """Where the widths leave a part of a corner out, the neighbour's shadow is carried there, as old as it is."""
        array, filled = statement.array, statement.filled
        owners, before = self.owners[id(array.template)], dict(self.filled)
        for node in owners.nodes:
            reach = [self._reach(array, filled, owners, node, k) for k in range(array.rank)]
            for places in itertools.product(*reach):
                updated, carried = (sum(part == kind for _, part in places) for kind in ("updated", "carried"))
                if not updated or filled.orthogonal and updated + carried > 1:
                    continue
                element, source, age = tuple(i for i, _ in places), list(node), time
                image = tuple(i % d.extent if part == "updated" else i for (i, part), d in zip(places, array.dimensions))
                for (_, part), i, d in zip(places, image, array.dimensions):
                    if part == "updated" and d.onto >= 0 and owners.template.dimensions[d.onto].distributed:
                        source[owners.template.dimensions[d.onto].node_dimension] = owners.owner[d.onto][i + d.offset]
                if carried:
                    age = before.get((array.name, tuple(source), image), -1)
                self.filled[array.name, node, element] = age

    def _reach(self, array, filled, owners, node, k):
        """(index, own, updated or carried) of what a node stores along a dimension and a reflect touches."""
        d = array.dimensions[k]
        own = [i for i in range(d.extent) if d.onto < 0 or owners.owns(node, d.onto, i + d.offset)]
        reach = [(i, "own") for i in own]
        if d.full:
            return reach + [(i, "updated") for i in range(d.extent) if i not in own]
        if not own:
            return []
        for i in [*range(own[0] - d.lower, own[0]), *range(own[-1] + 1, own[-1] + 1 + d.upper)]:
            if not own[0] - filled.lower[k] <= i <= own[-1] + filled.upper[k]:
                reach.append((i, "carried"))
            elif 0 <= i < d.extent or filled.periodic[k]:
                reach.append((i, "updated"))
        return reach


def _values(variable):
    """The elements that a loop counts."""
    if variable.fixed:
        return [variable.lower]
    if variable.step > 0:
        return range(variable.lower, variable.upper + 1, variable.step)
    return range(variable.upper, variable.lower - 1, variable.step)
