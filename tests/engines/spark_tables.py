"""A connection to this run's Spark, and tables on it beside the reference engine that has the same rows."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.laws.engines_of_laws import Compared

from discreet.engines.reference.engine import Reference
from discreet.engines.spark.engine import Spark


def _load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def connected():
    """A session of this run's Spark, or a skip that counts as a missing part."""
    for name in ("pyspark", "py4j", "grpc"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"missing part: the Python package {name}, which `make test` installs with pyspark[connect]")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("missing part: Java 17, which Spark runs on")
    from pyspark.sql.connect.session import SparkSession

    os.environ["SPARK_REMOTE"] = _load("spark_server").address()
    return SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).getOrCreate()


def text_of(value):
    """A value as text, as files have it."""
    return None if value is None else repr(value) if isinstance(value, float) else str(value)


def frame_of(session, rows, names):
    """Rows as a frame of texts."""
    texts = [tuple(text_of(row.get(name)) for name in names) for row in rows]
    return session.createDataFrame(texts, ", ".join(f"`{name}` STRING" for name in names))


def beside(session, facts, rows, lookups=None):
    """Spark and the reference on the same texts: an engine that answers as Spark does and keeps what the two differ about."""
    unit = [facts.unit.column] if hasattr(facts.unit, "column") else []
    names = list(dict.fromkeys([*(column.name for column in facts.columns), *unit]))
    given, texts = {}, {}
    for join in facts.joins:
        columns = list(dict.fromkeys([join.match, *(column.name for column in join.columns)]))
        texts[join.name] = [{name: text_of(row.get(name)) for name in columns} for row in lookups[join.name]]
        made = texts[join.name], columns
        given[join.name] = frame_of(session, *made) if hasattr(join, "facts") else _pandas(*made)
    ours = [{name: text_of(row.get(name)) for name in names} for row in rows]
    return Compared(Spark(facts, frame_of(session, rows, names), given), Reference(facts, ours, texts))


def _pandas(rows, names):
    import pandas as pd

    return pd.DataFrame([[row.get(name) for name in names] for row in rows], columns=names, dtype=object)
