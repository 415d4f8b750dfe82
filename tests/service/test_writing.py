"""How responses are written and sent."""

import asyncio
import json
from types import SimpleNamespace

from starlette.responses import Response

from discreet.service import writing


def test_long_lists_are_written_piece_by_piece_to_the_same_text(monkeypatch):
    sizes, whole = [], writing._whole

    def counted(content) -> bytes:
        sizes.append(len(content) if isinstance(content, list | tuple) else 0)
        return whole(content)

    rows = [{"town": 'n"\\\u2028', "n": number, "m": None} for number in range(1000)]
    content = {"rows": rows, "empty": [], "ranges": [{"bins": [[0.1] * 3] * 700, "of": (1, "x")}],
               "answers": [{"rows": rows}] * 2, "cost": {"epsilon": "0.1"},
               "edge": [1] * 256, "over": [1] * 257, "pair": tuple(range(600))}  # fmt: skip
    monkeypatch.setattr(writing, "_whole", counted)
    told = writing.json_bytes(content)
    assert told == json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str).encode()
    assert max(sizes) == writing._PIECE
    small = {"rows": rows[:10]}
    sizes.clear()
    assert json.loads(writing.json_bytes(small)) == small
    assert sizes == [0]                                                        # in one go


def test_what_is_large_is_sent_part_by_part():
    async def sent(response: Response) -> list:
        messages = []

        async def send(message) -> None:
            messages.append(message)

        await response({"type": "http", "method": "GET"}, SimpleNamespace(), send)
        return messages

    for size, parts in ((0, 1), (10, 1), (1 << 16, 1), ((1 << 16) + 1, 2), (5 << 16, 5)):
        start, *bodies = asyncio.run(sent(writing.InParts(b"x" * size)))
        assert dict(start["headers"])[b"content-length"] == str(size).encode()
        assert b"".join(each["body"] for each in bodies) == b"x" * size
        assert len(bodies) == parts
        assert [each.get("more_body", False) for each in bodies] == [True] * (parts - 1) + [False]
