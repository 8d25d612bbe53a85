"""Random programs: a function for each case, with nodes, templates and arrays of its own, which ends with the values of all its
arrays."""

import dataclasses
import pathlib
import random

import gmoves
import images
import sections
import statements
from filled_shadows import Coverage
from gmoves import LocalArray
from layouts import draw_array, draw_outer_template, draw_template
from statements import Statement

PRELUDE = (pathlib.Path(__file__).resolve().parent / "prelude.h").read_text()

# What a case is made of, and how often.
KINDS = (
    (statements.assign, 8),
    (statements.reduce, 4),
    (gmoves.moved, 4),
    (gmoves.one_sided, 1),
    (statements.point, 1),
    (statements.widened, 1),
    (statements.peeled, 1),
    (statements.local_sum, 1),
    (images.beside_each_other, 1),
    (images.handed_round, 1),
    (sections.assigned, 3),
    (sections.summed_shadows, 1),
    (sections.transformed, 1),
    (statements.handed_on, 1),
    (statements.inside_task, 1),
    (statements.called, 1),
)


class Case:
    """templates, arrays; statements: what is done with them; functions: what it calls. kinds: what it is made of; outer: the
    share of cases with arrays outside of functions, members of a structure."""

    def __init__(self, seed, number, kinds=KINDS, outer=0.25):
        self.number = number
        draw = random.Random(f"{seed} {number}")
        self._names = 0
        self.functions = []
        self.templates = [draw_template(draw, "a")]
        if draw.random() < 0.4:
            self.templates.append(draw_template(draw, "b"))
        if draw.random() < outer:
            self.templates.append(draw_outer_template(draw, number))
        self.record = f"record{number}"
        self.arrays = []
        for name in "uvw"[: draw.randint(1, 3)]:
            template = draw.choice(self.templates)
            array = draw_array(draw, f"{self.record}.{name}" if template.outer else name, template)
            array.coverage = Coverage()
            self.arrays.append(array)
        self.templates = [t for t in self.templates if any(a.template is t for a in self.arrays)]
        self.statements = [statements.fill(draw, array) for array in self.arrays]
        makers, weights = zip(*kinds)
        for make in draw.choices(makers, weights, k=draw.randint(3, 8)):
            self.statements += make(draw, self)
        self.statements += [gmoves.whole(draw, self, array) for array in self.arrays]

    # ---- what statements ask for ----
    def fresh(self, stem):
        self._names += 1
        return f"{stem}{self._names}"

    def say(self, template, what, value):
        """A line of output: node template's first node knows it, or all do."""
        self._names += 1
        node = template.nodes.speaker if template else "0"
        return f'say({node}, "case {self.number}, {self._names}, {what}", {value});'

    def on_template(self, template):
        """This case with the arrays of one template only."""
        inner = Case.__new__(Case)
        inner.__dict__.update(self.__dict__)
        inner.arrays = [array for array in self.arrays if array.template is template]
        inner.fresh, inner.say = self.fresh, self.say
        return inner

    def local_array(self, draw):
        extents = [draw.randint(1, 12) for _ in range(draw.randint(1, 3))]
        return LocalArray(self.fresh("local"), draw.choice(("int", "long", "double")), extents)

    def call(self, draw, array):
        """A function for the array: its parameter is a global array with the same layout."""
        inner = self.on_template(array.template)
        parameter = dataclasses.replace(array, name="argument", parameter=True)
        parameter.coverage = array.coverage
        inner.arrays = [parameter]
        inner.functions = []
        body = []
        for make in draw.choices((statements.assign, statements.reduce), k=draw.randint(1, 3)):
            body += make(draw, inner)
        name = f"case{self.number}_{self.fresh('part')}"
        self.functions.append(Function(name, parameter, body))
        return [Statement([f"{name}({array.name});"])]

    # ---- the text ----
    def lines(self, parallel):
        lines = self.lines_before(parallel)
        lines.append(f"static void case{self.number}(void) {{")
        lines += [f"    {line}" for line in self._body(parallel)]
        return [*lines, "}", ""]

    def lines_before(self, parallel):
        """What stands before the function of the case."""
        return [*self._outer_declarations(), *(line for function in self.functions for line in function.lines(parallel))]

    def _outer_declarations(self):
        for template in self.templates:
            if template.outer:
                yield from [*template.nodes.declaration(), *template.declaration()]
        members = [array for array in self.arrays if array.template.outer]
        if members:
            yield "static struct {"
            yield from (f"    {array.declarator()};" for array in members)
            yield f"}} {self.record};"
        for array in members:
            yield from array.directives()

    def _body(self, parallel):
        yield from self.declarations()
        for statement in self.statements:
            yield from statement.lines(parallel)

    def declarations(self):
        for template in self.templates:
            if not template.outer:
                yield from [*template.nodes.declaration(), *template.declaration()]
        inner = [array for array in self.arrays if not array.template.outer]
        for array in inner:
            yield f"{array.declarator()};"
        for array in inner:
            yield from array.directives()


class Function:
    def __init__(self, name, parameter, body):
        self.name, self.parameter, self.body = name, parameter, body

    def lines(self, parallel):
        template = self.parameter.template
        inside = [
            *([] if template.outer else [*template.nodes.declaration(), *template.declaration()]),
            *self.parameter.directives(),
            *(line for statement in self.body for line in statement.lines(parallel)),
        ]
        return [f"static void {self.name}({self.parameter.declarator()}) {{", *(f"    {line}" for line in inside), "}", ""]


def program(cases, parallel):
    calls = [f"    case{case.number}();" for case in cases]
    main = ["int main(void) {", "    find_nodes();", *calls, "    return 0;", "}", ""]
    body = [line for case in cases for line in case.lines(parallel)]
    return "\n".join([PRELUDE, *body, *main])
