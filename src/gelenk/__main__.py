"""``python -m gelenk`` is the command line."""

from gelenk.cli import main

if __name__ == "__main__":
    main()
