"""template_fix: a template gets its shape or its formats, and the arrays that wait for it memory (specification 4.3.6)."""

from . import owners
from .arrays import allocated_by_program
from .context import indices
from .mapping import Creation
from .prologue import procedure_of
from .views import attached


def fix(context, step):
    """The statements for a TemplateFix."""
    template, unit = step.template, context.unit(step.place)
    texts = [context.site(step.place), context.object(template)]
    if step.bounds is not None:
        texts.append(f"bounds={indices(*(text for pair in step.bounds for text in pair))}")
    if step.formats is not None:
        written = Creation(context, unit, [])
        texts.append(f"formats=[{', '.join(written.format(f) for f in step.formats)}]")
    return "; ".join([f"call XMP_Template_fix({', '.join(texts)})", *_shown(context, template, unit)])


def _shown(context, template, unit):
    """Calls that show the arrays that waited their block, as far as they are seen from here."""
    around, modules = set(), {}
    while unit is not None:
        around.add(unit)
        unit = unit.parent
    for array in context.model.arrays:
        variable = array.symbol.declaration
        if array.template is not template or allocated_by_program(variable) or variable.dummy or not owners.created(array):
            continue
        if array.symbol.scope.kind == "module":
            modules[procedure_of(array.symbol.scope.name)] = True
        elif array.symbol.scope in around:
            yield from owners.repeated(array, attached(context, array))
    for procedure in modules:
        yield f"call {procedure}()"
