"""Numbers of other images that a load or a store may reach: `a(i)[k]`, `s(i)[k]%x`, `a(:, j)[k]`."""

from ...record import Record
from .coindexed import coindexed
from .components import parts
from .lexer import closing, find, split

_NUMBERS = ("integer", "real", "complex", "logical")
_TYPE_WORDS = frozenset((*_NUMBERS, "double", "precision", "kind"))
_FUNCTIONS = frozenset("abs iand ieor int ior ishft max min mod modulo num_images size this_image".split())
_COLONS = (":", "::")


class Access(Record):
    """One element or section. item: the statement or a part of it; one: the Coindexed; described: the Variable or Component
    that has its type; type: its text, in the procedure; subscripts: of a section the words of each subscript, [] for all of an
    array, None for an element; put: whether it is assigned to; declarations: those that count there."""

    fields = ("item", "one", "described", "subscripts", "put", "declarations", "type")

    @property
    def is_section(self):
        return self.subscripts is not None

    @property
    def words(self):
        return self.item.words

    @property
    def name(self):
        return self.words[self.one.first].text

    @property
    def whole(self):
        """As written."""
        return self._text(self.words[self.one.first].start, self.words[self.one.last].end)

    @property
    def mine(self):
        """What stands there on this image."""
        selector, end = self._selector()
        return self._text(self.words[self.one.first].start, selector) + self._text(end, self.words[self.one.last].end)

    @property
    def array(self):
        """All of the array, of this image, of which it is a section."""
        selector, end = self._selector()
        first = self.words[self.one.first].start
        if not self.subscripts:
            return self.mine
        opening = _before(self.words, self.subscripts)
        if opening.start < selector:
            return self._text(first, opening.start)
        return self._text(first, selector) + self._text(end, opening.start)

    @property
    def subscripted(self):
        """The subscripts with their brackets; of all of an array nothing."""
        return f"({', '.join(self.part(subscript) for subscript in self.subscripts)})" if self.subscripts else ""

    @property
    def image(self):
        """The number of the image that the cosubscripts select."""
        texts = [self.part(words) for words in self.one.cosubscripts]
        if len(texts) == 1:
            return f"int({texts[0]}) - lcobound({self.name}, 1) + 1"
        return f"image_index({self.name}, [integer :: {', '.join(texts)}])"

    def part(self, words):
        return self._text(words[0].start, words[-1].end)

    def _selector(self):
        """Where the text begins that is not of this image's object, and where it ends."""
        return self.words[self.one.opening - 1].end, self.words[self.one.closing].end

    def _text(self, start, end):
        return self.item.statement.text[start:end]


def _before(words, subscripts):
    """The bracket in front of the first subscript."""
    return next(word for word, after in zip(words, words[1:]) if after is subscripts[0][0])


def accesses(context, position, part, pinned):
    """The Accesses in a part of a statement. pinned: variables whose images are those of a node array."""
    declarations = context.declarations(position)
    procedure = context.scopes.of(context.items[position].unit.procedure)
    for one in coindexed(part, declarations):
        described, subscripts = _described(one, part.words)
        if described is None or one.variable in pinned or described.base not in _NUMBERS:
            continue
        if one.variable.has("volatile") or one.variable.has("asynchronous"):
            continue
        inside = part.words[one.first + 1 : one.last + 1]
        put = one.first == 0 and part.words[one.last + 1].text == "="
        access = Access(part, one, described, subscripts, put, declarations)
        access.type = _type(access, procedure)
        if access.type is not None and changes_nothing(context, declarations, inside, subscripts or ()):
            yield access


# ---- what is named ----


def _described(one, words):
    """(Variable or Component, subscripts) of what it is by its form: a number, an element, or a section of one array that the
    program does not allocate as a component; (None, None) for all others."""
    inside = sum(map(len, one.cosubscripts)) + len(one.cosubscripts) - 1  # with the commas between
    if one.closing - one.opening - 1 != inside:
        return None, None
    plain = [*words[one.first : one.opening], *words[one.closing + 1 : one.last + 1]]
    chain = [(0, one.variable), *parts(one.variable, plain, 1)]
    found = None, None
    for (at, described), (after, _) in zip(chain, [*chain[1:], (len(plain) + 1, None)]):
        subscripts = _subscripts(plain, at)
        last = closing(plain, at + 1) if subscripts is not None else at
        selected = at or one.first + last + 1 == one.opening
        if last + 2 != after or not selected or at and described.allocated or subscripts and not described.bounds:
            return None, None
        section = described.bounds and (subscripts is None or any(is_triplet(part) for part in subscripts))
        if section and (after <= len(plain) or not has_place(described)):
            return None, None
        found = described, (subscripts or []) if section else None
    return found


def _subscripts(words, at):
    """The words of each subscript behind a name; None where there are none."""
    if at + 1 >= len(words) or words[at + 1].text != "(":
        return None
    return split(words[at + 2 : closing(words, at + 1)])


def is_triplet(subscript):
    return any(find(subscript, colon) is not None for colon in _COLONS)


def triplet(subscript):
    """The words before and behind the colon of a triplet, and those of its stride; None where they are left out."""
    colon = find(subscript, ":")
    if colon is None:
        double = find(subscript, "::")
        return subscript[:double] or None, None, subscript[double + 1 :] or None
    rest = subscript[colon + 1 :]
    second = find(rest, ":")
    upper, stride = (rest, None) if second is None else (rest[:second], rest[second + 1 :])
    return subscript[:colon] or None, upper or None, stride or None


def has_place(described):
    """Whether an array lies in one piece, and its bounds are known when the program runs."""
    attributes = described.attributes
    return "allocatable" in attributes or "contiguous" in attributes or all(upper is not None for _, upper in described.bounds)


def _type(access, procedure):
    """The text of the type in the procedure; None where the names that it has in its declaration mean something else there."""
    described = access.described
    if procedure.lookup(access.name) is access.one.variable:
        whole = described is access.one.variable
        return f"{described.base}(kind({access.name if whole else access.array if access.is_section else access.mine}))"
    names = "".join(c if c.isalnum() or c == "_" else " " for c in described.type.lower()).split()
    names = [name for name in names if not name[0].isdigit() and name not in _TYPE_WORDS]
    same = all(procedure.lookup(name) is described.declarations.lookup(name) is not None for name in names)
    return described.type if same else None


def changes_nothing(context, declarations, words, subscripts):
    """Whether the words between brackets are scalars whose evaluation changes nothing, and the colons of these subscripts."""
    if sum(word.text == "[" for word in words) > 1:
        return False
    colons = [word for subscript in subscripts for word in _colons(subscript)]
    for number, word in enumerate(words):
        after = words[number + 1].text if number + 1 < len(words) else ""
        if word.text in (*_COLONS, "(/") and word not in colons or word.kind == "string":
            return False
        if word.kind != "identifier" or number and words[number - 1].text == "%":
            continue
        known = declarations.type_of(word.text)
        variable = declarations.lookup(word.text)
        if after == "(" and variable is None and word.text in _FUNCTIONS:
            continue
        if known is None or after == "%" or (after == "(") != bool(known[2]) or context.model.array(variable) is not None:
            return False
    return True


def _colons(subscript):
    """Those of a triplet itself."""
    at = find(subscript, ":") if find(subscript, ":") is not None else find(subscript, "::")
    while at is not None:
        yield subscript[at]
        at = find(subscript, ":", at + 1)
