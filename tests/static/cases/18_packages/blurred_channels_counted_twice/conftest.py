import pytest
import torch


@pytest.fixture
def image() -> torch.Tensor:
    return torch.randn(2, 8, 32, 32)
