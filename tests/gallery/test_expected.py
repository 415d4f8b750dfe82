"""Every figure that a text prints, worked out again: from the made-up tables, and from its own files where they are at hand."""

import csv
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.gallery.choosing import letters
from discreet.gallery.composing import RACES
from discreet.lessons import auction
from discreet.lessons.r import R
from discreet.lessons.samples import sample

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
FILES = {"ce_book": "CEdata_994_book.csv", "ce_slides": "CEdata_5133_slides.csv", "adult": "adult_with_pii_rejoined.csv",
         "fulton": "pums/FultonPUMS5full.csv"}
# of the stored file, what is words about figures and no figure
WORDS = {"file", "notebook_file", "rule", "rlaplace_formula", "query", "letters_db", "known_errors_in_seed"}

EXPECTED = {                                                            # retyped; compared with the file where it is at hand
    "Hu_ch7_book (000)": {
        "n": 994, "rural": 51, "mean_income": 67593.2163, "printed_mean": 67593, "R_set_seed_123_runif1": 0.28757752012461424,
        "releases": [{"eps": 0.1, "printed": 45}, {"eps": 1, "printed": 50}, {"eps": 0.1, "printed": 62028.67},
                     {"eps": 1, "printed": 67036.76}],
        "race_counts": {"1": 816, "2": 109, "3": 7, "4": 39, "5": 6, "6": 17}, "mean_expenditure": 9421.9719},
    "Hu_slides (001)": {
        "n": 5133, "rural": 337, "mean_income": 77075.7689,
        "releases": [{"eps": 0.1, "printed": 331}, {"eps": 1, "printed": 336}],
        "race_counts": {"1": 4201, "2": 553, "3": 28, "4": 239, "5": 24, "6": 88}, "mean_expenditure": 10197.3821},
    "CS208 (002)": {
        "eps_speed_query": 0.1, "eps_devices_query": 0.1, "total_eps_printed": 0.2,
        "notebook_fulton_educ_mean": 10.608553908251183, "notebook_educ_bounds": [1, 16], "notebook_n": 25766,
        "notebook_check": "mean sensitivity 15/25766; laplace scale 0.5: d_in=.15 -> eps .30"},
    "Near_Abuah (003)": {"age_ge_40": 14237, "text_says": 14235, "karrie_le_50K": 1, "n": 32561},
    "Ghosh survey (004)": {
        "auction_bids": [1, 1, 3.01], "revenue_at_price": {"1.00": 3.0, "1.01": 1.01, "3.01": 3.01, "3.02": 0.0},
        "argmax_letter": "b", "tied_letters": ["b", "c", "e", "j", "t"], "tied_count": 10},
}


@pytest.fixture(params=["made up", "real"])
def rows_of(request, real_data):
    def made_up(name):
        return list(csv.DictReader(sample(name).csv().splitlines()))

    def real(name):
        with real_data(FILES[name]).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    return made_up if request.param == "made up" else real


def units(rows, *, means: bool):
    """The figures of a consumer sample; R's releases depend on its totals alone."""
    income, spent = (sum(Fraction(row[name]) for row in rows) / len(rows) for name in ("Income", "Expenditure"))
    rural = sum(row["UrbanRural"] == "2" for row in rows)
    found = {
        "n": len(rows), "rural": rural, "mean_income": round(float(income), 4), "mean_expenditure": round(float(spent), 4),
        "race_counts": {str(race): sum(row["Race"] == str(race) for row in rows) for race in range(1, 7)},
        "releases": [{"eps": epsilon, "printed": round(R(123).rlaplace(1, rural, 1 / epsilon)[0])} for epsilon in (0.1, 1)],
    }
    if means:
        moves = float(dc.sensitivity("mean", neighbours="change_one", lower=0, upper=10**6, rows=len(rows)))
        found["releases"] += [{"eps": epsilon, "printed": round(R(123).rlaplace(1, float(income), moves / epsilon)[0], 2)}
                              for epsilon in (0.1, 1)]
        found |= {"printed_mean": int(income), "R_set_seed_123_runif1": float(R(123).runif(1)[0])}
    return found


def course(rows):
    """Two pairs of disjoint counts; and the notebook's mean with its privacy map."""
    schooling, bounds = [int(row["educ"]) for row in rows], [1, 16]
    pair = dc.parallel(dc.Pure(epsilon="0.1"), dc.Pure(epsilon="0.1"), neighbours="add_remove")
    moves = dc.sensitivity("mean", neighbours="change_one", lower=bounds[0], upper=bounds[1], rows=len(rows))
    loss = dc.Laplace(scale="0.5").loss_for("0.15")
    assert min(schooling) >= bounds[0]
    assert max(schooling) <= bounds[1]
    return {
        "eps_speed_query": float(pair.epsilon), "eps_devices_query": float(pair.epsilon),
        "total_eps_printed": float(dc.sequential(pair, pair).epsilon), "notebook_n": len(rows), "notebook_educ_bounds": bounds,
        "notebook_fulton_educ_mean": sum(schooling) / len(schooling),
        "notebook_check": f"mean sensitivity {moves}; laplace scale 0.5: d_in=.15 -> eps .{round(loss.epsilon * 100)}",
    }


