"""The service in this process, behind a real socket on loopback: for clients that know addresses alone."""

import asyncio
import socket
from functools import partial
from threading import Thread

import uvicorn

from discreet.service.app import make_guarded
from discreet.service.patience import Patient
from discreet.service.settings import Settings


class Listening:
    """A context in which a folder is served. ``address`` is where."""

    def __init__(self, folder, **more):
        self.settings = Settings(folder, **more)

    def __enter__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(make_guarded(self.settings), interface="asgi3", lifespan="on", ws="none", log_config=None,
                                http=partial(Patient, limits=self.settings.limits), access_log=False, server_header=False,
                                timeout_graceful_shutdown=5)
        self._server = uvicorn.Server(config)
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._server.serve(sockets=[self._socket]))
        self._loop.close()

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(30)
        self._socket.close()
