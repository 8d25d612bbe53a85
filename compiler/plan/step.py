"""What all parts of a plan have in common."""


class InvalidPlan(Exception):
    """A plan that contradicts itself: an error of the planner, never of the user's program."""


class Step:
    """What one directive makes each node of its executing set do: fields, without any text of the language but the user's
    own expressions. directive: the tree.Directive, None for a call or declaration; place: where it stands, in the language's
    terms."""

    fields = ()

    def __init__(self, directive, place, **values):
        self.directive, self.place = directive, place
        for name in self.fields:
            setattr(self, name, values.pop(name))
        self.require(not values, f"has no {', '.join(values)}")

    def validate(self):
        """Raises InvalidPlan where the parts do not fit together."""

    def require(self, condition, message):
        if not condition:
            what = self.directive.text if self.directive is not None else type(self).__name__
            raise InvalidPlan(f"the plan of '{what}' {message}")

    def require_subscripts(self, *references):
        """References to nodes and templates have a subscript for each dimension, or none."""
        for reference in references:
            if reference is not None and reference.entity is not None and reference.subscripts:
                self.require(
                    len(reference.subscripts) == reference.entity.rank, f"subscripts '{reference.entity.name}' wrongly"
                )
