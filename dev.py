"""Everything a contributor runs, with the standard library alone: `python3 dev.py` lists the commands.

The first command makes `.venv` and installs the project with the versions in constraints.txt; later ones reuse it
until pyproject.toml, constraints.txt or the interpreter changes. Words after a command go to the tool behind it.
"""

from __future__ import annotations  # so that an older Python gets as far as the sentence at the end

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOWEST = ROOT / ".venv-lowest"
LIGHT = ROOT / ".venv-light"                          # with the client of Spark alone, which cannot stand beside Spark itself
PEERS = ROOT / ".venv-peers"
READERS = ("import-linter", "mypy", "ruff", "furo", "myst-parser", "sphinx")   # they read code or docs and run neither
NEWEST = ("schemathesis",)                            # it asks for newer test tools than we do
SPARK = "pyspark[connect]"                            # 450 MB, and a minute to install: for `make test`, and not for `make check`
WITHOUT = ("-p", "no:schemathesis", "-p", "no:anyio")  # plugins that no test leans on and that take a second of every process
WINDOWS = os.name == "nt"
MEMORY, ROOM = Path("/dev/shm"), 4 << 30              # where Linux keeps files in memory, and the bytes that tests may want there
WORKERS = str(max(2, min(8, os.cpu_count() or 2)))    # two even on one core: tests also wait for subprocesses


def demo(words: list[str]) -> int:
    """two made-up tables are asked until their budgets are gone; takes seconds"""
    return live([program(install(), "discreet"), "demo", *words])


def check(words: list[str]) -> int:
    """the fast tests, with ruff, mypy --strict and import-linter beside them; about a minute on two cores"""
    return lint_and_test("check", "not slow and not soak", words)


def test(words: list[str]) -> int:
    """everything in check, every test but soak, and every block in the docs; about twenty minutes on two cores"""
    install_spark()
    install_light()
    return lint_and_test("test", "not soak", words)


def lowest(words: list[str]) -> int:
    """the fast tests, engines, ledger and charts on the oldest versions that pyproject.toml allows"""
    start = time.monotonic()
    python = install_lowest()
    marks = "not soak and (not slow or lowest)"
    now = ("many_joined_rows", "planted_mistakes", "total_elsewhere", "total_sql")   # they read SQL with the sqlglot of now
    without = [*(f"--ignore=tests/engines/test_{name}.py" for name in now),
               "--ignore-glob=tests/engines/test_spark*.py", "-k", "not spark"]   # there in one version: that of `make test`
    spread = ["-n", WORKERS, "--dist", "worksteal"]
    command: list[str | Path] = [python, "-m", "pytest", "-q", *spread, "-m", marks, *without, *words]
    with scratch() as room:
        code = live(command, DISCREET_LOWEST="1", **room)
    return verdict(f"lowest ({time.monotonic() - start:.0f} s)", ["tests"] if code else [])


def docs(words: list[str]) -> int:
    """run every block in README.md and docs/, then make site/; --update rewrites the outputs shown there, --site makes it only"""
    python = install()
    if words == ["--update"]:
        return live([python, "tests/test_docs.py", "--update"])
    if words != ["--site"] and (code := live([python, "-m", "pytest", "-q", "tests/test_docs.py", *words])) != 0:
        return code
    trees = VENV / "doctrees"
    made = live([python, "-m", "sphinx", "-W", "--keep-going", "-q", "-a", "-E", "-d", trees, "-b", "html", "docs", "site"])
    return verdict("site/index.html", ["docs"] if made else [])


def bench(words: list[str]) -> int:
    """run bench/*.py, or those named, beside peers in environments of their own; makes docs/benchmarks.md"""
    python = install()
    found = {file.stem: file for file in sorted(ROOT.glob("bench/*.py")) if not file.stem.startswith("_")}
    if unknown := set(words) - set(found):
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(found) or 'none yet'}")
        return 2
    if not words or "spark" in words:
        install_spark()
    peers = install_peers()
    failed = [name for name in words or found if live([python, found[name]], **peers) != 0]
    if live([python, ROOT / "bench" / "_page.py"]) != 0:
        failed.append("docs/benchmarks.md")
    return verdict("bench", failed)


