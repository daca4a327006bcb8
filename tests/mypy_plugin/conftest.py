"""Caches shared by the tests of a session: mypy starts in a quarter of a second where it has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mypy_plugin.running import Project


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds builtins and the stubs after the first test."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def project(tmp_path: Path, warm_cache: Path) -> Project:
    return Project(tmp_path, warm_cache)
