"""Acts of who holds the data: ``init``, ``check``, ``register``, ``version new``, ``freeze`` and ``unfreeze``."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import FactsFile, Json, here, local, out_file, print_json, typed
from discreet.cli.printing import say
from discreet.cli.unwritten import file_unwritten
from discreet.errors import FactsError, ParameterError

if TYPE_CHECKING:
    from discreet.facts.draft import Drafted
    from discreet.facts.file import Problem
    from discreet.ledger.alarms import Alarm
    from discreet.ledger.stops import Stop

__all__ = ["check", "freeze", "init", "register", "unfreeze", "version_new"]

_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".pq", ".duckdb", ".ddb", ".db")
_DUCKDB = (".duckdb", ".ddb", ".db")
Separate = Annotated[
    bool, typer.Option("--separate", help="State, signed, that nobody in it is in a table of the ledger with the same rows.")
]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Even if there is a column of which nothing can be read. It is written down nowhere.")
]
Analyst = Annotated[str | None, typer.Option("--analyst", metavar="NAME", help="One analyst; without it, the whole table.")]


def init(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A CSV (or .csv.gz), Parquet or DuckDB file, this as FILE#TABLE, "
                                                              "or postgresql://…#schema.table.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="PATH", help="The facts file to write, else DATA.toml.")] = None,
    header: Annotated[bool, typer.Option("--header/--no-header", help="Whether the first line of a CSV holds names.")] = True,
    as_json: Json = False,
) -> None:
    """Draft a facts file: columns and types. What protects people (unit, bounds, budget) is left for you to write."""
    from discreet.engines.headers import columns_in
    from discreet.facts.draft import draft_facts, table_name, unusable
    from discreet.facts.locations import has_commas
    from discreet.facts.model import CsvFormat

    if data.lower().startswith("spark:"):
        raise ParameterError("facts of a table on Spark are not drafted", hint="write them by hand: docs/engines.md shows how")
    if data.lower().startswith(("postgresql:", "postgres:")):
        columns, stem, source, form = *_in_database(data), data, None
        target, is_plain = out_file(out or Path(f"{stem}.toml"), new=True), True
    else:
        file, table = _file_and_table(Path(data))
        stem = table or file.name.removesuffix(file.suffix) if file.suffix.lower() != ".gz" else Path(file.stem).stem
        target = out_file(out or file.with_name(f"{stem}.toml"), new=True)
        columns, form = columns_in(file, header=header, table=table)
        source = _seen_from(target, file) + (f"#{table}" if table else "")
        is_plain = form is None or (form == CsvFormat() and has_commas(file.name))
    text = draft_facts(table_name(stem), source, columns, check=typed(target), csv=None if is_plain else form)
    try:
        target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise file_unwritten(error, f"cannot write {target}", "write a path after --out that you may write to") from None
    left_out = [place + 1 for place in unusable(columns)]
    if as_json:
        names = [column.name for place, column in enumerate(columns, 1) if place not in left_out]
        todo = text.count('"TODO"') - 1  # the comment on top names it once
        print_json({"facts": str(target), "columns": names, "left_out": left_out, "todo": todo})
        return
    _show_draft(target, left_out, from_header=form is not None and form.header)


def _in_database(address: str) -> "tuple[list[Drafted], str]":
    """The columns of a table in a database, and its name."""
    from discreet.engines.postgres.headers import columns_at
    from discreet.facts.locations import parse_source

    place = parse_source(address, Path.cwd(), "DATA")
    return columns_at(place), str(place.table).rpartition(".")[2]


def _file_and_table(data: Path) -> tuple[Path, str | None]:
    """The file to draft facts for, and which table in it; of a DuckDB file with one table, that one."""
    path, mark, table = str(data).rpartition("#")
    file = Path(path) if mark and path.lower().endswith(_DUCKDB) else data
    if not file.name.lower().endswith(_ENDINGS):
        raise ParameterError(f"{file} is no file that can be read", hint=f"write a file that ends in {', '.join(_ENDINGS)}")
    if not file.is_file():
        raise FactsError("there is no such file", hint="write the path of a CSV, Parquet or DuckDB file", file=str(file))
    if file.suffix.lower() not in _DUCKDB:
        return file, None
    from discreet.engines.headers import tables_in

    known = tables_in(file)
    if file is not data and table in known:
        return file, table
    if file is data and len(known) == 1:
        return file, known[0]
    instead = f"write {file}#NAME with one of {', '.join(known)}" if known else "write a file with a table in it, not only views"
    raise ParameterError(f"{file} has no table {table}" if file is not data else f"{file} has {len(known)} tables", hint=instead)


def _show_draft(target: Path, left_out: list[int], *, from_header: bool) -> None:
    from discreet.cli.page import Page

    page = Page()
    page.line(("written ", "dim"), str(target), ("   a draft: names and types, and nothing else of the data", "dim"))
    if left_out:
        page.warn([f"left out for their names: columns {', '.join(map(str, left_out))}; rename them in the source"])
    page.gap()
    page.say('Facts are public. Open the file and replace every "TODO": who is protected (unit, neighbours), how much may be '
             "spent (epsilon), between which bounds values lie; from what you know of the subject, not from rows.")  # fmt: skip
    if from_header:
        page.say("The names come from the first line of the file. If that was a row, delete the draft and write --no-header.")
    page.gap()
    page.line(f"discreet check {typed(target)}", ("      lists what is still to do, line by line", "dim"))
    page.line(f"discreet register {typed(target)}", ("   opens the budget, once all is said", "dim"))


def _seen_from(target: Path, data: Path) -> str:
    """The path of the data as the facts file names it."""
    try:
        return Path(os.path.relpath(data.absolute(), target.absolute().parent)).as_posix()
    except ValueError:  # another drive
        return data.absolute().as_posix()


def check(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A facts file, or a folder of them.")],
    rows: Annotated[
        bool, typer.Option("--rows", help="Read the rows too, and show how they are read. Exact, and for your eyes only.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look for everything that is wrong in facts files, and whether the source has their columns. Only --rows reads rows."""
    from discreet.cli.checking import check_all, warnings_in
    from discreet.cli.inspecting import inspect_all, show_rows
    from discreet.cli.page import Page

    files, problems = check_all(here(path))
    sound = [file for file in files if not any(one.file == str(file) for one in problems)]
    found = inspect_all(sound) if rows and not problems else {}
    if as_json:
        shape = ("file", "line", "key", "message", "hint")
        shown = {"rows": [{"file": str(file), **asdict(each)} for file, each in found.items()]} if rows else {}
        print_json({"ok": not problems, "problems": [{name: getattr(one, name) for name in shape} for one in problems],
                    "warnings": [f"{file}: {warning}" for file in sound for warning in warnings_in(file)], **shown})  # fmt: skip
    else:
        _show_problems(files, problems)
        for file, each in found.items():
            show_rows(file, each)
        if sound and not rows and not problems:  # a facts file may be sound and its columns unreadable
            Page().say(f"how the rows are read, for your eyes only: discreet check {path} --rows", indent=0, style="dim")
    if problems:
        raise typer.Exit(2)


