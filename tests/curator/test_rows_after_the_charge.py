"""No row is read before the charge, and none for a question that is refused, whatever kind of source it is."""

from pathlib import Path

import pytest
from tests.ledger.made import count_above, spent, write_table

import discreet as dc
from discreet.curator import office, open_table

pytestmark = pytest.mark.slow  # megabytes are read

WIDE = "." * 400                     # a column that no facts declare: many bytes, of few rows
ROWS = "x,place,name,more\n" + "".join(f"{number % 100},{1 + number % 2},someone,{WIDE}\n" for number in range(10_000))
COUNTER = Path("/proc/self/io")


def bytes_read():
    """How many bytes this process has read from anywhere, by any library."""
    return int(COUNTER.read_text().split("rchar:")[1].split()[0])


@pytest.fixture(params=["csv", "csv by lines", "companion"])
def table(request, tmp_path):
    if not COUNTER.exists():
        pytest.skip("missing part: a counter of the bytes that a process reads")
    rows = ROWS.replace("someone", '"some" one') if request.param == "csv by lines" else ROWS
    file = write_table(tmp_path, rows=rows, budget="epsilon = 1")
    if request.param == "companion":
        own = file.read_text(encoding="utf-8").replace('unit = "row"', 'unit = { column = "id", max_rows = 1 }\npeople = "p"')
        (tmp_path / "t.csv").write_text("id,x,place,name\n1,1,1,a\n", encoding="utf-8")
        (tmp_path / "u.csv").write_text("id,x,place,name,more\n" + f"1,5,1,someone,{WIDE}\n" * 10_000, encoding="utf-8")
        for name, other in ("tu", "ut"):
            text = own.replace('"t"', f'"{name}"').replace('"t.csv"', f'"{name}.csv"')
            (tmp_path / f"{name}.toml").write_text(f'{text}[join.{other}]\nfacts = "{other}.toml"\n', encoding="utf-8")
        office.register(tmp_path / "u.toml")
    office.register(file)
    warm = write_table(tmp_path, name="warm", rows="x,place,name\n1,1,a\n")
    office.register(warm)
    t = open_table(warm)
    t.ask("SELECT COUNT(*) AS n FROM warm", epsilon="0.1")                 # what a first question loads is not the table
    t.close()
    return file


def test_a_refused_question_reads_no_row_and_an_accepted_one_reads_them_after_its_charge(table):
    size = max(each.stat().st_size for each in table.parent.glob("*.csv"))
    t = open_table(table)
    before = bytes_read()
    with pytest.raises(dc.BudgetError):
        t.ask(count_above(1), epsilon=2)
    t.open()
    assert bytes_read() - before < size // 10
    charged_when = []

    reserve = t.desk.ledger.reserve

    def reserved(*words):
        outcomes = reserve(*words)
        charged_when.append(bytes_read())
        return outcomes

    t.desk.ledger.reserve = reserved
    t.ask(count_above(1), epsilon="0.1")
    assert charged_when[0] - before < size // 10
    assert bytes_read() - charged_when[0] >= size
    assert spent(t)
    t.close()


def test_the_second_question_reads_nothing_again(table):
    t = open_table(table)
    t.ask(count_above(1), epsilon="0.1")
    size, before = max(each.stat().st_size for each in table.parent.glob("*.csv")), bytes_read()
    t.ask(count_above(2), epsilon="0.1")
    assert bytes_read() - before < size // 10
    t.close()
