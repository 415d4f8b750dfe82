"""Release files: what is wrong is said with file, line and key, and with what to write instead."""

from fractions import Fraction

import pytest
from tests.publishing.releases import RELEASE, homes

from discreet.errors import FactsError
from discreet.facts import read_folder
from discreet.publishing.publish import publish
from discreet.publishing.release_file import read_release


def written(folder, text):
    file = folder / "release.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_release_file_is_read_exactly(tmp_path):
    release = read_release(written(tmp_path, RELEASE))
    assert (release.title, release.description) == ("Homes", "About homes.")
    counts, rents = release.questions
    assert (counts.name, counts.epsilon, counts.table) == ("counts", Fraction(1, 2), tmp_path / "homes.toml")
    assert (rents.title, rents.epsilon, rents.confidence) == ("Rents <by> region", Fraction(1, 4), Fraction(19, 20))
    assert [(each.name, each.confidence) for each in release.derived] == [("share", Fraction(9, 10))]
    assert release.tables == (tmp_path / "homes.toml",)


def test_every_key_of_a_question_is_read(tmp_path):
    text = RELEASE.replace("epsilon = 0.25", """\
within = { rent = 50 }
confidence = 0.99
simultaneous = true
assuming = 100
weights = { rent = "1/3" }
table = "sub/other.toml"
columns = { rent = "what is paid" }""")
    rents = read_release(written(tmp_path, text)).questions[1]
    assert (rents.within, rents.confidence, rents.simultaneous, rents.assuming, rents.weights, rents.columns) == \
           ({"rent": 50}, Fraction(99, 100), True, 100, {"rent": Fraction(1, 3)}, {"rent": "what is paid"})
    assert rents.table == tmp_path / "sub" / "other.toml"


CHANGES = {
    # what is written instead → line, key, a word of the message, a word of the hint
    ('title = "Homes"\n', ""): (1, "release.title", "missing", "heads the page"),
    ('table = "homes.toml"\n', ""): (5, "question[0].table", "no table", "under \\[release\\]"),
    ('name = "counts"', 'nam = "counts"'): (7, "question[0].nam", "not known", "write name"),
    ('name = "counts"', 'name = "the counts"'): (7, "question[0].name", "plain name", "letters"),
    ('name = "rents"', 'name = "Counts"'): (12, "question[1].name", "another question", "another name"),
    ('name = "share"', 'name = "rents"'): (18, "derived[0].name", "another question", "another name"),
    ("epsilon = 0.5", ""): (6, "question[0].epsilon", "no price", "within"),
    ("epsilon = 0.5", "delta = 1e-6"): (6, "question[0].epsilon", "no price", "within"),
    ("epsilon = 0.5", "epsilon = 0.5\nrho = 1"): (9, "question[0].epsilon", "not both", "rho"),
    ("epsilon = 0.5", "epsilon = 0.5\nwithin = 3"): (9, "question[0].epsilon", "a price or a wish", "within"),
    ("epsilon = 0.5", "epsilon = -1"): (9, "question[0].epsilon", "not above 0", "above 0"),
    ("epsilon = 0.5", 'epsilon = "much"'): (9, "question[0].epsilon", "not a finite number", "number"),
    ("epsilon = 0.5", "epsilon = 0.5\nconfidence = 95"): (10, "question[0].confidence", "between 0 and 1", "0.95"),
    ("epsilon = 0.5", "epsilon = 0.5\ncolumns = 3"): (10, "question[0].columns", "not a table", "key = value"),
    ("confidence = 0.9", "epsilon = 0.9"): (19, "derived[0].epsilon", "not known", ""),
    ("[[derived]]", "[derived]"): (17, "derived", "not a repeated table", "two brackets"),
    ("[[derived]]", "[[derive]]"): (17, "derive", "not known", "derived"),
    ('description = "About homes."', "description = About"): (3, "release.description", "not TOML", "double quotes"),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: " → ".join(change).replace("\n", " "))
def test_a_mistake_is_refused_with_its_place_and_its_remedy(tmp_path, change):
    right, wrong = change
    assert right in RELEASE
    file = written(tmp_path, RELEASE.replace(right, wrong, 1))
    line, key, message, hint = CHANGES[change]
    with pytest.raises(FactsError, match=message) as refused:
        read_release(file)
    assert (refused.value.file, refused.value.line, refused.value.key) == (str(file), line, key)
    assert hint.replace("\\", "") in refused.value.hint


def test_a_file_that_is_not_there_or_has_no_question_is_refused(tmp_path):
    with pytest.raises(FactsError, match="no such file"):
        read_release(tmp_path / "release.toml")
    with pytest.raises(FactsError, match="no question"):
        read_release(written(tmp_path, '[release]\ntitle = "x"\ntable = "t.toml"\n'))


def test_a_mistake_inside_a_text_of_several_lines_points_at_its_line(tmp_path):


    text = RELEASE.replace('"SELECT region, COUNT(*) AS n FROM homes GROUP BY region"',
                           "'''\nSELECT region,\n       COUNT(*) AS n\nFROM homes\nGROUP BY regions\n'''")  # fmt: skip
    with pytest.raises(FactsError, match="regions") as refused:
        publish(homes(tmp_path, release=text), tmp_path / "out", dry_run=True)
    assert (refused.value.line, refused.value.key) == (12, "question[0].sql")
    assert "region" in refused.value.hint


@pytest.mark.parametrize(("more", "message"), [
    ('sql = "SELECT region, COUNT(*) AS m FROM homes GROUP BY region"', "counts asks the same"),
    ('sql = "SELECT COUNT(*) AS n, COUNT(*) AS n_low FROM homes"', "n_low"),
    ('sql = "SELECT COUNT(*) AS n FROM homes"\ncolumns = { m = "x" }', "no column 'm'"),
    ('sql = "SELECT COUNT(*) AS n FROM homes"\nweights = { m = 2 }', "'m'"),
    ('sql = "SELECT COUNT(*) AS n FROM cars"', "cars"),
])  # fmt: skip
def test_questions_that_do_not_go_together_are_refused(tmp_path, more, message):


    file = homes(tmp_path, release=f'{RELEASE}\n[[question]]\nname = "more"\nepsilon = 0.1\n{more}\n')
    with pytest.raises(FactsError, match=message) as refused:
        publish(file, tmp_path / "out", dry_run=True)
    assert refused.value.key.startswith("question[2].")


def test_tables_of_two_folders_are_refused(tmp_path):


    homes(tmp_path / "other")
    more = '\n[[question]]\nname = "more"\ntable = "other/homes.toml"\nsql = "SELECT COUNT(*) AS n FROM homes"\nepsilon = 0.1\n'
    with pytest.raises(FactsError, match="one folder"):
        publish(homes(tmp_path, release=RELEASE + more), tmp_path / "out", dry_run=True)


@pytest.mark.slow
def test_a_link_to_facts_in_another_folder_is_another_folder(tmp_path):
    homes(tmp_path / "other")
    more = '\n[[question]]\nname = "more"\ntable = "linked.toml"\nsql = "SELECT COUNT(*) AS n FROM homes"\nepsilon = 0.1\n'
    file = homes(tmp_path, release=RELEASE + more)
    (tmp_path / "linked.toml").symlink_to(tmp_path / "other" / "homes.toml")
    with pytest.raises(FactsError, match="one folder"):
        publish(file, tmp_path / "out", dry_run=True)


def test_a_release_file_beside_the_facts_is_not_taken_for_facts(tmp_path):


    homes(tmp_path)
    assert list(read_folder(tmp_path)) == ["homes"]
