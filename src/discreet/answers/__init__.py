"""What people and programs get back: answers and quotes."""

from discreet.answers.answer import Allowance, Answer, AnswerColumn, BudgetState
from discreet.answers.quote import Quote, QuotedColumn

__all__ = ["Allowance", "Answer", "AnswerColumn", "BudgetState", "Quote", "QuotedColumn"]
