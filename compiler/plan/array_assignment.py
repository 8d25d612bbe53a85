"""Array assignments `x[1:n] = ...` (specification 3.2): do the shapes conform, and which way do the elements go?"""

# What `way` answers.
WAYS = {
    "transfer": "one call copies between this image and another",
    "accumulate": "one call updates the elements of another image by those of a section here",
    "scalar": "one call assigns one value to all elements of another image",
    "remote": "the right side is computed here, then put or accumulated at once",
    "modify": "the same with a get before, for an update that the runtime does not carry out",
    "loops": "the statement itself, in loops; sections of other images are fetched before",
    "move": "one block of memory to another that may overlap it",
    "temporary": "through memory of its own, as the target overlaps what is read",
}


class Dimension:
    """One section. first, step, number (of elements), size (of the array's dimension): None where not known when compiling;
    full: the whole dimension, written without bounds."""

    first = step = number = size = None
    full = False

    def measured(self, size, begin, length, step):
        """Itself, with what is known of its parts. begin, length, step: expressions, None where left out."""
        self.size, self.step = size, 1 if step is None else step.constant()
        self.first = 0 if begin is None else begin.constant()
        self.number = self.rest() if length is None else length.constant()
        return self

    def rest(self):
        """The number of elements up to the end of the dimension, or down to 0."""
        if None in (self.first, self.step) or self.step == 0 or self.size is None and self.step > 0:
            return None
        return (self.size - self.first + self.step - 1) // self.step if self.step > 0 else self.first // -self.step + 1

    def outside(self):
        """A subscript outside the array, or None."""
        if None in (self.size, self.first):
            return None
        last = self.first if None in (self.step, self.number) else self.first + (self.number - 1) * self.step
        if not 0 <= self.first < self.size:
            return self.first
        return None if 0 <= last < self.size and (self.number is None or self.number >= 1) else last


class Operand:
    """One section of either side. text: the user's; word: where it stands; dimensions: Dimensions; remote: whether it is on
    another image."""

    @property
    def rank(self):
        return len(self.dimensions)

    # ---- questions to the language ----
    def contiguous(self):
        """Whether the elements follow each other in memory, as far as can be seen."""
        raise NotImplementedError

    def is_like(self, target):
        """Whether the elements have the same type."""
        raise NotImplementedError

    def is_separate(self, target):
        """Whether writing the target cannot change what is still to be read of it, when both are on this image."""
        raise NotImplementedError


def misfit(target, operand):
    """What is wrong with an operand's shape, or None."""
    if operand.rank != target.rank:
        return f"'{operand.text}' has rank {operand.rank}, and the left side has rank {target.rank}"
    for d, (mine, left) in enumerate(zip(operand.dimensions, target.dimensions)):
        if None not in (mine.number, left.number) and mine.number != left.number:
            given = f"{mine.number} element{'s' * (mine.number != 1)}"
            return f"dimension {d + 1} of '{operand.text}' has {given}; the left side has {left.number}"
    return None


def way(target, operands, source, is_plain, at_image):
    """One of WAYS. source: the Operand that is all of the right side, or None; is_plain: assigned, not updated; at_image:
    whether the runtime carries out the update (plan.coarrays.at_image)."""
    direct = source is not None and source.is_like(target)
    if direct and is_plain and source.remote != target.remote:
        return "transfer"
    if target.remote:
        if direct and at_image and not source.remote and source.is_separate(target):
            return "accumulate"
        if not (is_plain or at_image):
            return "modify"
        return "remote" if operands else "scalar"
    if all(operand.remote or operand.is_separate(target) for operand in operands):
        return "loops"
    return "move" if direct and is_plain and source.contiguous() and target.contiguous() else "temporary"
