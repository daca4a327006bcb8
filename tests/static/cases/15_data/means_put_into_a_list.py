import torch
from jaxtyping import Float
from torch import Tensor


def by_layer(layers: list[Float[Tensor, "batch width"]]) -> Float[Tensor, "layers"]:
    means: list[Float[Tensor, "width"]] = []
    norms: dict[str, Float[Tensor, ""]] = {}
    for i, layer in enumerate(layers):
        means.append(layer.mean(dim=0))  #! means.append(layer.mean())  # E: shape
        norms[f"layer {i}"] = means[-1].norm()
    return torch.stack(list(norms.values()))


# run: by_layer([randn(2, 3), randn(2, 3)])
# static: nothing looks at the items of a list
