"""What packages and their tests do: autocast around a call, arrays beside tensors, one item of several."""

import abc
from typing import TypedDict, TypeVar

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, width: int, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        return self.query(x)


def under_autocast(width: int) -> Tensor:
    attention = Attention(width)
    x = torch.randn(2, 8, width, dtype=torch.bfloat16)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        whole = attention(x)
        parts = [attention(x[:, i : i + 1]) for i in range(8)]
    return whole - torch.cat(parts, dim=1)


@torch.autocast("cpu", dtype=torch.bfloat16)
def decorated(width: int) -> Tensor:
    return nn.Linear(width, width, dtype=torch.float32)(torch.randn(3, width, dtype=torch.bfloat16))


def pixels_of_an_array(intrinsics: Float[Tensor, "3 3"], height: int, width: int) -> Tensor:
    ys, xs = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    pixels = np.stack([xs.reshape(-1), ys.reshape(-1), np.ones(height * width)])
    return torch.inverse(intrinsics) @ pixels


class Example(TypedDict):
    image: Float[Tensor, "channel height width"]


class Restored(TypedDict):
    sample: Float[Tensor, "batch channel height width"]


def side_by_side(example: Example, restored: Restored) -> Tensor:
    image = example["image"].unsqueeze(0)
    gap = torch.ones(1, 1, image.shape[2], 10)
    return torch.cat([image, gap, restored["sample"]], dim=3)


def scattered(tokens: int, top_k: int, width: int) -> Tensor:
    out = torch.zeros(tokens, top_k, width)
    return out.sum(dim=1) if top_k > 1 else out.view(tokens, width)


def scattered_again(tokens: int, top_k: int, width: int) -> Tensor:
    out = torch.zeros(tokens, top_k, width)
    if top_k < 2:
        return out.view(tokens, width)
    return out.sum(dim=1)


def decays(d: Tensor, decay: Tensor, chunk: int) -> Tensor:
    b, n, rows, columns = d.shape
    assert rows == chunk == columns
    by_chunk = decay.view(b, n, rows)
    return d.permute(0, 1, 3, 2) * (by_chunk[..., :, None] - by_chunk[..., None, :])


def surrogate(
    action: Shaped[Tensor, "minibatch *action"],
    advantages: Float[Tensor, "minibatch"],
) -> Tensor:
    assert action.shape == advantages.shape
    return action * advantages


def resize(
    image: Float[Tensor, "channel height width"],
    shape: tuple[int, int] | None = None,
    width: int | None = None,
) -> Float[Tensor, "channel new_height new_width"]:
    _, h, w = image.shape
    if width is not None:
        shape = (int(h * width / w), width)
    return nn.functional.interpolate(image[None], shape, mode="bilinear")[0]


def convolved_in_half_precision(u: Tensor, n: int) -> Tensor:
    k = torch.randn(4, n, dtype=torch.float16, device="cuda")
    return torch.fft.irfft(torch.fft.rfft(u.half()) * torch.fft.rfft(k))


class Backend(abc.ABC):
    @abc.abstractmethod
    def gather(self, x: Tensor) -> Tensor: ...


class Alone(Backend):
    def gather(self, x: Tensor) -> Tensor:
        return x


class Several(Backend):
    def gather(self, x: Tensor) -> Tensor:
        return torch.stack([x, x])


_backend = Alone()


def use(backend: Backend) -> None:
    global _backend
    _backend = backend


def gather(x):
    return _backend.gather(x)


def gathered() -> list[Tensor]:
    value = torch.tensor(1)
    return [gather(value)[rank] for rank in range(2)]


def in_turn() -> list[Tensor]:
    found = []
    for shape in [[3, 2, 38, 2], [5, 3, 78, 96, 2]]:
        maps = torch.randn([shape[0], shape[1], 2, *shape[2:-1]])
        image = _noisy(shape)
        if image.ndim == 4:
            maps = maps.permute(0, 1, 3, 2)
        elif image.ndim == 5:
            maps = maps.permute(0, 1, 3, 4, 2)
        found.append(maps)
    return found


def _noisy(shape):
    return globals()["made"](shape)


def of_an_unknown_class(variable):
    return nn.Parameter(torch.tensor(0.1)) * (variable("x") <= variable("y")) ^ 2


class Restored(nn.Module):
    def forward(self, x: Tensor, sizes: Tensor) -> Tensor | list[Tensor]:
        resized = nn.functional.interpolate(x, size=(8, 8))
        if torch.onnx.is_in_onnx_export():
            return resized
        found = []
        for i in range(len(x)):
            found.append(nn.functional.interpolate(resized[i : i + 1], size=sizes[i].tolist()))
        return found


def of_either_kind() -> None:
    out = Restored()(torch.zeros(2, 3, 6, 6), torch.tensor([[6, 6], [6, 6]]))
    if isinstance(out, list):
        assert len(out) == 2
    else:
        assert out.shape == (2, 3, 6, 6)
    first = torch.zeros(2, 3)
    if type(first) is list:
        assert first[0].shape == (4, 3)
    elif type(first) in (dict, tuple):
        assert first[0].shape == (4, 3)
    if type(first) != tuple:  # noqa: E721
        assert first.shape == (2, 3)
    else:
        assert first[0].shape == (4, 3)


Given = TypeVar("Given", Tensor, tuple[Tensor, ...])


class Attribution(abc.ABC):
    @abc.abstractmethod
    def attribute(self, inputs: Given) -> Given:
        """One number for each column, of a tensor or of each of several."""


class Means(Attribution):
    def attribute(self, inputs):
        return tuple(x.float().mean(0, keepdim=True) for x in inputs)


def attributed(method: Attribution) -> None:
    first, second = method.attribute((torch.ones(2, 3), torch.arange(7)))
    first -= 0.5
    second /= 50
    assert first.shape == (1, 3)
    assert second.shape == (1,)
    print(first.view(3), second.squeeze(0))


def shapes_of_gamma(x: Tensor) -> Tensor:
    gamma = torch.arange(0.2, 1, 0.001, dtype=x.dtype)
    return gamma.lgamma()


# run: under_autocast(8)
# run: decorated(4)
# run: pixels_of_an_array(torch.eye(3), 2, 3)
# run: side_by_side({"image": torch.zeros(1, 4, 5)}, {"sample": torch.zeros(1, 1, 4, 6)})
# run: scattered(3, 2, 4), scattered(3, 1, 4), scattered_again(3, 2, 4), scattered_again(3, 1, 4)
# run: decays(torch.zeros(2, 3, 4, 4), torch.zeros(2, 3, 4), 4)
# run: surrogate(torch.zeros(3), torch.zeros(3))
# run: resize(torch.zeros(3, 4, 5), (2, 2)), resize(torch.zeros(3, 4, 5), width=10)
# run: use(Several())
# run: gathered()
# run: of_either_kind()
# run: attributed(Means())
# run: shapes_of_gamma(torch.zeros(3))
