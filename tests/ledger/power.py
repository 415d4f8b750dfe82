"""What a disk may hold after the power went: whatever was synced, and any part of what came after.

Everything that SQLite does to its files is recorded while questions are asked. An image is made of a random moment: of each file,
what was done before its last sync is there; of what was done since, any sectors, in tatters. What was told to an asker before
that moment must be in the image, and the ledger must be sound.
"""

import os
import random
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path

from tests.ledger.made import charged_by_hand, count_above, entries_by_hand, write_table
from tests.ledger.recorded import Did, recording

from discreet.curator import Curator, office, open_table
from discreet.engines.reference.engine import Reference
from discreet.facts import read_facts
from discreet.ledger import open_ledger, place_of
from discreet.ledger.sqlite import database

SECTOR = 512
FILES = ("ledger.db", "ledger.db-wal")


def recorded(folder, questions, *, sessions=3):
    """The files as they were before, and all that was done to them, with what askers were told in between."""
    folder.mkdir(parents=True)
    file = write_table(folder, budget="epsilon = 1_000_000")
    office.register(file)
    place, facts = place_of(file), read_facts(file)
    before = {each.name: each.read_bytes() for each in place.iterdir()}
    done = []
    with recording(lambda did: done.append(did) if did.name in FILES else None):
        for session in range(sessions):                                  # closing empties the log, too
            curator = Curator(facts, lambda: Reference(facts, [{"x": "1", "place": "1"}]), open_ledger(place), place)
            for number in range(session * questions, (session + 1) * questions):
                answer = curator.ask(count_above(number), epsilon=1)
                done.append((number, answer.value, answer.receipt["entry"]))
            curator.close()
    return file, before, done


def image(before, done, moment, chance):
    """The files that may be there after the power went at that moment, with a choice of what was not synced."""
    past = [did for did in done[:moment] if isinstance(did, Did)]
    found = {}
    for name in FILES:
        mine = [did for did in past if did.name == name]
        synced = max((number for number, did in enumerate(mine) if did.what == "sync"), default=-1)
        content = bytearray(before.get(name, b""))
        for number, did in enumerate(mine):
            _do(content, did, 1.0 if number <= synced else chance)
        found[name] = bytes(content)
    return found


def _do(content, did, chance):
    if did.what == "write":
        if len(content) < did.at + len(did.content) and chance > 0:
            content.extend(bytes(did.at + len(did.content) - len(content)))
        for start in range(0, len(did.content), SECTOR):
            sector = did.content[start : start + SECTOR]
            if random.random() < chance:
                content[did.at + start : did.at + start + len(sector)] = sector
    elif did.what == "truncate" and random.random() < chance:
        del content[did.at :]
    elif did.what == "delete" and random.random() < chance:
        content.clear()


def losses(folder, questions, images, seed):
    """How many images were lost or unsound, and what of the recording was hit."""
    random.seed(seed)
    file, before, done = recorded(folder / "recorded", questions)
    lost, hit = 0, Counter()
    for number in range(images):
        moment, chance = random.randrange(1, len(done)), random.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        last = done[moment - 1]
        hit["told" if not isinstance(last, Did) else f"{last.what} {last.name}"] += 1
        there = folder / f"image {number}"
        shutil.copytree(file.parent, there)
        for name, content in image(before, done, moment, chance).items():
            (there / ".discreet" / name).write_bytes(content)
        if random.random() < 0.5:
            (there / ".discreet" / "ledger.db-shm").write_bytes(os.urandom(32768))
        lost += not _is_sound(there, [did for did in done[:moment] if not isinstance(did, Did)])
        shutil.rmtree(there)
    return lost, hit


def _is_sound(folder: Path, told) -> bool:
    """Every answer that was told is settled with its charge, and the ledger goes on."""
    file = folder / "t.toml"
    try:
        if not office.verify(file).ok:
            return False
        entries = {number: (kind, hash_) for number, kind, _, hash_ in entries_by_hand(folder)}
        if any(entries.get(entry["number"]) != ("settle", entry["hash"]) for _, _, entry in told):
            return False
        charged = charged_by_hand(folder)
        curator = open_table(file)
        again = [curator.ask(count_above(number), epsilon=1).value == value for number, value, _ in told[-3:]]
        curator.ask(count_above(10**6), epsilon=1)
        curator.close()
    except database.LedgerFault:
        return False
    return all(again) and charged_by_hand(folder) == charged + 1 and charged >= Fraction(len(told)) and office.verify(file).ok
