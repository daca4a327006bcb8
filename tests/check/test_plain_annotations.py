"""Annotations without shapes that say another kind of value than is there are a type checker's matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from .programs import messages

SILENT = {
    "a list is promised, a number is returned": """
        def chance(entry) -> list[float]:
            out = 1
            for size in entry["sizes"]:
                out *= 1 / size
            return out

        def drawn(entries):
            weights = []
            for entry in entries:
                p = chance(entry)
                weights.append([1.0 - p, p])
            return torch.multinomial(torch.tensor(weights), num_samples=1)
    """,
    "a tensor is promised, two are returned": """
        def turned(x: Tensor) -> Tensor:
            return x.cos(), x.sin()
    """,
    "a tensor is promised, a shape is given": """
        def unfold(x: Tensor, grid: Tensor) -> Tensor:
            return x

        def run(x: Float[Tensor, "b c h w"]) -> Tensor:
            return unfold(x, x.shape)
    """,
    "a pair is promised, and used as one tensor": """
        def moved(pair: tuple[Tensor, Tensor] | None = None) -> Tensor:
            return pair.to("cpu")
    """,
    "a module's forward promises a pair": """
        class Joint(nn.Module):
            def __init__(self, act: nn.Module):
                super().__init__()
                self.act = act

            def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
                return self.act(x)

        class Model(nn.Module):
            def __init__(self, act: nn.Module):
                super().__init__()
                self.joint = Joint(act)

            def forward(self, x: Float[Tensor, "b d"]) -> Tensor:
                return torch.cat((self.joint(x), x)) + self.joint(x) + self.joint(x).mean()
    """,
    "a pair is promised, four are returned": """
        def margins(size: tuple[int, int]) -> tuple[int, int]:
            h, w = size
            return (w // 2, w - w // 2, h // 2, h - h // 2)

        def cropped(x: Tensor, pad: tuple[int, int, int, int]) -> Tensor:
            left, right, top, bottom = pad
            return x[..., top:, left:]

        def run(x: Tensor, h: Tensor) -> Tensor:
            pad = margins(h.shape[-2:])
            return cropped(x, pad)
    """,
    "a pair is promised, and tensors are gathered in a loop": """
        class Loader:
            def __init__(self, open):
                self.open = open

            def load(self, name) -> tuple[Tensor, int]:
                return self.open(name)

            def every(self, names: list[str]) -> Tensor:
                images = None
                for name in names:
                    image = self.load(name)
                    images = image if images is None else torch.cat((images, image), dim=0)
                return images
    """,
    "a constant that the class has anew, and its constructor cuts": """
        class Base:
            std = torch.tensor(255)

        class Bands(Base):
            std = torch.tensor([1.0, 2.0, 3.0])

            def __init__(self, kind: str):
                if kind == "first":
                    self.std = self.std[:2]
    """,
    "an int that has a length": """
        def scattered(frames: Float[Tensor, "b k d"], places: int, length: int) -> Float[Tensor, "b l d"]:
            assert frames.shape[1] >= len(places)
            out = torch.zeros(frames.shape[0], length, frames.shape[2])
            out[:, places] = frames[:, : len(places)]
            return out
    """,
    "a layer of a size that is not known": """
        class Table(nn.Module):
            def __init__(self, settings):
                super().__init__()
                self.rows = nn.Embedding(settings.rows, settings.width)

            def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
                return x + self.rows(torch.arange(self.rows.num_embeddings))
    """,
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_plain_annotations_are_not_held_against_values(tmp_path: Path, body: str) -> None:
    assert messages(tmp_path, body) == []


def test_annotations_with_shapes_are(tmp_path: Path) -> None:
    body = """
        def turned(x: Tensor) -> Float[Tensor, "n d"]:
            return x.cos(), x.sin()

        def moved(pair: tuple[Float[Tensor, "n"], Float[Tensor, "n"]]) -> Tensor:
            return pair.to("cpu")
    """
    assert messages(tmp_path, body) == [
        "returns a tuple of 2, annotated a tensor 'n d'",
        "pair is a tuple of 2, it has no .to",
    ]
