"""Arrays of numpy that ``+=`` and its like write into, and numbers of numpy that become others."""

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, UInt8


class TwoLayers:
    def __init__(self, d_in: int, hidden: int, classes: int) -> None:
        rng = np.random.default_rng(0)
        self.w1: Float[np.ndarray, "d_in hidden"] = rng.normal(0, 0.1, (d_in, hidden))
        self.b1: Float[np.ndarray, "hidden"] = np.zeros(hidden)
        self.w2: Float[np.ndarray, "hidden classes"] = rng.normal(0, 0.1, (hidden, classes))
        self.b2: Float[np.ndarray, "classes"] = np.zeros(classes)

    def forward(
        self, x: Float[np.ndarray, "n d_in"]
    ) -> tuple[Float[np.ndarray, "n hidden"], Float[np.ndarray, "n classes"]]:
        h = np.maximum(0, x @ self.w1 + self.b1)
        z = h @ self.w2 + self.b2
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z)
        e /= e.sum(axis=1, keepdims=True)
        return h, e

    def step(self, x: Float[np.ndarray, "n d_in"], y: Int[np.ndarray, "n"], lr: float) -> float:
        n = len(x)
        h, p = self.forward(x)
        loss = -np.log(p[np.arange(n), y]).mean()
        dz = p.copy()
        dz[np.arange(n), y] -= 1
        dz /= n
        dh = (dz @ self.w2.T) * (h > 0)
        self.w2 -= lr * h.T @ dz
        self.b2 -= lr * dz.sum(axis=0)
        self.w1 -= lr * x.T @ dh
        self.b1 -= lr * dh.sum(axis=0)
        return float(loss)


def total(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    grown = rows.sum()
    grown += rows  # a number before, an array now
    return grown


def running(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "d"]:
    summed = 0
    for row in rows:
        summed += row
    summed /= len(rows)
    return summed


def darker(image: UInt8[np.ndarray, "h w 3"]) -> UInt8[np.ndarray, "h w 3"]:
    image = image.copy()
    image //= 2
    image += 1
    image[0] -= image[0]
    return image


def single(x: Float32[np.ndarray, "n d"], shift: Float[np.ndarray, "d"]) -> Float32[np.ndarray, "n d"]:
    x = x.copy()
    x += shift  # float64, but written into x
    return x


def inside(x: Float[np.ndarray, "n d"], low: Float[np.ndarray, "d"]) -> Bool[np.ndarray, "n d"]:
    mask = x > 0
    mask &= x > low
    return mask


# run: TwoLayers(5, 7, 3).step(np.random.randn(8, 5), np.random.randint(0, 3, 8), 0.1)
# run: total(np.ones((2, 3)))
# run: running(np.ones((2, 3)))
# run: darker(np.full((2, 4, 3), 9, dtype=np.uint8))
# run: single(np.ones((2, 3), np.float32), np.ones(3))
# run: inside(np.ones((2, 3)), np.zeros(3))
