"""Reads the words of one directive: the cursor and the grammar that several directives share."""

from ..spelling import did_you_mean
from .operands import first_wrong
from .tree import ALL, OWN, RANGE, SCALAR, Reference, Subscript, Width
from .words import Expression, Word, section_end

_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")


class DirectiveError(Exception):
    """code, message, the word to point at, the help line (nearest name), notes: pairs (message, word)."""

    def __init__(self, code, message, word, help=None, notes=()):
        super().__init__(message)
        self.code = code
        self.message = message
        self.word = word
        self.help = help
        self.notes = notes


class Reader:
    """A cursor over the words. `fortran`: names and keywords compare without case."""

    def __init__(self, words, language, start):
        self.words = words
        self.fortran = language == "Fortran"
        self.language = language
        self.position = 0
        last = words[-1] if words else start
        self.end = Word("", last.file, last.line, last.column + len(last.text) if last.column else 0, False, "end")

    # ---- cursor ----
    @property
    def word(self):
        return self.words[self.position] if self.position < len(self.words) else self.end

    def peek(self, distance=1):
        at = self.position + distance
        return self.words[at] if at < len(self.words) else self.end

    @property
    def done(self):
        return self.position >= len(self.words)

    def key(self, word=None):
        """The word as keywords are compared."""
        text = (word or self.word).text
        return text.lower() if self.fortran else text

    def at(self, *texts):
        return not self.done and self.key() in texts

    def take(self):
        word = self.word
        self.position += 1
        return word

    def accept(self, text):
        if self.at(text):
            return self.take()
        return None

    def expect(self, text, why=""):
        if self.at(text):
            return self.take()
        message = f"expected '{text}'{' ' + why if why else ''}{self.instead()}"
        self.fail(message, notes=self._opening() if text in _CLOSE else ())

    def instead(self):
        return f" before '{self.word.text}'" if not self.done else " at the end of the directive"

    def fail(self, message, word=None, help=None, code="XMP-E103", notes=()):
        raise DirectiveError(code, message, word or self.word, help, notes)

    def name(self, what):
        if self.word.kind != "identifier":
            self.fail(f"expected {what}{self.instead()}")
        return self.take()

    def finish(self, clauses=()):
        """Nothing may follow but what the caller has read; `clauses` are the names that could stand here."""
        if self.done:
            return
        word = self.word
        if word.kind != "identifier":
            self.fail(f"unexpected '{word.text}' after the directive")
        if word.text in clauses:
            self.fail(f"the clause '{word.text}' is given twice or stands in the wrong place", code="XMP-E102")
        allowed = f"this directive takes {', '.join(clauses)}" if clauses else "this directive takes no clause"
        self.fail(f"unknown clause '{word.text}'", help=did_you_mean(self.key(), clauses, allowed), code="XMP-E102")

    # ---- expressions ----
    def expression(self, stops, what="an expression"):
        """Words up to one of `stops` outside brackets; a `:` that belongs to a `?` is no stop, but two colons are one."""
        first, depth, questions = self.position, 0, 0
        while not self.done:
            text = self.word.text
            if depth == 0 and (":" if text == "::" else text) in stops and not (text == ":" and questions):
                break
            if text in _OPEN:
                depth += 1
            elif text in _CLOSE:
                if depth == 0:
                    break
                depth -= 1
            elif depth == 0 and text == "?":
                questions += 1
            elif depth == 0 and text == ":":
                questions -= 1
            self.position += 1
        if first == self.position:
            self.fail(f"expected {what}{self.instead()}")
        words = self.words[first : self.position]
        wrong = first_wrong(words, self.fortran)
        if wrong:
            self._cannot_go_on(first + wrong[0], wrong[1])
        return Expression.of(words)

    def _cannot_go_on(self, position, expected):
        """The word there does not fit into an expression."""
        self.position = position
        opening = self._open_bracket()
        if expected == "an operator" and opening:
            expected = f"'{_CLOSE[_OPEN.index(opening.text)]}' or an operator"
        self.fail(f"expected {expected}{self.instead()}", notes=self._opening() if "'" in expected else ())

    def _open_bracket(self):
        """The innermost bracket that is open before the word, or None."""
        opened = []
        for word in self.words[: self.position]:
            if word.text in _OPEN:
                opened.append(word)
            elif word.text in _CLOSE and opened:
                opened.pop()
        return opened[-1] if opened else None

    def _opening(self):
        """The note that shows what is not closed."""
        opening = self._open_bracket()
        return [(f"this '{opening.text}' is not closed", opening)] if opening else ()

    def listed(self, read):
        """read() { , read() }"""
        items = [read()]
        while self.accept(","):
            items.append(read())
        return items

    def separated(self, read, close=")"):
        """read() { , read() } close."""
        items = self.listed(read)
        self.expect(close)
        return items

    def enclosed(self, read):
        """( read() )"""
        self.expect("(")
        value = read()
        self.expect(")")
        return value

    def bracketed(self, read, what):
        """(x, y) or [x][y], in C also [x, y] (GEN-05). Returns the bracket and the items; read(bracket) gets it."""
        if self.at("("):
            self.take()
            return "(", self.separated(lambda: read("("), ")")
        if self.fortran or not self.at("["):
            self.fail(f"expected {'(' if self.fortran else '[ or ('} {what}{self.instead()}")
        items = []
        while self.accept("["):
            items.extend(self.separated(lambda: read("["), "]"))
        return "[", items

    # ---- parts that several directives share ----
    def subscript(self, bracket):
        word = self.word
        stops = (",", ":", ")", "]")
        if self.at("*") and self.peek().text in (",", ")", "]"):
            self.take()
            return Subscript(word, OWN)
        first = None if self.at(":", "::") else self.expression(stops, "a subscript")
        if self.accept("::"):  # the lexers join the two colons of `::2`
            return Subscript(word, RANGE, first, None, self.expression(stops))
        if not self.accept(":"):
            return Subscript(word, SCALAR, first)
        second = None if self.at(":", ",", ")", "]") else self.expression(stops)
        step = self.expression(stops) if self.accept(":") else None
        if first is None and second is None and step is None:
            return Subscript(word, ALL)
        if bracket == "[" and second is not None:
            first = first or Expression("0", word)
            second = Expression(section_end(first.text, second.text, step.text if step else "1"), second.word, second.words)
        return Subscript(word, RANGE, first, second, step)

    def reference(self, what="nodes or a template"):
        """nodes-ref or template-ref."""
        word = self.word
        if self.accept("*"):
            return Reference(word, "*")
        name = self.name(f"the name of {what}")
        if not self.at("(", "["):
            return Reference(word, name.text)
        bracket, subscripts = self.bracketed(self.subscript, f"and the subscripts of '{name.text}'")
        return Reference(word, name.text, bracket, subscripts)

    def width(self, modifiers=()):
        word, modifier = self.word, None
        if self.accept("/"):
            given = self.name("a modifier")
            if self.key(given) not in modifiers:
                allowed = " or ".join(f"/{m}/" for m in modifiers) or "none"
                help = did_you_mean(self.key(given), modifiers, f"allowed here: {allowed}", "'/{}/'")
                self.fail(f"unknown modifier '/{given.text}/'", given, help, "XMP-E102")
            modifier = self.key(given)
            self.expect("/")
        if self.at("*") and not modifiers:
            self.take()
            return Width(word, None, None, True, None)
        stops = (",", ":", ")", "]")
        lower = self.expression(stops, "a width")
        upper = self.expression(stops, "a width") if self.accept(":") else lower
        return Width(word, lower, upper, False, modifier)

    def widths(self, modifiers=()):
        self.expect("(", "and the widths")
        return self.separated(lambda: self.width(modifiers))

    def variables(self):
        """( variable, ... )"""
        self.expect("(", "and the variables")
        return self.separated(lambda: self.expression((",", ")"), "a variable"))

    def names(self, what):
        self.expect("(", f"and {what}")
        return self.separated(lambda: self.array_name(what))

    def array_name(self, what):
        """A name or, in C, a member of a structure, `s.a` as one word (MAP-18)."""
        name = self.name(what)
        if self.at("%", "->") or (self.fortran and self.at(".")):
            self.fail("this member of a structure cannot be a global array", name, "use an array of its own", "XMP-E190")
        if self.accept("."):
            member = self.name("a member")
            return Word(f"{name.text}.{member.text}", name.file, name.line, name.column, name.space, name.kind)
        return name

    def async_id(self):
        self.expect("(", "and the async-id")
        value = self.expression((")",), "an async-id")
        self.expect(")")
        return value

    def clauses(self, table):
        """Reads clauses in any order, each once: table name -> function. Returns a dict."""
        values = {}
        while not self.done and self.key() in table and self.key() not in values:
            key = self.key(self.take())
            values[key] = table[key]()
        self.finish(tuple(table))
        return values
