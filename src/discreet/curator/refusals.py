"""What the ledger refuses, in the words of prices: which part of one the budget does not have, or has too little of."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from discreet.answers.losses import letters, loss_in_words
from discreet.errors import BudgetError, ParameterError
from discreet.exact import shown
from discreet.ledger import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.foresight import foreseen
from discreet.planning.price import Price
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.remedies import Remedy

__all__ = ["by_parts"]


@contextmanager
def by_parts(ledger: Ledger, requests: Sequence[Request]) -> Iterator[None]:
    """The ledger decides; where it refuses the price of a request, the error says which part of that is the matter."""
    try:
        yield
    except ParameterError:
        for request in requests:
            if (unknown := _unknown_part(request.price, ledger.state(request.table).cap)) is not None:
                raise unknown from None
        raise
    except BudgetError as error:
        for request in requests:
            (then,) = foreseen(ledger, [request], [request.table])
            if (scarce := _scarce_part(then.takes, ledger.state(request.table).remaining, error.hint)) is not None:
                raise scarce from None
        raise


def _unknown_part(price: Price, cap: Loss) -> ParameterError | None:
    """What the budget does not count in, though the price has it; None if there is no such part."""
    match cap, price:
        case Pure(), Approximate(epsilon=epsilon):
            how = Remedy(f"write {{epsilon={shown(epsilon)}}} and leave delta out")
            return ParameterError("this budget counts epsilon only, not delta", hint=how)
        case Pure(), Concentrated():
            return ParameterError("this budget counts epsilon only, not rho", hint=Remedy("write {epsilon=0.1} instead of rho"))
        case Approximate(), Concentrated():
            how = Remedy("write {epsilon=1} and {delta=1e-6}, or epsilon alone")
            return ParameterError("this budget counts epsilon and delta, not rho", hint=how)
        case _:
            return None


def _scarce_part(taken: Loss, left: Loss, hint: str) -> BudgetError | None:
    """Which part of a price of several is more than is left; None if it has one part, or is not too much."""
    have = letters(left)
    scarce = [letter for letter, part in letters(taken).items() if part > have.get(letter, 0)]
    if len(have) < 2 or not scarce:
        return None
    which = f"{' and '.join(scarce)} {'is' if len(scarce) == 1 else 'are'} too much"
    said = f"the question costs {loss_in_words(taken)}, and {loss_in_words(left, up=False)} is left: {which}"
    return BudgetError(said, hint=hint)
