"""Sizes that nobody knows are not held against working code, beside the mistake that is still found."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import messages

SILENT = {
    "a name of the module that is bound to itself and then anew": """
        signal = signal
        signal = signal.squeeze()
        first: Tensor = signal[0:10]
    """,
    "what is unpacked may be as many as the channels are": """
        def frames(z: Tensor) -> Tensor:
            b, c, h, w = z.shape
            y = nn.Conv2d(4, 4, 3)(z)
            return y.reshape(2, 2, *y.shape[1:])
    """,
    "as many different ones as a literal tensor has rows": """
        def features(ids: Tensor) -> Tensor:
            rows = nn.Embedding(9, 2)(ids.reshape(-1).unique())
            return torch.cat([rows, torch.tensor([[0.2], [0.3]])], 1)
    """,
    "an axis that is not used may be of any size": """
        def normalised(x: Tensor, adj: Tensor) -> Tensor:
            b, n, _ = adj.size()
            scale = adj.sum(dim=-1).pow(-0.5)
            return scale.unsqueeze(-1) * adj * scale.unsqueeze(-2)
    """,
    "sizes that arise in two calls of one function": """
        def form(m: Tensor, v: Tensor) -> Tensor:
            return torch.einsum("bci,bci->bc", v, torch.einsum("bcij,bcj->bci", m, v))

        def differences(m: Tensor, v: Tensor, p: Tensor, q: Tensor, n: int, k: int) -> Tensor:
            first, second = form(m, v), form(p, q)
            return first.repeat_interleave(n, dim=1) - second.repeat(1, k)
    """,
    "as many repeats as a tensor has axes": """
        def tiled(centres: Float[Tensor, "n"], p: Tensor) -> Tensor:
            return centres.unsqueeze(0).repeat(p[..., 0:1].shape)
    """,
    "a loop that is perhaps not entered": """
        class Grouped(nn.Module):
            def __init__(self, channels: int, estimators: int, gamma: int = 1):
                super().__init__()
                groups = gamma * estimators
                while channels % groups != 0 and groups > 1:
                    gamma -= 1
                    groups = gamma * estimators
                self.conv = nn.Conv2d(channels, channels, 3, groups=groups)

            def forward(self, x: Tensor) -> Tensor:
                return self.conv(x)

        def run(x: Float[Tensor, "b 32 h w"], estimators: int) -> Tensor:
            return Grouped(32, estimators)(x)
    """,
    "unknown sizes of each turn, and of each item": """
        def rows(x: Tensor) -> Tensor:
            return x[x[:, 0] > 0]

        def by_rank(features: dict[str, Tensor]) -> None:
            found = {}
            for rank in range(3):
                found[f"rank_{rank}"] = rows(features[f"rank_{rank}"])
            assert found["rank_0"].shape == (11, 5)
            assert found["rank_1"].shape == (22, 5)

        def by_name(names: list[str]) -> None:
            found = {}
            for name in names:
                found[name] = rows(torch.randn(40, 5))
            assert found["a"].shape == (11, 5)
            assert found["b"].shape == (22, 5)
    """,
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_working_code_is_not_reported(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, body) == []


FOUND = {
    "a square that is none": (
        """
        def normalised(adj: Float[Tensor, "b n m"]) -> Tensor:
            scale = adj.sum(dim=-1)
            return scale.unsqueeze(-1) * adj * scale.unsqueeze(-2)
        """,
        "do not broadcast",
    ),
    "a refused call: what it would have given is not used against what follows": (
        """
        def matrices(q: Float[Tensor, "n 4"]) -> Float[Tensor, "n 3 3"]: ...

        def turn(q: Float[Tensor, "4"], x: Float[Tensor, "n 3"]) -> Float[Tensor, "3 n"]:
            return matrices(q).mm(x.T)
        """,
        "matrices: q has 1 axis, shape (4,), annotated 'n 4': wanted 2 axes",
    ),
    "one axis at least where there should be none": (
        """
        def scalar(x: Float[Tensor, ""]) -> None: ...

        def scaled(x: Tensor) -> None:
            scalar(x * torch.ones(1))
        """,
        "has at least 1 axis, shape (..., ?), annotated '': wanted 0 axes",
    ),
}


@pytest.mark.parametrize(("body", "message"), FOUND.values(), ids=FOUND)
def test_the_mistake_beside_it_is(tmp_path: Path, body: str, message: str) -> None:
    found = messages(tmp_path, body)
    assert len(found) == 1
    assert message in found[0]
