"""The samples by name, and how one is written to a folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from discreet.errors import ParameterError
from discreet.lessons.samples.adult import adult
from discreet.lessons.samples.consumers import ce_book, ce_slides
from discreet.lessons.samples.devices import devices
from discreet.lessons.samples.fulton import fulton
from discreet.lessons.samples.shape import Sample

__all__ = ["NAMES", "sample", "write_sample"]

_MAKERS: Mapping[str, Callable[[], Sample]] = MappingProxyType(
    {"adult": adult, "ce_book": ce_book, "ce_slides": ce_slides, "devices": devices, "fulton": fulton}
)
NAMES = tuple(_MAKERS)


def sample(name: str) -> Sample:
    """The sample called ``name``, made anew; always the same rows."""
    if name not in _MAKERS:
        raise ParameterError(f"there is no sample called {name!r}", hint=f"choose one of {', '.join(NAMES)}")
    return _MAKERS[name]()


def write_sample(name: str, folder: str | Path) -> tuple[Path, Path]:
    """Write ``NAME.csv`` and ``NAME.toml`` into ``folder`` and return their paths; ``NAME_release.toml`` too, if there is one.

    The folder is made if need be. A file already there is left alone if it is this very sample, and refused otherwise.
    """
    made = sample(name)
    place = Path(folder)
    data, facts = place / f"{name}.csv", place / f"{name}.toml"
    files = {data: made.csv().encode(), facts: made.facts_toml.encode()}
    if made.release_toml:
        files[place / f"{name}_release.toml"] = made.release_toml.encode()
    try:
        place.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            if path.exists() and path.read_bytes() != content:
                raise ParameterError(f"{path} is there and is not this sample", hint="choose another folder, or move it away")
        for path, content in files.items():
            path.write_bytes(content)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"cannot write to {place}: {why}", hint="choose a folder that you may write to") from None
    return data, facts
