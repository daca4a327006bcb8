"""Bodies that take every item of an axis by its number are written for that size, whatever its name."""
import torch
from jaxtyping import Float
from torch import Tensor

PARENTS = [-1, 0, 0, 1, 2]
SKELETON = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21]
NUM_JOINTS = 24
COLOURS = ("red", "green", "blue")


def chained(rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
    chain = []
    for i, parent in enumerate(PARENTS):
        own = rot[:, i]
        chain.append(own if parent < 0 else chain[parent] @ own)
    return torch.stack(chain, dim=1)


def chained_from_the_root(rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
    chain = [rot[:, 0]]
    for i in range(1, len(SKELETON)):
        chain.append(chain[SKELETON[i]] @ rot[:, i])
    return torch.stack(chain, dim=1)


def copied(rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
    out = torch.zeros(rot.shape[0], NUM_JOINTS, 3, 3)
    for i in range(NUM_JOINTS):
        out[:, i] = rot[:, i]
    return out


def gathered(rot: Float[Tensor, "b j 3"]) -> Float[Tensor, "b j 3"]:
    return torch.stack([rot[:, i] for i in range(NUM_JOINTS)], dim=1)


def numbered(rot: Float[Tensor, "b j 3"]) -> Float[Tensor, "b j 3"]:
    return torch.stack([rot[:, i] * (1 - (p < 0)) for i, p in enumerate(SKELETON)], dim=1)


def of_parents(rot: Float[Tensor, "b j 3 3"]) -> Float[Tensor, "b j 3 3"]:
    return rot[:, PARENTS]


def named(weights: Float[Tensor, "colours d"]) -> Float[Tensor, "colours d"]:
    rows = {name: weights[i] for i, name in enumerate(COLOURS)}
    return torch.stack([rows["red"], rows["green"], rows["blue"]])


def bgr(images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
    return images[:, [2, 1, 0]]


def bgr_by_hand(images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
    r, g, b = images[:, 0], images[:, 1], images[:, 2]
    return torch.stack([b, g, r], 1)


def rotated(x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s d"]:
    a, b = x[..., 0], x[..., 1]
    return torch.stack([-b, a], -1)


def unbound(x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s d"]:
    a, b = x.unbind(-1)
    return torch.stack([-b, a], -1)


def unbound_by_torch(x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s d"]:
    a, b = torch.unbind(x, dim=-1)
    return torch.stack([-b, a], -1)


def split(x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s d"]:
    a, b = x.split(1, dim=-1)
    return torch.cat([-b, a], -1)


def taken_apart(x: Float[Tensor, "d n"]) -> Float[Tensor, "d n"]:
    a, b, c = x
    return torch.stack((-b, a, c))


def turned(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    a, b, c = x.T
    return torch.stack((-b, a, c), 1)


# run: chained(torch.randn(2, 5, 3, 3))
# run: chained_from_the_root(torch.randn(2, 24, 3, 3)); copied(torch.randn(2, 24, 3, 3))
# run: gathered(torch.randn(2, 24, 3)); numbered(torch.randn(2, 24, 3))
# run: of_parents(torch.randn(2, 5, 3, 3)); named(torch.randn(3, 4))
# run: bgr(torch.randn(2, 3, 5, 7)); bgr_by_hand(torch.randn(2, 3, 5, 7))
# run: rotated(torch.randn(4, 2)); unbound(torch.randn(2)); unbound_by_torch(torch.randn(3, 2)); split(torch.randn(4, 2))
# run: taken_apart(torch.randn(3, 5)); turned(torch.randn(5, 3))
