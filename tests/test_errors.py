"""The tree of errors: its shape, its codes, and what an error says."""

import inspect

import pytest

import discreet as dc
from discreet import errors

CODES = {"ParameterError": "parameter", "QuestionError": "question", "FactsError": "facts", "BudgetError": "budget",
         "AccessError": "access", "TokenError": "token", "MissingError": "missing", "BusyError": "busy",
         "EngineFault": "fault", "LedgerFault": "fault", "TrialFault": "crash"}


def test_every_error_is_refused_or_a_fault_and_never_both():
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, dc.DiscreetError)
        assert getattr(dc, name) is kind
        if name not in ("DiscreetError", "Refused", "Fault"):
            assert issubclass(kind, dc.Refused) != issubclass(kind, dc.Fault)
    defined = {name for name, thing in inspect.getmembers(errors, inspect.isclass) if issubclass(thing, Exception)}
    assert defined == set(errors.__all__)


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_codes_are_stable(name, code):
    assert getattr(errors, name).code == code


def test_every_error_is_in_the_tree_that_the_module_draws():
    assert all(name in (errors.__doc__ or "") for name in errors.__all__)


def test_an_error_says_what_was_found_and_then_what_to_write():
    told = dc.ParameterError("epsilon is -1, not above 0", hint="write an epsilon above 0")
    assert str(told) == "epsilon is -1, not above 0; write an epsilon above 0"
    assert (told.message, told.hint, told.args) == ("epsilon is -1, not above 0", "write an epsilon above 0", (told.message,))
    assert str(dc.ParameterError("epsilon is -1")) == "epsilon is -1"
