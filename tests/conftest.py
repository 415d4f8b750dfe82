"""What every test may use, and the closing table of what did not run here and why.

A skip begins with one of two words. `missing part: …` is a program or package that a full run has; with CI or
DISCREET_REQUIRE_ALL set it fails the run, and so does a skip that says neither. `optional data: …` is a file that
we may not hand out; it never fails.
"""

import gc
import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import shake_256
from itertools import count
from pathlib import Path
from types import ModuleType

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: workers share the cores already, and threads wait by running

import hypothesis.core
import pytest

gc.disable()  # while tests are collected, a quarter of which would be looking for cycles among what is kept anyway

MISSING = "missing part: "
OPTIONAL = "optional data: "

# tests share two cores with each other, so a slow example says nothing
hypothesis.settings.register_profile("discreet", deadline=None)
hypothesis.settings.load_profile("discreet")


# rooms that draw large samples, start programs or generate whole questions: `make test` runs them, `make check` does not
SLOW_ROOMS = {"engines", "interfaces", "laws", "plots", "service", "statistics"}
LOWEST_ROOMS = {"engines", "plots"}                   # of these, what leans most on others' code: `make lowest` runs them too
LEFT_OUT = {                                          # marks that are asked for → rooms of which they leave nothing
    "not soak": {"soak"},
    "not slow and not soak": {"soak"} | SLOW_ROOMS,
    "not soak and (not slow or lowest)": {"soak"} | (SLOW_ROOMS - LOWEST_ROOMS),
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Rooms of which nothing would be left are not read, unless somebody names them: that takes seconds in every worker."""
    is_named = any(Path(word.partition("::")[0]).name != "tests" for word in config.args)
    is_room = collection_path.parent == Path(__file__).parent
    return (is_room and not is_named and collection_path.name in LEFT_OUT.get(config.option.markexpr, ())) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name in SLOW_ROOMS:
            item.add_marker("slow")
        if item.path.parent.name in LOWEST_ROOMS:
            item.add_marker("lowest")


def pytest_collection_finish() -> None:
    if "DISCREET_LOWEST" not in os.environ:           # of what is frozen, the oldest Hypothesis thinks that nobody holds it
        gc.freeze()                                   # tests by the thousand are never garbage
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fresh-noise", action="store_true", help="draw anew in every run, not by the test's name")


def is_fresh(node: pytest.Item | pytest.Collector) -> bool:
    """Whether noise and examples are drawn anew in every run."""
    return node.config.getoption("--fresh-noise") or any(map(node.get_closest_marker, ("fresh_noise", "soak")))


@contextmanager
def noise_of(name: str) -> Iterator[None]:
    """Noise drawn in this process follows from a name."""
    from discreet.noise.keystream import Keystream

    turns, process, kept = count(), os.getpid(), Keystream.__init__.__defaults__

    def by_name(size: int) -> bytes:
        if os.getpid() != process:
            return os.urandom(size)
        return shake_256(f"{name}/{next(turns)}".encode()).digest(size)

    Keystream.__init__.__defaults__ = (by_name,)
    try:
        yield
    finally:
        Keystream.__init__.__defaults__ = kept


@pytest.fixture(autouse=True)
def _noise_by_name(request: pytest.FixtureRequest) -> Iterator[None]:
    """Noise and examples follow from the test's name, so that no run fails by chance what the run before passed.

    Programs that a test starts draw as the product does, and so do children of fork and soak tests.
    """
    if is_fresh(request.node):
        yield
        return
    name = request.node.nodeid
    hypothesis.core.global_force_seed = int.from_bytes(shake_256(name.encode()).digest(8))
    try:
        with noise_of(name):
            yield
    finally:
        hypothesis.core.global_force_seed = None


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[None]:
    """What many tests share is made before the noise of the first of them: it has that of its own name."""
    if fixturedef.scope == "function" or is_fresh(request.node):
        return (yield)
    with noise_of(f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"):
        return (yield)


@pytest.fixture
def part() -> Callable[[str], ModuleType]:
    """``part("altair")`` is the module, or a skip that counts as a missing part."""

    def find(name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            pytest.skip(f"{MISSING}the Python package {name}")

    return find


@pytest.fixture
def real_data() -> Callable[[str], Path]:
    """``real_data("pums/x.csv")`` is a file under $DISCREET_DATA, or a skip that counts as optional data."""

    def find(name: str) -> Path:
        folder = os.environ.get("DISCREET_DATA")
        if not folder:
            pytest.skip(f"{OPTIONAL}{name} (DISCREET_DATA is not set)")
        file = Path(folder) / name
        if not file.exists():
            pytest.skip(f"{OPTIONAL}{name} (not in DISCREET_DATA)")
        return file

    return find


def required() -> bool:
    """Whether a missing part is a failure here."""
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in ("CI", "DISCREET_REQUIRE_ALL"))


def skipped(session: pytest.Session) -> dict[str, set[str]]:
    """Reason → the tests or files that were skipped for it."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    found: dict[str, set[str]] = {}
    for report in reporter.stats.get("skipped", []) if reporter else []:       # under xdist only the main process has any
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found.setdefault(reason.removeprefix("Skipped: "), set()).add(report.nodeid)
    return found


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    missing = [reason for reason in skipped(session) if not reason.startswith(OPTIONAL)]
    if missing and required() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = []
    for reason, where in sorted(skipped(terminalreporter._session).items()):
        kind = "optional data" if reason.startswith(OPTIONAL) else "missing part, FAILS" if required() else "missing part"
        rows.append((kind, reason.removeprefix(OPTIONAL).removeprefix(MISSING), f"{len(where)} × {sorted(where)[0]}"))
    for mark, command in (("slow", "make test"), ("soak", "make soak")):
        if f"not {mark}" in str(config.option.markexpr):
            rows.append(("on request", f"tests marked {mark}", f"run `{command}`"))
    if rows:
        terminalreporter.section("what did not run here, and why")
        for kind, what, where in rows:
            terminalreporter.line(f"{kind:20}  {what:52}  {where}")
