"""``python -m gpu100``: the command line without an installation."""

from gpu100.cli import main

if __name__ == "__main__":
    main()
