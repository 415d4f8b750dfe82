"""What the ledger refuses, in the words of prices: which part of one the budget does not have."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from discreet.errors import ParameterError
from discreet.exact import shown
from discreet.ledger import Ledger
from discreet.ledger.entries.charges import Request
from discreet.planning.price import Price
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.remedies import Remedy

__all__ = ["by_parts"]


@contextmanager
def by_parts(ledger: Ledger, requests: Sequence[Request]) -> Iterator[None]:
    """The ledger decides; where it refuses the price of a request, the error says which part the budget does not count."""
    try:
        yield
    except ParameterError:
        for request in requests:
            if (unknown := _unknown_part(request.price, ledger.state(request.table).cap)) is not None:
                raise unknown from None
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
