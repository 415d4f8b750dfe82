"""How responses are written."""

import json

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
