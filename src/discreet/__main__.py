"""``python -m discreet`` is ``discreet``."""

from discreet.cli.app import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
