"""The switch that rewrites the golden messages, and one check of each case for all tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write golden.txt from what is reported",
    )


@pytest.fixture(scope="session")
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    # The option is unknown where this file was loaded after the command line was parsed.
    return bool(request.config.getoption("--rewrite-golden", default=False))
