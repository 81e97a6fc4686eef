"""Confirms pairs of answers with sympy, which knows nothing of the product's grader.

    python -m venv venv && venv/bin/pip install sympy==1.14.0 latex2sympy2_extended==1.11.0
    venv/bin/python confirmGoldPairs.py pairs.json > confirmed.json

`pairs.json` is a list of [gold, other]; what comes out is a list of reasons: "sympy", or "sympy, ..." with what was
left out on both sides before, or null. Brackets, lists, sets, intervals, relations, matrices and a few functions are taken
apart here, other scalars are read by latex2sympy2_extended; sympy compares. What sympy cannot say needs a written reason.
"""

import itertools
import json
import logging
import re
import signal
import sys

import sympy
from latex2sympy2_extended import latex2sympy

logging.disable(logging.CRITICAL)
sys.setrecursionlimit(5000)


class Unreadable(Exception):
    pass


def alarm(*_):
    raise Unreadable("time")


signal.signal(signal.SIGALRM, alarm)

OPEN, CLOSE = "([{", ")]}"
SPACING = r"\\left\b|\\right\b|\\[,;:! ]|\\q?quad\b|\\displaystyle\b|\\Big+[lr]?\b|\\big+[lr]?\b|\\text\{\s*\}|\\allowbreak\b"
REFUSED = r"%|\\degree|\\circ|°|\\text\{(?!\s*(?:and|or)?\s*\})|\\math\w+\{|\\mbox|\\[$]|\\mp|\\color|\\pmod|_\{?\d+\}?$"
WORDS = r"\\?[,;:! ]*(?:\\(?:text|mathrm|mbox|textnormal)\s*\{[^{}]*\}(?:\^\{?\d\}?)?)"

"""What may be left out on both sides: a pattern, what stands in its place, and why."""
LEFT_OUT = [
    (r"\\?[,!]?\\?%|\^?\s*\{?\\(?:circ|degree)(?![a-zA-Z])\}?|°", "", "percent and degrees may be left out"),
    (r"\\!|\\?\$", "", "the sign of money and thin space say nothing"),
    (r",(?=\s*(?:[)}\]]|\\right|\\\}|,|$))", "", "a comma with nothing beside it separates nothing"),
    (r"(?<=\d) +(?=\d)", ", ", "space between numbers separates them as a comma does"),
    (r"\\color\{\w+\}", "", "colour is no part of an answer"),
    (r"\\(?:text|mathbf|mathrm|mathbb|boldsymbol)\s*\{([^{}a-zA-Z]*|[a-zA-Z])\}", r"{\1}", "type face is no part of an answer"),
    (WORDS + r"|(?<=\d)th\b", "", "a unit is compared only where both sides carry known ones"),
    (r"^\s*[a-zA-Z](?:\([a-zA-Z]\))?\s*(?:=|\\in(?![a-z]))", "", "the name of what is asked for may be left out"),
]


def clean(text):
    text = re.sub(r"^\s*[:.,;]+|[:.,;\s]+$", "", text.strip().strip("$"))
    text = re.sub(SPACING, " ", text).replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac").replace("{,}", ",")
    text = text.replace("\\{", "\ue000").replace("\\}", "\ue001").replace("\\lbrace", "\ue000").replace("\\rbrace", "\ue001")
    text = text.replace("−", "-").replace("**", "^").replace("==", "=").replace(":=", "=")
    return re.sub(r"(?<![\d])0*(\d{1,3}(?:,\d{3})+)(?![\d,])", lambda m: m[1].replace(",", ""), text).strip()


def split(text, separators):
    """Parts between separators that stand in no bracket, and the separators."""
    parts, found, depth, start, at = [], [], 0, 0, 0
    while at < len(text):
        character = text[at]
        if character in OPEN + "\ue000":
            depth += 1
        elif character in CLOSE + "\ue001":
            depth -= 1
        elif depth <= 0:
            for separator in separators:
                if text.startswith(separator, at) and not (separator[0] == "\\" and re.match(r"[a-zA-Z]", text[at + len(separator) : at + len(separator) + 1] or " ")):
                    parts.append(text[start:at])
                    found.append(separator)
                    at += len(separator) - 1
                    start = at + 1
                    break
        at += 1
    return parts + [text[start:]], found


