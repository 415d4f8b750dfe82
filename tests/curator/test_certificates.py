"""A receipt is good for its numbers, and a published folder for its files: whoever edits either is found."""

import hashlib
import json
import shutil

import pytest
from tests.ledger.made import count_above, write_table
from tests.publishing.releases import contents, homes

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger.entries.signatures import signed
from discreet.ledger.entries.signing import SigningKey
from discreet.publishing.publish import publish

pytestmark = pytest.mark.slow  # a release is published

QUESTIONS = {
    "a count": count_above(5),
    "groups": "SELECT place, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY place ORDER BY n DESC",
    "a median": "SELECT MEDIAN(x) AS m FROM t",
    "nothing that is shown": "SELECT place, COUNT(*) AS n FROM t GROUP BY place HAVING COUNT(*) > 100000",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Answers and receipts as JSON, as they leave; the public key; and the curator."""
    file = write_table(tmp_path_factory.mktemp("asked"), budget="epsilon = 1000")
    office.register(file)
    curator = open_table(file)
    answers = {name: curator.ask(question, epsilon=1) for name, question in QUESTIONS.items()}
    found = {name: (through_json(each.to_dict()), through_json(each.receipt)) for name, each in answers.items()}
    yield found, (file.parent / ".discreet" / "public.pem").read_bytes(), curator
    curator.close()


def through_json(value):
    return json.loads(json.dumps(dict(value), default=str))


# ---- receipts


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_receipt_is_good_for_the_numbers_of_its_answer(asked, name):
    (answer, receipt), key = asked[0][name], asked[1]
    assert office.verify_receipt(receipt, key) == ()
    found = office.match_answer(receipt, answer)
    assert (found.problems, found.notes) == ((), ())


@pytest.mark.parametrize("name", ["a count", "groups", "a median"])
def test_an_edited_number_or_interval_is_found(asked, name):
    answer, receipt = asked[0][name]
    column = answer["columns"][-1]["name"]
    numbers = json.loads(json.dumps(answer))
    numbers["rows"][0][column] += 1
    assert office.match_answer(receipt, numbers).problems == ("the numbers of the answer are not those that were signed",)
    intervals = json.loads(json.dumps(answer))
    intervals["intervals"][-1][column][1] = 7.5
    assert office.match_answer(receipt, intervals).problems == ("the intervals of the answer are not those that were signed",)
    ranks = answer | {"rank_intervals": [{column: [-1, 1]}] * len(answer["rows"])}
    assert office.match_answer(receipt, ranks).problems != ()
    fewer = answer | {"rows": answer["rows"][1:], "intervals": answer["intervals"][1:]}
    assert office.match_answer(receipt, fewer).problems != ()
    other = asked[0]["groups" if name == "a count" else "a count"][1]
    assert "not of" in office.match_answer(other, answer).problems[0]


def test_other_names_and_another_confidence_are_the_same_numbers(asked):
    found, _, curator = asked
    again = curator.ask(count_above(5).replace("AS n", "AS many"), epsilon=1, confidence="0.5")
    matched = office.match_answer(found["a count"][1], through_json(again.to_dict()))
    assert matched.problems == ()
    assert "intervals are not checked" in matched.notes[0]


def test_whole_numbers_written_as_floats_are_the_same_numbers(asked):
    answer, receipt = asked[0]["a count"]
    as_floats = answer | {"rows": [{"n": float(answer["rows"][0]["n"])}]}
    assert office.match_answer(receipt, as_floats).problems == ()


def test_what_is_no_answer_or_signs_no_numbers_is_refused(asked):
    answer, receipt = asked[0]["a count"]
    for nothing in ({}, {"columns": 1}, receipt, answer | {"rows": [{}]}):
        with pytest.raises(dc.ParameterError, match="not an answer"):
            office.match_answer(receipt, nothing)
    with pytest.raises(dc.ParameterError, match="signs no numbers"):
        office.match_answer({name: value for name, value in receipt.items() if name != "shown"}, answer)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"price": {"epsilon": "0.5"}}, "costs more than the price"),
        ({"budget": {"cap": {"epsilon": "1000"}, "before": {"epsilon": "0"}, "after": {"epsilon": "2"}}}, "not what was charged"),
        ({"budget": {"cap": {"epsilon": "1000"}, "before": {"epsilon": "2"}, "after": {"epsilon": "1"}}}, "not what was charged"),
        ({"budget": {"cap": {"epsilon": "1"}, "before": {"epsilon": "1"}, "after": {"epsilon": "2"}}}, "than the cap"),
        ({"event": {"kind": "unheard of"}}, "cannot be followed"),
    ],
)
def test_arithmetic_that_is_off_is_found_though_it_is_signed(asked, change, told):
    key, receipt = SigningKey.new(), asked[0]["a count"][1]
    rest = {name: value for name, value in receipt.items() if name not in ("signature", "kind", "format", "signed_by")}
    assert office.verify_receipt(signed("receipt", rest, key), key.public_pem()) == ()
    assert told in office.verify_receipt(signed("receipt", rest | change, key), key.public_pem())[0]


# ---- releases


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A folder as it was published, which no test edits; beside it the ledger of its curator."""
    folder = tmp_path_factory.mktemp("published")
    publish(homes(folder), folder / "out")
    return folder / "out"


@pytest.fixture
def out(published, tmp_path):
    """A copy of it, to be edited."""
    return shutil.copytree(published, tmp_path / "out")


def problems(out, key=None):
    return " | ".join(office.verify_release(out, key).problems)


def test_a_published_folder_holds_by_its_own_key_and_by_the_curators(published, out):
    found = office.verify_release(out)
    assert (found.ok, found.files, found.receipts) == (True, len(contents(out)), 2)
    curators = (published.parent / ".discreet" / "public.pem").read_bytes()
    assert office.verify_release(out, curators).signed_by == found.signed_by
    assert "another key" in problems(out, SigningKey.new().public_pem())


def test_an_edited_table_is_found_also_if_its_hash_is_edited(out):
    table = out / "counts.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("n,", "n,9", 1), encoding="utf-8")
    assert "counts.csv was changed" in problems(out)
    manifest = json.loads((out / "release.json").read_text(encoding="utf-8"))
    manifest["files"]["counts.csv"] = hashlib.sha256(table.read_bytes()).hexdigest()
    (out / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert "the release was changed" in problems(out)


@pytest.mark.parametrize("file", ["counts.csv", "share.csv", "index.html", "data-dictionary.csv", "receipts/rents.json"])
def test_every_file_is_covered(out, file):
    (out / file).write_bytes((out / file).read_bytes() + b" ")
    assert problems(out) == f"{file} was changed"
    (out / file).unlink()
    assert problems(out) == f"{file} is missing"


def test_a_file_too_many_is_found(out):
    (out / "receipts" / "more.json").write_text("{}", encoding="utf-8")
    assert problems(out) == "receipts/more.json does not belong to the release"


def test_a_folder_signed_anew_by_somebody_else_holds_by_their_key_only(published, out):
    theirs, curators = SigningKey.new(), (published.parent / ".discreet" / "public.pem").read_bytes()
    manifest = json.loads((out / "release.json").read_text(encoding="utf-8"))
    (out / "public.pem").write_bytes(theirs.public_pem())
    manifest["files"]["public.pem"] = hashlib.sha256(theirs.public_pem()).hexdigest()
    rest = {name: value for name, value in manifest.items() if name not in ("signature", "kind", "format", "signed_by")}
    (out / "release.json").write_text(json.dumps(signed("release", rest, theirs)), encoding="utf-8")
    assert "receipts/counts.json: the receipt was changed, or is signed by another key" in problems(out)
    assert "another key" in problems(out, curators)


def test_receipts_of_another_answer_are_found(published, out):
    key = SigningKey.read(published.parent / ".discreet" / "key.pem")
    manifest = json.loads((out / "release.json").read_text(encoding="utf-8"))
    manifest["answers"]["counts"]["answer"] = "000000000000"
    rest = {name: value for name, value in manifest.items() if name not in ("signature", "kind", "format", "signed_by")}
    (out / "release.json").write_text(json.dumps(signed("release", rest, key)), encoding="utf-8")
    assert problems(out) == "receipts/counts.json: it is not of the answer that the release states"


def test_what_is_no_release_is_refused_and_an_unsigned_one_says_what_to_do(published, out, tmp_path):
    with pytest.raises(dc.ParameterError, match=r"release\.json cannot be read|public\.pem cannot be read"):
        office.verify_release(tmp_path)
    manifest = json.loads((out / "release.json").read_text(encoding="utf-8"))
    old = {name: value for name, value in manifest.items() if name not in ("signature", "kind", "signed_by")} | {"format": 1}
    (out / "release.json").write_text(json.dumps(old), encoding="utf-8")
    assert "publish it again" in problems(out)
    witness = office.witness(published.parent)
    (out / "release.json").write_text(json.dumps(witness), encoding="utf-8")
    assert problems(out) == "this is a witness, not a release"


def test_publishing_twice_writes_the_same_bytes(published):
    before = contents(published)
    assert not publish(published.parent / "release.toml", published).is_new
    assert contents(published) == before
