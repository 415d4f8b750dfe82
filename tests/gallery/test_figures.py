"""The numbers behind the pictures of the gallery, and the folder that the command writes."""

import csv
import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.gallery import PAGES, page, write_figures
from discreet.gallery.choosing import as_published, letters
from discreet.gallery.composing import half_of_mean, hundred, race_errors
from discreet.gallery.guessing import RELEASED, clipping, guess_rate, posterior
from discreet.gallery.neighbours import loss_of_private_scale
from discreet.gallery.noise import INCOME, PRINTED, of_mean, r_release
from discreet.gallery.releases import coverage_errors, noise_rmse


def test_races_err_by_50_and_123_by_20_and_by_19():
    found = race_errors(6, "0.1")
    assert (found.slide, found.cells) == (50, 20)
    assert found.slide_last == pytest.approx(123.05, abs=0.01)
    assert found.projected == pytest.approx(19.10, abs=0.01)
    with dc.testing.seeded(12):
        ours, slide = dc.noise.discrete_laplace(20, (60_000, 6)), dc.noise.discrete_laplace(50, (60_000, 5))
    assert np.abs(ours - ours.mean(axis=1, keepdims=True)).mean() == pytest.approx(found.projected, rel=0.01)
    assert np.abs(slide.sum(axis=1)).mean() == pytest.approx(found.slide_last, rel=0.02)
    assert dc.Laplace(scale=50).loss_for(2) == dc.Pure(epsilon="0.04")          # a move touches two cells: 2ε/5 for the slide's ε


def test_a_hundred_questions_cost_what_each_theorem_says():
    row = hundred(counts=(100,)).rows[0]
    ways = ("basic", "advanced", "concentrated", "optimal", "exact")
    assert [round(row[way], 3) for way in ways] == [10, 5.756, 5.222, 4.775, 4.693]


def test_one_person_in_the_average_and_the_scale_of_nrow():
    assert round(float(of_mean(1_000_000)), 2) == 1006.04
    assert [round(loss_of_private_scale(t), 1) for t in (1e6, 2e6)] == [1.0, 2.0]
    assert round(half_of_mean(1_000_000, 5133, Fraction(1, 40))) == 23_345


def test_r_prints_what_the_book_prints():
    for (what, epsilon), printed in PRINTED.items():
        value, moves = (51, Fraction(1)) if what == "count" else (INCOME, of_mean(1_000_000))
        found = r_release(float(value), float(moves / Fraction(epsilon)))
        assert round(found, 0 if what == "count" else 2) == printed


def test_guesses_about_karrie_are_right_at_most_52_and_a_half_times_in_a_hundred():
    assert round(posterior(RELEASED), 4) == round(guess_rate(0.1), 4) == 0.5250
    assert round(guess_rate(1), 3) == 0.731
    assert max(posterior(t) for t in np.linspace(-50, 50, 101)) <= guess_rate(0.1) + 1e-12
    assert dc.tradeoff(mu=1)("0.1") == pytest.approx(0.61086, abs=5e-6)
    assert dc.tradeoff(dc.Pure(epsilon=1))(1 - guess_rate(1)) == pytest.approx(0.2689, abs=5e-5)


def test_five_letters_tie_and_the_published_weights_forget_exp():
    counts = letters()
    assert {letter for letter, count in counts.items() if count == max(counts.values())} == set("bcejt")
    assert max(counts.values()) == 10
    right = dc.Exponential(epsilon=1, sensitivity=4).pmf(counts)
    assert round(right["b"], 3) == 0.091
    assert round(sum(right[letter] for letter in "bcejt"), 2) == 0.45
    assert as_published(counts)["b"] == 0.2
    assert as_published(counts)["z"] == 0


def test_noise_on_a_mean_of_schooling_and_errors_of_coverage():
    assert noise_rmse(200, "1") == pytest.approx(0.106, abs=5e-4)
    assert noise_rmse(200, "1") == pytest.approx(math.sqrt(2) * 15 / 200, rel=1e-4)
    with dc.testing.seeded(13):
        absolute, most, signed = coverage_errors(700, 300, "0.1")
    assert 0.003 < absolute < most < 0.05
    assert abs(signed) < 0.002
    lost, noise = clipping(1_000_000)
    assert (lost, round(noise)) == (0, 1006)


@pytest.mark.slow
def test_every_page_draws_itself_with_its_numbers_and_its_words(tmp_path):
    quick = tuple(each for each in PAGES if each.number != 26)                  # a linear program takes its time
    paths = [path for path in write_figures(tmp_path, quick, form="txt") if path.suffix == ".txt"]
    assert len(paths) == sum(len(each.figures) for each in quick)
    for path in paths:
        assert list(csv.DictReader(path.with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
        words = path.with_suffix(".alt.txt").read_text(encoding="utf-8").strip()
        assert 60 < len(words) < 700
        assert words.endswith(".")


def test_pages_are_numbered_and_named_once():
    assert len({each.number for each in PAGES}) == len({each.slug for each in PAGES}) == len(PAGES)
    assert page(22).title == "A hundred questions"
    with pytest.raises(dc.ParameterError, match="choose one of 1, 2"):
        page(31)
    with pytest.raises(dc.ParameterError, match="svg, png or txt"):
        list(write_figures("x", form="gif"))
