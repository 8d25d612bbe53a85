"""xmpcc --check: what a distributed loop does with each global array is told to the runtime once, in front of the nest and
behind it, where that can be said before: unconditional references with subscripts `variable + constant` or the same in all
iterations. Every other reference is checked where it stands, element by element (decision checked-shadows)."""

from ...directives.words import integer
from ...semantics.entities import NodesEntity
from ..reading import syntax
from .canonical import NotCanonical, canonical, loop_variable
from .references import access, adds_shadow, references, variable_plus
from .texts import object_name
from .unchanging import Unchanging, executes_all, has_jumps


class LoopChecks:
    """The references of one nest that are checked in front of it, and what is told behind it. step: the planned Loop; locals_:
    its LocalLoops; moved: arrays whose memory may move in the nest."""

    def __init__(self, context, step, locals_, moved):
        self.context, self.plan, self.statement = context, step, step.block
        self.nested = _inside_loop(step.block)
        self.locals = {local.counting.declarator: local for local in locals_}
        self.widths = _widths(step)
        self.rim = step.ranges is not None and step.ranges.margin and step.ranges.async_id is None
        self.unchanging = Unchanging(context, self.statement, self.locals)
        self.known = []  # (Reference, text of its XMP_Subscripts)
        if not has_jumps(self.statement):
            self._find(moved)

    @property
    def references(self):
        """Those that need no check of their own."""
        return [] if self.rim else [reference for reference, _ in self.known]

    @property
    def writes_shadow(self):
        return bool(self.widths)

    # ---- the texts ----
    def step(self, site):
        """In front of everything: all executing nodes come here, unless the nest is in an iteration of another."""
        return check_step(self.statement, site)

    def head(self):
        """Asks whether this node may do what the nest does."""
        calls = []
        for reference, subscripts in [] if self.rim else self.known:
            calls.append(self._call(reference, self._asked(reference), subscripts))
        return " ".join(dict.fromkeys(calls))

    def _asked(self, reference):
        reads, writes = access(reference)
        if adds_shadow(self.context, reference.array):
            return ["XMP_STORES"]
        written = ["XMP_STORES" if self.writes_shadow else "XMP_WRITES"] if writes else []
        return ["XMP_READS"] * reads + written

    def tail(self):
        """Tells what the nest has written."""
        calls = []
        for reference, subscripts in self.known:
            if not access(reference)[1] or not reference.array.shadow:
                continue
            told = [] if self.rim else ["XMP_WRITTEN_HERE" if self.nested or self._narrowed() else "XMP_WRITTEN"]
            calls.append(self._call(reference, told + ["XMP_FILLED"] * self.writes_shadow, subscripts))
        return "".join(f" {call}" for call in dict.fromkeys(calls) if call)

    def _narrowed(self):
        """Whether expand may leave out iterations: then not all elements are written."""
        texts = [text for widths in self.widths.values() for text in widths[:2]]
        return any(integer(text) is None or integer(text) < 0 for text in texts)

    def _call(self, reference, accesses, subscripts):
        if not accesses:
            return ""
        array, last = reference.array, reference.subscripts[-1]
        site = self.context.code_site(last).replace("XMP_CODE(", f"XMP_CODE_AT({reference.identifier.token.line}, ", 1)
        return (
            f"XMP_Check_loop({site}, {object_name(array)}, {' | '.join(accesses)}, (const XMP_Subscripts[]){{{subscripts}}});"
        )

    # ---- what is known in front of the nest ----

    def _find(self, moved):
        for reference in references(self.context, self.statement, nested=False):
            reads, writes = access(reference) if reference.subscripts else (False, False)
            if not reference.complete or not (reads or writes) or reference.array in moved:
                continue
            serial = self._serial_loops(reference.identifier)
            if serial is None:
                continue
            texts = [self._subscript(subscript.index, serial) for subscript in reference.subscripts]
            if None not in texts:
                self.known.append((reference, ", ".join(texts)))

    def _serial_loops(self, node):
        """{declarator: CanonicalLoop} of the serial loops around a reference; None if some iterations may not reach it."""
        serial = {}
        for ancestor in node.ancestors():
            if isinstance(ancestor, syntax.For):
                if not ancestor.body.first <= node.first <= ancestor.body.last:
                    return None
                if loop_variable(ancestor) not in self.locals:
                    loop = self._known_loop(ancestor)
                    if loop is None:
                        return None
                    serial[loop.declarator] = loop
                if ancestor is self.statement:
                    return serial
            elif isinstance(ancestor, syntax.DirectiveStatement) and ancestor.directive.language == "xmp":
                return None  # what a loop inside does is told there
            elif not executes_all(ancestor):
                return None
        return None

    def _known_loop(self, statement):
        """The CanonicalLoop of a serial for whose bounds are known in front of the nest, or None."""
        try:
            loop = canonical(statement, self.context.spelling)
        except NotCanonical:
            return None
        return loop if loop.step_value is not None and self.unchanging.counts(loop) else None

    def _subscript(self, expression, serial):
        """The initialiser of an XMP_Subscripts; None if it is not known in front of the nest."""
        found = variable_plus(expression)
        if found is not None and found[0] in self.locals:
            return self._distributed(self.locals[found[0]], found[1])
        if found is not None and found[0] in serial:
            loop = serial[found[0]]
            last = loop.last(self.context.written)
            return _initialiser(first=self.context.written(loop.first), last=last, step=loop.step, shift=found[1])
        if self.unchanging(expression):
            text = self.context.written(expression)
            return _initialiser(first=text, last=text, step=1)
        return None

    def _distributed(self, local, shift):
        loop = local.loop
        if loop.depends:
            return None
        lower, upper, unbound = self.widths.get(loop.name, ("0", "0", False))
        return _initialiser(
            object=object_name(loop.entity),
            dimension=loop.index.dimension,
            on_nodes=int(isinstance(loop.entity, NodesEntity)),
            first=local.first,
            last=local.last,
            step=local.counting.step,
            offset=loop.index.offset,
            shift=shift,
            lower=lower,
            upper=upper,
            unbound=int(unbound),
        )


def _inside_loop(statement):
    """Whether a directive around it distributes iterations, too."""
    around = [node for node in statement.ancestors() if isinstance(node, syntax.DirectiveStatement)]
    return any(node.directive.language == "xmp" and node.directive.name == "loop" for node in around[1:])


def check_step(statement, site):
    """In front of a statement that all executing nodes come to together."""
    return "" if _inside_loop(statement) else f"XMP_Check_step({site});"


def _initialiser(**fields):
    """Of an XMP_Subscripts; fields that are 0 are left out."""
    texts = {name: str(value) for name, value in fields.items()}
    return f"{{{', '.join(f'.{name} = {text}' for name, text in texts.items() if text != '0')}}}"


def _widths(step):
    """{loop variable: (where the loop begins, where it ends, whether beyond its bounds)} of expand and margin."""
    ranges, found = step.ranges, {}
    for loop in step.loops if ranges is not None and ranges.async_id is None else ():
        width = ranges.widths[loop.index.dimension]
        ends = (width.lower.text, width.upper.text)
        found[loop.name] = (*(ends if loop.counting.up else reversed(ends)), width.modifier == "unbound")
    return found
