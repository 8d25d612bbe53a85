"""loop: gives the do loops of a nest this node's bounds (specification 4.4.3). The loop variables and the bodies stay the
user's."""

from ...semantics.entities import NodesEntity
from ..reading.declarations import text_of
from .context import indices
from .reduction import Reduced


class LocalLoop:
    """A DistributedLoop with the names of its variables."""

    def __init__(self, context, loop):
        self.loop, self.item, self.name = loop, loop.counting.item, loop.name
        self.first, self.last, self.final = (context.name(self.name + suffix) for suffix in ("_first", "_last", "_final"))
        self.own_step = not loop.counting.constant
        self.step = context.name(self.name + "_step") if self.own_step else loop.counting.step

    def declaration(self):
        names = [self.first, self.last, self.final] + ([self.step] if self.own_step else [])
        return f"integer(kind({self.name})) :: {', '.join(names)}"

    def bounds(self, context, site):
        entity, index = self.loop.entity, self.loop.index
        function = "XMP_Loop_nodes" if isinstance(entity, NodesEntity) else "XMP_Loop"
        range_ = indices(text_of(self.item.first), text_of(self.item.last), self.step, index.offset)
        along = f"{context.object(entity)}, {index.dimension}"
        call = f"call {function}({site}, {along}, {range_}, {self.first}, {self.last}, {self.final})"
        return f"{self.step} = {self.loop.counting.step}; {call}" if self.own_step else call

    def header(self, edits):
        """The do statement gets this node's bounds."""
        step = f", {self.step}" if self.item.step else ""
        edits.words(self.item.statement, self.item.first[0], self.item.words[-1], f"{self.first}, {self.last}{step}")


class Loops:
    """Writes loop directives."""

    def __init__(self, context):
        self.context = context

    def loop(self, step):
        """The text in place of the directive."""
        context, end = self.context, self.context.items[step.block[1]]
        site, on, mask = (
            context.site(step.place),
            context.on_with_indices(step.mapping.reference, step.running),
            step.mapping.mask,
        )
        loops = [LocalLoop(context, loop) for loop in step.loops]
        reductions = [Reduced(context, reduction) for reduction in step.reductions]
        task = context.numbered("loop_xmp") if step.partial or step.own_set else None
        head = ["block", *(part.declaration() for part in (*loops, *reductions))]
        head += [f"type(XMP_Task) :: {task}"] if task else []
        head += [loop.bounds(context, site) for loop in loops]
        head += [reduction.start() for reduction in reductions]
        tail = [reduction.combine(site, on, mask) for reduction in reductions]
        if task:
            set_ = f"call XMP_Loop_set({task}, {site}, {on}, {mask}, {1 if step.own_set else 0})"
            head += [set_, f"if ({task}%member /= 0) then"]
            tail = ["end if", f"call XMP_Task_leave({task})", *tail]
        tail += [f"{loop.name} = {loop.final}" for loop in loops]
        for loop in loops:
            loop.header(context.edits)
        self._refuse_openmp_end(end)
        context.edits.after(end.statement, "; ".join(["", *tail, "end block"]))
        return "; ".join(head)

    def _refuse_openmp_end(self, item):
        """`!$omp end do` must follow the loop's end directly, where our statements stand."""
        lines, line = self.context.file.source.lines, item.statement.last_line + 1
        if line < len(lines) and lines[line].lstrip().lower().startswith("!$omp end") and "parallel do" in lines[line].lower():
            self.context.unsupported(
                "an OpenMP end directive behind a distributed loop is", item.words[0], "leave it out: it is optional"
            )
