"""loop: gives the do loops of a nest this node's bounds (specification 4.4.3). The loop variables and the bodies stay the
user's."""

from ...directives import tree
from ...directives.reader import nearest
from ...directives.words import integer
from ...semantics.entities import NodesEntity, ResolvedSubscript
from ...semantics.iteration import loop_mapping
from ..reading.declarations import text_of
from .context import indices
from .jumps import check_no_jumps
from .reduction import loop_reductions
from .references import check_shadow

# Functions of the language that no executing set concerns.
_INTRINSICS = frozenset(
    "abs acos aimag aint anint asin atan atan2 ceiling char cmplx conjg cos cosh dble dim dprod epsilon erf erfc exp "
    "exponent float floor "
    "fraction gamma hypot huge iabs iachar iand ibclr ibits ibset ichar ieor int ior ishft kind len log log10 max "
    "maxval merge min minval mod "
    "modulo nint not real sign sin sinh sqrt sum size tan tanh tiny dabs dsqrt dexp dlog dsin dcos dmax1 dmin1 max0 "
    "min0 amax1 amin1 "
    "if do while where forall write read print select case elseif then".split()
)


class LocalLoop:
    """One distributed do loop: its Item and position, its IndexSubscript, and the names of its variables."""

    def __init__(self, context, position, index):
        self.item, self.position, self.index = context.items[position], position, index
        self.name = self.item.variable.text
        self.first, self.last, self.final = (context.name(self.name + suffix) for suffix in ("_first", "_last", "_final"))
        step = text_of(self.item.step) if self.item.step else "1"
        self.given_step = step
        constant = integer(step) is not None or context.declarations.constant(step)
        self.step = step if constant else context.name(self.name + "_step")
        self.own_step = not constant

    def declaration(self):
        names = [self.first, self.last, self.final] + ([self.step] if self.own_step else [])
        return f"integer(kind({self.name})) :: {', '.join(names)}"

    def bounds(self, context, site, reference):
        function = "XMP_Loop_nodes" if isinstance(reference.entity, NodesEntity) else "XMP_Loop"
        range_ = indices(text_of(self.item.first), text_of(self.item.last), self.step, self.index.offset)
        along = f"{context.object(reference.entity)}, {self.index.dimension}"
        call = f"call {function}({site}, {along}, {range_}, {self.first}, {self.last}, {self.final})"
        return f"{self.step} = {self.given_step}; {call}" if self.own_step else call

    def header(self):
        """The do statement with this node's bounds."""
        statement = self.item.statement
        step = f", {self.step}" if self.item.step else ""
        return f"{statement.text[: self.item.first[0].start]}{self.first}, {self.last}{step}"


