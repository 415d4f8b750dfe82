"""The pages of the gallery: number, name, title, and the figures that each draws."""

from collections.abc import Callable
from dataclasses import dataclass

from discreet.errors import ParameterError
from discreet.gallery import choosing, composing, diffpriv, guessing, neighbours, noise, promises, releases
from discreet.plots.figure import Figure

__all__ = ["PAGES", "Page", "page"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page; ``figures`` are called when they are wanted, some of them for seconds."""

    number: int
    slug: str
    title: str
    figures: tuple[Callable[[], Figure], ...]

    @property
    def name(self) -> str:
        """What its files are called: ``05_laplace``."""
        return f"{self.number:02d}_{self.slug}"

    def drawn(self) -> dict[str, Figure]:
        """The figures by the names of their files."""
        several = len(self.figures) > 1
        return {f"{self.name}_{place}" if several else self.name: make() for place, make in enumerate(self.figures, start=1)}


PAGES = (
    Page(1, "question", "A question, a result, noise", (noise.question_and_noise,)),
    Page(2, "one_person", "One person in the average", (neighbours.one_person,)),
    Page(3, "neighbours", "Who is a neighbour?", (neighbours.who_is_a_neighbour,)),
    Page(4, "two_promises", "e^ε and 1 + ε", (promises.two_promises,)),
    Page(5, "laplace", "The Laplace distribution", (noise.four_densities, noise.law_and_normal, noise.six_panels)),
    Page(6, "why_it_works", "Why it works", (noise.why_it_works,)),
    Page(7, "count_and_mean", "The count and the mean", (noise.count_and_mean,)),
    Page(8, "more_epsilon", "More ε, more Δ", (noise.more_epsilon,)),
    Page(9, "two_dimensions", "A query of two dimensions", (composing.two_dimensions,)),
    Page(10, "four_statistics", "Four statistics", (composing.four_statistics,)),
    Page(11, "rural_and_urban", "Rural and urban", (composing.rural_and_urban,)),
    Page(12, "six_races", "Six races", (composing.six_races,)),
    Page(13, "broadband", "Broadband", (releases.broadband,)),
    Page(14, "fulton", "Fulton", (releases.fulton,)),
    Page(15, "karrie", "Karrie", (guessing.karrie,)),
    Page(16, "groups", "Groups and outliers", (promises.groups,)),
    Page(17, "tester", "The tester", (guessing.tester,)),
    Page(18, "how_far_off", "How far off?", (promises.how_far_off,)),
    Page(19, "choosing", "Choosing, not adding", (choosing.auction_price,)),
    Page(20, "letters", "Letters and a missing exp", (choosing.most_frequent_letter,)),
    Page(21, "loss_variable", "The loss variable", (promises.loss_variable,)),
    Page(22, "hundred_questions", "A hundred questions", (composing.hundred_questions,)),
    Page(23, "gaussian", "Classic or analytic Gaussian", (diffpriv.gaussian_scales,)),
    Page(24, "sampled", "Sampled sensitivity", (diffpriv.sampled_distances,)),
    Page(25, "bernstein", "A whole function", (diffpriv.released_function,)),
    Page(26, "reconstruction", "Reconstruction", (guessing.rebuilt,)),
    Page(27, "which_epsilon", "Which ε, which bounds?", (guessing.which_epsilon,)),
    Page(28, "slips", "Slips of the five texts", (choosing.slips,)),
    Page(29, "dictionary", "Dictionary", (diffpriv.two_worlds,)),
    Page(30, "your_own_table", "Your own table", (releases.your_own_table,)),
)


def page(number: int) -> Page:
    """The page with this number."""
    for each in PAGES:
        if each.number == number:
            return each
    known = ", ".join(str(each.number) for each in PAGES)
    raise ParameterError(f"there is no page {number}", hint=f"choose one of {known}")
