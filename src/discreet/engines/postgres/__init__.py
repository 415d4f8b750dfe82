"""PostgreSQL: tables that stay where they are, read by statements that cannot fail on any row."""
