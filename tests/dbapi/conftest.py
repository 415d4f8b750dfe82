"""A service on loopback, and connections to it by PEP 249."""

import pytest
from tests.service.conftest import Home, made_home
from tests.service.listening import Listening

from discreet import dbapi


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Home:
    return made_home(tmp_path_factory.mktemp("home"), epsilon=1000)


@pytest.fixture(scope="module")
def service(home):
    with Listening(home.folder) as service:
        yield service


@pytest.fixture
def connection(home, service):
    with dbapi.connect(service.address, home.bob, epsilon="0.5") as connection:
        yield connection
