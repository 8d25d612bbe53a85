"""The walk over a unit's tree that turns directives and global arrays into edits."""

from ...directives import tree
from ...directives.words import plus
from ...plan import gmove, loop, task
from ...plan.directives import plan
from ...plan.mapping import TemplateFix
from ..reading import syntax
from ..reading.places import Place
from . import array_construct, communication, localview, mapping, pragmas
from .array_functions import ArrayFunctions
from .atomics import Atomics
from .coarrays import Coarrays
from .coindexed import Coindexed
from .collect import collect
from .declarations import Declarations
from .elements import shape
from .gmove import Gmove
from .in_front import InFront
from .loops import Loops
from .pragmas import Pragmas
from .references import References
from .sections import Sections
from .tasks import Tasks
from .texts import object_name


def lower(context):
    """Records the edits for the whole unit."""
    collect(context)
    context.local_view = len(context.coarrays) > 0 or context.transport is not None
    lowering = Lowering(context)
    for expression in context.unit.typeofs:
        lowering.visit(expression)
    lowering.visit(context.unit)
    if lowering.is_xmp:
        context.edits.epilogue.extend(lowering.declarations.epilogue())


# Functions of xmp.h that wait for other nodes: their messages say where they are called.
WAITING_FUNCTIONS = ("xmp_barrier", "xmp_sync_all", "xmp_sync_image", "xmp_sync_images", "xmp_sync_images_all", "xmp_cofree")


