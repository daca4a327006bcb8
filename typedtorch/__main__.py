"""``python -m typedtorch``: the same command line."""

from typedtorch.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
