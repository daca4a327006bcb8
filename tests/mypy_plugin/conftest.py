"""Caches shared by the tests of a session: mypy starts in a quarter of a second where it has one."""

from __future__ import annotations

import shutil
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


@pytest.fixture(scope="session")
def stubs_read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds builtins and the stubs and nothing that the plugin found, to be copied."""
    folder = tmp_path_factory.mktemp("stubs")
    project = Project(folder, folder / "cache")
    project.write(
        reads="import pytest\nimport torch\nfrom jaxtyping import Float\nfrom torch import Tensor, nn\n"
    )
    project.mypy("reads.py")
    shutil.rmtree(project.cache / "typedtorch", ignore_errors=True)
    return project.cache
