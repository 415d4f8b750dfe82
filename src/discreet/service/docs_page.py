"""The page at /api/docs: the OpenAPI document for people. No script, and nothing from elsewhere."""

import json
from html import escape
from typing import Any

__all__ = ["STYLE", "page_of"]

STYLE = """\
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; text-transform: capitalize; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; font-size: 1rem; }
code, pre { font: 0.9em/1.45 ui-monospace, monospace; }
h3 .method { display: inline-block; min-width: 3.5rem; font-weight: 700; }
pre { overflow-x: auto; padding: 0.75rem; background: var(--soft); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid var(--line); }
"""


def page_of(document: dict[str, Any]) -> str:
    """The whole page."""
    groups: dict[str, list[str]] = {}
    for path, verbs in document["paths"].items():
        for verb, about in verbs.items():
            groups.setdefault(about["tags"][0], []).append(_operation(document, path, verb, about))
    rooms = "".join(f"<h2>{escape(name)}</h2>{''.join(parts)}" for name, parts in groups.items())
    info = document["info"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>{escape(info["title"])}: the HTTP API</title><link rel="stylesheet" href="/api/docs.css"></head><body><main>'
        f"<h1>{escape(info['title'])}: the HTTP API</h1><p>{escape(info['description'])}</p>"
        "<p>Every request carries a token: <code>Authorization: Bearer dsc_…</code>. The same as a document for programs: "
        f'<a href="/api/openapi.json">/api/openapi.json</a>.</p>{_errors(document)}{rooms}</main></body></html>'
    )


def _errors(document: dict[str, Any]) -> str:
    shape = document["components"]["schemas"]["Error"]
    told = [part.partition(": ") for part in shape["properties"]["error"]["description"].split("; ") if ": " in part]
    rows = "".join(f"<tr><td><code>{escape(code)}</code></td><td>{escape(text)}</td></tr>" for code, _, text in told)
    return f"<h2>Errors</h2><p>They all have one shape.</p>{_example(shape)}<table>{rows}</table>"


def _operation(document: dict[str, Any], path: str, verb: str, about: dict[str, Any]) -> str:
    said = "".join(f"<p>{escape(part)}</p>" for part in about.get("description", "").split("\n\n"))
    name = f'<h3 id="{escape(about["operationId"])}"><span class="method">{verb.upper()}</span> <code>{escape(path)}</code></h3>'
    takes = "".join(_body(document, content["schema"]) for content in about.get("requestBody", {}).get("content", {}).values())
    gives = "".join(_response(status, told) for status, told in sorted(about["responses"].items()))
    return f"{name}{said}{_parameters(about.get('parameters', []))}{takes}<table>{gives}</table>"


def _parameters(found: list[dict[str, Any]]) -> str:
    rows = [f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each['in'])}</td>"
            f"<td>{escape(each.get('description', ''))}</td></tr>" for each in found]  # fmt: skip
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _body(document: dict[str, Any], schema: dict[str, Any]) -> str:
    shape = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    rows = [f"<tr><td><code>{escape(name)}</code></td><td>{escape(part.get('description', ''))}</td></tr>"
            for name, part in shape.get("properties", {}).items()]  # fmt: skip
    return f"{_example(shape)}<table>{''.join(rows)}</table>" if rows else ""


def _response(status: str, told: dict[str, Any]) -> str:
    shapes = [content.get("schema", {}) for content in told.get("content", {}).values()] if status < "300" else []
    examples = "".join(_example(shape) for shape in shapes)
    return f"<tr><td><code>{escape(status)}</code></td><td>{escape(told['description'])}{examples}</td></tr>"


def _example(shape: dict[str, Any]) -> str:
    found = shape.get("examples", [])
    return "".join(f"<pre>{escape(json.dumps(each, ensure_ascii=False, indent=1))}</pre>" for each in found[:1])
