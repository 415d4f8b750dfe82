"""The folder of a ledger: who is told what when it cannot be made, entered or opened, and what dead processes left."""

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.ledger.made import count_above, edit, request, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger import folder, made_ledger, owners, registry
from discreet.ledger.entries.amounts import Amount, Money
from discreet.processes import sweep, temporary_folder

ROOT = Path(__file__).parents[2]


# ---- the right thing is said

AS_NOBODY = """
import os, sys
from pathlib import Path
import discreet as dc
from discreet.curator import office, open_table
from discreet.testing import open_unregistered
open_unregistered(Path(sys.argv[1]).parents[1] / "warm" / "t.toml").ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for act in (open_table, office.verify, office.register):
    try:
        act(sys.argv[1])
    except dc.LedgerFault as fault:
        print(fault)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", [".discreet", ".discreet/key.pem"])
def test_a_folder_or_key_that_may_not_be_entered_is_said_to_be_so(what):
    with TemporaryDirectory() as there:                                     # pytest's own may be entered by us alone
        homes = [Path(there) / name for name in ("home", "warm")]
        for home in homes:
            home.mkdir()
            write_table(home)
        file = homes[0] / "t.toml"
        office.register(file)
        for each in (homes[0] / ".discreet").iterdir():
            each.chmod(0o666)
        (homes[0] / ".discreet").chmod(0o777)
        (homes[0] / what).chmod(0)
        for each in (Path(there), *homes):
            each.chmod(0o755)
        done = subprocess.run([sys.executable, "-c", AS_NOBODY, str(file)], capture_output=True, text=True, check=False, cwd=ROOT)
        (homes[0] / ".discreet").chmod(0o700)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3
    assert all("must be readable and writable" in each for each in told), told


def test_a_path_that_is_too_long_is_said_to_be_too_long_and_leaves_nothing(tmp_path):
    deep = tmp_path
    while len(str(deep)) < 520:
        deep /= "a" * 60
    deep.mkdir(parents=True)
    file = write_table(deep)
    with pytest.raises(dc.LedgerFault, match="too long"):
        office.register(file)
    assert sorted(each.name for each in deep.iterdir()) == ["t.csv", "t.toml"]


def test_a_price_that_no_float_holds_is_refused_like_any_other(tmp_path):
    assert Money("epsilon", has_delta=False).words(Amount(Fraction(10**400))) == "epsilon about 1e+400"
    assert Money("epsilon", has_delta=False).words(Amount(Fraction(1, 3 * 10**400))) == "epsilon about 3.33333333333e-401"
    assert Money("epsilon", has_delta=False).words(Amount(Fraction(2, 3))) == "epsilon 2/3"
    file = write_table(tmp_path)
    office.register(file)
    curator = open_table(file)
    with pytest.raises(dc.BudgetError, match="left"):
        curator.desk.ledger.reserve([request("q", "1e400")])
    curator.close()


def test_whoever_registers_the_same_table_at_the_same_time_is_told_that_it_is_registered(tmp_path, monkeypatch):
    file, known = write_table(tmp_path), registry.known
    others = []

    def overtaken(ledger, table):
        found = known(ledger, table)
        if not others:
            others.append("registers now")
            assert not office.register(file).already
        return found

    monkeypatch.setattr(registry, "known", overtaken)
    assert office.register(file).already
    assert office.verify(file).entries == 1
    others.clear()
    monkeypatch.undo()
    edit(file, "upper = 100", "upper = 200")
    with pytest.raises(dc.FactsError, match="have changed"):
        office.register(file)


# ---- where it is


def test_a_facts_file_that_is_a_link_into_another_folder_has_no_ledger_of_its_own(tmp_path):
    """A folder of links would give the same file a second budget."""
    home, links = tmp_path / "home", tmp_path / "links"
    home.mkdir()
    links.mkdir()
    file = write_table(home)
    office.register(file)
    for each in (file, home / "t.csv"):
        (links / each.name).symlink_to(each)
    for act in (open_table, office.verify, office.register):
        with pytest.raises(dc.FactsError, match="link into another folder"):
            act(links / "t.toml")
    assert not (links / ".discreet").exists()
    (home / "alias.toml").symlink_to("t.toml")
    (tmp_path / "way").symlink_to(home)
    for same in (home / "alias.toml", tmp_path / "way" / "t.toml"):         # these lead to the ledger that is there
        assert office.verify(same).entries == 1
        open_table(same).close()


# ---- file systems

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:25 / /home/us/net rw - nfs4 server:/export rw
31 30 0:26 / /home/us/net/local rw - tmpfs tmpfs rw
32 22 0:27 / /mnt/a\\040share rw - cifs //server/share rw
33 22 0:28 / /over rw - overlay overlay rw
34 22 0:29 / /ssh rw - fuse.sshfs us@there: rw
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/home/us/net/deep/.discreet", "nfs4"), ("/home/us/net", "nfs4"), ("/mnt/a share/.discreet", "cifs"),
        ("/ssh/x", "fuse.sshfs"),
        ("/home/us/net/local/.discreet", None), ("/home/us/network/.discreet", None), ("/over/x", None), ("/tmp/x", None),
    ],
)  # fmt: skip
def test_file_systems_of_other_machines_are_told_from_those_of_this_one(place, kind):
    assert folder.network_file_system(Path(place), MOUNTS) == kind


def test_a_ledger_on_a_file_system_of_another_machine_is_neither_made_nor_opened(tmp_path, monkeypatch):
    file = write_table(tmp_path)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 0:5 / {tmp_path} rw - nfs server:/x rw\n")
    monkeypatch.setattr(folder, "_MOUNTS", mounts)
    with pytest.raises(dc.LedgerFault, match=r"nfs.*disk of this machine"):
        office.register(file)
    assert not (tmp_path / ".discreet").exists()
    monkeypatch.undo()
    office.register(file)
    monkeypatch.setattr(folder, "_MOUNTS", mounts)
    with pytest.raises(dc.LedgerFault, match="disk of this machine"):
        open_table(file)


# ---- what dead processes left

LEAVING = """
import os, sys
from pathlib import Path
from discreet.processes import temporary_folder
for words in ((".discreet-", sys.argv[1]), ("discreet-", sys.argv[1])):
    left = temporary_folder(*words)
    (Path(left) / "key.pem").write_text("secret")
    print(left)
