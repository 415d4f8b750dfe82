import json
import sys
from dataclasses import replace

import pytest
from tests.answers.made import STATE, ages, answer, counts, one, quote, several

from discreet.answers import AnswerColumn
from discreet.errors import ParameterError


def test_the_one_answer_shape():
    shape = counts([945, 49], warnings=("read the facts",)).to_dict()
    assert json.loads(json.dumps(shape)) == {
        "id": "a1b2c3",
        "columns": [
            {"name": "UrbanRural", "kind": "key", "labels": {"1": "Urban", "2": "Rural"}},
            {"name": "n", "kind": "count"},
        ],
        "rows": [{"UrbanRural": 1, "n": 945}, {"UrbanRural": 2, "n": 49}],
        "intervals": [{"n": [915, 975]}, {"n": [19, 79]}],
        "confidence": 0.95,
        "cost": {"epsilon": "0.1"},
        "parts": [],
        "budget": {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0.1"}, "remaining": {"epsilon": "0.9"}},
        "replayed": False,
        "left_out": [],
        "warnings": ["read the facts"],
    }


def test_the_shape_of_a_quote():
    shape = json.loads(json.dumps(quote().to_dict()))
    assert shape["cost"] == {"epsilon": "0.1"}
    assert shape["split"] == [{"what": "COUNT(*)", "epsilon": "0.05"}, {"what": "AVG(Income)", "epsilon": "0.05"}]
    assert shape["parts"] == [each | {"stored": False} for each in shape["split"]]
    assert shape["columns"] == [
        {"name": "n", "plus_minus": 60.0, "basis": "none"},
        {"name": "m", "plus_minus": 1234.5, "basis": "rows_about", "rows": 2500},
    ]
    assert shape["budget"] == STATE.to_dict()


def test_columns_come_with_both_ends():
    assert list(ages().to_columns()) == ["age", "n", "n_low", "n_high", "m", "m_low", "m_high"]


def test_csv_has_a_header_and_quotes_what_needs_it():
    made = answer([AnswerColumn("k", "key"), AnswerColumn("n", "count")], [{"k": 'a,"b"', "n": None}], [{"n": (None, 3)}])
    assert made.to_csv() == 'k,n,n_low,n_high\n"a,""b""",,,3\n'
    assert counts([945, 49]).to_csv() == "UrbanRural,n,n_low,n_high\n1,945,915,975\n2,49,19,79\n"


def test_a_data_frame(part):
    part("pandas")
    frame = counts([945, 49]).to_pandas()
    assert list(frame.columns) == ["UrbanRural", "n", "n_low", "n_high"]
    assert frame.shape == (2, 4)
    assert frame["n_high"].tolist() == [975, 79]


def test_an_arrow_table(part):
    part("pyarrow")
    table = counts([945, 49]).to_arrow()
    assert table.column_names == ["UrbanRural", "n", "n_low", "n_high"]
    assert table.to_pylist()[1] == {"UrbanRural": 2, "n": 49, "n_low": 19, "n_high": 79}


def test_a_polars_frame(part):
    part("polars")
    made = answer([AnswerColumn("k", "key"), AnswerColumn("n", "sum")], [{"k": None, "n": 3}, {"k": "a", "n": 2.5}],
                  [{"n": (None, 3)}, {"n": (10**30, None)}])  # fmt: skip
    assert made.to_polars().rows() == [(None, 3, None, 3), ("a", 2.5, 1e30, None)]
    assert counts([945, 49]).to_polars().columns == ["UrbanRural", "n", "n_low", "n_high"]


def test_a_library_that_is_missing_is_named_with_what_installs_it(monkeypatch):
    for name, verb in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ParameterError, match=f"{name} is not installed; run pip install {name}, or take to_columns"):
            getattr(one(), verb)()


def test_the_only_number():
    assert one().value == 38.5
    assert one().interval == (38.4, 38.6)
    for made in (several(), counts([945, 49])):
        with pytest.raises(ValueError, match="several numbers"):
            _ = made.value


def test_columns_tell_how_far_ranks_may_be_off():
    columns, ends = [AnswerColumn("q", "median"), AnswerColumn("n", "count")], {"q": (None, None), "n": (1, 17)}
    bought = answer(columns, [{"q": 40, "n": 9}], [ends])
    made = replace(bought, rank_intervals=({"q": (-12, 12)},))
    assert list(made.to_columns()) == ["q", "q_low", "q_high", "q_rank_low", "q_rank_high", "n", "n_low", "n_high"]
    assert made.to_csv() == "q,q_low,q_high,q_rank_low,q_rank_high,n,n_low,n_high\n40,,,-12,12,9,1,17\n"
