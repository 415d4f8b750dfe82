"""What is public about a table: the model, the facts file, and the same facts written in Python."""

from discreet.facts.budgets import parse_budget
from discreet.facts.file import Problem, check_facts, parse_facts, read_facts, read_folder
from discreet.facts.make import facts_for_table
from discreet.facts.model import Facts

__all__ = ["Facts", "Problem", "check_facts", "facts_for_table", "parse_budget", "parse_facts", "read_facts", "read_folder"]