os.kill(os.getpid(), 9)
"""


@pytest.mark.slow
def test_what_a_killed_process_left_is_swept_and_nothing_else_is(tmp_path):
    done = subprocess.run([sys.executable, "-c", LEAVING, str(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT)
    left = [Path(each) for each in done.stdout.split()]
    assert [each.is_dir() for each in left] == [True, True]
    mine = Path(temporary_folder(".discreet-", tmp_path))
    name = left[0].name.removeprefix(".discreet-")
    number, started, machine, boot, rest = name.split("-")
    others = [f".discreet-{number}-{started}-000000-{boot}-{rest}", ".discreet-abcdefgh", ".discreet-backup", f"other-{name}"]
    for each in others:
        (tmp_path / each).mkdir()
    (tmp_path / f".discreet-{name}x").symlink_to(mine)
    (tmp_path / f".discreet-{name}y").write_text("a file")
    before_boot = tmp_path / f".discreet-{os.getpid()}-{started}-{machine}-000000-{rest}"
    before_boot.mkdir()
    file = write_table(tmp_path)
    office.register(file)
    assert not left[0].exists()
    assert not before_boot.exists()
    assert left[1].exists()                                                 # another kind, in another folder
    assert mine.is_dir()
    assert all((tmp_path / each).is_dir() for each in others)
    assert (tmp_path / f".discreet-{name}x").is_symlink()
    assert (tmp_path / f".discreet-{name}y").is_file()
    sweep("discreet-", tmp_path)
    assert not left[1].exists()
    shutil.rmtree(mine)


@pytest.mark.slow
def test_folders_of_engines_that_were_killed_are_swept_by_the_next_one(tmp_path):
    file = write_table(tmp_path)
    office.register(file)
    there = tmp_path / "temporary"
    there.mkdir()
    asking = """
import os, sys
from discreet.curator import open_table
curator = open_table(sys.argv[1])
curator.ask(sys.argv[2], epsilon="0.1")
os.kill(os.getpid(), 9)
"""
    for number in range(2):
        words = [sys.executable, "-c", asking, str(file), count_above(number)]
        subprocess.run(words, check=False, cwd=ROOT, env={**os.environ, "TMPDIR": str(there)})
        assert len(list(there.glob("discreet-*"))) == 1                     # of the second one only, the second time


# ---- charges of versions that are gone


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crashed_charge_of_a_version_that_is_gone_does_not_stay_running(tmp_path, monkeypatch, when):
    file = write_table(tmp_path, budget="epsilon = 1")
    office.register(file)
    ledger = made_ledger(tmp_path / ".discreet")
    ledger.reserve([request("q", "0.1", analyst="alice")])
    if when == "before":                                                    # it had crashed when the new version came
        monkeypatch.setattr(owners, "is_dead", lambda who, lease, clock: True)
    edit(file, 'version = "1"', 'version = "2"')
    office.new_version(file)
    if when == "after":
        assert sql(tmp_path, "SELECT state FROM charges") == [("running",)]
        monkeypatch.setattr(owners, "is_dead", lambda who, lease, clock: True)
        assert office.recover(file) == []
    assert sql(tmp_path, "SELECT state, reference FROM charges") == [("faulted", "superseded")]
    assert office.verify(file).ok
    curator = open_table(file)
    curator.ask(count_above(1), epsilon="0.1", analyst="alice")             # nobody is frozen for it
    assert curator.budget.spent.epsilon == Fraction(1, 5)                   # and the charge is kept
    curator.close()
    ledger.close()
    assert sql(tmp_path, "SELECT COUNT(*) FROM analysts") == [(0,)]
