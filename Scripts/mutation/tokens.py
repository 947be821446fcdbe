"""Splits Swift, C and JavaScript into tokens; comments are left out, and a literal text is one token."""
import bisect
import re
from dataclasses import dataclass

NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+(?:\.[0-9a-fA-F_]+)?(?:[pP][+-]?\d+)?|0[bo][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?")
NAME = re.compile(r"[@#$]?[^\W\d][\w$]*|`\w+`|\$\d+")
OPERATOR = re.compile(r"\.\.[.<]|[-+*/%=<>!&|^~?]+")
CLOSING = {"(": ")", "[": "]", "{": "}"}
# After these, a slash in JavaScript begins a regular expression.
BEFORE_REGEX = set("(,=:[!&|?{};+-*%<>~^") | {"return", "typeof", "case", "in", "of", "=>"}


@dataclass
class Token:
    kind: str  # name, number, text, operator or mark
    text: str
    start: int
    line: int
    # Whether it is the first on its line, and whether white space stands before and after it.
    is_first: bool
    before: bool
    after: bool = False
    # The position of the bracket that closes this one, or opens it.
    partner: int = -1

    @property
    def end(self):
        return self.start + len(self.text)

    @property
    def is_binary(self):
        return self.kind == "operator" and self.before and self.after


def end_of_text(text, start, language):
    """The end of the literal that begins at `start`, or `start` if none does."""
    if language == "swift":
        opening = re.compile(r'(#*)("""|")').match(text, start)
        if not opening:
            return start
        hashes, quotes = opening.groups()
        end, place = quotes + hashes, opening.end()
        while not text.startswith(end, place):
            if text.startswith("\\" + hashes + "(", place):
                place = end_of_interpolation(text, place + len(hashes) + 2, language)
            else:
                place += 2 if text[place] == "\\" and not hashes else 1
        return place + len(end)
    quote = text[start]
    if quote not in "\"'`" or quote == "`" and language == "c":
        return start
    place = start + 1
    while text[place] != quote:
        if quote == "`" and text.startswith("${", place):
            place = end_of_interpolation(text, place + 2, language)
        else:
            place += 2 if text[place] == "\\" else 1
    return place + 1


def end_of_interpolation(text, place, language):
    depth = 1
    while depth > 0:
        end = end_of_text(text, place, language)
        if end == place and text[place - 1] in "(,=:":
            end = regex_end(text, place)
        if end > place:
            place = end
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[place], 0)
        place += 1
    return place


def end_of_comment(text, place, language):
    """The end of the comment that begins at `place`, or `place` if none does. Swift's comments nest."""
    if text.startswith("//", place):
        end = text.find("\n", place)
        return len(text) if end < 0 else end
    if not text.startswith("/*", place):
        return place
    depth, place = 1, place + 2
    while depth > 0:
        if language == "swift" and text.startswith("/*", place):
            depth, place = depth + 1, place + 2
        elif text.startswith("*/", place):
            depth, place = depth - 1, place + 2
        else:
            place += 1
    return place


def regex_end(text, start):
    found = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\])+/[a-z]*").match(text, start)
    return found.end() if found else start


def end_of_regex(text, start, language, last):
    if text[start] != "/" or language == "c":
        return start
    if language == "js":
        begins = last is None or last.text[-1] in BEFORE_REGEX or last.text in BEFORE_REGEX
    else:
        # Swift asks for the same: no blank after the slash, and none before an operand.
        begins = last is not None and last.text in ("=", "(", ",", ":", "[") and text[start + 1] not in " \n"
    return regex_end(text, start) if begins else start


def tokens(text, language):
    """All tokens in their order; brackets know their partners."""
    found, place, lines = [], 0, [0] + [match.end() for match in re.finditer("\n", text)]
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        end = end_of_comment(text, place, language)
        if end > place:
            place = end
            continue
        line = bisect.bisect_right(lines, place)
        is_first = not text[lines[line - 1]:place].strip()
        if is_first and text[place] == "#" and language == "c":
            while "\n" in text[place:] and text[text.index("\n", place) - 1] == "\\":
                place = text.index("\n", place) + 1
            place = text.index("\n", place)
            continue
        kind, end = "text", end_of_text(text, place, language)
        if end == place:
            end = end_of_regex(text, place, language, found[-1] if found else None)
        if end == place:
            for kind, pattern in (("number", NUMBER), ("name", NAME), ("operator", OPERATOR)):
                match = pattern.match(text, place)
                if match:
                    end = match.end()
                    break
            else:
                kind, end = "mark", place + 1
        before = place == 0 or text[place - 1].isspace()
        found.append(Token(kind, text[place:end], place, line, is_first, before, end < len(text) and text[end].isspace()))
        place = end
    open_brackets = []
    for index, token in enumerate(found):
        if token.text in CLOSING:
            open_brackets.append(index)
        elif token.text in CLOSING.values() and open_brackets:
            token.partner = open_brackets.pop()
            found[token.partner].partner = index
    return found
