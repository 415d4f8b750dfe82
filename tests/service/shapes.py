"""Whether what the service said is what its document says of that address, and no more."""

import json
from typing import Any

import httpx
import pytest


class Document:
    """The OpenAPI document of a service, to hold responses against."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found: dict[str, Any] = json.loads(json.dumps(found))  # as it is told
        self._library = pytest.importorskip("jsonschema", reason="missing part: jsonschema")

    @property
    def operations(self) -> list[tuple[str, str]]:
        """Verbs and patterns of addresses."""
        return [(verb.upper(), path) for path, verbs in self.found["paths"].items() for verb in verbs]

    def operation(self, verb: str, path: str) -> dict[str, Any]:
        return self.found["paths"][path][verb.lower()]

    def examples(self, verb: str, path: str) -> list[Any]:
        """Of the body that an address takes."""
        body = self.operation(verb, path).get("requestBody", {"content": {}})
        return [each for content in body["content"].values() for each in self.examples_of(content["schema"])]

    def examples_of(self, schema: dict[str, Any]) -> list[Any]:
        return self._whole(schema).get("examples", [])

    def problems(self, verb: str, path: str, told: httpx.Response) -> list[str]:
        """What of a response the document does not say."""
        said = self.operation(verb, path)["responses"].get(str(told.status_code))
        if said is None:
            return [f"status {told.status_code} is not in the document"]
        media = told.headers["content-type"].partition(";")[0]
        if media not in said["content"]:
            return [f"{media} is not in the document"]
        schema = said["content"][media]["schema"]
        return self.wrong(schema, told.json() if media == "application/json" else told.text)

    def wrong(self, schema: dict[str, Any], found: Any) -> list[str]:
        """What of a value is not as a schema says, or is nothing that the schema speaks of."""
        check = self._library.Draft202012Validator(closed({"components": self.found["components"], **schema}))
        return [f"{each.json_path}: {each.message}" for each in check.iter_errors(found)]

    def _whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.found["components"]["schemas"][name] if name else schema


def closed(schema: Any) -> Any:
    """The same where objects that have properties have no others."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    ends = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return ends | {name: closed(part) for name, part in schema.items()}