def soak(words: list[str]) -> int:
    """the long tests, hours if need be; appends to docs/soak/<date>.log"""
    python = install()
    log = ROOT / "docs" / "soak" / time.strftime("%Y-%m-%d.log", time.gmtime())
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(python), "-u", "-m", "pytest", "-m", "soak", "-s", "-v", "--no-header", "tests/soak", *words]
    with log.open("a", encoding="utf-8") as file:
        def say(line: str) -> None:
            line = line.replace(str(ROOT), ".")       # the log is committed; where it was written is nobody's business
            print(line, end="", flush=True)
            file.write(line)

        say(f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC · commit {commit()} · Python {platform.python_version()} · "
            f"{platform.system()} {platform.machine()} · {os.cpu_count()} cores\n")
        with subprocess.Popen(command, cwd=ROOT, text=True, encoding="utf-8", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUTF8": "1"}) as running:
            for line in running.stdout or ():
                say(line)
        say(f"exit code {running.returncode}\n\n")
    print(f"written to {log.relative_to(ROOT).as_posix()}")
    return running.returncode


def serve(words: list[str]) -> int:
    """two made-up tables over HTTP on this machine, with an analyst and a data holder; --port 8000"""
    discreet = program(install(), "discreet")
    with tempfile.TemporaryDirectory(prefix="discreet-serve-") as name:
        tables = ("ce_book", "ce_slides")
        acts = [words for table in tables for words in (["sample", table, "--out", name], ["register", f"{name}/{table}.toml"])]
        acts += [["analyst", "add", name, "alice"], ["analyst", "grant", name, "alice", *tables],
                 ["analyst", "add", name, "dora", "--holder"]]
        failed = any(live([discreet, *act]) for act in acts)
        return 1 if failed else live([discreet, "serve", name, *words])


COMMANDS: tuple[Callable[[list[str]], int], ...] = (demo, check, test, lowest, docs, bench, soak, serve)


def lint_and_test(name: str, marks: str, words: list[str]) -> int:
    """The tests, and all static checks beside them; a failure stops nothing, so that one run shows everything."""
    start = time.monotonic()
    python = install()
    checks: dict[str, list[str | Path]] = {
        "ruff": [python, "-m", "ruff", "check", "--quiet", "."],
        "mypy --strict": [python, "-m", "mypy", "--strict"],
        "import-linter": [program(python, "lint-imports")],
    }
    with ThreadPoolExecutor(1) as beside:
        read = {what: beside.submit(quietly, command) for what, command in checks.items()}
        spread = ["-n", WORKERS, "--dist", "worksteal"]
        with scratch() as room:
            is_tested = live([python, "-m", "pytest", "-q", *WITHOUT, *spread, "-m", marks, *words], **room) == 0
        failed = [what for what, outcome in read.items() if not told(what, outcome.result())]
    return verdict(f"{name} ({time.monotonic() - start:.0f} s)", failed + ["tests"] * (not is_tested))


def quietly(command: list[str | Path]) -> subprocess.CompletedProcess[bytes]:
    """Run to the end, with the output kept."""
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def told(what: str, done: subprocess.CompletedProcess[bytes]) -> bool:
    """One line; the output only if it failed."""
    print(f"  {what} {'FAILED' if done.returncode else 'ok'}", flush=True)
    if done.returncode:
        print(done.stdout.decode(errors="replace"), flush=True)
    return not done.returncode


def verdict(what: str, failed: list[str]) -> int:
    """Say how it went, in the last line, and turn it into an exit code."""
    print(f"{what}: failed: {', '.join(failed)}" if failed else f"{what}: passed")
    return 1 if failed else 0


# ---- environments


def install() -> Path:
    """The interpreter of .venv, with the project and its development tools installed."""
    key = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + (ROOT / "constraints.txt").read_bytes()).hexdigest()
    return environment(VENV, key, "discreet and its tools", ["-c", "constraints.txt", "-e", ".[dev,docs,plots,postgres,service]"])


def install_spark() -> None:
    """Spark beside them, as constraints.txt has it."""
    python, stamp = install(), VENV / "spark.txt"
    held = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != held:
        needed("installing Spark into .venv, once", [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                                                      "--no-input", "-c", "constraints.txt", SPARK])
        stamp.write_text(held, encoding="utf-8")


def install_light() -> Path:
    """The interpreter of .venv-light: what `pip install discreet[spark]` brings, and nothing else."""
    key = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + (ROOT / "constraints.txt").read_bytes()).hexdigest()
    return environment(LIGHT, key, "discreet and the client of Spark", ["-c", "constraints.txt", "-e", ".[spark]"])


def install_lowest() -> Path:
    """The interpreter of .venv-lowest: what we ask for in its oldest version, what that asks for as in constraints.txt."""
    pins = oldest_versions()
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    others = [line for line in tested if line.partition("==")[0] not in pins]
    held = "\n".join([f"{name}=={version}" for name, version in pins.items()] + others)
    with tempfile.TemporaryDirectory() as folder:
        (constraints := Path(folder) / "constraints.txt").write_text(held, encoding="utf-8")
        return environment(LOWEST, held, "the oldest versions allowed", ["-c", str(constraints), "-e", ".", *pins])


