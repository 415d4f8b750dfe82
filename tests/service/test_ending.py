"""How a service ends and goes on: what it is told to end with, what it leaves, and who takes whose place."""

import os
import signal
import socket
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.service.conftest import FACTS, Caller, made_home
from tests.service.outside import SOURCE, Outside

from discreet.curator import accounts, office
from discreet.service import serving

COUNT = {"sql": "SELECT COUNT(*) AS n FROM slow", "epsilon": "0.5"}

OLD = {"sql": "SELECT COUNT(*) AS n FROM slow WHERE age > 30", "epsilon": "0.5"}


def kinds(folder: Path) -> list[str]:
    return [entry.kind for entry in office.entries(folder) if entry.kind in ("charge", "settle", "fault")]


def slow_home(folder: Path, rows_about: int):
    """One more table, whose answers have a public time of seconds."""
    home = made_home(folder)
    facts = FACTS.format(name="slow", epsilon=9).replace("rows_about = 200", f"rows_about = {rows_about}")
    (folder / "slow.csv").write_text("age,town\n" + "40,north\n" * 50)
    (folder / "slow.toml").write_text(facts)
    office.register(folder / "slow.toml")
    accounts.grant(folder, "alice", ["slow"])
    return home


@pytest.mark.parametrize("workers", [1, 2])
def test_what_runs_is_answered_and_nothing_is_taken_over_when_the_service_is_told_to_end(tmp_path, workers):
    home = slow_home(tmp_path, 25_000_000)
    with Outside(home.folder, workers=workers) as server, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(Caller(server, home.alice).post, "/api/tables/slow/ask", COUNT)
        server.wait_for(lambda: kinds(home.folder) == ["charge"])
        server.process.send_signal(signal.SIGTERM)
        server.wait_for(lambda: not is_listening(server))
        taken_in_by_one_that_dies(home)
        assert waiting.result(60).status_code == 200
        assert server.stop() in (0, -signal.SIGTERM)
        assert kinds(home.folder) == ["charge", "settle"]                      # there were seconds to take the other one over
        assert "Traceback" not in server.log
    with Outside(home.folder) as server:
        server.wait_for(lambda: kinds(home.folder) == ["charge", "settle"] * 2)


def is_listening(server) -> bool:
    try:
        socket.create_connection(("127.0.0.1", int(server.address.rpartition(":")[2])), timeout=5).close()
    except ConnectionError:
        return False
    return True


def taken_in_by_one_that_dies(home) -> None:
    script = ("import sys; from discreet.curator.folder import Folder; folder = Folder(sys.argv[1]); "
              "folder.take_in(folder.account(sys.argv[2]), 'people', "
              "{'sql': 'SELECT COUNT(*) AS n FROM people', 'epsilon': '0.5'})")
    subprocess.run([sys.executable, "-c", script, str(home.folder), home.alice], check=True,
                   env=os.environ | {"PYTHONPATH": str(SOURCE)})


def test_what_is_not_over_by_the_deadline_is_left_and_gone_on_with(tmp_path):
    home = slow_home(tmp_path, 25_000_000)
    with Outside(home.folder, program="tests.service.brief") as server, ThreadPoolExecutor(1) as threads:
        alice = Caller(server, home.alice)
        sent = alice.post("/api/tables/slow/ask", COUNT, headers={"Prefer": "respond-async"})
        assert sent.status_code == 202
        waiting = threads.submit(alice.post, "/api/tables/slow/ask", OLD)
        server.wait_for(lambda: kinds(home.folder) == ["charge"] * 2)
        assert server.stop() in (0, -signal.SIGTERM)
        assert kinds(home.folder) == ["charge"] * 2                            # neither was waited for
        told = waiting.result(60)
        assert (told.status_code, told.json()["error"]) == (503, "busy")
        assert told.json().keys() == {"error", "message", "hint"}
        assert "Traceback" not in server.log
        assert " ERROR discreet" not in server.log
    with Outside(home.folder) as server:
        alice = Caller(server, home.alice)
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(alice.post, "/api/tables/slow/ask", OLD)
            assert alice.later(sent).status_code == 200
            assert waiting.result(60).status_code == 200
    assert sorted(kinds(home.folder)) == ["charge"] * 2 + ["settle"] * 2
    assert office.verify(home.folder).ok


def test_a_single_worker_that_dies_or_is_renewed_is_replaced(tmp_path):
    home = made_home(tmp_path)
    with Outside(home.folder) as server:
        alice = Caller(server, home.alice)
        (first,) = server.workers
        os.kill(first, signal.SIGKILL)
        assert alice.get("/api/me").status_code == 200                       # the next one takes what waits at the door
        (second,) = server.workers
        assert first != second
        assert f"worker {first} ended by itself (-9): another one takes its place" in server.log
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda: len(server.workers) == 1 and server.workers != [second])
        assert alice.get("/api/me").status_code == 200
        assert server.process.poll() is None
        assert "Traceback" not in server.log


def test_a_worker_whose_folder_cannot_be_opened_says_so_until_it_can(tmp_path):
    home = made_home(tmp_path)
    with Outside(home.folder) as server:
        nobody, alice = Caller(server, None), Caller(server, home.alice)
        (home.folder / ".discreet").rename(tmp_path / "away")
        os.kill(server.workers[0], signal.SIGKILL)
        for path in ("/api/me", "/api/tables", "/api/ready"):
            told = alice.get(path)
            assert (told.status_code, told.json()["error"]) == (503, "busy")
        assert nobody.get("/api/health").status_code == 200
        (tmp_path / "away").rename(home.folder / ".discreet")
        server.wait_for(lambda: nobody.get("/api/ready").status_code == 200)
        assert alice.get("/api/me").status_code == 200
        assert "the folder cannot be opened, and is tried again" in server.log
        assert "the folder is open" in server.log
        assert "Traceback" not in server.log


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_nobody_stands_over_any_more_end_and_let_go_of_the_port(tmp_path, workers):
    home = made_home(tmp_path)
    with Outside(home.folder, workers=workers) as server:
        left = server.workers
        assert len(left) == workers
        server.process.kill()
        server.process.wait()
        server.wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in left))
        assert not is_listening(server)


def test_a_proxy_on_the_same_machine_is_believed_by_its_newer_address_too(tmp_path):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("missing part: IPv6 on this machine")
    home = made_home(tmp_path)
    with Outside(home.folder, "--host", "::1", "--behind-proxy") as server:
        wrong = Caller(server, "dsc_wrong")
        told = [wrong.get("/api/me", headers={"X-Forwarded-For": f"192.0.2.{place}"}) for place in range(40)]
    assert {each.status_code for each in told} == {401}                      # of one address thirty would be too many


class Files(types.ModuleType):
    """The module resource of a system without a limit that takes no infinite number, as macOS is."""

    RLIMIT_NOFILE, RLIM_INFINITY = 8, 2**63 - 1
    limits = (256, RLIM_INFINITY)

    def getrlimit(self, _):
        return self.limits

    def setrlimit(self, _, limits):
        if limits[0] > 10_240:
            raise ValueError("current limit exceeds maximum limit")
        self.limits = limits


def test_where_there_is_no_limit_of_files_as_many_are_taken_as_can_be(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", files := Files("resource"))
    serving._more_files()
    assert files.limits == (10_240, Files.RLIM_INFINITY)
    files.limits = (256, 4096)
    serving._more_files()
    assert files.limits == (4096, 4096)
