"""The service: one process between the tables of a folder and people who are not trusted. Questions come in, answers go out.

Handlers are thin: each makes one request object of what came in and calls a verb of the curator. What another worker must know
is in the ledger; rates, queues and connections are each worker's own.
"""
