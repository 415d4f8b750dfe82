"""Sixty-four askers at once, in threads and in processes, for the last of a budget."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from threading import Barrier

import pytest
from tests.ledger import competing
from tests.ledger.made import ROWS, charged_by_hand, count_above, entries_by_hand, write_table

import discreet as dc
from discreet.curator import office, open_table

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PROCESSES = 4


def in_processes(file, price, kind):
    """What all threads of all processes got."""
    words = [sys.executable, "-W", "error", str(Path(competing.__file__)), str(file)]
    started = [
        subprocess.Popen([*words, str(number), price, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for number in range(PROCESSES)
    ]
    for each in started:
        assert each.stdout.readline() == "ready\n"
    for each in started:
        each.stdin.write("go\n")
        each.stdin.flush()
    found = [json.loads(each.communicate(timeout=120)[0]) for each in started]
    assert [each.returncode for each in started] == [0] * PROCESSES
    return [one for each in found for one in each]


def in_threads(file, price, kind):
    """What sixty-four threads of this process got."""
    curator, together = open_table(file), Barrier(64)

    def ask(thread):
        number = thread % 4 if kind == "identical" else thread
        together.wait()
        try:
            answer = curator.ask(count_above(number), epsilon=price, analyst=f"thread {thread}")
        except dc.BudgetError:
            return {"number": number, "refused": True}
        return {"number": number, "id": answer.id, "value": answer.value, "replayed": answer.replayed}

    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(ask, range(64)))
    curator.close()
    return found


def sound(file, total):
    found = office.verify(file)
    assert found.ok, found.problems
    assert charged_by_hand(file.parent) == Fraction(total)
    curator = open_table(file)
    assert curator.budget.spent.epsilon == Fraction(total)
    curator.close()


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 1")
    office.register(found)
    return found


@pytest.mark.parametrize("way", [in_threads, in_processes])
def test_sixty_four_askers_with_different_questions_never_overspend_and_lose_no_charge(file, way):
    found = way(file, "1/11", "different")
    answered = [one for one in found if "refused" not in one]
    assert (len(found), len(answered)) == (64, 11)
    assert len({one["id"] for one in answered}) == 11
    settled = [body["charge"] for _, kind, body, _ in entries_by_hand(file.parent) if kind == "settle"]
    assert len(set(settled)) == len(settled) == 11
    sound(file, 1)


@pytest.mark.parametrize("way", [in_threads, in_processes])
def test_sixty_four_askers_of_the_same_four_questions_are_charged_four_times_and_agree(file, way):
    found = way(file, "1/4", "identical")
    assert not any("refused" in one for one in found)
    assert sum(not one["replayed"] for one in found) == 4
    for number in range(4):
        assert len({one["value"] for one in found if one["number"] == number}) == 1
    sound(file, 1)


def test_two_processes_that_register_at_once_make_one_ledger(tmp_path):
    first, second = write_table(tmp_path, name="t"), write_table(tmp_path, name="u", rows=ROWS + "1,1,another\n")
    code = "import sys; from discreet.curator import office; print(office.register(sys.argv[1]).table)"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for file in (first, second)
    ]
    assert [each.communicate(timeout=120)[0].strip() for each in started] == ["t", "u"]
    assert sorted(each.name for each in tmp_path.iterdir()) == [".discreet", "t.csv", "t.toml", "u.csv", "u.toml"]
    assert office.verify(tmp_path).entries == 2