class Loops:
    def __init__(self, context):
        self.context = context
        self.enclosing = []  # (end, entity, IndexSubscript) of the loops around

    def loop(self, position, directive):
        """The text in place of the directive."""
        context = self.context
        self.enclosing = [entry for entry in self.enclosing if entry[0] > position]
        for clause in ("expand", "margin", "peel"):
            if getattr(directive, clause) is not None:
                context.unsupported(f"the clause '{'peel_and_wait' if clause == 'peel' else clause}' is", directive.word)
        reference = context.reference(directive.on, position)
        if reference is None:
            return ""
        if reference.executing_set or not reference.subscripts:
            context.error("XMP-E161", "the on clause of a loop needs subscripts with the loop variable", directive.on.word)
            return ""
        nest = self._nest(position, directive, reference)
        return "" if nest is None else self._lower(position, directive, *nest)

    # ---- the nest ----
    def _tight(self, position):
        """Positions of the tightly nested do loops behind a directive."""
        items, found = self.context.items, []
        at = position + 1
        while at < len(items) and items[at].kind == "do" and items[at].variable is not None:
            if found and items[found[-1]].end not in (items[at].end, (items[at].end or 0) + 1):
                break
            found.append(at)
            at += 1
        return found

    def _nest(self, position, directive, reference):
        """(LoopMapping, LocalLoops), or None after an error."""
        context, items = self.context, self.context.items
        tight = self._tight(position)
        if not tight:
            behind = items[position + 1] if position + 1 < len(items) else None
            if behind is not None and behind.kind == "do":
                context.error(
                    "XMP-E162",
                    "only a do loop with a counter can be distributed",
                    behind.words[0],
                    [("it is distributed here", directive.word)],
                )
            else:
                context.error("XMP-E160", "a loop directive must be followed by a do loop", directive.word)
            return None
        names = [items[at].variable.text for at in tight]
        wanted = [word.text for word in directive.indices] if directive.indices else names
        for word in directive.indices or ():
            if word.text not in names:
                meant = nearest(word.text, names)
                context.error("XMP-E161", f"no loop of the nest has the variable '{word.text}'", word,
                              help=f"did you mean '{meant}'?" if meant else f"they are {', '.join(names)}")  # fmt: skip
                return None
        unlisted = set(names) - set(wanted)
        for d, subscript in enumerate(reference.subscripts):
            if subscript.kind == tree.SCALAR and unlisted & set(subscript.source.first.names):
                reference.subscripts[d] = ResolvedSubscript(tree.ALL, source=subscript.source)
        mapping = loop_mapping(reference, wanted, fortran=True)
        if mapping.general:
            context.unsupported(
                "an on clause with the loop variable in this form is",
                directive.on.word,
                "write `i`, `i + offset` or `i - offset`",
            )
            return None
        used = {index.variable for index in mapping.indices}
        for word in directive.indices or ():
            if word.text not in used:
                context.error("XMP-E161", f"the loop variable '{word.text}' does not appear in the on clause", word)
                return None
        if not used:
            context.error(
                "XMP-E161", f"the on clause does not mention {', '.join(repr(name) for name in names)}", directive.on.word,
                [("this loop is to be distributed", items[tight[0]].words[0])],
                "write the loop variable as a subscript of the on clause",
            )  # fmt: skip
            return None
        loops = [LocalLoop(context, at, mapping.of(items[at].variable.text)) for at in tight if items[at].variable.text in used]
        return (mapping, loops) if self._bounds_known(directive, tight, loops) else None

    def _bounds_known(self, directive, tight, loops):
        """All bounds are evaluated before the nest."""
        context = self.context
        for loop in loops:
            known = context.declarations.type_of(loop.name)
            if known is not None and (known[0] != "integer" or known[2]):
                context.error("XMP-E162", f"the loop variable '{loop.name}' is not an integer", loop.item.variable)
                return False
            if not loop.item.last:
                context.error("XMP-E162", "the do loop has no last value", loop.item.variable)
                return False
            if integer(loop.given_step) == 0:
                context.error("XMP-E162", "the step of the loop is 0", loop.item.step[0])
                return False
            outer = {context.items[at].variable.text for at in tight if at < loop.position}
            for word in (*loop.item.first, *loop.item.last, *(loop.item.step or ())):
                if word.text in outer:
                    context.unsupported(
                        "a distributed loop whose bounds depend on an outer loop of its nest is", word,
                        "distribute only the outer loop", [("the loops are distributed here", directive.word)],
                    )  # fmt: skip
                    return False
        return True

    # ---- the text ----
    def _lower(self, position, directive, mapping, loops):
        context, items, site = self.context, self.context.items, self.context.site(position)
        outer = position + 1
        end = items[outer].end
        check_no_jumps(context, outer, end, "distributed loop", tuple(loop.position for loop in loops))
        check_shadow(context, directive, [items[at] for at in range(outer, end + 1)], mapping)
        reductions = loop_reductions(context, directive, position)
        on = context.on_with_indices(mapping.reference, {index.dimension for index in mapping.indices})
        partial, push = self._partial(mapping), self._needs_set(outer, end)
        task = context.numbered("loop_xmp") if partial or push else None
        head = ["block", *(loop.declaration() for loop in loops), *(r.declaration() for r in reductions)]
        head += [f"type(XMP_Task) :: {task}"] if task else []
        head += [loop.bounds(context, site, mapping.reference) for loop in loops]
        head += [r.start() for r in reductions]
        tail = []
        if task:
            head += [
                f"call XMP_Loop_set({task}, {site}, {on}, {mapping.mask}, {1 if push else 0})",
                f"if ({task}%member /= 0) then",
            ]
            tail += ["end if", f"call XMP_Task_leave({task})"]
        tail += [r.combine(site, on, mapping.mask) for r in reductions]
        tail += [f"{loop.name} = {loop.final}" for loop in loops]
        for loop in loops:
            context.edits.statement(loop.item.statement, loop.header())
            self.enclosing.append((end, mapping.reference.entity, loop.index))
        self._refuse_openmp_end(items[end])
        context.edits.after(items[end].statement, "; ".join(["", *tail, "end block"]))
        return "; ".join(head)

    def _partial(self, mapping):
        """Whether the on clause leaves nodes out by a subscript that no loop around has already chosen."""
        reference = mapping.reference
        names = [index.variable for _, _, index in self.enclosing]
        chosen = {index.dimension: index for index in loop_mapping(reference, names, fortran=True).indices}
        for d, subscript in enumerate(reference.subscripts):
            if d in {index.dimension for index in mapping.indices} or subscript.kind in (tree.ALL, tree.OWN):
                continue
            entity = reference.entity
            if not isinstance(entity, NodesEntity) and entity.formats[d].kind == "*":
                continue
            index = chosen.get(d)
            if index is None or not any(
                e is entity and i.dimension == d and i.variable == index.variable and i.offset == index.offset
                for _, e, i in self.enclosing
            ):
                return True
        return False

    def _needs_set(self, first, end):
        """Whether something in the iterations may ask for the executing set: a procedure of the user, an inquiry, or a
        directive
        other than a loop."""
        context = self.context
        for position in range(first, end):
            item = context.items[position]
            if item.kind == "directive":
                if item.words and item.words[0].text != "loop":
                    return True
                continue
            if item.kind == "call" or (item.guarded is not None and item.guarded.kind == "call"):
                return True
            for word, after in zip(item.words, item.words[1:]):
                if word.kind == "identifier" and after.text == "(" and word.text not in _INTRINSICS:
                    variable = context.declarations.variables.get(word.text)
                    if variable is None or not (variable.bounds or variable.base == "character"):
                        return True
        return False

    def _refuse_openmp_end(self, item):
        """`!$omp end do` must follow the loop's end directly, where our statements stand."""
        lines, line = self.context.file.source.lines, item.statement.last_line + 1
        if line < len(lines) and lines[line].lstrip().lower().startswith("!$omp end") and "parallel do" in lines[line].lower():
            self.context.unsupported(
                "an OpenMP end directive behind a distributed loop is", item.words[0], "leave it out: it is optional"
            )
