"""Casts cannot be written where they could fail."""

import math
import re
from pathlib import Path

import pytest
from sqlglot import exp

from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.sql.gridded import moved
from discreet.engines.sql.terms import WIDEST, Term, as_whole, truth_as_whole

ENGINES = Path(__file__).resolve().parents[2] / "src" / "discreet" / "engines"
X = exp.column("x")


@pytest.mark.parametrize(
    ("low", "high"),
    [(-math.inf, math.inf), (0.0, 2.0**63), (-(2.0**63), 0.0), (0.0, math.inf),
     (1e300, 1e300), (0.0, math.nextafter(2.0**62, math.inf))],
)
def test_a_cast_to_a_whole_number_needs_a_range_that_fits(low, high):
    with pytest.raises(ValueError, match="nothing says"):
        as_whole(Term(X, "number", low=low, high=high))


def test_what_fits_is_cast():
    assert as_whole(Term(X, "number", low=-float(WIDEST), high=float(WIDEST))).sql.sql("duckdb") == "CAST(x AS BIGINT)"
    assert truth_as_whole(Term(X, "truth"), DUCKDB).sql.sql("duckdb") == "CAST(x AS BIGINT)"


@pytest.mark.parametrize("kind", ["text", "day", "moment", "null"])
def test_only_numbers_and_truth_values_become_whole_numbers(kind):
    with pytest.raises(ValueError, match="nothing says"):
        as_whole(Term(X, kind, low=0.0, high=1.0))


def test_a_difference_needs_a_range_that_fits():
    with pytest.raises(ValueError, match="nothing says"):
        moved(Term(X, "number", low=0.0, high=1.0), WIDEST + 1)


def test_casts_are_made_in_one_place():
    """Plain casts are in ``terms``; those of stored types, of halves and of HUGEINT are few, and named here one by one."""
    allowed = {
        "sql/terms.py": 1,  # _cast
        "sql/dialect.py": 3,  # a truth value; a floor that fits; a wide number brought into a range in the same expression
        "duckdb/dialect.py": 3,  # halves, and what is wider
        "postgres/dialect.py": 6,  # tried where it was asked before; halves; what is known to fit, into 31 bits too
        "postgres/remainders.py": 8,  # bits and powers of two, which NUMERIC holds
        "postgres/stored.py": 9,  # of stored types, each brought into what the other holds
        "postgres/beside.py": 1,  # public arrays
        "postgres/catalogue.py": 12,  # constants of a probe, and numbers of the catalogue
        "spark/dialect.py": 14,  # tried where it was asked before; halves; what is known to fit; DECIMAL to divide
        "spark/stored.py": 8,  # of stored types, each of which holds all values of the other
        "duckdb/stored.py": 6,  # of stored types, each of which holds all values of the other
        "sql/bounding.py": 4,  # 0 and 1; wide numbers brought into a range that fits in the same expression
        "sql/groups.py": 1,  # how many bits there are, at most 64
        "sql/joining.py": 2,  # a whole number as DOUBLE
        "sql/per_unit.py": 4,  # wide numbers brought into a range that fits; whole numbers of at most 2^53 as DOUBLE
    }
    found = {}
    for file in sorted(ENGINES.glob("*/*.py")):
        if file.name == "released.py":
            continue  # what is released already
        code = file.read_text(encoding="utf-8")
        casts = len(re.findall(r"exp\.Cast\(|exp\.cast\(|(?<!TRY_)\bCAST\(", code))
        if casts:
            found[f"{file.parent.name}/{file.name}"] = casts
    assert found == allowed
