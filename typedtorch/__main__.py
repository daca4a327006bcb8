"""``python -m typedtorch``: the same command line."""

from typedtorch.cli import command

if __name__ == "__main__":
    command()
