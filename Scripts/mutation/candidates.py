"""Small faults that a source file can have, each as changes of its text behind a switch.

Kinds: a limit moved or a comparison turned (`comparison`), another number or truth value (`constant`), a condition negated
(`condition`), a call or an assignment left out (`statement`), and, or, plus, minus, min and max exchanged (`operator`).
"""
import re
from dataclasses import dataclass, field

import tokens as lexer

KINDS = ["comparison", "constant", "condition", "statement", "operator"]
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
EXCHANGED = {"&&": "||", "||": "&&", "+": "-", "-": "+"}
# What follows one of these cannot begin a statement.
JOINING = {"(", "[", ",", ":", ".", "@", "?", "return", "throw", "in", "case", "try", "await", "else"}
# A statement that begins with one of these is no call and no assignment.
KEYWORDS = set(
    "let var const if guard for while repeat do switch case default func function class struct enum extension protocol init deinit "
    "return throw break continue fallthrough defer else import typealias associatedtype subscript get set where is as super "
    "public private internal package fileprivate static final override mutating nonisolated indirect lazy weak open async "
    "goto typedef void int static_assert self export yield new delete in".split())
# Their arguments hold or the program ends, in every run.
ASSERTIONS = {"precondition", "assert", "preconditionFailure", "assertionFailure", "fatalError"}
# A row of more numbers than this is data.
MAX_TABLE = 12


@dataclass
class Candidate:
    path: str
    line: int
    kind: str
    # What stands there and what would stand there, for people.
    old: str
    new: str
    # Changes of the text as (start, end, text), in their order; NUMBER in them stands for the number of the mutant.
    changes: list = field(default_factory=list)
    # The line as it is, by which a mutant is known again.
    source: str = ""

    @property
    def key(self):
        return f"{self.path}\t{self.source}\t{self.old} → {self.new}"


def changed_number(text):
    """Another number of the same type, or None if the text is not a plain one."""
    if re.fullmatch(r"\d[\d_]*", text):
        value = int(text.replace("_", ""))
        return str(value + 1 if value <= 16 else value * 2)
    if re.fullmatch(r"0x[0-9a-fA-F_]+", text):
        value = int(text.replace("_", ""), 16)
        return hex(value ^ 1)
    if re.fullmatch(r"\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?", text):
        value = float(text.replace("_", ""))
        return repr(value * 1.5) if value else "1.0"
    return None


