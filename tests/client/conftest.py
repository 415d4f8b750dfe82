"""A folder that is served on loopback, and somebody who may ask there."""

import pytest
from tests.service.conftest import Home, made_home
from tests.service.listening import Listening

import discreet as dc


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Home:
    return made_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def service(home):
    with Listening(home.folder) as service:
        yield service


@pytest.fixture
def people(home, service):
    with dc.connect(f"{service.address}/people", token=home.alice) as table:
        yield table
