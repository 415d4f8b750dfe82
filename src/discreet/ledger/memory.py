"""What has been spent, kept in this process and gone with it. One lock: no interleaving of threads can overspend."""

from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock

from discreet.answers.answer import BudgetState, as_strings
from discreet.errors import BudgetError, ParameterError
from discreet.facts.model import Budget
from discreet.planning.plan import Plan
from discreet.planning.price import Price
from discreet.planning.release import Released
from discreet.privacy.composition import sequential
from discreet.privacy.events import Event
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.privacy.prices import approximate, concentrated, pure

__all__ = ["MemoryLedger", "Stored"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A released answer: its plan and its integers."""

    plan: Plan
    released: Released


@dataclass(slots=True)
class MemoryLedger:
    """The budget of one table and the answers already paid for."""

    budget: Budget
    _spent: Loss = field(init=False)
    _stored: dict[str, list[Stored]] = field(init=False, default_factory=dict)
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        self._spent = _nothing(self.budget.cap)

    def state(self) -> BudgetState:
        """Cap, spent and remaining."""
        return BudgetState(self.budget.cap, self._spent, _difference(self.budget.cap, self._spent))

    def charge_for(self, event: Event) -> Loss:
        """What ``event`` costs in the budget's own unit; refused if it has no price there."""
        match self.budget.cap:
            case Pure():
                return pure(event)
            case Approximate():
                return approximate(event)
            case Concentrated():
                return concentrated(event)

    def reserve(self, plan: Plan) -> Loss:
        """Charge the plan. From here on the charge is kept, whatever happens."""
        charge = self.charge_for(plan.event)
        with self._lock:
            after = sequential(self._spent, charge)
            if not _is_within(after, self.budget.cap):
                left = _difference(self.budget.cap, self._spent)
                raise BudgetError(
                    f"the question costs {_words(charge)} and {_words(left)} is left",
                    hint="ask for less precision, or for something already answered, which is free",
                )
            self._spent = after
        return charge

    def settle(self, fingerprint: str, plan: Plan, released: Released) -> None:
        """Keep the answer: asking the same again is free."""
        with self._lock:
            self._stored.setdefault(fingerprint, []).append(Stored(plan, released))

    def answered(self, fingerprint: str, price: Price) -> Stored | None:
        """The most precise stored answer to the same question, if it cost at least ``price`` in the same kind of loss."""
        with self._lock:
            alike = [each for each in self._stored.get(fingerprint, []) if _is_within(price, each.plan.price)]
        return max(alike, key=lambda each: _first(each.plan.price), default=None)


def _nothing(like: Loss) -> Loss:
    match like:
        case Pure():
            return Pure(epsilon=0)
        case Approximate():
            return Approximate(epsilon=0, delta=0)
        case Concentrated():
            return Concentrated(rho=0)


def _values(loss: Loss) -> tuple[Fraction, ...]:
    match loss:
        case Pure(epsilon=epsilon):
            return (epsilon,)
        case Approximate(epsilon=epsilon, delta=delta):
            return epsilon, delta
        case Concentrated(rho=rho):
            return (rho,)


def _first(loss: Loss) -> Fraction:
    return _values(loss)[0]


def _is_within(loss: Loss, most: Loss) -> bool:
    """Whether every part of one loss is at most that of another of the same kind."""
    return type(loss) is type(most) and all(a <= b for a, b in zip(_values(loss), _values(most), strict=True))


def _difference(cap: Loss, spent: Loss) -> Loss:
    match cap, spent:
        case Pure(epsilon=a), Pure(epsilon=b):
            return Pure(epsilon=a - b)
        case Approximate(epsilon=a, delta=c), Approximate(epsilon=b, delta=d):
            return Approximate(epsilon=a - b, delta=c - d)
        case Concentrated(rho=a), Concentrated(rho=b):
            return Concentrated(rho=a - b)
    raise ParameterError("a budget and what is spent of it are of different kinds", hint="use one kind of loss")


def _words(loss: Loss) -> str:
    return " and ".join(f"{name} {value}" for name, value in as_strings(loss).items())