def enclosed(text, opening, closing):
    """Whether the first bracket closes with the last."""
    if len(text) < 2 or text[0] not in opening or text[-1] not in closing:
        return False
    depth = 0
    for at, character in enumerate(text):
        depth += character in OPEN + "\ue000"
        depth -= character in CLOSE + "\ue001"
        if depth == 0 and at < len(text) - 1:
            return False
    return depth == 0


RELATIONS = {"\\leq": "<=", "\\le": "<=", "\\geq": ">=", "\\ge": ">=", "\\neq": "!=", "\\ne": "!=", "<": "<", ">": ">", "=": "="}


def read(text):
    """A nested tuple: ('scalar', expression), ('list', items), ('tuple', open, close, items), ..."""
    text = text.strip()
    if not text:
        raise Unreadable("nothing")
    if text.count("\\pm") == 1:
        return ("list", [read(text.replace("\\pm", sign)) for sign in "+-"])
    matrix = re.fullmatch(r"\\begin\{([pb])matrix\}(.*)\\end\{\1matrix\}", text, re.S)
    if matrix:
        return ("matrix", [[read(cell) for cell in row.split("&")] for row in re.split(r"\\\\", matrix[2]) if row.strip()])
    parts, _ = split(text, ["\\cup"])
    if len(parts) > 1:
        return ("union", [read(part) for part in parts])
    parts, _ = split(text, [",", ";", "\\text{ and }", "\\text{and}", "\\text{ or }", " and ", " or "])
    if len(parts) > 1:
        items = [read(part) for part in parts if part.strip()]
        return ("list", [inner for item in items for inner in items_of(item)])
    parts, found = split(text, sorted(RELATIONS, key=len, reverse=True))
    if found:
        return ("relation", [RELATIONS[sign] for sign in found], [read(part) for part in parts])
    if enclosed(text, "\ue000", "\ue001"):
        return ("set", items_of(read(text[1:-1])) if text[1:-1].strip() else [])
    if enclosed(text, "([", ")]"):
        inner = text[1:-1]
        if len(split(inner, [","])[0]) > 1:
            return ("tuple", text[0], text[-1], items_of(read(inner)))
        if text[0] + text[-1] in ("()", "[]") and not found:
            return read(inner)
    return ("scalar", scalar(text))


FUNCTIONS = {
    "max": sympy.Max,
    "min": sympy.Min,
    "gcd": lambda *values: sympy.igcd(*map(int, values)) if all(v.is_integer for v in values) else sympy.gcd(values),
    "lcm": lambda *values: sympy.ilcm(*map(int, values)),
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
}
CALL = re.compile(r"\\(?:operatorname\s*\{\s*(\w+)\s*\}|(max|min|gcd|lcm|floor|ceil))\s*\+?\s*(?=\()")


def functions(text):
    """Calls of the functions above, worked out from the inside."""
    for call in reversed(list(CALL.finditer(text))):
        name = call[1] or call[2]
        if name not in FUNCTIONS:
            raise Unreadable(name)
        depth = 0
        for end in range(call.end(), len(text)):
            depth += text[end] in "(["
            depth -= text[end] in ")]"
            if depth == 0:
                break
        else:
            raise Unreadable(text)
        items = [scalar(part) for part in split(text[call.end() + 1 : end], [","])[0] if part.strip()]
        value = FUNCTIONS[name](*(sympy.nsimplify(item, rational=True) for item in items))
        text = f"{text[: call.start()]}({sympy.latex(value)}){text[end + 1 :]}"
    return text


def items_of(tree):
    return tree[1] if tree[0] == "list" else [tree]


