"""What the variables of derived types mean for the global arrays in them (reading/structures.py)."""


def is_component(entity):
    """Whether an entity is the global array that a stand-in means."""
    return getattr(entity, "symbol", None) is not None and entity.symbol.declaration.owner is not None


def created(array):
    """Whether the unit of an array's name creates it when it begins: of stand-ins those of its own variables."""
    owner = array.symbol.declaration.owner
    return owner is None or owner.owned and not owner.component.allocated


def repeated(array, lines):
    """Lines for all elements of the arrays of a type that hold an array."""
    owner = array.symbol.declaration.owner
    if owner is None or not owner.loops or not lines:
        return lines
    loops = [f"do {index} = lbound({text}, {d}), ubound({text}, {d})" for index, text, d in owner.loops]
    names = ", ".join(index for index, _, _ in owner.loops)
    return ["block", f"integer :: {names}", *loops, *lines, *["end do"] * len(loops), "end block"]


def common_place(variable):
    """Which part of COMMON an array is: procedures may give it other names."""
    return f"{variable.common}#{variable.place}"
