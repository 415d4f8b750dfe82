"""A source is known by its content: touching and copying stop nothing, an edit closes the table, and no export tells a size."""

import hashlib
import json
import os
import shutil
from contextlib import nullcontext
from fractions import Fraction

import duckdb
import pytest
from tests.ledger.made import ROWS, count_above, edit, spent, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.engines import stamps
from discreet.engines.wanted import Engine
from discreet.facts import read_facts

pytestmark = pytest.mark.slow  # tables are registered, and again


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 100")
    office.register(found)
    return found


@pytest.fixture
def digested(monkeypatch):
    """The files whose bytes were digested, in order."""
    seen, real = [], stamps.digest_of
    monkeypatch.setattr(stamps, "digest_of", lambda path: seen.append(path.name) or real(path))
    return seen


def exported(folder):
    return json.dumps(list(office.export(folder)))


# ---- what is the same


def test_a_file_that_was_touched_is_the_same_and_is_digested_once(file, digested):
    t = open_table(file)
    t.ask(count_above(1), epsilon="0.1")
    assert digested == []                                                  # registering has remembered it
    os.utime(file.parent / "t.csv", ns=(1, 1))
    for number in range(2, 5):
        t.ask(count_above(number), epsilon="0.1")
    t.close()
    again = open_table(file)
    again.ask(count_above(9), epsilon="0.1")
    again.close()
    assert digested == ["t.csv"]
    assert office.verify(file).ok


def test_a_file_that_was_written_just_now_is_given_a_tick_also_if_its_time_lies_ahead(file, monkeypatch):
    """The time of a file can be set; the time of its change is the clock's."""
    source, waited = read_facts(file).located, []
    now = 10**18
    monkeypatch.setattr(stamps.time, "time_ns", lambda: now)
    monkeypatch.setattr(stamps.time, "sleep", waited.append)
    for modified, changed in ((now + 10**12, now - 10**6), (now - 10**6, now + 10**12), (now - 10**12, now - 10**12)):
        monkeypatch.setattr(stamps, "_facts_of", lambda each, times=(modified, changed): (1, times[0], 1, times[1]))
        stamps.seen_in(source)
    assert waited == [0.049, 0.049]


def test_a_folder_that_was_copied_is_asked_as_before(file, tmp_path_factory):
    copy = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(file.parent, copy, copy_function=shutil.copyfile)      # as cp -r does: new times, new inodes
    t = open_table(copy / "t.toml")
    assert not t.ask(count_above(1), epsilon="0.1").replayed
    t.close()


def test_an_open_table_goes_on_after_its_file_was_replaced_by_a_copy(file):
    t, source = open_table(file), file.parent / "t.csv"
    t.ask(count_above(1), epsilon="0.1")
    shutil.copyfile(source, source.with_suffix(".new"))
    source.with_suffix(".new").replace(source)
    assert not t.ask(count_above(2), epsilon="0.1").replayed
    t.close()


# ---- what is not