class Source:
    """The candidates of a file."""

    def __init__(self, path, text, language):
        self.path, self.text, self.language = path, text, language
        self.tokens = lexer.tokens(text, language)
        self.lines = text.split("\n")
        self.found = []

    def candidates(self):
        for index, token in enumerate(self.tokens):
            if self.is_left_out(index):
                continue
            self.comparisons(index, token)
            self.constants(index, token)
            self.conditions(index, token)
            self.statements(index, token)
            self.exchanges(index, token)
        return self.found

    def add(self, kind, token, old, new, *changes):
        self.found.append(
            Candidate(self.path, token.line, kind, " ".join(old.split()), " ".join(new.split()), list(changes), self.lines[token.line - 1].strip()))

    def token(self, index):
        return self.tokens[index] if 0 <= index < len(self.tokens) else lexer.Token("mark", "", 0, 0, True, True)

    def is_left_out(self, index):
        """Conditional compilation, attributes, assertions, and in C what is outside of functions."""
        line = self.lines[self.tokens[index].line - 1].strip()
        if line.startswith(("#", "@available", "infix operator", "import ")) and self.language != "c":
            return True
        if self.language == "c" and line.startswith(("case ", "enum", "static const")):
            return True
        return any(re.search(rf"\b{name}\(", line) for name in ASSERTIONS)

    # Expressions

    def switch(self, wrong, right):
        """An expression that is `wrong` with the mutant, and else `right`."""
        return {"c": f"(nocturne_mutant(NUMBER) ? {wrong} : {right})", "js": f"(/*MNUMBER*/0 ? {wrong} : {right})"}[self.language]

    def operands(self, index):
        """Where the operands of a comparison in C or JavaScript begin and end; None if that is not plain."""
        stops = {"&&", "||", "?", ":", ",", ";", "=", "return", "=>", "??", "+=", "-=", "|=", "&=", "!", "&", "|", "^", "await", "const", "let"}
        first, last = index - 1, index + 1
        while first >= 0 and self.tokens[first].text not in stops and self.tokens[first].text not in ("(", "[", "{", "}"):
            first = self.tokens[first].partner - 1 if self.tokens[first].text in (")", "]") else first - 1
        while last < len(self.tokens) and self.tokens[last].text not in stops and self.tokens[last].text not in (")", "]", "}", "{"):
            last = self.tokens[last].partner + 1 if self.tokens[last].text in ("(", "[") else last + 1
        between = self.tokens[first + 1:last]
        if first + 1 >= index or last <= index + 1 or sum(token.text in COMPARISONS for token in between) != 1:
            return None
        if any(token.text in KEYWORDS - {"self", "new"} or "//" in self.text[token.end:token.end + 3] for token in between):
            return None
        return self.tokens[first + 1].start, self.tokens[last - 1].end

    def comparisons(self, index, token):
        if token.text not in COMPARISONS or not token.is_binary or self.token(index - 1).text in ("func", "operator"):
            return
        new = COMPARISONS[token.text]
        if self.language == "swift":
            line = self.lines[token.line - 1]
            if "where" in line and self.token(index + 1).text[:1].isupper():
                return
            self.add("comparison", token, token.text, new, (token.start, token.end, f"OPERATOR{token.text}"))
        elif extent := self.operands(index):
            start, end = extent
            left, right = self.text[start:token.start], self.text[token.end:end]
            wrong, as_it_is = f"{left}{new}{right}", self.text[start:end]
            self.add("comparison", token, as_it_is, wrong, (start, end, self.switch(f"({wrong})", f"({as_it_is})")))

    def constants(self, index, token):
        before, after = self.token(index - 1), self.token(index + 1)
        if token.kind == "number" and before.text != "." and not self.is_in_table(index):
            new = changed_number(token.text)
        elif token.text in ("true", "false") and token.kind == "name" and before.text != "." and after.text != ":":
            new = {"true": "false", "false": "true"}[token.text]
        else:
            return
        line = self.lines[token.line - 1].strip()
        if new is None or re.match(r"(indirect )?case \w+ = ", line) or "@" in line and "(" in line.split("@")[1]:
            return
        if self.language == "swift":
            text = f"mutated(NUMBER, {new}, {token.text})"
        elif token.end < len(self.text) and (self.text[token.end].isalpha() or before.text in ("[", "case")):
            return
        else:
            text = self.switch(new, token.text)
        self.add("constant", token, token.text, new, (token.start, token.end, text))

    def is_in_table(self, index):
        """Whether more than MAX_TABLE numbers stand in the same brackets, or on neighboring lines between commas."""
        near = self.tokens[max(0, index - 3 * MAX_TABLE):index + 3 * MAX_TABLE]
        commas = [token for token in near if token.text == ","]
        numbers = [token for token in near if token.kind == "number"]
        return len(numbers) > MAX_TABLE and len(commas) > MAX_TABLE

    def exchanges(self, index, token):
        if self.language != "swift":
            return
        if token.text in EXCHANGED and token.is_binary and self.token(index - 1).text != "func":
            if token.text in "+-" and "text" in (self.token(index - 1).kind, self.token(index + 1).kind):
                return
            if token.text in "+-" and "]" in (self.token(index + 1).text[:1], self.token(index - 1).text) or self.token(index + 1).text == "[":
                return
            self.add("operator", token, token.text, EXCHANGED[token.text], (token.start, token.end, f"OPERATOR{token.text}"))
        if token.text in ("min", "max") and self.token(index + 1).text == "(" and self.token(index - 1).text not in (".", "func"):
            other = {"min": "max", "max": "min"}[token.text]
            opening = self.token(index + 1)
            if self.text[opening.end:opening.end + 1] != ")":
                self.add("operator", token, token.text, other, (token.start, opening.end, f"mutated{token.text.title()}(NUMBER, "))

    # Conditions

    def conditions(self, index, token):
        if self.language == "swift":
            if token.text in ("if", "guard") and token.kind == "name" and self.token(index - 1).text != "#":
                self.conditions_of_statement(index, "else" if token.text == "guard" else "{")
            elif token.text == "?" and token.is_binary:
                self.condition_of_choice(index)
        elif token.text == "if" and self.token(index + 1).text == "(":
            first, last = index + 2, self.token(index + 1).partner - 1
            if last >= first:
                self.negate(first, last)

    def conditions_of_statement(self, index, end):
        """Each of the conditions between commas that binds no name."""
        first = place = index + 1
        while place < len(self.tokens):
            text = self.tokens[place].text
            if text in (",", end):
                if self.tokens[first].text not in ("let", "var", "case", "#available", "_") and place > first:
                    self.negate(first, place - 1)
                first = place + 1
            if text == end:
                return
            if text == "{" and end == "{":
                return
            place = self.tokens[place].partner + 1 if text in lexer.CLOSING else place + 1

    def condition_of_choice(self, index):
        """The condition before a question mark, back to what it cannot contain."""
        first = index - 1
        while first >= 0:
            text = self.tokens[first].text
            if text in (")", "]", "}"):
                first = self.tokens[first].partner
            elif text in ("(", "[", "{", ",", ":", "=", "return", "in", "?", "+=", "-=", "??", "->", "else", "throw"):
                break
            if self.tokens[first].is_first:
                if self.tokens[first].text.startswith((".", "&&", "||", "=", "<", ">", "!", "+", "-", "?")):
                    first -= 1
                    continue
                previous = self.token(first - 1)
                if not (previous.kind == "operator" or previous.text in (",", "(", "[")):
                    first -= 1
                    break
            first -= 1
        first += 1
        while self.token(first).text in ("try", "await"):
            first += 1
        if first < index and self.tokens[first].text not in KEYWORDS - {"self"}:
            self.negate(first, index - 1)

    def negate(self, first, last):
        start, end = self.tokens[first].start, self.tokens[last].end
        text = self.text[start:end]
        if len(text) > 200:
            return
        if self.language == "swift":
            changes = [(start, start, "("), (end, end, ") != isMutant(NUMBER)")]
        elif self.language == "c":
            changes = [(start, start, "(!!("), (end, end, ") != nocturne_mutant(NUMBER))")]
        else:
            changes = [(start, start, "(!!("), (end, end, ") != /*MNUMBER*/0)")]
        self.add("condition", self.tokens[first], text, f"!({text})", *changes)

    # Statements

    def statements(self, index, token):
        if not token.is_first or token.kind != "name" and token.text != "_":
            return
        previous = self.token(index - 1)
        if previous.kind == "operator" and not (previous.text in ("!", "?", "?.") and not previous.before) or previous.text in JOINING:
            return
        if self.language != "swift" and previous.text not in (";", "{", "}"):
            return
        if self.language == "swift" and previous.text == "{" and self.tokens[previous.partner].text == "}" and self.is_alone(index, previous.partner):
            return
        last = self.end_of_statement(index)
        words = [one.text for one in self.tokens[index:last + 1]]
        while words and words[0] in ("try", "try?", "await", "?", "!"):
            words.pop(0)
        if not words or words[0] in KEYWORDS and words[0] != "self" or words[0] in ASSERTIONS or words[0].startswith(("#", "@")):
            return
        is_assignment = self.is_assignment(index, last)
        if not is_assignment and not (words[-1] in (")", "}", ";") and "(" in words):
            return
        if self.language == "c" and (len(words) > 1 and re.match(r"[A-Za-z_*]", words[1]) and words[1] != "("):
            return
        start, end = token.start, self.tokens[last].end
        text = self.text[start:end]
        if len(text) > 600 or ":" in words and is_assignment:
            return
        opening = {"swift": "if !isMutant(NUMBER) { ", "c": "if (!nocturne_mutant(NUMBER)) ", "js": "if (!/*MNUMBER*/0) "}[self.language]
        closing = {"swift": " }", "c": "", "js": ""}[self.language]
        shown = text.split("\n")[0]
        self.add("statement", token, shown, "", (start, start, opening), (end, end, closing))

    def is_alone(self, index, closing):
        """Whether nothing else stands in the block that `closing` ends: then it may be the value of a function."""
        return self.end_of_statement(index) + 1 == closing

    def is_assignment(self, index, last):
        """Whether a part of something is set: a plain name may get its first value."""
        place, parts = index, 0
        while place <= last:
            text = self.tokens[place].text
            if text in lexer.CLOSING:
                place = self.tokens[place].partner + 1
                continue
            if text in ("+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>="):
                return True
            if text == "=":
                return parts > 0 and self.tokens[index].text not in ("self", "this", "_")
            parts += text == "."
            place += 1
        return False

    def end_of_statement(self, index):
        place = index
        while True:
            token = self.tokens[place]
            if token.text in lexer.CLOSING and token.partner > place:
                place = token.partner
                token = self.tokens[place]
            following = self.token(place + 1)
            if token.text == ";":
                return place
            if self.language != "swift":
                if following.text in ("}", ""):
                    return place
                place += 1
                continue
            joined = following.kind == "operator" and following.text not in ("!", "&", "-", "~") or following.text in (".", ",", ":", "else") or token.is_binary or token.text in JOINING
            if following.text in ("}", ")", "]", "") or following.is_first and not joined:
                return place
            place += 1
