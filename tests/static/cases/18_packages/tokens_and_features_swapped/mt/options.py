import argparse
from types import SimpleNamespace


def get_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--act", type=str, default="GELU")
    return parser


def defaults():
    return SimpleNamespace(width=16, depth=2, act="GELU", tasks={"age": 1, "gender": 2, "mood": 5})