def scalar(text):
    text = re.sub(r"\\text\{\s*\}", "", text).replace("\ue000", "(").replace("\ue001", ")")
    text = re.sub(r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\frac\s*(\d)\s*\{", r"\\frac{\1}{", text)
    text = re.sub(r"(\\frac\s*\{[^{}]*\})\s*(\d)", r"\1{\2}", text)
    text = re.sub(r"\\sqrt\s*(\d)", r"\\sqrt{\1}", text)
    text = re.sub(r"\d+\.(?!\d)", lambda m: m[0][:-1], text)
    text = re.sub(r"(?<![\d.])\.(?=\d)", "0.", text)
    text = re.sub(r"(?<=[-+*/(,])\s*\+|^\+", " ", text)
    text = re.sub(r"-\s*-", "+", text)
    text = re.sub(r"([*/])\s*-\s*(\d+)", r"\1(-\2)", text)
    text = functions(text)
    parts, found = split(text, ["\\mod", "\\bmod"])
    if found:
        if len(parts) != 2:
            raise Unreadable(text)
        value, modulus = map(scalar, parts)
        return sympy.Mod(sympy.nsimplify(value, rational=True), sympy.nsimplify(modulus, rational=True))
    if not re.search(r"[0-9A-Za-z]", text) or re.search(r"[\u4e00-\u9fff,\"]", text):
        raise Unreadable(text)
    try:
        value = latex2sympy(text)
    except Unreadable:
        raise
    except BaseException as error:
        raise Unreadable(str(error)) from error
    if not isinstance(value, sympy.Expr):
        raise Unreadable(text)
    return value


def equal(a, b):
    if a[0] != b[0]:
        return False
    if a[0] == "scalar":
        return same(a[1], b[1])
    if a[0] == "matrix":
        return len(a[1]) == len(b[1]) and all(len(x) == len(y) and all(map(equal, x, y)) for x, y in zip(a[1], b[1]))
    if a[0] == "tuple":
        return a[1:3] == b[1:3] and len(a[3]) == len(b[3]) and all(map(equal, a[3], b[3]))
    if a[0] == "relation":
        return a[1] == b[1] and (all(map(equal, a[2], b[2])) or a[1] == ["="] and proportional(a[2], b[2]))
    return unordered(a[1], b[1])


def unordered(a, b):
    rest = list(b)
    for item in a:
        found = next((other for other in rest if equal(item, other)), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def same(a, b):
    if a == b:
        return True
    if a.has(sympy.oo, -sympy.oo, sympy.nan, sympy.zoo) or b.has(sympy.oo, -sympy.oo, sympy.nan, sympy.zoo):
        return False
    difference = sympy.nsimplify(a, rational=True) - sympy.nsimplify(b, rational=True)
    return difference == 0 or sympy.simplify(difference) == 0


def proportional(a, b):
    if any(side[0] != "scalar" for side in a + b):
        return False
    left, right = a[0][1] - a[1][1], b[0][1] - b[1][1]
    if right == 0 or left == 0:
        return False
    return not sympy.simplify(left / right).free_symbols


def confirmed(gold, other):
    """The fewest things left out with which sympy confirms the pair, as a reason."""
    used = [part for part in LEFT_OUT if re.search(part[0], gold) or re.search(part[0], other)]
    for count in range(len(used) + 1):
        for chosen in itertools.combinations(used, count):
            sides = [gold, other]
            for pattern, instead, _ in chosen:
                sides = [re.sub(pattern, instead, side) for side in sides]
            if equal_to_sympy(*sides):
                return ", ".join(["sympy", *(why for _, _, why in chosen)])
    return None


def equal_to_sympy(gold, other):
    if re.search(REFUSED, gold) or re.search(REFUSED, other):
        return False
    signal.setitimer(signal.ITIMER_REAL, 10)
    try:
        return equal(read(clean(gold)), read(clean(other)))
    except Exception:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        pairs = json.load(file)
    json.dump([confirmed(gold, other) for gold, other, *_ in pairs], sys.stdout)