def oldest_versions() -> dict[str, str]:
    """Name → the version behind >=, of everything that the package, its charts, its service and its tests run with."""
    import tomllib  # an older Python has none, and is to get as far as the sentence at the end

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = (project["dependencies"], *(extras[name] for name in ("plots", "postgres", "service", "dev")))
    asked = (line.split(">=") for part in parts for line in part)
    return {name: version for name, version in asked if name not in READERS + NEWEST}


def install_peers() -> dict[str, str]:
    """One environment per line of bench/peers.txt, since peers contradict each other: DISCREET_PEER_NAME → its interpreter."""
    peers = {}
    listed = ROOT / "bench" / "peers.txt"
    for line in listed.read_text(encoding="utf-8").splitlines() if listed.exists() else ():
        requirements = line.partition("#")[0].split()
        if requirements:
            name = re.split(r"[^A-Za-z0-9_-]", requirements[0])[0].lower()
            try:
                python = environment(PEERS / name, " ".join(requirements), name, requirements)
            except SystemExit:
                print(f"  {name} is left out of this run")
            else:
                peers[f"DISCREET_PEER_{name.upper().replace('-', '_')}"] = str(python)
    return peers


def environment(folder: Path, key: str, what: str, requirements: list[str]) -> Path:
    """The interpreter in ``folder``, made or refreshed only if the stamp there does not hold ``key``."""
    stamp = folder / "stamp.txt"
    python = program(folder / ("Scripts" if WINDOWS else "bin") / "python", "python")
    made_for = f"Python {platform.python_version()} in {ROOT}\n"       # an environment cannot be moved or change interpreter
    before = stamp.read_text(encoding="utf-8") if stamp.exists() and python.exists() else ""
    if before == made_for + key:
        return python
    stamp.unlink(missing_ok=True)                                      # half an install must not look like a whole one
    shown = folder.relative_to(ROOT).as_posix()
    if not before.startswith(made_for):
        needed(f"making {shown}", [sys.executable, "-m", "venv", "--clear", folder])
    needed(f"installing {what} into {shown}, once",
           [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *requirements])
    stamp.write_text(made_for + key, encoding="utf-8")
    return python


def program(python: Path, name: str) -> Path:
    """A program that stands beside ``python``."""
    return python.with_name(name + (".exe" if WINDOWS else ""))


# ---- running things


def needed(what: str, command: list[str | Path]) -> None:
    """A step without which nothing else can run."""
    if not step(what, command):
        sys.exit(f"{what}: did not work; the lines above say why")


def step(what: str, command: list[str | Path]) -> bool:
    """Run quietly: one line with a dot every five seconds and the time taken; the output only if it failed."""
    print(f"  {what} ", end="", flush=True)
    start = time.monotonic()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output) as running:
        while True:
            try:
                code = running.wait(timeout=5)
                break
            except subprocess.TimeoutExpired:
                print(".", end="", flush=True)
        print(f" {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - start:.1f} s)", flush=True)
        if code != 0:
            output.seek(0)
            print(output.read().decode(errors="replace"), flush=True)
    return code == 0


def live(command: list[str | Path], **extra: str) -> int:
    """Run with the output shown as it comes; the exit code."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, env=surroundings() | extra, check=False).returncode


@contextmanager
def scratch() -> Iterator[dict[str, str]]:
    """TMPDIR for tests: in memory where there is room, since ledgers wait for the disk with every commit, thousands of times."""
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        yield {}
        return
    for left in MEMORY.glob("tests-of-discreet-*-*"):                  # by runs that were killed
        if not Path(f"/proc/{left.name.split('-')[3]}").exists():
            shutil.rmtree(left, ignore_errors=True)
    name = f"tests-of-discreet-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=name, dir=MEMORY, ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o1777)                                     # as /tmp is: some tests become another user
        yield {"TMPDIR": folder}


def surroundings() -> dict[str, str]:
    """Our environment, with compiled code kept in .venv even if it says to keep none: tests start interpreters by the hundred."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"PYTHONPYCACHEPREFIX": str(VENV / "pycache")} | kept


def commit() -> str:
    """The commit checked out here, marked if files differ from it."""
    try:
        shown = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=ROOT, check=True,
                               capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return shown.stdout.strip()


def main(words: list[str]) -> int:
    """Run the command named first; without one, list them."""
    commands = {command.__name__: command for command in COMMANDS}
    if words and words[0] in commands:
        return commands[words[0]](words[1:])
    print("usage: python3 dev.py COMMAND   (or: make COMMAND)\n")
    for name, command in commands.items():
        print(f"  {name:6} {command.__doc__}")
    return 0 if not words or words[0] in ("help", "-h", "--help") else 2


if __name__ == "__main__":
    if sys.version_info < (3, 11):                    # noqa: UP036 - this file is what tells people
        sys.exit(f"Python 3.11 or newer is needed; this is {platform.python_version()}. Try: python3.12 dev.py")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")      # an old Windows code page has no ·
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