class Lowering:
    """One handler for each kind of node that needs one; everything else is walked through."""

    def __init__(self, context):
        self.context = context
        self.edits = context.edits
        self.done = set()  # For statements whose headers are rewritten already
        self.copies = {}  # For statements that become memcpy -> the statement
        self.references = References(context)
        self.declarations = Declarations(context)
        self.pragmas = Pragmas(self)
        self.loops = Loops(self)
        self.tasks = Tasks(self)
        self.gmove = Gmove(self)
        self.coarrays = Coarrays(context, self.declarations)
        self.in_front = InFront(context, self.references, self.coarrays)
        self.coindexed = Coindexed(self)
        self.atomics = Atomics(self)
        self.array_functions = ArrayFunctions(self)
        self.sections = Sections(self)
        self.local_view = localview.LocalView(self)
        self._with_statement = {
            gmove.Gmove: self.gmove.gmove,
            loop.Loop: self.loops.loop,
            loop.TaskLoop: self.loops.task_loop,
            task.Task: self.tasks.task,
            task.Tasks: self.tasks.tasks,
        }
        self._handlers = {
            syntax.Identifier: self._identifier,
            syntax.Declaration: self._declaration,
            syntax.Directive: self._directive,
            syntax.DirectiveStatement: self._directive_statement,
            syntax.FunctionDefinition: self._function,
            syntax.For: self._for,
            syntax.Call: self._call,
            syntax.Section: self._section,
            syntax.CoarrayReference: self._coarray,
            syntax.ExpressionStatement: self._expression_statement,
            syntax.Assign: self._assign,
            syntax.Unary: self._increment,
            syntax.Postfix: self._increment,
        }

    @property
    def is_xmp(self):
        """Whether this file has directives or calls the library."""
        context = self.context
        return bool(context.parsed or len(context.coarrays)) or context.unit.scope.lookup("xmp_desc_t") is not None

    def visit(self, node):
        if node in self.coindexed.settled:
            return
        self.context.at = node
        handler = self._handlers.get(type(node))
        if handler is not None:
            handler(node)
        else:
            self.children(node)

    def spelled(self, expression):
        """An expression's text after its walk."""
        self.visit(expression)
        return self.context.spelling(expression)

    def children(self, node):
        for child in node.children():
            self.visit(child)

    # ---- declarations ----
    def _declaration(self, node):
        self.declarations.declaration(node)
        moved = self.coarrays.declaration(node, self.visit)
        for child in node.children():
            if child not in moved:
                self.visit(child)

    def _function(self, node):
        self.coarrays.function(node)
        if node.declarator.name == "main" and not self._starts_by_itself(node.body):
            self._start(node)
        for directive in node.parameter_directives:
            self._parameter_directive(directive, node.body)
        self.visit(node.body)

    def _parameter_directive(self, node, body):
        """One between a function's head and its body: its calls are the body's first."""
        parsed = self.context.parsed.get(node.first) or []
        if parsed and parsed[0].executable:
            self.context.error("XMP-E105", f"the directive '{parsed[0].kind}' stands outside the body", parsed[0].word)
        elif parsed:
            self.declarations.directive(node, parsed, body.first)

    def _starts_by_itself(self, node):
        """An MPI program that calls procedures with directives (specification A.2) starts the runtime by xmp_init."""
        if isinstance(node, syntax.Call) and getattr(node.function, "name", None) == "xmp_init":
            return True
        return any(self._starts_by_itself(child) for child in node.children())

    def _start(self, node):
        """main starts the runtime; one without XcalableMP in its file does if other files of the program have it."""
        parameters = [p for p in node.declarator.type.parameters or () if p.name]
        arguments = ", ".join(f"&{p.name}" for p in parameters[:2]) if len(parameters) >= 2 else "NULL, NULL"
        start = f"XMP_Start({arguments})" if self.is_xmp else f"XMP_Start_units ? XMP_Start_units({arguments}) : (void)0"
        # A declaration: others may follow, and C90 has them before all statements.
        self.edits.after(node.body.first, f" const int xmp_started __attribute__((unused)) = ({start}, 0);")

    # ---- expressions ----
    def _identifier(self, node):
        array = self.context.array_of(node)
        if array is not None and array.dimensions is not None:
            self.references.identifier(node, self.visit)
            return
        coarray = self.context.coarray_of(node)
        if coarray is not None:
            self.coarrays.identifier(node, coarray)
            if self.context.check:
                self.coarrays.note(node)

    def _section(self, node):
        self.sections.misplaced(node)

    def _coarray(self, node):
        self.coindexed.read(node)

    def _expression_statement(self, node):
        if not self.sections.statement(node):
            self.children(node)

    def _assign(self, node):
        if not self.coindexed.assignment(node):
            self.children(node)
            self.references.pointer_assigned(node)

    def _increment(self, node):
        if node.operator not in ("++", "--") or not self.coindexed.increment(node):
            self.children(node)
            self.references.pointer_moved(node)

    def _call(self, node):
        if self.atomics.call(node) or self.array_functions.call(node):
            return
        name = node.function.name if isinstance(node.function, syntax.Identifier) else None
        if name in ("xmp_desc_of", "xmp_array_of"):
            entity = self._described(node)
            if entity is not None:
                self.edits.replace(node.first, node.last, f"((xmp_desc_t){object_name(entity)})")
        elif name == "xmp_malloc":
            self._malloc(node)
        elif name == "xmp_comalloc":
            self.coarrays.allocation(node, self.visit)
        elif name == "free" and (freed := self._freed(node)) is not None:
            self.edits.override(node.first, node.last, f"xmp_free({object_name(freed)})")
        else:
            self.children(node)
            if name in WAITING_FUNCTIONS:
                self.edits.before(node.first, f'(XMP_Call(XMP_CODE("{name}")), ')
                self.edits.after(node.last, ")")

    def _freed(self, call):
        """The global array of `free(a)`, which means xmp_free(xmp_desc_of(a)): its memory is none of malloc's."""
        argument = call.arguments[0] if len(call.arguments) == 1 else None
        while isinstance(argument, (syntax.Parenthesized, syntax.Cast)):
            argument = argument.operand
        array = self.context.array_of(argument) if isinstance(argument, syntax.Identifier) else None
        return array if array is not None and array.dimensions is not None else None

    def _described(self, call):
        """The entity of xmp_desc_of(name), or None after an error."""
        context = self.context
        if len(call.arguments) != 1 or not isinstance(call.arguments[0], syntax.Identifier):
            context.error("XMP-E191", f"{call.function.name} takes the name of nodes, a template or a global array", call)
            return None
        name = call.arguments[0]
        array = context.array_of(name)
        if array is not None and array.dimensions is not None:
            return array
        entity = context.model.lookup(name.name, scope_of(call, context), call.first)
        if entity is not None:
            return entity
        place = Place(name.token)
        if name.declaration is not None:
            context.error(
                "XMP-E146", f"'{name.name}' is no global array", place, (), f"add an align directive for '{name.name}'"
            )
        else:
            context.error("XMP-E119", f"no nodes, template or global array is called '{name.name}'", place)
        return None

    def _malloc(self, node):
        """xmp_malloc(xmp_desc_of(a), n, m) allocates the array that is named; sizes need not be size_t (MAP-15)."""
        for argument in node.arguments[1:]:
            self.visit(argument)
        descriptor = node.arguments[0] if node.arguments else None
        sizes = [self.edits.text(argument) for argument in node.arguments[1:]]
        named = isinstance(descriptor, syntax.Call) and getattr(descriptor.function, "name", "") == "xmp_desc_of"
        array = self._described(descriptor) if named else None
        if array is None:
            if descriptor is not None and not named:
                self.visit(descriptor)
                for argument in node.arguments[1:]:
                    self.edits.before(argument.first, "(size_t)(")
                    self.edits.after(argument.last, ")")
            return
        if not hasattr(array, "dimensions") or not shape(array.symbol.declaration.type)[2]:
            self.context.error(
                "XMP-E192",
                f"'{array.name}' is no pointer: xmp_malloc cannot allocate it",
                descriptor.arguments[0],
                [("it is declared here", array.word)],
            )
            return
        if len(sizes) != array.rank:
            self.context.error(
                "XMP-E192",
                f"'{array.name}' has {array.rank} dimension{'s' * (array.rank != 1)}, but xmp_malloc gets {len(sizes)} sizes",
                node,
                [("it is declared here", array.word)],
            )
            return
        bounds = mapping.bounds_text([("0", plus(size, -1)) for size in sizes])
        site = self.context.code_site(node)
        self.edits.override(node.first, node.last, f"XMP_Array_allocate({site}, {object_name(array)}, {bounds})")

    # ---- statements ----
    def _for(self, node):
        if node in self.copies:
            self.edits.replace(node.first, node.last, self.copies[node])
        elif node in self.done:
            self.visit(node.body)
        else:
            self._serial(node)

    def _serial(self, node):
        """A for statement that is not distributed."""
        said = self.in_front.serial(node) if self.context.check else ""
        if said:
            self.pragmas.put_before(f"{{ {said}", pragmas.at(node), node.first)
            self.edits.after(node.last, " }")
        self.children(node)

    def _directive(self, node):
        """A stand-alone directive."""
        if node.language != "xmp":
            self.pragmas.adapt(node)
            return
        parsed = self.context.parsed.get(node.first) or []
        if not parsed:
            return
        if isinstance(parsed[0], tree.Coarray):
            self.edits.replace(node.first, node.last, self.coarrays.directive(node, parsed))
            return
        if not parsed[0].executable:
            self.declarations.directive(node, parsed)
            return
        with self.edits.isolated(node):
            step = plan(self.context, parsed[0], node)
            if step is not None:
                self.edits.override(node.first, node.last, self._statement(step))

    def _statement(self, step):
        """The C statement that a stand-alone directive becomes."""
        if isinstance(step, TemplateFix):
            return mapping.call(self.context, step) + ";"
        site = self.context.site_of(step.directive)
        if type(step) in localview.WRITERS:
            return self.local_view.statement(site, step)
        statements = communication.statements(site, step, self.gmove.side)
        return statements[0] if len(statements) == 1 else f"{{ {' '.join(statements)} }}" if statements else ";"

    def _directive_statement(self, node):
        directive = node.directive
        if directive.language != "xmp":
            self._pragma(node)
            return
        parsed = self.context.parsed.get(directive.first) or []
        if not parsed:
            self.visit(node.statement)
            return
        if parsed[0].kind == "array":
            array_construct.write(self, node, parsed[0])
        else:
            self._governing(node, parsed[0])

    def _governing(self, node, directive, *chain):
        step = plan(self.context, directive, node.directive)
        if step is not None:
            self._with_statement[type(step)](node, step, *chain)

    def _pragma(self, node):
        """A directive of OpenMP or gcc with its statement (chapter 8)."""
        chain, loop = pragmas.before_loop(node)
        parsed = self.context.parsed.get(loop.directive.first) if loop is not None else None
        if parsed:
            self.edits.delete(loop.directive.first, loop.directive.last)
            self._governing(loop, parsed[0], chain)
        else:
            self.pragmas.adapt(node.directive)
            self.visit(node.statement)


def scope_of(node, context):
    """The innermost scope around a node."""
    for ancestor in node.ancestors():
        if isinstance(ancestor, (syntax.Compound, syntax.For)) and ancestor.scope is not None:
            return ancestor.scope
    return context.unit.scope
