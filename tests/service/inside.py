"""The service in this process: an event loop of its own in a thread, and a client without a socket."""

import asyncio
from threading import Thread

import httpx

from discreet.service.app import make_app
from discreet.service.guard import Guard


class Inside:
    """A context in which an application lives; ``request`` is as blocking as a test wants it."""

    def __init__(self, settings) -> None:
        self.settings = settings
        self.loop = asyncio.new_event_loop()
        self._thread = Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self.app = make_app(self.settings)
        guard = Guard(self.app, self.settings.limits, secure=False)
        self._living = self.app.router.lifespan_context(self.app)
        self.run(self._living.__aenter__())
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url="http://inside", timeout=60)
        return self

    def __exit__(self, *_):
        self.run(self.client.aclose())
        self.run(self._living.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(120)

    def request(self, method: str, path: str, **more) -> httpx.Response:
        return self.run(self.client.request(method, path, **more))
