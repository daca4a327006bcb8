import torch
from jaxtyping import Float
from torch import Tensor


def stats(x: Float[Tensor, "n d"]) -> dict[str, Tensor]:
    return {"mean": x.mean(0), "gram": x.T @ x}


def whiten(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    moments = {"mean": x.mean(0), "norm": x.norm(dim=1, keepdim=True)}
    centred = x - moments["mean"]
    return centred / moments["norm"]


def project(x: Float[Tensor, "n d"], basis: Float[Tensor, "d k"]) -> Float[Tensor, "n k"]:
    out = {"code": x @ basis, "norm": x.norm(dim=1)}
    return out["code"]  #! return out["norm"]  # E: shape


# run: project(randn(3, 5), randn(5, 7))
