"""Calls in older forms, sizes by the handful, and tensors that other code puts in place of those it finds."""

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Float32, Float64, Int, UInt8
from torch import Tensor, nn


# -- shapes of any rank where so many numbers are wanted --------------------------------------------


def like_another(x: Float[Tensor, "b c h w"], y: Tensor) -> list[Tensor]:
    size = y.shape
    return [
        F.interpolate(x, size=size),
        F.adaptive_avg_pool2d(x, size),
        nn.AdaptiveMaxPool2d(size)(x),
        nn.Upsample(size=size)(x),
        torch.fft.fft2(x, s=size),
        torch.roll(x, size, dims=(2, 3)),
        F.pad(x, y.shape),
        x.movedim(tuple(y.shape), (0, 1)),
    ]


def column_major(x: Tensor) -> Tensor:
    made = torch.empty(x.shape)
    rows, columns = x.shape
    made = made.as_strided(made.size(), (1, rows))
    return torch.empty_strided(x.shape, (1, rows)) if columns == 0 else made


def reordered(x: Float[Tensor, "a b c"], like: Tensor) -> Tensor:
    return x.permute(torch.Size(like.shape))


# -- losses before there was ``reduction`` -----------------------------------------------------------


class HardNegatives(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.CrossEntropyLoss(reduce=False)
        self.distance = nn.MSELoss(None, False)

    def forward(self, scores: Float[Tensor, "n k"], labels: Int[Tensor, "n"]) -> Float[Tensor, ""]:
        loss = self.each(scores, labels)
        loss[labels > 0] = 0
        ranked, _ = loss.sort(dim=0, descending=True)
        far = self.distance(scores, torch.zeros_like(scores)).sum(dim=1)
        return ranked[:3].mean() + far[0]


def elementwise(x: Float[Tensor, "n d"], y: Float[Tensor, "n d"]) -> Float[Tensor, "n"]:
    total = F.mse_loss(x, y, size_average=False)
    return F.l1_loss(x, y, reduce=False).sum(-1) + F.smooth_l1_loss(x, y, reduce=False)[:, 0] + total


# -- numpy ------------------------------------------------------------------------------------------


def product(pieces: list[Float[np.ndarray, "n m"]]) -> np.ndarray:
    result = np.zeros((1,))
    for piece in pieces:
        if result.size == 1:
            result = piece
        else:
            result = np.concatenate((result, piece), axis=1)
    return result


def always_right(rounds: list[Float[Tensor, "n"]]) -> list[int]:
    right = []
    for scores in rounds:
        right.append((scores > 0).float())
    mask = np.array(right).mean(0) >= 1.0
    both = np.asarray([right[0], right[0]])
    return [i for i in range(len(mask)) if mask[i] and both[1, i]]


def bytes_as_floats(pixels: UInt8[np.ndarray, "h w 4"]) -> Float32[np.ndarray, "h w"]:
    depth = pixels.copy()
    depth.dtype = np.float32
    return depth.reshape(pixels.shape[:2])


def rows_of_four(pixels: UInt8[np.ndarray, "h w 4"]) -> np.ndarray:
    flat = pixels.copy()
    flat.shape = (-1, 4)
    return flat.T @ flat


def with_an_empty_one() -> Float[Tensor, "2 2 2"]:
    return torch.tensor([[[False, True], [True, False]], torch.zeros(2, 2)])


def projected(points: Tensor) -> Tensor:
    found = points @ torch.eye(points.shape[-1])
    return found / torch.clamp(found[..., 2:], 0.1)


# -- gradients that are switched off ------------------------------------------------------------------


def constant(labels: Int[Tensor, "n"]) -> Int[Tensor, "n"]:
    return labels.clone().requires_grad_(False)


# -- parameters that are replaced ----------------------------------------------------------------------


class Experts(nn.Module):
    def __init__(self, experts: int, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.ones(experts, d_model, d_ff))

    def forward(self, x: Float[Tensor, "experts n d_model"]) -> Tensor:
        return torch.bmm(x, self.up)


def turned(model: nn.Module, names: list[str]) -> None:
    for module in model.modules():
        for name in names:
            setattr(module, name, nn.Parameter(getattr(module, name).transpose(1, 2)))


def turned_by_name(model: nn.Module, name: str) -> None:
    setattr(model, name, nn.Parameter(getattr(model, name).mT))


def turned_where_found(model: nn.Module) -> None:
    for _, module in model.named_modules():
        module.up = nn.Parameter(module.up.transpose(1, 2))


def turned_twice(x: Float[Tensor, "2 n 4"]) -> Tensor:
    model = Experts(2, 4, 8)
    model.up = nn.Parameter(model.up.transpose(1, 2))
    turned(model, ["up"])
    total = model(x)
    model.up = nn.Parameter(model.up.transpose(1, 2))
    turned_by_name(model, "u" + "p")
    total = total + model(x)
    model.up = nn.Parameter(model.up.transpose(1, 2))
    turned_where_found(model)
    return total + model(x)


def in_doubles(x: Float[Tensor, "2 n 4"]) -> Float64[Tensor, "2 n 8"]:
    model = Experts(2, 4, 8)
    model.load_state_dict({"up": model.up.detach().double()}, assign=True)
    return torch.bmm(x.double(), model.up)


# -- functions that promise nothing of what they are given, and change it -----------------------------


class Progress:
    def __init__(self, n: int) -> None:
        self.last = torch.zeros(n, 3)
        self.best = None
        self.rows: list[Tensor] = []


def enlarged(progress: Progress) -> None:
    progress.last = torch.zeros(5, 7)


def by_way_of_another(progress: Progress) -> None:
    enlarged(progress)


def enlarged_and_seen(progress: Progress) -> Float[Tensor, "a b"]:
    progress.last = torch.zeros(2, 11)
    return progress.last


def remembered(progress: Progress, best: Float[Tensor, "a b c"]) -> None:
    progress.best = best
    progress.rows.append(best[0, 0])


def added(rows: list[Tensor], row: Tensor) -> None:
    rows.append(row)


def entered(table: dict[str, Tensor], row: Tensor) -> None:
    table["row"] = row


def all_of_them() -> list[Tensor]:
    progress = Progress(4)
    by_way_of_another(progress)
    seen = [progress.last.view(35)]
    enlarged_and_seen(progress)
    remembered(progress, torch.zeros(1, 2, 3))
    seen += [progress.last.view(22), progress.best.view(6), torch.stack(progress.rows).view(3)]
    rows = [torch.zeros(4)]
    added(rows, torch.ones(4))
    table = {"row": torch.zeros(3)}
    entered(table, torch.zeros(4))
    return [*seen, torch.stack(rows).view(8), table["row"].view(2, 2)]


# run: like_another(randn(2, 3, 5, 6), randn(1, 2)); column_major(randn(3, 4)); reordered(randn(2, 1, 3), torch.zeros(0, 2, 1))
# run: HardNegatives()(randn(5, 3), torch.tensor([0, 1, 0, 2, 0])); elementwise(randn(3, 4), randn(3, 4))
# run: bytes_as_floats(np.zeros((2, 3, 4), dtype=np.uint8)); rows_of_four(np.zeros((2, 3, 4), dtype=np.uint8))
# run: with_an_empty_one(); projected(randn(5, 3)); product([np.ones((2, 3)), np.ones((2, 4))]); always_right([randn(5), randn(5)]); constant(torch.arange(3)); turned_twice(randn(2, 3, 4)); in_doubles(randn(2, 3, 4)); all_of_them()
