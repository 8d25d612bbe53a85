"""Functions that the program only gives a type: `real f`. The compiler takes such a name for a variable inside of BLOCK, which
the translation puts around loops and tasks. There they are declared EXTERNAL or INTRINSIC."""

from ..reading.lexer import closing, find

INTRINSIC = frozenset(
    "abs achar acos acosh adjustl adjustr aimag aint alog alog10 amax0 amax1 amin0 amin1 amod anint asin asinh atan "
    "atan2 atanh bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn btest cabs ccos ceiling cexp char clog "
    "cmplx conjg cos cosh csin csqrt dabs dacos dasin datan datan2 dble dconjg dcos dcosh ddim dexp dfloat dim dimag "
    "dint dlog dlog10 dmax1 dmin1 dmod dnint dprod dreal dsign dsin dsinh dsqrt dtan dtanh epsilon erf erfc exp exponent "
    "float floor fraction gamma huge iabs iachar iand ibclr ibits ibset ichar idim idint idnint ieor ifix index int ior "
    "ishft ishftc isign len len_trim lge lgt lle llt log log10 log_gamma logical max max0 max1 min min0 min1 mod modulo "
    "nearest nint not precision radix range real rrspacing scale scan selected_int_kind selected_real_kind set_exponent "
    "sign sin sinh sngl spacing sqrt tan tanh tiny trim verify zabs zcos zexp zlog zsin zsqrt".split()
)
# What begins statements about images with a second word before brackets: `sync images (1)`, `event post (e)`.
_OF_IMAGES = frozenset(("sync", "event", "form", "change"))
_HARMLESS = frozenset(("public", "private"))  # attributes that say nothing about what a name is


def write(context):
    """Edits of the declarations of all such functions that units with directives call."""
    units = {unit for unit in context.file.units if context.executable_directives(unit)}
    called, assigned = {}, set()
    for item in context.items:
        if item.statement.directive or item.unit is None:
            continue
        statement = item.guarded or item
        if statement.kind == "assignment" and statement.words[1].text == "(":
            assigned.add(_variable(context, item, statement.words[0]))  # a statement function, a part of a text
        if item.executable and item.unit in units:
            called.update((_variable(context, item, word), True) for word in _before_brackets(item.words))
    for variable in called:
        if variable is not None and variable not in assigned and _only_typed(context, variable):
            attribute = "intrinsic" if variable.name in INTRINSIC else "external"
            context.edits.after(variable.item.statement, f"; {attribute} {variable.name}")


def _variable(context, item, word):
    return context.scopes.of(item.unit).lookup(word.text)


def _before_brackets(words):
    """The names that call functions, or have subscripts; those of components and substrings not."""
    for number, word in enumerate(words[:-1]):
        before = words[number - 1].text if number else ""
        if word.kind == "identifier" and words[number + 1].text == "(" and before != "%" and before not in _OF_IMAGES:
            inside = words[number + 2 : closing(words, number + 1)]
            if find(inside, ":") is None:
                yield word


def _only_typed(context, variable):
    declarations = variable.declarations
    if variable.item is None or declarations.file is not context.file or variable.is_result:
        return False
    entries = {entry.name for entry in declarations.entries}
    known = variable.bounds or variable.common is not None or variable.initial is not None or variable.name in entries
    return variable.typed and not known and not set(variable.attributes) - _HARMLESS
