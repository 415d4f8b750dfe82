"""Every address of the service, with what it takes and gives, read from its OpenAPI document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.service.app import document_of, make_app
from discreet.service.settings import Settings

__all__ = ["every_route", "routes"]

Shape = dict[str, Any]


def routes() -> str:
    """Markdown: a heading for each address, then its parameters, its body and an example of what comes back."""
    document = _document()
    return "\n\n".join(_section(document, method, path, told) for method, path, told in every_route(document))


def every_route(document: Shape | None = None) -> Iterator[tuple[str, str, Shape]]:
    """Method, path and description of each address."""
    for path, methods in (document or _document())["paths"].items():
        for method, told in methods.items():
            yield method.upper(), path, told


def _document() -> Shape:
    return document_of(make_app(Settings(folder=Path())))          # nothing is opened before the application is started


def _section(document: Shape, method: str, path: str, told: Shape) -> str:
    parts = [f"### `{method} {path}`", told["description"]]
    parts += _table("parameter", [_parameter(each) for each in told.get("parameters", ())])
    for media, content in told.get("requestBody", {}).get("content", {}).items():
        parts += _body(_found(document, content["schema"]), media)
    parts += _given(document, told["responses"])
    return "\n\n".join(parts)


def _parameter(each: Shape) -> tuple[str, str, str]:
    where = {"path": "in the address", "query": "behind the ?", "header": "a header"}[each["in"]]
    return each["name"], _kind(each["schema"]), f"{where}. {each.get('description', '')}"


def _body(shape: Shape, media: str) -> list[str]:
    if media != "application/json":
        return [f"The body is `{media}`, as it is."]
    needed = shape.get("required", ())
    fields = [(name, _kind(each), each.get("description", "") + (" Has to be there." if name in needed else _default(each)))
              for name, each in shape.get("properties", {}).items()]
    return [*_table("of the body", fields), *_examples(shape)]


def _given(document: Shape, responses: Shape) -> list[str]:
    """What success looks like, and the other ways in which it may end."""
    parts = []
    for status in sorted(each for each in responses if each < "300"):
        said = responses[status]
        parts.append(f"**{status}** {said['description']}")
        for content in said.get("content", {}).values():
            parts += _examples(_found(document, content.get("schema", {})))
    others = ", ".join(each for each in sorted(responses) if each >= "300")
    return [*parts, f"Otherwise {others}, each with an [error](errors.md)."]


def _table(what: str, rows: list[tuple[str, str, str]]) -> list[str]:
    lines = [f"| `{name}` | {kind} | {_cell(said)} |" for name, kind, said in rows]
    return ["\n".join([f"| {what} | kind | what it says |", "|---|---|---|", *lines])] if lines else []


def _examples(shape: Shape) -> list[str]:
    return [f"```json\n{json.dumps(each, indent=1, ensure_ascii=False)}\n```" for each in shape.get("examples", ())[:1]]


def _found(document: Shape, shape: Shape) -> Shape:
    """The shape itself, where a reference to it stands."""
    name = shape.get("$ref", "").rpartition("/")[2]
    return dict(document["components"]["schemas"][name]) if name else shape


def _kind(shape: Shape) -> str:
    if "anyOf" in shape:
        return " or ".join(dict.fromkeys(_kind(each) for each in shape["anyOf"] if each.get("type") != "null"))
    named = {"string": "text", "integer": "whole number", "array": "list", "boolean": "true or false"}
    return named.get(shape.get("type", ""), shape.get("type", "object"))


def _default(shape: Shape) -> str:
    default = shape.get("default")
    return "" if default in (None, [], {}, "") else f" Unless written: `{json.dumps(default)}`."


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
