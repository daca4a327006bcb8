from __future__ import annotations
import torch
from dataclasses import dataclass, replace
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Mesh:
    verts: Float[Tensor, "v 3"]
    faces: Float[Tensor, "f 3 3"]

    def translate(self, t: Float[Tensor, "3"]) -> Mesh:
        return replace(self, verts=self.verts + t)

    def scale(self, s: Float[Tensor, ""]) -> Mesh:
        return Mesh(self.verts * s, self.faces * s)

    def centroid(self) -> Float[Tensor, "3"]:
        return self.verts.mean(0)  #! return self.verts.mean(1)  # E: shape

    def centred(self) -> Mesh:
        return self.translate(-self.centroid())

    def areas(self) -> Float[Tensor, "f"]:
        a, b, c = self.faces.unbind(1)
        return torch.linalg.cross(b - a, c - a).norm(dim=-1) / 2


# run: Mesh(randn(5,3), randn(4,3,3)).centred().areas()
