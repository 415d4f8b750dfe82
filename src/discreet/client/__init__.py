"""Tables behind a service: ``dc.connect("https://host/people", token=…)``, and the same verbs as with a table that is here.

No row, no engine and no noise is on this side, and neither DuckDB nor sqlglot is imported: what is sent are questions, what
comes back is what the service tells.
"""

from discreet.client.table import FarTable, connect

__all__ = ["FarTable", "connect"]
