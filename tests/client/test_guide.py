"""The ten lines of the guide, as somebody new would type them."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "from-afar.md"


def test_the_ten_lines_of_the_guide_do_what_they_say(home, service, monkeypatch, capsys):
    (block,) = re.findall(r"```text\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) == 10
    monkeypatch.setenv("DISCREET_TOKEN", home.alice)
    names: dict[str, object] = {}
    for line in lines:
        exec(compile(line.replace("https://host", service.address), "guide", "single"), names)
    shown = capsys.readouterr().out
    assert "costs         ε 0.2" in shown
    assert "protects each row, added or removed" in shown
    assert list(names["frame"].columns) == ["town", "n", "n_low", "n_high", "m", "m_low", "m_high"]
    assert names["other"].columns == list(names["frame"].columns)
    names["people"].close()
