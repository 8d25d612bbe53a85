"""nodes, template, distribute, align, shadow, template_fix (specification 4.2, 4.3): what each directive creates. The semantic
model holds what the objects are; the plan says which of them come into being with which directive."""

from ..directives.words import integer
from ..semantics.entities import TemplateEntity, in_order
from .questions import Names
from .step import Step

QUESTIONS = (Names,)


class Nodes(Step):
    """entity: the NodesEntity that is declared."""

    fields = ("entity",)

    def validate(self):
        part = self.entity.of
        self.require_subscripts(None if part == "*" else part)


class Template(Step):
    """entity: the TemplateEntity that is declared."""

    fields = ("entity",)

    def validate(self):
        bounds = self.entity.bounds
        self.require(bounds is None or len(bounds) == self.entity.rank, "has too many or few bounds")


class Distribute(Step):
    """template: the TemplateEntity with its formats and nodes."""

    fields = ("template",)

    def validate(self):
        _require_formats(self, self.template, self.template.formats)


class Array(Step):
    """array: the ArrayEntity whose mapping the directive completes."""

    fields = ("array",)

    def validate(self):
        array = self.array
        self.require(len(array.dimensions) == array.rank, f"aligns too many or few dimensions of '{array.name}'")
        self.require(array.shadow is None or len(array.shadow) == array.rank, f"has too many or few shadows of '{array.name}'")
        for dimension in array.dimensions:
            onto = dimension.onto
            self.require(onto is None or 0 <= onto < array.template.rank, f"aligns '{array.name}' with no dimension")


class TemplateFix(Step):
    """4.3.6. template; bounds: pairs of texts, formats: FormatEntities, both in the template's order; None where not given."""

    fields = ("template", "bounds", "formats")

    def validate(self):
        self.require(self.bounds is None or len(self.bounds) == self.template.rank, "has too many or few bounds")
        if self.formats is not None:
            _require_formats(self, self.template, self.formats)


def _require_formats(step, template, formats):
    step.require(len(formats) == template.rank, "has too many or few formats")
    for f in formats:
        step.require(f.node_dimension is None or 0 <= f.node_dimension < template.nodes.rank, "leaves the node array")


def declarations(language, directives, place):
    """The Steps of the declarative directives at one place, in order, and of the arrays that they complete."""
    model, (scope, position), steps = language.model, language.scope(place), []
    for directive in directives:
        if directive.kind in _DECLARED:
            for declaration in directive.declarations:
                entity = model.lookup(declaration.name, scope, position + 1)
                if entity is not None and entity.word is declaration.word:  # not the first of two of this name
                    steps.append(_DECLARED[directive.kind](directive, place, entity=entity))
        elif directive.kind == "distribute":
            template = model.lookup(directive.template.text, scope, position)
            if template is not None and template.distribution is directive:
                steps.append(Distribute(directive, place, template=template))
    steps += [Array(array.align, place, array=array) for array in model.completed(position)]
    return [language.planned(step) for step in steps]


_DECLARED = {"nodes": Nodes, "template": Template}


def _template_fix(language, directive, place):
    """The Step of a template_fix, or None after an error."""
    if language.refuses("template_fix", directive.word):
        return None
    model, (scope, position) = language.model, language.scope(place)
    template = model.named(directive.template, scope, position, TemplateEntity)
    if template is None or not _deferred(language, directive, template) or template.nodes is None:
        return None  # the model has said that it is not distributed
    bounds = formats = None
    if directive.bounds is not None:
        if len(directive.bounds) != template.rank:
            model.wrong_rank(template, len(directive.bounds), directive.template, "bounds")
            return None
        bounds = in_order(model.bounds(directive.bounds, directive.bracket), directive.bracket, template.bracket)
    if directive.formats is not None:
        formats = model.formats(directive.formats, directive.bracket, template, template.nodes, directive.template)
        if len(directive.formats) != template.rank:
            return None
        for given, declared in zip(formats, template.formats):
            _same_format(language, template, given, declared)
    return TemplateFix(directive, place, template=template, bounds=bounds, formats=formats)


def _deferred(language, directive, template):
    if template.bounds is None or any(f.size == "*" for f in template.formats or ()):
        return True
    message = f"the template '{template.name}' is not deferred; its shape is fixed by its declaration"
    notes = [("it is declared here", template.word)]
    language.error(
        "XMP-E126", message, directive.template, notes, f"declare it as {template.name}{'[:]' if template.row_major else '(:)'}"
    )
    return False


def _same_format(language, template, given, declared):
    same = given.size == declared.size or declared.size == "*" or integer(given.size or "1") == integer(declared.size or "1")
    if given.kind != declared.kind or not same:
        message = f"template_fix gives another format than distribute for '{template.name}'"
        notes = [("the distribution is here", declared.word)]
        language.error("XMP-E128", message, given.word, notes, "only the array of gblock may differ")


PLANNERS = {"template_fix": _template_fix}
