"""Groups of a unit that stay, where few become many: at 62 cells and beside them, Spark chooses as the reference does."""

import pytest
from tests.engines.spark_tables import beside, connected
from tests.engines.test_few_groups import known, made, same  # noqa: F401 - a fixture

from discreet.engines.rules.choice import FEW

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # pyspark's own, about pandas and sockets


@pytest.mark.parametrize("cells", [2, FEW, FEW + 1])
def test_on_spark(known, cells):  # noqa: F811
    same(beside(connected(), known, made(cells)), cells, (1, FEW - 1))
