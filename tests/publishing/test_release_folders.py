"""Whatever lies in a folder that is said to be a release: a verdict or a refusal each time, and no file is waited for."""

import hashlib
import json
import os
import shutil

import pytest
from tests.publishing.releases import homes

import discreet as dc
from discreet.curator import office
from discreet.ledger.entries.signatures import signed
from discreet.ledger.entries.signing import SigningKey
from discreet.publishing.publish import publish

pytestmark = pytest.mark.slow  # a release is published


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    publish(homes(home), home / "out")
    return home


@pytest.fixture
def out(published, tmp_path):
    return shutil.copytree(published, tmp_path / "home") / "out"


def problems(out):
    return " | ".join(office.verify_release(out).problems)


def sign_anew(out, change):
    """The manifest after a change, signed by the curator all the same."""
    key = SigningKey.read(out.parent / ".discreet" / "key.pem")
    manifest = json.loads((out / "release.json").read_bytes())
    rest = {name: value for name, value in manifest.items() if name not in ("signature", "kind", "format", "signed_by")}
    change(rest)
    (out / "release.json").write_text(json.dumps(signed("release", rest, key)), encoding="utf-8")


@pytest.mark.parametrize("file", ["counts.csv", "receipts/rents.json"])
def test_a_linked_file_is_no_file_of_a_release(out, file):
    (out / file).rename(out.parent / "elsewhere")
    (out / file).symlink_to(out.parent / "elsewhere")
    assert problems(out) == f"{file} is not a regular file"


def test_an_empty_folder_does_not_belong_to_a_release(out):
    (out / "more" / "inside").mkdir(parents=True)
    assert problems(out) == "more does not belong to the release | more/inside does not belong to the release"


@pytest.mark.parametrize("change", [
    lambda rest: rest.pop("files"),
    lambda rest: rest.pop("answers"),
    lambda rest: rest.update(files=["counts.csv"]),
    lambda rest: rest["files"].update({"counts.csv": 7}),
    lambda rest: rest.update(answers=[]),
    lambda rest: rest["answers"].update(counts="counts"),
    lambda rest: rest["files"].update({"../facts.toml": "0"}),
    lambda rest: rest["answers"].update({"../../secret": {}}),
])  # fmt: skip
def test_a_manifest_of_another_shape_does_not_hold_though_it_is_signed(out, change):
    sign_anew(out, change)
    assert problems(out) == "the release is signed, and does not say what belongs to it as discreet does"


@pytest.mark.parametrize("file", ["release.json", "receipts/counts.json"])
def test_a_name_that_is_there_twice_is_found(out, file):
    """Whoever reads the first of the two reads something else than whoever reads the last."""
    text = (out / file).read_text(encoding="utf-8")
    (out / file).write_text('{"kind": "another",' + text.lstrip()[1:], encoding="utf-8")
    if file != "release.json":
        sign_anew(out, lambda rest: rest["files"].update({file: hashlib.sha256((out / file).read_bytes()).hexdigest()}))
    told = {"release.json": "this is not a release as discreet signs it", "receipts/counts.json": "it has no signature"}
    assert told[file] in problems(out)


@pytest.mark.parametrize("file", ["release.json", "public.pem"])
def test_a_release_whose_manifest_or_key_is_no_regular_file_is_refused(out, file):
    (out / file).rename(out.parent / "elsewhere")
    (out / file).symlink_to(out.parent / "elsewhere")
    with pytest.raises(dc.ParameterError, match="not a regular file"):
        office.verify_release(out)


def test_odd_names_are_told_in_plain_letters(out):
    (out / os.fsdecode(b"\xff\x1b[2J")).write_bytes(b"")
    assert problems(out).isprintable()
    problems(out).encode()


@pytest.mark.parametrize("file", ["counts.csv", "receipts/rents.json", "more"])
def test_a_pipe_in_a_release_is_found_and_not_waited_for(out, file):
    (out / file).unlink(missing_ok=True)
    os.mkfifo(out / file)
    assert problems(out) == f"{file} " + ("does not belong to the release" if file == "more" else "is not a regular file")


@pytest.mark.parametrize("file", ["release.json", "public.pem"])
def test_a_pipe_for_a_manifest_or_a_key_is_refused_and_not_waited_for(out, file):
    (out / file).unlink()
    os.mkfifo(out / file)
    with pytest.raises(dc.ParameterError, match="not a regular file"):
        office.verify_release(out)
