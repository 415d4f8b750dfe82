"""A signature is of one kind and of no other; documents of the first format hold as what they were."""

import json

import pytest
from tests.ledger.made import count_above, write_table
from tests.ledger.test_old_ledgers import folder  # noqa: F401 - a fixture

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signatures import is_signed_act, kind_of, problem_with, sign_act, signed
from discreet.ledger.entries.signing import SigningKey, read_public_key

KINDS = ("receipt", "witness", "release")
KEY = SigningKey.new()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A facts file, a receipt, a witness and a public key."""
    file = write_table(tmp_path_factory.mktemp("made"))
    office.register(file)
    curator = open_table(file)
    receipt = json.loads(json.dumps(curator.ask(count_above(1), epsilon="0.1").receipt))
    curator.close()
    return file, receipt, office.witness(file), (file.parent / ".discreet" / "public.pem").read_bytes()


def test_a_witness_is_no_receipt_and_says_so(made):
    _, receipt, witness, key = made
    assert office.verify_receipt(receipt, key) == ()
    with pytest.raises(dc.ParameterError, match="this is a witness, not a receipt"):
        office.verify_receipt(witness, key)


def test_a_receipt_is_no_witness_and_accuses_nobody(made):
    file, receipt, witness, _ = made
    assert office.verify(file, witness).ok
    with pytest.raises(dc.ParameterError, match="this is a receipt, not a witness"):
        office.verify(file, receipt)
    for nothing in ({}, {"signature": "x"}, {"kind": "witness"}, {"kind": "witness", "signature": "x"}, {"kind": ["witness"]}):
        with pytest.raises(dc.ParameterError, match="witness"):
            office.verify(file, nothing)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_no_signature_passes_for_one_of_another_kind(kind, other):
    document = signed(kind, {"entries": 1}, KEY)
    assert (problem_with(document, other, KEY.public) is None) == (kind == other)
    assert (problem_with(document | {"kind": other}, other, KEY.public) is None) == (kind == other)


@pytest.mark.parametrize("name", ["entries", "signed_by", "kind", "format", "signature"])
def test_all_of_a_document_is_signed(name):
    document = signed("witness", {"entries": 1}, KEY)
    assert problem_with(document | {name: "other"}, "witness", KEY.public) is not None
    assert problem_with({key: value for key, value in document.items() if key != name}, "witness", KEY.public) is not None
    assert problem_with(document, "witness", SigningKey.new().public) is not None


def old(note, key=KEY):
    """Signed as the first version did: the JSON alone."""
    note = {"format": 1, **note, "signed_by": key.name}
    return note | {"signature": key.sign(canonical(note))}


OLD_WITNESS = {"entries": 1, "head": "x", "totals": {}, "at": ""}
OLD_RECEIPT = {"answer": "", "question": "", "event": {}, "budget": {}, "entry": {}}


def test_the_first_format_holds_by_its_shape_and_for_nothing_new():
    assert problem_with(old(OLD_WITNESS), "witness", KEY.public) is None
    assert problem_with(old(OLD_RECEIPT), "receipt", KEY.public) is None
    assert kind_of(old(OLD_WITNESS)) == "witness"
    assert problem_with(old(OLD_WITNESS), "receipt", KEY.public) == "this is a witness, not a receipt"
    for kind in KINDS:
        claimed = {"kind": kind, "format": 2, **OLD_WITNESS, "signed_by": KEY.name}
        assert problem_with(claimed | {"signature": KEY.sign(canonical(claimed))}, kind, KEY.public) is not None
    assert problem_with(old({"title": "", "digest": "", "answers": {}, "files": {}}), "release", KEY.public) is not None


def test_an_act_is_signed_as_one_and_old_acts_still_hold():
    entry = "ab" * 32
    assert is_signed_act(KEY, entry, sign_act(KEY, entry))
    assert is_signed_act(KEY, entry, KEY.sign(entry))
    assert not is_signed_act(KEY, "cd" * 32, sign_act(KEY, entry))
    assert not is_signed_act(KEY, entry, signed("witness", {"head": entry}, KEY)["signature"])
    assert sign_act(KEY, entry) != KEY.sign(entry)


def test_the_witness_of_an_old_ledger_is_no_receipt(folder):  # noqa: F811
    witness = json.loads((folder / "witness.json").read_text(encoding="utf-8"))
    key = (folder / ".discreet" / "public.pem").read_bytes()
    with pytest.raises(dc.ParameterError, match="this is a witness, not a receipt"):
        office.verify_receipt(witness, key)
    assert problem_with(witness, "witness", read_public_key(key)) is None
