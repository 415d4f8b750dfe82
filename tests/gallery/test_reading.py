"""The reading guides go through every section of their text, in its order, and each section leads somewhere."""

import re
from pathlib import Path

import pytest

READING = Path(__file__).resolve().parents[2] / "docs" / "reading"
HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)

SECTIONS = {                                          # retyped from the texts; where a slide has no title, what is on it
    "hu-chapter": """
        7.1 Introduction
        7.2 Definitions and Implications
        7.2.1 Adding noise for privacy protection
        7.2.2 Definitions
        7.2.3 Implications
        7.2.3.1 Sensitivity and added noise
        7.2.3.2 Privacy budget and added noise
        7.3 The Laplace Mechanism
        7.3.1 The Laplace distribution
        7.3.2 Laplace noise for privacy protection
        7.3.3 Why Laplace Mechanism works
        7.3.4 Examples: adding Laplace noise to numeric queries
        7.3.4.1 Adding Laplace noise to a count query
        7.3.4.1.1 Calculate the true count of rural CUs
        7.3.4.1.2 Add Laplace noise to the true count
        7.3.4.2 Adding Laplace noise to an average query
        7.3.4.2.1 Calculate the true average income of CUs
        7.3.4.2.2 Add Laplace noise to true average
        7.3.5 Additional resources about Laplace Mechanism""",
    "hu-slides": """
        Introduction
        Recap from overview part 1
        Plan
        The Laplace Mechanism
        The Laplace distribution
        The Laplace distribution vs the normal distribution
        Laplace noise for privacy protection
        The scale Δf/ε
        The Laplace Mechanism, formally
        Examples: count statistic and average statistic
        The Laplace Mechanism preserves ε-differential privacy
        CE example of a count statistic: step 1
        CE example of a count statistic: step 2
        Properties of differential privacy
        Composition theorem
        Sequential composition
        Parallel composition
        Post-processing
        Post-processing cont'd
        Summary and References
        Summary
        References I""",
    "cs208": """
        Pereira et al. US Broadband Coverage Data Set: A DP Data Release
        3.1 Privacy Loss
        Differential Privacy
        e^ε vs. (1 + ε)
        The mean as one record moves
        The Laplace density
        The theorem and the private mean
        Six panels
        The ratio of two densities
        Two Laplace distributions, for two adjacent datasets
        laplace_mechanism_and_opendp.ipynb""",
    "near-abuah": """
        Differential Privacy
        The Laplace Mechanism
        How Much Noise is Enough?""",
    "ghosh": """
        Introduction to Differential Privacy
        Security
        Definitions
        Some Points on the definition of differential privacy
        Properties: Post-Processing
        Properties: Group Privacy
        Properties: Group Privacy, the second time
        Relationship with Hypothesis testing
        Laplace Distribution
        Laplace distribution
        Laplace Mechanism: intuition
        Laplace Mechanism
        Laplace Mechanism is differentially private
        An example
        Counting query & Histogram query
        Exponential Mechanism
        Motivation beyond Exponential Mechanism
        Definition: Exponential Mechanism
        Privacy proof
        Connection between Exponential and Laplace Mechanism
        Approximate Differential Privacy
        R implementation
        R implementation of Laplace Mechanism
        R implementation of Exponential Mechanism
        References""",
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_guide_goes_through_every_section_and_says_where_it_is(name):
    text = (READING / f"{name}.md").read_text(encoding="utf-8")
    front, *parts = HEADING.split(text)
    said = dict(zip(parts[::2], parts[1::2], strict=True))
    assert [*said] == [line.strip() for line in SECTIONS[name].strip().splitlines()]
    assert "**The text.**" in front
    assert "licence" in front
    silent = [title for title, words in said.items() if words.strip() and "](" not in words and "```python" not in words]
    assert silent == []
    assert "(../gallery/28_slips.md)" in parts[-1]


def test_every_guide_is_listed_where_readers_look():
    written = sorted(page.name for page in READING.glob("*.md"))
    assert written == sorted(["README.md", "everything.md", *(f"{name}.md" for name in SECTIONS)])
    for index, home in ((READING / "README.md", ""), (READING.parent / "gallery" / "README.md", "../reading/")):
        text = index.read_text(encoding="utf-8")
        assert [name for name in SECTIONS if f"]({home}{name}.md)" not in text] == []


# ---- everything, and where it is


def rows_of(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, cell by cell."""
    text = (READING / "everything.md").read_text(encoding="utf-8")
    part = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")][2:]


def every_test() -> set[str]:
    home = READING.parents[1] / "tests"
    return {f"{file.relative_to(home).as_posix()}::{name}" for file in home.rglob("test_*.py")
            for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)}


def test_everything_has_a_page_and_a_test_that_are_there():
    known = every_test()
    assert [row[0] for row in rows_of("Definitions and theorems")] == [f"D{number}" for number in range(1, 16)]
    assert [row[0] for row in rows_of("Worked examples")] == [f"E{number}" for number in range(1, 17)]
    assert [len(rows_of(heading)) for heading in ("More that the texts say", "Pictures", "Systems")] == [19, 9, 10]
    for heading in ("Definitions and theorems", "Worked examples", "More that the texts say", "Systems"):
        for row in rows_of(heading):
            assert re.search(r"\]\([^)]+\.md", row[2]), row
            held = re.findall(r"`([^`]+::[^`]+)`", row[3])
            assert held, row
            assert set(held) <= known, row


def test_every_class_and_verb_of_diffpriv_is_named_here_and_in_the_dictionary():
    names = ["DPMechLaplace", "DPMechGaussian", "DPMechExponential", "DPMechBernstein", "DPParamsEps", "DPParamsDel",
             "DPParamsGam", "sensitivitySampler", "releaseResponse"]
    dictionary = (READING.parent / "gallery" / "29_dictionary.md").read_text(encoding="utf-8")
    told = " ".join(row[0] for row in rows_of("Systems"))
    assert [name for name in names if name not in told or name not in dictionary] == []


def test_every_slip_says_what_is_true_and_where_it_is_shown():
    text = (READING.parent / "gallery" / "28_slips.md").read_text(encoding="utf-8")
    slips = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| text")]
    assert len(slips) >= 23
    assert [line for line in slips if not re.search(r"\]\(\d\d_\w+\.md\) \|$", line)] == []
    for word in ("14,235", "2/(ε²n²)", "exp(−ε", "nrow()", "ε/(c − 1)", "sensitivity depends on the database", "f(x) − z",
                 "with a minus", "G∘M", "group privacy", "infinite", "ℕ^", "upper bound on the noise",
                 "(7.9)", "modify a row", "*scale*", "1/n", "𝒴",
                 "at distance k", "Δ_s", "exp of scores", "the ratio *is*"):
        assert word in text, word
