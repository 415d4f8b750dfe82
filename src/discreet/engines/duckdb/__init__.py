"""DuckDB: files and frames, read by a database inside this process."""
