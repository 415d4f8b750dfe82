"""Every command with its words and options, read from the program that runs them."""

from collections.abc import Iterator
from typing import Any

import typer.main

from discreet.cli.app import app

__all__ = ["commands", "every_command"]


def commands() -> str:
    """Markdown: a heading for each command, and a described anchor for each of its options."""
    return "\n\n".join(_section(name, command) for name, command in every_command())


def every_command() -> Iterator[tuple[str, Any]]:
    """Each command by its whole name, ``discreet ledger verify``, the program itself first."""
    return _below("discreet", typer.main.get_command(app))


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from _below(f"{name} {word}", inner)


def _section(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    words = " ".join(each.metavar if each.required else f"[{each.metavar}]" for each in arguments)
    inner = " COMMAND" if getattr(command, "commands", {}) else ""
    usage = f"{name}{inner} {words}".strip() + (" [OPTIONS]" if options else "")
    parts = [f"### `{name}`", command.help or "", f"```sh\n{usage}\n```", f"```{{program}} {name}\n```"]
    parts += [f"- `{each.metavar}`: {_plain(each.help)}" for each in arguments]
    return "\n\n".join([*parts, *map(_option, options)])


def _option(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    spelt = ", ".join(f"{word}{value}" for word in [*option.opts, *option.secondary_opts])
    needed = " Has to be there." if option.required else ""
    default = "" if option.is_flag or option.default in (None, "", ()) else f" Unless written: `{option.default}`."
    return f"````{{option}} {spelt}\n{_plain(option.help)}{needed}{default}\n````"


def _plain(text: str | None) -> str:
    return (text or "").replace("|", "\\|")
