"""C tokens: what a lexer, a parser and the weaver need to know of each word of the preprocessed text.

Whitespace, comments and gcc's line markers are not tokens; a token knows where in the text it starts, so the text between
two tokens is never lost. A directive (`#pragma xmp ...`, `#pragma omp ...`, gcc's for loops) is a PRAGMA token, the tokens of
its operands (macros already expanded), and a PRAGMA_END token, all in the one list of the translation unit."""

IDENTIFIER = "identifier"  # keywords too: C's own, GNU's and XMP's; who needs to tell them apart looks at the text
NUMBER = "number"
STRING = "string"
CHARACTER = "character"
PUNCTUATOR = "punctuator"
PRAGMA = "pragma"  # text: "#pragma xmp", "#pragma omp", "#pragma GCC"
PRAGMA_END = "pragma end"  # text: ""
END = "end"  # the last token of a unit, text: ""


class Token:
    """One token of the preprocessed text.

    kind, text   as above
    file, line   where the user finds it, after gcc's line markers; all tokens of a macro call carry the line of the call
    column       1-based, of its first character in the user's file (of the macro call, where it comes from one); 0 where not
                 known. Found when first asked for: `locate` is a function token -> column, or None
    start, end   its place in Source.text
    space        whether white space precedes it
    system       whether it stands in a system header
    """

    __slots__ = ("kind", "text", "file", "line", "start", "end", "space", "system", "locate")

    def __init__(self, kind, text, file, line, start, end, space, system=False):
        self.kind = kind
        self.text = text
        self.file = file
        self.line = line
        self.start = start
        self.end = end
        self.space = space
        self.system = system
        self.locate = None

    @property
    def column(self):
        return self.locate(self) if self.locate else 0

    def __repr__(self):
        return f"{self.text!r} ({self.kind}) {self.file}:{self.line}"