def test_an_edit_of_the_same_size_and_time_closes_the_table_until_the_data_holder_acts(file):
    source = file.parent / "t.csv"
    before = source.stat()
    t = open_table(file)
    t.ask(count_above(1), epsilon="0.1", analyst="alice")
    source.write_text(ROWS.replace("59,2", "58,2"), encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (source.stat().st_size, source.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    for _ in range(4):                                                     # as often as one likes: nobody is frozen
        with pytest.raises(dc.AccessError, match="the source of t has changed") as caught:
            t.ask(count_above(2), epsilon="0.1", analyst="alice")
    assert "version new" in caught.value.hint
    assert spent(t) == Fraction(1, 10)
    t.close()
    source.write_text(ROWS, encoding="utf-8")                              # put back: closed all the same
    t = open_table(file)
    with pytest.raises(dc.AccessError, match="has changed"):
        t.ask(count_above(2), epsilon="0.1", analyst="alice")
    office.unfreeze(file, reason="the file was put back")
    assert not t.ask(count_above(2), epsilon="0.1", analyst="alice").replayed
    t.close()
    assert office.verify(file).ok


def test_a_closed_table_is_not_opened_again_while_its_content_is_another_but_by_a_new_version(file):
    (file.parent / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
    t = open_table(file)
    with pytest.raises(dc.AccessError, match="has changed"):
        t.ask(count_above(1), epsilon="0.1")
    t.close()
    with pytest.raises(dc.FactsError, match="not what was registered"):
        office.unfreeze(file, reason="never mind")
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file, reason="new rows")
    t = open_table(file)
    assert not t.ask(count_above(1), epsilon="0.1").replayed
    t.close()
    assert office.verify(file).ok


def test_a_changed_file_is_digested_once_however_often_somebody_asks(file, digested):
    (file.parent / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
    t = open_table(file)
    for number in range(3):
        with pytest.raises(dc.AccessError):
            t.ask(count_above(number), epsilon="0.1")
        with pytest.raises(dc.AccessError):
            t.ask(count_above(number), epsilon="1000")
    t.close()
    assert digested == ["t.csv"]


def test_a_source_that_vanished_is_a_fault_that_closes_nothing(file):
    source = file.parent / "t.csv"
    kept = source.read_bytes()
    t = open_table(file)
    source.unlink()
    with pytest.raises(dc.SourceFault, match="the source of t is gone"):
        t.ask(count_above(1), epsilon="0.1")
    assert spent(t) == 0
    source.write_bytes(kept)
    assert not t.ask(count_above(1), epsilon="0.1").replayed
    t.close()


def test_a_source_that_changes_while_it_is_read_keeps_the_charge_and_freezes_nobody(file):
    t = open_table(file)
    engine = t.desk.ready()

    class Changing(Engine):
        """Reads, and then somebody writes to the file."""

        def run(self, wanted):
            found = engine.run(wanted)
            (file.parent / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
            return found

        def at_once(self):
            return nullcontext(self)

        def check(self):
            pass

        def close(self):
            engine.close()

    t.desk.engine = Changing()
    with pytest.raises(dc.SourceFault):
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    assert spent(t) == Fraction(1, 10)
    assert sql(file.parent, "SELECT state FROM charges") == [("faulted",)]
    t.close()
    (line,) = (json.loads(each) for each in (file.parent / ".discreet" / "faults.log").read_text().splitlines())
    assert line["charge"] > 0
    (file.parent / "t.csv").write_text(ROWS, encoding="utf-8")
    office.unfreeze(file, reason="put back")
    t = open_table(file)
    assert t.ask(count_above(2), epsilon="0.1", analyst="alice").rows
    t.close()


def test_a_pattern_is_known_by_the_names_and_contents_of_its_files(tmp_path):
    file = write_table(tmp_path, budget="epsilon = 100")
    edit(file, 'source = "t.csv"', 'source = "parts/*.csv"')
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "a.csv").write_text(ROWS, encoding="utf-8")
    (parts / "b.csv").write_text(ROWS.replace("someone", "another"), encoding="utf-8")
    office.register(file)
    for place in parts.iterdir():
        os.utime(place, ns=(1, 1))
    t = open_table(file)
    t.ask(count_above(1), epsilon="0.1")
    (parts / "c.csv").write_text(ROWS.replace("someone", "third"), encoding="utf-8")
    with pytest.raises(dc.AccessError, match="has changed"):
        t.ask(count_above(2), epsilon="0.1")
    t.close()


def test_a_duckdb_file_is_known_together_with_what_was_not_yet_written_into_it(tmp_path):
    file = write_table(tmp_path, budget="epsilon = 100")
    edit(file, 'source = "t.csv"', 'source = "t.duckdb#people"')
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{tmp_path / 't.csv'}')")
    office.register(file)
    t = open_table(file)
    t.ask(count_above(1), epsilon="0.1")
    t.close()
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("INSERT INTO people VALUES (1, 1, 'new')")
    assert (tmp_path / "t.duckdb.wal").exists()
    t = open_table(file)
    with pytest.raises(dc.AccessError, match="has changed"):
        t.ask(count_above(2), epsilon="0.1")
    t.close()


# ---- what leaves


def test_no_export_receipt_or_entry_holds_anything_that_a_guess_of_size_and_time_can_be_checked_against(file):
    t = open_table(file)
    os.utime(file.parent / "t.csv", ns=(7, 7))
    receipt = t.ask(count_above(1), epsilon="0.1").receipt
    t.close()
    source = file.parent / "t.csv"
    status, content = source.stat(), source.read_bytes()
    guesses = [repr((status.st_size, time)) for time in (7, status.st_mtime_ns, status.st_ctime_ns)]
    guesses += [content.decode(), str(status.st_size), str(status.st_mtime_ns), str(status.st_ino)]
    kinds = (hashlib.sha256, hashlib.blake2b, hashlib.sha512, lambda data: hashlib.blake2b(data, digest_size=32))
    hashes = {kind(guess.encode()).hexdigest() for guess in guesses for kind in kinds}
    kept = " ".join(str(row) for row in sql(file.parent, "SELECT * FROM sources"))
    for text in (exported(file), json.dumps(receipt), kept):
        assert not any(each in text for each in hashes)
    shown = exported(file)
    assert not any(str(number) in shown for number in (status.st_ino, status.st_ctime_ns))


def test_equal_contents_in_two_versions_or_two_ledgers_cannot_be_seen_to_be_equal(file, tmp_path_factory):
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file, reason="other facts")
    edit(file, 'version = "2"', 'version = "3"')
    office.new_version(file, reason="other facts")
    other = write_table(tmp_path_factory.mktemp("other"), budget="epsilon = 100")
    office.register(other)
    found = [str(stamp) for place in (file, other) for entry in office.entries(place) if "stamps" in entry.body
             for _, stamp in entry.body["stamps"]]  # fmt: skip
    assert len(found) == len(set(found)) == 4


def test_changing_what_was_remembered_of_a_source_does_not_open_it(file):
    (file.parent / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
    t = open_table(file)
    with pytest.raises(dc.AccessError):
        t.ask(count_above(1), epsilon="0.1")
    sql(file.parent, "UPDATE sources SET closed = 0")
    with pytest.raises(dc.AccessError):
        t.ask(count_above(1), epsilon="0.1")
    t.close()


# ---- ledgers from before


def before(file):
    """The ledger as it was when sources were known by hashes of size and time."""
    status = (file.parent / "t.csv").stat()
    old = [["t.csv", hashlib.sha256(repr((status.st_size, status.st_mtime_ns)).encode()).hexdigest()]]
    sql(file.parent, "DELETE FROM sources")
    sql(file.parent, "DELETE FROM source_files")
    sql(file.parent, "UPDATE tables SET stamps = ?", json.dumps(old, separators=(",", ":")))
    return old[0][1]


def test_a_table_of_an_older_ledger_is_asked_on_and_from_then_on_known_by_its_content(file):
    before(file)
    t = open_table(file)
    t.ask(count_above(1), epsilon="0.1")
    os.utime(file.parent / "t.csv", ns=(1, 1))
    t.ask(count_above(2), epsilon="0.1")
    (file.parent / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
    with pytest.raises(dc.AccessError, match="has changed"):
        t.ask(count_above(3), epsilon="0.1")
    t.close()
    assert [entry.body["state"] for entry in office.entries(file) if entry.kind == "source"] == ["adopted", "closed"]


def test_a_table_of_an_older_ledger_whose_file_was_touched_waits_for_the_word_of_the_data_holder(file):
    before(file)
    os.utime(file.parent / "t.csv", ns=(1, 1))
    t = open_table(file)
    with pytest.raises(dc.AccessError, match="has changed") as caught:
        t.ask(count_above(1), epsilon="0.1")
    assert "unfreeze" in caught.value.hint
    office.unfreeze(file, reason="the same rows, copied from the old disk")
    t.ask(count_above(1), epsilon="0.1")
    t.close()


def test_stamps_of_an_older_ledger_are_not_exported(file):
    old = before(file)
    text = json.dumps([["t.csv", old]])
    sql(file.parent, "DROP TRIGGER entries_are_not_edited")
    (body,) = sql(file.parent, "SELECT body FROM entries WHERE kind = 'register'")[0]
    changed = json.loads(body) | {"stamps": json.loads(text)}
    sql(file.parent, "UPDATE entries SET body = ? WHERE kind = 'register'", json.dumps(changed))
    assert old not in exported(file)
    assert '"withheld": ["stamps"]' in exported(file)
