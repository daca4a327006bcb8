"""Print what the properties find: python tests/shapes/survey.py [PART OF A NAME] [COUNT] [SEED]."""

from __future__ import annotations

import sys
import traceback

from properties import NEEDS, agrees_with_torch, symbolic_is_concrete, unknown_is_silent
from real import TABLES, resolve

import typedtorch.shapes.rules  # noqa: F401 - fills the table


def main(part: str = "", count: str = "24", seed: str = "0") -> None:
    total = bad = 0
    for kind, table in TABLES.items():
        for row in table.values():
            if part not in row.name and part not in row.function.__module__:
                continue
            if row.name in NEEDS:
                continue
            if resolve(row.name) is None:
                print("MISSING", row.name)
                continue
            total += 1
            problems: list[str] = []
            for check in (agrees_with_torch, symbolic_is_concrete, unknown_is_silent):
                try:
                    tally = check(row, kind, int(count), int(seed))
                except Exception:
                    problems.append(f"{row.name}: {check.__name__} {traceback.format_exc(limit=-1)[-300:]}")
                    continue
                problems += tally.problems
                if (check is agrees_with_torch and tally.accepted * 4 < tally.drawn) or not tally.answered:
                    problems.append(f"{row.name}: vacuous {check.__name__} {tally}")
            if problems:
                bad += 1
                print(f"== {row.name}: {len(problems)}")
                for problem in list(dict.fromkeys(problems))[:3]:
                    print("  ", problem[:420])
    print(total, "rules,", bad, "with problems")


if __name__ == "__main__":
    main(*sys.argv[1:])
