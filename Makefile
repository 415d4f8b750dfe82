# Every target forwards to dev.py, which needs nothing but Python 3.11 or newer; `make help` lists them.
# More words for a command: `make test ARGS="-k laplace"`.
PYTHON ?= python3

.PHONY: help demo test check lowest bench soak docs serve
.DEFAULT_GOAL := help

help:
	@$(PYTHON) dev.py help

demo test check lowest bench soak docs serve:
	@$(PYTHON) dev.py $@ $(ARGS)
