"""Releases: a file of questions and derived tables becomes a folder of tables, receipts and a page."""