def _show_problems(files: list[Path], problems: "list[Problem]") -> None:
    from discreet.cli.checking import joins_in, warnings_in
    from discreet.cli.page import Page

    page = Page()
    for one, *others in _alike(problems):
        page.line((f"{one.file}:{one.line}", "bold"), f"  {one.key}" if one.key else "", indent=0)
        page.say(one.message, indent=4)
        page.say(one.hint, indent=4, style="cyan")
        if others:
            page.say(f"the same: {', '.join(f'{each.key} (line {each.line})' for each in others)}", indent=4)
    for file in files:
        if not any(one.file == str(file) for one in problems):
            page.line(("sound  ", "green"), str(file), indent=0)
            for join in joins_in(file):
                page.say(f"join {join}", indent=7, style="dim")
            page.warn(warnings_in(file))
    if problems:
        page.line((f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}", "bold red"), indent=0)


def _alike(problems: "list[Problem]") -> "list[list[Problem]]":
    """Problems that are the same but for their place, in the order of the first of each."""
    found: dict[tuple[str, str, str], list[Problem]] = {}
    for one in problems:
        found.setdefault((one.file, one.message, one.hint), []).append(one)
    return list(found.values())


def register(
    file: FactsFile,
    separate: Separate = False,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="With --separate: why. It is signed.")] = "",
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Open the budget of a table: makes its ledger, or joins the one of its folder. Needed once before asking."""
    from discreet.cli.interrupted import told_if_act_interrupted
    from discreet.cli.waiting import waiting
    from discreet.curator import office

    with told_if_act_interrupted(local(file), "register"), waiting(f"registering {file.name}"):
        done = office.register(local(file), separate=separate, reason=reason, anyway=anyway)
    if as_json:
        print_json({"table": done.table, "version": done.version, "folder": str(done.folder), "budget": done.budget.to_dict(),
                    "already": done.already, "warnings": list(done.warnings)})  # fmt: skip
        return
    from discreet.cli.page import Page

    page = Page()
    word = "registered already" if done.already else "registered"
    page.line((f"{done.table}, version {done.version}", "bold"), f": {word}")
    page.line((f"its ledger is in {done.folder}", "dim"))
    page.gauge(done.budget)
    page.warn(done.warnings)
    if not done.already:
        page.gap()
        mark = "'" if '"' in done.question else '"'
        page.line(f"discreet quote {typed(file)} {mark}{done.question}{mark} --epsilon 0.1")


def version_new(
    file: FactsFile,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why: it is signed and stays in the ledger.")] = "",
    nobody_in_both: Annotated[
        bool, typer.Option("--no-unit-in-both", help="State, signed, that none of its units was there before: a fresh budget.")
    ] = False,
    separate: Separate = False,
    anyway: Anyway = False,
    as_json: Json = False,
) -> None:
    """Begin the version that the facts file names, after the rows changed. The budget stays what it was."""
    from discreet.cli.interrupted import told_if_act_interrupted
    from discreet.cli.waiting import waiting
    from discreet.curator import office

    with told_if_act_interrupted(local(file), "version"), waiting(f"reading the source of {file.name}"):
        label = office.new_version(
            local(file), reason=reason, no_unit_in_both=nobody_in_both, separate=separate, anyway=anyway
        )
    if as_json:
        print_json({"version": label})
        return
    from discreet.cli.page import Page

    say(f"{_table_in(file)} is now at version {label}")
    Page().warn(office.notes_on_budget(local(file)))


TheirReason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why: it is signed, it stays, and whoever is stopped reads it.")
]


def freeze(file: FactsFile, reason: TheirReason, analyst: Analyst = None, as_json: Json = False) -> None:
    """Stop all asking, or that of one analyst, until `unfreeze`."""
    from discreet.curator import office

    office.freeze(local(file), reason=reason, analyst=analyst)
    if as_json:
        print_json({"facts": str(file), "analyst": analyst, "frozen": True})
    else:
        say(f"{analyst or _table_in(file)} is frozen; it is in the ledger")


def unfreeze(
    file: FactsFile,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why: it is signed and stays. Without it, nothing changes.")
    ] = None,
    analyst: Analyst = None,
    as_json: Json = False,
) -> None:
    """Let asking go on, of all tables about the same people; shows what stopped it, and faults with their charges."""
    from discreet.curator import office

    path = local(file)
    before = stops = office.stops(path, analyst)
    if reason is None:
        found = office.alarms(path)
    else:
        found = office.unfreeze(path, reason=reason, analyst=analyst)
        stops = office.stops(path)
    is_changed = reason is not None and (analyst is not None or any(stop.is_of_table for stop in before))
    is_stopped = any(stop.analyst == analyst for stop in stops)
    if as_json:
        print_json({"facts": str(file), "analyst": analyst, "frozen": is_stopped, "alarms": [each.to_dict() for each in found],
                    "stops": [stop.to_dict() for stop in stops]})  # fmt: skip
    else:
        _show_alarms(found)
        if reason is not None and not is_changed:
            say(f"{_table_in(file)} was not frozen: nothing was written")
        _show_what_is_left(file, stops, analyst, is_changed=is_changed)
    if reason is not None and is_stopped:
        raise typer.Exit(5)


def _show_what_is_left(file: Path, stops: "list[Stop]", analyst: str | None, *, is_changed: bool) -> None:
    """What stops asking now, after an act or without one."""
    from discreet.cli.page import Page
    from discreet.cli.stopped import show_stops, state_of

    table, is_open = _table_in(file), state_of(stops) == "open"
    if not is_changed:
        if is_open:
            say(f"{table} may be asked: " + ("nothing is stopped" if not stops else "only some analysts are stopped"))
    elif is_open:
        say(f"{analyst or table} may go on; it is in the ledger")
    else:
        say(f"{analyst or table} is not frozen any more, which is in the ledger; but {table} cannot be asked yet")
    show_stops(Page(), stops, table, file)
    if not is_changed and stops:
        say("nothing was changed")


def _table_in(file: Path) -> str:
    from discreet.facts.file import read_facts

    return read_facts(file).name


def _show_alarms(found: "list[Alarm]") -> None:
    from discreet.cli.page import Page
    from discreet.plots.lettering import clean, minute

    page = Page()
    for one in found:
        tables = ", and all tables about the same people" if one.froze_tables else ""
        page.line((f"charge {one.charge}", "bold"), f"  {clean(one.table)}, {minute(one.at)}: froze {clean(one.asker)}{tables}")
        page.say(clean(one.question), indent=4)
        page.say(f"{clean(one.cause) or 'unknown cause'}, reference {one.reference}", indent=4, style="dim")
