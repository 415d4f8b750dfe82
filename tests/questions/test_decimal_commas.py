"""Numbers as they are written elsewhere: what to write instead."""

import pytest

from discreet.errors import QuestionError
from discreet.questions.sql import read_sql


@pytest.mark.parametrize(("number", "meant"), [("1.000,50", "1000.50"), ("7,5", "7.5"), ("1.000.000,5", None)])
def test_a_decimal_comma_is_refused_with_the_number_that_was_meant(people, number, meant):
    with pytest.raises(QuestionError) as refused:
        read_sql(f"SELECT COUNT(*) AS n FROM people WHERE Income > {number}", people)
    if meant is not None:
        assert str(refused.value).startswith("a comma stands inside a number")
        assert f"write {meant}, with a point" in refused.value.hint
