"""A proxy on loopback that cuts one connection after so many bytes, and lets all others through."""

import socket
from contextlib import suppress
from fractions import Fraction
from threading import Thread

import pytest
from tests.service.conftest import made_home
from tests.service.listening import Listening

import discreet as dc
from discreet.curator.folder import Folder

PRICE = Fraction(1, 1000)
COUNT = "SELECT COUNT(*) AS n FROM people"


class Cutting:
    """``cut_after(n, "request")`` cuts the next connection once n bytes of it went through; "response" likewise."""

    def __init__(self, address):
        host, _, port = address.removeprefix("http://").partition(":")
        self._target = host, int(port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._plan, self.cuts, self.sizes = None, 0, {}
        Thread(target=self._accept, daemon=True).start()

    def cut_after(self, size, side):
        self._plan = side, size

    def _accept(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            plan, self._plan = self._plan, None
            server = socket.create_connection(self._target)
            for side, source, sink in (("request", client, server), ("response", server, client)):
                most = plan[1] if plan is not None and plan[0] == side else None
                Thread(target=self._pump, args=(side, source, sink, most), daemon=True).start()

    def _pump(self, side, source, sink, most):
        gone = 0
        with suppress(OSError):
            while True:
                if most is not None and gone >= most:
                    self.cuts += 1
                    break
                data = source.recv(65_536 if most is None else most - gone)
                if not data:
                    break
                sink.sendall(data)
                gone += len(data)
                self.sizes[side] = gone
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self):
        self._listening.close()


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setattr(Folder, "_is_paced", False)  # thousands of questions: how long each takes is another test's business
    home = made_home(tmp_path)
    with Listening(home.folder) as service:
        proxy = Cutting(service.address)
        yield home, proxy
        proxy.close()


def cut_at(served, side, places):
    """One bought answer for each place; what was charged, and the answers in the order in which they came."""
    home, proxy = served
    found = []
    for place in places:
        with dc.connect(f"{proxy.address}/people", token=home.alice) as table:
            table.close()  # so that the question has a connection of its own
            proxy.cut_after(place, side)
            found.append(table.ask(COUNT, epsilon=PRICE, anew=True))
            spent = table.budget.spent.epsilon
            assert spent == PRICE * (served[1].asked + len(found)), (side, place)
    assert len({each.id for each in found}) == len(found)
    assert not any(each.replayed for each in found)
    served[1].asked += len(found)
    return found


def sizes(served):
    """How many bytes a request and its response have."""
    served[1].asked = 0
    cut_at(served, "nothing", [0])
    with dc.connect(f"{served[1].address}/people", token=served[0].alice) as table:
        table.close()
        table.ask(COUNT, epsilon=PRICE, anew=True)
        served[1].asked += 1
        sizes = dict(served[1].sizes)
    return sizes["request"], sizes["response"]
