"""Accounts over every store: what a token opens, what a limit holds back, and that verification works all of it out anew."""

from dataclasses import replace

import pytest
from tests.ledger.made import request

import discreet as dc
from discreet.ledger import accounts
from discreet.ledger.verify import verify


def test_an_account_opens_what_it_was_given_and_no_more(ledger, open_again):
    token = accounts.enrol(ledger, "alice", by="carol")
    asked = request(analyst="alice", by_account=True)
    with pytest.raises(dc.MissingError):
        ledger.reserve([asked])
    assert accounts.grant(ledger, "alice", ["t", "t"]).grants == ("t",)
    other = open_again()
    assert accounts.account_of_token(other, token).may_ask("t")
    with pytest.raises(dc.MissingError):
        other.reserve([replace(asked, beside=(("u", "1"),))])                         # every table that is read
    accounts.limit(ledger, "alice", "t", dc.Pure(epsilon="0.15"))
    other.reserve([asked])
    with pytest.raises(dc.BudgetError, match=r"0\.05 is left for alice"):
        other.reserve([request("r", analyst="alice", by_account=True)])
    fresh = accounts.rotate(ledger, "alice")
    with pytest.raises(dc.TokenError):
        accounts.account_of_token(other, token)
    accounts.revoke(ledger, "alice")
    for act in (lambda: accounts.account_of_token(other, fresh), lambda: other.reserve([asked])):
        with pytest.raises(dc.TokenError):
            act()
    assert [each.state for each in accounts.accounts(other)] == ["revoked"]
    assert verify(other).ok
