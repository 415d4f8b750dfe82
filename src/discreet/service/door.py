"""Who comes in: a bearer token, looked up in the ledger with every request, so that a revoked one stops at once everywhere.

Whoever guesses from one address is soon not listened to any more; those who came in from there before are.
"""

from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from discreet.curator.accounts import Account
from discreet.errors import TokenError
from discreet.service.failures import Turned, unreadable
from discreet.service.house import House, holders_only

__all__ = ["Holder", "Inside", "Visitor", "house_of"]

_bearer = HTTPBearer(auto_error=False, description="A token that the data holder has given: `dsc_…`.")
_LONGEST = 200
_MOST_KNOWN = 10_000


async def house_of(request: Request) -> House:  # else it would be called in a thread
    """The house that a request came to. Raises Turned as long as its folder cannot be opened."""
    found: House | None = request.app.state.house
    if found is None:
        raise unreadable()
    return found


Inside = Annotated[House, Depends(house_of)]


async def _visitor(
    request: Request, house: Inside, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> AsyncIterator[Account]:
    if given is None:
        raise TokenError("a token is needed", hint="write the header Authorization: Bearer dsc_…")
    address, token = request.client.host if request.client else "", given.credentials[: _LONGEST + 1]
    mark = sha256(token.encode("utf-8", "surrogatepass")).digest()
    if mark not in house.known_marks and (seconds := house.guesses.wait(address)):
        raise _slower(seconds, "too many wrong tokens came from your address")
    try:
        account = await house.account(token)
    except TokenError:
        house.known_marks.discard(mark)
        house.guesses.take(address)
        raise
    house.known_marks.add(mark)
    if len(house.known_marks) > _MOST_KNOWN:
        house.known_marks.clear()
    if seconds := house.requests.take(account.name):
        raise _slower(seconds, "too many requests of yours")
    request.state.analyst = account.name
    async with house.counted(account.name):
        yield account


async def _holder(account: Annotated[Account, Depends(_visitor)]) -> Account:
    if not account.is_holder:
        raise holders_only()
    return account


Visitor = Annotated[Account, Depends(_visitor)]
Holder = Annotated[Account, Depends(_holder)]


def _slower(seconds: float, message: str) -> Turned:
    whole = str(max(1, round(seconds + 0.5)))
    return Turned(429, "rate", message, f"wait {whole} s", headers={"Retry-After": whole})
