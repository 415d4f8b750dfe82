"""What is written into a ledger and what it means: entries, amounts, running totals, signatures. Knows of no database."""