def census(rows):
    karrie = [row for row in rows if row["Name"] == "Karrie Trusslove" and row["Target"].strip() == "<=50K"]
    said = re.search(r"\| ([\d,]+) people are 40 or older \|", (GALLERY / "28_slips.md").read_text(encoding="utf-8"))
    return {"n": len(rows), "age_ge_40": sum(int(row["Age"]) >= 40 for row in rows), "karrie_le_50K": len(karrie),
            "text_says": int(said[1].replace(",", ""))}


def survey():
    counts = letters()
    most = max(counts.values())
    tied = [letter for letter, count in counts.items() if count == most]
    return {"auction_bids": [bid / 100 for bid in auction.BIDS], "tied_count": most, "tied_letters": tied,
            "argmax_letter": tied[0],
            "revenue_at_price": {f"{price / 100:.2f}": auction.revenue(price) / 100 for price in auction.PRICES}}


@pytest.mark.slow
def test_every_figure_of_the_texts_comes_out_of_the_tables(rows_of):
    assert {
        "Hu_ch7_book (000)": units(rows_of("ce_book"), means=True), "Hu_slides (001)": units(rows_of("ce_slides"), means=False),
        "CS208 (002)": course(rows_of("fulton")), "Near_Abuah (003)": census(rows_of("adult")), "Ghosh survey (004)": survey(),
    } == EXPECTED
    assert list(RACES.values()) == list(EXPECTED["Hu_slides (001)"]["race_counts"].values())


def test_the_figures_here_are_all_that_are_stored(real_data):
    def without_words(found):
        if isinstance(found, dict):
            return {name: without_words(each) for name, each in found.items() if name not in WORDS}
        return [without_words(each) for each in found] if isinstance(found, list) else found

    assert without_words(json.loads(real_data("vectors/seed_expected.json").read_text(encoding="utf-8"))) == EXPECTED


# ---- what each page of the gallery is to show

SHOWN = {
    1: ["± 30 (95 %) · ε 0.1 · 2.1 left"],
    2: ["994 1006.04", "160834"],
    3: ["[1.0, 2.0]", "histogram         1      2", "counts            3      3"],
    4: ["0.0953", "0.6931", "1.3863"],
    5: ["[5.0, 1.0, 0.5]", "(0.7071, 1.0)"],
    6: ["2.71828", "[1.0, 1.0, 0.6, 0.0, -1.0]"],
    7: ["0.1 45 62028.67", "1 50 67036.76", "[331, 336]"],
    8: ["[300, 30, 3]", "(30138, 15069, 2.0)"],
    9: ["([6028, 3014], 4521)"],
    10: ["5836 23345", "('mi', 12000.0)"],
    11: ["(Pure(epsilon=1/10), Pure(epsilon=1/5))"],
    12: ["(50, 123, 20, 19.1)", "(Pure(epsilon=1/25), Fraction(2, 1))"],
    13: ["(Pure(epsilon=1/5), Pure(epsilon=0))"],
    14: ["[3, 6]", "(0.106, 0.106)", "Pure(epsilon=3/10)", "[True, False, True, True, False]"],
    15: ["(14237,", "(0.525, 0.525)"],
    16: ["Pure(epsilon=1)]", "Concentrated(rho=2/25), Concentrated(rho=2)]"],
    17: ["(0.2689, False, True)", "0.61086"],
    18: ["(0.0422, 0.0298)", "0.02\n"],
    19: ["({'1.00': 300, '1.01': 101, '3.01': 301, '3.02': 0}, 302)"],
    20: ["'9.1% each, 45% together", "(0.2, 0.0)", "('violation', 5.4)"],
    21: ["([-1.0, 1.0], [0.2689, 0.7311])", "(0.05, 0.0, 0.05, inf)"],
    22: ["'basic': 10.0, 'advanced': 5.756, 'concentrated': 5.222, 'optimal': 4.775, 'exact': 4.693"],
    23: ["(5.299, 4.225, 4.231)"],
    24: ["[(285, 285), (1305, 1305), (500, 439)]", "random DP"],
    25: ["(0.1101786, 0.1818595)"],
    26: ["(1.0, '73%')"],
    27: ["['52.5%', '73.1%'"],
    28: ["(0.02, 0.0422, 0.0298)", "0.6931"],
    29: ["(0.5343454, 0.5244495)", "(Pure(epsilon=3/10), False)"],
    30: ["(Pure(epsilon=1/2), Pure(epsilon=1/2))"],
}


@pytest.mark.parametrize("number", SHOWN)
def test_every_number_that_a_page_is_to_show_is_an_output_of_its_own_code(number):
    """That outputs are what the code prints now, test_docs finds; here, that they are there."""
    from discreet.gallery import page

    text = (GALLERY / f"{page(number).name}.md").read_text(encoding="utf-8")
    outputs = "\n".join(part.partition("```")[0] for part in text.split("```text\n")[1:])
    assert [wanted for wanted in SHOWN[number] if wanted not in outputs] == []


def test_all_thirty_pages_are_looked_at():
    from discreet.gallery import PAGES

    assert [*SHOWN] == [page.number for page in PAGES] == [*range(1, 31)]
