"""Every sentence that an error is raised with, and its remedy, read from the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import discreet
from discreet import errors

__all__ = ["refusals"]

_SOURCE = Path(discreet.__file__).resolve().parent
_OPEN = "…"                                           # stands for what is known only when it is said


def refusals() -> str:
    """Markdown: for each kind of error, a table of what is said and what to do."""
    said: dict[str, set[tuple[str, str]]] = {}
    for file in sorted(_SOURCE.rglob("*.py")):
        for kind, message, hint in _raised(ast.parse(file.read_text(encoding="utf-8"))):
            said.setdefault(kind, set()).add((message, hint))
    return "\n\n".join(_table(kind, said[kind]) for kind in errors.__all__ if kind in said)


def _table(kind: str, said: set[tuple[str, str]]) -> str:
    rows = [f"| {_cell(message)} | {_cell(hint)} |" for message, hint in sorted(said, key=lambda each: each[0].casefold())]
    return "\n".join([f"### {kind}, in its words", "", "| what is said | what to do |", "|---|---|", *rows])


def _cell(text: str) -> str:
    for letter in "\\|<>*_`[]$":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", " ")


def _raised(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Kind, message and hint of each error that is made with words of its own."""
    texts = {name.id: node.value for node in tree.body if isinstance(node, ast.Assign)
             for name in node.targets if isinstance(name, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in errors.__all__ and node.args:
            hint = next((word.value for word in node.keywords if word.arg == "hint"), ast.Constant(""))
            for message in _texts(node.args[0], texts):
                if message.strip(f"{_OPEN}:; "):
                    yield node.func.id, message, " / ".join(_texts(hint, texts))


def _texts(node: ast.expr, known: dict[str, ast.expr]) -> list[str]:
    """What the expression may say, with … for what is open."""
    match node:
        case ast.Constant(str(text)):
            return [text]
        case ast.JoinedStr(values):
            return ["".join(_texts(part, {})[0] for part in values)]
        case ast.IfExp(_, first, second):
            return [*_texts(first, known), *_texts(second, known)]
        case ast.Call(ast.Name("Remedy"), [text, *_]):
            return [said.replace("{", "").replace("}", "") for said in _texts(text, known)]
        case ast.Name(name) if name in known:
            return _texts(known[name], {})
        case _:
            return [_OPEN]
