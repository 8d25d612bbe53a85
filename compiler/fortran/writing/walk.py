"""The walk over the statements of a file that turns directives and global arrays into edits."""

import os
import re

from ...directives.parser import DirectiveError, parse, shortened
from ...plan.directives import plan
from ...plan.loop import Loop
from ...plan.mapping import declarations
from ...plan.task import Task
from ...plan.task import Tasks as TasksStep
from ..reading.declarations import Declarations
from . import communication, mapping, references
from .edits import indentation
from .loops import Loops
from .tasks import Tasks


def lower(context):
    """Records the edits for the whole file."""
    declarative = _read(context)
    context.model.finish()
    if not context.diagnostics.ok:
        return
    for array in context.model.arrays:
        mapping.check_array(context, array)
    references.check_all(context, lambda unit: _hidden(context, unit))
    mapping.rewrite_declarations(context)
    planned = [(position, directives[0], declarations(context, directives, position)) for position, directives in declarative]
    early = _declare_objects(context, planned)
    _executable(context)
    _surround(context, [step for _, _, steps in planned for step in steps], early)


def _declare_objects(context, planned):
    """Variables for what the directives declare, in their places. Returns those that must wait, because a use or implicit
    statement follows."""
    heads = ("use", "import", "implicit")
    last = max(
        (p for p in context.unit.items if context.items[p].kind == "specification" and context.items[p].words[0].text in heads),
        default=-1,
    )
    early = []
    for position, directive, steps in planned:
        names, comment = mapping.objects(context, steps), _comment(directive)
        if position < last:
            early, names = early + names, []
        _replace(context, position, f"{mapping.declaration(names)}  {comment}" if names else comment)
    return early


def _hidden(context, unit):
    """Names that an internal procedure declares itself."""
    return () if unit is context.unit else set(Declarations(context.file, unit).variables)


# ---- first pass: every directive to the parser, declarations to the model ----


def _read(context):
    """(position, directives) of the declarative ones in the main program."""
    own = set(context.unit.items)
    steps = []
    for position, item in enumerate(context.items):
        context.at = item
        if item.kind != "directive":
            _check_include(context, item)
            continue
        parsed = context.parsed[position] = _parsed(context, item)
        if not parsed:
            continue
        if position not in own:
            context.unsupported(
                "directives outside the main program are", parsed[0].word, "move the directive, or inline the procedure"
            )
        elif parsed[0].executable:
            continue
        elif position > context.unit.start:
            context.error("XMP-E103", f"'{parsed[0].kind}' must stand before the first executable statement", parsed[0].word)
        else:
            for directive in parsed:
                mapping.declare(context, position, directive)
            steps.append((position, parsed))
    return steps


def _check_include(context, item):
    """Directives in a file that an include line names would be lost."""
    if item.kind != "specification" or item.words[0].text != "include" or len(item.words) < 2:
        return
    name = item.words[1].text.strip("'\"")
    for directory in (os.path.dirname(context.file.source.path), *context.directories):
        try:
            with open(os.path.join(directory, name), encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
        except OSError:
            continue
        if re.search(r"^[ \t]*[!cC*]\$xmp\b", text, re.M | re.I):
            context.unsupported("directives in included files are", item.words[1], "write them in the main program")
        return


def _parsed(context, item):
    first = item.words[0] if item.words else None
    try:
        return parse(item.words, "Fortran", first)
    except DirectiveError as error:
        context.error(error.code, error.message, error.word, (), error.help)
        return []


# ---- second pass: executable directives ----


def _executable(context):
    tasks = Tasks(context)
    writers = {Loop: Loops(context).loop, Task: tasks.task, TasksStep: tasks.tasks}
    for position in context.unit.items:
        directives = context.parsed.get(position)
        if not directives or not directives[0].executable:
            continue
        directive, context.at = directives[0], context.items[position]
        if directive.kind == "end" and directive.what in ("task", "tasks"):
            text = tasks.end(directive)
        else:
            step = plan(context, directive, position)
            if step is None:
                tasks.failed(directive)
                continue
            writer = writers.get(type(step))
            text = writer(step) if writer else "; ".join(communication.statements(context, step)) or "continue"
        _replace(context, position, f"{text}  {_comment(directive)}")
    tasks.finish()


def _comment(directive):
    """The directive for a reader, no longer one for us."""
    return "! xmp: " + shortened(directive.text, 100)


def _replace(context, position, text):
    """What takes the place of a directive, indented as the statement before or behind it."""
    lines = context.file.source.lines
    own = indentation(lines[context.items[position].statement.first_line])
    near = [item for item in context.items[position + 1 :] if item.kind != "directive"][:1]
    indent = indentation(lines[near[0].statement.first_line]) if near and not own else ""
    context.edits.statement(context.items[position].statement, indent + text)


# ---- around the program ----


def _surround(context, steps, early):
    """The module at the head, the call of the declaring procedure before the first executable statement, the procedure at
    the end."""
    unit, items = context.unit, context.items
    name = context.numbered("xmp_declare")
    start = min([unit.start, *(p for p in unit.items if context.parsed.get(p) and context.parsed[p][0].executable)])
    for position in {start, unit.end}:
        _alone_on_its_line(context, position)
    if unit.opened:
        context.edits.after(items[unit.first].statement, "; use kumihimo_generated")
    else:
        context.edits.lines_before(items[unit.first].statement.first_line, ["use kumihimo_generated"])
    procedure = mapping.declaring_procedure(context, name, steps)
    line = items[start].statement.first_line
    indent = indentation(context.file.source.lines[line]) or "  "
    before = [indent + mapping.declaration(early)] if early else []
    if context.sites:
        before.append(
            f"{indent}{mapping.declaration([f'{context.site_array}({len(context.sites)})'])}  ! where the directives stand"
        )
    context.edits.lines_before(line, [*before, f"{indent}call {name}()"])
    contains = [] if unit.contains is not None else ["contains"]
    context.edits.lines_before(items[unit.end].statement.first_line, [*contains, *procedure])


def _alone_on_its_line(context, position):
    statement = context.items[position].statement
    for other in (context.items[position - 1] if position else None,):
        if other is not None and other.statement.last_line == statement.first_line:
            context.unsupported("two statements on this line are", context.items[position].words[0], "begin a new line here")
