"""Documents come back as they were, whatever an answer holds; what is damaged is a fault and never shown."""

import zlib
from datetime import date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.answers.document import Document
from discreet.ledger.entries.documents import document_from, document_to, shown_in_document
from discreet.views.rows import Shown, Table

NUMBERS = st.none() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
KEYS = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4) | st.sampled_from([0.0, 1.0, 2.5])
    | st.dates() | st.datetimes()
)  # fmt: skip
LOSSES = st.sampled_from([dc.Pure(epsilon="1/3"), dc.Approximate(epsilon=1, delta="1e-6"), dc.Concentrated(rho="0.1")])


@st.composite
def documents(draw):
    rows = draw(st.integers(0, 6))

    def of(values):
        return draw(st.lists(values, min_size=rows, max_size=rows))

    columns = [Shown("k", "key", of(KEYS), None, {draw(KEYS): "label"})]
    for place in range(draw(st.integers(0, 3))):
        alike = draw(st.sampled_from([NUMBERS, st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False)]))
        ranks = draw(st.none() | st.tuples(st.integers(-9, 0), st.integers(0, 9)))
        columns.append(Shown(f"n{place}", "mean", of(alike), list(zip(of(alike), of(NUMBERS), strict=True)), {}, ranks))
    split = tuple(draw(st.lists(st.tuples(st.text(), LOSSES), max_size=2)))
    return Document(Table(tuple(columns), rows), Fraction(19, 20), draw(st.booleans()), split, tuple(draw(st.lists(st.text()))))


def typed(document):
    """With the types of all values: 1 is not 1.0, nor True."""
    return document, [[(type(value), value) for value in column.values] for column in document.table.columns]


@pytest.mark.slow
@given(documents())
def test_a_document_comes_back_as_it_was(document):
    assert typed(document_from(document_to(document))) == typed(document)


@pytest.mark.slow
@given(documents())
def test_what_a_receipt_signs_is_the_same_of_a_document_that_comes_back(document):
    assert shown_in_document(document_from(document_to(document))) == shown_in_document(document)


def column(values, ends=None):
    intervals = [(value, value) for value in values] if ends is None else ends
    return Document(Table((Shown("n", "count", values, intervals, {}),), len(values)), Fraction(19, 20))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], [2, 1]), ([1], [1, 1]), ([0], [None]), ([0.1], [0.1 + 2**-56]),
        ([2**53], [2**53 + 1]), ([2**60], [2**60 + 1]), ([1], ["1"]),
    ],
)
def test_different_numbers_have_different_digests(one, other):
    assert shown_in_document(column(one))["values"] != shown_in_document(column(other))["values"]
    ends = [shown_in_document(column([7] * len(each), [(each[0], None)] * len(each))) for each in (one, other)]
    assert (ends[0]["intervals"] != ends[1]["intervals"]) == (one[0] != other[0] or len(one) != len(other))


def test_the_stored_form_is_read_for_ever():
    """These bytes were written by the first version that kept documents."""
    kept = zlib.compress(
        b'{"columns":[{"kind":"key","labels":[[1,"one"]],"name":"k","values":{"as":"codes","of":[1,{"date":"2020-02-29"}]}},'
        b'{"high":{"as":"i8"},"kind":"count","low":{"as":"json","of":[1,null]},"name":"n","ranks":[-2,2],"values":{"as":"f8"}}],'
        b'"confidence":"19/20","format":1,"rows":2,"simultaneous":true,"split":[["COUNT(*)",{"epsilon":"1/10"}]],"warnings":["w"]}\n'
        + bytes([0, 0, 0, 0, 1, 0, 0, 0])                                                # codes of k
        + b"\0\0\0\0\0\0\xe0\x3f" + b"\0\0\0\0\0\0\xf8\x7f"                              # values of n
        + b"\3\0\0\0\0\0\0\0" + b"\4\0\0\0\0\0\0\0"                                      # high ends
    )  # fmt: skip
    shown = (
        Shown("k", "key", [1, date(2020, 2, 29)], None, {1: "one"}),
        Shown("n", "count", [0.5, None], [(1, 3), (None, 4)], {}, (-2, 2)),
    )
    wanted = Document(Table(shown, 2), Fraction(19, 20), True, (("COUNT(*)", dc.Pure(epsilon="0.1")),), ("w",))
    assert document_from(kept) == wanted
    assert document_from(document_to(wanted)) == wanted


@pytest.mark.parametrize("damage", [b"", b"x", zlib.compress(b"{}"), zlib.compress(b"no JSON\n"), zlib.compress(b"[]\n")])
def test_what_is_damaged_is_a_fault(damage):
    with pytest.raises(dc.LedgerFault, match="ledger verify"):
        document_from(damage)
    whole = document_to(column([1.5, 2.5]))
    with pytest.raises(dc.LedgerFault, match="ledger verify"):
        document_from(whole[: len(whole) - 8])


def test_a_newer_form_asks_for_the_newer_version():
    with pytest.raises(dc.LedgerFault, match="newer version"):
        document_from(zlib.compress(b'{"format":2}\n'))


def test_moments_keep_their_kind():
    moments = [date(2020, 1, 1), datetime(2020, 1, 1), datetime(2020, 1, 1, 2, 3, 4, 5)]  # noqa: DTZ001 - as facts have them
    document = Document(Table((Shown("k", "key", list(moments), None, {}),), 3), Fraction(1, 2))
    assert [type(each) for each in document_from(document_to(document)).table.columns[0].values] == [date, datetime, datetime]
