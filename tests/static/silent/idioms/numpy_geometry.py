"""Camera geometry in numpy."""

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from jaxtyping import Bool, Float, Int, UInt8

Points = Float[np.ndarray, "n 3"]


class Pose(NamedTuple):
    rotation: Float[np.ndarray, "3 3"]
    translation: Float[np.ndarray, "3"]

    def inverse(self) -> "Pose":
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    def apply(self, points: Points) -> Points:
        return points @ self.rotation.T + self.translation


def skew(v: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rodrigues(axis: Float[np.ndarray, "3"], angle: float) -> Float[np.ndarray, "3 3"]:
    k = skew(axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def umeyama(src: Points, dst: Points) -> Pose:
    mu_s, mu_d = src.mean(axis=0), dst.mean(axis=0)
    h = (src - mu_s).T @ (dst - mu_d)
    u, _, vt = np.linalg.svd(h)
    d = np.sign(np.linalg.det(vt.T @ u.T))
    r = vt.T @ np.diag([1, 1, d]) @ u.T
    return Pose(r, mu_d - r @ mu_s)


def project(points: Points, k: Float[np.ndarray, "3 3"]) -> tuple[Float[np.ndarray, "n 2"], Bool[np.ndarray, "n"]]:
    uvw = points @ k.T
    visible = uvw[:, 2] > 1e-6
    with np.errstate(divide="ignore", invalid="ignore"):
        uv = uvw[:, :2] / uvw[:, 2:3]
    return uv, visible


def knn(a: Points, b: Float[np.ndarray, "m 3"], k: int) -> Int[np.ndarray, "n {k}"]:
    d2 = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=-1)
    return np.argpartition(d2, k, axis=1)[:, :k]


def chamfer(a: Points, b: Float[np.ndarray, "m 3"]) -> float:
    d = np.linalg.norm(a[:, None] - b[None], axis=-1)
    return float(d.min(axis=1).mean() + d.min(axis=0).mean())


def voxelise(points: Points, size: float) -> tuple[Int[np.ndarray, "m 3"], Int[np.ndarray, "n"]]:
    cells = np.floor(points / size).astype(np.int64)
    unique, inverse = np.unique(cells, axis=0, return_inverse=True)
    return unique, inverse.reshape(-1)


def draw(image: UInt8[np.ndarray, "h w 3"], uv: Float[np.ndarray, "n 2"]) -> UInt8[np.ndarray, "h w 3"]:
    out = image.copy()
    h, w = out.shape[:2]
    cols, rows = np.round(uv).astype(int).T
    ok = (rows >= 0) & (rows < h) & (cols >= 0) & (cols < w)
    out[rows[ok], cols[ok]] = (255, 0, 0)
    return out


def depth_to_points(depth: Float[np.ndarray, "h w"], k: Float[np.ndarray, "3 3"]) -> Points:
    h, w = depth.shape
    v, u = np.mgrid[:h, :w]
    pix = np.stack([u, v, np.ones_like(u)], axis=-1).reshape(-1, 3)
    rays = pix @ np.linalg.inv(k).T
    return rays * depth.reshape(-1, 1)


def raw(x: npt.NDArray[np.float64], scale: Annotated[float, "metres"]) -> npt.NDArray[np.float64]:
    return x * scale


# run: p = np.random.randn(7, 3); pose = umeyama(p, p @ rodrigues(np.array([0.0, 0, 1]), 0.3).T); pose.inverse().apply(p); raw(p, 2.0)
# run: project(p, np.eye(3)); knn(p, np.random.randn(11, 3), 2); chamfer(p, p); voxelise(p, 0.5); depth_to_points(np.random.rand(3, 5), np.eye(3))
# run: draw(np.zeros((5, 7, 3), dtype=np.uint8), np.random.rand(4, 2) * 5)
