"""The curator of a table, the only place where data meets budget; and the acts of the data holder, in ``office``."""

from discreet.curator.asking import Curator
from discreet.curator.folder import Folder
from discreet.curator.opening import curator_in_memory, open_table, table

__all__ = ["Curator", "Folder", "curator_in_memory", "open_table", "table"]
