"""Every sentence that an error is raised with, and its remedy, read from the source."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import discreet
from discreet import errors

__all__ = ["refusals"]

_SOURCE = Path(discreet.__file__).resolve().parent
_OPEN = "…"                                           # stands for what is known only when it is said


def refusals() -> str:
    """Markdown: for each kind of error, a table of what is said and what to do."""
    said: dict[str, dict[str, dict[str, None]]] = {}  # kind → message → its remedies, in order
    for file in sorted(_SOURCE.rglob("*.py")):
        for kind, message, hints in _raised(ast.parse(file.read_text(encoding="utf-8"))):
            said.setdefault(kind, {}).setdefault(message, {}).update(dict.fromkeys(hints))
    return "\n\n".join(_table(kind, said[kind]) for kind in errors.__all__ if kind in said)


def _table(kind: str, said: dict[str, dict[str, None]]) -> str:
    rows = []
    for message in sorted(said, key=lambda each: each.strip(_OPEN).strip().casefold()):
        hints = [hint for hint in said[message] if hint.strip(f"{_OPEN} ")]
        rows.append(f"| {_cell(message)} | {' *or:* '.join(map(_cell, hints))} |")
    return "\n".join([f"### {kind}, in its words", "", "| what is said | what to do |", "|---|---|", *rows])


def _cell(text: str) -> str:
    for letter in "\\|<>*_`[]$":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


def _raised(tree: ast.Module) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, message and remedies of each error that is made with words of its own."""
    everywhere = _named(tree.body) | {node.name: _returned(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    for place in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        known = everywhere | _named(list(ast.walk(place)))
        for node in ast.walk(place):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors.__all__ and node.args:
                hint = next((word.value for word in node.keywords if word.arg == "hint"), ast.Constant(""))
                for message in _texts(node.args[0], known):
                    if message.strip(f"{_OPEN}:; "):
                        yield node.func.id, message, _texts(hint, known)


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]


def _named(nodes: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    """What each name is given."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], value):
                found.setdefault(name, []).append(value)
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)) if len(names) == len(values):
                for name, value in zip(names, values, strict=True):
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, []).append(value)
    return found


def _texts(node: ast.expr, known: dict[str, list[ast.expr]]) -> list[str]:
    """What the expression may say, with … for what is open."""
    match node:
        case ast.Constant(str(text)):
            return [text]
        case ast.JoinedStr(values):
            return ["".join(_texts(part, {})[0] for part in values)]
        case ast.BinOp(left, ast.Add(), right):
            return [first + second for first in _texts(left, known) for second in _texts(right, known)]
        case ast.IfExp(_, first, second):
            return [*_texts(first, known), *_texts(second, known)]
        case ast.Call(ast.Name("Remedy"), [text, *_]):
            return [said.replace("{", "").replace("}", "") for said in _texts(text, known)]
        case ast.Name(name) | ast.Call(ast.Name(name)) if name in known:
            return [said for given in known[name] for said in _texts(given, {k: v for k, v in known.items() if k != name})]
        case _:
            return [_OPEN]
